//! Where a trace comes from: an output folder, or one of its copies alone, or waves.

use std::path::PathBuf;

use clap::Args;
use testbed_machine::Machine;
use testbed_runner::tell;
use testbed_trace::capture::{self, is_held, verify, Capture, Integrity};

use super::classes::classes;
use super::{Exit, Failure};

/// A folder, or what is left of one.
#[derive(Args, Debug)]
pub struct Source {
    /// The folder that `run` left
    #[arg(required_unless_present_any = ["raw", "ctf", "wave"], conflicts_with_all = ["raw", "ctf", "wave"])]
    dir: Option<PathBuf>,
    /// Instead of a folder: the MMI's words alone, such as mmi.raw
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ctf", "wave"])]
    raw: Option<PathBuf>,
    /// Instead of a folder: a CTF trace alone, such as the folder's trace/
    #[arg(long, value_name = "DIR", conflicts_with = "wave")]
    ctf: Option<PathBuf>,
    /// Instead of a folder: waves of the MMI (VCD)
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// The machine that --raw or --wave come from, by name or a TOML file [default: testbed6]
    #[arg(long, value_name = "FILE|NAME")]
    machine: Option<String>,
    /// Event classes that were enabled when --raw or --wave were made, as `run` takes them
    /// [default: profile+timer+user]
    #[arg(long)]
    dgl: Option<String>,
}

impl Source {
    /// As it was given on the command line.
    pub fn argument(&self) -> String {
        let options = [(&self.dir, ""), (&self.raw, "--raw "), (&self.ctf, "--ctf "), (&self.wave, "--wave ")];
        let given =
            options.into_iter().find_map(|(path, option)| Some(format!("{option}{}", path.as_ref()?.display())));
        given.unwrap_or_default()
    }

    /// Opens it, and finds out what of it is proven.
    ///
    /// # Errors
    /// It is not there, can't be read, or is something else; or options that mean nothing to it were given.
    pub fn open(&self) -> Result<(Capture, Integrity), Failure> {
        let machine = || Machine::load(self.machine.as_deref().unwrap_or("testbed6"));
        let dgl = || classes(self.dgl.as_deref().unwrap_or("profile+timer+user"));
        let capture = match (&self.dir, &self.raw, &self.ctf, &self.wave) {
            (_, _, _, Some(path)) => return Ok(capture::wave(path, &machine()?, dgl()?)?),
            (_, Some(path), _, _) => Capture::of_mmi(path, &machine()?, dgl()?),
            (Some(_), _, _, _) | (_, _, Some(_), _) if self.machine.is_some() || self.dgl.is_some() => {
                let message =
                    "--machine and --dgl go with --raw and --wave only: a folder or a CTF trace tells them itself\n  \
                               help: leave them out";
                return Err(Failure::new(Exit::Input, message));
            }
            (_, _, Some(path), _) => Capture::of_ctf(path)?,
            (Some(dir), ..) => Capture::open(dir)?,
            (None, None, None, None) => {
                return Err(Failure::new(Exit::Input, "no folder is given\n  help: give the one that `run` left"));
            }
        };
        let integrity = verify(&capture)?;
        Ok((capture, integrity))
    }
}

/// Says on standard error what keeps a capture from being whole.
pub fn warn(capture: &Capture, integrity: &Integrity) {
    let dir = capture.dir.display();
    let is_cut = !capture.record.complete;
    let is_written = is_cut && is_held(&capture.dir);
    if is_written {
        tell!("note: {dir}: a run is still writing to it; this is what is there so far");
    } else if is_cut && capture.has_streams() && capture.has_mmi() {
        tell!("note: {dir}: the run did not come to its end; this is a prefix of it");
    }
    // What is written ends anywhere.
    for torn in integrity.torn.iter().filter(|_| !is_written) {
        tell!("note: {torn}");
    }
    for damage in &integrity.damage {
        tell!("warning: {damage}");
    }
}
