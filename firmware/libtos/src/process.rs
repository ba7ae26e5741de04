//! Processes: programs that run, here and on other processors.

use testbed_definitions::syscall::{self, control, identity, invoke as flag, status, Error};

use crate::call;

pub use testbed_definitions::syscall::status::counter;
pub use testbed_definitions::syscall::{INTERRUPT, PAUSE};

/// A process id (`definitions::process`).
pub type Process = u16;

/// How a program is invoked.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// The processor; `None`: this one.
    pub processor: Option<u8>,
    pub background: bool,
    /// Its threads do not run before [`resume`].
    pub suspended: bool,
    /// It may control all processes and the monitors; only an operator can give that right
    /// ([`Error::NoPermission`]).
    pub operator: bool,
}

/// Starts the program in file `name`. Its arguments are strings with a NUL after each.
pub fn invoke(name: &str, arguments: &[u8], how: How) -> Result<Process, Error> {
    let flags = [(how.background, flag::BACKGROUND), (how.suspended, flag::SUSPENDED), (how.operator, flag::OPERATOR)];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).fold(0, |all, (_, flag)| all | flag);
    let (name, arguments) = ((name.as_ptr() as u32, name.len() as u32), (arguments.as_ptr() as u32, arguments.len()));
    let how = how.processor.unwrap_or(0xff) as u32 | flags;
    // SAFETY: the kernel only reads name and arguments.
    let result = unsafe { call::call5(syscall::INVOKE, [name.0, name.1, arguments.0, arguments.1 as u32, how]) };
    call::result(result).map(|process| process as Process)
}

/// Waits until a process that this one invoked has ended. The result is its exit code. Its place may
/// have been given to another process meanwhile, if it ended first: then its code is lost
/// ([`Error::NoProcess`]).
pub fn await_end(process: Process) -> Result<u32, Error> {
    // SAFETY: concerns no memory.
    let (result, code) = unsafe { call::call(syscall::AWAIT, [process as u32, 0, 0, 0, 0]) };
    call::result(result).map(|_| code)
}

/// How waiting for a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The process has ended with this exit code.
    Ended(u32),
    /// It has not, but a key was pressed at the console: [`INTERRUPT`] or [`PAUSE`].
    Key(u8),
}

/// As [`await_end`], but a key at the console ends the waiting too. If threads on several processors
/// wait so, the processor that began last has the key.
pub fn await_end_or_key(process: Process) -> Result<Awaited, Error> {
    // SAFETY: concerns no memory.
    let (result, second) = unsafe { call::call(syscall::AWAIT, [process as u32, syscall::KEYS, 0, 0, 0]) };
    call::result(result).map(|result| match result {
        syscall::PRESSED => Awaited::Key(second as u8),
        _ => Awaited::Ended(second),
    })
}

/// Ends a process and all its threads: this one, or one that it has invoked; an operator can end any
/// ([`Error::NoPermission`]). So it is with the calls below.
pub fn kill(process: Process) -> Result<(), Error> {
    call::result(call::value(syscall::KILL, process as u32)).map(drop)
}

/// Stops the threads of a process from running, on all processors.
pub fn suspend(process: Process) -> Result<(), Error> {
    control(process, control::SUSPEND)
}
/// Lets the threads of a suspended process run.
pub fn resume(process: Process) -> Result<(), Error> {
    control(process, control::RESUME)
}
/// Makes a process one that somebody waits for at the console.
pub fn foreground(process: Process) -> Result<(), Error> {
    control(process, control::FOREGROUND)
}
/// Makes a process one that nobody waits for.
pub fn background(process: Process) -> Result<(), Error> {
    control(process, control::BACKGROUND)
}
/// Has a process sit down at the console: it has its home's seat until it ends, and what is typed
/// goes to that seat from now on ([`control::CONSOLE`]).
pub fn sit_down(process: Process) -> Result<(), Error> {
    control(process, control::CONSOLE)
}
/// Gives a process its home's seat, while the console stays where it is ([`control::SEAT`]).
pub fn give_seat(process: Process) -> Result<(), Error> {
    control(process, control::SEAT)
}
/// Leads a stream of a process to a file of its home processor, by the file's handle, or with 0 to
/// the console; `stream` is one of [`control::INPUT`], [`control::OUTPUT`], [`control::ERRORS`]. With
/// [`control::SEEK`] the process reads on from an offset.
pub fn lead(process: Process, stream: u32, value: u32) -> Result<(), Error> {
    control(process, stream | value << control::FILE_SHIFT)
}

/// This process's own streams, as [`status::STREAMS`] has them.
pub fn streams() -> [u32; status::STREAM_WORDS] {
    record(status::STREAMS, 0).unwrap_or_default()
}

fn control(process: Process, what: u32) -> Result<(), Error> {
    // SAFETY: concerns no memory.
    let result = unsafe { call::call3(syscall::CONTROL, process as u32, what, 0) };
    call::result(result).map(drop)
}

/// This process.
pub fn process() -> Process {
    call::value(syscall::IDENTITY, identity::PROCESS) as Process
}

/// One of this processor's processes.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    pub process: Process,
    pub background: bool,
    pub suspended: bool,
    /// It sits at the console.
    pub sits: bool,
    /// Its threads on this processor.
    pub threads: u32,
    /// Index of its file in [`crate::file::list`]; 255 while it is on its way.
    pub file: u32,
}

/// The processes that were invoked on this processor.
pub fn processes() -> impl Iterator<Item = Status> {
    let record = |first| record::<{ status::PROCESS_WORDS }>(status::PROCESSES, first);
    (0..).map_while(record).map(|[process, state, threads, file]| Status {
        process: process as Process,
        background: state & status::BACKGROUND != 0,
        suspended: state & status::SUSPENDED != 0,
        sits: state & status::SITS != 0,
        threads,
        file,
    })
}

/// The threads on this processor: number, state, channel or page, pc.
pub fn threads() -> impl Iterator<Item = [u32; status::THREAD_WORDS]> {
    (0..).map_while(|first| record(status::THREADS, first))
}

/// This kernel's counters, by index of [`counter`].
pub fn counters() -> [u32; status::COUNTER_WORDS] {
    record(status::COUNTERS, 0).unwrap_or_default()
}

/// Record `first` of what the kernel tells of `what`.
pub(crate) fn record<const WORDS: usize>(what: u32, first: u32) -> Option<[u32; WORDS]> {
    let mut words = [0; WORDS];
    // SAFETY: the kernel writes one record.
    let result = unsafe { call::call5(syscall::STATUS, [what, first, words.as_mut_ptr() as u32, 1, 0]) };
    (call::result(result) == Ok(1)).then_some(words)
}

/// Reads another process's memory, as far as it is on this processor; at most 4 KiB. For programs
/// whose file is trusted.
pub fn peek(process: Process, address: u32, buffer: &mut [u8]) -> Result<usize, Error> {
    let arguments = [process as u32, address, buffer.as_mut_ptr() as u32, buffer.len() as u32, 0];
    // SAFETY: the kernel writes to the buffer only.
    call::result(unsafe { call::call5(syscall::PEEK, arguments) }).map(|bytes| bytes as usize)
}
