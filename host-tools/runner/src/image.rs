//! What is in RAM before the first cycle: the kernel, and a filestore with programs.

use testbed_definitions::file::{EXECUTE, READ};
use testbed_machine::Machine;
use testbed_session::store;
use testbed_sim::engine::Image;
use testbed_sim::load::Boot;

use crate::files::{FilesError, Stored};
use crate::firmware::Firmware;

/// The image that starts the first of `programs`; all of them are in its filestore, and `files`.
///
/// # Errors
/// A program is not there, or they do not fit into RAM.
pub fn of_programs(
    built: &Firmware,
    machine: &Machine,
    programs: &[&str],
    files: &[Stored],
    boot: &Boot,
) -> Result<Image, FilesError> {
    let stored = |name: &&str| {
        let (_, bytes) = built.read(name)?;
        Ok(Stored { name: (*name).into(), bytes, permissions: READ | EXECUTE })
    };
    let mut all = programs.iter().map(stored).collect::<Result<Vec<_>, FilesError>>()?;
    all.extend_from_slice(files);
    of_files(machine, built, &all, boot)
}

/// The image with the kernel and `files`, of which the first is started.
///
/// # Errors
/// The kernel can't be built, or all does not fit into RAM.
pub fn of_files(machine: &Machine, built: &Firmware, files: &[Stored], boot: &Boot) -> Result<Image, FilesError> {
    let (path, kernel) = built.kernel(machine.ram_bytes)?;
    Ok(store::image(machine, (&path.display().to_string(), &kernel), files, boot)?)
}
