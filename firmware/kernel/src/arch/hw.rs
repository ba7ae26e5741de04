//! The processor: control registers and memory-mapped registers.

use core::ptr::{read_volatile, write_volatile};
use testbed_definitions::ids::Processor;
use testbed_definitions::{csr, map};

/// Reads the CSR with this number.
macro_rules! read_csr {
    ($number:expr) => {{
        let value: u32;
        // SAFETY: reading a CSR of this machine has no side effect.
        unsafe {
            core::arch::asm!("csrr {0}, {1}", out(reg) value, const $number as usize, options(nomem, nostack));
        }
        value
    }};
}
/// Writes the CSR with this number.
macro_rules! write_csr {
    ($number:expr, $value:expr) => {{
        // SAFETY: each use names a CSR whose value concerns user threads, sleep or traps as set up
        // in this kernel.
        unsafe { core::arch::asm!("csrw {1}, {0}", in(reg) $value, const $number as usize, options(nostack)) }
    }};
}

/// Reads a device register.
#[inline(always)]
pub fn read(base: u32, offset: u32) -> u32 {
    // SAFETY: all callers name registers of `definitions::map`, which are there on every processor
    // that uses them.
    unsafe { read_volatile((base + offset) as *const u32) }
}
/// Writes a device register.
#[inline(always)]
pub fn write(base: u32, offset: u32, value: u32) {
    // SAFETY: as for `read`; registers that make a device write to RAM are given memory that the
    // driver owns.
    unsafe { write_volatile((base + offset) as *mut u32, value) }
}

/// Machine cycles since reset.
#[inline]
pub fn now() -> u64 {
    loop {
        let high = read_csr!(csr::TIMEH);
        let low = read_csr!(csr::TIME);
        if read_csr!(csr::TIMEH) == high {
            return (high as u64) << 32 | low as u64;
        }
    }
}

/// Requests a timer interrupt at cycle `when`.
#[inline]
pub fn set_timer(when: u64) {
    use map::clint::{MTIMECMP_HIGH, MTIMECMP_LOW};
    write(map::CLINT_BASE, MTIMECMP_HIGH, u32::MAX);
    write(map::CLINT_BASE, MTIMECMP_LOW, when as u32);
    write(map::CLINT_BASE, MTIMECMP_HIGH, (when >> 32) as u32);
}

/// Which interrupts end a user thread's run or a sleep.
pub fn enable_interrupts(mask: u32) {
    write_csr!(csr::MIE, mask);
}

/// A proof that nobody has anything to do for this processor.
pub trait NothingToDo {}

/// Sleeps until an enabled interrupt is pending; it is not taken.
#[inline(always)]
pub fn sleep(_: impl NothingToDo) {
    wait_for_interrupt();
}

/// Sleeps for ever.
pub fn halt() -> ! {
    enable_interrupts(0);
    loop {
        wait_for_interrupt();
    }
}

fn wait_for_interrupt() {
    // SAFETY: `wfi` only waits.
    unsafe { core::arch::asm!("wfi", options(nostack)) }
}

/// The processor's number.
pub fn processor() -> Processor {
    Processor::new(read_csr!(csr::MHARTID) as u8)
}

/// Empties the TLB: page-map entries have changed or gone, and the hardware must not use what it
/// remembers of them.
pub fn forget_page_map() {
    let map = read_csr!(csr::PMBASE);
    write_csr!(csr::PMBASE, map);
}

extern "C" {
    /// Trap vectors of `trap.s`.
    fn trap();
    fn trap_quick();
    #[cfg(not(feature = "small"))]
    fn trap_counting();
}

/// Where traps lead.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Vector {
    Plain,
    /// Yields are done in `trap.s` alone: where no event and no phase of the main loop has to come
    /// between.
    Quick,
    /// The time of threads is added up.
    #[cfg(not(feature = "small"))]
    Counting,
}

/// Chooses where traps lead.
pub fn set_vector(vector: Vector) {
    let vector = match vector {
        Vector::Plain => trap,
        Vector::Quick => trap_quick,
        #[cfg(not(feature = "small"))]
        Vector::Counting => trap_counting,
    };
    write_csr!(csr::MTVEC, vector as *const () as u32);
}

/// The low word of [`now`].
#[inline(always)]
pub fn now_low() -> u32 {
    read_csr!(csr::TIME)
}

/// The faulting address of the last trap.
pub fn trap_value() -> u32 {
    read_csr!(csr::MTVAL)
}

/// Lets user threads read `cycle`, `time` and `instret`.
pub fn allow_counters() {
    write_csr!(csr::MCOUNTEREN, 7);
}
