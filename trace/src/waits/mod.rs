//! Who waits for whom when a run was stopped, and who can never go on.
//!
//! What every thread does comes from the processors' RAM in the run's last cycle ([`Snapshot`]),
//! which is exact; since when, and after which communication, comes from the trace ([`Evidence`]),
//! and is left out where that does not tell. [`Graph`] finds who waits in vain. Without a snapshot
//! (a board, a run that was killed) only what the trace shows is listed, and nobody is said to be
//! in a deadlock.

mod evidence;
mod graph;
mod snapshot;
mod text;

use serde::{Deserialize, Serialize};

use crate::capture::{Capture, CaptureError, Integrity, RunRecord};
use crate::conform::thread::Happening;
use crate::order::events;
use crate::summary::{processor_name, thread_name};

pub use evidence::{Evidence, Faults, Life, Mark};
pub use graph::{Fate, Graph, Partner, Passing, Wait};
pub use snapshot::{Channel, Input, Place, Process, Receiver, Sender, Snapshot, State, Thread, Token};
pub use text::text;

/// What becomes of a run that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The program is over: nobody waits.
    Over,
    /// No thread of any process can ever go on.
    Deadlock,
    /// Some threads can never go on, or only if an ended thread's id is used again; others may.
    Partial,
    /// Every thread may go on.
    GoesOn,
    /// Nobody knows: what the threads did was not looked at.
    Untold,
}

/// A thread that had not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    pub number: u16,
    /// Home and place of its process, and its id: `earth.1.2`.
    pub name: String,
    /// The file that its process runs.
    pub program: Option<String>,
    pub processor: String,
    pub wait: Wait,
    pub fate: Fate,
    pub pc: u32,
    pub places: Vec<Place>,
    /// The event that blocked it.
    pub since: Option<Mark>,
    /// Otherwise its last event, if there is one.
    pub seen: Option<Mark>,
    /// The last communication on the channel for which it waits; or, if the trace does not tell
    /// channels, its last one on any.
    pub communication: Option<(Mark, Option<u8>)>,
    /// Communications that there have been on that channel.
    pub communications: Option<u32>,
    /// Partners that have ended, and when.
    pub ended: Vec<(u16, Mark)>,
    /// The page that it needs over and over without getting on.
    pub faults: Option<Faults>,
}

/// Who waited for whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitsReport {
    pub verdict: Verdict,
    /// The machine cycle in which the threads were looked at.
    pub cycle: u64,
    pub clock_hz: u32,
    /// Names by number.
    pub processors: Vec<String>,
    /// By process and number.
    pub threads: Vec<Waiting>,
    /// Circles of threads that wait for each other, as indices of `threads`.
    pub circles: Vec<Vec<usize>>,
    pub input: Input,
    /// What is not known, and why.
    pub unknown: Vec<String>,
}

/// Says who waited for whom at the end of a run.
///
/// # Errors
/// The capture can't be read.
pub fn waits(capture: &Capture, integrity: &Integrity) -> Result<WaitsReport, CaptureError> {
    waits_with(capture, integrity, Snapshot::read(capture)?.as_ref())
}

/// The same of a machine that stands still, which may go on: by what was seen there just now.
///
/// # Errors
/// As [`waits`].
pub fn waits_with(
    capture: &Capture,
    integrity: &Integrity,
    snapshot: Option<&Snapshot>,
) -> Result<WaitsReport, CaptureError> {
    let record = &capture.record;
    if !record.exits.is_empty() {
        return Ok(empty(record, Verdict::Over));
    }
    let mut evidence = Evidence::new(record);
    if Evidence::is_recorded(record) {
        for event in events(capture, integrity)? {
            evidence.add(&event?);
        }
    }
    let mut report = match snapshot {
        Some(snapshot) => look(record, snapshot, &evidence),
        None => untold(record, &evidence),
    };
    report.unknown.extend(unknown(record, &evidence));
    report.unknown.extend(integrity.damage.iter().map(ToString::to_string));
    Ok(report)
}

fn empty(record: &RunRecord, verdict: Verdict) -> WaitsReport {
    WaitsReport {
        verdict,
        cycle: record.cycles,
        clock_hz: record.machine.clock_hz,
        processors: record.machine.processors.clone(),
        threads: Vec::new(),
        circles: Vec::new(),
        input: Input::Nobody,
        unknown: Vec::new(),
    }
}

/// What a snapshot and a trace say together.
pub fn look(record: &RunRecord, snapshot: &Snapshot, evidence: &Evidence) -> WaitsReport {
    let graph = Graph::new(snapshot);
    let waiting = |index: usize| {
        let thread = &snapshot.threads[index];
        let home = snapshot.processes.iter().find(|process| process.id == thread.process);
        let wait = graph.waits[index].clone();
        let mut waiting = Waiting {
            number: thread.number,
            name: thread_name(thread.number, record),
            program: home.and_then(|home| home.name.clone()),
            processor: processor_name(thread.processor, record),
            fate: graph.fates[index],
            pc: thread.pc,
            places: thread.places.clone(),
            since: None,
            seen: None,
            communication: None,
            communications: None,
            ended: Vec::new(),
            faults: None,
            wait,
        };
        prove(&mut waiting, thread, snapshot, evidence);
        waiting
    };
    let threads: Vec<Waiting> = (0..snapshot.threads.len()).map(waiting).collect();
    let held = graph.fates.iter().filter(|fate| **fate == Fate::Held).count();
    let moves = graph.fates.contains(&Fate::GoesOn) || !snapshot.unreadable.is_empty() || graph.has_missing();
    let verdict = match (threads.len(), held) {
        (0, _) => Verdict::Untold,
        (all, held) if all == held && !moves => Verdict::Deadlock,
        _ if graph.fates.iter().any(|fate| *fate != Fate::GoesOn) => Verdict::Partial,
        _ => Verdict::GoesOn,
    };
    let unreadable = snapshot
        .unreadable
        .iter()
        .map(|(processor, why)| format!("what the threads on {} did: {why}", processor_name(*processor, record)));
    WaitsReport {
        cycle: snapshot.cycle,
        threads,
        circles: graph.circles(),
        input: snapshot.input,
        unknown: unreadable.collect(),
        ..empty(record, verdict)
    }
}

/// Adds what the trace says of a thread.
fn prove(waiting: &mut Waiting, thread: &Thread, snapshot: &Snapshot, evidence: &Evidence) {
    if let Wait::Partner { channels, .. } = &waiting.wait {
        waiting.communications = channels.first().filter(|_| channels.len() == 1).and_then(|(channel, _)| {
            let views = snapshot.channels.iter();
            let mine = views.filter(|view| view.process == thread.process && view.channel == *channel);
            mine.map(|view| view.sent.max(view.received)).max()
        });
        let ended = channels.iter().filter_map(|(_, partner)| match partner {
            Partner::Ended(number) => Some((*number, evidence.of(*number)?.ended.clone()?)),
            _ => None,
        });
        waiting.ended = ended.collect();
    }
    let Some(life) = evidence.of(waiting.number) else { return };
    waiting.since = blocks(&waiting.wait).iter().find_map(|happening| life.blocked_by(*happening)).cloned();
    waiting.seen = life.last.clone().filter(|_| waiting.since.is_none() && !life.lost);
    waiting.faults = life.live_lock(snapshot.cycle).filter(|_| waiting.fate == Fate::GoesOn).cloned();
    if let (Wait::Partner { channels, .. }, Some(1..)) = (&waiting.wait, waiting.communications) {
        let known =
            channels.iter().find_map(|(channel, _)| Some((life.channels.get(channel)?.clone(), Some(*channel))));
        // A channel that is known to be another's is not the last on this one.
        let any = || life.communication.clone().filter(|(_, channel)| channel.is_none());
        waiting.communication = known.or_else(any);
    }
}

/// What the trace says of a thread when such a wait begins.
fn blocks(wait: &Wait) -> &'static [Happening] {
    match wait {
        Wait::Partner { .. } | Wait::Nothing(Passing::Transfer { .. }) => &[Happening::Blocks],
        Wait::Nothing(Passing::Time { channels, .. }) if !channels.is_empty() => &[Happening::Blocks],
        Wait::Nothing(Passing::Page(_)) => &[Happening::PageBlocks],
        Wait::Children { ends: false, .. } => &[Happening::Waits],
        Wait::Children { .. } | Wait::Process(_) => &[Happening::Calls],
        Wait::Nothing(Passing::Time { .. } | Passing::Input | Passing::Answer) => &[Happening::Calls],
        Wait::Nothing(Passing::Group) => &[Happening::Synchronizes, Happening::Calls],
        Wait::Resumption | Wait::Nothing(Passing::Runs | Passing::Unclear) => &[],
    }
}

/// What a trace alone shows.
fn untold(record: &RunRecord, evidence: &Evidence) -> WaitsReport {
    let waiting = |number: u16| {
        let life = evidence.of(number)?;
        let since = life.blocked()?.clone();
        let wait = match evidence.request_of(number) {
            Some(request) if since.name == "TRAP70" && !request.alternative => {
                Wait::Partner { sends: !request.receive, channels: vec![(request.channel, Partner::Anybody)] }
            }
            _ => Wait::Nothing(Passing::Unclear),
        };
        Some(Waiting {
            number,
            name: thread_name(number, record),
            program: None,
            processor: processor_name(life.at(), record),
            wait,
            fate: Fate::GoesOn,
            pc: 0,
            places: Vec::new(),
            since: Some(since),
            seen: None,
            communication: life.communication.clone(),
            communications: None,
            ended: Vec::new(),
            faults: None,
        })
    };
    WaitsReport {
        threads: evidence.threads().into_iter().filter_map(waiting).collect(),
        ..empty(record, Verdict::Untold)
    }
}

fn unknown(record: &RunRecord, evidence: &Evidence) -> Vec<String> {
    let mut unknown = Vec::new();
    if !Evidence::is_recorded(record) {
        unknown
            .push("since when threads wait: the run did not record class `profile`; add --dgl profile+detail".into());
    }
    unknown.extend(evidence.gaps.iter().map(|(why, count)| format!("what threads did before, {count} times: {why}")));
    unknown
}
