//! When what happened: lanes of processors, threads and ready queues, and packets between them, in bounded memory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use testbed_definitions::event;

use super::lane::{Columns, Lane, Tag};
use crate::analysis::fact::{Fact, On, ThreadState};
use crate::analysis::measure::Range;
use crate::analysis::text;
use crate::summary::{message_name, processor_text, thread_text};

/// Cells of all lanes together, at most. A cell takes some 15 bytes of a page, a merged one up to 60.
pub const CELLS_MAX: usize = 100_000;
/// Packets that are drawn, at most; one takes some 25 bytes.
pub const PACKETS_MAX: usize = 8_000;
/// Lanes of threads, at most.
pub const THREADS_MAX: usize = 256;
/// Longest ready queue that is told apart from longer ones: a lane's state is a byte, and 255 is none.
const LENGTH_MAX: u32 = 253;
/// State of a queue's lane after a loss.
pub const LENGTH_UNKNOWN: u8 = 254;

/// Collects what a page draws.
#[derive(Clone, Debug)]
pub struct Collector {
    range: Range,
    tick_cycles: u64,
    resolution: u64,
    cells_max: usize,
    processors: BTreeMap<u8, Lane>,
    queues: BTreeMap<u8, (Lane, u64, u8)>,
    threads: BTreeMap<u16, Lane>,
    threads_left_out: BTreeMap<u16, u64>,
    on: BTreeMap<On, u32>,
    packets: Packets,
    cells: usize,
}

#[derive(Clone, Debug)]
struct Packets {
    kept: Vec<Packet>,
    most: usize,
    stride: u64,
    count: u64,
}

/// A packet on its way: sender, receiver, sent and served in cycles, type, channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packet(pub u8, pub u8, pub u64, pub u64, pub u8, pub u8);

/// What happened, as a page holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// What lies in one bucket of so many cycles may be merged into shares; 0: all is exact.
    pub resolution_cycles: u64,
    /// By processor: [`crate::analysis::fact::Doing`] by its number.
    pub processors: Vec<Row<u8>>,
    /// By processor: the length of the ready queue, [`LENGTH_UNKNOWN`] after a loss.
    pub queues: Vec<Row<u8>>,
    /// By thread: [`ThreadState`] by its number.
    pub threads: Vec<Row<u16>>,
    /// Threads that have no lane.
    pub threads_left_out: usize,
    /// What threads are blocked on, and the same in few words, for narrow places.
    pub on: Vec<(String, String)>,
    pub packets: Vec<Packet>,
    /// Every how manieth packet is in `packets`, and how many there were.
    pub packet_stride: u64,
    pub packet_count: u64,
    /// Names of the types in `packets`.
    pub packet_names: BTreeMap<u8, String>,
}

/// A lane with its number and name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row<N> {
    pub number: N,
    pub name: String,
    pub lane: Columns,
}

impl Collector {
    /// For a part of a run, of a machine with a clock that ticks every `tick_cycles`.
    pub fn new(range: Range, tick_cycles: u64) -> Self {
        Self::with_limits(range, tick_cycles, CELLS_MAX, PACKETS_MAX)
    }

    /// The same with at most so many cells and packets.
    pub fn with_limits(range: Range, tick_cycles: u64, cells_max: usize, packets_max: usize) -> Self {
        Collector {
            range,
            tick_cycles: tick_cycles.max(1),
            resolution: 0,
            cells_max,
            processors: BTreeMap::new(),
            queues: BTreeMap::new(),
            threads: BTreeMap::new(),
            threads_left_out: BTreeMap::new(),
            on: BTreeMap::new(),
            packets: Packets::new(packets_max),
            cells: 0,
        }
    }

    fn clip(&self, from: u64, to: u64) -> (u64, u64) {
        (from.max(self.range.from_cycle), to.min(self.range.to_cycle))
    }

    /// Takes the next fact.
    pub fn take(&mut self, fact: &Fact) {
        match *fact {
            Fact::Processor { processor, doing, from, to } => {
                let ((from, to), resolution) = (self.clip(from, to), self.resolution);
                let lane = self.processors.entry(processor).or_insert_with(|| Lane::new(self.range.from_cycle));
                Self::push(&mut self.cells, lane, from, to, doing as u8, Tag::default(), resolution);
            }
            Fact::Thread { thread, processor, state, on, from, to } => {
                let (from, to) = self.clip(from, to);
                self.thread(thread, processor, (state, on), from, to);
            }
            Fact::Queue { processor, cycle, length, .. } => self.queue(processor, cycle, length),
            Fact::Served { flight: Some(flight), mark, .. } => {
                let (sent, served) = (flight.sent, flight.served);
                if sent.cycle < self.range.to_cycle && served.cycle >= self.range.from_cycle {
                    let packet =
                        Packet(sent.processor, mark.processor, sent.cycle, served.cycle, flight.kind, flight.channel);
                    self.packets.add(packet);
                }
            }
            _ => {}
        }
        while self.cells > self.cells_max {
            self.coarsen();
        }
    }

    fn push(cells: &mut usize, lane: &mut Lane, from: u64, to: u64, state: u8, tag: Tag, resolution: u64) {
        *cells -= lane.len();
        lane.push(from, to, state, tag, resolution);
        *cells += lane.len();
    }

    fn thread(&mut self, thread: u16, processor: u8, (state, on): (ThreadState, On), from: u64, to: u64) {
        if from >= to {
            return;
        }
        if self.threads.len() == THREADS_MAX && !self.threads.contains_key(&thread) {
            *self.threads_left_out.entry(thread).or_default() += to - from;
            return;
        }
        let blocked =
            matches!(state, ThreadState::Channel | ThreadState::Page | ThreadState::Call) && on != On::Nothing;
        let next = self.on.len() as u32;
        let on = blocked.then(|| *self.on.entry(on).or_insert(next));
        let tag = Tag { at: Some(processor), on };
        let lane = self.threads.entry(thread).or_insert_with(|| Lane::new(from));
        Self::push(&mut self.cells, lane, from, to, state as u8, tag, self.resolution);
    }

    fn queue(&mut self, processor: u8, cycle: u64, length: Option<u32>) {
        let start = self.range.from_cycle;
        let (lane, since, before) = self.queues.entry(processor).or_insert_with(|| (Lane::new(start), 0, 0));
        let (from, to) = ((*since).max(start), cycle.min(self.range.to_cycle));
        Self::push(&mut self.cells, lane, from, to, *before, Tag::default(), self.resolution);
        *since = cycle.max(*since);
        *before = length.map_or(LENGTH_UNKNOWN, |length| length.min(LENGTH_MAX) as u8);
    }

    /// Lanes get coarser until they leave some room, so that this is not done for each fact.
    fn coarsen(&mut self) {
        let lanes = |collector: &Self| -> usize {
            collector.processors.values().chain(collector.threads.values()).map(Lane::len).sum::<usize>()
                + collector.queues.values().map(|(lane, ..)| lane.len()).sum::<usize>()
        };
        loop {
            self.resolution = (self.resolution * 2).max(self.tick_cycles * 2);
            let resolution = self.resolution;
            let queues = self.queues.values_mut().map(|(lane, ..)| lane);
            for lane in self.processors.values_mut().chain(self.threads.values_mut()).chain(queues) {
                lane.coarsen(resolution);
            }
            self.cells = lanes(self);
            // Where a bucket is the whole range nothing gets coarser any more.
            if self.cells <= self.cells_max / 4 * 3 || resolution >= self.range.to_cycle {
                return;
            }
        }
    }

    /// The cycle from which on it collects.
    pub fn start_cycle(&self) -> u64 {
        self.range.from_cycle
    }

    /// What has been collected until a cycle that is not beyond the range's end.
    pub fn finish_at(mut self, cycle: u64, names: &[String]) -> Timeline {
        self.range.to_cycle = cycle;
        self.finish(names)
    }

    /// What has been collected, for processors of these names.
    pub fn finish(mut self, names: &[String]) -> Timeline {
        for processor in self.queues.keys().copied().collect::<Vec<_>>() {
            self.queue(processor, self.range.to_cycle, None);
        }
        let row = |number: u8, lane: Lane| Row { number, name: processor_text(number, names), lane: lane.columns() };
        let kinds = self.packets.kept.iter().map(|packet| packet.4);
        let mut threads: Vec<_> = self
            .threads
            .into_iter()
            .map(|(number, lane)| Row { number, name: thread_text(number, names), lane: lane.columns() })
            .collect();
        Timeline {
            resolution_cycles: self.resolution,
            packet_names: kinds.map(|kind| (kind, message_name(kind))).collect(),
            processors: self.processors.into_iter().map(|(number, lane)| row(number, lane)).collect(),
            queues: self.queues.into_iter().map(|(number, (lane, ..))| row(number, lane)).collect(),
            threads_left_out: self.threads_left_out.len(),
            on: texts(&self.on, &mut threads),
            threads,
            packets: self.packets.kept,
            packet_stride: self.packets.stride,
            packet_count: self.packets.count,
        }
    }
}

/// The texts that lanes still name after merging, numbered anew.
fn texts(on: &BTreeMap<On, u32>, threads: &mut [Row<u16>]) -> Vec<(String, String)> {
    let by_number: BTreeMap<u32, On> = on.iter().map(|(on, number)| (*number, *on)).collect();
    let (mut numbers, mut texts) = (BTreeMap::new(), Vec::new());
    for number in threads.iter_mut().flat_map(|row| &mut row.lane.on).filter_map(|(_, number)| number.as_mut()) {
        *number = *numbers.entry(*number).or_insert_with(|| {
            texts.push((on_text(by_number[number]), text::on(by_number[number])));
            texts.len() as u32 - 1
        });
    }
    texts
}

impl Packets {
    fn new(most: usize) -> Self {
        Packets { kept: Vec::new(), most, stride: 1, count: 0 }
    }

    /// Keeps every `stride`-th packet, and doubles the stride when there are too many.
    fn add(&mut self, packet: Packet) {
        if self.count.is_multiple_of(self.stride) {
            self.kept.push(packet);
        }
        self.count += 1;
        if self.kept.len() > self.most {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride *= 2;
        }
    }
}

/// What a thread is blocked on, in words.
pub fn on_text(on: On) -> String {
    match on {
        On::Nothing => "something that no event names".into(),
        On::Send(channel) => format!("sending on channel {channel}"),
        On::Receive(channel) => format!("receiving on channel {channel}"),
        On::Alternative(channel) => format!("an alternative, first channel {channel}"),
        On::SomeChannel => "a channel that no event names".into(),
        On::Page(page) => format!("page {page:#x}"),
        On::Call(call) => event::awaited(call).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fact::Doing;

    fn collector(cells_max: usize) -> Collector {
        Collector::with_limits(Range { from_cycle: 0, to_cycle: 1_000_000 }, 1, cells_max, PACKETS_MAX)
    }

    fn busy(collector: &mut Collector) {
        for step in 0..100_000u64 {
            let (from, to) = (step * 10, step * 10 + 10);
            let doing = Doing::ALL[step as usize % 7];
            collector.take(&Fact::Processor { processor: 1 + (step % 2) as u8, doing, from, to });
            let state = ThreadState::ALL[step as usize % 9];
            let on = On::Receive(step as u8);
            collector.take(&Fact::Thread { thread: (step % 400) as u16, processor: 2, state, on, from, to });
            collector.take(&Fact::Queue { processor: 1, cycle: from, length: Some(step as u32 % 5), untold: 0 });
        }
    }

    #[test]
    fn memory_is_bounded_and_no_time_is_lost() {
        let mut few = collector(1_000);
        busy(&mut few);
        assert!(few.cells <= 1_000 && few.resolution > 0);
        let mut all = collector(usize::MAX);
        busy(&mut all);
        let names: Vec<_> = ["master", "earth", "air"].map(String::from).into();
        let (few, all) = (few.finish(&names), all.finish(&names));
        assert_eq!((all.resolution_cycles, few.threads.len(), few.threads_left_out), (0, THREADS_MAX, 144));
        for (few, all) in few.processors.iter().zip(&all.processors).chain(few.queues.iter().zip(&all.queues)) {
            assert_eq!((few.lane.sums(), few.number), (all.lane.sums(), all.number));
        }
        for (few, all) in few.threads.iter().zip(&all.threads) {
            assert_eq!((few.lane.sums(), few.number), (all.lane.sums(), all.number));
        }
    }

    #[test]
    fn packets_are_thinned_out_evenly() {
        let mut packets = Packets::new(PACKETS_MAX);
        for number in 0..5 * PACKETS_MAX as u64 {
            packets.add(Packet(1, 2, number, number + 1, 1, 0));
        }
        assert!(packets.kept.len() <= PACKETS_MAX && packets.kept.len() > PACKETS_MAX / 2);
        assert!(packets.kept.iter().enumerate().all(|(place, packet)| packet.2 == place as u64 * packets.stride));
    }
}
