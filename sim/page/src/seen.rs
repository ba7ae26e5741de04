//! What the monitors of a run have shown so far.

use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_emulator::engine::TraceWord;
use testbed_trace::capture::RunRecord;
use testbed_trace::order::{Convention, Growing, HELD_MAX};
use testbed_trace::report::Picture;

/// Puts words in order as they come, and keeps what a page shows of them.
pub struct Seen {
    order: Growing,
    tick_cycles: u64,
    /// A time-stamp whose datum has not come.
    stamp: Option<MmiWord>,
    /// Pairs of each SMI on their way into the order.
    pairs: Vec<Vec<u32>>,
    pub picture: Picture,
}

impl Seen {
    /// Of a run that begins, of which so many cycles are drawn.
    pub fn new(record: &RunRecord, span: u64) -> Self {
        let slaves = record.machine.processors.len() as u8;
        Seen {
            order: Growing::new(1..slaves, Convention::of(record.dgl)),
            tick_cycles: u64::from(record.machine.tick_cycles),
            stamp: None,
            pairs: vec![Vec::new(); usize::from(slaves).saturating_sub(1)],
            picture: Picture::new(record, u64::from(record.machine.clock_hz), Some(span)),
        }
    }

    /// Takes words of the trace port.
    pub fn take(&mut self, words: &[TraceWord]) {
        for word in words {
            let half = MmiWord::unpack(word.word);
            let Some(stamp) = self.stamp.take() else {
                self.stamp = Some(half);
                continue;
            };
            if let Some(pairs) = usize::from(half.smi).checked_sub(1).and_then(|smi| self.pairs.get_mut(smi)) {
                pairs.push(Pair { time: stamp.value, datum: half.value }.pack());
            }
        }
        // What can't be ordered in bounded memory is in the capture all the same.
        if self.order.waiting() < HELD_MAX {
            for (stream, pairs) in self.pairs.iter().enumerate() {
                self.order.feed(stream, pairs);
            }
        }
        self.pairs.iter_mut().for_each(Vec::clear);
        self.drain();
    }

    /// The run is over: nothing follows.
    pub fn end(&mut self, cycle: u64) {
        self.order.end();
        self.drain();
        self.picture.advance(cycle);
    }

    fn drain(&mut self) {
        for event in self.order.by_ref() {
            self.picture.take(&event);
        }
        self.picture.advance(self.order.reached() * self.tick_cycles);
    }
}
