//! Samples of the load: at the end of each period the agent tells of it, as events of class `load`
//! ([`testbed_definitions::load`]).

use testbed_definitions::event::DIAG_LOAD;
use testbed_definitions::load::{Part, ONE_READY, PARTNERS, PARTS, PERIODS_US, WHOLE, WORD_BYTES};
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::packet::BROADCAST;
use testbed_definitions::syscall::Error;

use crate::arch::hw::{self, Vector};
use crate::drivers::events::{self, COUNTING, YIELDS};
use crate::state::extended::agent::{Record, Traffic};
use crate::state::kernel::Kernel;
use crate::state::policy;
use crate::state::thread::Tcb;

/// Slaves sample one after the other, so far apart at most, so that the master's queue is not filled
/// by all at once.
const APART: u32 = 8_192;
/// The same as a part of the period.
const APART_SHIFT: u32 = 6;
/// Parts of a sample without any link or thread.
const FIXED_PARTS: usize = 5;
/// Most parts that tell of a thread.
const THREAD_PARTS: usize = 2 + 2 * PARTNERS;
/// Mantissa of a reciprocal.
const RECIPROCAL_BITS: u32 = 16;

/// Divides by the cycles of a period, quickly.
struct Scale {
    shift: u32,
    /// 2^32 divided by the cycles without their last `shift` bits, which are 16 bits then at most.
    reciprocal: u32,
}

impl Scale {
    fn of(cycles: u32) -> Scale {
        let cycles = cycles.max(2);
        let shift = (u32::BITS - cycles.leading_zeros()).saturating_sub(RECIPROCAL_BITS);
        Scale { shift, reciprocal: u32::MAX / (cycles >> shift) }
    }

    /// `cycles` as a part of the period, in `one`ths, a power of two of at most [`WHOLE`].
    fn share(&self, cycles: u64, one: u32) -> u16 {
        let shift = u32::BITS - one.trailing_zeros();
        let share = ((cycles >> self.shift) as u32 as u64 * self.reciprocal as u64) >> shift;
        share.min(u16::MAX as u64) as u16
    }
}

fn emit(part: Part) {
    let [code, argument] = part.words();
    events::emit_word(code);
    events::emit_word(argument);
}

/// Whether the messages' bytes need a part of their own.
fn has_bytes(traffic: Traffic) -> bool {
    traffic.bytes != traffic.messages.wrapping_mul(WORD_BYTES)
}

/// Parts that tell of so many messages.
fn traffic_parts(traffic: Traffic) -> usize {
    1 + has_bytes(traffic) as usize
}

/// The partners that a sample tells of: those with most messages.
fn partners(record: &Record) -> impl Iterator<Item = (u8, Traffic)> + Clone + '_ {
    let all = record.partners();
    let (rank, are_few) = (all.clone(), all.len() <= PARTNERS);
    all.filter(move |&(id, traffic)| {
        if are_few {
            return true;
        }
        let before = |&(other, more): &(u8, Traffic)| (more.messages, other) > (traffic.messages, id);
        rank.clone().filter(before).count() < PARTNERS
    })
}

fn emit_traffic(part: Part, traffic: Traffic) {
    emit(part);
    if has_bytes(traffic) {
        emit(Part::Bytes { bytes: traffic.bytes });
    }
}

impl Kernel {
    /// The event classes have changed, or the machine starts: the agent begins to count, or stops.
    pub fn tell_agent(&mut self) {
        let on = events::enabled(DIAG_LOAD);
        if on != events::enabled(COUNTING) {
            if on {
                self.give_agent_memory();
                self.set_period(self.agent.period_us);
                self.begin_period(hw::now());
            } else {
                self.agent.due = u64::MAX;
            }
            events::watch(COUNTING, on);
        }
        hw::set_vector(match on {
            true => Vector::Counting,
            false if policy::tos94() || events::enabled(YIELDS) => Vector::Plain,
            false => Vector::Quick,
        });
    }

    /// Tells the period of samples in microseconds.
    pub fn sample_period(&self) -> u32 {
        self.agent.period_us
    }

    /// Whether samples may be so far apart.
    pub fn check_period(microseconds: u32) -> Result<(), Error> {
        PERIODS_US.contains(&microseconds).then_some(()).ok_or(Error::FixedSetting)
    }

    /// Samples are so far apart from the next one on.
    pub fn set_period(&mut self, microseconds: u32) {
        self.agent.period_us = microseconds;
        self.agent.period = self.cycles.of(microseconds) as u32;
        if events::enabled(DIAG_LOAD) {
            self.set_sample_time(hw::now());
        }
    }

    /// On the master: all change the period.
    pub fn set_period_of_all(&mut self, microseconds: u32) {
        self.set_period(microseconds);
        let words = [mpc::operation_address(layout::SAMPLE_PERIOD, 0), microseconds];
        self.net.queue_token(BROADCAST, mpc::PROCESS, words, layout::CLASSES_BYTES);
    }

    /// The next sample is due at the next multiple of the period, and a little later on each slave.
    fn set_sample_time(&mut self, now: u64) {
        let period = self.agent.period;
        let apart = (period >> APART_SHIFT).min(APART) * self.me as u32;
        let next = (now / period as u64 + 1) * period as u64 + apart as u64;
        self.agent.due = next;
        self.want_timer(next);
    }

    fn begin_period(&mut self, now: u64) {
        self.agent.begun = now;
        self.set_sample_time(now);
    }

    /// When the timer has to interrupt for the agent, or for requests.
    pub fn agent_due(&self) -> u64 {
        self.agent.due.min(self.moves_due())
    }

    /// Does what is due for the agent, and for requests.
    #[cold]
    #[inline(never)]
    pub fn serve_agent(&mut self) {
        let now = hw::now();
        if now >= self.agent.due {
            self.send_sample(now);
        }
        self.look_at_moves(now);
    }

    /// Sends a sample, and begins the next period.
    fn send_sample(&mut self, now: u64) {
        let cycles = (now - self.agent.begun).min(u32::MAX as u64) as u32;
        let scale = Scale::of(cycles);
        let sequence = self.agent.sequence;
        self.agent.sequence = sequence.wrapping_add(1);
        let ready = self.ready.count(self.tcbs);
        emit(Part::Begin { sequence, ready: ready.min(u8::MAX as u32) as u8 });
        emit(Part::Period { cycles });
        let sum = self.agent.take_queue(cycles, ready);
        emit(Part::Queue { average: scale.share(sum, ONE_READY as u32) });
        let (tcbs, records) = (self.tcbs, self.agent.records());
        let threads = records.iter().filter_map(|record| Some((Tcb::at(tcbs, record.owner()?), record)));
        let used = threads.clone().fold(0u32, |sum, (tcb, _)| sum.wrapping_add(tcb.measured().used()));
        let gone = self.agent.take_gone();
        emit(Part::User { share: scale.share(used.wrapping_add(gone) as u64, WHOLE) });
        let mut parts = FIXED_PARTS - 1;
        for (processor, traffic) in (0..).zip(self.agent.take_links()).filter(|(_, traffic)| traffic.messages != 0) {
            emit_traffic(Part::Link { processor, sends: traffic.messages }, traffic);
            parts += traffic_parts(traffic);
        }
        let room = PARTS - parts - 1;
        let least = if records.len() <= room / THREAD_PARTS { 0 } else { least_share(threads.clone(), room) };
        for (tcb, record) in threads {
            if has_parts(tcb, record, least) {
                parts += emit_thread(tcb, record, &scale);
            }
            tcb.begin_period();
            record.begin_period();
        }
        emit(Part::End { sequence, parts: parts as u16 });
        self.begin_period(now);
    }
}

/// Whether a sample tells of the thread: it did something, and at least so much.
fn has_parts(tcb: &Tcb, record: &Record, least: u32) -> bool {
    let used = tcb.measured().used();
    used >= least && (used != 0 || record.partners().len() != 0)
}

/// Threads that ran for fewer cycles than this are left out, so that there are no more parts than
/// these.
fn least_share<'a>(threads: impl Iterator<Item = (&'a Tcb, &'a Record)> + Clone, most: usize) -> u32 {
    let mut least = 0u32;
    loop {
        let told = threads.clone().filter(|(tcb, record)| has_parts(tcb, record, least));
        let parts =
            told.map(|(_, record)| 2 + partners(record).map(|(_, traffic)| traffic_parts(traffic)).sum::<usize>());
        if parts.sum::<usize>() <= most {
            return least;
        }
        least = (2 * least).max(1 << 8);
    }
}

/// Tells of a thread; how many parts that takes.
fn emit_thread(tcb: &Tcb, record: &Record, scale: &Scale) -> usize {
    emit(Part::Thread { thread: tcb.number(), movable: !tcb.has_children() });
    emit(Part::Share { share: scale.share(tcb.measured().used() as u64, WHOLE) });
    let mut parts = 2;
    for (id, traffic) in partners(record) {
        emit_traffic(Part::Partner { id, count: traffic.messages }, traffic);
        parts += traffic_parts(traffic);
    }
    parts
}
