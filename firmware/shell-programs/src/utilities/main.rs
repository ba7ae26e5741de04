//! The utilities, as one program: its first argument says which, or with `@` ahead of it names a file
//! that has the arguments, if they are more than a program can be given. The shell starts it under
//! the names of all of them. What they do is in the crate `testbed-shell`.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;

use libtos::{println, Arguments};
use shell_programs::heap::Heap;
use shell_programs::tos::Tos;
use testbed_definitions::syscall::{open, Error};
use testbed_shell::system::System;
use testbed_shell::tools;

libtos::program!(main);

#[global_allocator]
static HEAP: Heap = Heap::new();

fn main(arguments: Arguments) -> u32 {
    let mut tos = Tos::new();
    let mut words: Vec<Vec<u8>> = arguments.iter().map(|word| word.as_bytes().to_vec()).collect();
    if let Some(name) = words.first().and_then(|word| word.strip_prefix(b"@")) {
        match listed(&mut tos, name) {
            Ok(all) => words = all,
            Err(error) => {
                println!("utilities: {}", error.meaning());
                return 2;
            }
        }
    }
    let tool = words.first().and_then(|name| tools::find(name));
    let Some(tool) = tool else {
        println!("utilities: no utility is called so; `help` in `sh` lists them");
        return 2;
    };
    tools::run(&mut tos, tool, &words[1..])
}

/// The arguments that a file has, with a NUL behind each.
fn listed(tos: &mut Tos, name: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let file = tos.open(tos.home(), name, open::READ)?;
    let mut text = alloc::vec![0; file.bytes as usize];
    tos.read_at(file, 0, &mut text)?;
    let text = text.strip_suffix(&[0]).unwrap_or(&text);
    Ok(text.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect())
}
