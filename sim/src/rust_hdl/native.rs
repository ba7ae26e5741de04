//! The simulated machine: stepping, and what it shows.

use rust_hdl::core::atom::Atom;
use rust_hdl::core::probe::Probe;
use rust_hdl::prelude::*;
use testbed_hdl::machine::Machine;
use testbed_hdl::support::bench::PASSES_MAX;
use testbed_machine::Machine as Description;

use crate::engine::{EngineError, Retirement};

/// What `$what` gives of the core that `$processor` has, as `$core`.
macro_rules! of_core {
    ($processor:expr, $core:ident => $what:expr) => {
        if $processor.core.count() == 1 {
            let $core = &*$processor.core;
            $what
        } else {
            let $core = &*$processor.pipeline;
            $what
        }
    };
}

/// What one processor shows in a cycle.
pub(super) struct Sample {
    pub retired: bool,
    /// The first half of a pair is committed.
    pub half: bool,
    pub trapped: bool,
    pub byte: Option<u8>,
    pub exit: Option<u32>,
}

/// A simulated machine. Between calls its clock is low and all signals are those of one cycle.
pub(super) struct Native(Machine);

/// Passes after which a clock edge has reached every register: one for each level of blocks, and one to spare.
const EDGE_PASSES: usize = 10;

impl Native {
    /// The machine that `description` describes, connected and settled in cycle 0.
    pub fn start(description: &Description, reset_vector: u32) -> Result<Self, EngineError> {
        let mut machine = Machine::new(description);
        machine.connect_all();
        machine.reset_vector.next = u64::from(reset_vector).into();
        machine.rx.next = true;
        machine.trace_ready.next = true;
        machine.clock.next = false.into();
        settle(&mut machine)?;
        Ok(Native(machine))
    }

    /// Goes on to the next cycle.
    pub fn step(&mut self) -> Result<(), EngineError> {
        self.0.clock.next = true.into();
        for _ in 0..EDGE_PASSES {
            self.0.update_all();
        }
        // The falling edge means nothing to any block, so it may travel while the logic behind the registers settles.
        self.0.clock.next = false.into();
        settle(&mut self.0)
    }

    /// Sets the level of the serial line into the machine in this cycle.
    pub fn set_line(&mut self, high: bool) -> Result<(), EngineError> {
        self.0.rx.next = high;
        settle(&mut self.0)
    }

    /// Whether the UART on that line has room for a character, and the cycles of a sixteenth of a
    /// bit.
    pub fn line(&self) -> (bool, u32) {
        (self.0.rts.val(), self.0.processors[0].uart.divisor())
    }

    pub fn trace_word(&self) -> Option<u32> {
        self.0.trace_valid.val().then(|| self.0.trace_word.val().index() as u32)
    }

    pub fn sample(&self, processor: usize) -> Sample {
        let processor = &self.0.processors[processor];
        let exit = processor.system.exit_valid.val().then(|| word(&processor.system.exit_code));
        let (retired, half, trapped) = of_core!(processor, core => {
            (core.retire_valid.val(), core.retire_half.val(), core.retire_trap.val())
        });
        Sample {
            retired,
            half,
            trapped,
            byte: processor.uart.tx_valid.val().then(|| processor.uart.tx_data.val().index() as u8),
            exit,
        }
    }

    /// What the retirement port shows; its cycle is 0.
    pub fn retirement(&self, processor: usize) -> Retirement {
        of_core!(self.0.processors[processor], core => Retirement {
            cycle: 0,
            trap: core.retire_trap.val(),
            half: core.retire_half.val(),
            pc: word(&core.retire_pc),
            instruction: word(&core.retire_instruction),
            rd: core.retire_rd.val().index() as u8,
            value: word(&core.retire_value),
            cause: word(&core.retire_cause),
            tval: word(&core.retire_tval),
            load: core.retire_load.val(),
            store: core.retire_store.val(),
            address: word(&core.retire_address),
            data: word(&core.retire_data),
            mask: core.retire_mask.val().index() as u8,
        })
    }

    pub fn ram(&self, processor: usize) -> &[u32] {
        self.0.processors[processor].ram.words()
    }

    pub fn ram_mut(&mut self, processor: usize) -> &mut [u32] {
        self.0.processors[processor].ram.words_mut()
    }

    pub fn block(&self) -> &dyn Block {
        &self.0
    }
}

fn word(signal: &Signal<Out, Bits<32>>) -> u32 {
    signal.val().index() as u32
}

fn settle<B: Block>(block: &mut B) -> Result<(), EngineError> {
    if simulate(block, PASSES_MAX) {
        Ok(())
    } else {
        Err(EngineError::Failed(format!("the machine does not settle within {PASSES_MAX} passes")))
    }
}

/// Value of a signal, as [`crate::probes`] names it: instances separated by dots, then
/// `instance$port`, or a name without an instance.
pub(super) fn value(block: &dyn Block, scope: &str, name: &str) -> Option<u32> {
    let name = name.rsplit_once('$').map_or(name.to_string(), |(instance, port)| format!("{instance}.{port}"));
    let wanted = format!("machine.{scope}.{name}");
    let mut finder = Finder { wanted, path: Vec::new(), found: None };
    block.accept("machine", &mut finder);
    finder.found
}

struct Finder {
    wanted: String,
    path: Vec<String>,
    found: Option<u32>,
}

impl Probe for Finder {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        self.path.push(name.into());
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.path.pop();
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let scope = self.path.join(".");
        if self.wanted.strip_prefix(&scope).and_then(|rest| rest.strip_prefix('.')) == Some(name) {
            self.found = Some(signal.verilog().as_usize() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of blocks below the one visited, itself included.
    #[derive(Default)]
    struct Levels {
        now: usize,
        most: usize,
    }

    impl Probe for Levels {
        fn visit_start_scope(&mut self, _name: &str, _node: &dyn Block) {
            self.now += 1;
            self.most = self.most.max(self.now);
        }
        fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
            self.now -= 1;
        }
        fn visit_atom(&mut self, _name: &str, _signal: &dyn Atom) {}
    }

    #[test]
    fn an_edge_reaches_the_lowest_level_in_the_passes_given() {
        let mut levels = Levels::default();
        Machine::new(&Description::testbed6()).accept("top", &mut levels);
        assert!(levels.most > 3, "the machine has levels: {}", levels.most);
        assert!(levels.most < EDGE_PASSES, "{} levels in {EDGE_PASSES} passes", levels.most);
    }
}
