//! Shells on other processors, and the console that they share.

use alloc::vec::Vec;

use testbed_definitions::syscall::Error;

use super::shell::{Shell, MISUSED};
use crate::number;
use crate::system::{Control, Process, Processor};

impl Shell<'_> {
    /// Leads the console to the shell of another processor.
    pub(super) fn sit_at(&mut self, at: Processor) -> u32 {
        match self.shell_there(at).and_then(|shell| self.machine.control(shell, Control::Console)) {
            Ok(()) => 0,
            Err(error) => self.fail(&[b"on"], error.meaning()),
        }
    }

    /// The shell that sits at a processor's console, which is started if there is none.
    fn shell_there(&mut self, at: Processor) -> Result<Process, Error> {
        match self.machine.shell_at(at)? {
            Some(shell) => Ok(shell),
            None if at == self.machine.home() => Ok(self.machine.shell_id()),
            None => self.machine.start_shell(at),
        }
    }

    /// Sits down at the console, unless a shell sits at this processor's already: this one, if
    /// another shell has started it there, or the one in which it runs.
    pub fn sit_down(&mut self) {
        let (home, own) = (self.machine.home(), self.machine.shell_id());
        if self.machine.shell_at(home) == Ok(None) {
            // A process may always control itself.
            let _ = self.machine.control(own, Control::Console);
        }
    }
}

/// Starts shells where there are none. The console stays here.
pub(super) fn shells(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    if !words.is_empty() {
        return MISUSED;
    }
    let home = shell.machine.home();
    let mut status = 0;
    for at in (0..shell.machine.processors()).filter(|&at| at != home) {
        if let Err(error) = shell.shell_there(at) {
            let mut number = Vec::new();
            number::decimal(&mut number, at.into());
            let name = shell.machine.processor_names().into_iter().nth(at.into()).unwrap_or(number);
            status = shell.fail(&[b"shells", &name], error.meaning());
        }
    }
    status.max(shell.sit_at(home))
}
