//! Where the streams of a command lead, and files on other processors, which take a way round.

use alloc::vec::Vec;

use testbed_definitions::syscall::{open, Error};

use super::shell::Shell;
use crate::syntax::tree::{Kind, Redirection};
use crate::system::{File, Processor, Streams};

/// What is to be done when a command is over whose streams were redirected.
#[derive(Default)]
pub(super) struct After {
    /// The streams from before.
    before: Streams,
    /// Temporary files, which go.
    temporary: Vec<Vec<u8>>,
    /// Temporary files that are to be copied: the name here, the file elsewhere, and from where on.
    copies: Vec<(Vec<u8>, File, u32)>,
}

/// What is written there is forgotten, and nothing can be read.
const NOTHING: &[u8] = b"/dev/null";
const WRITES: u32 = open::WRITE | open::CREATE;

impl Shell<'_> {
    /// The processor and the name in `PROCESSOR:NAME`, or in a name alone.
    pub(super) fn place_of<'n>(&self, name: &'n [u8]) -> (Processor, &'n [u8]) {
        crate::tools::place_of(self.machine, name)
    }

    /// Redirects the shell's streams. If that fails, it has said why and nothing has changed.
    pub(super) fn redirect(&mut self, redirections: &[Redirection]) -> Option<After> {
        let mut after = After { before: self.streams, ..After::default() };
        for redirection in redirections {
            let Ok(target) = self.text(&redirection.target) else {
                self.go_back(after);
                return None;
            };
            if let Err(error) = self.redirect_one(redirection, &target, &mut after) {
                let name = if redirection.kind == Kind::Here { b"<<" } else { &target[..] };
                self.fail(&[b"sh", name], error.meaning());
                self.go_back(after);
                return None;
            }
        }
        Some(after)
    }

    fn redirect_one(&mut self, redirection: &Redirection, target: &[u8], after: &mut After) -> Result<(), Error> {
        if target == NOTHING && matches!(redirection.kind, Kind::Read | Kind::Write | Kind::Append) {
            let (file, name) = self.temporary_file()?;
            after.temporary.push(name);
            match redirection.stream {
                0 => self.streams.input = Some((file, 0)),
                other => *self.stream(other) = Some(file),
            }
            return Ok(());
        }
        match (redirection.kind, redirection.stream) {
            (Kind::Here, 0) => {
                let name = self.temporary_name();
                let home = self.machine.home();
                let file = self.machine.open(home, &name, WRITES | open::READ | open::TRUNCATE)?;
                after.temporary.push(name);
                self.machine.write_at(file, 0, target)?;
                self.streams.input = Some((file, 0));
            }
            (Kind::Read, 0) => {
                let (place, name) = self.place_of(target);
                let mut file = self.machine.open(place, name, open::READ)?;
                if place != self.machine.home() {
                    let (copy, name) = self.temporary_file()?;
                    after.temporary.push(name);
                    self.copy(file, 0, copy, 0)?;
                    file = copy;
                }
                self.streams.input = Some((file, 0));
            }
            (Kind::Write | Kind::Append, 1 | 2) => {
                let (place, name) = self.place_of(target);
                let truncates = if redirection.kind == Kind::Write { open::TRUNCATE } else { 0 };
                let mut file = self.machine.open(place, name, WRITES | truncates)?;
                if place != self.machine.home() {
                    let (copy, name) = self.temporary_file()?;
                    after.temporary.push(name.clone());
                    after.copies.push((name, file, file.bytes));
                    file = copy;
                }
                *self.stream(redirection.stream) = Some(file);
            }
            (Kind::Same(other), 1 | 2) if other > 0 => {
                let file = *self.stream(other);
                *self.stream(redirection.stream) = file;
            }
            (Kind::Same(0), 0) => {}
            _ => return Err(Error::NoPermission),
        }
        Ok(())
    }

    fn stream(&mut self, number: u8) -> &mut Option<File> {
        match number {
            2 => &mut self.streams.errors,
            _ => &mut self.streams.output,
        }
    }

    /// A new temporary file here, and its name.
    pub(super) fn temporary_file(&mut self) -> Result<(File, Vec<u8>), Error> {
        let name = self.temporary_name();
        let home = self.machine.home();
        let file = self.machine.open(home, &name, WRITES | open::READ | open::TRUNCATE)?;
        Ok((file, name))
    }

    /// Copies what a file has from a place on to a place in another.
    pub(super) fn copy(&mut self, from: File, start: u32, to: File, at: u32) -> Result<(), Error> {
        let (mut buffer, mut done) = ([0; 2048], 0);
        loop {
            let count = self.machine.read_at(from, start + done, &mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            self.machine.write_at(to, at + done, &buffer[..count])?;
            done += count as u32;
        }
    }

    /// The command is over: its files are copied where they belong, and temporary ones go. The
    /// result is whether all could be copied.
    pub(super) fn go_back(&mut self, after: After) -> bool {
        self.restore_streams(after.before);
        // Nothing may lead to a file that goes.
        let _ = self.apply();
        let home = self.machine.home();
        let mut good = true;
        for (name, file, at) in after.copies {
            let copied = match self.machine.open(home, &name, open::READ) {
                Ok(copy) => self.copy(copy, 0, file, at),
                Err(error) => Err(error),
            };
            if let Err(error) = copied {
                self.fail(&[b"sh"], error.meaning());
                good = false;
            }
        }
        for name in after.temporary {
            let _ = self.machine.unlink(home, &name);
        }
        good
    }

    /// What is printed while something is done.
    pub(super) fn captured(&mut self, act: impl FnOnce(&mut Self) -> u32) -> Result<Vec<u8>, Error> {
        let (file, name) = self.temporary_file()?;
        let before = self.streams;
        self.streams.output = Some(file);
        let status = self.status;
        self.captured = self.subshell(act);
        self.status = status;
        self.restore_streams(before);
        let _ = self.apply();
        let home = self.machine.home();
        let text = self.machine.open(home, &name, open::READ).and_then(|file| {
            let room = (file.bytes as usize).min(super::shell::CAPTURED_MAX + 1);
            let mut text = alloc::vec![0; room];
            let count = self.machine.read_at(file, 0, &mut text)?;
            text.truncate(count);
            Ok(text)
        });
        let _ = self.machine.unlink(home, &name);
        text
    }
}
