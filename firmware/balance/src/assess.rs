//! The load assessor: from the events of class `load` to a [`Summary`].
//!
//! Samples of different slaves come interleaved. The parts of a sample are kept until its end has
//! come, and taken over only if none is missing; a sample that is damaged changes nothing but the
//! slave's count of losses, so that what was known before stays, and grows older.

use arrayvec::ArrayVec;
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::load::{Part, PARTS, WORD_BYTES};

use crate::request::{Reason, Request};
use crate::summary::{Partner, Slave, Summary, ThreadLoad, Traffic};
use crate::PROCESSORS;

/// A thread of which so many samples of its slave did not tell has ended, or does nothing.
const SILENT_SAMPLES: u64 = 8;
/// Bits of the sequence number that the end of a sample repeats.
const END_SEQUENCE: u8 = 0x3f;

/// What samples have told since the last one that told of threads.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    /// Cycles.
    cycles: u32,
    /// Ready threads, each for so many cycles.
    ready: u64,
}

impl Since {
    const NOTHING: Since = Since { cycles: 0, ready: 0 };
}

/// A sample whose end has not come.
#[derive(Clone, Debug)]
struct Pending {
    /// Its first part has come.
    begun: bool,
    parts: ArrayVec<Part, PARTS>,
}

/// Takes events and keeps a [`Summary`]. It is large: it belongs into static memory.
#[derive(Clone, Debug)]
pub struct Assessor {
    summary: Summary,
    since: [Since; PROCESSORS],
    pending: [Pending; PROCESSORS],
}

impl Assessor {
    /// For a machine with slaves 1 to `slaves`.
    pub const fn new(slaves: u8) -> Self {
        const NONE: Pending = Pending { begun: false, parts: ArrayVec::new_const() };
        Assessor { summary: Summary::new(slaves), since: [Since::NOTHING; PROCESSORS], pending: [NONE; PROCESSORS] }
    }

    /// Slaves are 1 to `slaves`.
    pub fn begin(&mut self, slaves: u8) {
        self.summary.slaves = slaves.min(PROCESSORS as u8 - 1);
    }

    /// The load as far as it is known.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Takes a part of a sample of the slave, which was stamped at `time`. Returns whether it
    /// completes a sample.
    pub fn take(&mut self, slave: u8, time: u64, part: Part) -> bool {
        if !self.summary.is_slave(slave) {
            return false;
        }
        let pending = &mut self.pending[usize::from(slave)];
        match part {
            Part::Begin { .. } => {
                pending.begun = true;
                pending.parts.clear();
                pending.parts.push(part);
            }
            _ if !pending.begun => {}
            Part::End { sequence, parts } => {
                pending.begun = false;
                let whole = usize::from(parts) == pending.parts.len();
                let parts = pending.parts.clone();
                let read = read(&parts).filter(|(load, _)| whole && load.sequence & END_SEQUENCE == sequence);
                return read.is_some_and(|(load, threads)| self.taken(slave, time, load, threads));
            }
            // One that is too long is not whole at its end.
            _ => pending.begun = pending.parts.try_push(part).is_ok(),
        }
        false
    }

    /// Events of the slave were lost here, so that the sample under way is damaged.
    pub fn lost(&mut self, slave: u8) {
        if self.summary.is_slave(slave) {
            self.pending[usize::from(slave)].begun = false;
        }
    }

    /// A thread has arrived at a processor, as an answer to a request says.
    pub fn moved(&mut self, thread: ThreadNumber, to: u8, now: u64) {
        if let Some(known) = self.summary.threads.iter_mut().find(|known| known.thread == thread) {
            known.processor = to;
            known.since = now;
        }
    }

    /// A request was refused: if it named a thread, that has ended, as a rule. If it has not, the
    /// next sample tells of it.
    pub fn refused(&mut self, request: &Request) {
        if let Reason::Thread(thread) = request.reason {
            self.summary.threads.retain(|known| known.thread != thread);
        }
    }

    /// Takes over a whole sample. Returns whether it is newer than the last one.
    fn taken(&mut self, slave: u8, time: u64, mut load: Slave, threads: &[Part]) -> bool {
        let before = &mut self.summary.loads[usize::from(slave)];
        if before.sampled.is_some_and(|sampled| sampled >= time) {
            return false;
        }
        load.lost = before.lost;
        if before.sampled.is_some() {
            let missing = load.sequence.wrapping_sub(before.sequence).wrapping_sub(1);
            load.lost = load.lost.saturating_add(missing.into());
        }
        load.sampled = Some(time);
        // Where threads ran that it does not tell of, a later sample will.
        let tells = !threads.is_empty() || load.user == 0;
        let since = &mut self.since[usize::from(slave)];
        since.cycles = since.cycles.saturating_add(load.period);
        since.ready = since.ready.saturating_add(u64::from(load.average) * u64::from(load.period));
        if tells {
            let Since { cycles, ready } = core::mem::take(since);
            let queue = (ready / u64::from(cycles.max(1))).min(u16::MAX.into()) as u16;
            (load.told, load.span, load.queue) = (Some(time), cycles, queue);
        } else {
            (load.told, load.span, load.queue) = (before.told, before.span, before.queue);
        }
        let span = u64::from(load.span);
        *before = load;
        if !tells {
            return true;
        }
        for parts in threads.chunk_by(|_, next| !matches!(next, Part::Thread { .. })) {
            self.thread(slave, time, parts);
        }
        self.silence(slave, time, span);
        true
    }

    /// Takes over what a sample tells of a thread.
    fn thread(&mut self, slave: u8, time: u64, parts: &[Part]) {
        let &[Part::Thread { thread, movable }, Part::Share { share }, ref rest @ ..] = parts else { return };
        let thread = ThreadNumber::from_bits(thread);
        let threads = &mut self.summary.threads;
        let at = threads.iter().position(|known| known.thread == thread).or_else(|| {
            let first = ThreadLoad {
                thread,
                processor: slave,
                since: time,
                first: time,
                movable,
                sampled: 0,
                share,
                partners: ArrayVec::new(),
            };
            threads.try_push(first).is_ok().then(|| threads.len() - 1)
        });
        let Some(at) = at else {
            self.summary.beyond = self.summary.beyond.saturating_add(1);
            return;
        };
        let known = &mut threads[at];
        if known.processor != slave {
            if known.since >= time || known.sampled >= time {
                // It has left since the sample was taken.
                return;
            }
            (known.processor, known.since) = (slave, time);
        }
        (known.movable, known.share, known.sampled) = (movable, share, time);
        known.partners.clear();
        traffic(rest, |part, traffic| {
            if let Part::Partner { id, .. } = part {
                let number = thread.bits() & !(testbed_definitions::limits::THREADS as u16 - 1) | u16::from(id);
                let _ = known.partners.try_push(Partner { thread: ThreadNumber::from_bits(number), traffic });
            }
        });
    }

    /// Threads of the slave of which this sample does not tell did nothing; those that have done
    /// nothing for long are forgotten.
    fn silence(&mut self, slave: u8, time: u64, span: u64) {
        let long = SILENT_SAMPLES * span;
        self.summary.threads.retain(|known| {
            if known.processor != slave || known.sampled >= time || known.since >= time {
                return true;
            }
            known.share = 0;
            known.partners.clear();
            known.sampled + long >= time || known.since + long >= time
        });
    }
}

/// Each link or partner of `parts` with its traffic.
fn traffic(parts: &[Part], mut each: impl FnMut(Part, Traffic)) {
    let mut parts = parts.iter().peekable();
    while let Some(&part) = parts.next() {
        let (Part::Link { sends, .. } | Part::Partner { count: sends, .. }) = part else { continue };
        let bytes = match parts.peek() {
            Some(&&Part::Bytes { bytes }) => bytes,
            _ => sends.saturating_mul(WORD_BYTES),
        };
        each(part, Traffic { sends, bytes });
    }
}

/// The slave's load of a whole sample, and its parts from the first thread on; `None` if parts are
/// missing at its head.
fn read(parts: &[Part]) -> Option<(Slave, &[Part])> {
    let &[Part::Begin { sequence, ready }, Part::Period { cycles }, Part::Queue { average }, Part::User { share }, ref rest @ ..] =
        parts
    else {
        return None;
    };
    let threads = rest.iter().position(|part| matches!(part, Part::Thread { .. })).unwrap_or(rest.len());
    let (links, threads) = rest.split_at(threads);
    let mut load = Slave { sequence, ready, period: cycles, average, user: share, ..Slave::NEW };
    traffic(links, |part, traffic| {
        if let Part::Link { processor, .. } = part {
            load.sent[usize::from(processor) % PROCESSORS] = traffic;
        }
    });
    Some((load, threads))
}
