//! `run --get`: files that are taken out of the machine's filestores when a run is over.

use std::fs;
use std::path::{absolute, Component, Path, PathBuf};

use clap::Args;
use testbed_definitions::boot::{is_small, SMALL_BELOW};
use testbed_definitions::file::{is_name, NAME_BYTES};
use testbed_machine::{printable, units, Machine};
use testbed_runner::taking::taken;
use testbed_sim::engine::Engine;
use testbed_trace::capture;

use super::{Exit, Failure};

/// An option of `run`.
#[derive(Args, Debug)]
pub struct Getting {
    /// Take this file out of the filestore when the run is over: of the processor on which the
    /// program starts, unless one is named [default PATH: NAME in the output folder; repeatable]
    #[arg(long = "get", value_name = "[PROCESSOR:]NAME[=PATH]")]
    get: Vec<String>,
    /// Keep every file that the run has left in a filestore, as files/PROCESSOR/NAME in the output
    /// folder
    #[arg(long = "files")]
    pub all: bool,
}

/// A file that is to be taken, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    processor: usize,
    name: String,
    path: PathBuf,
}

impl Getting {
    /// The files to take out of this machine, whose program starts on the processor `start`, after
    /// a run into `folder`; checked before the run.
    pub fn wishes(&self, machine: &Machine, start: usize, folder: &Path) -> Result<Vec<Wish>, Failure> {
        if (self.all || !self.get.is_empty()) && is_small(machine.ram_bytes) {
            let bytes = |bytes: u32| units::print(bytes.into(), units::BYTES);
            let option = if self.all { "--files" } else { "--get" };
            return Err(wrong(format!(
                "{option}: {} has {} of RAM, for which there is the small kernel only, without files\n  \
                 help: take a machine with at least {}",
                machine.name,
                bytes(machine.ram_bytes),
                bytes(SMALL_BELOW)
            )));
        }
        let mut wishes: Vec<Wish> = Vec::new();
        for text in &self.get {
            let wish = Wish::new(text, machine, start, folder)?;
            if wishes.iter().any(|other| absolute(&other.path).ok() == absolute(&wish.path).ok()) {
                let path = wish.path.display();
                return Err(wrong(format!(
                    "--get: two files would become {path}\n  help: give one of them another path, as in NAME=PATH"
                )));
            }
            wishes.push(wish);
        }
        Ok(wishes)
    }
}

impl Wish {
    /// Reads `[PROCESSOR:]NAME[=PATH]`. A word ahead of a colon that names no processor of the
    /// machine belongs to the file's name.
    fn new(text: &str, machine: &Machine, start: usize, folder: &Path) -> Result<Wish, Failure> {
        let (file, path) = text.split_once('=').unwrap_or((text, ""));
        let named = file.split_once(':').and_then(|(processor, name)| {
            Some((machine.processors.iter().position(|known| known == processor)?, name))
        });
        let (processor, name) = named.unwrap_or((start, file));
        if !is_name(name.as_bytes()) {
            return Err(wrong(format!(
                "--get: no file can be called `{}`\n  help: give a name of 1 to {NAME_BYTES} printable characters without blanks and \
                 slashes, and where it goes behind it, as in NAME=PATH",
                printable(name)
            )));
        }
        let path = if path.is_empty() { folder.join(name) } else { path.into() };
        if is_own(&path, folder) {
            return Err(wrong(format!(
                "--get: {} is a part of the output folder itself\n  help: give another path, as in NAME=PATH",
                path.display()
            )));
        }
        Ok(Wish { processor, name: name.into(), path })
    }
}

/// Where a file that is called so in the machine goes: to `path`, or into a run's folder.
///
/// # Errors
/// It would lie there in place of what the run itself writes, or outside; in a line.
pub fn destination(name: &str, path: Option<&str>, folder: &Path) -> Result<PathBuf, String> {
    if !is_name(name.as_bytes()) {
        return Err(format!("no file can be called {}", printable(name)));
    }
    let path = path.map_or_else(|| folder.join(name), PathBuf::from);
    match is_own(&path, folder) {
        true => Err(format!("{} is a part of the output folder itself; give another path", path.display())),
        false => Ok(path),
    }
}

/// Whether a run writes `path` itself, or writes below it.
fn is_own(path: &Path, folder: &Path) -> bool {
    let (Ok(path), Ok(folder)) = (absolute(path), absolute(folder)) else { return false };
    let Ok(inside) = path.strip_prefix(folder) else { return false };
    match inside.components().next() {
        Some(Component::Normal(first)) => first.to_str().is_some_and(capture::is_own),
        _ => true,
    }
}

/// Takes the files out of a machine that stands still and whose kernel is the ELF file `kernel`.
///
/// # Errors
/// Some are not there, which is said when the others have been taken; one can't be written.
pub fn take(wishes: &[Wish], engine: &dyn Engine, kernel: &[u8]) -> Result<(), Failure> {
    let mut missing = Vec::new();
    for Wish { processor, name, path } in wishes {
        match taken(engine, kernel, *processor as u8, name) {
            Some(bytes) => write(path, &bytes)?,
            None => missing.push(absent(name, *processor, engine.machine())),
        }
    }
    match missing.is_empty() {
        true => Ok(()),
        false => Err(wrong(format!(
            "{}\n  help: give the name of a file that the program leaves there",
            missing.join("\n       ")
        ))),
    }
}

/// That a file is not there, and if its name may have been meant as a processor's and a file's, that this is not.
fn absent(name: &str, processor: usize, machine: &Machine) -> String {
    let names = &machine.processors;
    let unknown = name
        .split_once(':')
        .map(|(processor, _)| format!(", and no processor is called `{processor}`: there are {}", names.join(", ")));
    format!("--get: there is no file `{name}` on {}{}", names[processor], unknown.unwrap_or_default())
}

/// Writes a file that was taken out of the machine.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| {
        let message =
            format!("cannot write {}: {error}\n  help: check the path, and the space left there", path.display());
        Failure::new(Exit::Environment, message)
    })
}

fn wrong(message: String) -> Failure {
    Failure::new(Exit::Input, message)
}
