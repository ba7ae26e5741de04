//! Kernels, programs and files that runs in a page can have.

use testbed_balance::policies::placement;
use testbed_definitions::boot::BALANCER;
use testbed_machine::{brief, suggest, Machine};
use testbed_session::store::{self, Stored};
use testbed_trace::capture::KernelKind;

use crate::files::Given;
use crate::wishes::Wishes;

/// What was put in.
#[derive(Debug, Default)]
pub struct Kit {
    kernel: Vec<u8>,
    small: Vec<u8>,
    /// In the order of their names.
    programs: Vec<Stored>,
    /// Files from outside, a program that was built elsewhere among them.
    pub given: Given,
}

impl Kit {
    /// Puts an ELF file or, as `file`, anything in under a name. `kind` is `kernel`, `small`,
    /// `program` or `file`; a file replaces one of the same name.
    ///
    /// # Errors
    /// No such kind.
    pub fn put(&mut self, kind: &str, name: &str, bytes: Vec<u8>) -> Result<(), String> {
        match kind {
            "kernel" => self.kernel = bytes,
            "small" => self.small = bytes,
            "program" => {
                self.programs.push(Stored::program(name, bytes));
                self.programs.sort_by(|a, b| a.name.cmp(&b.name));
            }
            "file" => {
                let mut given = self.given.lock();
                given.retain(|file| file.name != name);
                given.push(Stored::foreign(name, bytes));
            }
            other => return Err(format!("nothing of the kind `{}` can be put in", brief(other))),
        }
        Ok(())
    }

    /// The kernel's ELF file, with a name for messages.
    pub fn kernel(&self, kind: KernelKind) -> (&str, &[u8]) {
        match kind {
            KernelKind::Small => ("the small kernel", &self.small),
            KernelKind::Default | KernelKind::Tos94 => ("the kernel", &self.kernel),
        }
    }

    /// A given file, or else a program.
    fn find(&self, name: &str) -> Result<Stored, String> {
        let given = self.given.lock();
        let all = || given.iter().chain(&self.programs);
        all().find(|file| file.name == name).cloned().ok_or_else(|| {
            let known: Vec<_> = all().map(|file| &file.name[..]).collect();
            let meant = suggest::question(name, known.iter().copied());
            format!("no program is called `{}`\n  help: {meant}the programs are {}", brief(name), known.join(", "))
        })
    }

    /// The filestore of a run on `machine`: the program, the files that it is to have, and the
    /// programs that fit.
    ///
    /// # Errors
    /// A program or file is not there, or no program for this machine.
    pub fn files(&self, machine: &Machine, wishes: &Wishes) -> Result<Vec<Stored>, String> {
        let first = self.find(&wishes.program)?;
        let said = |error: testbed_emulator::load::LoadError| error.to_string();
        testbed_emulator::load::check_program(&first.name, &first.bytes).map_err(said)?;
        let mut files = vec![first];
        let balancer = wishes.balance.is_some().then_some(BALANCER);
        for name in wishes.files.iter().map(String::as_str).chain(balancer) {
            let file = self.find(name)?;
            if files.iter().any(|other| other.name == file.name) {
                continue;
            }
            files.push(file);
        }
        if let Some(lines) = &wishes.placement {
            files.push(Stored::foreign(placement::FILE, lines.clone().into_bytes()));
        }
        store::fill(machine, &mut files, self.programs.clone()).map_err(said)?;
        Ok(files)
    }
}
