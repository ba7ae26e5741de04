//! What a page holds: the module, the kernels, all programs, and words about them.

use std::fs;
use std::path::Path;

use miniz_oxide::deflate::compress_to_vec_zlib;
use serde::Serialize;
use testbed_balance::policies::{period_us, DESCRIBED};
use testbed_balance::settings;
use testbed_definitions::boot::SMALL_BELOW;
use testbed_definitions::event::{DIAG_DETAIL, DIAG_LOAD, DIAG_PROFILE, DIAG_READY, DIAG_TIMER, DIAG_USER};
use testbed_definitions::limits::FILE_BYTES;
use testbed_machine::{Machine, NAMED};
use testbed_runner::files::HOST_BYTES;
use testbed_runner::firmware::{self, Firmware, FirmwareError};
use testbed_runner::module::{self, ModuleError};
use testbed_runner::store::UTILITIES;
use testbed_sim::load::LoadError;

use super::lean::lean;

/// How hard the packing tries, from 0 to 10.
const EFFORT: u8 = 9;

/// Why there are no contents.
#[derive(Debug, thiserror::Error)]
pub enum ContentsError {
    #[error(transparent)]
    Firmware(#[from] FirmwareError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Module(#[from] ModuleError),
}

/// A part of what is packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    pub kind: &'static str,
    pub name: String,
    /// Where it begins, and its length.
    pub at: usize,
    pub bytes: usize,
}

/// A program, and the first paragraph of its own description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    pub name: String,
    pub about: String,
}

/// A machine that is known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Known {
    pub name: &'static str,
    pub toml: &'static str,
}

/// A policy of the balancer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyInfo {
    pub name: &'static str,
    pub about: &'static str,
    /// The period of samples that it likes best.
    pub sample_us: u32,
    /// What can be set of it, each as by itself: `NAME=VALUE`.
    pub settings: Vec<String>,
}

/// What the page's scripts read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contents {
    pub parts: Vec<Part>,
    pub programs: Vec<Program>,
    pub machines: Vec<Known>,
    /// Event classes, each with what it tells and its bit, and those that are on by themselves.
    pub classes: [(&'static str, &'static str, u32); 6],
    pub classes_default: &'static str,
    /// Bytes that a file of the machine has at most, and a program before what only debuggers read is
    /// taken out of it.
    pub file_max: usize,
    pub program_max: u64,
    /// Policies of the balancer, each with what it does, the period of samples that it likes best, in
    /// microseconds, and its settings.
    pub policies: Vec<PolicyInfo>,
    /// All parts one after the other.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// The event classes, as a page explains them.
pub const CLASSES: [(&str, &str, u32); 6] = [
    ("profile", "threads, requests, messages, migrations and pages", DIAG_PROFILE),
    ("timer", "the ends of time-slices", DIAG_TIMER),
    ("user", "what programs emit themselves", DIAG_USER),
    ("detail", "the channel and direction of each request", DIAG_DETAIL),
    ("load", "what each slave tells of its load", DIAG_LOAD),
    ("ready", "each joining and leaving of a ready queue; it excludes profile", DIAG_READY),
];

impl Contents {
    /// Builds the module, the kernels and the programs from the checkout at `root`.
    ///
    /// # Errors
    /// Something can't be built; the message says what is missing.
    pub fn build(root: &Path) -> Result<Self, ContentsError> {
        let built = firmware::build(root)?;
        let mut contents = Contents::of(&built)?;
        contents.add("module", "module", module::build(root)?);
        Ok(contents)
    }

    /// All but the module.
    ///
    /// # Errors
    /// A file can't be read, or the small kernel can't be built.
    pub fn of(built: &Firmware) -> Result<Self, ContentsError> {
        let root = built.root();
        let mut contents = Contents {
            parts: Vec::new(),
            programs: Vec::new(),
            // The emulator runs no others.
            machines: NAMED
                .iter()
                .filter(|(name, _)| is_for_emulator(name))
                .map(|(name, toml)| Known { name, toml })
                .collect(),
            classes: CLASSES,
            classes_default: "profile+timer+user",
            file_max: FILE_BYTES,
            program_max: HOST_BYTES,
            policies: policies(),
            bytes: Vec::new(),
        };
        for (kind, ram_bytes) in [("kernel", SMALL_BELOW), ("small", SMALL_BELOW - 1)] {
            let (_, bytes) = built.kernel(ram_bytes)?;
            contents.add(kind, kind, lean(kind, &bytes)?);
        }
        for name in firmware::programs(root)? {
            let (_, bytes) = built.read(&name)?;
            contents.add("program", &name, lean(&name, &bytes)?);
            let about = about(root, &name);
            contents.programs.push(Program { name, about });
        }
        let (_, bytes) = built.read(UTILITIES)?;
        contents.add("program", UTILITIES, lean(UTILITIES, &bytes)?);
        Ok(contents)
    }

    fn add(&mut self, kind: &'static str, name: &str, bytes: Vec<u8>) {
        self.parts.push(Part { kind, name: name.into(), at: self.bytes.len(), bytes: bytes.len() });
        self.bytes.extend(bytes);
    }

    /// All parts, compressed (zlib).
    pub fn packed(&self) -> Vec<u8> {
        compress_to_vec_zlib(&self.bytes, EFFORT)
    }

    /// The bytes of a part.
    pub fn part(&self, kind: &str, name: &str) -> Option<&[u8]> {
        let part = self.parts.iter().find(|part| part.kind == kind && part.name == name)?;
        self.bytes.get(part.at..part.at + part.bytes)
    }
}

/// All policies.
fn policies() -> Vec<PolicyInfo> {
    let settings =
        |name| settings::of(name).map(|one| format!("{}={}", one.name, one.unit.text(one.default()))).collect();
    let info = |(name, about)| PolicyInfo { name, about, sample_us: period_us(name), settings: settings(name) };
    DESCRIBED.into_iter().map(info).collect()
}

fn is_for_emulator(name: &str) -> bool {
    Machine::named(name).is_some_and(|machine| !machine.headless)
}

/// The first paragraph of a program's own description; nothing where it has none.
fn about(root: &Path, name: &str) -> String {
    let folders = ["firmware/programs/src/bin", "firmware/shell-programs/src/bin"].map(|folder| root.join(folder));
    let files = folders
        .iter()
        .flat_map(|folder| [format!("{name}.rs"), format!("{name}/main.rs")].map(|file| folder.join(file)));
    let text = files.map(fs::read_to_string).find_map(Result::ok).unwrap_or_default();
    let lines = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let text = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    // Links of the sources lead nowhere in a page.
    text.replace("[`", "`").replace("`]", "`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed_definitions::event::DIAG_DEFAULT;
    use testbed_kernel_core::filter;

    #[test]
    fn classes_are_those_of_the_command_line() {
        for (name, _, class) in CLASSES {
            assert_eq!(filter::classes(name), Ok(class), "{name}");
        }
        assert_eq!(CLASSES.len(), filter::CLASSES.len());
        let built = Contents { classes_default: "profile+timer+user", ..empty() };
        assert_eq!(filter::classes(built.classes_default), Ok(DIAG_DEFAULT));
    }

    fn empty() -> Contents {
        Contents {
            parts: Vec::new(),
            programs: Vec::new(),
            machines: Vec::new(),
            classes: CLASSES,
            classes_default: "",
            file_max: 0,
            program_max: 0,
            policies: Vec::new(),
            bytes: Vec::new(),
        }
    }

    #[test]
    fn parts_are_found_where_they_were_put() {
        let mut contents = empty();
        contents.add("kernel", "kernel", b"one".to_vec());
        contents.add("program", "hello", b"three".to_vec());
        assert_eq!(contents.part("program", "hello"), Some(&b"three"[..]));
        assert_eq!(contents.part("program", "kernel"), None);
        let packed = contents.packed();
        assert_eq!(miniz_oxide::inflate::decompress_to_vec_zlib(&packed).unwrap(), b"onethree");
    }
}
