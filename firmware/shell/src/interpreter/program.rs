//! Programs: which file a name means, and how one is started, here or on another processor.

use alloc::vec::Vec;

use testbed_definitions::boot::ARGUMENT_BYTES;
use testbed_definitions::file::{self, EXECUTE};
use testbed_definitions::syscall::{open, Error};

use super::shell::Shell;
use crate::number;
use crate::system::{Awaited, Control, File, Process, Processor, Standing, Start, Streams};
use crate::tools;

/// The program that has the utilities, and this one.
const UTILITIES: &[u8] = file::UTILITIES.as_bytes();
const SHELL: &[u8] = file::SHELL.as_bytes();
/// What `$?` is after Ctrl-C, and after Ctrl-Z.
const INTERRUPTED: u32 = 130;
const PAUSED: u32 = 148;
/// What exit codes above 255 are for `$?`.
const CODE_MAX: u32 = 255;

/// How a program is wanted.
#[derive(Clone, Copy, Default)]
pub(super) struct Wanted {
    /// Its processor; `None` is the shell's.
    pub processor: Option<Processor>,
    pub background: bool,
    pub operator: bool,
}

/// Streams on another processor, and what belongs to them.
#[derive(Default)]
struct Away {
    streams: Streams,
    /// Temporary files there.
    names: Vec<Vec<u8>>,
    output: Option<File>,
    errors: Option<File>,
}

impl Shell<'_> {
    /// Runs a program. The result is the status.
    pub(super) fn run_program(&mut self, words: &[Vec<u8>], wanted: Wanted) -> u32 {
        let Some((name, arguments)) = words.split_first() else { return 0 };
        let home = self.machine.home();
        let at = wanted.processor.unwrap_or(home);
        let file = self.machine.open(home, name, 0);
        let is_utility = tools::find(name).is_some() && !(file.is_ok() && self.can_be_run(name));
        if file.is_ok() && !is_utility && wanted.processor.is_none() && self.is_script(name) {
            return match wanted.background {
                true => self.start_and_wait(SHELL, words, at, wanted),
                false => self.run_script_file(name, arguments),
            };
        }
        match is_utility {
            true => self.start_and_wait(UTILITIES, words, at, wanted),
            false => self.start_and_wait(name, arguments, at, wanted),
        }
    }

    fn can_be_run(&mut self, name: &[u8]) -> bool {
        let home = self.machine.home();
        let listed = self.machine.list(home).unwrap_or_default();
        listed.iter().any(|entry| entry.name == name && entry.permissions & EXECUTE != 0)
    }

    /// Whether a file can be read, may be run, and is no program.
    fn is_script(&mut self, name: &[u8]) -> bool {
        let home = self.machine.home();
        let Ok(file) = self.machine.open(home, name, open::READ) else { return false };
        let mut start = [0; 4];
        let read = self.machine.read_at(file, 0, &mut start);
        read.is_ok() && start != *b"\x7fELF" && self.can_be_run(name)
    }

    fn start_and_wait(&mut self, program: &[u8], arguments: &[Vec<u8>], at: Processor, wanted: Wanted) -> u32 {
        let name = if program == UTILITIES { arguments.first().map_or(program, |name| name) } else { program };
        let mut listed = None;
        let started = self
            .fitting(program, arguments, at, &mut listed)
            .and_then(|arguments| self.start_with_streams(program, &arguments, at, wanted));
        if let Ok((process, _)) = started {
            self.note_job(process, if program == UTILITIES { &[] } else { program }, arguments);
        }
        let status = match started {
            Ok((process, _)) if wanted.background => {
                let mut text = number::process(process);
                text.push(b'\n');
                self.last_background = Some(process);
                self.print(&text);
                0
            }
            Ok((process, away)) => {
                // A shell has the keys for what it runs itself.
                let status = if program == SHELL { self.wait_for(process) } else { self.attend(process) };
                match self.come_back(at, away) {
                    Ok(()) => status,
                    Err(error) => self.fail(&[name], error.meaning()),
                }
            }
            Err(error) => {
                // A file that is there and can't be run is another matter.
                let is_unknown = error == Error::NoFile;
                self.fail(&[name], if is_unknown { "not found" } else { error.meaning() });
                if is_unknown {
                    127
                } else {
                    126
                }
            }
        };
        if let Some(list) = listed {
            let home = self.machine.home();
            let _ = self.machine.unlink(home, &list);
        }
        status
    }

    /// The arguments, or if they are more than a program can be given, the name of a file that has
    /// them, as utilities of this processor take it.
    fn fitting(
        &mut self,
        program: &[u8],
        arguments: &[Vec<u8>],
        at: Processor,
        listed: &mut Option<Vec<u8>>,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let bytes: usize = arguments.iter().map(|argument| argument.len() + 1).sum();
        if bytes <= ARGUMENT_BYTES || program != UTILITIES || at != self.machine.home() {
            return Ok(arguments.to_vec());
        }
        let (file, name) = self.temporary_file()?;
        *listed = Some(name.clone());
        let mut text = arguments.join(&0);
        text.push(0);
        self.machine.write_at(file, 0, &text)?;
        Ok(alloc::vec![[b"@", &name[..]].concat()])
    }

    fn start_with_streams(
        &mut self,
        program: &[u8],
        arguments: &[Vec<u8>],
        at: Processor,
        wanted: Wanted,
    ) -> Result<(Process, Away), Error> {
        if self.jobs.len() >= tools::PROCESSES_MAX {
            self.forget_ended();
        }
        if self.jobs.len() >= tools::PROCESSES_MAX {
            return Err(Error::TooManyProcesses);
        }
        let is_away = at != self.machine.home() && self.streams != Streams::default();
        let away = match is_away {
            true if wanted.background => return Err(Error::NotHere),
            true => self.go_away(at)?,
            false => Away { streams: self.streams, ..Away::default() },
        };
        let Wanted { background, operator, .. } = wanted;
        let how = Start { processor: at, background, operator, streams: away.streams };
        match self.machine.start(program, arguments, &how) {
            Ok(process) => Ok((process, away)),
            Err(error) => {
                self.drop_away(at, &away);
                Err(error)
            }
        }
    }

    /// Streams on another processor in place of those here.
    fn go_away(&mut self, at: Processor) -> Result<Away, Error> {
        let mut away = Away::default();
        let made = self.make_away(at, &mut away);
        if let Err(error) = made {
            self.drop_away(at, &away);
            return Err(error);
        }
        Ok(away)
    }

    fn make_away(&mut self, at: Processor, away: &mut Away) -> Result<(), Error> {
        if let Some((file, offset)) = self.streams.input {
            let copy = self.file_away(at, away)?;
            self.copy(file, offset, copy, 0)?;
            away.streams.input = Some((copy, 0));
        }
        if self.streams.output.is_some() {
            away.output = Some(self.file_away(at, away)?);
        }
        if self.streams.errors.is_some() {
            let same = self.streams.errors == self.streams.output;
            away.errors = if same { away.output } else { Some(self.file_away(at, away)?) };
        }
        (away.streams.output, away.streams.errors) = (away.output, away.errors);
        Ok(())
    }

    fn file_away(&mut self, at: Processor, away: &mut Away) -> Result<File, Error> {
        let name = self.temporary_name();
        let file = self.machine.open(at, &name, open::READ | open::WRITE | open::CREATE | open::TRUNCATE)?;
        away.names.push(name);
        Ok(file)
    }

    /// Takes what a program on another processor has written.
    fn come_back(&mut self, at: Processor, away: Away) -> Result<(), Error> {
        let mut result = self.apply();
        for (file, is_error) in [(away.output, false), (away.errors, true)] {
            let Some(file) = file.filter(|_| result.is_ok()) else { continue };
            if is_error && away.errors == away.output {
                continue;
            }
            result = self.take_back(file, is_error);
        }
        self.drop_away(at, &away);
        result
    }

    fn take_back(&mut self, file: File, is_error: bool) -> Result<(), Error> {
        let (mut buffer, mut done) = ([0; 2048], 0);
        loop {
            let count = self.machine.read_at(file, done, &mut buffer)?;
            match (count, is_error) {
                (0, _) => return Ok(()),
                (_, true) => self.machine.complain(&buffer[..count]),
                (_, false) => self.machine.output(&buffer[..count])?,
            }
            done += count as u32;
        }
    }

    fn drop_away(&mut self, at: Processor, away: &Away) {
        for name in &away.names {
            let _ = self.machine.unlink(at, name);
        }
    }

    /// Waits for a process. The result is its exit code as `$?` has it.
    fn wait_for(&mut self, process: Process) -> u32 {
        let code = self.machine.await_end(process);
        self.ended(process, code)
    }

    /// Waits for a process in the background, unless it is stopped: nobody else may be there to let
    /// it go on. Ctrl-C ends the waiting, and not the process.
    pub(super) fn wait_for_job(&mut self, process: Process) -> u32 {
        loop {
            // A process that is not there is the waiting's own error.
            if self.machine.standing(process) == Ok(Standing::Stopped) {
                return self.paused(process);
            }
            match self.machine.attend(process) {
                Ok(Awaited::Interrupted) => {
                    self.interrupted = true;
                    self.give_up(INTERRUPTED);
                    return INTERRUPTED;
                }
                Ok(Awaited::Paused) => {}
                Ok(Awaited::Ended(code)) => return self.ended(process, Ok(code)),
                Err(error) => return self.ended(process, Err(error)),
            }
        }
    }

    /// Waits for a process that has the console's keys meanwhile: Ctrl-C ends it, and with it what
    /// the shell was doing; Ctrl-Z stops it.
    pub(super) fn attend(&mut self, process: Process) -> u32 {
        let mut interrupted = false;
        loop {
            match self.machine.attend(process) {
                Ok(Awaited::Interrupted) => {
                    interrupted = true;
                    // It may have ended by itself meanwhile.
                    let _ = self.machine.control(process, Control::Kill);
                }
                Ok(Awaited::Paused) if self.machine.control(process, Control::Suspend).is_ok() => {
                    return self.paused(process);
                }
                Ok(Awaited::Paused) => {}
                Ok(Awaited::Ended(_)) if interrupted => {
                    self.forget_job(process);
                    self.interrupted = true;
                    self.give_up(INTERRUPTED);
                    return INTERRUPTED;
                }
                Ok(Awaited::Ended(code)) => return self.ended(process, Ok(code)),
                Err(error) => return self.ended(process, Err(error)),
            }
        }
    }

    /// Says that a process was stopped; it is still a job.
    fn paused(&mut self, process: Process) -> u32 {
        let mut text = number::process(process);
        text.extend_from_slice(b": stopped\n");
        let _ = self.apply();
        self.machine.complain(&text);
        PAUSED
    }

    fn ended(&mut self, process: Process, code: Result<u32, Error>) -> u32 {
        self.forget_job(process);
        let code = match code {
            Ok(code) => code,
            Err(error) => return self.fail(&[b"wait"], error.meaning()),
        };
        if code <= CODE_MAX {
            return code;
        }
        let mut text = number::process(process);
        text.extend_from_slice(b": exit code 0x");
        number::digits(&mut text, code.into(), 16);
        text.push(b'\n');
        let _ = self.apply();
        self.machine.complain(&text);
        match code & CODE_MAX {
            0 => CODE_MAX,
            code => code,
        }
    }
}
