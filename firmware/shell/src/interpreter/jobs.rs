//! Commands about processes.

use alloc::vec::Vec;

use testbed_definitions::process::{home, place};
use testbed_definitions::syscall::Error;

use super::program::Wanted;
use super::shell::{Shell, MISUSED};
use crate::number;
use crate::system::{Control, Process};

impl Shell<'_> {
    /// The process that a word names: by its place here, or by its whole id.
    fn process(&mut self, word: &[u8]) -> Result<Process, Error> {
        let number = number::parse(word).and_then(|number| Process::try_from(number).ok()).ok_or(Error::NoProcess)?;
        if number > 0xf {
            return Ok(number);
        }
        let here = self.machine.home();
        let listed = self.machine.processes();
        let own = self.jobs.iter().copied().filter(|&job| home(job) == here);
        let mut all = listed.iter().map(|status| status.process).chain(own);
        all.find(|&id| place(id) == number as u8).ok_or(Error::NoProcess)
    }

    fn each_process(
        &mut self,
        name: &str,
        words: &[Vec<u8>],
        act: impl Fn(&mut Self, Process) -> Result<u32, Error>,
    ) -> u32 {
        if words.is_empty() {
            return MISUSED;
        }
        let mut status = 0;
        for word in words {
            match self.process(word).and_then(|process| act(self, process)) {
                Ok(code) => status = code,
                Err(error) => return self.fail(&[name.as_bytes()], error.meaning()),
            }
        }
        status
    }

    /// Runs a program, as an operator if the first word says so.
    pub(super) fn run_as(&mut self, words: &[Vec<u8>], wanted: Wanted) -> u32 {
        let operator = words.first().is_some_and(|word| word[..] == *b"operator");
        let words = &words[operator as usize..];
        if words.is_empty() {
            return MISUSED;
        }
        self.run_program(words, Wanted { operator, ..wanted })
    }

    /// Runs a program on the processor that the first word names, or without one leads the console
    /// there.
    pub(super) fn run_on(&mut self, words: &[Vec<u8>], wanted: Wanted) -> u32 {
        let Some(name) = words.first() else { return MISUSED };
        match self.machine.processor_named(name) {
            Some(processor) if words.len() == 1 => self.sit_at(processor),
            Some(processor) => self.run_as(&words[1..], Wanted { processor: Some(processor), ..wanted }),
            None => {
                let mut text = b"there is no processor `".to_vec();
                text.extend_from_slice(name);
                text.extend_from_slice(b"`, but 0 to ");
                number::decimal(&mut text, i64::from(self.machine.processors()) - 1);
                for (index, name) in self.machine.processor_names().into_iter().enumerate() {
                    text.extend_from_slice(if index == 0 { b", which are " } else { b", " });
                    text.extend_from_slice(&name);
                }
                text.push(b'\n');
                let _ = self.apply();
                self.machine.complain(&text);
                1
            }
        }
    }
}

pub(super) fn run(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    shell.run_as(words, Wanted::default())
}

pub(super) fn on(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    shell.run_on(words, Wanted::default())
}

pub(super) fn kill(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    shell.each_process("kill", words, |shell, process| shell.machine.control(process, Control::Kill).map(|()| 0))
}

pub(super) fn stop(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    shell.each_process("stop", words, |shell, process| shell.machine.control(process, Control::Suspend).map(|()| 0))
}

pub(super) fn bg(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    shell.each_process("bg", words, |shell, process| {
        shell.machine.control(process, Control::Background)?;
        shell.machine.control(process, Control::Resume).map(|()| 0)
    })
}

pub(super) fn fg(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    if words.len() != 1 {
        return MISUSED;
    }
    shell.each_process("fg", words, |shell, process| {
        shell.machine.control(process, Control::Foreground)?;
        shell.machine.control(process, Control::Resume)?;
        Ok(shell.attend(process))
    })
}

/// Awaits the processes named, or all; of those that are stopped it only says so.
pub(super) fn wait(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    if !words.is_empty() {
        return shell.each_process("wait", words, |shell, process| Ok(shell.wait_for_job(process)));
    }
    let mut result = 0;
    for job in shell.jobs.clone() {
        let status = shell.wait_for_job(job);
        // What has ended with any code was awaited; what is stopped still is a job.
        if shell.jobs.contains(&job) {
            result = status;
        }
        if shell.interrupted {
            break;
        }
    }
    result
}

pub(super) fn jobs(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    if !words.is_empty() {
        return MISUSED;
    }
    let mut text = Vec::new();
    for job in &shell.jobs {
        text.extend(number::process(*job));
        text.push(b'\n');
    }
    shell.print(&text)
}

pub(super) fn ps(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let threads = words.first().is_some_and(|word| word[..] == *b"-t");
    if words.len() > threads as usize {
        return MISUSED;
    }
    let mut text = Vec::new();
    for status in shell.machine.processes() {
        number::padded(&mut text, status.place.into(), 2);
        text.push(b' ');
        text.extend(number::process(status.process));
        text.push(b' ');
        number::padded(&mut text, status.threads.into(), 2);
        text.extend_from_slice(b" threads  ");
        text.extend_from_slice(&status.name);
        text.extend_from_slice(if status.background { b" (background" } else { b" (foreground" });
        text.extend_from_slice(if status.suspended { b", suspended)\n" } else { b")\n" });
    }
    if threads {
        text.extend_from_slice(b"thread  state          for  pc\n");
        for thread in shell.machine.threads() {
            text.extend_from_slice(b"0x");
            number::hexadecimal(&mut text, thread.number, 4);
            text.extend_from_slice(b"  ");
            text.extend_from_slice(thread.state.as_bytes());
            text.extend(core::iter::repeat_n(b' ', 13usize.saturating_sub(thread.state.len())));
            number::padded(&mut text, thread.waits_for.into(), 5);
            text.extend_from_slice(b"  0x");
            number::hexadecimal(&mut text, thread.pc, 5);
            text.push(b'\n');
        }
    }
    shell.print(&text)
}
