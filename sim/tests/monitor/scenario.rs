//! Random traffic, and what the model makes of it: for each cycle the inputs and the outputs of `MonitorBench`.

use testbed_definitions::filter::{register, total_fields, Command, RULES};
use testbed_definitions::map::{mmi, smi};
use testbed_definitions::monitor::{is_reserved, MmiWord, GAP_MARKER, WRAP_MARKER};
use testbed_definitions::timing::LOOKAHEAD;
use testbed_hdl::monitor::composition::MonitorBench;
use testbed_hdl::monitor::MmiConfig;
use testbed_hdl::support::random::Random;
use testbed_machine::{Machine, Order};
use testbed_sim::model::monitor::Monitor;

pub const SMIS: usize = 3;
/// Inputs in the order of `MonitorBench::ports`: the strobe, the MMI's five, each SMI's five.
pub const INPUTS: usize = 6 + 5 * SMIS;
/// Outputs in that order: the MMI's three, each SMI's two.
pub const OUTPUTS: usize = 3 + 2 * SMIS;

/// What a run is made of.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub seed: u64,
    pub windows: u64,
    pub smi_queue: u32,
    pub mmi_queue: u32,
    pub poll_cycles: u32,
    pub tick_cycles: u32,
    pub port_queue: u32,
    pub port_cycles: u32,
    /// CONTROL after reset.
    pub order: Order,
    /// Whether the master programs CONTROL at random.
    pub control: bool,
    /// Whether the master programs TICK_CYCLES at random.
    pub retick: bool,
    /// Whether it programs the filters at random.
    pub filter: bool,
}

impl Setting {
    pub fn bench(&self) -> MonitorBench {
        let config = MmiConfig::of(&self.machine());
        MonitorBench::new(self.smi_queue, config, (self.port_queue, self.port_cycles))
    }

    fn machine(&self) -> Machine {
        Machine {
            processors: (0..=SMIS).map(|i| format!("p{i}")).collect(),
            smi_queue: self.smi_queue,
            mmi_queue: self.mmi_queue,
            poll_cycles: self.poll_cycles,
            tick_cycles: self.tick_cycles,
            port_queue: self.port_queue,
            port_cycles: self.port_cycles,
            order: self.order,
            ..Machine::testbed6()
        }
    }
}

/// One cycle at the bench: inputs, and the outputs that the model expects.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cycle {
    pub inputs: [u32; INPUTS],
    pub outputs: [u32; OUTPUTS],
}

/// How often things happened, to know that a run tests something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub pairs: u64,
    pub wrap_markers: u64,
    /// Events with time 0: on the very cycle of the wrap, if a tick is a cycle.
    pub on_wrap: u64,
    pub gap_markers: u64,
    pub dropped: u64,
    pub refused: u64,
    pub filtered: u64,
    pub totals: u64,
    pub commands: u64,
    /// How many of them found their window taken.
    pub ignored: u64,
    pub stalls: u64,
    pub user_stores: u64,
    pub words_read: u64,
    pub missed: u64,
}

impl Coverage {
    /// Counts a pair at the trace port. The second half of a gap marker or a total may look like
    /// anything but a first half.
    fn count(&mut self, time: u16, datum: u16) {
        self.pairs += 1;
        self.on_wrap += u64::from(time == 0 && !is_reserved(datum));
        self.wrap_markers += u64::from(datum >> 8 == u16::from(WRAP_MARKER));
        let is_total = total_fields(datum as u8).is_some();
        self.gap_markers += u64::from(datum >> 8 == u16::from(GAP_MARKER) && !is_total);
        self.totals += u64::from(datum >> 8 == u16::from(GAP_MARKER) && is_total);
    }
}

#[derive(Clone, Copy, Debug)]
enum Access {
    None,
    Read(u32),
    Write(u32, u32),
}

/// A processor's habits, changed now and then.
#[derive(Clone, Copy, Debug)]
struct Mood {
    /// Cycles between accesses: a mean of this.
    pause: u64,
    /// How many in 16 of the accesses are stores to EVENT or loads of DATA.
    main: u64,
    /// Cycle of the next access.
    next: u64,
    until: u64,
}

pub struct Scenario {
    setting: Setting,
    random: Random,
    model: Monitor,
    cycles: Vec<Cycle>,
    moods: [Mood; SMIS + 1],
    /// The store that a processor has to repeat (offset, value), and until when it need not ask.
    repeating: [Option<(u32, u32, u64)>; SMIS + 1],
    /// Cycle in which a processor may store its next event, and whether its SMI stalls.
    free: [u64; SMIS + 1],
    stalls: [bool; SMIS + 1],
    /// Words at the trace port, and the last one's value.
    words: u64,
    time: u16,
    /// Window of the last command.
    commanded: Option<u64>,
    coverage: Coverage,
}

/// Runs the model on random traffic.
pub fn scenario(setting: Setting) -> (Vec<Cycle>, Coverage) {
    let mood = Mood { pause: 1, main: 16, next: 0, until: 0 };
    let mut scenario = Scenario {
        setting,
        random: Random::new(setting.seed),
        model: Monitor::new(&setting.machine()),
        cycles: vec![Cycle::default(); (setting.windows * LOOKAHEAD) as usize + 4],
        moods: [mood; SMIS + 1],
        repeating: [None; SMIS + 1],
        free: [0; SMIS + 1],
        stalls: [false; SMIS + 1],
        words: 0,
        time: 0,
        commanded: None,
        coverage: Coverage::default(),
    };
    for window in 0..setting.windows {
        scenario.window(window * LOOKAHEAD);
    }
    scenario.finish()
}

impl Scenario {
    /// All processors run the window that begins at `start`, one after the other in any order.
    fn window(&mut self, start: u64) {
        if self.random.chance(1, 2) {
            self.model.advance(start + self.random.below(LOOKAHEAD + 1));
        }
        let first = self.random.below(4) as usize;
        for i in 0..=SMIS {
            let processor = (first + i) % (SMIS + 1);
            for cycle in start..start + LOOKAHEAD {
                self.cycle(processor, cycle);
            }
        }
        if self.random.chance(1, 20) {
            self.check_counters(start + LOOKAHEAD);
        }
        self.take_trace();
    }

    fn finish(mut self) -> (Vec<Cycle>, Coverage) {
        let end = self.setting.windows * LOOKAHEAD;
        self.check_counters(end);
        self.model.advance(end);
        self.take_trace();
        self.cycles.truncate(end as usize);
        for (cycle, entry) in self.cycles.iter_mut().enumerate() {
            entry.inputs[0] = u32::from(cycle as u64 % LOOKAHEAD == LOOKAHEAD - 1);
        }
        (self.cycles, self.coverage)
    }

    fn take_trace(&mut self) {
        for word in self.model.take_trace() {
            let outputs = &mut self.cycles[word.cycle as usize].outputs;
            assert_eq!(outputs[1], 0, "two trace words in cycle {}", word.cycle);
            outputs[1] = 1;
            outputs[2] = word.word;
            self.words += 1;
            if self.words.is_multiple_of(2) {
                self.coverage.count(self.time, MmiWord::unpack(word.word).value);
            }
            self.time = MmiWord::unpack(word.word).value;
        }
    }

    /// The ledger balances, and the counters are what the registers say.
    fn check_counters(&mut self, cycle: u64) {
        self.model.advance(cycle);
        for i in 1..=SMIS {
            let c = self.model.counters(i, cycle);
            assert_eq!(
                c.emitted + c.markers,
                c.delivered + c.queued + c.dropped + c.refused + c.filtered,
                "ledger in {cycle}: {c:?}"
            );
            assert_eq!(c.delivered, self.model.mmi_load(mmi::DELIVERED + 4 * i as u32, cycle));
            for (offset, value) in [
                (smi::EMITTED, c.emitted),
                (smi::DROPPED, c.dropped),
                (smi::REFUSED, c.refused),
                (smi::FILTERED, c.filtered),
                (smi::MARKERS, c.markers),
            ] {
                assert_eq!(self.model.smi_load(i, offset, cycle), value);
            }
            if cycle == self.setting.windows * LOOKAHEAD {
                self.coverage.missed = u64::from(self.model.mmi_load(mmi::MISSED, cycle));
                self.coverage.dropped += u64::from(c.dropped);
                self.coverage.refused += u64::from(c.refused);
                self.coverage.filtered += u64::from(c.filtered);
            }
        }
    }

    fn cycle(&mut self, processor: usize, cycle: u64) {
        if let Some((offset, value, retry)) = self.repeating[processor] {
            let asks = cycle >= retry || self.random.chance(1, 2);
            self.store_event(processor, (offset, value), cycle, asks, retry);
            return;
        }
        let access = self.choose(processor, cycle);
        match (processor, access) {
            (_, Access::None) => {}
            (0, Access::Read(offset)) => {
                let value = self.model.mmi_load(offset, cycle);
                self.coverage.words_read += u64::from(offset & !3 == mmi::DATA && value != 0);
                self.cycles[cycle as usize + 1].outputs[0] = value;
                self.put(0, cycle, offset, true, 0);
            }
            (0, Access::Write(offset, value)) => {
                if offset == mmi::COMMAND {
                    let window = cycle / LOOKAHEAD;
                    self.coverage.commands += 1;
                    self.coverage.ignored += u64::from(self.commanded.replace(window) == Some(window));
                }
                self.model.mmi_store(offset, value, cycle);
                self.put(0, cycle, offset, false, value);
            }
            (_, Access::Read(offset)) => {
                let value = self.model.smi_load(processor, offset, cycle);
                self.cycles[cycle as usize + 1].outputs[3 + 2 * (processor - 1)] = value;
                self.put(processor, cycle, offset, true, 0);
            }
            (_, Access::Write(offset, value)) if matches!(offset & !3, smi::EVENT | smi::USER_EVENT) => {
                // No core stores in two cycles one after the other, and while it may stall the SMI relies on that.
                if self.stalls[processor] && cycle < self.free[processor] {
                    return;
                }
                self.coverage.user_stores += u64::from(offset & !3 == smi::USER_EVENT);
                self.store_event(processor, (offset, value), cycle, true, 0);
            }
            (_, Access::Write(offset, value)) => {
                if offset & !3 == smi::CONTROL {
                    self.stalls[processor] = value & smi::CONTROL_STALL != 0;
                }
                self.model.smi_store(processor, offset, value, cycle).expect("only events stall");
                self.put(processor, cycle, offset, false, value);
            }
        }
    }

    /// A store to EVENT or USER_EVENT. Unless `asks`, the model said that it stalls before `retry` and
    /// is not asked again.
    fn store_event(&mut self, processor: usize, (offset, value): (u32, u32), cycle: u64, asks: bool, retry: u64) {
        let retry = if asks {
            self.model.smi_store(processor, offset, value, cycle).err().map(|stall| stall.retry)
        } else {
            Some(retry)
        };
        if let Some(retry) = retry {
            assert!(!asks || retry > cycle);
            self.coverage.stalls += 1;
            self.cycles[cycle as usize].outputs[3 + 2 * (processor - 1) + 1] = 1;
        }
        self.free[processor] = cycle + 2;
        self.repeating[processor] = retry.map(|retry| (offset, value, retry));
        self.put(processor, cycle, offset, false, value);
    }

    fn put(&mut self, processor: usize, cycle: u64, offset: u32, read: bool, value: u32) {
        let at = 1 + 5 * processor;
        let port = [1, offset, u32::from(read), u32::from(!read), value];
        self.cycles[cycle as usize].inputs[at..at + 5].copy_from_slice(&port);
    }

    fn choose(&mut self, processor: usize, cycle: u64) -> Access {
        let random = &mut self.random;
        let mood = &mut self.moods[processor];
        if cycle >= mood.until {
            mood.pause = random.one_of(&[1, 1, 2, 2, 3, 8, 40, 300]);
            mood.main = random.one_of(&[16, 15, 8, 1]);
            mood.until = cycle + random.below(random.clone().one_of(&[50, 1000, 10_000]));
        }
        if cycle < mood.next {
            return Access::None;
        }
        // Steady or irregular.
        mood.next = cycle + if random.chance(1, 2) { mood.pause } else { 1 + random.below(2 * mood.pause) };
        let main = random.chance(mood.main, 16);
        if processor == 0 {
            // A core's loads are no closer, and the MMI's queue relies on that.
            mood.next = mood.next.max(cycle + 2);
            self.choose_master(main)
        } else {
            self.choose_slave(main)
        }
    }

    fn choose_slave(&mut self, main: bool) -> Access {
        let random = &mut self.random;
        if main {
            let reserved = random.chance(1, 30);
            let high = if reserved { random.one_of(&[0xaa, 0xab]) } else { random.below(256) };
            let register = random.one_of(&[smi::EVENT, smi::EVENT, smi::USER_EVENT]);
            return Access::Write(register + random.below(4) as u32, (high << 8 | random.below(256)) as u32);
        }
        let near = if random.chance(1, 8) { smi::USER_EVENT } else { 0 };
        let offset = near + random.below(12) as u32 * 4 + random.below(4) as u32;
        match random.below(8) {
            0 => Access::Write(smi::CONTROL, random.one_of(&[0, 2, 2, 3, 1, 4])),
            1 if offset & !3 != smi::EVENT => Access::Write(offset, random.next_u32() & 3),
            _ => Access::Read(offset),
        }
    }

    fn choose_master(&mut self, main: bool) -> Access {
        let Setting { retick, filter, control, .. } = self.setting;
        let random = &mut self.random;
        if main {
            return Access::Read(mmi::DATA);
        }
        match random.below(20) {
            16.. if filter => Access::Write(mmi::COMMAND, command(random).pack()),
            15 => Access::Read(mmi::STATUS),
            0 if control => {
                let on = mmi::CONTROL_POLL;
                let others = random.next_u32() & 0x3f;
                Access::Write(mmi::CONTROL, if random.chance(3, 4) { on | others } else { others })
            }
            9 => Access::Write(mmi::WANTED, random.one_of(&[0xffff, 0xffff, 0, 2, 4, 8, 12, 0x1_0006])),
            10 => Access::Write(mmi::WANTED_DATUM, wanted_datum(random)),
            11 => Access::Read(mmi::MISSED),
            1 => Access::Write(mmi::POLL_CYCLES, random.one_of(&[0, 1, 2, 2, 3, 5, 31, 40, 100])),
            2 if retick => Access::Write(mmi::TICK_CYCLES, random.one_of(&[0, 1, 1, 2, 3, 25, 50, 1000])),
            3..9 => Access::Read(mmi::DELIVERED + random.below(6) as u32 * 4),
            _ => Access::Read(random.below(32) as u32 * 4 + random.below(4) as u32),
        }
    }
}

/// Selects a part of random data, or all.
fn wanted_datum(random: &mut Random) -> u32 {
    let mask = random.one_of(&[0, 0, 0x0001, 0x0300, 0xff00]);
    random.next_u32() & (mask << 16) | mask
}

/// A command that lets the filter take out a part of random traffic.
fn command(random: &mut Random) -> Command {
    let smi = random.one_of(&[0, 0, 1, 2, 3, 4]);
    let rule = 4 * random.below(RULES as u64) as u8;
    let few = (random.next_u32() & random.next_u32() & random.next_u32()) as u16;
    let (register, value) = match random.below(10) {
        0 => (register::INTERVAL, random.one_of(&[0, 1, 2, 4, 6, 9, 16, 40])),
        1 => (register::PAIRS, few & 1),
        2 => (random.below(16) as u8, few),
        3 | 4 => (rule + register::MASK, few),
        5 | 6 => (rule + register::MATCH, few),
        _ => (rule + register::ACTION, random.below(4) as u16),
    };
    Command { smi, register, value }
}
