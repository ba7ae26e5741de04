//! Streams of any length with the truth beside them, made from a seed: what tests and benches hold
//! the reconstruction against.
//!
//! [`Smi`] is a model of one SMI as `docs/monitor.md` describes it; [`StreamBytes`] and
//! [`MmiBytes`] read like a stream file and like `mmi.raw`, without storing anything. `event`
//! makes single events of traces that are written by hand.

use std::io::Read;
#[cfg(feature = "files")]
use std::path::Path;
use std::sync::LazyLock;

use testbed_definitions::event::{self, kind, DIAG_DEFAULT, DIAG_DETAIL, KINDS, MORE, SCHEDULE, THREAD_MASK};
use testbed_definitions::monitor::{MmiWord, GAP_COUNT_MAX, GAP_MARKER, WRAP_MARKER};
#[cfg(feature = "files")]
use testbed_machine::Machine;

#[cfg(feature = "files")]
use crate::capture::{CaptureError, CaptureWriter, RunRecord, Stop};
#[cfg(feature = "files")]
use crate::ledger::{Ledger, SmiLine};
use crate::order::{Epoch, Event, What};

/// Stands for a loss of events in `event`; the argument is their number.
pub const GAP: u16 = (GAP_MARKER as u16) << 8;

/// Codes that made streams have: those of the classes that tell of threads. Streams that are kept,
/// for fuzzing say, were made of these, so a seed gives the same stream when another class is
/// added.
static CODES: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let is_old = |code: u16| !(event::SYNC..=event::ROUND_TIME).contains(&code);
    KINDS
        .iter()
        .filter(|kind| kind.class & (DIAG_DEFAULT | DIAG_DETAIL) != 0 && is_old(kind.code))
        .map(|kind| kind.code)
        .collect()
});

/// An event of which nothing is uncertain: a code of `testbed_definitions::event`, [`SCHEDULE`] for
/// the thread that the argument names, or [`GAP`]. The argument counts where the code has one.
///
/// # Panics
/// If there is no such code: it is for traces that are written by hand.
pub fn event(tick: u64, smi: u8, code: u16, argument: u16) -> Event {
    let (what, argument) = match code {
        SCHEDULE => (What::Schedule(argument), None),
        GAP => (What::Gap(Some(argument.into())), None),
        code => match kind(code) {
            Some(kind) => (What::Known(kind), kind.argument.map(|_| argument)),
            None => panic!("no event has the code {code:#x}"),
        },
    };
    Event { epoch: Epoch::Certain(tick >> 16), time: tick as u16, smi, index: tick, what, argument, doubtful: false }
}

/// What a stream is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Most ticks between two events, as a rule.
    pub ticks: u32,
    /// One event in so many comes after a long silence (0: none).
    pub silence_every: u32,
    /// Wraps in a long silence, at most.
    pub silence_wraps: u32,
    /// One event in so many comes after a loss (0: none).
    pub loss_every: u32,
    /// One event in so many takes two words (0: none).
    pub long_every: u32,
}

impl Default for Mix {
    /// An event every 8 ticks, silences of up to a thousand wraps: 1.08 pairs an event.
    fn default() -> Self {
        Mix { ticks: 16, silence_every: 25_000, silence_wraps: 1_000, loss_every: 10_000, long_every: 20 }
    }
}

/// Numbers from a seed (xorshift64*).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        // Any seed will do, neighbouring ones too; the state is never 0.
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..4).for_each(|_| _ = random.bits());
        random
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Less than `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((self.bits() >> 32) * u64::from(bound) >> 32) as u32
    }

    /// Once in `every` times; never if that is 0.
    pub fn once_in(&mut self, every: u32) -> bool {
        every != 0 && self.below(every) == 0
    }
}

/// A pair as the SMI delivers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Packed, as in a stream file.
    pub pair: u32,
    /// Epoch in which it was stamped.
    pub epoch: u64,
    /// The event of which it is the first word; `None` for markers, second words, and words whose
    /// first one was lost.
    pub event: Option<Event>,
}

/// A model of an SMI: an iterator over all that it delivers for some number of events.
#[derive(Clone, Debug)]
pub struct Smi {
    smi: u8,
    mix: Mix,
    random: Random,
    left: u64,
    now: u64,
    epoch: u64,
    index: u64,
    /// Second word of a pair begun, with the time of the first if it must be the same.
    second: Option<(u16, bool)>,
    /// A word follows whose first one was lost.
    orphan: bool,
    /// The time of the next event has been chosen.
    timed: bool,
}

impl Smi {
    /// SMI `smi` with `events` events, losses not counted. Streams of different `smi` with one seed
    /// differ.
    pub fn new(smi: u8, mix: Mix, seed: u64, events: u64) -> Self {
        let random = Random::new(seed.wrapping_mul(16).wrapping_add(smi.into()));
        Smi { smi, mix, random, left: events, now: 0, epoch: 0, index: 0, second: None, orphan: false, timed: false }
    }

    fn deliver(&mut self, datum: u16, event: Option<(What, Option<u16>)>) -> Option<Delivered> {
        let time = self.now as u16;
        let (smi, index, epoch) = (self.smi, self.index, self.epoch);
        self.index += 1;
        let event = event.map(|(what, argument)| Event {
            epoch: Epoch::Certain(epoch),
            time,
            smi,
            index,
            what,
            argument,
            doubtful: false,
        });
        Some(Delivered { pair: u32::from(datum) << 16 | u32::from(time), epoch, event })
    }

    /// Lets time pass up to the next event.
    fn wait(&mut self) {
        if self.timed {
            return;
        }
        self.timed = true;
        self.now += u64::from(self.random.below(self.mix.ticks));
        if self.second.is_none() && self.random.once_in(self.mix.silence_every) {
            self.now += u64::from(self.random.below(self.mix.silence_wraps + 1)) << 16;
        }
    }

    /// A word that no SMI refuses.
    fn word(&mut self) -> u16 {
        let word = self.random.bits() as u16;
        if testbed_definitions::monitor::is_reserved(word) {
            word ^ 0x1000
        } else {
            word
        }
    }

    fn first(&mut self) -> Option<Delivered> {
        if self.random.once_in(self.mix.loss_every) {
            let count = self.random.below(GAP_COUNT_MAX) + 1;
            self.second = Some((count as u16, true));
            self.orphan = self.random.once_in(4);
            return self
                .deliver(u16::from(GAP_MARKER) << 8 | (count >> 16) as u16, Some((What::Gap(Some(count)), None)));
        }
        if std::mem::take(&mut self.orphan) {
            let word = self.word();
            return self.deliver(word, None);
        }
        self.left -= 1;
        // One in 64 is a code that no table knows.
        let code = match self.random.below(64) {
            0 => 0x0fe0,
            number => CODES[number as usize % CODES.len()],
        };
        if self.random.once_in(self.mix.long_every) {
            let argument = self.word();
            self.second = Some((argument, false));
            return self.deliver(code | MORE, Some((What::of_code(code), Some(argument))));
        }
        if self.random.once_in(2) {
            return self.deliver(code, Some((What::of_code(code), None)));
        }
        // Schedule words have bits 15 and 13:0 free, but for the markers' high bytes.
        let thread = self.random.bits() as u16 & THREAD_MASK;
        self.deliver(SCHEDULE | thread, Some((What::Schedule(thread), None)))
    }
}

impl Iterator for Smi {
    type Item = Delivered;

    fn next(&mut self) -> Option<Delivered> {
        if self.left == 0 && self.second.is_none() {
            return None;
        }
        let is_count = matches!(self.second, Some((_, true)));
        if !is_count {
            self.wait();
        }
        if self.epoch < self.now >> 16 {
            self.epoch += 1;
            let now = std::mem::replace(&mut self.now, self.epoch << 16);
            let marker = self.deliver(u16::from(WRAP_MARKER) << 8 | (self.epoch & 0xff) as u16, None);
            self.now = now;
            return marker;
        }
        self.timed = false;
        match self.second.take() {
            Some((word, _)) => self.deliver(word, None),
            None => self.first(),
        }
    }
}

/// Bytes made some at a time.
struct Bytes {
    ready: Vec<u8>,
    taken: usize,
}

impl Bytes {
    fn read(&mut self, buffer: &mut [u8], mut more: impl FnMut(&mut Vec<u8>) -> bool) -> usize {
        if self.taken == self.ready.len() {
            self.ready.clear();
            self.taken = 0;
            while self.ready.len() < buffer.len() && more(&mut self.ready) {}
        }
        let count = buffer.len().min(self.ready.len() - self.taken);
        buffer[..count].copy_from_slice(&self.ready[self.taken..self.taken + count]);
        self.taken += count;
        count
    }
}

/// Reads like the stream file of an [`Smi`].
pub struct StreamBytes {
    smi: Smi,
    bytes: Bytes,
}

impl StreamBytes {
    pub fn new(smi: Smi) -> Self {
        StreamBytes { smi, bytes: Bytes { ready: Vec::new(), taken: 0 } }
    }
}

impl Read for StreamBytes {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let smi = &mut self.smi;
        Ok(self.bytes.read(buffer, |ready| {
            let delivered = smi.next();
            ready.extend(delivered.into_iter().flat_map(|delivered| delivered.pair.to_le_bytes()));
            delivered.is_some()
        }))
    }
}

/// The MMI's words for several SMIs, in the order of their time-stamps.
#[derive(Clone, Debug)]
pub struct Mmi {
    smis: Vec<Smi>,
    heads: Vec<Option<Delivered>>,
}

impl Mmi {
    pub fn new(mut smis: Vec<Smi>) -> Self {
        let heads = smis.iter_mut().map(Iterator::next).collect();
        Mmi { smis, heads }
    }
}

impl Iterator for Mmi {
    /// Number of the SMI, and what it delivered.
    type Item = (u8, Delivered);

    fn next(&mut self) -> Option<Self::Item> {
        let heads = self.heads.iter().enumerate();
        let keyed = heads.filter_map(|(place, head)| Some((head.as_ref()?, place)));
        let (_, place) = keyed.map(|(head, place)| ((head.epoch, head.pair as u16), place)).min()?;
        let delivered = std::mem::replace(&mut self.heads[place], self.smis[place].next())?;
        Some((self.smis[place].smi, delivered))
    }
}

/// Both of the MMI's words for a pair.
pub fn mmi_words(smi: u8, pair: u32) -> [u32; 2] {
    [pair as u16, (pair >> 16) as u16].map(|value| MmiWord { smi, value }.pack())
}

/// Reads like the `mmi.raw` of several SMIs.
pub struct MmiBytes {
    mmi: Mmi,
    bytes: Bytes,
}

impl MmiBytes {
    pub fn new(mmi: Mmi) -> Self {
        MmiBytes { mmi, bytes: Bytes { ready: Vec::new(), taken: 0 } }
    }
}

impl Read for MmiBytes {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mmi = &mut self.mmi;
        Ok(self.bytes.read(buffer, |ready| {
            let next = mmi.next();
            let words = next.map(|(smi, delivered)| mmi_words(smi, delivered.pair));
            ready.extend(words.into_iter().flatten().flat_map(u32::to_le_bytes));
            next.is_some()
        }))
    }
}

/// Writes an output folder as a run on `machine` would, with so many events of each SMI. The record
/// says that the run is complete.
///
/// # Errors
/// As [`CaptureWriter`].
#[cfg(feature = "files")]
pub fn capture(dir: &Path, machine: &Machine, mix: Mix, seed: u64, events: u64) -> Result<RunRecord, CaptureError> {
    let mut record =
        RunRecord { engine: "none".into(), stopped: Some(Stop::Limit), ..RunRecord::new(machine, "synthetic") };
    let mut writer = CaptureWriter::create(dir, machine, &record)?;
    let smis: Vec<_> = machine.processors[1..].to_vec();
    let models = (1..=smis.len()).map(|smi| Smi::new(smi as u8, mix, seed, events)).collect();
    let (mut mmi, mut delivered, mut last) = (Mmi::new(models), vec![0u32; smis.len()], 0);
    loop {
        let some: Vec<_> = mmi.by_ref().take(1 << 14).collect();
        if some.is_empty() {
            break;
        }
        for (smi, pair) in &some {
            delivered[*smi as usize - 1] += 1;
            last = last.max(pair.epoch << 16 | u64::from(pair.pair as u16));
        }
        let cycle = last * u64::from(machine.tick_cycles);
        writer.words(some.iter().flat_map(|(smi, pair)| mmi_words(*smi, pair.pair)).map(|word| (cycle, word)))?;
    }
    let lines = smis.into_iter().zip(delivered);
    let line = |(processor, delivered)| SmiLine { processor, delivered, emitted: delivered, ..SmiLine::default() };
    record.ledger = Some(Ledger { smis: lines.map(line).collect(), stations: Vec::new() });
    record.cycles = (last + 1) * u64::from(machine.tick_cycles);
    record.complete = true;
    writer.finish(&record)?;
    Ok(record)
}
