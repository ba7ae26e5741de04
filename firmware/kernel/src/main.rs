//! TOS, the operating system of the Testbed: one image for all processors, which tell themselves apart by `mhartid`.
//!
//! | module | what it does |
//! |---|---|
//! | `trap.s` | start-up, and the passage between kernel and user threads |
//! | [`kernel`] | state, start, main loop, scheduling, sleep |
//! | [`station`] | what leaves by Centrenet and what arrives |
//! | [`ready`] | the ready threads |
//! | [`timers`] | deadlines, the timer, time-slices |
//! | [`entry`] | where `trap.s` enters: calls that are made as functions, interrupts |
//! | [`service`] | the other system calls, faults |
//! | [`channels`], [`components`], [`fragments`] | occam channels: requests of threads, components that arrive, the bytes of messages; what the protocol says is done here |
//! | [`alternatives`] | occam's ALT |
//! | [`migrate`] | threads that move, and where ends of channels are without a thread |
//! | [`threads`] | births and ends of threads, also across processors |
//! | [`home`], [`requests`], [`invoke`], [`start`], [`load`] | processes' places, starts and ends |
//! | [`input`] | console input and those who read it |
//! | [`files`], [`mount`] | the filestore, and files' ways to other processors |
//! | [`status`], [`user`] | what calls tell, and the memory that they name |
//! | [`process`] | page maps, channel control blocks, loading |
//! | [`thread`], [`tables`] | thread control blocks; how many there are, and what else the kernel takes of RAM |
//! | [`memory`], [`words`] | copying between threads' memories |
//! | [`centrenet`], [`console`] | drivers |
//! | [`events`], [`control`], [`collect`] | what the monitor is told, how that is changed, and what the master takes from it |
//! | [`boot`] | what the host left |
//! | [`layout`] | where all that is, for those who look at RAM from outside |
//! | [`hw`] | control registers and device registers |
//! | [`options`] | the choice of policy |
//!
//! The kernel runs with interrupts off, on one stack, and has one piece of state: [`kernel::Kernel`].
#![no_std]
#![no_main]

#[cfg(not(feature = "small"))]
mod alternatives;
mod boot;
mod centrenet;
mod channels;
#[cfg(not(feature = "small"))]
mod collect;
mod components;
mod console;
#[cfg(not(feature = "small"))]
mod control;
mod entry;
#[cfg(not(feature = "small"))]
mod estate;
mod events;
#[cfg(not(feature = "small"))]
mod files;
mod fragments;
mod home;
mod hw;
#[cfg(not(feature = "small"))]
mod input;
#[cfg(not(feature = "small"))]
mod invoke;
#[cfg(not(feature = "small"))]
mod keeping;
mod kernel;
mod layout;
mod load;
mod memory;
#[cfg(not(feature = "small"))]
mod migrate;
#[cfg(not(feature = "small"))]
mod mount;
mod options;
#[cfg(not(feature = "small"))]
mod paging;
mod process;
mod ready;
#[cfg(not(feature = "small"))]
mod requests;
mod service;
#[cfg(feature = "small")]
mod small;
#[cfg(not(feature = "small"))]
mod staging;
mod start;
mod station;
#[cfg(not(feature = "small"))]
mod status;
mod tables;
mod thread;
mod threads;
mod timers;
#[cfg(not(feature = "small"))]
mod user;
mod words;

use console::Emergency;
#[cfg(feature = "small")]
use small::{alternatives, estate, keeping, paging};
use testbed_definitions::map::{system, SYSTEM_BASE};
use testbed_definitions::syscall::EXIT_STOP;

/// Where `trap.s` goes when the kernel itself traps.
#[no_mangle]
extern "C" fn kernel_fault(cause: u32, pc: u32, value: u32) -> ! {
    Emergency::put_text("\nkernel: ");
    Emergency::put_text(service::cause_name(cause));
    Emergency::put_text(" at address ");
    Emergency::put_hexadecimal(value);
    Emergency::put_text(", pc ");
    Emergency::put_hexadecimal(pc);
    stop()
}

/// Says where. The small kernel has no room for the places' names.
#[panic_handler]
fn panic(_info: &core::panic::PanicInfo) -> ! {
    Emergency::put_text("\nkernel: panic");
    #[cfg(not(feature = "small"))]
    if let Some(location) = _info.location() {
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
