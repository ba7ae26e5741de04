//! The machine as shell and utilities know it. Files of other processors are read and written where
//! they are: the thread goes there, and comes back when it needs its console.

extern crate alloc;

use alloc::vec::Vec;

use libtos::file::{self, File as Open};
use libtos::process::{self, How};
use libtos::{console, migrate_self, Place};
use testbed_definitions::file::SHELL;
use testbed_definitions::process::{home, place, OPERATOR};
use testbed_definitions::syscall::{control, write, Error};
use testbed_shell::system::{
    Awaited, Control, Entry, File, Machine, Process, Processor, Standing, Start, Status, Streams, System, Thread,
};

use programs::{monitor, names};

/// This process on its machine.
pub struct Tos {
    home: Processor,
    here: Processor,
    streams: Streams,
    /// The lower half of the microseconds when they were last asked for, and how often it has wrapped.
    clock: (u32, u64),
}

/// The commands of this machine only.
const OWN: &[(&str, &str)] = &[
    ("dgl", "[CLASSES]"),
    ("filter", "[show | off | ACTION CODE[/MASK][,...]]"),
    ("sample", "[MICROSECONDS]"),
    ("totals", "[TICKS]"),
];

impl Tos {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let home = libtos::processor();
        let [input, offset, output, errors] = process::streams();
        let file = |handle: u32| (handle != 0).then_some(File { processor: home, handle, bytes: 0 });
        let streams =
            Streams { input: file(input).map(|file| (file, offset)), output: file(output), errors: file(errors) };
        Tos { home, here: home, streams, clock: (0, 0) }
    }

    fn go(&mut self, to: Processor) -> Result<(), Error> {
        if self.here != to {
            migrate_self(Place::Processor(to))?;
            self.here = to;
        }
        Ok(())
    }

    fn go_home(&mut self) -> Result<(), Error> {
        self.go(self.home)
    }

    fn name(name: &[u8]) -> Result<&str, Error> {
        core::str::from_utf8(name).map_err(|_| Error::BadName)
    }

    /// Leads the streams of a process of which all files are on its home.
    fn lead(process: Process, streams: &Streams, before: &Streams) -> Result<(), Error> {
        let handle = |file: Option<File>| file.map_or(0, |file| file.handle);
        if streams.input != before.input {
            process::lead(process, control::INPUT, handle(streams.input.map(|input| input.0)))?;
            if let Some((_, offset @ 1..)) = streams.input {
                process::lead(process, control::SEEK, offset)?;
            }
        }
        if streams.output != before.output {
            process::lead(process, control::OUTPUT, handle(streams.output))?;
        }
        if streams.errors != before.errors {
            process::lead(process, control::ERRORS, handle(streams.errors))?;
        }
        Ok(())
    }
}

impl System for Tos {
    fn home(&self) -> Processor {
        self.home
    }
    fn processors(&self) -> Processor {
        libtos::processors()
    }
    fn processor_names(&self) -> Vec<Vec<u8>> {
        names::processor_names().map(|name| name.as_bytes().to_vec()).collect()
    }
    fn processor_named(&self, name: &[u8]) -> Option<Processor> {
        let name = core::str::from_utf8(name).ok()?;
        let number = name.parse().ok().filter(|&number| number < libtos::processors());
        number.or_else(|| names::processor_named(name))
    }

    fn open(&mut self, at: Processor, name: &[u8], how: u32) -> Result<File, Error> {
        self.go(at)?;
        let open = Open::open(Self::name(name)?, how)?;
        Ok(File { processor: at, handle: open.handle(), bytes: open.bytes })
    }
    fn read_at(&mut self, file: File, offset: u32, buffer: &mut [u8]) -> Result<usize, Error> {
        self.go(file.processor)?;
        Open::of(file.handle, file.bytes).read(offset, buffer)
    }
    fn write_at(&mut self, file: File, offset: u32, bytes: &[u8]) -> Result<(), Error> {
        self.go(file.processor)?;
        Open::of(file.handle, file.bytes).write(offset, bytes)
    }
    fn unlink(&mut self, at: Processor, name: &[u8]) -> Result<(), Error> {
        self.go(at)?;
        file::unlink(Self::name(name)?)
    }
    fn rename(&mut self, at: Processor, old: &[u8], new: &[u8]) -> Result<(), Error> {
        self.go(at)?;
        file::rename(Self::name(old)?, Self::name(new)?)
    }
    fn chmod(&mut self, at: Processor, name: &[u8], permissions: u32) -> Result<(), Error> {
        self.go(at)?;
        file::chmod(Self::name(name)?, permissions)
    }
    fn list(&mut self, at: Processor) -> Result<Vec<Entry>, Error> {
        self.go(at)?;
        let entry = |entry: file::Entry| Entry {
            name: entry.name().as_bytes().to_vec(),
            bytes: entry.bytes,
            permissions: entry.permissions,
            index: entry.index,
        };
        Ok(file::list().map(entry).collect())
    }

    fn input(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        self.go_home()?;
        console::read(buffer)
    }
    fn typed(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        self.go_home()?;
        console::read_typed(buffer)
    }
    fn shows(&mut self) -> bool {
        self.go_home().is_ok() && process::streams()[2] == 0
    }
    fn output(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.go_home()?;
        console::write_to(write::OUTPUT, bytes)
    }
    fn complain(&mut self, bytes: &[u8]) {
        if self.go_home().is_ok() {
            let _ = console::write_to(write::ERRORS, bytes);
        }
    }

    fn microseconds(&mut self) -> u64 {
        let now = libtos::clock_us();
        let wraps = self.clock.1 + u64::from(now < self.clock.0);
        self.clock = (now, wraps);
        wraps << 32 | u64::from(now)
    }
    fn delay(&mut self, microseconds: u32) {
        libtos::delay_us(microseconds);
    }
    fn peek(&mut self, process: Process, address: u32, buffer: &mut [u8]) -> Result<usize, Error> {
        process::peek(process, address, buffer)
    }
}

/// What the states of threads are called, by their numbers.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        const STATES: &[&str] = &["free", $(stringify!($name)),*];
    };
}
testbed_kernel_core::thread_states!(names);

impl Machine for Tos {
    fn start(&mut self, program: &[u8], arguments: &[Vec<u8>], how: &Start) -> Result<Process, Error> {
        let mut text = Vec::new();
        for argument in arguments {
            text.extend_from_slice(argument);
            text.push(0);
        }
        self.go_home()?;
        let away = how.processor != self.home;
        let leads = how.streams != Streams::default();
        let wanted = How {
            processor: away.then_some(how.processor),
            background: how.background,
            suspended: leads,
            operator: how.operator,
        };
        let process = process::invoke(Self::name(program)?, &text, wanted)?;
        if leads {
            let led = Self::lead(process, &how.streams, &Streams::default()).and_then(|()| process::resume(process));
            if let Err(error) = led {
                process::kill(process)?;
                process::await_end(process)?;
                return Err(error);
            }
        }
        Ok(process)
    }
    fn await_end(&mut self, process: Process) -> Result<u32, Error> {
        self.go_home()?;
        process::await_end(process)
    }
    fn standing(&mut self, process: Process) -> Result<Standing, Error> {
        self.go(home(process))?;
        let found = process::processes().find(|status| status.process == process);
        self.go_home()?;
        Ok(match found {
            None => Standing::Ended,
            Some(status) if status.suspended => Standing::Stopped,
            Some(_) => Standing::Runs,
        })
    }
    fn attend(&mut self, process: Process) -> Result<Awaited, Error> {
        self.go_home()?;
        loop {
            match process::await_end_or_key(process)? {
                process::Awaited::Ended(code) => return Ok(Awaited::Ended(code)),
                process::Awaited::Key(process::INTERRUPT) => return Ok(Awaited::Interrupted),
                process::Awaited::Key(process::PAUSE) => return Ok(Awaited::Paused),
                process::Awaited::Key(_) => {}
            }
        }
    }
    fn control(&mut self, process: Process, what: Control) -> Result<(), Error> {
        self.go_home()?;
        match what {
            Control::Kill => process::kill(process),
            Control::Suspend => process::suspend(process),
            Control::Resume => process::resume(process),
            Control::Foreground => process::foreground(process),
            Control::Background => process::background(process),
            Control::Console => process::sit_down(process),
        }
    }
    fn start_shell(&mut self, at: Processor) -> Result<Process, Error> {
        self.go_home()?;
        let operator = process::process() & OPERATOR != 0;
        // It has to have its seat before it looks for one.
        let how = How { processor: Some(at), background: true, suspended: true, operator };
        let shell = process::invoke(SHELL, b"", how)?;
        let begun = process::give_seat(shell).and_then(|()| process::resume(shell));
        if let Err(error) = begun {
            process::kill(shell)?;
            return Err(error);
        }
        Ok(shell)
    }
    fn shell_at(&mut self, at: Processor) -> Result<Option<Process>, Error> {
        self.go(at)?;
        let found = process::processes().find(|status| status.sits).map(|status| status.process);
        self.go_home()?;
        Ok(found)
    }
    fn processes(&mut self) -> Vec<Status> {
        if self.go_home().is_err() {
            return Vec::new();
        }
        let status = |status: process::Status| Status {
            process: status.process,
            place: place(status.process),
            background: status.background,
            suspended: status.suspended,
            threads: status.threads,
            name: file::list()
                .find(|entry| entry.index == status.file)
                .map_or(Vec::new(), |entry| entry.name().as_bytes().to_vec()),
        };
        process::processes().map(status).collect()
    }
    fn threads(&mut self) -> Vec<Thread> {
        if self.go_home().is_err() {
            return Vec::new();
        }
        let thread = |[number, state, waits_for, pc]: [u32; 4]| Thread {
            number,
            state: STATES.get(state as usize).unwrap_or(&"other"),
            waits_for,
            pc,
        };
        process::threads().map(thread).collect()
    }
    fn inherited(&mut self) -> Streams {
        self.streams
    }
    fn become_streams(&mut self, streams: &Streams) -> Result<(), Error> {
        self.go_home()?;
        Self::lead(process::process(), streams, &self.streams)?;
        self.streams = *streams;
        Ok(())
    }
    fn input_offset(&mut self) -> u32 {
        let offset = process::streams()[1];
        if let Some((_, at)) = &mut self.streams.input {
            *at = offset;
        }
        offset
    }
    fn own_command(&mut self, name: &[u8], arguments: &[Vec<u8>]) -> Option<u32> {
        let usage = OWN.iter().find(|own| own.0.as_bytes() == name)?;
        let words: Vec<&str> = arguments.iter().map(|word| core::str::from_utf8(word).unwrap_or("?")).collect();
        let done = match (name, &words[..]) {
            (b"filter", words) => monitor::filter(&words.join(" ")),
            (b"dgl", [] | [_]) => monitor::dgl(words.first().copied()),
            (b"totals", [] | [_]) => monitor::totals(words.first().copied()),
            (b"sample", [] | [_]) => monitor::sample(words.first().copied()),
            _ => {
                self.complain(["usage: ", usage.0, " ", usage.1, "\n"].concat().as_bytes());
                return Some(2);
            }
        };
        Some(match done {
            Ok(told) => !told as u32,
            Err(error) => {
                self.complain([usage.0, ": ", error.meaning(), "\n"].concat().as_bytes());
                1
            }
        })
    }
    fn own_commands(&self) -> &'static [(&'static str, &'static str)] {
        OWN
    }
    fn shell_id(&self) -> Process {
        process::process()
    }
    fn goes_on(&mut self) -> bool {
        true
    }
}
