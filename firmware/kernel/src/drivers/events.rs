//! The kernel's events. Testing a class is a load, an `and` and a branch; emitting is one store.

use core::sync::atomic::{AtomicU32, Ordering};
use testbed_definitions::event::{self, MORE};
use testbed_definitions::ids::Channel;
use testbed_definitions::{map, monitor};

use crate::arch::hw;
use crate::drivers::extended::settings;
use crate::variant;

/// With the feature `unmonitored` all that follows compiles to nothing where events are tested for
/// and emitted.
const MONITORED: bool = !cfg!(feature = "unmonitored");

/// The diagnostic level: classes of events to emit. Stays 0 on the master, which has no monitoring
/// interface.
static DGL: AtomicU32 = AtomicU32::new(0);

/// The agent counts: in the word of the classes, so that one look tells of both.
pub const COUNTING: u32 = extended(9);
/// Requests wait for a thread that is ready; likewise.
pub const AWAITING: u32 = extended(10);

const _: () = assert!((COUNTING | AWAITING) & event::DIAG_ALL == 0);

/// A bit that the small kernel never sets.
const fn extended(bit: u32) -> u32 {
    if variant::PAGES_GO {
        1 << bit
    } else {
        0
    }
}

/// Classes of all events that tell of a yield.
pub const YIELDS: u32 = event::DIAG_PROFILE | event::DIAG_READY;

/// Sets [`COUNTING`] or [`AWAITING`], or takes it back.
pub fn watch(bit: u32, on: bool) {
    let now = DGL.load(Ordering::Relaxed);
    DGL.store(if on { now | bit } else { now & !bit }, Ordering::Relaxed);
}

/// Chooses the classes; `has_monitor`: this processor emits events.
pub fn enable(classes: u32, has_monitor: bool) {
    settings::note_classes(classes);
    if has_monitor {
        DGL.store(classes | DGL.load(Ordering::Relaxed) & (COUNTING | AWAITING), Ordering::Relaxed);
        // What programs store themselves the monitor takes or leaves.
        let takes = if enabled(event::DIAG_USER) { map::smi::CONTROL_USER } else { 0 };
        hw::write(map::SMI_BASE, map::smi::CONTROL, takes);
    }
}

/// Has the MMI pass a command to the filters. It takes one in each window.
pub fn command(word: u32) {
    use map::mmi;
    while hw::read(map::MMI_BASE, mmi::STATUS) & mmi::STATUS_COMMAND_BUSY != 0 {}
    hw::write(map::MMI_BASE, mmi::COMMAND, word);
}

/// Emits an event with an argument, whatever the classes are.
pub fn tell(code: u16, argument: u16) {
    emit_word(code | MORE);
    emit_word(argument);
}

/// Whether `class`, or any of several, is enabled.
#[inline(always)]
pub fn enabled(class: u32) -> bool {
    MONITORED && DGL.load(Ordering::Relaxed) & class != 0
}

/// The classes that are enabled, looked at once: for who serves a call without another look.
#[derive(Clone, Copy)]
pub struct Classes(u32);

impl Classes {
    #[inline(always)]
    pub fn now() -> Classes {
        Classes(DGL.load(Ordering::Relaxed))
    }

    /// [`enabled`], of these classes.
    #[inline(always)]
    pub fn has(self, class: u32) -> bool {
        MONITORED && self.0 & class != 0
    }

    /// [`emit`], of these classes.
    #[inline(always)]
    pub fn emit(self, class: u32, code: u16) {
        if self.has(class) {
            emit_word(code);
        }
    }
}

/// Whether the agent or requests to move threads want the timer.
#[inline(always)]
pub fn is_watched() -> bool {
    variant::PAGES_GO && enabled(event::DIAG_LOAD | AWAITING)
}

/// Emits a word of an event whose class is known to be enabled: one store to the monitor.
#[inline(always)]
pub fn emit_word(word: u16) {
    if !MONITORED {
        return;
    }
    // SAFETY: the register is there on every processor on which an event class is enabled.
    unsafe { core::ptr::write_volatile((map::SMI_BASE + map::smi::EVENT) as *mut u16, word) }
}

/// Emits a single-word event of `class`.
#[inline(always)]
pub fn emit(class: u32, code: u16) {
    if enabled(class) {
        emit_word(code);
    }
}

/// Emits an event of `class` with an argument.
#[inline(always)]
pub fn emit_with(class: u32, code: u16, argument: u16) {
    if enabled(class) {
        emit_word(code | MORE);
        emit_word(argument);
    }
}

/// A thread requests to communicate on `channel`: what it is only where class `detail` asks, looked
/// at where the first class is there.
#[inline(always)]
pub fn request(receive: bool, channel: Channel) {
    if enabled(event::DIAG_PROFILE) {
        emit_word(event::TRAP7);
        if enabled(event::DIAG_DETAIL) {
            emit_word(event::REQUEST | MORE);
            emit_word(event::request_argument(receive, false, false, channel.number()));
        }
    }
}

/// Emits an event and says whether the monitor's queue had room for all of it. What did not fit the
/// monitor has counted, and it will mark the gap.
pub fn try_emit_with(code: u16, argument: u16) -> bool {
    let has_room = || hw::read(map::SMI_BASE, map::smi::STATUS) & map::smi::STATUS_FULL == 0;
    let first = has_room();
    emit_word(code | MORE);
    let second = has_room();
    emit_word(argument);
    first && second
}

/// Whether the monitor keeps this datum for its own markers.
pub fn is_reserved(datum: u32) -> bool {
    datum > u16::MAX as u32 || monitor::is_reserved(datum as u16)
}
