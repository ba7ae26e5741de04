//! Time in windows of look-ahead.
//!
//! A window has at most [`LOOKAHEAD`] cycles and ends where the window strobe of the hardware is.
//! Within it no processor can affect another, so each runs to its end by itself, in any order.

use crate::model::centrenet::DmaMemory;
use crate::shared::{Ram, Shared};
use testbed_definitions::timing::LOOKAHEAD;

/// A processor in the hands of a [`Schedule`].
pub(crate) trait Core {
    /// Executes everything that happens before cycle `until`. Its effects on others go to `shared`,
    /// with their cycles.
    fn run(&mut self, shared: &mut Shared, until: u64);

    /// If it is asleep, the cycle in which something wakes it, as far as that is known
    /// ([`u64::MAX`] if nothing does); `None` if it is awake.
    fn sleeps_until(&self, shared: &mut Shared) -> Option<u64>;

    /// Its RAM, for DMA between the windows.
    fn ram(&mut self) -> &mut impl Ram;
}

/// Processors that run in windows, with what they share.
pub(crate) struct Schedule<C> {
    pub cores: Vec<C>,
    pub shared: Shared,
    cycle: u64,
}

impl<C: Core> Schedule<C> {
    /// At the start of cycle 0.
    pub fn new(cores: Vec<C>, shared: Shared) -> Self {
        Schedule { cores, shared, cycle: 0 }
    }

    /// The cycle that comes next.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Runs all processors until exactly cycle `until`.
    pub fn run_until(&mut self, until: u64) {
        while self.cycle < until {
            let window = (self.cycle / LOOKAHEAD + 1) * LOOKAHEAD;
            // A sleep may end in the middle of a window, but windows begin and end where the strobe
            // does.
            let quiet = self.asleep_until() / LOOKAHEAD * LOOKAHEAD;
            self.run_window(window.max(quiet).min(until));
        }
        // Whoever looks at RAM now sees all DMA that has been done.
        self.shared.network.settle(self.cycle, &mut All(&mut self.cores));
    }

    /// Runs one window, ending at `end`.
    fn run_window(&mut self, end: u64) {
        self.shared.network.advance(end, &mut All(&mut self.cores));
        self.shared.monitor.advance(end);
        for core in &mut self.cores {
            core.run(&mut self.shared, end);
        }
        self.cycle = end;
    }

    /// The cycle before which nothing happens because every processor sleeps; the present one if
    /// any is awake.
    fn asleep_until(&mut self) -> u64 {
        let mut wake = u64::MAX;
        for core in &self.cores {
            match core.sleeps_until(&mut self.shared) {
                Some(cycle) => wake = wake.min(cycle),
                None => return self.cycle,
            }
        }
        wake.min(self.shared.network.quiet_until())
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
        fn sleeps_until(&self, _: &mut Shared) -> Option<u64> {
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
