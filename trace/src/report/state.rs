//! How far a run is, and what each processor does, for a page to show.

use serde::Serialize;

use super::Move;
use crate::analysis::fact::Doing;
use crate::summary::thread_text;
use crate::watch::{LinkView, ProcessorView, View};

/// A run at a moment. Rates are per second of machine time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct State {
    pub cycle: u64,
    /// Why it has stopped: `exit`, `limit`, `user`, `full`, of a run elsewhere `over`; `None` while
    /// it can go on.
    pub stopped: Option<&'static str>,
    pub exits: Vec<(String, u64, u32)>,
    /// Bytes of input that the machine has not taken.
    pub input_waiting: usize,
    /// Instructions retired, by processor; nothing of a run elsewhere.
    pub instructions: Vec<u64>,
    pub events: u64,
    pub event_rate: f64,
    /// The cycle up to which the order of events is proven.
    pub proven: u64,
    pub processors: Vec<Processor>,
    pub links: Vec<Link>,
    pub threads: usize,
    pub moves: Vec<Move>,
    pub moved: u64,
    /// Events that were discarded by full queues or taken out by filters, of all monitors.
    pub dropped: u64,
    pub filtered: u64,
    /// Bytes of `mmi.raw` so far.
    pub bytes: u64,
}

/// A processor with a monitor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Processor {
    pub number: u8,
    pub running: Option<String>,
    pub ready: Option<u32>,
    /// Parts of the last second, by what it did.
    pub shares: Vec<(&'static str, f64)>,
    pub event_rate: f64,
    /// Its last sample of the load: threads ready on average, and the user's share.
    pub load: Option<(f64, f64)>,
}

/// A direction between two processors; to nobody: to all others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    pub from: u8,
    pub to: Option<u8>,
    pub packets: u64,
    pub packet_rate: f64,
    pub messages: u64,
}

impl State {
    /// Adds what `view` shows.
    pub fn with(self, view: &View, names: &[String]) -> Self {
        let link = |link: &LinkView| Link {
            from: link.from,
            to: link.to,
            packets: link.packets,
            packet_rate: link.packet_rate,
            messages: link.communications,
        };
        State {
            events: view.events,
            event_rate: view.event_rate,
            proven: view.now,
            processors: view.processors.iter().map(|view| processor(view, names)).collect(),
            links: view.links.iter().map(link).collect(),
            threads: view.threads.len(),
            ..self
        }
    }
}

fn processor(view: &ProcessorView, names: &[String]) -> Processor {
    let shares = Doing::ALL.iter().zip(view.shares);
    Processor {
        number: view.processor,
        running: view.running.map(|thread| thread_text(thread, names)),
        ready: view.ready,
        shares: shares.filter(|(_, share)| *share > 0.0).map(|(doing, share)| (doing.name(), share)).collect(),
        event_rate: view.event_rate,
        load: view.load.map(|load| (load.average, load.user)),
    }
}
