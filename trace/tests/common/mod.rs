//! A model of an SMI that knows the truth.

pub mod cases;
pub mod devtools;
pub mod look;
pub mod steps;

use std::collections::VecDeque;

use testbed_definitions::filter::total_marker;
use testbed_definitions::monitor::{is_reserved, Pair, GAP_MARKER, WRAP_MARKER};
use testbed_trace::capture::CaptureError;
use testbed_trace::order::{Convention, Event, Hole, Input, Next, Ordered, Pairs};

/// What the SMI did, one entry a pair of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    pub epoch: u64,
    pub pair: Pair,
    pub kind: PairKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairKind {
    Word,
    Wrap,
    /// First half of a gap marker, with the number of events discarded.
    Gap(u32),
    /// First half of a total, with its rule and count.
    Total(u8, u32),
    /// Second half.
    Count,
}

/// One step of a script for [`smi_stream`].
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// So many ticks pass.
    Wait(u32),
    /// An event; refused if reserved.
    Emit(u16),
    /// So many events are discarded, and the loss is marked.
    Lose(u32),
    /// A rule of the filter shows its total.
    Total(u8, u32),
}

/// The stream that an SMI delivers for `steps`, as `docs/monitor.md` says.
pub fn smi_stream(steps: &[Step]) -> Vec<Truth> {
    let (mut now, mut epoch, mut stream) = (0u64, 0u64, Vec::new());
    for step in steps {
        if let Step::Wait(ticks) = step {
            now += u64::from(*ticks);
        }
        while epoch < now >> 16 {
            epoch += 1;
            let datum = u16::from(WRAP_MARKER) << 8 | (epoch & 0xff) as u16;
            stream.push(Truth { epoch, pair: Pair { time: 0, datum }, kind: PairKind::Wrap });
        }
        let time = now as u16;
        match *step {
            Step::Emit(datum) if !is_reserved(datum) => {
                stream.push(Truth { epoch, pair: Pair { time, datum }, kind: PairKind::Word });
            }
            Step::Lose(count) if count > 0 => {
                let high = u16::from(GAP_MARKER) << 8 | (count >> 16) as u16;
                stream.push(Truth { epoch, pair: Pair { time, datum: high }, kind: PairKind::Gap(count) });
                stream.push(Truth { epoch, pair: Pair { time, datum: count as u16 }, kind: PairKind::Count });
            }
            Step::Total(rule, count) => {
                let high = total_marker(rule, count);
                stream.push(Truth { epoch, pair: Pair { time, datum: high }, kind: PairKind::Total(rule, count) });
                stream.push(Truth { epoch, pair: Pair { time, datum: count as u16 }, kind: PairKind::Count });
            }
            _ => {}
        }
    }
    stream
}

/// A part of a stream as a test puts it together.
#[derive(Clone, Debug)]
pub enum Part {
    Pairs(Vec<Pair>),
    Hole(Hole),
    Unguarded,
}

/// A stream of parts.
pub struct Script {
    parts: VecDeque<(Part, Vec<u32>)>,
    taken: usize,
}

impl Script {
    pub fn new(parts: impl IntoIterator<Item = Part>) -> Self {
        let packed = |part: Part| match &part {
            Part::Pairs(pairs) => (part.clone(), pairs.iter().map(|pair| pair.pack()).collect()),
            _ => (part, Vec::new()),
        };
        Script { parts: parts.into_iter().map(packed).collect(), taken: 0 }
    }
}

impl Pairs for Script {
    fn peek(&mut self, limit: usize) -> Result<Next<'_>, CaptureError> {
        while matches!(self.parts.front(), Some((Part::Pairs(_), words)) if self.taken == words.len()) {
            self.parts.pop_front();
            self.taken = 0;
        }
        Ok(match self.parts.front() {
            None => Next::End,
            Some((Part::Hole(hole), _)) => Next::Hole(*hole),
            Some((Part::Unguarded, _)) => Next::Unguarded,
            Some((Part::Pairs(_), words)) => Next::Pairs(&words[self.taken..words.len().min(self.taken + limit)]),
        })
    }

    fn consume(&mut self, count: usize) {
        match self.parts.front() {
            Some((Part::Pairs(_), _)) => self.taken += count,
            _ => drop(self.parts.pop_front()),
        }
    }
}

/// The events of one stream, each word being one (the convention of the ready class).
pub fn words(parts: impl IntoIterator<Item = Part>, last_epoch: Option<u64>) -> Vec<Event> {
    read(parts, Convention::Ready, last_epoch)
}

/// The events of one stream.
pub fn read(parts: impl IntoIterator<Item = Part>, convention: Convention, last_epoch: Option<u64>) -> Vec<Event> {
    let input = Input { smi: 1, pairs: Box::new(Script::new(parts)), guarded: true };
    Ordered::new(vec![input], convention, last_epoch).map(|event| event.unwrap()).collect()
}
