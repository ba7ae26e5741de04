//! What the monitors are set to.

use core::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use testbed_definitions::filter::{Command, REGISTERS};
use testbed_definitions::ids::ProcessId;

/// The classes of the whole machine, also on the master.
static CLASSES: AtomicU32 = AtomicU32::new(0);

/// The classes of the whole machine.
pub fn classes() -> u32 {
    CLASSES.load(Ordering::Relaxed)
}

/// What the filter of this processor's monitor is set to; on the master what all are.
static SETTINGS: [AtomicU16; REGISTERS] = [const { AtomicU16::new(0) }; REGISTERS];

/// A command has set a register of the filter here.
pub fn note(command: Command) {
    SETTINGS[command.register as usize % REGISTERS].store(command.value, Ordering::Relaxed);
}

/// A register of the filter here.
pub fn get(register: usize) -> u16 {
    SETTINGS[register % REGISTERS].load(Ordering::Relaxed)
}

/// The process that has last chosen where the MMI puts what it collects; 0: none.
static COLLECTOR: AtomicU16 = AtomicU16::new(0);

/// This process has chosen where the MMI puts what it collects.
pub fn note_collector(process: ProcessId) {
    COLLECTOR.store(process.bits(), Ordering::Relaxed);
}

/// A process ends here. `true`: it has chosen where the MMI puts what it collects, and takes nothing
/// of it any more.
pub fn forget_collector(process: ProcessId) -> bool {
    let collects = COLLECTOR.load(Ordering::Relaxed) == process.bits();
    if collects {
        note_collector(ProcessId::NONE);
    }
    collects
}

/// The classes of the whole machine are these from now on.
pub fn note_classes(classes: u32) {
    CLASSES.store(classes, Ordering::Relaxed);
}
