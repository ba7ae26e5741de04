//! What programs for TOS link against.
//!
//! A program is a separate ELF file that runs in user mode, code in the lower half of its mebibyte, data and stacks in
//! the upper one. It names its main function with [`program!`]:
//!
//! ```ignore
//! #![no_std]
//! #![no_main]
//! libtos::program!(main);
//! fn main(_arguments: libtos::Arguments) -> u32 {
//!     libtos::println!("hello");
//!     0
//! }
//! ```
//!
//! Threads of one program on different processors have their own copies of its global data and share nothing but channels.
#![no_std]

mod arguments;
mod call;
mod compute;
pub mod console;
pub mod file;
pub mod pattern;
pub mod process;
mod thread;

pub use arguments::Arguments;
pub use compute::{compute_ms, compute_us};
pub use testbed_definitions::syscall::Error;
pub use thread::{create, exit, halt, migrate, stack_for, wait, yield_now};

use core::sync::atomic::{AtomicU32, Ordering};
use testbed_definitions::syscall::{self, identity};

/// Names the program's main function, a `fn(Arguments) -> u32`; its result is the program's exit code.
#[macro_export]
macro_rules! program {
    ($main:path) => {
        #[no_mangle]
        extern "C" fn program_main(address: *const u8, bytes: usize) -> ! {
            let main: fn($crate::Arguments) -> u32 = $main;
            // SAFETY: called once by the start-up code with what the kernel passed.
            $crate::exit(main(unsafe { $crate::Arguments::from_kernel(address, bytes) }))
        }
    };
}

// The kernel enters here with the arguments' address and length in a0 and a1, and the stack pointer set.
core::arch::global_asm!(".section .text.start, \"ax\"", ".global _start", "_start:", "j program_main");

/// Sends a message on a channel; returns when the partner has it. The result is the bytes that the partner took.
pub fn send_block(channel: u8, message: &[u8]) -> Result<usize, Error> {
    // SAFETY: the kernel only reads the buffer.
    let result = unsafe { call::call3(syscall::SEND, channel as u32, message.as_ptr() as u32, message.len() as u32) };
    call::result(result).map(|bytes| bytes as usize)
}

/// Receives a message of at most `buffer.len()` bytes; a longer one is cut. The result is the bytes received.
pub fn receive(channel: u8, buffer: &mut [u8]) -> Result<usize, Error> {
    // SAFETY: the kernel writes to the buffer only.
    let result =
        unsafe { call::call3(syscall::RECEIVE, channel as u32, buffer.as_mut_ptr() as u32, buffer.len() as u32) };
    call::result(result).map(|bytes| bytes as usize)
}

/// Emits a datum to the monitor: `false` if its queue is full.
pub fn send_event(datum: u16) -> Result<bool, Error> {
    call::result(call::value(syscall::SEND_EVENT, datum as u32)).map(|taken| taken != 0)
}

/// Milliseconds since reset.
pub fn clock() -> u32 {
    call::value(syscall::CLOCK, 0)
}

/// This thread's number, unique in the machine.
pub fn thread_number() -> u16 {
    call::value(syscall::IDENTITY, identity::THREAD) as u16
}
/// The processor it runs on.
pub fn processor() -> u8 {
    call::value(syscall::IDENTITY, identity::PROCESSOR) as u8
}
/// Processors of the machine.
pub fn processors() -> u8 {
    call::value(syscall::IDENTITY, identity::PROCESSORS) as u8
}

/// The machine's clock in hertz. Only the first call of a program on a processor asks the kernel.
pub fn clock_hz() -> u32 {
    static KNOWN: AtomicU32 = AtomicU32::new(0);
    match KNOWN.load(Ordering::Relaxed) {
        0 => {
            let hertz = call::value(syscall::IDENTITY, identity::CLOCK_HZ);
            KNOWN.store(hertz, Ordering::Relaxed);
            hertz
        }
        hertz => hertz,
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    println!("{info}");
    halt()
}
