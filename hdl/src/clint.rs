//! Core-local interruptor: the machine's time, the timer interrupt, the software interrupt.

use rust_hdl::prelude::*;
use testbed_definitions::map::clint;

/// Counts cycles in 64 bits and compares them.
///
/// ```text
///              +-----------+
///   select  -->|           |--> rdata
///   address -->|           |--> timer
///   read    -->|   Clint   |--> software
///   write   -->|           |--> mtime_low
///   wdata   -->|           |--> mtime_high
///   clock   -->|>          |
///              +-----------+
/// ```
///
/// `mtime` is 0 in cycle 0 and grows by one a cycle; a store to a half in *t* sets it for *t*+1, while the other half
/// stays without the increment of *t*. `mtimecmp` is all ones at first. `timer` in *t*+1 is `mtime >= mtimecmp` of *t*;
/// `software` is bit 0 of `msip`. `rdata` is the register selected by `select`, `read` and `address` in the cycle
/// before, else 0. Offsets are those of [`testbed_definitions::map::clint`]; bits 1:0 of the address do not count.
#[derive(LogicBlock)]
pub struct Clint {
    pub clock: Signal<In, Clock>,
    pub select: Signal<In, Bit>,
    pub address: Signal<In, Bits<16>>,
    pub read: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub rdata: Signal<Out, Bits<32>>,
    /// Timer interrupt line.
    pub timer: Signal<Out, Bit>,
    /// Software interrupt line.
    pub software: Signal<Out, Bit>,
    pub mtime_low: Signal<Out, Bits<32>>,
    pub mtime_high: Signal<Out, Bits<32>>,
    low: DFF<Bits<32>>,
    high: DFF<Bits<32>>,
    // Kept inverted: registers start at 0, `mtimecmp` at all ones.
    not_compare_low: DFF<Bits<32>>,
    not_compare_high: DFF<Bits<32>>,
    msip: DFF<Bit>,
    expired: DFF<Bit>,
    answer: DFF<Bits<32>>,
    word: Signal<Local, Bits<16>>,
    store: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    low_plus_one: Signal<Local, Bits<32>>,
    compare_low: Signal<Local, Bits<32>>,
    compare_high: Signal<Local, Bits<32>>,
    at_msip: Constant<Bits<16>>,
    at_mtimecmp_low: Constant<Bits<16>>,
    at_mtimecmp_high: Constant<Bits<16>>,
    at_mtime_low: Constant<Bits<16>>,
    at_mtime_high: Constant<Bits<16>>,
}

impl Default for Clint {
    fn default() -> Self {
        let at = |offset: u32| Constant::new(offset.to_bits());
        Clint {
            clock: Default::default(),
            select: Default::default(),
            address: Default::default(),
            read: Default::default(),
            write: Default::default(),
            wdata: Default::default(),
            rdata: Default::default(),
            timer: Default::default(),
            software: Default::default(),
            mtime_low: Default::default(),
            mtime_high: Default::default(),
            low: Default::default(),
            high: Default::default(),
            not_compare_low: Default::default(),
            not_compare_high: Default::default(),
            msip: Default::default(),
            expired: Default::default(),
            answer: Default::default(),
            word: Default::default(),
            store: Default::default(),
            load: Default::default(),
            low_plus_one: Default::default(),
            compare_low: Default::default(),
            compare_high: Default::default(),
            at_msip: at(clint::MSIP),
            at_mtimecmp_low: at(clint::MTIMECMP_LOW),
            at_mtimecmp_high: at(clint::MTIMECMP_HIGH),
            at_mtime_low: at(clint::MTIME_LOW),
            at_mtime_high: at(clint::MTIME_HIGH),
        }
    }
}

impl Logic for Clint {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, low, high, not_compare_low, not_compare_high, msip, expired, answer);
        self.word.next = self.address.val() & 0xfffc;
        self.store.next = self.select.val() & self.write.val();
        self.load.next = self.select.val() & self.read.val();
        self.compare_low.next = !self.not_compare_low.q.val();
        self.compare_high.next = !self.not_compare_high.q.val();

        // Time, and the comparison with it.
        self.low_plus_one.next = self.low.q.val() + 1;
        self.low.d.next = self.low_plus_one.val();
        if self.low_plus_one.val() == 0 {
            self.high.d.next = self.high.q.val() + 1;
        }
        self.expired.d.next = (self.high.q.val() > self.compare_high.val())
            | ((self.high.q.val() == self.compare_high.val()) & (self.low.q.val() >= self.compare_low.val()));

        // Stores.
        if self.store.val() {
            if self.word.val() == self.at_msip.val() {
                self.msip.d.next = self.wdata.val().get_bit(0);
            } else if self.word.val() == self.at_mtimecmp_low.val() {
                self.not_compare_low.d.next = !self.wdata.val();
            } else if self.word.val() == self.at_mtimecmp_high.val() {
                self.not_compare_high.d.next = !self.wdata.val();
            } else if self.word.val() == self.at_mtime_low.val() {
                self.low.d.next = self.wdata.val();
                self.high.d.next = self.high.q.val();
            } else if self.word.val() == self.at_mtime_high.val() {
                self.low.d.next = self.low.q.val();
                self.high.d.next = self.wdata.val();
            }
        }

        // Loads.
        self.answer.d.next = 0.into();
        if self.load.val() {
            if self.word.val() == self.at_msip.val() {
                if self.msip.q.val() {
                    self.answer.d.next = 1.into();
                }
            } else if self.word.val() == self.at_mtimecmp_low.val() {
                self.answer.d.next = self.compare_low.val();
            } else if self.word.val() == self.at_mtimecmp_high.val() {
                self.answer.d.next = self.compare_high.val();
            } else if self.word.val() == self.at_mtime_low.val() {
                self.answer.d.next = self.low.q.val();
            } else if self.word.val() == self.at_mtime_high.val() {
                self.answer.d.next = self.high.q.val();
            }
        }

        self.rdata.next = self.answer.q.val();
        self.timer.next = self.expired.q.val();
        self.software.next = self.msip.q.val();
        self.mtime_low.next = self.low.q.val();
        self.mtime_high.next = self.high.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::fitting::assert_fits;
    use crate::support::lint::assert_clean;
    use crate::support::synthesis::Family;
    use crate::{differential, settle_low, step};

    fn connected() -> Clint {
        let mut block = Clint::default();
        block.connect_all();
        block
    }

    fn store(block: &mut Clint, offset: u32, value: u32) {
        block.select.next = true;
        block.write.next = true;
        block.address.next = offset.to_bits();
        block.wdata.next = value.to_bits();
        step!(*block).unwrap();
        block.select.next = false;
        block.write.next = false;
    }

    fn load(block: &mut Clint, offset: u32) -> u32 {
        block.select.next = true;
        block.read.next = true;
        block.address.next = offset.to_bits();
        step!(*block).unwrap();
        block.select.next = false;
        block.read.next = false;
        block.rdata.val().index() as u32
    }

    #[test]
    fn time_counts_cycles_from_zero() {
        let mut block = connected();
        settle_low!(block).unwrap();
        assert_eq!(block.mtime_low.val(), 0u64);
        for cycle in 0..5 {
            assert_eq!(load(&mut block, clint::MTIME_LOW), cycle);
        }
    }

    #[test]
    fn a_half_is_set_for_the_next_cycle_and_the_other_is_kept() {
        let mut block = connected();
        store(&mut block, clint::MTIME_LOW, u32::MAX);
        // In the cycle of this store the carry would go to the high half.
        store(&mut block, clint::MTIME_HIGH, 7);
        assert_eq!((block.mtime_low.val(), block.mtime_high.val()), (u64::from(u32::MAX).to_bits(), 7.into()));
        step!(block).unwrap();
        assert_eq!((block.mtime_low.val(), block.mtime_high.val()), (0.into(), 8.into()));
        store(&mut block, clint::MTIME_LOW, 3);
        assert_eq!((block.mtime_low.val(), block.mtime_high.val()), (3.into(), 8.into()));
    }

    #[test]
    fn the_timer_line_follows_the_comparison_by_a_cycle() {
        let mut block = connected();
        assert_eq!(load(&mut block, clint::MTIMECMP_HIGH), u32::MAX);
        assert_eq!(load(&mut block, clint::MTIMECMP_LOW), u32::MAX);
        store(&mut block, clint::MTIMECMP_HIGH, 0);
        store(&mut block, clint::MTIMECMP_LOW, 10);
        for cycle in 4..20u64 {
            assert_eq!(block.mtime_low.val(), cycle);
            assert_eq!(block.timer.val(), cycle > 10, "cycle {cycle}");
            step!(block).unwrap();
        }
    }

    #[test]
    fn other_offsets_read_zero_and_ignore_stores() {
        let mut block = connected();
        store(&mut block, clint::MSIP, 0xffff_ffff);
        store(&mut block, 0x0008, 0);
        assert!(block.software.val());
        assert_eq!(load(&mut block, clint::MSIP + 3), 1);
        assert_eq!(load(&mut block, 0x0004), 0);
        assert_eq!(load(&mut block, 0x8000), 0);
    }

    #[test]
    fn verilog_agrees() {
        let offsets = [clint::MSIP, clint::MTIMECMP_LOW, clint::MTIMECMP_HIGH, clint::MTIME_LOW, clint::MTIME_HIGH, 4];
        differential! {
            block: Clint = Clint::default(),
            inputs: [select, address, read, write, wdata],
            outputs: [rdata, timer, software, mtime_low, mtime_high],
            cycles: 10_000,
            seed: 21,
            stimulus: |block, random, _cycle| {
                block.select.next = random.chance(1, 2);
                block.read.next = random.chance(1, 2);
                block.write.next = random.chance(1, 4);
                block.address.next = (random.one_of(&offsets) + random.below(4) as u32).to_bits();
                // Small and wrapping values, so that comparisons and carries happen.
                let value = random.one_of(&[0, 1, 2, 20, 40, u32::MAX - 3, u32::MAX]);
                block.wdata.next = value.to_bits();
            }
        }
    }

    #[test]
    fn lint_is_clean() {
        assert_clean(Clint::default());
    }

    #[test]
    fn it_synthesises() {
        for family in [Family::Ice40, Family::Ecp5] {
            assert_fits(Clint::default(), family, 0, None);
        }
    }
}
