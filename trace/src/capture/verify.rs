//! Whether a capture is whole: both copies of every pair agree, and their number is what the
//! hardware counted. Of one that is not: what of it is proven all the same, and an account of the
//! rest.

use std::io::ErrorKind;

use super::error::Context;
use super::holes::Holes;
use super::integrity::{Agreement, Damage, Integrity};
use super::pieces::{Copy, Piece};
use super::repair::repair;
use super::{ctf, Capture, CaptureError, MmiReader, PairReader, METADATA};

/// Compares `mmi.raw` with the stream files, and both with the counters in `run.json`; looks at the
/// metadata. Where they disagree, their sums say which blocks are as they were written. Where pairs
/// were lost before they came here, there are holes. Streams; holds no trace in memory.
///
/// # Errors
/// A file is missing or can't be read. Damage is no error: it is what is asked for.
pub fn verify(capture: &Capture) -> Result<Integrity, CaptureError> {
    let count = capture.record.machine.processors.len();
    let mut integrity = Integrity { proven: vec![0; count], pieces: vec![Vec::new(); count], ..Integrity::default() };
    let mut agreements = vec![Agreement::default(); count];
    let holes = Holes::of(capture)?;
    if capture.has_streams() {
        integrity.damage.extend(metadata(capture)?);
    }
    if capture.has_streams() && capture.has_mmi() {
        agree(capture, &mut agreements, &mut integrity)?;
    }
    if capture.smis().all(|smi| agreements[smi].is_proven) {
        for smi in capture.smis() {
            let pairs = agreements[smi].pairs;
            integrity.proven[smi] = pairs;
            integrity.pieces[smi] = vec![Piece {
                copy: Copy::Stream,
                offset: 0,
                skip: 0,
                index: 0,
                pairs,
                missing: Some(0),
                guarded: true,
            }];
        }
    } else {
        repair(capture, &agreements, &holes, &mut integrity)?;
    }
    holes.apply(&mut integrity);
    Ok(integrity)
}

/// Compares both copies of every stream.
fn agree(capture: &Capture, agreements: &mut [Agreement], integrity: &mut Integrity) -> Result<(), CaptureError> {
    let mut readers = vec![None];
    for smi in capture.smis() {
        readers.push(or_missing(capture.pairs(smi), integrity)?);
    }
    let half = demultiplex(capture, &mut readers, agreements, integrity)?;
    for smi in capture.smis() {
        if let Some(reader) = readers[smi].take() {
            let is_all = finish(capture, smi, reader, half == Some(smi), agreements[smi].pairs, integrity)?;
            agreements[smi].is_all = is_all;
            agreements[smi].is_proven = is_all && capture.delivered(smi).is_some();
        }
    }
    Ok(())
}

/// Without its metadata the trace can't be read by other tools.
fn metadata(capture: &Capture) -> Result<Option<Damage>, CaptureError> {
    let path = capture.trace_path().join(METADATA);
    let record = &capture.record;
    let what = match capture.files.bytes(&path, ctf::METADATA_BYTES) {
        Ok(text) if ctf::is_of_run(&String::from_utf8_lossy(&text), &(&record.machine).into(), record.dgl) => {
            return Ok(None);
        }
        Ok(_) => "not what the run wrote",
        Err(error) if error.kind() == ErrorKind::FileTooLarge => "not what the run wrote",
        Err(error) if error.kind() == ErrorKind::NotFound => "the file is missing, so other tools can't read the trace",
        Err(error) => return Err(error).at("read", &path),
    };
    Ok(Some(Damage { path, offset: 0, what: what.into() }))
}

/// A file that is not there is damage, since the other copy may hold what it held.
fn or_missing<T>(opened: Result<T, CaptureError>, integrity: &mut Integrity) -> Result<Option<T>, CaptureError> {
    match opened {
        Err(CaptureError::Io { path, source, .. }) if source.kind() == ErrorKind::NotFound => {
            integrity.damage.push(Damage { path, offset: 0, what: "the file is missing".into() });
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// Walks through `mmi.raw`; a stream that disagrees is dropped from `readers`. Returns the SMI of
/// which only a time-stamp came at the end: a machine may be stopped between the two words of a
/// pair.
fn demultiplex(
    capture: &Capture,
    readers: &mut [Option<PairReader>],
    agreements: &mut [Agreement],
    integrity: &mut Integrity,
) -> Result<Option<usize>, CaptureError> {
    let Some(mut mmi) = or_missing(capture.mmi(), integrity)? else {
        readers.fill_with(|| None);
        return Ok(None);
    };
    loop {
        agree_quickly(&mut mmi, readers, agreements)?;
        let offset = mmi.offset();
        let Some(next) = mmi.next_pair() else { break };
        let (smi, pair) = match next? {
            Ok((smi, pair)) if capture.smis().contains(&smi) => (smi, pair),
            other => {
                let what = other.map_or_else(|what| what, |(smi, _)| format!("SMI {smi} is none of the machine"));
                integrity.damage.push(Damage { path: capture.mmi_path(), offset, what });
                // Nothing after this place can be trusted to be in step.
                readers.fill_with(|| None);
                break;
            }
        };
        let Some(reader) = &mut readers[smi] else { continue };
        let at = reader.offset();
        match reader.next().transpose()? {
            Some(own) if own == pair => agreements[smi].pairs += 1,
            // The streams are written after mmi.raw: a run that was killed may lack some.
            None if !capture.record.complete => {}
            other => {
                let have = other.map_or("the file ends".into(), |pair| format!("the pair {:#010x}", pair.pack()));
                let what = format!("{have}, where mmi.raw has {:#010x} at byte {offset}", pair.pack());
                integrity.damage.push(Damage { path: capture.stream_path(smi), offset: at, what });
                readers[smi] = None;
            }
        }
    }
    if let Some(torn) = mmi.torn() {
        integrity.torn.push(torn.clone());
    }
    Ok(mmi.half().map(|stamp| stamp.smi as usize))
}

/// Passes as many pairs as agree without looking into why the next does not.
fn agree_quickly(
    mmi: &mut MmiReader,
    readers: &mut [Option<PairReader>],
    agreements: &mut [Agreement],
) -> Result<(), CaptureError> {
    loop {
        let words = mmi.peek()?;
        let mut passed = 0;
        for two in words.chunks_exact(2) {
            let smi = (two[0] >> 16) as usize;
            let is_pair = two[0] >> 16 == two[1] >> 16;
            let pair = two[0] & 0xffff | two[1] << 16;
            let agrees = match readers.get_mut(smi) {
                Some(Some(reader)) => is_pair && reader.pass(pair)?,
                _ => false,
            };
            if !agrees {
                break;
            }
            agreements[smi].pairs += 1;
            passed += 2;
        }
        let all = passed == words.len() && passed > 0;
        mmi.consume(passed);
        if !all {
            return Ok(());
        }
    }
}

/// The end of a stream that agreed so far: nothing may follow, and the hardware's count must be
/// met. Returns whether that is so.
fn finish(
    capture: &Capture,
    smi: usize,
    mut reader: PairReader,
    half: bool,
    proven: u64,
    integrity: &mut Integrity,
) -> Result<bool, CaptureError> {
    let offset = reader.offset();
    let before = integrity.damage.len();
    let mut damage = |what| integrity.damage.push(Damage { path: capture.stream_path(smi), offset, what });
    if reader.next().transpose()?.is_some() {
        damage("there are more pairs than in mmi.raw".into());
    }
    if let Some(delivered) = capture.delivered(smi) {
        // The hardware counts a pair when its time-stamp leaves.
        if proven as u32 != delivered && !(half && proven as u32 + 1 == delivered) {
            let what = format!("the file ends after {proven} pairs, the hardware delivered {delivered}");
            damage(what);
        }
    }
    let is_all = integrity.damage.len() == before;
    if let Some(torn) = reader.torn() {
        integrity.torn.push(torn.clone());
    }
    Ok(is_all)
}
