//! Says hello. Its arguments are printed back.
#![no_std]
#![no_main]

use libtos::println;

libtos::program!(main);

fn main(arguments: libtos::Arguments) -> u32 {
    println!("hello from processor {} of {}", libtos::processor(), libtos::processors());
    for argument in arguments.iter() {
        println!("{argument}");
    }
    0
}
