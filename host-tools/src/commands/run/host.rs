//! The files of this computer for the shell's `put` and `get`, and its terminal for `stty size`.

use std::fs;
use std::path::{Path, PathBuf};

use testbed_machine::{input, Machine};
use testbed_runner::asking;
use testbed_runner::files::{Stored, HOST_BYTES};
use testbed_runner::operator::{window, Host};
use testbed_runner::taking::taken;
use testbed_sim::engine::Engine;

use crate::commands::getting::destination;

/// What a run of `testbed run` lets its machine have.
pub struct HostFiles {
    pub machine: Machine,
    /// The kernel's ELF file.
    pub kernel: Vec<u8>,
    /// The run's folder.
    pub folder: PathBuf,
}

/// A path that was typed at the machine, where `~` stands for the home of whoever types, since no
/// shell of this computer has looked at it.
fn at_home(path: &str) -> String {
    let rest = if path == "~" { Some("") } else { path.strip_prefix("~/") };
    match (rest, std::env::var("HOME")) {
        (Some(rest), Ok(home)) => format!("{home}/{rest}"),
        _ => path.into(),
    }
}

impl Host for HostFiles {
    fn put(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let path = &at_home(path);
        // Reading what is no file could last for ever.
        let said = |error: std::io::Error| format!("cannot read {path}: {error}");
        if !fs::metadata(path).map_err(said)?.is_file() {
            return Err(format!("{path} is no file"));
        }
        let bytes = input::bytes(Path::new(path), HOST_BYTES).map_err(said)?;
        asking::stored(&self.machine, Stored::foreign(path, bytes))
    }

    fn get(
        &mut self,
        engine: &dyn Engine,
        processor: u8,
        name: &str,
        path: Option<&str>,
    ) -> Result<(usize, String), String> {
        let path = path.map(at_home);
        let path = destination(name, path.as_deref(), &self.folder)?;
        let place = self.machine.processors.get(usize::from(processor)).ok_or("there is no such processor")?;
        let bytes = taken(engine, &self.kernel, processor, name)
            .ok_or_else(|| format!("there is no file {name} on {place}"))?;
        fs::write(&path, &bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok((bytes.len(), path.display().to_string()))
    }

    fn size(&mut self) -> Result<(u16, u16), String> {
        window().ok_or_else(|| "there is no terminal here".into())
    }
}
