//! What one run's trace shows of the report's protocols: read once, in order, from events that are all certain.

use testbed_definitions::event;
use testbed_trace::analysis::fact::{Doing, Episode, Fact, On, Waited};
use testbed_trace::analysis::follow::Follower;
use testbed_trace::analysis::probe::Probe;
use testbed_trace::analysis::protocol::Protocol;
use testbed_trace::capture::{verify, Capture, CaptureError, RunRecord};
use testbed_trace::order::events;

use crate::load::{Collector, Load};

/// Why a run gives no figures.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error("{dir}: {what}, so its figures would be of another run than it says\n  help: remove the folder and run the experiment again")]
    Unsound { dir: String, what: String },
    #[error("{dir}: the trace shows {found} communications of `{program}`, which makes {expected}\n  help: the run was cut short or is of another program; remove the folder and run the experiment again")]
    Count { dir: String, program: String, found: usize, expected: usize },
    #[error("{dir}: the run is of `{program}`; `{query}` is asked of `{wanted}`\n  help: `testbed run {wanted} --dgl profile+timer+user+detail` makes a run for it")]
    Program { dir: String, query: &'static str, program: String, wanted: &'static str },
    #[error("{dir}: {what} is not in the trace\n  help: run the program again with --dgl profile+timer+user+detail")]
    Nothing { dir: String, what: &'static str },
}

/// A request to send, from its call to where the sender is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// The sender's number ([`event::thread_number`]).
    pub thread: u16,
    pub channel: u8,
    /// When it called, was ready again, and ran again; machine cycles.
    pub called: u64,
    pub ready: u64,
    pub runs: u64,
}

/// The length of a ready queue from a cycle on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    pub processor: u8,
    pub cycle: u64,
    pub length: u32,
}

/// One run.
#[derive(Clone, Debug)]
pub struct Observed {
    pub dir: String,
    pub record: RunRecord,
    pub events: u64,
    /// In the order in which they ended.
    pub episodes: Vec<Episode>,
    /// In the order in which they were met.
    pub sends: Vec<Send>,
    pub lengths: Vec<Length>,
    /// By processor: services of timer interrupts, from and to a cycle.
    pub timers: Vec<Vec<(u64, u64)>>,
    pub load: Load,
}

impl Observed {
    /// Reads a run.
    ///
    /// # Errors
    /// It can't be read; or it did not come to its end, has lost events, is damaged, or shows what
    /// the protocols don't allow: figures are made of whole traces only.
    pub fn read(capture: &Capture) -> Result<Self, ObserveError> {
        let record = &capture.record;
        let dir = capture.dir.display().to_string();
        let unsound = |what: String| Err(ObserveError::Unsound { dir: dir.clone(), what });
        if !record.complete {
            return unsound("the run did not come to its end".into());
        }
        let integrity = verify(capture)?;
        if let Some(damage) = integrity.damage.first() {
            return unsound(format!("the capture is damaged ({damage})"));
        }
        if let Some(torn) = integrity.torn.first() {
            return unsound(format!("the capture is torn ({torn})"));
        }
        let mut observed = Observed {
            dir: dir.clone(),
            record: record.clone(),
            events: 0,
            episodes: Vec::new(),
            sends: Vec::new(),
            lengths: Vec::new(),
            timers: vec![Vec::new(); record.machine.processors.len()],
            load: Load::default(),
        };
        let mut load = Collector::default();
        let mut take = |observed: &mut Observed, fact: &Fact| {
            load.take(fact);
            observed.take(fact);
        };
        let mut follower = Follower::new(record, Probe::measure(capture)?);
        for event in events(capture, &integrity)? {
            observed.events += 1;
            follower.add(&event?, &mut |fact| take(&mut observed, fact));
        }
        let uncertainty = follower.finish(record.cycles, &mut |fact| take(&mut observed, fact));
        observed.load = load.finish();
        for (count, what) in [
            (uncertainty.ambiguous, "events of uncertain time"),
            (uncertainty.doubtful, "doubtful events"),
            (uncertainty.gaps, "places where events were lost"),
            (uncertainty.deviations, "events that the protocols don't allow"),
        ] {
            if count > 0 {
                return unsound(format!("the trace has {count} {what}"));
            }
        }
        Ok(observed)
    }

    fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::Episode(episode) => self.episodes.push(episode.clone()),
            Fact::Wait(wait) => {
                if let (Waited::Communication(_, On::Send(channel)), Some(ready)) = (wait.what, wait.ready) {
                    let (called, ready, runs) = (wait.begun.cycle, ready.cycle, wait.runs.cycle);
                    self.sends.push(Send { thread: wait.thread, channel, called, ready, runs });
                }
            }
            Fact::Queue { processor, cycle, length, .. } => {
                let (processor, cycle, length) = (*processor, *cycle, length.unwrap_or(0));
                self.lengths.push(Length { processor, cycle, length });
            }
            Fact::Processor { processor, doing: Doing::Timer, from, to } => {
                self.timers[*processor as usize].push((*from, *to));
            }
            _ => {}
        }
    }

    /// Episodes whose threads, both, are of one process.
    pub fn episodes_of(&self, protocol: Protocol, process: u16) -> impl Iterator<Item = &Episode> + Clone {
        let is_of = move |thread: u16| process_of(thread) == process;
        self.episodes
            .iter()
            .filter(move |episode| episode.protocol == protocol && is_of(episode.threads.0) && is_of(episode.threads.1))
    }

    /// Cycles of `processor` that went to timer interrupts between two cycles.
    pub fn timer_cycles(&self, processor: u8, from: u64, to: u64) -> u64 {
        let timers = &self.timers[processor as usize];
        let first = timers.partition_point(|timer| timer.1 <= from);
        timers[first..].iter().take_while(|timer| timer.0 < to).map(|timer| timer.1.min(to) - timer.0.max(from)).sum()
    }
}

/// Bits of a thread's number that are its id in its process.
const ID_MASK: u16 = event::thread_number(0, 0, 0x3f);

/// The process of a thread, as the number that a thread 0 would have in it.
pub const fn process_of(thread: u16) -> u16 {
    thread & !ID_MASK
}

/// A thread's id in its process.
pub const fn id_of(thread: u16) -> u16 {
    thread & ID_MASK
}
