//! What was placed: whether it is still what is wanted, its content, the bitstream.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use testbed_hdl::support::synthesis::Family;

use super::super::content;
use super::super::step::{Step, Work};
use super::super::tools::Tool;
use super::{unfinished, Flow, SynthError, CONTENT, DESIGN, PROGRAM, RECORD, VENDOR};

/// What is placed, for a later change of its content; `placed.json` in the folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Record {
    /// The machine's description.
    machine: String,
    /// Device and package, as nextpnr calls them.
    device: String,
    seed: u32,
}

impl Flow<'_> {
    fn device(&self) -> String {
        format!("{} {}", self.board.device, self.board.package)
    }

    /// Keeps what was placed with `seed` as what is to be packed.
    pub(super) fn record(&self, seed: u32) -> Result<(), SynthError> {
        let record = Record { machine: self.machine.to_toml(), device: self.device(), seed };
        self.write(RECORD, &serde_json::to_string_pretty(&record).expect("a record is JSON"))
    }

    /// What is in the folder is not what is wanted.
    fn stale(&self, name: &str, what: String) -> SynthError {
        SynthError::Stale { path: self.path(name), what, command: self.command.into() }
    }

    /// A file that an earlier run made.
    fn kept(&self, name: &str) -> Result<String, SynthError> {
        fs::read_to_string(self.path(name)).map_err(|error| self.stale(name, format!("can't be read: {error}")))
    }

    /// The seed of what was placed before, if it was this machine.
    fn placed_before(&self) -> Result<u32, SynthError> {
        let stale = |what: String| self.stale(RECORD, what);
        let text =
            fs::read_to_string(self.path(RECORD)).map_err(|error| stale(format!("no placed design: {error}")))?;
        let record: Record = serde_json::from_str(&text).map_err(|error| stale(error.to_string()))?;
        let machine = self.machine.to_toml();
        if record.machine != machine {
            let mut lines = record.machine.lines().zip(machine.lines());
            let differs = lines.find(|(there, here)| there != here);
            let what = differs.map_or(String::new(), |(there, here)| format!(": `{there}`, not `{here}`"));
            return Err(stale(format!("the design placed there is another machine's{what}")));
        }
        if record.device != self.device() {
            return Err(stale(format!("the design was placed on {}, not on {}", record.device, self.device())));
        }
        Ok(record.seed)
    }

    /// Whether what was placed was made of the hardware as it is now.
    ///
    /// # Errors
    /// It was not, or nothing is placed, or it is another machine.
    pub fn check_placed(&self) -> Result<(), SynthError> {
        self.placed_before()?;
        let pins = self.board.pins_text.clone();
        for (name, now) in [(DESIGN, self.design()?), (VENDOR, self.vendor()?), (self.board.pins.as_str(), pins)] {
            if self.kept(name)? != now {
                return Err(self.stale(name, "the hardware has changed since".into()));
            }
        }
        Ok(())
    }

    /// Puts `words` into every processor's RAM of the design that was placed, and packs it. Gives the bitstream.
    ///
    /// # Errors
    /// Nothing is placed, or it is another machine, or its RAM is not found, or a tool fails.
    pub fn pack(&self, words: &[u32]) -> Result<(PathBuf, Vec<Step>), SynthError> {
        let placed = self.placed_name(self.placed_before()?);
        self.write(PROGRAM, &content::hex(&content::in_banks(words)))?;
        let mut steps = Vec::new();
        match self.board.family {
            Family::Ecp5 => self.fill_ecp5(&placed, words)?,
            Family::Ice40 => steps.push(self.fill_ice40(&placed)?),
        }
        // icebram is content if it finds nothing.
        let changed = self.kept(&placed)? != self.read(&self.filled_name())?;
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
        let bitstream = self.bitstream_name();
        // Whole or not at all, since it is loaded by name.
        let unfinished = unfinished(&bitstream);
        let options: &[&str] = if self.board.family == Family::Ecp5 { &["--compress"] } else { &[] };
        let step = self.work(Tool::packer(self.board.family), "", &[options, &[text, &unfinished]].concat())?;
        let path = self.path(&bitstream);
        match fs::rename(self.path(&unfinished), &path) {
            Ok(()) => Ok((path, step)),
            Err(source) => Err(SynthError::Io { path, source }),
        }
    }

    pub(super) fn bitstream_name(&self) -> String {
        match self.board.family {
            Family::Ecp5 => format!("{}.bit", self.board.name),
            Family::Ice40 => format!("{}.bin", self.board.name),
        }
    }

    /// The placed design with the program in it, as text.
    pub(super) fn filled_name(&self) -> String {
        match self.board.family {
            Family::Ecp5 => format!("{}.config", self.board.name),
            Family::Ice40 => format!("{}.asc", self.board.name),
        }
    }

    fn fill_ecp5(&self, placed: &str, words: &[u32]) -> Result<(), SynthError> {
        let _ = (self.watch)("testbed", "putting the program into block RAM");
        let stale = |what: String| self.stale(placed, what);
        let (text, found) =
            content::replace_ecp5(&self.kept(placed)?, &content::in_banks(&self.marks()), &content::in_banks(words))
                .map_err(stale)?;
        let wanted = self.ram_blocks() as usize;
        if found != wanted {
            return Err(stale(format!("the RAM is in {found} of its block RAM, {wanted} were expected")));
        }
        self.write(&self.filled_name(), &text)
    }

    fn fill_ice40(&self, placed: &str) -> Result<Step, SynthError> {
        // icebram says little of files that are not as they were.
        if self.kept(CONTENT)? != content::hex(&content::in_banks(&self.marks())) {
            return Err(self.stale(CONTENT, "it has changed since".into()));
        }
        let missing = |error: io::Error| self.stale(placed, format!("can't be read: {error}"));
        let input = File::open(self.path(placed)).map_err(missing)?;
        let arguments = [CONTENT, PROGRAM].map(OsString::from).to_vec();
        let pipe = Some((input, self.path(&self.filled_name())));
        let work = Work { tool: Tool::Icebram, root: self.root, folder: self.folder, label: "", arguments, pipe };
        work.run(self.watch).map_err(|error| match error {
            SynthError::Failed { said, .. } => self.stale(placed, format!("icebram can't take it: {said}")),
            error => error,
        })
    }
}
