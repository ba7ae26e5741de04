//! A board's bitstream, step by step. All files lie in one folder.
//!
//! ```text
//! board.v  fpga.v ──yosys──> mapped.json ──nextpnr──> placed-SEED ──content──> BOARD.config ──ecppack──> BOARD.bit
//! content.hex ──┘   pins.lpf ────────────────┘           BOARD.asc ──icepack──> BOARD.bin
//! ```

mod placed;

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use itertools::Itertools;
use testbed_hdl::board::Options;
use testbed_hdl::support::synthesis::{count, Cells, Family};
use testbed_machine::Machine;

use super::board::Board;
use super::content::{self, Words};
use super::pll::Pll;
use super::report::{self, Routed, Use};
use super::step::{Step, Watcher, Work};
use super::tools::Tool;
use super::{pads, SynthError};
use testbed_trace::capture::{hold, LOCK};

/// Bytes of an ECP5's and of an iCE40's block RAM, without parity.
const fn block_bytes(family: Family) -> u32 {
    match family {
        Family::Ecp5 => 2048,
        Family::Ice40 => 512,
    }
}

/// Block RAM of each processor's RAM.
fn block_count(machine: &Machine, family: Family) -> usize {
    machine.ram_bytes.div_ceil(block_bytes(family)) as usize
}

/// nextpnr's report of a seed.
fn routed_name(seed: u32) -> String {
    format!("report-{seed}.json")
}

/// A bitstream that is being made.
fn unfinished(bitstream: &str) -> String {
    format!("{bitstream}.part")
}

/// A board, the machine to put on it, and where its files are.
pub struct Flow<'a> {
    pub board: &'a Board,
    pub machine: &'a Machine,
    /// The folder of the workspace, where tools are installed.
    pub root: &'a Path,
    /// Where all files go; it is made if it is not there.
    pub folder: &'a Path,
    /// The command that makes it, for errors.
    pub command: &'a str,
    pub watch: &'a Watcher<'a>,
}

/// A design after yosys.
#[derive(Clone, Debug)]
pub struct Mapped {
    pub cells: Cells,
    pub step: Step,
}

/// A design placed and routed with one seed.
#[derive(Clone, Debug)]
pub struct Placed {
    pub seed: u32,
    pub routed: Routed,
    /// The rate that the machine's clock reaches, in MHz.
    pub fmax: f64,
    pub step: Step,
}

/// Which of the designs in the folder is to be packed.
const RECORD: &str = "placed.json";
/// What was found, for those who read it later.
pub const REPORT: &str = "report.json";
/// The machine, and what is around it.
const DESIGN: &str = "board.v";
const VENDOR: &str = "fpga.v";
/// Which block RAM lies where.
const LAYOUT: &str = "layout.ys";
/// Newer yosys say of what module cells were by cells that nextpnr of before knows nothing of.
pub(crate) const PLAIN: &str = "delete t:$scopeinfo";
/// The words by which RAM is found, in banks; beside it are files of each bank.
const CONTENT: &str = "content.hex";
/// The words that are put there.
const PROGRAM: &str = "program.hex";

impl Flow<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), SynthError> {
        let path = self.path(name);
        fs::write(&path, text).map_err(|source| SynthError::Io { path, source })
    }

    fn read(&self, name: &str) -> Result<String, SynthError> {
        let path = self.path(name);
        fs::read_to_string(&path).map_err(|source| SynthError::Io { path, source })
    }

    fn work(&self, tool: Tool, label: &str, arguments: &[&str]) -> Result<Step, SynthError> {
        let arguments = arguments.iter().map(OsString::from).collect();
        Work { tool, root: self.root, folder: self.folder, label, arguments, pipe: None }.run(self.watch)
    }

    /// Words of a processor's RAM.
    fn words(&self) -> usize {
        self.machine.ram_bytes as usize / 4
    }

    /// The words by which the RAM is found.
    pub fn marks(&self) -> Words {
        content::random(self.words())
    }

    /// Makes the folder, and keeps other runs out of it for as long as what is returned lives.
    ///
    /// # Errors
    /// Another run is writing to it, it holds files of others, or it can't be written to.
    pub fn claim(&self) -> Result<File, SynthError> {
        let at = |source| SynthError::Io { path: self.folder.into(), source };
        fs::create_dir_all(self.folder).map_err(at)?;
        let holds_files = fs::read_dir(self.folder).map_err(at)?.flatten().any(|entry| entry.file_name() != LOCK);
        if holds_files && !self.path(VENDOR).is_file() {
            return Err(SynthError::NotOurs(self.folder.into()));
        }
        hold(&self.path(LOCK)).map_err(at)?.ok_or_else(|| SynthError::Busy(self.folder.into()))
    }

    /// Finds all tools that will be needed, installing what is missing: the last one is needed after minutes.
    ///
    /// # Errors
    /// One is missing and can't be installed.
    pub fn find_tools(&self) -> Result<(), SynthError> {
        let family = self.board.family;
        let filler = (family == Family::Ice40).then_some(Tool::Icebram);
        let mut all = [Tool::Yosys, Tool::router(family), Tool::packer(family)].into_iter().chain(filler);
        all.try_for_each(|tool| tool.find(self.root).map(drop))
    }

    /// The machine's Verilog.
    fn design(&self) -> Result<String, SynthError> {
        let _ = (self.watch)("testbed", "generating the Verilog");
        let options = Options { image: Some(CONTENT.into()), ..Board::options(self.machine)? };
        Ok(testbed_hdl::board::verilog(self.machine, &options)?)
    }

    /// The vendor's part around it.
    fn vendor(&self) -> Result<String, SynthError> {
        let pll = Pll::new(self.board.family, self.board.oscillator_hz, self.machine.clock_hz)?;
        Ok(pads::verilog(self.board, pll))
    }

    /// Processors that are in hardware.
    pub fn processors(&self) -> usize {
        self.machine.processors.len() - usize::from(self.machine.headless)
    }

    /// Block RAM that all processors' RAM take.
    fn ram_blocks(&self) -> u64 {
        (block_count(self.machine, self.board.family) * self.processors()) as u64
    }

    /// Generates the machine's Verilog and maps it, with `words` in every processor's RAM.
    ///
    /// # Errors
    /// RAM alone is more than the device has; the machine has no hardware; as for [`Flow::map_verilog`].
    pub fn map(&self, words: &[u32]) -> Result<Mapped, SynthError> {
        let ram = Use::block_ram(self.board.family, self.ram_blocks(), self.board.block_rams);
        if let Some(error) = report::too_large([ram], &self.machine.name, &self.board.name) {
            return Err(error);
        }
        let blocks = block_count(self.machine, self.board.family);
        let layout = self.board.ram_tiles.commands(pads::TOP, self.processors(), blocks);
        self.map_laid_out(&self.design()?, words, layout.as_deref())
    }

    /// Removes what an earlier run made: whatever fails from here, that is not to be taken for this one's.
    fn clear(&self) -> Result<(), SynthError> {
        let io = |path: &Path, source| SynthError::Io { path: path.into(), source };
        for entry in fs::read_dir(self.folder).map_err(|source| io(self.folder, source))?.flatten() {
            if self.is_made(&entry.file_name().to_string_lossy()) {
                fs::remove_file(entry.path()).map_err(|source| io(&entry.path(), source))?;
            }
        }
        Ok(())
    }

    /// Whether a file of this name is what a run makes of what yosys leaves.
    fn is_made(&self, name: &str) -> bool {
        let bitstream = self.bitstream_name();
        if [LAYOUT, RECORD, REPORT, PROGRAM, &bitstream, &self.filled_name(), &unfinished(&bitstream)].contains(&name) {
            return true;
        }
        let seed = |prefix: &str| name.strip_prefix(prefix)?.split_once('.')?.0.parse().ok();
        let placed = seed("placed-").is_some_and(|seed| name == self.placed_name(seed));
        placed || seed("report-").is_some_and(|seed| name == routed_name(seed))
    }

    /// Maps a design with the module `board`, whose RAM reads its first content, `words`, from the files of
    /// `content.hex`, one a bank.
    ///
    /// # Errors
    /// No PLL makes the machine's clock, or yosys fails: on latches too, and on loops.
    pub fn map_verilog(&self, design: &str, words: &[u32]) -> Result<Mapped, SynthError> {
        self.map_laid_out(design, words, None)
    }

    /// The same, with commands that say what lies where.
    fn map_laid_out(&self, design: &str, words: &[u32], layout: Option<&str>) -> Result<Mapped, SynthError> {
        fs::create_dir_all(self.folder).map_err(|source| SynthError::Io { path: self.folder.into(), source })?;
        self.clear()?;
        let vendor = self.vendor()?;
        self.write(DESIGN, design)?;
        self.write(VENDOR, &vendor)?;
        if let Some(layout) = layout {
            self.write(LAYOUT, layout)?;
        }
        self.write(CONTENT, &content::hex(&content::in_banks(words)))?;
        for (file, text) in content::image(CONTENT, words) {
            self.write(&file, &text)?;
        }
        self.write(&self.board.pins, &self.board.pins_text)?;
        // Latches are looked for before mapping, which would hide them in LUTs.
        let script = format!(
            "read_verilog {DESIGN} {VENDOR}; hierarchy -top {top}; proc; flatten; opt_clean; \
             select -assert-none t:$dlatch t:$adlatch t:$dlatchsr; {map} -top {top}; {laid_out}\
             {PLAIN}; write_json mapped.json; check -assert; \
             tee -q -o cells.json stat -json",
            map = self.board.family.mapping(),
            laid_out = layout.map_or_else(String::new, |_| format!("script {LAYOUT}; ")),
            top = pads::TOP
        );
        let step = self.work(Tool::Yosys, "", &["-p", &script])?;
        let cells = count(&self.read("cells.json")?, self.board.family)
            .map_err(|error| SynthError::Report("yosys' statistics".into(), error.to_string()))?;
        Ok(Mapped { cells, step })
    }

    fn placed_name(&self, seed: u32) -> String {
        match self.board.family {
            Family::Ecp5 => format!("placed-{seed}.config"),
            Family::Ice40 => format!("placed-{seed}.asc"),
        }
    }

    /// Places and routes the mapped design.
    ///
    /// # Errors
    /// The design does not fit, or nextpnr fails otherwise. A clock that is missed is none: see [`Flow::best`].
    pub fn place(&self, seed: u32) -> Result<Placed, SynthError> {
        let board = self.board;
        let tool = Tool::router(board.family);
        let (device, frequency, seed_text) =
            (format!("--{}", board.device), format!("{}", f64::from(self.machine.clock_hz) / 1e6), seed.to_string());
        let (placed, routed) = (self.placed_name(seed), routed_name(seed));
        let (pins, output) = match board.family {
            Family::Ecp5 => ("--lpf", "--textcfg"),
            Family::Ice40 => ("--pcf", "--asc"),
        };
        let arguments = [
            &device,
            "--package",
            &board.package,
            pins,
            &board.pins,
            "--json",
            "mapped.json",
            output,
            &placed,
            "--freq",
            &frequency,
            "--seed",
            &seed_text,
            "--report",
            &routed,
            "--timing-allow-fail",
        ];
        let label = format!("seed {seed}");
        let step = self.work(tool, &label, &arguments).map_err(|error| self.explain(error))?;
        let mut routed = report::read(&self.read(&routed)?)?;
        routed.call_clock(pads::CLOCK, pads::UNGATED);
        let fmax = routed.fmax(pads::CLOCK).ok_or_else(|| {
            let names = routed.clocks.iter().map(|clock| &clock.name).join(", ");
            SynthError::Report("nextpnr's report".into(), format!("no {} among {names}", pads::CLOCK))
        })?;
        Ok(Placed { seed, routed, fmax, step })
    }

    /// Places and routes with each seed, and keeps the fastest as what is to be packed, as soon as
    /// it is there. A tool that fails with one seed, of which `warn` is told, spoils none of the
    /// others.
    ///
    /// # Errors
    /// The clock is missed with all; the tool fails with all; the design does not fit, or the tool can't be run.
    ///
    /// # Panics
    /// If there are no seeds.
    pub fn place_all(
        &self,
        seeds: impl IntoIterator<Item = u32>,
        placed: &mut Vec<Placed>,
        warn: &dyn Fn(&SynthError),
    ) -> Result<(), SynthError> {
        let mut failed = None;
        for seed in seeds {
            match self.place(seed) {
                Ok(one) => placed.push(one),
                Err(error @ SynthError::Failed { .. }) => {
                    failed.replace(error).inspect(warn);
                    continue;
                }
                Err(error) => return Err(error),
            }
            // For who cuts the run short. Whether the clock is missed counts at the end.
            let _ = self.best(placed);
        }
        match failed {
            Some(error) if placed.is_empty() => return Err(error),
            failed => failed.inspect(warn),
        };
        self.best(placed).map(drop)
    }

    /// The error that a design is too large, where that is why nextpnr failed.
    fn explain(&self, error: SynthError) -> SynthError {
        report::too_large(report::used_at_failure(&error), &self.machine.name, &self.board.name).unwrap_or(error)
    }

    /// The fastest of `placed`, kept as what is to be packed.
    ///
    /// # Errors
    /// It does not reach the machine's clock.
    ///
    /// # Panics
    /// If there is none.
    pub fn best<'p>(&self, placed: &'p [Placed]) -> Result<&'p Placed, SynthError> {
        let best = placed.iter().max_by(|a, b| a.fmax.total_cmp(&b.fmax)).expect("at least one seed");
        let wanted = f64::from(self.machine.clock_hz) / 1e6;
        if best.fmax < wanted {
            return Err(SynthError::Slow {
                machine: self.machine.name.clone(),
                board: self.board.name.clone(),
                achieved: best.fmax,
                wanted,
                path: best.routed.path.to_string(),
            });
        }
        self.record(best.seed)?;
        Ok(best)
    }
}
