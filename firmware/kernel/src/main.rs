//! TOS, the operating system of the Testbed: one image for all processors, which tell themselves
//! apart by `mhartid`.
//!
//! It is in layers, each of which uses those below it and none above:
//!
//! | layer | what it is |
//! |---|---|
//! | [`dispatch`] | where `trap.s` enters; the table of calls, packets, the main loop |
//! | [`services`] | what is done for threads: channels, births and ends, pages, files |
//! | [`state`] | what the kernel knows: threads, processes, tables, the choice of policy |
//! | [`drivers`] | devices: the station of Centrenet, the UART, the monitor |
//! | [`arch`] | control registers, traps, copying by words |
//!
//! What the small kernel lacks is in folders `extended`; it has the folders `absent` instead, in
//! which the same functions do nothing. [`variant`] has the numbers in which the two differ.
//!
//! The kernel runs with interrupts off, on one stack, and has one piece of state:
//! [`state::kernel::Kernel`].
#![no_std]
#![no_main]
// Much of what it has in common with the whole kernel the small one never calls.
#![cfg_attr(feature = "small", allow(dead_code))]

mod arch;
mod dispatch;
mod drivers;
mod services;
mod state;
#[cfg_attr(feature = "small", path = "variant_small.rs")]
mod variant;

use arch::hw;
use drivers::console::Emergency;
use services::faults::cause_name;
use testbed_definitions::map::{system, SYSTEM_BASE};
use testbed_definitions::syscall::EXIT_STOP;

/// Where `trap.s` goes when the kernel itself traps.
#[no_mangle]
extern "C" fn kernel_fault(cause: u32, pc: u32, value: u32) -> ! {
    Emergency::put_text("\nkernel: ");
    Emergency::put_text(cause_name(cause));
    Emergency::put_text(" at address ");
    Emergency::put_hexadecimal(value);
    Emergency::put_text(", pc ");
    Emergency::put_hexadecimal(pc);
    stop()
}

/// Says where. The small kernel has no room for the places' names.
#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    Emergency::put_text("\nkernel: panic");
    if let Some(location) = info.location().filter(|_| variant::IN_LINE) {
        Emergency::put_text(" at ");
        Emergency::put_text(location.file());
        Emergency::put_text(":");
        Emergency::put_decimal(location.line());
    }
    stop()
}

/// Ends the program with an error and sleeps for ever.
fn stop() -> ! {
    Emergency::put(b'\n');
    Emergency::finish();
    hw::write(SYSTEM_BASE, system::EXIT, EXIT_STOP);
    hw::halt()
}
