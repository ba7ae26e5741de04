//! What is proven of a damaged capture, or of one that was cut short: the blocks whose sums hold,
//! in either copy. That both copies agree is no proof without the hardware's count, since both may
//! lack the same pair or have it twice.

use std::path::Path;

use super::error::{CaptureError, Context};
use super::holes::Holes;
use super::integrity::{shown, Agreement, Damage, Integrity};
use super::pieces::{Copy, Piece, Pieces};
use super::proven::{check, Checked, Good};
use super::sums::Of;
use super::Capture;
use crate::order::{Next, Pairs};

/// Bytes in which single words are looked for that differ; larger parts are reported as a whole.
const REFINED: u64 = 1 << 20;

/// Words of a file that are no pairs, or not those that were written, which are reported one by one.
const MISFITS: usize = 1000;

/// Pairs of a stream that a copy of it proves.
#[derive(Clone, Copy, Debug)]
struct Interval {
    from: u64,
    to: u64,
    copy: Copy,
    /// Byte of the file where the first pair is, or (in `mmi.raw`) from which on it is the first of its stream.
    at: u64,
}

/// Finds the pieces of every stream whose copies do not simply agree, and adds what can't be proven to the account.
pub(super) fn repair(
    capture: &Capture,
    agreements: &[Agreement],
    holes: &Holes,
    integrity: &mut Integrity,
) -> Result<(), CaptureError> {
    let smis = capture.smis().len();
    let mmi = if capture.has_mmi() {
        check(&capture.files, &capture.mmi_path(), Of::Mmi(smis), holes.of_mmi())?
    } else {
        None
    };
    for smi in capture.smis() {
        let path = capture.stream_path(smi);
        let stream = if capture.has_streams() && !agreements[smi].is_proven {
            check(&capture.files, &path, Of::Stream(smi), holes.of_stream(smi))?
        } else {
            None
        };
        let is_missing = capture.has_streams() && capture.files.length(&path).is_err();
        if is_missing && !integrity.damage.iter().any(|damage| damage.path == path) {
            integrity.damage.push(Damage { path: path.clone(), offset: 0, what: "the file is missing".into() });
        }
        let intervals = intervals(smi, agreements[smi], stream.as_ref(), mmi.as_ref());
        let mut pieces = compose(&intervals);
        let end = pieces.last().map_or(0, |piece| piece.index + piece.pairs);
        let summed = stream.as_ref().map(|stream| stream.written / 4);
        pieces.extend(rest(capture, smi, end, summed, agreements[smi], mmi.is_some())?);
        integrity.proven[smi] =
            pieces.iter().take_while(|piece| piece.missing == Some(0) && piece.guarded).map(|piece| piece.pairs).sum();
        integrity.pieces[smi] = pieces;
        // Of a run that was killed the last pairs may lack their sums, which is no damage.
        if !agreements[smi].is_all {
            account(capture, smi, end, summed, integrity);
        }
        if let Some(stream) = &stream {
            let agreed = 4 * agreements[smi].pairs;
            let parts = bad(capture, &path, stream, agreed)?;
            blame(capture, Some(smi), &path, &parts, integrity)?;
        }
    }
    if !capture.has_streams() && mmi.is_none() {
        misfits(capture, integrity)?;
    }
    if let Some(mmi) = &mmi {
        let path = capture.mmi_path();
        let agree = capture.has_streams() && capture.smis().all(|smi| agreements[smi].is_all);
        let parts = bad(capture, &path, mmi, if agree { size(capture, &path)? } else { 0 })?;
        blame(capture, None, &path, &parts, integrity)?;
    }
    Ok(())
}

/// What is proven of stream `smi`, by whatever proves it.
fn intervals(smi: usize, agreement: Agreement, stream: Option<&Checked>, mmi: Option<&Checked>) -> Vec<Interval> {
    let mut intervals = Vec::new();
    if agreement.is_proven {
        intervals.push(Interval { from: 0, to: agreement.pairs, copy: Copy::Stream, at: 0 });
    }
    intervals.extend(stream.iter().flat_map(|stream| &stream.good).map(|good| Interval {
        from: good.written / 4,
        to: (good.written + good.bytes) / 4,
        copy: Copy::Stream,
        at: good.at,
    }));
    intervals.extend(mmi.iter().flat_map(|mmi| &mmi.good).filter_map(|good| {
        let (from, to) = (*good.before.get(smi - 1)?, *good.after.get(smi - 1)?);
        Some(Interval { from, to, copy: Copy::Mmi, at: good.at })
    }));
    intervals
}

/// The least number of pieces that hold all pairs of the intervals, preferably those of the stream's own file.
fn compose(intervals: &[Interval]) -> Vec<Piece> {
    let mut by_start = intervals.to_vec();
    by_start.sort_by_key(|interval| interval.from);
    let mut next = by_start.into_iter().peekable();
    // Of those that begin at or before the present place, the ones that reach farthest in each copy.
    let mut reaching: [Option<Interval>; 2] = [None, None];
    let (mut pieces, mut end) = (Vec::new(), 0);
    loop {
        while let Some(interval) = next.next_if(|interval| interval.from <= end) {
            let best = &mut reaching[usize::from(interval.copy == Copy::Mmi)];
            if best.is_none_or(|best| interval.to > best.to) {
                *best = Some(interval);
            }
        }
        let best = reaching.iter().flatten().find(|interval| interval.to > end);
        let (interval, index) = match (best, next.peek()) {
            (Some(best), _) => (*best, end),
            (None, Some(later)) => (*later, later.from),
            (None, None) => return pieces,
        };
        if interval.to > index {
            let passed = index - interval.from;
            let missing = Some(index - end);
            let pairs = interval.to - index;
            let Interval { copy, at, .. } = interval;
            pieces.push(Piece { copy, offset: at, skip: passed, index, pairs, missing, guarded: true });
            end = interval.to;
        } else {
            // An empty one, of a silent SMI.
            next.next();
        }
    }
}

/// What no sum covers: of a run that was killed the end, of a copy without sums all that is not
/// agreed on. It may be read, but proves nothing.
fn rest(
    capture: &Capture,
    smi: usize,
    end: u64,
    summed: Option<u64>,
    agreement: Agreement,
    mmi_summed: bool,
) -> Result<Option<Piece>, CaptureError> {
    let piece = |copy, offset, skip, index, missing| Piece {
        copy,
        offset,
        skip,
        index,
        pairs: u64::MAX,
        missing,
        guarded: false,
    };
    if agreement.is_proven {
        return Ok(None);
    }
    if capture.has_streams() {
        let size = size(capture, &capture.stream_path(smi))? / 4;
        // Up to where both copies agree, the pairs stand where they were written.
        let from = summed.unwrap_or(0).max(if agreement.pairs > end { end } else { agreement.pairs });
        // Where sums cover the file, what they don't prove is wrong.
        let is_rest = size > from && (summed.is_none() || !capture.record.complete) && from >= end;
        return Ok(is_rest.then(|| piece(Copy::Stream, 4 * from, 0, from, Some(from - end))));
    }
    Ok((!mmi_summed).then(|| piece(Copy::Mmi, 0, 0, 0, Some(0))))
}

fn size(capture: &Capture, path: &Path) -> Result<u64, CaptureError> {
    match capture.files.length(path) {
        Ok(length) => Ok(length),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error).at("read", path),
    }
}

/// Adds the pairs of a stream that nobody has any more, and those that nothing proves.
fn account(capture: &Capture, smi: usize, end: u64, summed: Option<u64>, integrity: &mut Integrity) {
    let mut report = |index: u64, piece: Option<&Piece>, what: String| {
        // In the MMI's words a place of one stream has no byte of its own.
        let (path, offset, what) = if capture.has_streams() {
            (capture.stream_path(smi), 4 * index, what)
        } else {
            let name = &capture.record.machine.processors[smi];
            (capture.mmi_path(), piece.map_or(0, |piece| piece.offset), format!("{name}, pair {index}: {what}"))
        };
        integrity.damage.push(Damage { path, offset, what });
    };
    for piece in &integrity.pieces[smi] {
        match piece.missing {
            Some(0) => {}
            Some(count) => report(piece.index - count, Some(piece), format!("{count} pair(s) are lost")),
            None => report(piece.index, Some(piece), "some pairs may be lost".into()),
        }
        if !piece.guarded {
            report(piece.index, Some(piece), "from here on nothing proves that the pairs are whole".into());
        }
    }
    let delivered = capture.delivered(smi).map(|delivered| end + u64::from(delivered.wrapping_sub(end as u32)));
    let is_open = integrity.pieces[smi].last().is_some_and(|piece| !piece.guarded);
    if let Some(total) = delivered.or(summed).filter(|total| *total > end && !is_open) {
        report(end, None, format!("{} pair(s) are lost from the end", total - end));
    }
}

/// Words of the MMI, with neither sums nor streams beside them, that are no pair of an SMI of the machine.
fn misfits(capture: &Capture, integrity: &mut Integrity) -> Result<(), CaptureError> {
    let (path, mut mmi, mut count) = (capture.mmi_path(), capture.mmi()?, 0);
    let mut stamp: Option<(u64, u32)> = None;
    let mut report = |offset: u64, what: String| {
        count += 1;
        if count <= MISFITS {
            integrity.damage.push(Damage { path: path.clone(), offset, what });
        }
    };
    loop {
        let offset = mmi.offset();
        let Some(word) = mmi.next().transpose()? else { break };
        match stamp.take() {
            Some((_, stamp)) if stamp >> 16 == word >> 16 => {
                if !capture.smis().contains(&((word >> 16) as usize)) {
                    report(offset - 4, format!("SMI {} is none of the machine", word >> 16));
                }
            }
            None => stamp = Some((offset, word)),
            Some((place, first)) => {
                report(place, format!("the word {first:#x} of SMI {} has no second one", first >> 16));
                stamp = Some((offset, word));
            }
        }
    }
    if count > MISFITS {
        report_more(integrity, &path, count - MISFITS);
    }
    integrity.torn.extend(mmi.torn().cloned());
    Ok(())
}

fn report_more(integrity: &mut Integrity, path: &Path, count: usize) {
    let what = format!("{count} more words like these");
    integrity.damage.push(Damage { path: path.into(), offset: 0, what });
}

/// A part of a file that is not as it was written.
struct Bad {
    written: u64,
    at: u64,
    /// Bytes that were written, and that are there now.
    expected: u64,
    found: u64,
}

/// What lies between the good parts of a file, of which the first `agreed` bytes are good at any rate.
fn bad(capture: &Capture, path: &Path, checked: &Checked, agreed: u64) -> Result<Vec<Bad>, CaptureError> {
    let size = size(capture, path)?;
    let end = Good { written: checked.written, at: size, bytes: 0, before: Vec::new(), after: Vec::new() };
    let mut parts = Vec::new();
    let (mut written, mut at) = (agreed, agreed);
    for good in checked.good.iter().chain([&end]) {
        if good.written + good.bytes < written {
            continue;
        }
        let (expected, found) = (good.written.saturating_sub(written), good.at.saturating_sub(at));
        if expected > 0 || found > 0 {
            parts.push(Bad { written, at, expected, found });
        }
        (written, at) = ((good.written + good.bytes).max(written), (good.at + good.bytes).max(at));
    }
    Ok(parts)
}

/// Adds the bad parts of a file to the account.
fn blame(
    capture: &Capture,
    smi: Option<usize>,
    path: &Path,
    parts: &[Bad],
    integrity: &mut Integrity,
) -> Result<(), CaptureError> {
    let mut listed = 0;
    for part in parts {
        let Bad { written, at, expected, found } = *part;
        let mut places = Vec::new();
        if let (Some(smi), true) = (smi, expected == found && expected <= REFINED && listed < MISFITS) {
            places = differing(capture, smi, written / 4, at, expected / 4, integrity)?;
        }
        // A line for every word of a file would be longer than the file, and nobody reads it.
        if places.len() > MISFITS - listed.min(MISFITS) {
            let more = places.split_off(MISFITS - listed);
            places.push((more[0].0, format!("here and behind it {} more words that differ", more.len())));
        }
        listed += places.len();
        if places.is_empty() {
            places.push(match (expected, found) {
                (expected, 0) => (at, format!("{expected} byte(s) are missing here")),
                (0, found) if !capture.record.complete => (at, format!("{found} byte(s) that no sum covers")),
                (0, found) => (at, format!("{found} byte(s) too many")),
                (_, found) if found == size(capture, path)? => {
                    (at, format!("nothing is as it was written, or {} is another machine", capture.record.machine.name))
                }
                _ => (at, format!("{found} byte(s) that are not the {expected} that were written")),
            });
        }
        for (offset, what) in places {
            match integrity.damage.iter_mut().find(|damage| damage.offset == offset && damage.path == path) {
                Some(known) => known.what = format!("{}; {what}", known.what),
                None => integrity.damage.push(Damage { path: path.into(), offset, what }),
            }
        }
    }
    Ok(())
}

/// Where `count` pairs of a stream file, from byte `at` on, differ from what is proven to have been
/// there, from pair `from` on. None if all is known to be right, or nothing is known.
fn differing(
    capture: &Capture,
    smi: usize,
    from: u64,
    at: u64,
    count: u64,
    integrity: &Integrity,
) -> Result<Vec<(u64, String)>, CaptureError> {
    let read = |piece: Piece| -> Result<Vec<u32>, CaptureError> {
        let (mut words, mut source) =
            (Vec::new(), Pieces::new(capture, smi, &[Piece { missing: Some(0), guarded: true, ..piece }]));
        while let Next::Pairs(pairs) = source.peek(count as usize)? {
            words.extend_from_slice(pairs);
            let taken = pairs.len();
            source.consume(taken);
        }
        Ok(words)
    };
    let own =
        Piece { copy: Copy::Stream, offset: at, skip: 0, index: from, pairs: count, missing: Some(0), guarded: true };
    let own = read(own)?;
    let mut places: Vec<(u64, String)> = Vec::new();
    for piece in integrity.pieces[smi].iter().filter(|piece| piece.guarded) {
        let (first, end) = (piece.index.max(from), (piece.index.saturating_add(piece.pairs)).min(from + count));
        if first >= end {
            continue;
        }
        let skip = piece.skip + first - piece.index;
        let truth = read(Piece { skip, index: first, pairs: end - first, ..piece.clone() })?;
        for (place, &pair) in truth.iter().enumerate() {
            let place = first - from + place as u64;
            if let Some(&found) = own.get(place as usize).filter(|found| **found != pair) {
                places.push((at + 4 * place, format!("{} there, {} was written", shown(found), shown(pair))));
            }
        }
    }
    Ok(places)
}
