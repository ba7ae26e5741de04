//! Samples of the load: at the end of each period the agent tells of it, as events of class `load`
//! ([`testbed_definitions::load`]).

use testbed_definitions::event::DIAG_LOAD;
use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::load::{Part, ONE_READY, PARTNERS, PARTS, PERIODS_US, WHOLE, WORD_BYTES};
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::syscall::Error;

use crate::arch::hw;
use crate::drivers::events;
use crate::state::extended::agent::Agent;
use crate::state::extended::measured::{Record, Traffic};
use crate::state::kernel::Kernel;
use crate::state::thread::Tcb;

/// Slaves sample one after the other, so far apart at most, so that the master's queue is not
/// filled by all at once.
const APART: u32 = 8_192;
/// The same as a part of the period.
const APART_SHIFT: u32 = 6;
/// Samples tell of threads every so many time-slices at least, if they are as frequent.
const THREADS_SLICES: u32 = 5;
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

/// From what was counted in windows to the whole period, in 256ths.
struct Factor(u32);

impl Factor {
    const BITS: u32 = 8;

    fn of(cycles: u32, counted: u32) -> Factor {
        if counted >= cycles - (cycles >> Factor::BITS) {
            return Factor(1 << Factor::BITS);
        }
        Factor(cycles / (counted >> Factor::BITS).max(1))
    }

    fn apply(&self, traffic: Traffic) -> Traffic {
        if self.0 == 1 << Factor::BITS || traffic.messages == 0 {
            return traffic;
        }
        let scaled = |value: u32| ((value as u64 * self.0 as u64) >> Factor::BITS).min(u32::MAX as u64) as u32;
        let messages = scaled(traffic.messages);
        // Messages that are all of one size stay so.
        let bytes = if has_bytes(traffic) { scaled(traffic.bytes) } else { messages.wrapping_mul(WORD_BYTES) };
        Traffic { messages, bytes }
    }
}

#[inline(always)]
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
    /// The event classes have changed, or the machine starts: the agent begins, or stops.
    pub fn tell_agent(&mut self) {
        let (on, was_on) = (events::enabled(DIAG_LOAD), self.agent.sample_due != u64::MAX);
        let now = hw::now();
        if on && !was_on {
            self.agent.give_memory(self.tcbs, &mut self.pages);
            self.set_period(self.agent.period_us);
            self.agent.begin(now);
            self.set_tick(now);
            self.count(true, now);
        } else if was_on && !on {
            (self.agent.sample_due, self.agent.tick_due) = (u64::MAX, u64::MAX);
            self.agent.close_window(now);
            self.count(false, now);
        }
        self.choose_vector();
        self.set_agent_alarm();
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
        self.agent.set_period(microseconds, self.cycles.of(microseconds) as u32, self.slice_cycles);
        if events::enabled(DIAG_LOAD) {
            self.set_sample_time(hw::now());
            self.set_agent_alarm();
        }
    }

    /// The period has been set for all. That is the last thing before a balancer begins, so the program
    /// that has waited for it starts.
    pub fn period_told(&mut self, microseconds: u32) {
        self.set_period(microseconds);
        self.start_held();
    }

    /// On the master: all change the period.
    pub fn set_period_of_all(&mut self, microseconds: u32) {
        self.period_told(microseconds);
        let words = [mpc::operation_address(layout::SAMPLE_PERIOD, ProcessId::NONE), microseconds];
        self.net.queue_token(Processor::ALL_OTHERS, mpc::PROCESS, words, layout::CLASSES_BYTES);
    }

    /// The next sample is due at the next multiple of the period, and a little later on each slave.
    fn set_sample_time(&mut self, now: u64) {
        let period = self.agent.period;
        let apart = (period >> APART_SHIFT).min(APART) * self.me.number() as u32;
        let next = (now / period as u64 + 1) * period as u64 + apart as u64;
        // Not one that has just been sent, a little too soon.
        let is_sent = next <= now + self.agent.soon as u64;
        self.agent.sample_due = if is_sent { next + period as u64 } else { next };
    }

    fn set_tick(&mut self, now: u64) {
        self.agent.tick_due = now + self.agent.tick as u64;
    }

    /// Sees to it that the timer interrupts for the agent, and for requests.
    pub fn set_agent_alarm(&mut self) {
        let Agent { sample_due, tick_due, soon, .. } = self.agent;
        let due = sample_due.min(tick_due);
        let exact = self.agent.window_end().min(self.moves_due());
        self.agent.from = due.saturating_sub(soon as u64).min(exact);
        self.agent.alarm = due.min(exact);
        self.want_timer(self.agent.alarm);
    }

    /// Does what is due for the agent, and for requests.
    #[cold]
    #[inline(never)]
    pub fn serve_agent(&mut self) {
        let now = hw::now();
        let soon = now + self.agent.soon as u64;
        let is_sample = soon >= self.agent.sample_due;
        let is_tick = is_sample || soon >= self.agent.tick_due;
        // The kernel takes no interrupts: a thread that is ready has been interrupted.
        let ready = self.ready.count(self.tcbs);
        if is_tick {
            self.agent.look(ready);
            self.agent.end_window(now, ready != 0);
            self.count(true, now);
            self.set_tick(now);
        } else if now >= self.agent.window_end() {
            self.agent.end_window(now, ready != 0);
            self.count(false, now);
        }
        if is_sample {
            self.send_sample(now);
        }
        self.look_at_moves(now);
        self.set_agent_alarm();
        if is_tick {
            self.agent.begin_window(hw::now(), ready != 0);
        }
    }

    /// Sends a sample, and begins the next period.
    fn send_sample(&mut self, now: u64) {
        self.agent.settle(now);
        let sequence = self.agent.sequence;
        self.agent.sequence = sequence.wrapping_add(1);
        let cycles = since(self.agent.begun, now);
        let parts = self.send_head(cycles, sequence);
        let parts = if self.tells_of_threads(now) { parts + self.send_threads(parts, now) } else { parts };
        emit(Part::End { sequence, parts: parts as u16 });
        self.agent.begun = now;
        self.set_sample_time(now);
        self.start_held();
    }

    /// Sends what a sample tells of the processor as a whole; how many parts that takes.
    fn send_head(&mut self, cycles: u32, sequence: u8) -> usize {
        let ready = self.ready.count(self.tcbs);
        emit(Part::Begin { sequence, ready: ready.min(u8::MAX as u32) as u8 });
        emit(Part::Period { cycles });
        let (seen, looks) = self.agent.take_looks();
        let average = (seen * ONE_READY as u32).checked_div(looks).unwrap_or(ready * ONE_READY as u32);
        emit(Part::Queue { average: average.min(u16::MAX as u32) as u16 });
        let counted = self.agent.take_counted();
        emit(Part::User { share: Scale::of(counted).share(self.agent.take_user(self.tcbs) as u64, WHOLE) });
        let factor = Factor::of(cycles, counted);
        let mut parts = FIXED_PARTS - 1;
        for (processor, traffic) in self.agent.take_links() {
            let traffic = factor.apply(traffic);
            emit_traffic(Part::Link { processor: processor.number(), sends: traffic.messages }, traffic);
            parts += traffic_parts(traffic);
        }
        parts
    }

    /// Whether a sample tells of threads: so many time-slices have passed since one has; or there is
    /// enough saved to do so sooner, and each thread that is ready has run.
    fn tells_of_threads(&self, now: u64) -> bool {
        let period = self.slice_cycles * THREADS_SLICES - self.slice_cycles / 2;
        let ready = || self.ready.iter(self.tcbs);
        since(self.agent.threads_begun, now) >= period
            || self.agent.may_hurry() && ready().all(|tcb| tcb.measured().used() != 0)
    }

    /// Sends what a sample of which there are so many parts tells of threads, since one has last
    /// told of them; how many more.
    fn send_threads(&mut self, before: usize, now: u64) -> usize {
        let (tcbs, records) = (self.tcbs, self.agent.records());
        let threads = records.iter().filter_map(|record| Some((Tcb::at(tcbs, record.owner()?), record)));
        let room = PARTS - before - 1;
        let least = if records.len() <= room / THREAD_PARTS { 0 } else { least_share(threads.clone(), room) };
        let counted = self.agent.threads_counted();
        let cycles = since(self.agent.threads_begun, now);
        let (scale, factor) = (Scale::of(counted), Factor::of(cycles, counted));
        let mut parts = 0;
        for (tcb, record) in threads {
            if has_parts(tcb, record, least) {
                parts += emit_thread(tcb, record, &scale, &factor);
            }
            self.agent.begin_thread(tcb, record);
        }
        self.agent.begin_threads(now);
        self.agent.pay_parts(parts);
        parts
    }
}

/// Cycles between two times, as far as a word holds them.
fn since(then: u64, now: u64) -> u32 {
    (now - then).min(u32::MAX as u64) as u32
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
fn emit_thread(tcb: &Tcb, record: &Record, scale: &Scale, factor: &Factor) -> usize {
    emit(Part::Thread { thread: tcb.number().bits(), movable: !tcb.has_children() });
    emit(Part::Share { share: scale.share(tcb.measured().used() as u64, WHOLE) });
    let mut parts = 2;
    for (id, traffic) in partners(record) {
        let traffic = factor.apply(traffic);
        emit_traffic(Part::Partner { id, count: traffic.messages }, traffic);
        parts += traffic_parts(traffic);
    }
    parts
}
