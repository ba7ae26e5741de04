//! Machines with another core than they are described with.

use std::fs;
use std::path::Path;

use testbed_machine::{Core, Machine};

/// The word for `--machine` of the machine of this name, or in this file, with that core; its
/// description is written into `folder`.
pub fn described(machine: &str, core: Core, folder: &Path) -> String {
    let machine = Machine { core, ..Machine::load(machine).unwrap_or_else(|error| panic!("{error}")) };
    let path = folder.join(format!("{}-{}.toml", machine.name, core.name()));
    fs::write(&path, machine.to_toml()).unwrap();
    path.to_string_lossy().into_owned()
}
