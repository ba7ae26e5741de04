//! Commands about processes.

use alloc::vec::Vec;

use testbed_definitions::process::{home, place};
use testbed_definitions::syscall::Error;

use super::program::Wanted;
use super::shell::{Job, Shell, MISUSED};
use crate::number;
use crate::system::{Control, Process, Standing};

/// Bytes of a command that `jobs` shows, at most.
const LINE_SHOWN: usize = 64;

impl Shell<'_> {
    /// A process has been started: with these words, if it is a utility, or this program and them.
    pub(super) fn note_job(&mut self, process: Process, program: &[u8], words: &[Vec<u8>]) {
        let mut line = program.to_vec();
        for word in words {
            if !line.is_empty() {
                line.push(b' ');
            }
            line.extend_from_slice(word);
        }
        line.truncate(LINE_SHOWN);
        let number = self.jobs.last().map_or(1, |job| job.number + 1);
        self.jobs.push(Job { number, process, line });
    }

    pub(super) fn forget_job(&mut self, process: Process) {
        self.jobs.retain(|job| job.process != process);
    }

    /// Forgets the jobs that are over, whose exit codes nobody has asked for.
    pub(super) fn forget_ended(&mut self) {
        for Job { process, .. } in self.jobs.clone() {
            if self.machine.standing(process) == Ok(Standing::Ended) {
                let _ = self.machine.await_end(process);
                self.forget_job(process);
            }
        }
    }

    /// The job that `fg` and `bg` mean without a word: the last one that is stopped, or the last.
    fn current_job(&mut self) -> Result<Process, Error> {
        for at in (0..self.jobs.len()).rev() {
            let process = self.jobs[at].process;
            if self.machine.standing(process) == Ok(Standing::Stopped) {
                return Ok(process);
            }
        }
        self.jobs.last().map(|job| job.process).ok_or(Error::NoProcess)
    }

    /// The process that a word names: a job by its number behind a `%`, or a process by its place
    /// here or its whole id.
    fn process(&mut self, word: &[u8]) -> Result<Process, Error> {
        if let Some(job) = word.strip_prefix(b"%") {
            if let b"" | b"%" | b"+" = job {
                return self.current_job();
            }
            let number = number::parse(job).ok_or(Error::NoProcess)?;
            let found = self.jobs.iter().find(|job| u64::from(job.number) == number);
            return found.map(|job| job.process).ok_or(Error::NoProcess);
        }
        let number = number::parse(word).and_then(|number| Process::try_from(number).ok()).ok_or(Error::NoProcess)?;
        if number > 0xf {
            return Ok(number);
        }
        let here = self.machine.home();
        let listed = self.machine.processes();
        let own = self.jobs.iter().map(|job| job.process).filter(|&job| home(job) == here);
        let mut all = listed.iter().map(|status| status.process).chain(own);
        all.find(|&id| place(id) == number as u8).ok_or(Error::NoProcess)
    }

    /// Does something with each process that is named, and says with which it has failed.
    fn each_process(
        &mut self,
        name: &str,
        words: &[Vec<u8>],
        act: impl Fn(&mut Self, Process) -> Result<u32, Error>,
    ) -> u32 {
        if words.is_empty() {
            return MISUSED;
        }
        let (mut status, mut failed) = (0, 0);
        for word in words {
            match self.process(word).and_then(|process| act(self, process)) {
                Ok(code) => status = code,
                Err(error) => failed = self.fail(&[name.as_bytes(), word], error.meaning()),
            }
        }
        status.max(failed)
    }

    /// As [`Self::each_process`], or with the job that is meant without a word.
    fn each_job(
        &mut self,
        name: &str,
        words: &[Vec<u8>],
        act: impl Fn(&mut Self, Process) -> Result<u32, Error>,
    ) -> u32 {
        if words.is_empty() {
            return self.each_process(name, &[b"%".to_vec()], act);
        }
        self.each_process(name, words, act)
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
    shell.each_job("bg", words, |shell, process| {
        shell.machine.control(process, Control::Background)?;
        shell.machine.control(process, Control::Resume).map(|()| 0)
    })
}

pub(super) fn fg(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    if words.len() > 1 {
        return MISUSED;
    }
    shell.each_job("fg", words, |shell, process| {
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
    for Job { process, .. } in shell.jobs.clone() {
        let status = shell.wait_for_job(process);
        // What has ended with any code was awaited; what is stopped still is a job.
        if shell.jobs.iter().any(|job| job.process == process) {
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
    for Job { number, process, line } in shell.jobs.clone() {
        text.push(b'[');
        number::decimal(&mut text, number.into());
        text.extend_from_slice(b"] ");
        text.extend(number::process(process));
        text.extend_from_slice(match shell.machine.standing(process) {
            Ok(Standing::Stopped) => b" stopped  ",
            Ok(Standing::Runs) => b" running  ",
            _ => b" ended    ",
        });
        text.extend(line);
        text.push(b'\n');
    }
    // They have been told of, as POSIX has it.
    shell.forget_ended();
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
