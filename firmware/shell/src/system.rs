//! What the shell and the utilities ask of the machine that they run on. The programs of the
//! filestore pass it on to the kernel; tests have a machine in memory.

use alloc::vec::Vec;

use testbed_definitions::syscall::Error;

/// A processor by its number.
pub type Processor = u8;

/// A process by its id.
pub type Process = u16;

/// A file that has been opened on one processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct File {
    /// The processor that has it.
    pub processor: Processor,
    /// What the kernel calls it there.
    pub handle: u32,
    /// Its size when it was opened.
    pub bytes: u32,
}

/// A file as a list of the filestore has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The file's name.
    pub name: Vec<u8>,
    /// Its size.
    pub bytes: u32,
    /// Who may do what with it (`definitions::file`).
    pub permissions: u32,
    /// Its number in the filestore.
    pub index: u32,
}

/// Files, streams and time, as a utility needs them.
pub trait System {
    /// The processor on which this process was started.
    fn home(&self) -> Processor;
    /// How many processors the machine has.
    fn processors(&self) -> Processor;
    /// The names of the processors, if they have any.
    fn processor_names(&self) -> Vec<Vec<u8>>;
    /// The processor that has this name or number.
    fn processor_named(&self, name: &[u8]) -> Option<Processor>;

    /// Opens a file; `how` is made of `definitions::syscall::open`.
    fn open(&mut self, at: Processor, name: &[u8], how: u32) -> Result<File, Error>;
    /// Reads from a place in a file until the buffer is full or the file ends.
    fn read_at(&mut self, file: File, offset: u32, buffer: &mut [u8]) -> Result<usize, Error>;
    /// Writes all of the bytes from a place in a file on.
    fn write_at(&mut self, file: File, offset: u32, bytes: &[u8]) -> Result<(), Error>;
    /// Removes a file.
    fn unlink(&mut self, at: Processor, name: &[u8]) -> Result<(), Error>;
    /// Gives a file another name on the same processor.
    fn rename(&mut self, at: Processor, old: &[u8], new: &[u8]) -> Result<(), Error>;
    /// Sets a file's permissions.
    fn chmod(&mut self, at: Processor, name: &[u8], permissions: u32) -> Result<(), Error>;
    /// The files of a processor, in the order of the filestore.
    fn list(&mut self, at: Processor) -> Result<Vec<Entry>, Error>;

    /// Reads standard input: the rest of a line, or as much as the buffer has room for; 0 bytes at
    /// its end.
    fn input(&mut self, buffer: &mut [u8]) -> Result<usize, Error>;
    /// Reads what is typed at the console, whatever standard input is.
    fn typed(&mut self, buffer: &mut [u8]) -> Result<usize, Error>;
    /// Whether standard output is the console.
    fn shows(&mut self) -> bool;
    /// Writes to standard output.
    fn output(&mut self, bytes: &[u8]) -> Result<(), Error>;
    /// Writes to standard error; there is nobody to tell if that fails.
    fn complain(&mut self, bytes: &[u8]);

    /// Microseconds since the machine was reset.
    fn microseconds(&mut self) -> u64;
    /// Waits for at least so many microseconds.
    fn delay(&mut self, microseconds: u32);
    /// Reads another process's memory, as far as it is on this processor.
    fn peek(&mut self, process: Process, address: u32, buffer: &mut [u8]) -> Result<usize, Error>;
}

/// Where a process reads and writes; `None` is the console.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Streams {
    /// The file that it reads, and from where on.
    pub input: Option<(File, u32)>,
    /// The file to whose end its output goes.
    pub output: Option<File>,
    /// The file to whose end its error messages go.
    pub errors: Option<File>,
}

/// How a program is to be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// The processor that becomes its home.
    pub processor: Processor,
    /// Nobody waits for it.
    pub background: bool,
    /// It may control all processes and the monitors.
    pub operator: bool,
    /// Its streams, whose files are on that processor.
    pub streams: Streams,
}

/// A process as `ps` shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Status {
    /// Its id.
    pub process: Process,
    /// Its place on its home processor.
    pub place: u8,
    /// Nobody waits for it.
    pub background: bool,
    /// Its threads don't run.
    pub suspended: bool,
    /// How many threads it has on this processor.
    pub threads: u32,
    /// The name of its file.
    pub name: Vec<u8>,
}

/// A thread as `ps -t` shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread {
    /// The process's place and home, as in a thread's number, and the thread's id.
    pub number: u32,
    /// What it does.
    pub state: &'static str,
    /// The channel or page that it waits for.
    pub waits_for: u32,
    /// Where its next instruction is.
    pub pc: u32,
}

/// What is done to a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// It ends.
    Kill,
    /// Its threads run no more.
    Suspend,
    /// They run again.
    Resume,
    /// Somebody waits for it.
    Foreground,
    /// Nobody waits for it.
    Background,
    /// It sits down at the console, and what is typed goes there.
    Console,
}

/// What a process does, as far as who has started it needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It runs, or waits for something.
    Runs,
    /// It is stopped, and does not end before it goes on.
    Stopped,
    /// It is over.
    Ended,
}

/// How waiting for a process in the foreground has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// The process has ended with this exit code.
    Ended(u32),
    /// It has not, but Ctrl-C was pressed.
    Interrupted,
    /// It has not, but Ctrl-Z was pressed.
    Paused,
}

/// What the shell needs besides.
pub trait Machine: System {
    /// Starts a program of the filestore, with these arguments.
    fn start(&mut self, program: &[u8], arguments: &[Vec<u8>], how: &Start) -> Result<Process, Error>;
    /// Waits until a process has ended. The result is its exit code.
    fn await_end(&mut self, process: Process) -> Result<u32, Error>;
    /// What a process of any processor does.
    fn standing(&mut self, process: Process) -> Result<Standing, Error>;
    /// As [`Machine::await_end`], but a key at the console ends the waiting too.
    fn attend(&mut self, process: Process) -> Result<Awaited, Error>;
    /// Controls a process.
    fn control(&mut self, process: Process, what: Control) -> Result<(), Error>;
    /// Starts another shell with a seat at the console, on a processor that has none; with this one's
    /// rights. The console stays where it is.
    fn start_shell(&mut self, at: Processor) -> Result<Process, Error>;
    /// The shell that sits at the console of a processor, if there is one.
    fn shell_at(&mut self, at: Processor) -> Result<Option<Process>, Error>;
    /// The processes of this processor.
    fn processes(&mut self) -> Vec<Status>;
    /// The threads on this processor.
    fn threads(&mut self) -> Vec<Thread>;
    /// The streams with which the shell itself was started.
    fn inherited(&mut self) -> Streams;
    /// Has the shell's own reading and writing go to these streams, whose files are on its
    /// processor.
    fn become_streams(&mut self, streams: &Streams) -> Result<(), Error>;
    /// How far the shell's own reading has come in the file that it reads.
    fn input_offset(&mut self) -> u32;
    /// A command of this machine only, such as `dgl`: its exit code. `None` if there is no such
    /// command.
    fn own_command(&mut self, name: &[u8], arguments: &[Vec<u8>]) -> Option<u32>;
    /// What such commands are called, with their arguments.
    fn own_commands(&self) -> &'static [(&'static str, &'static str)];
    /// A number that no other shell of the machine has at the same time: its process.
    fn shell_id(&self) -> Process;
    /// Whether to go on: asked before every command.
    fn goes_on(&mut self) -> bool;
}
