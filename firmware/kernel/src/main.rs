//! TOS, the operating system of the Testbed: one image for all processors, which tell themselves apart by `mhartid`.
//!
//! | module | what it does |
//! |---|---|
//! | `trap.s` | start-up, and the passage between kernel and user threads |
//! | [`kernel`] | state, start, main loop, scheduling, sleep |
//! | [`service`] | system calls, time-slices, faults |
//! | [`channels`] | occam channels: what the protocol says is done here |
//! | [`alternatives`] | occam's ALT |
//! | [`migrate`] | threads that move, and where ends of channels are without a thread |
//! | [`threads`] | births and ends of threads, also across processors |
//! | [`home`], [`requests`], [`invoke`], [`start`], [`load`] | processes' places, starts and ends |
//! | [`files`], [`mount`] | the filestore, and files' ways to other processors |
//! | [`status`], [`user`] | what calls tell, and the memory that they name |
//! | [`process`] | page maps, channel control blocks, loading |
//! | [`thread`] | thread control blocks |
//! | [`memory`] | copying between threads' memories |
//! | [`centrenet`], [`console`] | drivers |
//! | [`events`] | what the monitor is told |
//! | [`boot`] | what the host left |
//! | [`hw`] | control registers and device registers |
//! | [`options`] | choices of policy |
//!
//! The kernel runs with interrupts off, on one stack, and has one piece of state: [`kernel::Kernel`].
#![no_std]
#![no_main]

mod alternatives;
mod boot;
mod centrenet;
mod channels;
mod console;
mod estate;
mod events;
#[cfg(not(feature = "small"))]
mod files;
mod home;
mod hw;
#[cfg(not(feature = "small"))]
mod invoke;
mod kernel;
mod load;
mod memory;
mod migrate;
#[cfg(not(feature = "small"))]
mod mount;
mod options;
mod paging;
mod process;
#[cfg(not(feature = "small"))]
mod requests;
mod service;
mod staging;
mod start;
#[cfg(not(feature = "small"))]
mod status;
mod thread;
mod threads;
mod timers;
#[cfg(not(feature = "small"))]
mod user;

use console::Emergency;
use core::ptr::addr_of_mut;
use testbed_definitions::map::{system, SYSTEM_BASE};
use testbed_definitions::syscall::EXIT_STOP;

core::arch::global_asm!(include_str!("trap.s"));

extern "C" {
    static KERNEL_END: u8;
}

mod assembly {
    use crate::thread::Context;
    extern "C" {
        pub fn run_user(context: *mut Context) -> u32;
    }
}

/// Runs a thread until it traps; returns `mcause`.
fn run_user(context: &mut thread::Context) -> u32 {
    // SAFETY: the page map in place is the thread's, so that it can only touch its own; the context is not used otherwise.
    unsafe { assembly::run_user(context) }
}

static mut KERNEL: kernel::Kernel = kernel::Kernel::new();

/// Where `trap.s` goes after start-up.
#[no_mangle]
extern "C" fn kernel_main() -> ! {
    // SAFETY: called once; nothing else uses the static.
    let kernel = unsafe { &mut *addr_of_mut!(KERNEL) };
    let end = &raw const KERNEL_END as u32;
    kernel.start(end);
    kernel.enable_user_interrupts();
    kernel.start_program();
    kernel.run()
}

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

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    Emergency::put_text("\nkernel: ");
    if let Some(message) = info.message().as_str() {
        Emergency::put_text(message);
    }
    if let Some(location) = info.location() {
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
    hw::enable_interrupts(0);
    loop {
        hw::sleep();
    }
}
