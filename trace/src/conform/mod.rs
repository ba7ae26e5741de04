//! Whether a run's ordered events are what the protocols allow: the report's Figures 5 to 8 (local
//! communication, remote communication, migration, remote pages), with what `docs/protocols.md`
//! adds (adverts, refusals, alternatives, tokens that follow, calls made again).
//!
//! | of | checked | where |
//! |---|---|---|
//! | each processor | a service that has begun ends as its kind may end, and nothing ends that has not begun | `service` |
//! | each thread | it is in one place; what happens to it is possible in the state that it is in | `thread` |
//! | each pair of processors | what is served was sent, once and in order; nothing sent is skipped | `packets` |
//! | each channel | no *rtr* without token, no *msg* without *rtr*, no release without either; both ends count the same | `channel` |
//!
//! An event has neither the process of a message's channel nor, without class `detail`, the channel
//! of a request. Where that leaves several possibilities, the trace conforms if one of them does.
//! What the trace is too poor to say is listed as not checked: the master has no monitor, and after
//! a loss nothing is known of a processor's threads and messages.
//!
//! A run conforms if it came to its end, the capture holds all that the hardware counted, and no
//! thread is left waiting; otherwise it is *incomplete*, or, where the event classes do not
//! suffice, there is *no verdict* ([`Verdict`]).

mod channel;
mod checker;
mod conformance;
pub(crate) mod packets;
pub(crate) mod service;
pub(crate) mod steps;
pub(crate) mod thread;

pub use checker::Checker;
pub(crate) use conformance::DEVIATIONS_MAX;
pub use conformance::{Conformance, Deviation, Verdict, Waiting};

use crate::capture::{verify, Capture, CaptureError, Integrity, RunRecord, Stop};
use crate::order::{events, Convention, Next, Pairs};
use testbed_definitions::event::{DIAG_DETAIL, DIAG_PROFILE};

/// Checks a capture.
///
/// # Errors
/// It can't be read. Damage and losses are no error: they make it incomplete.
pub fn conform(capture: &Capture) -> Result<Conformance, CaptureError> {
    let record = &capture.record;
    let integrity = verify(capture)?;
    let detail = record.dgl & DIAG_DETAIL != 0;
    let mut checker = Checker::new(&record.machine.processors, detail);
    if let Some(why) = lacking_classes(record.dgl) {
        return Ok(Conformance { no_verdict: Some(why), ..checker.finish(None) });
    }
    if !detail {
        checker.note("channels of requests, and whether both ends communicate equally often: class detail is missing");
    }
    for damage in &integrity.damage {
        checker.note(format!("{damage}"));
    }
    let missing = missing(capture, &integrity)?;
    // What its partners did looks wrong without it, and no event says from where on it is missing.
    missing.iter().filter(|(smi, ..)| !has_hole(&integrity, *smi)).for_each(|(smi, ..)| checker.lose_after(*smi as u8));
    for event in events(capture, &integrity)? {
        checker.add(&event?);
    }
    let tenth = u64::from(record.machine.clock_hz) / u64::from(record.machine.tick_cycles) / 10;
    let end = (record.complete && !record.is_attached()).then(|| record.cycles / u64::from(record.machine.tick_cycles));
    let mut found = checker.finish(end.map(|end| end.saturating_sub(tenth.max(1))));
    found.incomplete = incomplete(record, &missing, &found);
    found.no_verdict = filtered(record, &found);
    Ok(found)
}

/// Why events of these classes say nothing of the protocols.
fn lacking_classes(dgl: u32) -> Option<String> {
    let instead = match Convention::of(dgl) {
        Convention::Ready => ", since ready excludes it",
        Convention::Profile if dgl & DIAG_PROFILE == 0 => "",
        Convention::Profile => return None,
    };
    Some(format!("the event class profile is missing{instead}; run again with --dgl profile+timer+user+detail"))
}

/// What the monitors' filter takes out can look like a deviation.
fn filtered(record: &RunRecord, found: &Conformance) -> Option<String> {
    let words: u64 = record.ledger.iter().flat_map(|ledger| &ledger.smis).map(|line| u64::from(line.filtered)).sum();
    (words > 0 && !found.deviations.is_empty()).then(|| {
        format!(
            "the monitors' filter took out {words} words, which may be all that is wrong; run again without --filter"
        )
    })
}

/// Why this is not the whole of a run that came to its end.
fn incomplete(record: &RunRecord, missing: &[Missing], found: &Conformance) -> Vec<String> {
    let mut why = Vec::new();
    match record.stopped {
        _ if record.is_attached() => why.push("it was looked at through a port, so nobody saw the run's end".into()),
        _ if !record.complete => why.push("the run was killed: this is a prefix of it".into()),
        Some(Stop::Limit) => {
            why.push(format!("the run was cut in cycle {}, before its program had ended", record.cycles));
        }
        Some(Stop::User) => {
            why.push(format!("the run was ended by its user in cycle {}, before its program had ended", record.cycles));
        }
        _ => {}
    }
    why.extend(missing.iter().map(|&(smi, delivered, missing)| {
        let name = record.machine.processors.get(smi).map_or("?", String::as_str);
        format!("{name}: of the {delivered} pairs that the hardware counted as delivered {missing} are missing here")
    }));
    if found.discarded > 0 {
        why.push(format!("{} events were discarded by full queues", found.discarded));
    }
    why
}

/// An SMI of which the capture lacks pairs: how many the hardware counted as delivered, and how many are missing.
type Missing = (usize, u32, u32);

fn missing(capture: &Capture, integrity: &Integrity) -> Result<Vec<Missing>, CaptureError> {
    // The hardware counts a pair when its time-stamp leaves, and a cut may come between that and the datum.
    let half = u32::from(!matches!(capture.record.stopped, Some(Stop::Exit)));
    let mut found = Vec::new();
    for smi in capture.smis() {
        let Some(delivered) = capture.delivered(smi) else { continue };
        let missing = delivered.wrapping_sub(held(capture, integrity, smi)? as u32);
        // More than were delivered is damage, but nothing that is missing.
        if (missing as i32) > half as i32 {
            found.push((smi, delivered, missing));
        }
    }
    Ok(found)
}

/// Whether a hole in an SMI's stream tells where pairs are missing.
fn has_hole(integrity: &Integrity, smi: usize) -> bool {
    integrity.pieces.get(smi).is_some_and(|pieces| pieces.iter().any(|piece| piece.missing != Some(0)))
}

/// Pairs of an SMI that the capture still holds.
fn held(capture: &Capture, integrity: &Integrity, smi: usize) -> Result<u64, CaptureError> {
    let pieces = integrity.pieces.get(smi).map_or(&[][..], |pieces| &pieces[..]);
    let known = pieces.iter().try_fold(0u64, |sum, piece| sum.checked_add(piece.pairs));
    if let Some(known) = known.filter(|_| pieces.iter().all(|piece| piece.pairs != u64::MAX)) {
        return Ok(known);
    }
    // The last piece goes on to wherever its file ends.
    let (mut pairs, mut count) = (integrity.pairs(capture, smi), 0);
    loop {
        let taken = match pairs.peek(4_096)? {
            Next::End => return Ok(count),
            Next::Pairs(words) => words.len(),
            Next::Hole(_) | Next::Unguarded => 0,
        };
        count += taken as u64;
        pairs.consume(taken);
    }
}
