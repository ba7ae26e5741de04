//! What `testbed synth` puts into RAM.

use std::fmt::Display;
use std::path::Path;

use testbed_definitions::map::RAM_BYTES_MAX;
use testbed_machine::{input, Machine};
use testbed_runner::files::HOST_BYTES;
use testbed_runner::firmware;
use testbed_sim::engine::Image;
use testbed_sim::image::Program;
use testbed_sim::load::Boot;
use testbed_synth::content::{self, Words};

use super::super::classes::classes;
use super::super::{run, Exit, Failure};

/// Where a program is to run, and with which event classes.
pub struct Wanted<'a> {
    pub dgl: &'a str,
    pub machine: &'a Machine,
    /// The folder of the workspace, whose firmware is built.
    pub root: &'a Path,
}

impl Wanted<'_> {
    /// A program as words of RAM: a name with arguments, or the path of an ELF file.
    pub fn words(&self, wanted: &str) -> Result<Words, Failure> {
        let classes = classes(self.dgl)?;
        let mut parts = wanted.split_whitespace();
        let name = parts.next().unwrap_or_default();
        let arguments: Vec<_> = parts.map(String::from).collect();
        let image = if name.contains('/') {
            let bytes =
                input::bytes(Path::new(wanted), HOST_BYTES).map_err(|error| no_elf(Path::new(wanted), &error))?;
            bare_image(Path::new(wanted), &bytes)?
        } else if firmware::BARE.contains(&name) {
            without_arguments(name, &arguments)?;
            let (path, bytes) = firmware::build(self.root)?.read(name)?;
            bare_image(&path, &bytes)?
        } else {
            self.check(name)?;
            let start_processor = run::start(self.machine);
            let boot = Boot { dgl: classes, seed: 1, start_processor, arguments, ..Boot::default() };
            run::image(self.machine, name, &boot)?
        };
        Ok(content::of_image(&image, self.machine)?)
    }

    /// Whether there is such a program, and a kernel for it.
    fn check(&self, name: &str) -> Result<(), Failure> {
        let bare = firmware::BARE.join(", ");
        if Path::new(name).is_file() && firmware::check_program(self.root, name).is_err() {
            let help = format!("write ./{name} for the ELF file of that name");
            return Err(Failure::new(Exit::Input, format!("no program is called `{name}`\n  help: {help}")));
        }
        firmware::check_program(self.root, name).map_err(|error| {
            Failure::new(Exit::Input, format!("{error}; without kernel {bare}, or the path of an ELF file"))
        })?;
        let help = format!("take one of {bare}, or an ELF file that is linked for RAM");
        run::check_master(name, self.machine, &help)
    }
}

/// A program that can't be taken, and why.
fn no_elf(path: &Path, why: &dyn Display) -> Failure {
    Failure::new(Exit::Input, format!("{}: {why}\n  help: give an ELF file that is linked for RAM", path.display()))
}

/// What an ELF file puts into RAM. Its end is not compared with the machine's RAM: that
/// [`content::of_image`] does, with a better message.
fn bare_image(path: &Path, elf: &[u8]) -> Result<Image, Failure> {
    Ok(Program::parse(elf, RAM_BYTES_MAX).map_err(|error| no_elf(path, &error))?.image)
}

/// A program without kernel has nobody to pass it arguments.
fn without_arguments(name: &str, arguments: &[String]) -> Result<(), Failure> {
    let Some(first) = arguments.first() else { return Ok(()) };
    let help = "leave them out, or take a program of firmware/programs";
    Err(Failure::new(Exit::Input, format!("{name} takes no arguments, but `{first}` is one\n  help: {help}")))
}
