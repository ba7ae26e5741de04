//! How much of the kernel is instrumentation: the kernel beside the same one built without any.
//!
//! The report's figure is one of source lines (150 of 11,000, section 2.2.3). Here the code itself
//! is measured too: what is there with events and not without, and the instructions in it that can
//! be told for certain, each by the address that it loads or stores.

mod flow;

use std::fs;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use testbed_definitions::boot::SMALL_BELOW;
use testbed_definitions::map;
use testbed_sim::lockstep::disassemble::mnemonic;

use flow::{Code, Use, INSTRUCTION};
use testbed_runner::firmware::{Firmware, FirmwareError};

/// The report's share of instrumentation in its kernel, in percent of the lines.
pub const REPORT_PERCENT: f64 = 1.5;
/// The kernel's word of enabled event classes, as its mangled symbol ends: `events::DGL`.
const CLASSES: &str = "6events3DGL";
/// Every processor here has RAM for the whole kernel.
const RAM_BYTES: u32 = SMALL_BELOW;

/// Why there is no figure.
#[derive(Debug, thiserror::Error)]
pub enum InstrumentationError {
    #[error(transparent)]
    Firmware(#[from] FirmwareError),
    #[error("{}: {reason}\n  help: remove target/firmware, so that the firmware is built anew", path.display())]
    Kernel { path: PathBuf, reason: String },
}

/// A kernel's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes of the section `.text`.
    pub bytes: u64,
    /// Words of it that are instructions.
    pub instructions: u64,
}

/// Instructions whose part in instrumentation is certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sites {
    /// Stores to the monitor: each emits one word of an event.
    pub stores: u64,
    /// Loads of the word of event classes,
    pub loads: u64,
    /// what takes one class out of it,
    pub masks: u64,
    /// and branches by that.
    pub branches: u64,
}

impl Sites {
    /// All of them.
    pub fn instructions(&self) -> u64 {
        self.stores + self.loads + self.masks + self.branches
    }
}

/// Lines of the kernel's sources that are neither empty nor comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    pub all: u64,
    /// Those that call the module of events, and those of the module itself.
    pub instrumentation: u64,
}

impl Lines {
    /// Percent of all.
    pub fn percent(&self) -> f64 {
        percent(self.instrumentation, self.all)
    }
}

/// What instrumentation takes of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instrumentation {
    pub with: Size,
    pub without: Size,
    /// Where the kernel with events emits them.
    pub sites: Sites,
    /// Lines of the kernel's own crate; protocol and core know of no events.
    pub lines: Lines,
}

impl Instrumentation {
    /// Instructions that are there for instrumentation.
    pub fn instructions(&self) -> u64 {
        self.with.instructions.saturating_sub(self.without.instructions)
    }

    /// Percent of the kernel's code that is there for instrumentation.
    pub fn percent(&self) -> f64 {
        percent(self.instructions(), self.with.instructions)
    }

    /// Percent of the kernel's code that emits.
    pub fn emitting_percent(&self) -> f64 {
        percent(self.sites.stores, self.with.instructions)
    }

    /// Instructions beside those of [`Self::sites`]: what makes the words to emit, the addresses of
    /// monitor and classes, and what the compiler does otherwise where there are events.
    pub fn others(&self) -> u64 {
        self.instructions().saturating_sub(self.sites.instructions())
    }
}

fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

/// Compares the kernel with the one that has no events, which is built if it is not there yet.
///
/// # Errors
/// The kernel without events doesn't build; an ELF file or the kernel's sources can't be read, or
/// the ELF file is not one of a kernel.
pub fn share(built: &Firmware) -> Result<Instrumentation, InstrumentationError> {
    let with = Kernel::read(built)?;
    let without = Kernel::read(&built.unmonitored()?)?;
    let sites = sites(&with.uses());
    if sites.stores == 0 || sites.loads == 0 {
        return Err(with.fault("no event is emitted, or no class tested for"));
    }
    let lines = lines(&built.root().join("firmware/kernel/src"))?;
    Ok(Instrumentation { with: with.size(), without: without.size(), sites, lines })
}

/// Addresses of the stores to the monitor.
///
/// # Errors
/// The ELF file can't be read or is not one of a kernel.
pub fn event_sites(built: &Firmware) -> Result<Vec<u32>, InstrumentationError> {
    let uses = Kernel::read(built)?.uses();
    Ok(uses.into_iter().filter(|&(_, found)| found == EMITS).map(|(address, _)| address).collect())
}

const EMITS: Use = Use::Store(map::SMI_BASE + map::smi::EVENT);

/// The loads among `uses` are those of the classes only.
fn sites(uses: &[(u32, Use)]) -> Sites {
    let count = |wanted: fn(Use) -> bool| uses.iter().filter(|&&(_, found)| wanted(found)).count() as u64;
    Sites {
        stores: count(|found| found == EMITS),
        loads: count(|found| matches!(found, Use::Load(_))),
        masks: count(|found| found == Use::Mask),
        branches: count(|found| found == Use::Branch),
    }
}

/// What is needed of a kernel's ELF file.
struct Kernel {
    path: PathBuf,
    /// Address and words of its code.
    base: u32,
    words: Vec<u32>,
    /// Where code may be entered: symbols.
    entries: Vec<u32>,
    /// Words of constants and data.
    tables: Vec<u32>,
    /// Address of the word of event classes, if anything uses it.
    classes: Option<u32>,
}

impl Kernel {
    fn read(built: &Firmware) -> Result<Kernel, InstrumentationError> {
        let (path, bytes) = built.kernel(RAM_BYTES)?;
        Kernel::parse(path.clone(), &bytes)
            .map_err(|error| InstrumentationError::Kernel { path, reason: error.to_string() })
    }

    fn parse(path: PathBuf, bytes: &[u8]) -> Result<Kernel, object::Error> {
        let elf = object::File::parse(bytes)?;
        let (mut base, mut words, mut entries, mut tables) = (0, Vec::new(), Vec::new(), Vec::new());
        for section in elf.sections() {
            match section.kind() {
                SectionKind::Text => (base, words) = (section.address() as u32, self::words(section.data()?)),
                SectionKind::ReadOnlyData | SectionKind::ReadOnlyString | SectionKind::Data => {
                    tables.extend(self::words(section.data()?))
                }
                _ => {}
            }
        }
        // The compiler's own labels are everywhere, also where nobody enters.
        let enters = |symbol: &object::Symbol| symbol.name().is_ok_and(|name| !name.starts_with(".L"));
        entries.extend(elf.symbols().filter(enters).map(|symbol| symbol.address() as u32));
        let named = |symbol: &object::Symbol| symbol.name().is_ok_and(|name| name.contains(CLASSES));
        let classes = elf.symbols().find(named).map(|symbol| symbol.address() as u32);
        Ok(Kernel { path, base, words, entries, tables, classes })
    }

    fn size(&self) -> Size {
        let instructions = self.words.iter().filter(|&&word| mnemonic(word).is_some()).count() as u64;
        Size { bytes: u64::from(INSTRUCTION) * self.words.len() as u64, instructions }
    }

    /// What concerns monitor and classes.
    fn uses(&self) -> Vec<(u32, Use)> {
        let Kernel { base, words, entries, tables, classes, .. } = self;
        let code = Code { base: *base, words, entries, tables, watched: *classes };
        let concerns = |found| match found {
            Use::Load(address) => Some(address) == self.classes,
            Use::Store(_) => found == EMITS,
            Use::Mask | Use::Branch => true,
        };
        code.uses().into_iter().filter(|&(_, found)| concerns(found)).collect()
    }

    fn fault(&self, reason: &str) -> InstrumentationError {
        InstrumentationError::Kernel { path: self.path.clone(), reason: reason.into() }
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// Counts the lines of all sources in `folder` and in the folders there.
fn lines(folder: &Path) -> Result<Lines, FirmwareError> {
    let fault = |source| FirmwareError::Io { path: folder.into(), source };
    let mut lines = Lines::default();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.is_dir() {
            let below = self::lines(&path)?;
            lines.all += below.all;
            lines.instrumentation += below.instrumentation;
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|source| FirmwareError::Io { path: path.clone(), source })?;
        let is_events = path.file_stem().is_some_and(|name| name == "events");
        let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with('#');
        for line in text.lines().map(str::trim).filter(is_code) {
            lines.all += 1;
            lines.instrumentation += u64::from(is_events || line.contains("events::") && !line.starts_with("use "));
        }
    }
    Ok(lines)
}
