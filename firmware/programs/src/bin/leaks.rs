//! Runs a program, and looks whether every kernel has as many pages, thread control blocks and
//! processes as before when it has ended. Arguments: `PROGRAM [ARGUMENTS]`. The program's exit code
//! must be 0.
#![no_std]
#![no_main]

use libtos::process::{await_end, invoke, How};
use libtos::{println, Arguments, Error};
use programs::probe::{differences, Probe};

libtos::program!(main);

fn main(arguments: Arguments) -> u32 {
    let Some(program) = arguments.iter().next() else {
        println!("usage: leaks PROGRAM [ARGUMENTS]");
        return 2;
    };
    match run(program, arguments) {
        Ok((code, leaks)) => {
            println!("leaks: {program} ended with {code}; {leaks} leaks");
            (code != 0 || leaks != 0) as u32
        }
        Err(error) => {
            println!("leaks: {}", error.meaning());
            1
        }
    }
}

fn run(program: &str, arguments: Arguments) -> Result<(u32, u32), Error> {
    let probe = Probe::new(2, 0);
    // The first time, the probe's own code and data come to every processor.
    probe.ask()?;
    let before = probe.ask()?;
    let code = await_end(invoke(program, arguments.after(1), How::default())?)?;
    let after = probe.ask()?;
    Ok((code, differences(&before, &after)))
}
