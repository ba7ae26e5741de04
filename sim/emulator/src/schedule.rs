//! Time in windows of look-ahead.
//!
//! A window has at most [`LOOKAHEAD`] cycles and ends where the window strobe of the hardware is.
//! Within it no processor can affect another, so each runs to its end by itself, in any order.
//!
//! Mostly processors run many windows ahead of each other (a *sprint*): as far as the network knows
//! what comes to them, up to the first thing that others could see at once, or to where what one
//! has sent could show. Who is farther by then goes back and comes again as far as that.

use crate::model::centrenet::DmaMemory;
use crate::model::monitor::Event;
use crate::ram::Ram;
use crate::shared::Shared;
use testbed_definitions::packet::STATIONS_MAX;
use testbed_definitions::timing::LOOKAHEAD;

/// A processor in the hands of a [`Schedule`].
pub(crate) trait Core {
    /// Executes everything that happens before cycle `until`. Its effects on others go to `shared`,
    /// with their cycles.
    fn run(&mut self, shared: &mut Shared, until: u64);

    /// Whether it can run ahead at all.
    fn can_run_ahead(&self) -> bool;

    /// Runs as [`Core::run`] does, in [`Shared::ahead`], but not past
    /// [`Network::known_until`](crate::model::centrenet::Network::known_until), which what it sends
    /// may bring nearer. It stops before the first thing that others could see at once; then it
    /// returns its cycle. [`Core::fall_back`] undoes all of it.
    fn run_ahead(&mut self, shared: &mut Shared, until: u64) -> Option<u64>;

    /// Goes back to where it was when it began to run ahead.
    fn fall_back(&mut self, shared: &mut Shared);

    /// Nothing has come from the others: what it did ahead is certain. Adds the events that it has
    /// stored.
    fn arrive(&mut self, events: &mut Vec<Event>);

    /// If it is asleep, the cycle in which something wakes it, as far as that is known
    /// ([`u64::MAX`] if nothing does); `None` if it is awake.
    fn sleeps_until(&self, shared: &Shared) -> Option<u64>;

    /// Its RAM, for DMA between the windows.
    fn ram(&mut self) -> &mut impl Ram;
}

/// Processors that run in windows, with what they share.
pub(crate) struct Schedule<C> {
    pub cores: Vec<C>,
    pub shared: Shared,
    cycle: u64,
    reach: Reach,
    /// Whoever ended the last sprint: after those for whom a packet has come, which they may
    /// answer, it is the likeliest to end the next one, and all that run after it need not go back.
    first: usize,
    /// Room for [`Schedule::report`].
    events: Vec<Event>,
}

/// How far processors run ahead: a sprint that somebody ends early has cost the others their way
/// back.
struct Reach {
    /// Cycles of the next sprint.
    cycles: u64,
    /// Windows before the next sprint is tried, and those to wait for after the next failure.
    pause: u64,
    penalty: u64,
}

/// Why a sprint has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// It has gone all the way.
    Planned,
    /// Others may see from here on what one has sent.
    Sent,
    /// One has stopped before what others could see at once.
    Stopped,
}

impl Reach {
    /// Cycles of the longest sprint, and of the shortest one that is worth while.
    const MOST: u64 = 4096;
    const LEAST: u64 = 4 * LOOKAHEAD;
    /// The longest pause, in windows.
    const PAUSE: u64 = 64;

    const START: Reach = Reach { cycles: Self::LEAST, pause: 0, penalty: 1 };

    /// Whether to try a sprint now.
    fn is_worth_while(&mut self) -> bool {
        let tries = self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        tries
    }

    /// A sprint has ended after so many cycles.
    fn learn(&mut self, end: End, cycles: u64) {
        match end {
            End::Planned => {
                self.cycles = (2 * self.cycles).min(Self::MOST);
                self.penalty = 1;
            }
            End::Sent => self.cycles = (self.cycles / 4 * 3).max(Self::LEAST),
            End::Stopped => {
                self.cycles = (self.cycles / 2).max(Self::LEAST);
                // What it has stopped for is still to be done.
                self.pause = 1;
                if cycles < Self::LEAST {
                    self.pause = self.penalty;
                    self.penalty = (2 * self.penalty).min(Self::PAUSE);
                }
            }
        }
    }
}

impl<C: Core> Schedule<C> {
    /// At the start of cycle 0.
    pub fn new(cores: Vec<C>, shared: Shared) -> Self {
        Schedule { cores, shared, cycle: 0, reach: Reach::START, first: 0, events: Vec::new() }
    }

    /// The cycle that comes next.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Runs all processors until exactly cycle `until`.
    pub fn run_until(&mut self, until: u64) {
        while self.cycle < until {
            self.shared.network.advance(self.cycle, &mut All(&mut self.cores));
            let window = (self.cycle / LOOKAHEAD + 1) * LOOKAHEAD;
            // A sleep may end in the middle of a window, but windows of sleep begin and end where
            // the strobe does.
            let quiet = self.asleep_until() / LOOKAHEAD * LOOKAHEAD;
            let sprint = if quiet <= window { self.sprint(until) } else { None };
            match sprint {
                Some(end) => self.run_sprint(end),
                None => self.run_window(window.max(quiet).min(until)),
            }
        }
        // Whoever looks at RAM now sees all DMA that has been done.
        self.shared.network.settle(self.cycle, &mut All(&mut self.cores));
    }

    /// Runs one window, ending at `end`.
    fn run_window(&mut self, end: u64) {
        self.shared.monitor.advance(end);
        for core in &mut self.cores {
            core.run(&mut self.shared, end);
        }
        self.cycle = end;
    }

    /// The end of a sprint on which processors may run ahead, if one begins here.
    fn sprint(&mut self, until: u64) -> Option<u64> {
        let end = self.shared.network.known_until().min(self.cycle + self.reach.cycles).min(until);
        let tries = end > self.cycle + LOOKAHEAD && self.cores.iter().all(C::can_run_ahead);
        (tries && self.reach.is_worth_while()).then_some(end)
    }

    /// Runs all processors to `end`, or to where others could see what the first of them does.
    fn run_sprint(&mut self, end: u64) {
        let begin = self.cycle;
        let (certain, end) = self.run_ahead(end);
        self.reach.learn(end, certain - begin);
        self.cycle = certain;
        self.report();
        self.shared.monitor.advance(certain);
    }

    /// Runs each processor ahead of the others, and those back that have come too far; returns how
    /// far all is certain, and why no farther.
    fn run_ahead(&mut self, end: u64) -> (u64, End) {
        let (begin, mut certain, mut end) = (self.cycle, end, End::Planned);
        let mut reached = [0; STATIONS_MAX];
        self.shared.ahead = true;
        let (first, count) = (self.first, self.cores.len());
        let expects = self.shared.network.expecting();
        let turn = |expecting| (first..count).chain(0..first).filter(move |&number| expects[number] == expecting);
        for number in turn(true).chain(turn(false)) {
            let stopped = self.cores[number].run_ahead(&mut self.shared, certain);
            let seen = self.shared.network.known_until();
            let stopped = stopped.filter(|&cycle| cycle < seen);
            let least = stopped.unwrap_or(seen);
            if least < certain {
                (certain, end) = (least, if stopped.is_some() { End::Stopped } else { End::Sent });
                self.first = number;
            }
            reached[number] = certain;
        }
        for (core, reached) in self.cores.iter_mut().zip(reached) {
            if reached > certain {
                core.fall_back(&mut self.shared);
                if certain > begin {
                    core.run(&mut self.shared, certain);
                }
            }
        }
        self.shared.network.arrive();
        self.shared.ahead = false;
        (certain, end)
    }

    /// Tells the monitor of the events that were stored ahead.
    fn report(&mut self) {
        for core in &mut self.cores {
            core.arrive(&mut self.events);
        }
        self.events.sort_unstable();
        self.shared.monitor.smi_events(&self.events, self.cycle);
        self.events.clear();
    }

    /// The cycle before which nothing happens because every processor sleeps; the present one if
    /// any is awake.
    fn asleep_until(&mut self) -> u64 {
        let mut wake = u64::MAX;
        for core in &self.cores {
            match core.sleeps_until(&self.shared) {
                Some(cycle) => wake = wake.min(cycle),
                None => return self.cycle,
            }
        }
        wake.min(self.shared.network.known_until())
    }
}

/// All memories, for DMA between the windows.
struct All<'a, C>(&'a mut [C]);

impl<C: Core> DmaMemory for All<'_, C> {
    fn read(&mut self, station: usize, offset: u32) -> u32 {
        self.0[station].ram().read(offset)
    }
    fn write(&mut self, station: usize, offset: u32, value: u32) {
        self.0[station].ram().write_behind(offset, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed_machine::Machine;

    /// A core that executes nothing and notes the windows that it is given.
    struct Idle {
        /// The cycle that ends its sleep; awake without.
        wakes: Option<u64>,
        windows: Vec<u64>,
        ram: NoRam,
    }

    struct NoRam;

    impl Ram for NoRam {
        fn read(&self, _: u32) -> u32 {
            0
        }
        fn write_behind(&mut self, _: u32, _: u32) {}
    }

    impl Core for Idle {
        fn run(&mut self, _: &mut Shared, until: u64) {
            self.windows.push(until);
        }
        fn can_run_ahead(&self) -> bool {
            false
        }
        fn run_ahead(&mut self, _: &mut Shared, _: u64) -> Option<u64> {
            None
        }
        fn fall_back(&mut self, _: &mut Shared) {}
        fn arrive(&mut self, _: &mut Vec<Event>) {}
        fn sleeps_until(&self, _: &Shared) -> Option<u64> {
            self.wakes.filter(|wakes| self.windows.last().is_none_or(|last| last < wakes))
        }
        fn ram(&mut self) -> &mut impl Ram {
            &mut self.ram
        }
    }

    /// The windows that two cores get, one of which is asleep until cycle 1000, on the way to these
    /// cycles.
    fn windows(wakes: Option<u64>, cycles: &[u64]) -> Vec<u64> {
        let machine = Machine { processors: ["a", "b"].map(String::from).into(), ..Machine::testbed6() };
        let core = |wakes| Idle { wakes, windows: Vec::new(), ram: NoRam };
        let mut schedule = Schedule::new(vec![core(wakes), core(Some(1000))], Shared::new(&machine));
        for until in cycles {
            schedule.run_until(*until);
            assert_eq!(schedule.cycle(), *until);
        }
        let [first, second] = &schedule.cores[..] else { panic!("there are two") };
        assert_eq!(first.windows, second.windows);
        first.windows.clone()
    }

    #[test]
    fn windows_end_at_strobes_and_where_they_are_told_to() {
        assert_eq!(LOOKAHEAD, 32);
        assert_eq!(windows(None, &[100]), [32, 64, 96, 100]);
        assert_eq!(windows(None, &[33, 40, 64, 65]), [32, 33, 40, 64, 65]);
    }

    #[test]
    fn where_all_sleep_a_window_is_long_and_ends_at_the_last_strobe_before_one_wakes() {
        assert_eq!(windows(Some(500), &[560]), [480, 512, 544, 560]);
        assert_eq!(windows(Some(u64::MAX), &[300, 1100]), [300, 992, 1024, 1056, 1088, 1100]);
    }
}
