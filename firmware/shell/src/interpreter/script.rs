//! Texts and files of commands.

use alloc::vec::Vec;

use testbed_definitions::syscall::{open, Error};

use super::shell::{Flow, Shell};
use crate::number;
use crate::syntax::{Fault, Parser};

/// Bytes of a script, at most.
const SCRIPT_BYTES: usize = 48 * 1024;

/// What has become of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All its commands have run.
    Done,
    /// Its last command is not whole; those ahead of it have not run either.
    Incomplete,
    /// The shell is to end.
    Exit,
}

/// What has been typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typed {
    /// A line, without its newline.
    Line(Vec<u8>),
    /// A line that was too long, and has been passed over.
    TooLong,
    /// Nothing more comes.
    End,
}

impl Shell<'_> {
    /// The next line of the shell's own input, of so many bytes at most.
    pub fn typed(&mut self, most: usize) -> Typed {
        if let Some(line) = self.unread.take() {
            return Typed::Line(line);
        }
        let (mut line, mut long, mut any) = (Vec::new(), false, false);
        loop {
            let mut buffer = [0; 256];
            let got = self.apply().and_then(|()| self.machine.input(&mut buffer));
            self.has_read();
            let read = &buffer[..got.unwrap_or(0)];
            let piece = read.strip_suffix(b"\n").unwrap_or(read);
            any |= !read.is_empty();
            long |= line.len() + piece.len() > most;
            if !long {
                line.extend_from_slice(piece);
            }
            if read.is_empty() || piece.len() < read.len() {
                return match (long, any) {
                    (true, _) => Typed::TooLong,
                    (false, true) => Typed::Line(line),
                    (false, false) => Typed::End,
                };
            }
        }
    }

    /// Prints text between commands.
    pub fn say(&mut self, text: &[u8]) {
        self.print(text);
    }

    /// The status of the last command.
    pub fn status(&self) -> u32 {
        self.status
    }

    /// Runs commands that are typed, unless more has to be typed. `show` is told each command ahead
    /// of it.
    pub fn type_in(&mut self, text: &[u8]) -> Outcome {
        let mut parser = Parser::new(text);
        loop {
            match parser.next_item() {
                Ok(Some(_)) => {}
                Ok(None) if parser.wants_line() => return Outcome::Incomplete,
                Ok(None) => break,
                Err(fault) if fault.incomplete => return Outcome::Incomplete,
                Err(_) => break,
            }
        }
        self.run_text(text, b"sh", None)
    }

    /// Runs a text; with a sign each command is shown behind it.
    pub fn run_text(&mut self, text: &[u8], name: &[u8], sign: Option<&[u8]>) -> Outcome {
        let mut parser = Parser::new(text);
        while self.flow == Flow::Next {
            match parser.next_item() {
                Ok(None) => break,
                Ok(Some((item, written))) => {
                    if let Some(sign) = sign {
                        let mut line = sign.to_vec();
                        line.extend_from_slice(written);
                        line.push(b'\n');
                        self.print(&line);
                    }
                    let status = self.item(&item);
                    self.status = status;
                }
                Err(fault) => {
                    self.explain(name, &fault);
                    self.status = 2;
                    break;
                }
            }
        }
        if self.interactive && self.fatal {
            (self.flow, self.fatal, self.interrupted) = (Flow::Next, false, false);
        }
        match self.flow {
            Flow::Exit => Outcome::Exit,
            Flow::Return => {
                self.flow = Flow::Next;
                Outcome::Done
            }
            _ => Outcome::Done,
        }
    }

    fn explain(&mut self, name: &[u8], fault: &Fault) {
        let mut line = b"line ".to_vec();
        number::decimal(&mut line, fault.line as i64);
        self.fail(&[name, &line], fault.what);
    }

    /// The text of a script.
    ///
    /// # Errors
    /// There is no such file, it can't be read, or it is too long.
    pub fn script(&mut self, name: &[u8]) -> Result<Vec<u8>, Error> {
        let (place, name) = self.place_of(name);
        let file = self.machine.open(place, name, open::READ)?;
        if file.bytes as usize > SCRIPT_BYTES {
            return Err(Error::FileTooLarge);
        }
        let mut text = alloc::vec![0; file.bytes as usize];
        let count = self.machine.read_at(file, 0, &mut text)?;
        text.truncate(count);
        Ok(text)
    }

    /// Runs a script as a program of its own would: nothing that it sets stays.
    pub(super) fn run_script_file(&mut self, name: &[u8], arguments: &[Vec<u8>]) -> u32 {
        let text = match self.script(name) {
            Ok(text) => text,
            Err(error) => {
                self.fail(&[name], error.meaning());
                return 126;
            }
        };
        let before = core::mem::replace(&mut self.name, name.to_vec());
        let status = self.subshell(|shell| {
            shell.environment.arguments = arguments.to_vec();
            shell.status = 0;
            shell.run_text(&text, name, None);
            shell.status
        });
        self.name = before;
        status
    }

    /// `. FILE`: runs a script here.
    pub(super) fn source(&mut self, arguments: &[Vec<u8>]) -> u32 {
        let Some((name, arguments)) = arguments.split_first() else {
            return self.fail(&[b"."], "a file is missing");
        };
        match self.script(name) {
            Ok(text) => self.nest(|shell| {
                let own = (!arguments.is_empty())
                    .then(|| core::mem::replace(&mut shell.environment.arguments, arguments.to_vec()));
                shell.status = 0;
                shell.run_text(&text, name, None);
                if let Some(own) = own {
                    shell.environment.arguments = own;
                }
                shell.status
            }),
            Err(error) => {
                self.fail(&[b".", name], error.meaning());
                2
            }
        }
    }

    /// `eval WORD…`: runs words as a text.
    pub(super) fn eval(&mut self, arguments: &[Vec<u8>]) -> u32 {
        let text = arguments.join(&b' ');
        self.nest(|shell| {
            shell.status = 0;
            let flow_before = shell.flow;
            let mut parser = Parser::new(&text);
            while shell.flow == flow_before {
                match parser.next_item() {
                    Ok(None) => break,
                    Ok(Some((item, _))) => shell.status = shell.item(&item),
                    Err(fault) => {
                        shell.explain(b"eval", &fault);
                        shell.status = 2;
                        break;
                    }
                }
            }
            shell.status
        })
    }
}
