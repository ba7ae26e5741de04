//! `testbed synth`: a board's bitstream, with what it uses and how fast it is.

mod program;
mod table;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use indicatif::ProgressBar;
use itertools::Itertools;
use serde::Serialize;
use serde_json::Value;
use testbed_machine::units;
use testbed_runner::firmware;
use testbed_runner::signals::stop_flag;
use testbed_runner::tell;
use testbed_synth::board::Board;
use testbed_synth::flow::{Flow, Mapped, Placed, REPORT};
use testbed_synth::report::{Clock, Path as Longest, Use};
use testbed_synth::step::Step;
use testbed_synth::SynthError;

use super::{grouped, progress, Exit, Failure};

/// The last seed that nextpnr takes.
const SEED_MAX: u32 = i32::MAX as u32;

/// Makes a board's bitstream with yosys, nextpnr and their packers, which are installed where they are missing.
///
/// The machine is synthesised without a program; the program is put into its block RAM afterwards,
/// so that another takes seconds (--update).
#[derive(Args, Debug)]
pub struct Synth {
    /// A board of constraints/: ulx3s-85f or hx8k-evn
    #[arg(long, value_name = "NAME", required_unless_present = "table")]
    board: Option<String>,
    /// A machine by name or a TOML file [default: the board's]
    #[arg(long, value_name = "FILE|NAME")]
    machine: Option<String>,
    /// What every processor's RAM starts with: a program of firmware/programs with the kernel, its
    /// arguments behind it ("remote 1 4 0"), a bare-metal one of firmware/, or such an ELF file
    /// [default: the board's]
    #[arg(long, value_name = "FILE|NAME")]
    program: Option<String>,
    /// Put this program into the bitstream that is there, without placing and routing anew
    #[arg(long, value_name = "FILE|NAME", conflicts_with_all = ["program", "seed", "seeds"])]
    update: Option<String>,
    /// Event classes of a program of firmware/programs, as for `run`
    #[arg(long, default_value = "profile+timer+user")]
    dgl: String,
    /// Seed of placement
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(SEED_MAX)))]
    seed: u32,
    /// Place with so many seeds, from --seed on, and take the fastest
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(SEED_MAX)))]
    seeds: u32,
    /// Output folder [default: target/synth/BOARD of the checkout]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print what is found as JSON
    #[arg(long)]
    json: bool,
    /// Print a page: area and speed of blocks, of other cores, and of what was made for boards (some 20 minutes)
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
    /// What is used of the device, after placement.
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

/// Shows on `bar` how it goes, until a signal wants the end: so no tool is left at work.
fn watching(bar: &ProgressBar) -> io::Result<impl Fn(&str, &str) -> ControlFlow<()> + Sync + '_> {
    let stop = stop_flag()?;
    Ok(move |tool: &str, line: &str| {
        bar.set_message(format!("{tool}: {line}"));
        match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })
}

/// Prints the page of areas and clocks.
fn print_table(root: &Path) -> Result<Exit, Failure> {
    let bar = progress::spinner("measuring");
    let page = table::page(root, &watching(&bar)?);
    bar.finish_and_clear();
    io::stdout().lock().write_all(page?.as_bytes())?;
    Ok(Exit::Success)
}

/// What was made, as far as it went.
#[derive(Default)]
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
        let bar = progress::spinner("building the program");
        let name = self.update.as_ref().or(self.program.as_ref()).unwrap_or(&board.program);
        let words = program::Wanted { dgl: &self.dgl, machine: &machine, root: &root }.words(name)?;
        let folder = self.out.clone().unwrap_or_else(|| root.join("target/synth").join(&board.name));
        let folder = std::path::absolute(folder)?;
        let watch = watching(&bar)?;
        let command = self.command(&board);
        let flow =
            Flow { board: &board, machine: &machine, root: &root, folder: &folder, command: &command, watch: &watch };
        let _claim = flow.claim()?;
        let mut made = Made::default();
        let result = self.make(&flow, &words, &mut made);
        bar.finish_and_clear();
        // What was found is worth seeing if the clock is missed, too.
        if result.is_ok() || matches!(result, Err(SynthError::Slow { .. })) {
            self.print(&flow, name, &made)?;
        }
        result?;
        Ok(Exit::Success)
    }

    /// What makes a bitstream of this machine where it is wanted.
    fn command(&self, board: &Board) -> String {
        let machine = self.machine.iter().map(|machine| format!(" --machine {machine}"));
        let out = self.out.iter().map(|out| format!(" --out {}", out.display()));
        format!("testbed synth --board {}{}", board.name, machine.chain(out).collect::<String>())
    }

    fn make(&self, flow: &Flow, words: &[u32], made: &mut Made) -> Result<(), SynthError> {
        if self.update.is_some() {
            flow.check_placed()?;
        } else {
            flow.find_tools()?;
            made.mapped = Some(flow.map(&flow.marks())?);
            let seeds = (self.seed..=SEED_MAX).take(self.seeds as usize);
            flow.place_all(seeds, &mut made.placed, &|error| tell!("warning: {error}"))?;
        }
        made.packed = Some(flow.pack(words)?);
        Ok(())
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
        let mut json = serde_json::to_value(&report).map_err(|error| Failure::new(Exit::Machine, error))?;
        let path = flow.folder.join(REPORT);
        if self.update.is_some() {
            keep_placement(&mut json, &path);
        }
        let json = format!("{json:#}");
        std::fs::write(&path, &json)?;
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{json}")?;
        } else {
            write!(out, "{}", text(&report, flow))?;
        }
        Ok(())
    }
}

/// Another program changes nothing of what was found when the design was placed.
fn keep_placement(report: &mut Value, before: &Path) {
    let before = std::fs::read_to_string(before).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    for (key, value) in before.as_ref().and_then(Value::as_object).into_iter().flatten() {
        if !["program", "steps", "bitstream"].contains(&key.as_str()) {
            report[key] = value.clone();
        }
    }
}

fn steps(made: &Made) -> Vec<&Step> {
    let mapped = made.mapped.iter().map(|mapped| &mapped.step);
    let placed = made.placed.iter().map(|placed| &placed.step);
    mapped.chain(placed).chain(made.packed.iter().flat_map(|(_, steps)| steps)).collect()
}

fn text(report: &Report, flow: &Flow) -> String {
    let machine = flow.machine;
    let processors = match flow.processors() {
        1 => "1 processor".into(),
        many => format!("{many} processors"),
    };
    let mut out = format!(
        "{} on {}: {processors} of {} RAM, {}; program {}\n",
        machine.name,
        report.board,
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
        let list = report.seeds.iter().map(|(seed, fmax)| format!("{seed}: {fmax:.2}")).join(", ");
        let _ = writeln!(out, "  by seed: {list} MHz");
    }
    // If there is no bitstream, it is in the error.
    if let Some(path) = report.longest_path.filter(|_| report.bitstream.is_some()) {
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
