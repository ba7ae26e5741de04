//! Says hello. Its arguments are printed back; `fault` makes it touch what is not its own instead.
#![no_std]
#![no_main]

use libtos::println;

libtos::program!(main);

fn main(arguments: libtos::Arguments) -> u32 {
    println!("hello from processor {} of {}", libtos::processor(), libtos::processors());
    for argument in arguments.iter() {
        println!("{argument}");
        if argument == "fault" {
            // SAFETY: none; the kernel must end the program here.
            unsafe { core::arch::asm!("sw zero, 0(zero)") };
        }
    }
    0
}
