//! The board after synthesis is the board before it, and that is the machine that was simulated:
//! same lines in every cycle, and what the link says is what the engine's trace port gave.

use std::path::Path;

use testbed_definitions::event::DIAG_DEFAULT;
use testbed_definitions::link::BAUD;
use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_hdl::board::{self, Options};
use testbed_hdl::support::netlist::{self, compare, Lines, Netlist, NetlistError};
use testbed_hdl::support::proven;
use testbed_hdl::support::serial::Ear;
use testbed_hdl::support::synthesis::Family;
use testbed_machine::Machine;
use testbed_runner::{engines, firmware};
use testbed_sim::engine::Image;
use testbed_sim::image::Program;
use testbed_sim::load::{self, Boot, File};
use testbed_sim::verilator::processes::split_processes;
use testbed_synth::{board::Board, content};
use testbed_trace::capture::{Received, Receiver};
use testbed_trace::order::{Convention, Event, Growing};

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

/// Kernel and programs, or a program without kernel.
fn built() -> firmware::Firmware {
    firmware::build(&firmware::root().unwrap()).unwrap()
}

fn demo(machine: &Machine) -> Image {
    let (_, elf) = built().read("demo").unwrap();
    Program::parse(&elf, machine.ram_bytes).unwrap().image
}

/// A board's Verilog, and the files with the program in its RAM, each with its name.
struct Design {
    verilog: String,
    content: Vec<(String, String)>,
}

impl Design {
    fn new(machine: &Machine, image: &Image) -> Design {
        let words = content::of_image(image, machine).unwrap();
        let content = content::image("image.hex", &words).map(|(file, text)| (file.to_string(), text));
        let options = Options { image: Some("image.hex".into()), ..Board::options(machine).unwrap() };
        Design { verilog: board::verilog(machine, &options).unwrap(), content: content.collect() }
    }

    fn map(&self, family: Family, folder: &Path) -> Mapped {
        for (file, text) in &self.content {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let netlist = Netlist::map(folder, &self.verilog, board::TOP, family).unwrap();
        Mapped { verilog: self.verilog.clone(), netlist }
    }
}

/// A board with a program in its RAM, and its netlist.
struct Mapped {
    verilog: String,
    netlist: Netlist,
}

impl Mapped {
    fn compare(&self, cycles: u64) -> Result<Lines, NetlistError> {
        compare(&self.netlist, &split_processes(&self.verilog), cycles)
    }
}

/// What the link and the console of a board said.
struct Said {
    pairs: Vec<(u8, Pair)>,
    console: String,
}

/// Holds the lines of so many cycles against the engine `verilator`.
fn check(machine: &Machine, image: &Image, cycles: u64, lines: &Lines) -> Said {
    let mut engine = engines::open("verilator", machine, image, None).unwrap();
    engine.run_until(cycles).unwrap();
    let simulated = pairs(engine.take_trace().iter().map(|word| word.word));
    let sent = pairs(lines.words.iter().map(|(_, word)| *word));
    // The link is slower than the port of a simulated machine, so some wait; none is another.
    assert!(!sent.is_empty() && sent.len() <= simulated.len(), "{} of {} pairs", sent.len(), simulated.len());
    assert_eq!(sent, simulated[..sent.len()]);

    let (mut receiver, mut received) = (Receiver::new(machine.slaves()), vec![]);
    receiver.push(&heard(&lines.link, machine, BAUD), &mut |got| match got {
        Received::Pair { smi, pair } => received.push((smi, pair)),
        other => panic!("{other:?} of a sound line"),
    });
    assert_eq!(received, sent[..received.len()]);
    // What is on the way: up to a count, and a frame.
    assert!(received.len() + 66 > sent.len(), "{} of {} pairs", received.len(), sent.len());
    let figures = receiver.figures();
    assert_eq!((figures.stray_bytes, figures.crc_errors), (0, 0));

    // Of a machine with a master, only the master's console leaves the board.
    let console = engine.take_console();
    let console = console.iter().filter(|byte| usize::from(byte.processor) == machine.console());
    let console: Vec<_> = console.map(|byte| byte.byte).collect();
    let printed = heard(&lines.tx, machine, console_baud(machine));
    assert_eq!(printed, console[..printed.len()]);
    Said { pairs: received, console: String::from_utf8(printed).unwrap() }
}

fn runs_the_demo(machine: &Machine, image: &Image, mapped: &Mapped) {
    const CYCLES: u64 = 120_000;
    let said = check(machine, image, CYCLES, &mapped.compare(CYCLES).unwrap());
    assert!(said.pairs.len() > 100, "{} pairs", said.pairs.len());
    assert!(said.console.starts_with("2 3 5 7 11 13 17 19 23 29\n31 37"), "{}", said.console);
}

/// The demo on the netlist of the small board's machine for a family; `more` is looked at besides.
fn demo_on_netlist(family: Family, more: impl FnOnce(&Mapped, &Path)) {
    let machine = Machine::named("hx8k-evn").unwrap();
    let image = demo(&machine);
    let design = Design::new(&machine, &image);
    let content: String = design.content.iter().map(|(file, text)| format!("{file}\n{text}")).collect();
    // What is done with them: mapping, models, comparison, this test.
    let done = proven::sources(&netlist::SOURCES);
    let parts = [&design.verilog, &content, &format!("{family:?}"), &done, include_str!("netlist.rs")];
    proven::check(&netlist::TOOLS, &parts, || {
        let folder = tempfile::tempdir().unwrap();
        let mapped = design.map(family, folder.path());
        runs_the_demo(&machine, &image, &mapped);
        more(&mapped, folder.path());
    });
}

#[test]
fn the_demo_runs_on_the_netlist_for_ice40_as_it_was_simulated() {
    demo_on_netlist(Family::Ice40, |_, _| {});
}

/// The same machine on the other family; and what is wrong in its netlist is seen.
#[test]
fn the_demo_runs_on_the_netlist_for_ecp5_as_it_was_simulated() {
    demo_on_netlist(Family::Ecp5, |mapped, folder| sees_faults(mapped, folder, 18, 20_000));
}

/// Seeds a fault in the content of a processor's RAM, whose ports have so many bits, and one in the
/// LUT before the link, each alone.
fn sees_faults(mapped: &Mapped, folder: &Path, port_bits: u32, cycles: u64) {
    let path = folder.join("netlist.v");
    let sound = std::fs::read_to_string(&path).unwrap();
    let ram = format!(".DATA_WIDTH_A(32'd{port_bits})");
    for (parameter, mark) in [("INITVAL_00", ram.as_str()), ("INIT", ".Z(link)")] {
        let was = mapped.netlist.flip(parameter, mark, 1).unwrap();
        match mapped.compare(cycles) {
            Err(NetlistError::Differs { cycle, .. }) => println!("{was}, its last bit inverted: seen in cycle {cycle}"),
            other => panic!("{was}, its last bit inverted: {other:?}"),
        }
        std::fs::write(&path, &sound).unwrap();
    }
}

/// Events of the pairs, in order.
fn events(machine: &Machine, pairs: &[(u8, Pair)]) -> Vec<Event> {
    let slaves = 1..=machine.slaves() as u8;
    let mut order = Growing::new(slaves.clone(), Convention::of(DIAG_DEFAULT));
    for (stream, smi) in slaves.enumerate() {
        let words: Vec<_> = pairs.iter().filter(|pair| pair.0 == smi).map(|pair| pair.1.pack()).collect();
        order.feed(stream, &words);
    }
    order.end();
    order.collect()
}

/// All six processors, with kernel, from the first cycle to the last message of a `remote`.
#[test]
#[ignore = "takes many minutes; `cargo testbed test --long` runs it"]
fn remote_runs_on_the_netlist_of_six_processors_as_it_was_simulated() {
    // The link takes 1,280 for each of some 157 pairs.
    const CYCLES: u64 = 240_000;
    let machine = Machine::named("ulx3s-85f").unwrap();
    let built = built();
    let (_, kernel) = built.kernel(machine.ram_bytes).unwrap();
    let (_, program) = built.read("remote").unwrap();
    let arguments = ["1", "4", "0"].map(String::from).to_vec();
    let boot = Boot { dgl: DIAG_DEFAULT, seed: 1, start_processor: 1, arguments, ..Boot::default() };
    let image = load::image(&machine, ("kernel", &kernel), &[File::program("remote", &program)], &boot).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let mapped = Design::new(&machine, &image).map(Family::Ecp5, folder.path());
    // A bit of a processor's RAM in each of 32, an SMI's queue in two for each of five, a buffer of each station.
    let cells = mapped.netlist.cells;
    println!("{cells}");
    assert_eq!((cells.block_rams, cells.multipliers), (6 * 32 + 5 * 2 + 6, 24));

    let said = check(&machine, &image, CYCLES, &mapped.compare(CYCLES).unwrap());
    // The slaves' lines don't leave the board; that all has arrived is in the events.
    assert_eq!(said.console, "");
    // Each message takes a token to the receiver, one back, and itself.
    let events = events(&machine, &said.pairs);
    let times =
        |smi: u8, name: &str| events.iter().filter(|event| event.smi == smi && event.what.name() == name).count();
    assert_eq!((times(1, "COMMS"), times(2, "COMMR")), (5, 5), "messages sent, received");
    assert_eq!((times(1, "PROCESS_END"), times(1, "GAP")), (1, 0));
    sees_faults(&mapped, folder.path(), 2, CYCLES);
}
