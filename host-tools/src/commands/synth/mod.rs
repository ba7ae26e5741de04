//! `testbed synth`: a board's bitstream, with what it uses and how fast it is.

mod table;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use testbed_definitions::map::RAM_BYTES_MAX;
use testbed_host_tools::firmware;
use testbed_host_tools::load::Boot;
use testbed_host_tools::synth::board::Board;
use testbed_host_tools::synth::content::{self, Words};
use testbed_host_tools::synth::flow::{Flow, Mapped, Placed};
use testbed_host_tools::synth::report::{Clock, Path as Longest, Use};
use testbed_host_tools::synth::step::Step;
use testbed_host_tools::synth::SynthError;
use testbed_machine::{units, Machine};
use testbed_sim::engine::Image;
use testbed_sim::image::Program;

use super::{grouped, run, Exit, Failure};

/// Programs of the firmware that need no kernel.
const BARE: &[&str] = &["corebench", "demo"];

/// What was found, in the output folder.
const REPORT: &str = "report.json";

/// Makes a board's bitstream with yosys, nextpnr and their packers, which are installed where they are missing.
///
/// The machine is synthesised without a program; the program is put into its block RAM afterwards, so that another takes seconds (--update).
#[derive(Args, Debug)]
pub struct Synth {
    /// A board of constraints/: ulx3s-85f or hx8k-evn
    #[arg(long, value_name = "NAME", required_unless_present = "table")]
    board: Option<String>,
    /// A machine by name or a TOML file [default: the board's]
    #[arg(long, value_name = "FILE|NAME")]
    machine: Option<String>,
    /// What every processor's RAM starts with: a program of firmware/programs with the kernel, its arguments behind it ("remote 1 4 0"), a bare-metal one of firmware/, or such an ELF file [default: the board's]
    #[arg(long, value_name = "FILE|NAME")]
    program: Option<String>,
    /// Put this program into the bitstream that is there, without placing and routing anew
    #[arg(long, value_name = "FILE|NAME", conflicts_with_all = ["program", "seed", "seeds"])]
    update: Option<String>,
    /// Event classes of a program of firmware/programs, as for `run`
    #[arg(long, default_value = "profile+timer+user")]
    dgl: String,
    /// Seed of placement
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u32,
    /// Place with so many seeds, from --seed on, and take the fastest
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// Output folder [default: target/synth/BOARD of the checkout]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print what is found as JSON
    #[arg(long)]
    json: bool,
    /// Print a page: area and speed of blocks, of other cores, and of what was made for boards (half an hour)
    #[arg(long, exclusive = true)]
    table: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    board: &'a str,
    machine: &'a str,
    program: &'a str,
    /// After mapping.
    cells: Option<CellCount>,
    /// Of the device, after placement.
    uses: &'a [Use],
    clocks: &'a [Clock],
    /// MHz by seed.
    seeds: Vec<(u32, f64)>,
    seed: Option<u32>,
    /// MHz of the machine's description.
    wanted: f64,
    longest_path: Option<&'a Longest>,
    steps: Vec<&'a Step>,
    bitstream: Option<&'a Path>,
}

#[derive(Serialize)]
struct CellCount {
    luts: usize,
    flip_flops: usize,
    block_rams: usize,
    multipliers: usize,
}

/// Prints the page of areas and clocks.
fn print_table(root: &Path) -> Result<Exit, Failure> {
    let bar = run::spinner("measuring");
    let page = table::page(root, &|name, line| bar.set_message(format!("{name}: {line}")));
    bar.finish_and_clear();
    io::stdout().lock().write_all(page?.as_bytes())?;
    Ok(Exit::Success)
}

/// What was made, as far as it went.
struct Made {
    mapped: Option<Mapped>,
    placed: Vec<Placed>,
    packed: Option<(PathBuf, Vec<Step>)>,
}

impl Synth {
    pub fn run(&self) -> Result<Exit, Failure> {
        let root = firmware::root()?;
        let Some(board) = &self.board else { return print_table(&root) };
        let board = Board::named(board)?;
        let machine = board.load_machine(self.machine.as_deref())?;
        let bar = run::spinner("building the program");
        let name = self.update.as_ref().or(self.program.as_ref()).unwrap_or(&board.program);
        let words = self.words(&machine, &root, name)?;
        let folder = self.out.clone().unwrap_or_else(|| root.join("target/synth").join(&board.name));
        let folder = std::path::absolute(folder)?;
        let watch = |tool: &str, line: &str| bar.set_message(format!("{tool}: {line}"));
        let flow = Flow { board: &board, machine: &machine, root: &root, folder: &folder, watch: &watch };
        let mut made = Made { mapped: None, placed: vec![], packed: None };
        let result = self.make(&flow, &words, &mut made);
        bar.finish_and_clear();
        // What was found is worth seeing if the clock is missed, too.
        if result.is_ok() || matches!(result, Err(SynthError::Slow { .. })) {
            self.print(&flow, name, &made)?;
        }
        result?;
        Ok(Exit::Success)
    }

    fn make(&self, flow: &Flow, words: &[u32], made: &mut Made) -> Result<(), SynthError> {
        if self.update.is_none() {
            made.mapped = Some(flow.map(&flow.marks())?);
            for seed in self.seed..self.seed.saturating_add(self.seeds) {
                made.placed.push(flow.place(seed)?);
            }
            flow.best(&made.placed)?;
        }
        made.packed = Some(flow.pack(words)?);
        Ok(())
    }

    /// The program as words of RAM.
    fn words(&self, machine: &Machine, root: &Path, wanted: &str) -> Result<Words, Failure> {
        let mut parts = wanted.split_whitespace();
        let name = parts.next().unwrap_or_default();
        let arguments: Vec<_> = parts.map(String::from).collect();
        let image = if wanted.contains('/') {
            let bytes = std::fs::read(wanted).map_err(|error| no_elf(Path::new(wanted), &error))?;
            bare_image(Path::new(wanted), &bytes)?
        } else if BARE.contains(&name) {
            without_arguments(name, &arguments)?;
            let (path, bytes) = firmware::build(root)?.read(name)?;
            bare_image(&path, &bytes)?
        } else {
            firmware::check_program(root, name)?;
            let boot = Boot {
                dgl: run::classes(&self.dgl)?,
                seed: 1,
                start_processor: run::start(machine),
                arguments,
                ..Boot::default()
            };
            run::image(machine, name, &boot)?
        };
        Ok(content::of_image(&image, machine)?)
    }

    fn print(&self, flow: &Flow, program: &str, made: &Made) -> Result<(), Failure> {
        let best = made.placed.iter().max_by(|a, b| a.fmax.total_cmp(&b.fmax));
        let report = Report {
            board: &flow.board.name,
            machine: &flow.machine.name,
            program,
            cells: made.mapped.as_ref().map(|mapped| CellCount {
                luts: mapped.cells.luts,
                flip_flops: mapped.cells.flip_flops,
                block_rams: mapped.cells.block_rams,
                multipliers: mapped.cells.multipliers,
            }),
            uses: best.map_or(&[], |best| &best.routed.uses),
            clocks: best.map_or(&[], |best| &best.routed.clocks),
            seeds: made.placed.iter().map(|placed| (placed.seed, placed.fmax)).collect(),
            seed: best.map(|best| best.seed),
            wanted: f64::from(flow.machine.clock_hz) / 1e6,
            longest_path: best.map(|best| &best.routed.path),
            steps: steps(made),
            bitstream: made.packed.as_ref().map(|(path, _)| path.as_path()),
        };
        let json = serde_json::to_string_pretty(&report).map_err(|error| Failure::new(Exit::Machine, error))?;
        if self.update.is_none() {
            std::fs::write(flow.folder.join(REPORT), &json)?;
        }
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{json}")?;
        } else {
            write!(out, "{}", text(&report, flow))?;
        }
        Ok(())
    }
}

/// A program that can't be taken, and why.
fn no_elf(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::new(Exit::Input, format!("{}: {why}\n  help: give an ELF file that is linked for RAM", path.display()))
}

/// What an ELF file puts into RAM. Its end is not compared with the machine's RAM: that [`content::of_image`] does, with a better message.
fn bare_image(path: &Path, elf: &[u8]) -> Result<Image, Failure> {
    Ok(Program::parse(elf, RAM_BYTES_MAX).map_err(|error| no_elf(path, &error))?.image)
}

/// A program without kernel has nobody to pass it arguments.
fn without_arguments(name: &str, arguments: &[String]) -> Result<(), Failure> {
    let Some(first) = arguments.first() else { return Ok(()) };
    let help = "leave them out, or take a program of firmware/programs";
    Err(Failure::new(Exit::Input, format!("{name} takes no arguments, but `{first}` is one\n  help: {help}")))
}

fn steps(made: &Made) -> Vec<&Step> {
    let mapped = made.mapped.iter().map(|mapped| &mapped.step);
    let placed = made.placed.iter().map(|placed| &placed.step);
    mapped.chain(placed).chain(made.packed.iter().flat_map(|(_, steps)| steps)).collect()
}

fn text(report: &Report, flow: &Flow) -> String {
    let machine = flow.machine;
    let mut out = format!(
        "{} on {}: {} processors, {} RAM each, {}; program {}\n",
        machine.name,
        report.board,
        machine.processors.len(),
        units::print(machine.ram_bytes.into(), units::BYTES),
        units::print(machine.clock_hz.into(), units::HERTZ),
        report.program
    );
    if !report.uses.is_empty() {
        let _ = writeln!(out, "\n{:<34} {:>8} {:>8}", "device", "used", "of");
    }
    for found in report.uses {
        let percent = 100.0 * found.used as f64 / (found.available as f64).max(1.0);
        let (used, available) = (grouped(found.used), grouped(found.available));
        let meaning = found.meaning().unwrap_or(&found.resource);
        let _ = writeln!(out, "  {meaning:<32} {used:>8} {available:>8} {percent:>5.1} %");
    }
    if let Some(cells) = &report.cells {
        let CellCount { luts, flip_flops, block_rams, multipliers } = cells;
        let _ = writeln!(
            out,
            "  before placement: {} LUT4, {} flip-flops, {block_rams} block RAM, {multipliers} multipliers",
            grouped(*luts as u64),
            grouped(*flip_flops as u64)
        );
    }
    if !report.clocks.is_empty() {
        out += "\nclock                              reaches   wanted\n";
    }
    for clock in report.clocks {
        let _ = writeln!(out, "  {:<28} {:>8.2} {:>8.2} MHz", clock.name, clock.achieved, clock.wanted);
    }
    if report.seeds.len() > 1 {
        let list: Vec<_> = report.seeds.iter().map(|(seed, fmax)| format!("{seed}: {fmax:.2}")).collect();
        let _ = writeln!(out, "  by seed: {} MHz", list.join(", "));
    }
    if let Some(path) = report.longest_path {
        let _ = writeln!(out, "\nlongest path\n{path}");
    }
    let _ = writeln!(out, "\n{:<34} {:>8} {:>10}", "step", "seconds", "memory");
    for step in &report.steps {
        let memory = step.memory.map_or("?".into(), |bytes| format!("{} MiB", bytes >> 20));
        let _ = writeln!(out, "  {:<32} {:>8.1} {memory:>10}", step.name, step.seconds);
    }
    if let Some(path) = report.bitstream {
        let _ = writeln!(out, "\nbitstream: {}\nload it:   {} {}", path.display(), flow.board.loader, path.display());
    }
    out
}
