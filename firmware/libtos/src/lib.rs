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
//! `docs/programs.md` is the manual: threads, channels, memory, limits, and what a program in C looks like.
#![no_std]

mod arguments;
pub mod call;
mod channel;
mod compute;
pub mod console;
pub mod file;
pub mod lock;
pub mod monitor;
pub mod pattern;
pub mod process;
pub mod random;
mod thread;

pub use arguments::Arguments;
pub use channel::{alt, receive, send_block, FairAlt};
pub use compute::{compute_ms, compute_us};
pub use testbed_definitions::syscall::Error;
pub use thread::{
    create, delay_us, exit, halt, migrate, migrate_self, stack_for, thread_id, thread_number, wait, yield_now, Place,
    SECOND_STACK,
};

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

/// Emits a datum to the monitor: `false` if its queue is full.
pub fn send_event(datum: u16) -> Result<bool, Error> {
    call::result(call::value(syscall::SEND_EVENT, datum as u32)).map(|taken| taken != 0)
}

/// Milliseconds since reset.
pub fn clock() -> u32 {
    call::value(syscall::CLOCK, 0)
}

/// Microseconds since reset, modulo 2^32: it wraps after 71 minutes, so only differences mean anything.
pub fn clock_us() -> u32 {
    // SAFETY: concerns no memory.
    unsafe { call::call(syscall::CLOCK, [0; 5]).1 }
}

/// The processor it runs on.
pub fn processor() -> u8 {
    call::value(syscall::IDENTITY, identity::PROCESSOR) as u8
}
/// Processors of the machine.
pub fn processors() -> u8 {
    call::value(syscall::IDENTITY, identity::PROCESSORS) as u8
}

/// The run's seed, for what is to be random. The small kernel does not tell it: there this is `UnknownCall`'s code.
pub fn seed() -> u32 {
    call::value(syscall::IDENTITY, identity::SEED)
}

/// The machine's clock in hertz.
pub fn clock_hz() -> u32 {
    call::value(syscall::IDENTITY, identity::CLOCK_HZ)
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    println!("{info}");
    halt()
}
