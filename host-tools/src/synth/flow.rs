//! A board's bitstream, step by step. All files lie in one folder.
//!
//! ```text
//! board.v  fpga.v ──yosys──> mapped.json ──nextpnr──> placed-SEED ──content──> BOARD.config ──ecppack──> BOARD.bit
//! content.hex ──┘   pins.lpf ────────────────┘           BOARD.asc ──icepack──> BOARD.bin
//! ```

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::Serialize;
use testbed_hdl::board::Options;
use testbed_hdl::support::synthesis::{count, Cells, Family};
use testbed_machine::Machine;

use super::board::Board;
use super::content::{self, Words};
use super::pll::Pll;
use super::report::{self, Routed};
use super::step::{Step, Watcher, Work};
use super::tools::Tool;
use super::{pads, SynthError};

/// Bytes of an ECP5's and of an iCE40's block RAM, without parity.
const fn block_bytes(family: Family) -> u32 {
    match family {
        Family::Ecp5 => 2048,
        Family::Ice40 => 512,
    }
}

/// A board, the machine to put on it, and where its files are.
pub struct Flow<'a> {
    pub board: &'a Board,
    pub machine: &'a Machine,
    /// Of the workspace, where tools are installed.
    pub root: &'a Path,
    /// Where all files go; it is made if it is not there.
    pub folder: &'a Path,
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
    /// Of the machine's clock, in MHz.
    pub fmax: f64,
    pub step: Step,
}

/// What is placed, for a later change of its content; `placed.json` in the folder.
#[derive(Clone, Debug, Serialize, serde::Deserialize)]
struct Record {
    /// The machine's description.
    machine: String,
    seed: u32,
}

const RECORD: &str = "placed.json";
/// The words by which RAM is found.
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

    /// Generates the machine's Verilog and maps it, with `words` in every processor's RAM.
    ///
    /// # Errors
    /// The machine has no hardware; as for [`Flow::map_verilog`].
    pub fn map(&self, words: &[u32]) -> Result<Mapped, SynthError> {
        (self.watch)("testbed", "generating the Verilog");
        let options = Options { image: Some(CONTENT.into()), ..Options::of(self.machine) };
        self.map_verilog(&testbed_hdl::board::verilog(self.machine, &options)?, words)
    }

    /// Maps a design with the module `board`, whose RAM reads its first content, `words`, from the file `content.hex`.
    ///
    /// # Errors
    /// No PLL makes the machine's clock, or yosys fails: on latches too, and on loops.
    pub fn map_verilog(&self, design: &str, words: &[u32]) -> Result<Mapped, SynthError> {
        fs::create_dir_all(self.folder).map_err(|source| SynthError::Io { path: self.folder.into(), source })?;
        // Whatever fails from here, what an earlier run placed is not to be taken for this one's.
        let _ = fs::remove_file(self.path(RECORD));
        let pll = Pll::new(self.board.family, self.board.oscillator_hz, self.machine.clock_hz)?;
        self.write("board.v", design)?;
        self.write("fpga.v", &pads::verilog(self.board, pll))?;
        self.write(CONTENT, &content::hex(words))?;
        self.write(&self.board.pins, &self.board.pins_text)?;
        // Latches are looked for before mapping, which would hide them in LUTs.
        let script = format!(
            "read_verilog board.v fpga.v; hierarchy -top {top}; proc; flatten; opt_clean; \
             select -assert-none t:$dlatch t:$adlatch t:$dlatchsr; {map} -top {top} -json mapped.json; check -assert; \
             tee -q -o cells.json stat -json",
            map = self.board.family.mapping(),
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
        let (placed, routed) = (self.placed_name(seed), format!("report-{seed}.json"));
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
        let routed = report::read(&self.read(&routed)?)?;
        let fmax = routed.fmax(pads::CLOCK).ok_or_else(|| {
            let names: Vec<_> = routed.clocks.iter().map(|clock| clock.name.as_str()).collect();
            SynthError::Report("nextpnr's report".into(), format!("no {} among {}", pads::CLOCK, names.join(", ")))
        })?;
        Ok(Placed { seed, routed, fmax, step })
    }

    /// That a design is too large, where that is why nextpnr failed.
    fn explain(&self, error: SynthError) -> SynthError {
        let SynthError::Failed { log, .. } = &error else { return error };
        let text = fs::read_to_string(log).unwrap_or_default();
        report::too_large(&text, &self.machine.name, &self.board.name).unwrap_or(error)
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
        let record = Record { machine: self.machine.to_toml(), seed: best.seed };
        self.write(RECORD, &serde_json::to_string_pretty(&record).expect("a record is JSON"))?;
        Ok(best)
    }

    /// What is in the folder is not what is wanted.
    fn stale(&self, name: &str, what: String) -> SynthError {
        SynthError::Stale { path: self.path(name), what, board: self.board.name.clone() }
    }

    /// The seed of what was placed before, if it was this machine.
    fn placed_before(&self) -> Result<u32, SynthError> {
        let stale = |what: String| self.stale(RECORD, what);
        let text =
            fs::read_to_string(self.path(RECORD)).map_err(|error| stale(format!("no placed design: {error}")))?;
        let record: Record = serde_json::from_str(&text).map_err(|error| stale(error.to_string()))?;
        match record.machine == self.machine.to_toml() {
            true => Ok(record.seed),
            false => Err(stale("the design placed there is another machine's".into())),
        }
    }

    /// Puts `words` into every processor's RAM of the design that was placed, and packs it. Gives the bitstream.
    ///
    /// # Errors
    /// Nothing is placed, or it is another machine, or its RAM is not found, or a tool fails.
    pub fn pack(&self, words: &[u32]) -> Result<(PathBuf, Vec<Step>), SynthError> {
        let placed = self.placed_name(self.placed_before()?);
        self.write(PROGRAM, &content::hex(words))?;
        let mut steps = Vec::new();
        match self.board.family {
            Family::Ecp5 => self.fill_ecp5(&placed, words)?,
            Family::Ice40 => steps.push(self.fill_ice40(&placed)?),
        }
        // icebram is content if it finds nothing.
        let changed = self.read(&placed)? != self.read(&self.filled_name())?;
        if !changed && words != self.marks() {
            return Err(self.stale(&placed, "the RAM is not in it".into()));
        }
        let (bitstream, step) = self.pack_text(&self.filled_name())?;
        steps.push(step);
        Ok((bitstream, steps))
    }

    /// Packs the design that was placed with the words in it that it was mapped with.
    ///
    /// # Errors
    /// Nothing is placed, or it is another machine, or the packer fails.
    pub fn pack_as_mapped(&self) -> Result<(PathBuf, Vec<Step>), SynthError> {
        let (bitstream, step) = self.pack_text(&self.placed_name(self.placed_before()?))?;
        Ok((bitstream, vec![step]))
    }

    /// Packs a file of text. The bitstream says nothing of that file's name.
    fn pack_text(&self, text: &str) -> Result<(PathBuf, Step), SynthError> {
        let bitstream = match self.board.family {
            Family::Ecp5 => format!("{}.bit", self.board.name),
            Family::Ice40 => format!("{}.bin", self.board.name),
        };
        let options: &[&str] = if self.board.family == Family::Ecp5 { &["--compress"] } else { &[] };
        let step = self.work(Tool::packer(self.board.family), "", &[options, &[text, &bitstream]].concat())?;
        Ok((self.path(&bitstream), step))
    }

    /// The placed design with the program in it, as text.
    fn filled_name(&self) -> String {
        match self.board.family {
            Family::Ecp5 => format!("{}.config", self.board.name),
            Family::Ice40 => format!("{}.asc", self.board.name),
        }
    }

    fn fill_ecp5(&self, placed: &str, words: &[u32]) -> Result<(), SynthError> {
        (self.watch)("testbed", "putting the program into block RAM");
        let stale = |what: String| self.stale(placed, what);
        let (text, found) = content::replace_ecp5(&self.read(placed)?, &self.marks(), words).map_err(stale)?;
        let blocks = self.machine.ram_bytes.div_ceil(block_bytes(self.board.family)) as usize;
        let processors = (0..self.machine.processors.len()).filter(|&number| self.machine.instance(number).is_some());
        let wanted = blocks * processors.count();
        if found != wanted {
            return Err(stale(format!("the RAM is in {found} of its block RAM, {wanted} were expected")));
        }
        self.write(&self.filled_name(), &text)
    }

    fn fill_ice40(&self, placed: &str) -> Result<Step, SynthError> {
        let path = self.path(placed);
        let input = File::open(&path).map_err(|source| SynthError::Io { path, source })?;
        let arguments = [CONTENT, PROGRAM].map(OsString::from).to_vec();
        let pipe = Some((input, self.path(&self.filled_name())));
        let work = Work { tool: Tool::Icebram, root: self.root, folder: self.folder, label: "", arguments, pipe };
        work.run(self.watch)
    }
}
