//! The board after synthesis is the board before it, and that is the machine that was simulated: same lines in every cycle, and what the
//! link says is what the engine's trace port gave.

use testbed_definitions::link::BAUD;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_hdl::board::{self, Options};
use testbed_hdl::support::netlist::{compare, hexadecimal};
use testbed_hdl::support::serial::Ear;
use testbed_hdl::support::synthesis::Family;
use testbed_host_tools::{engines, firmware};
use testbed_machine::Machine;
use testbed_sim::image::Program;
use testbed_sim::verilator::processes::split_processes;
use testbed_trace::capture::{Received, Receiver};

/// Bits a second of the console with the divisor after reset, by the machine's clock: a bit is 16 cycles.
fn console_baud(machine: &Machine) -> u32 {
    machine.clock_hz / 16
}

fn heard(levels: &[bool], machine: &Machine, baud: u32) -> Vec<u8> {
    let mut ear = Ear::new(machine.clock_hz, baud);
    levels.iter().for_each(|level| ear.hear(*level).unwrap());
    ear.bytes
}

/// Pairs of a stream of words.
fn pairs(words: impl Iterator<Item = u32>) -> Vec<(u8, Pair)> {
    let words: Vec<_> = words.map(MmiWord::unpack).collect();
    words.chunks_exact(2).map(|two| (two[0].smi, Pair { time: two[0].value, datum: two[1].value })).collect()
}

#[test]
fn the_demo_runs_on_the_netlist_for_ice40_as_it_was_simulated() {
    const CYCLES: u64 = 120_000;
    let machine = Machine::named("hx8k-evn").unwrap();
    let (_, elf) = firmware::build(&firmware::root().unwrap()).unwrap().read("demo").unwrap();
    let program = Program::parse(&elf, machine.ram_bytes).unwrap();
    let mut ram = vec![0; machine.ram_bytes as usize];
    for (start, bytes) in &program.image.segments {
        ram[(start - RAM_BASE) as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("image.hex"), hexadecimal(&ram)).unwrap();
    let options = Options { image: Some("image.hex".into()), ..Options::of(&machine) };
    let verilog = board::verilog(&machine, &options).unwrap();
    let lines = compare(folder.path(), (&verilog, &split_processes(&verilog)), Family::Ice40, CYCLES).unwrap();

    let mut engine = engines::open("verilator", &machine, &program.image, None).unwrap();
    engine.run_until(CYCLES).unwrap();
    let simulated = pairs(engine.take_trace().iter().map(|word| word.word));
    let sent = pairs(lines.words.iter().map(|(_, word)| *word));
    // The link is slower than the port of a simulated machine, so some wait; none is another.
    assert!(sent.len() > 100 && sent.len() <= simulated.len(), "{} of {} pairs", sent.len(), simulated.len());
    assert_eq!(sent, simulated[..sent.len()]);

    let (mut receiver, mut received) = (Receiver::new(machine.slaves()), vec![]);
    receiver.push(&heard(&lines.link, &machine, BAUD), &mut |got| match got {
        Received::Pair { smi, pair } => received.push((smi, pair)),
        other => panic!("{other:?} of a sound line"),
    });
    assert_eq!(received, sent[..received.len()]);
    // What is on the way: up to a count, and a frame.
    assert!(received.len() + 66 > sent.len(), "{} of {} pairs", received.len(), sent.len());
    let figures = receiver.figures();
    assert_eq!((figures.stray_bytes, figures.crc_errors), (0, 0));

    let console: Vec<_> = engine.take_console().iter().map(|byte| byte.byte).collect();
    let printed = heard(&lines.tx, &machine, console_baud(&machine));
    let text = String::from_utf8(printed.clone()).unwrap();
    assert!(text.starts_with("2 3 5 7 11 13 17 19 23 29\n31 37"), "{text}");
    assert_eq!(printed, console[..printed.len()]);
}
