//! System device: identity of the machine, end of a simulation.

use rust_hdl::prelude::*;
use testbed_definitions::map::system;

/// Tells software what machine it runs on and takes its exit code.
///
/// ```text
///              +-----------+
///   select  -->|           |--> rdata
///   address -->|           |
///   read    -->|  System   |--> exit_valid
///   write   -->|           |--> exit_code
///   wdata   -->|           |
///   clock   -->|>          |
///              +-----------+
/// ```
///
/// The first store to EXIT, in *t*, sets `exit_valid` and `exit_code` from *t*+1 on; later ones are ignored. `rdata` is
/// the register selected by `select`, `read` and `address` in the cycle before, else 0. Offsets are those of
/// [`testbed_definitions::map::system`]; bits 1:0 of the address do not count.
#[derive(LogicBlock)]
pub struct System {
    pub clock: Signal<In, Clock>,
    pub select: Signal<In, Bit>,
    pub address: Signal<In, Bits<16>>,
    pub read: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub rdata: Signal<Out, Bits<32>>,
    /// Stays set after the first store to EXIT.
    pub exit_valid: Signal<Out, Bit>,
    pub exit_code: Signal<Out, Bits<32>>,
    exited: DFF<Bit>,
    code: DFF<Bits<32>>,
    answer: DFF<Bits<32>>,
    word: Signal<Local, Bits<16>>,
    ram_bytes: Constant<Bits<32>>,
    clock_hz: Constant<Bits<32>>,
    processors: Constant<Bits<32>>,
    exited_answer: Constant<Bits<32>>,
    at_ram_bytes: Constant<Bits<16>>,
    at_clock_hz: Constant<Bits<16>>,
    at_processors: Constant<Bits<16>>,
    at_exit: Constant<Bits<16>>,
}

impl System {
    /// With what it tells: RAM of this processor in bytes, nominal clock in hertz, processors in the machine.
    pub fn new(ram_bytes: u32, clock_hz: u32, processors: u32) -> Self {
        let at = |offset: u32| Constant::new(offset.to_bits());
        let word = |value: u32| Constant::new(value.to_bits());
        System {
            clock: Default::default(),
            select: Default::default(),
            address: Default::default(),
            read: Default::default(),
            write: Default::default(),
            wdata: Default::default(),
            rdata: Default::default(),
            exit_valid: Default::default(),
            exit_code: Default::default(),
            exited: Default::default(),
            code: Default::default(),
            answer: Default::default(),
            word: Default::default(),
            ram_bytes: word(ram_bytes),
            clock_hz: word(clock_hz),
            processors: word(processors),
            exited_answer: word(1 << 31),
            at_ram_bytes: at(system::RAM_BYTES),
            at_clock_hz: at(system::CLOCK_HZ),
            at_processors: at(system::PROCESSORS),
            at_exit: at(system::EXIT),
        }
    }
}

impl Logic for System {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, exited, code, answer);
        self.word.next = self.address.val() & 0xfffc;

        if self.select.val() && self.write.val() && (self.word.val() == self.at_exit.val()) && !self.exited.q.val() {
            self.exited.d.next = true;
            self.code.d.next = self.wdata.val();
        }

        self.answer.d.next = 0.into();
        if self.select.val() && self.read.val() {
            if self.word.val() == self.at_ram_bytes.val() {
                self.answer.d.next = self.ram_bytes.val();
            } else if self.word.val() == self.at_clock_hz.val() {
                self.answer.d.next = self.clock_hz.val();
            } else if self.word.val() == self.at_processors.val() {
                self.answer.d.next = self.processors.val();
            } else if (self.word.val() == self.at_exit.val()) && self.exited.q.val() {
                self.answer.d.next = self.exited_answer.val();
            }
        }

        self.rdata.next = self.answer.q.val();
        self.exit_valid.next = self.exited.q.val();
        self.exit_code.next = self.code.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::fitting::assert_fits;
    use crate::support::lint::assert_clean;
    use crate::support::synthesis::Family;
    use crate::{differential, step};

    fn block() -> System {
        System::new(65_536, 25_000_000, 6)
    }

    fn load(block: &mut System, offset: u32) -> u32 {
        block.select.next = true;
        block.read.next = true;
        block.address.next = offset.to_bits();
        step!(*block).unwrap();
        block.read.next = false;
        block.rdata.val().index() as u32
    }

    fn store(block: &mut System, offset: u32, value: u32) {
        block.select.next = true;
        block.write.next = true;
        block.address.next = offset.to_bits();
        block.wdata.next = value.to_bits();
        step!(*block).unwrap();
        block.write.next = false;
    }

    #[test]
    fn it_tells_the_machine() {
        let mut block = block();
        block.connect_all();
        assert_eq!(load(&mut block, system::RAM_BYTES), 65_536);
        assert_eq!(load(&mut block, system::CLOCK_HZ + 2), 25_000_000);
        assert_eq!(load(&mut block, system::PROCESSORS), 6);
        assert_eq!(load(&mut block, system::EXIT), 0);
        assert_eq!(load(&mut block, 0x100), 0);
    }

    #[test]
    fn only_the_first_exit_counts() {
        let mut block = block();
        block.connect_all();
        store(&mut block, system::PROCESSORS, 1);
        assert!(!block.exit_valid.val());
        store(&mut block, system::EXIT, 42);
        assert!(block.exit_valid.val());
        store(&mut block, system::EXIT, 43);
        assert_eq!(block.exit_code.val(), 42u64);
        assert_eq!(load(&mut block, system::EXIT), 1 << 31);
    }

    #[test]
    fn verilog_agrees() {
        differential! {
            block: System = block(),
            inputs: [select, address, read, write, wdata],
            outputs: [rdata, exit_valid, exit_code],
            cycles: 2_000,
            seed: 31,
            stimulus: |block, random, _cycle| {
                block.select.next = random.chance(3, 4);
                block.read.next = random.chance(1, 2);
                block.write.next = random.chance(1, 50);
                block.address.next = random.below(24).to_bits();
                block.wdata.next = random.bits();
            }
        }
    }

    #[test]
    fn lint_is_clean() {
        assert_clean(block());
    }

    #[test]
    fn it_synthesises() {
        for family in [Family::Ice40, Family::Ecp5] {
            assert_fits(block(), family, 0, None);
        }
    }
}
