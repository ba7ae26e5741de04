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
mod copying;
pub mod file;
mod large;
pub mod lock;
mod machine;
pub mod monitor;
pub mod pattern;
pub mod process;
pub mod random;
pub mod request;
mod thread;

pub use arguments::Arguments;
pub use channel::{alt, receive, send_block, FairAlt};
pub use compute::{compute_ms, compute_us};
pub use copying::copy;
pub use large::need_large_kernel;
pub use machine::{clock, clock_hz, clock_us, processor, processors, seed, send_event, try_send_event};
pub use testbed_definitions::syscall::Error;
pub use thread::{
    create, delay_us, exit, first_stack_has, halt, migrate, migrate_self, stack_for, thread_id, thread_number, wait,
    yield_now, Place, SECOND_STACK,
};

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

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    println!("{info}");
    halt()
}
