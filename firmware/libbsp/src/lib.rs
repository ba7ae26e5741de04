//! BSPlib (Hill, McColl, Stefanescu, Goudreau, Lang, Rao, Suel, Tsantilas and Bisseling: "BSPlib:
//! the BSP programming library", Parallel Computing 24, 1998) for TOS.
//!
//! Each process of a bulk-synchronous program is a process of TOS with memory of its own and one
//! thread. The first one invokes the others, on one processor after the other, and makes them a
//! group of the kernel's; at the end of a superstep they exchange what they have for each other
//! (`docs/bsp.md`).
//!
//! [`Bsp`] has the primitives with the standard's semantics, on addresses, as the C library
//! (`bsp.h`) calls them. [`safe`] has them for programs in Rust, and [`array`] arrays that are spread
//! over all processes.
#![no_std]

mod agreement;
mod arena;
pub mod array;
mod asked;
mod begin;
mod items;
mod misuse;
mod outbox;
mod queue;
mod registry;
pub mod safe;
mod site;
mod state;
mod sync;
mod transfer;

pub use crate::begin::{member_of, Start};
pub use crate::items::PAD;
pub use crate::site::Site;
pub use crate::state::{slaves, Bsp};

/// Gives a program the library's memory, which it lacks if nothing asks for it
/// (`libtos/build.rs`). [`program!`] does so; a program that makes a [`Bsp`] itself uses this.
#[macro_export]
macro_rules! memory {
    () => {
        core::arch::global_asm!(".global BSP_IS_USED", ".set BSP_IS_USED, 1");
    };
}
