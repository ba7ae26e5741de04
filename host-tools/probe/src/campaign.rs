//! A measurement from its first part that is not done to its last.

use std::collections::BTreeSet;

use crate::plan::{PartName, Plan};
use crate::record::{Record, RecordError};
use crate::tally::Tally;

/// What has become of a part.
#[derive(Debug)]
pub enum Made<E> {
    Done(Tally),
    /// The peer does not answer, or stops doing so: its other parts are left out, and the next peer follows.
    Unanswered(E),
    /// The time given is over, or somebody wants an end.
    Stop,
}

/// How far a measurement has come.
#[derive(Debug)]
pub struct Outcome<E> {
    /// Parts that are not done.
    pub missing: usize,
    /// Peers that did not answer, and why.
    pub unanswered: Vec<(String, E)>,
}

/// Makes all parts that are not done, in order, and keeps each in the record.
///
/// # Errors
/// The record can't be written; what was done before is in it.
pub fn run<E>(
    record: &mut Record,
    mut measure: impl FnMut(&Plan, &PartName) -> Made<E>,
) -> Result<Outcome<E>, RecordError> {
    let plan = record.plan().clone();
    let done: BTreeSet<PartName> = record.done().iter().map(|line| line.part.clone()).collect();
    let mut outcome = Outcome { missing: 0, unanswered: Vec::new() };
    let mut stopped = false;
    for part in plan.parts().into_iter().filter(|part| !done.contains(part)) {
        if stopped || outcome.unanswered.iter().any(|(host, _)| *host == part.host) {
            outcome.missing += 1;
            continue;
        }
        match measure(&plan, &part) {
            Made::Done(tally) => record.add(part, tally)?,
            Made::Unanswered(why) => {
                outcome.unanswered.push((part.host, why));
                outcome.missing += 1;
            }
            Made::Stop => {
                stopped = true;
                outcome.missing += 1;
            }
        }
    }
    Ok(outcome)
}
