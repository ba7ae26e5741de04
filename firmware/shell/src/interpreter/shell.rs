//! The state of a shell.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;

use testbed_definitions::syscall::Error;

use super::variables::Variables;
use crate::number;
use crate::syntax::tree::Command;
use crate::system::{Machine, Process, Streams};

/// Functions, scripts and loops that run in one another, at most.
pub const NESTED_MAX: usize = 40;
/// Bytes that `$(…)` can have, at most.
pub const CAPTURED_MAX: usize = 8 * 1024;
/// What a command says that was called as it can't be.
pub(super) const MISUSED: u32 = u32::MAX;
/// Functions, at most.
const FUNCTIONS_MAX: usize = 64;

/// What is left to do before the next command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// Nothing.
    Next,
    /// So many loops end.
    Break(u32),
    /// So many loops but one end, and that one goes on.
    Continue(u32),
    /// The function or script ends.
    Return,
    /// The shell ends.
    Exit,
}

/// What a subshell leaves as it was.
#[derive(Clone)]
pub(super) struct Environment {
    pub variables: Variables,
    pub arguments: Vec<Vec<u8>>,
    pub functions: BTreeMap<Vec<u8>, Rc<Command>>,
}

/// A process that the shell has started.
#[derive(Clone)]
pub(super) struct Job {
    /// What `%` names it by.
    pub number: u32,
    pub process: Process,
    /// The words of its command.
    pub line: Vec<u8>,
}

/// A shell.
pub struct Shell<'m> {
    pub(super) machine: &'m mut dyn Machine,
    pub(super) environment: Environment,
    /// `$0`
    pub(super) name: Vec<u8>,
    /// `$?`
    pub(super) status: u32,
    /// The status of the last `$(…)` of a command.
    pub(super) captured: u32,
    /// `$!`
    pub(super) last_background: Option<Process>,
    pub(super) flow: Flow,
    /// Loops that run in one another.
    pub(super) loops: u32,
    /// All that runs in one another.
    pub(super) nested: usize,
    /// Where commands read and write.
    pub(super) streams: Streams,
    /// Where the machine has the shell itself read and write.
    pub(super) applied: Streams,
    /// Processes that were started and not yet awaited, in the order of their numbers.
    pub(super) jobs: Vec<Job>,
    /// Temporary files so far.
    pub(super) temporary: u32,
    /// A command ends the shell if it fails (`set -e`), and where that does not count.
    pub(super) strict: bool,
    pub(super) lenient: u32,
    /// A variable that is not set is an error (`set -u`).
    pub(super) unset_is_error: bool,
    /// Commands are shown before they run (`set -x`).
    pub(super) traced: bool,
    /// What was wrong ends a script, though not a shell at which somebody types.
    pub(super) fatal: bool,
    /// Ctrl-C ends all that runs in one another.
    pub(super) interrupted: bool,
    /// Somebody types, and is told how programs end.
    pub interactive: bool,
    /// What is typed is printed again, ahead of what it does.
    pub repeats: bool,
    /// A line that was read in place of an answer.
    pub(super) unread: Option<Vec<u8>>,
}

impl<'m> Shell<'m> {
    /// A shell on this machine.
    pub fn new(machine: &'m mut dyn Machine, name: &[u8], arguments: Vec<Vec<u8>>) -> Self {
        let streams = machine.inherited();
        Shell {
            machine,
            environment: Environment { variables: Variables::default(), arguments, functions: BTreeMap::new() },
            name: name.to_vec(),
            status: 0,
            captured: 0,
            last_background: None,
            fatal: false,
            interrupted: false,
            flow: Flow::Next,
            loops: 0,
            nested: 0,
            streams,
            applied: streams,
            jobs: Vec::new(),
            temporary: 0,
            strict: false,
            lenient: 0,
            unset_is_error: false,
            traced: false,
            interactive: false,
            repeats: true,
            unread: None,
        }
    }

    /// Has the shell itself read and write where commands do now.
    pub(super) fn apply(&mut self) -> Result<(), Error> {
        if self.applied != self.streams {
            self.machine.become_streams(&self.streams)?;
            self.applied = self.streams;
        }
        Ok(())
    }

    /// The shell itself has read: notes how far.
    pub(super) fn has_read(&mut self) {
        if let (Some((file, _)), true) = (self.streams.input, self.applied == self.streams) {
            self.streams.input = Some((file, self.machine.input_offset()));
            self.applied = self.streams;
        }
    }

    /// Goes back to streams from before, but for how far their file has been read since.
    pub(super) fn restore_streams(&mut self, before: Streams) {
        let now = self.streams.input;
        self.streams = before;
        if let (Some((file, _)), Some((read, offset))) = (before.input, now) {
            if (file.processor, file.handle) == (read.processor, read.handle) {
                self.streams.input = Some((file, offset));
            }
        }
    }

    /// Writes to standard output. The result is the status.
    pub(super) fn print(&mut self, text: &[u8]) -> u32 {
        let written = self.apply().and_then(|()| if text.is_empty() { Ok(()) } else { self.machine.output(text) });
        match written {
            Ok(()) => 0,
            Err(error) => self.fail(&[b"write"], error.meaning()),
        }
    }

    /// Says on standard error what is wrong with what. The result is the status.
    pub(super) fn fail(&mut self, of: &[&[u8]], what: &str) -> u32 {
        let mut text = Vec::new();
        for part in of {
            text.extend_from_slice(part);
            text.extend_from_slice(b": ");
        }
        text.extend_from_slice(what.as_bytes());
        text.push(b'\n');
        let _ = self.apply();
        self.machine.complain(&text);
        1
    }

    /// What was wrong ends the script.
    pub(super) fn give_up(&mut self, status: u32) {
        (self.status, self.flow, self.fatal) = (status, Flow::Exit, true);
    }

    /// Sets a variable, or says why not.
    pub(super) fn set(&mut self, name: &[u8], value: &[u8]) -> bool {
        match self.environment.variables.set(name, value) {
            Ok(()) => true,
            Err(what) => {
                self.fail(&[b"sh", name], what);
                false
            }
        }
    }

    /// Defines a function.
    pub(super) fn define(&mut self, name: &[u8], body: &Rc<Command>) -> u32 {
        let functions = &mut self.environment.functions;
        if functions.len() == FUNCTIONS_MAX && !functions.contains_key(name) {
            return self.fail(&[b"sh", name], "more than 64 functions");
        }
        functions.insert(name.to_vec(), body.clone());
        0
    }

    /// Does something inside, unless too much does already.
    pub(super) fn nest(&mut self, act: impl FnOnce(&mut Self) -> u32) -> u32 {
        if self.nested == NESTED_MAX {
            self.give_up(2);
            return self.fail(&[b"sh"], "more than 40 functions, scripts and commands run in one another");
        }
        self.nested += 1;
        let status = act(self);
        self.nested -= 1;
        status
    }

    /// Does something after which the variables are what they were.
    pub(super) fn subshell(&mut self, act: impl FnOnce(&mut Self) -> u32) -> u32 {
        let (before, loops) = (self.environment.clone(), self.loops);
        let options = (self.strict, self.unset_is_error, self.traced);
        self.loops = 0;
        let status = self.nest(act);
        (self.strict, self.unset_is_error, self.traced) = options;
        if !self.interrupted {
            (self.flow, self.fatal) = (Flow::Next, false);
        }
        (self.environment, self.loops) = (before, loops);
        status
    }

    /// A name for a temporary file, which no other shell has.
    pub(super) fn temporary_name(&mut self) -> Vec<u8> {
        let mut name = b".~sh".to_vec();
        number::digits(&mut name, self.machine.shell_id().into(), 16);
        name.push(b'.');
        number::digits(&mut name, self.temporary.into(), 16);
        self.temporary += 1;
        name
    }
}
