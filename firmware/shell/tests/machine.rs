//! A machine in memory, on which the shell and its utilities run as on the real one.

use std::collections::BTreeMap;

use testbed_definitions::file::{is_name, EXECUTE, READ, WRITE};
use testbed_definitions::limits::{FILES, FILE_BYTES};
use testbed_definitions::syscall::{open, Error};
use testbed_shell::interpreter::Shell;
use testbed_shell::system::{
    Awaited, Control, Entry, File, Machine, Process, Processor, Standing, Start, Status, Streams, System, Thread,
};
use testbed_shell::tools;

const NAMES: [&str; 3] = ["master", "earth", "fire"];
const HOME: Processor = 1;
/// The id of another processor's shell, less that processor.
const SHELL_THERE: Process = 0x8800;

#[derive(Clone, Default)]
struct Stored {
    name: Vec<u8>,
    bytes: Vec<u8>,
    permissions: u32,
}

/// Three processors with their filestores, a console, and what is typed.
#[derive(Default)]
pub struct Memory {
    files: [BTreeMap<u32, Stored>; 3],
    made: u32,
    streams: Streams,
    pub printed: Vec<u8>,
    pub complained: Vec<u8>,
    pub typed: Vec<u8>,
    codes: BTreeMap<Process, u32>,
    /// Keys that are pressed while the shell waits for programs, the last one first.
    pub keys: Vec<Awaited>,
    /// Processes that are stopped: who waits for one of them waits for ever.
    pub stopped: Vec<Process>,
    processes: Process,
    /// Commands that may still run; `None` is any number.
    pub left: Option<u32>,
    /// Bytes that all files of a processor can have.
    pub room: Option<usize>,
    /// Bytes that the console shows; behind them it fails, as if somebody had ended what prints.
    pub patience: Option<usize>,
    clock: u64,
    /// Other processors at which shells sit, the processor at which the console is, and one that has
    /// no room for a shell.
    pub shells: Vec<Processor>,
    pub console: Option<Processor>,
    pub mute: Option<Processor>,
}

impl Memory {
    /// Leaves a file on the first slave.
    pub fn leave(&mut self, name: &str, bytes: &[u8], permissions: u32) {
        self.made += 1;
        let stored = Stored { name: name.as_bytes().to_vec(), bytes: bytes.to_vec(), permissions };
        self.files[HOME as usize].insert(self.made, stored);
    }

    /// What a file has.
    pub fn file(&self, at: Processor, name: &str) -> Option<Vec<u8>> {
        let found = self.files[at as usize].values().find(|file| file.name == name.as_bytes());
        found.map(|file| file.bytes.clone())
    }

    /// What may be done with a file.
    pub fn permissions(&self, at: Processor, name: &str) -> u32 {
        self.files[at as usize].values().find(|file| file.name == name.as_bytes()).unwrap().permissions
    }

    /// The names of a processor's files.
    pub fn names(&self, at: Processor) -> Vec<String> {
        let mut names: Vec<String> =
            self.files[at as usize].values().map(|file| String::from_utf8_lossy(&file.name).into_owned()).collect();
        names.sort();
        names
    }

    /// Runs a text as a script. The result is the status.
    pub fn run(&mut self, text: &[u8], arguments: &[&str]) -> u32 {
        let arguments = arguments.iter().map(|word| word.as_bytes().to_vec()).collect();
        let mut shell = Shell::new(self, b"sh", arguments);
        shell.run_text(text, b"sh", None);
        let status = shell.status();
        self.streams = Streams::default();
        status
    }

    /// Runs a utility by itself.
    pub fn utility(&mut self, words: &[&str]) -> u32 {
        let tool = tools::find(words[0].as_bytes()).unwrap();
        let words: Vec<Vec<u8>> = words[1..].iter().map(|word| word.as_bytes().to_vec()).collect();
        tools::run(self, tool, &words)
    }

    fn stored(&mut self, file: File) -> Result<&mut Stored, Error> {
        self.files[file.processor as usize].get_mut(&file.handle).ok_or(Error::NoFile)
    }

    fn append(&mut self, file: File, bytes: &[u8]) -> Result<(), Error> {
        let at = self.stored(file)?.bytes.len() as u32;
        self.write_at(file, at, bytes)
    }

    fn take_line(from: &[u8], most: usize) -> usize {
        let line = from.iter().position(|&byte| byte == b'\n').map_or(from.len(), |at| at + 1);
        line.min(most)
    }
}

impl System for Memory {
    fn home(&self) -> Processor {
        HOME
    }
    fn processors(&self) -> Processor {
        NAMES.len() as Processor
    }
    fn processor_names(&self) -> Vec<Vec<u8>> {
        NAMES.iter().map(|name| name.as_bytes().to_vec()).collect()
    }
    fn processor_named(&self, name: &[u8]) -> Option<Processor> {
        let number = std::str::from_utf8(name).ok()?.parse().ok().filter(|&number| number < NAMES.len());
        number.or_else(|| NAMES.iter().position(|known| known.as_bytes() == name)).map(|at| at as Processor)
    }

    fn open(&mut self, at: Processor, name: &[u8], how: u32) -> Result<File, Error> {
        if !is_name(name) {
            return Err(Error::BadName);
        }
        let files = &mut self.files[at as usize];
        let found = files.iter().find(|(_, file)| file.name == name).map(|(handle, _)| *handle);
        let handle = match found {
            Some(handle) => handle,
            None if how & open::CREATE == 0 => return Err(Error::NoFile),
            None if files.len() == FILES => return Err(Error::TooManyFiles),
            None => {
                self.made += 1;
                files.insert(self.made, Stored { name: name.to_vec(), permissions: READ | WRITE, bytes: Vec::new() });
                self.made
            }
        };
        let file = files.get_mut(&handle).unwrap();
        let writes = how & (open::WRITE | open::TRUNCATE) != 0;
        if how & open::READ != 0 && file.permissions & READ == 0 || writes && file.permissions & WRITE == 0 {
            return Err(Error::NoPermission);
        }
        if how & open::TRUNCATE != 0 {
            file.bytes.clear();
        }
        Ok(File { processor: at, handle, bytes: file.bytes.len() as u32 })
    }
    fn read_at(&mut self, file: File, offset: u32, buffer: &mut [u8]) -> Result<usize, Error> {
        let bytes = &self.stored(file)?.bytes;
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
    fn write_at(&mut self, file: File, offset: u32, bytes: &[u8]) -> Result<(), Error> {
        let end = offset as usize + bytes.len();
        if end > FILE_BYTES {
            return Err(Error::FileTooLarge);
        }
        let all: usize = self.files[file.processor as usize].values().map(|file| file.bytes.len()).sum();
        let room = self.room;
        let stored = self.stored(file)?;
        if room.is_some_and(|room| all + end.saturating_sub(stored.bytes.len()) > room) {
            return Err(Error::NoMemory);
        }
        if stored.bytes.len() < end {
            stored.bytes.resize(end, 0);
        }
        stored.bytes[offset as usize..end].copy_from_slice(bytes);
        Ok(())
    }
    fn unlink(&mut self, at: Processor, name: &[u8]) -> Result<(), Error> {
        let handle = self.open(at, name, 0)?.handle;
        if self.files[at as usize][&handle].permissions & WRITE == 0 {
            return Err(Error::NoPermission);
        }
        self.files[at as usize].remove(&handle);
        Ok(())
    }
    fn rename(&mut self, at: Processor, old: &[u8], new: &[u8]) -> Result<(), Error> {
        let handle = self.open(at, old, 0)?.handle;
        if !is_name(new) {
            return Err(Error::BadName);
        }
        if self.open(at, new, 0).is_ok_and(|other| other.handle != handle) {
            return Err(Error::FileExists);
        }
        self.files[at as usize].get_mut(&handle).unwrap().name = new.to_vec();
        Ok(())
    }
    fn chmod(&mut self, at: Processor, name: &[u8], permissions: u32) -> Result<(), Error> {
        let handle = self.open(at, name, 0)?.handle;
        self.files[at as usize].get_mut(&handle).unwrap().permissions = permissions;
        Ok(())
    }
    fn list(&mut self, at: Processor) -> Result<Vec<Entry>, Error> {
        let entry = |(index, file): (&u32, &Stored)| Entry {
            name: file.name.clone(),
            bytes: file.bytes.len() as u32,
            permissions: file.permissions,
            index: *index,
        };
        Ok(self.files[at as usize].iter().map(entry).collect())
    }

    fn input(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let Some((file, offset)) = self.streams.input else { return self.typed(buffer) };
        let bytes = self.stored(file)?.bytes.clone();
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let count = Self::take_line(rest, buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.streams.input = Some((file, offset + count as u32));
        Ok(count)
    }
    fn typed(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let count = Self::take_line(&self.typed, buffer.len());
        buffer[..count].copy_from_slice(&self.typed[..count]);
        self.typed.drain(..count);
        Ok(count)
    }
    fn shows(&mut self) -> bool {
        self.streams.output.is_none()
    }
    fn output(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match self.streams.output {
            Some(file) => self.append(file, bytes),
            None if self.patience.is_some_and(|most| self.printed.len() > most) => Err(Error::NoProcess),
            None => {
                self.printed.extend_from_slice(bytes);
                Ok(())
            }
        }
    }
    fn complain(&mut self, bytes: &[u8]) {
        match self.streams.errors {
            Some(file) => drop(self.append(file, bytes)),
            None => self.complained.extend_from_slice(bytes),
        }
    }
    fn microseconds(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
    fn delay(&mut self, microseconds: u32) {
        self.clock += u64::from(microseconds);
    }
    fn peek(&mut self, _: Process, _: u32, _: &mut [u8]) -> Result<usize, Error> {
        Err(Error::NoPermission)
    }
}

impl Machine for Memory {
    fn start(&mut self, program: &[u8], arguments: &[Vec<u8>], how: &Start) -> Result<Process, Error> {
        let bytes: usize = arguments.iter().map(|argument| argument.len() + 1).sum();
        if bytes > 256 {
            return Err(Error::BadLength);
        }
        if self.processes > 4000 {
            self.processes = 0;
        }
        let mut arguments = arguments.to_vec();
        if program == b"utilities" && arguments[0][0] == b'@' {
            let list = self.open(HOME, &arguments[0][1..], open::READ)?;
            let text = self.stored(list)?.bytes.clone();
            arguments = text.strip_suffix(&[0]).unwrap().split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
        }
        let before = std::mem::replace(&mut self.streams, how.streams);
        let code = match program {
            b"utilities" => tools::find(&arguments[0]).map(|tool| tools::run(self, tool, &arguments[1..])),
            b"sh" => arguments.split_first().map(|(name, rest)| {
                let mut shell = Shell::new(self, name, rest.to_vec());
                match shell.script(name) {
                    Ok(text) => {
                        shell.run_text(&text, name, None);
                        shell.status()
                    }
                    Err(_) => 127,
                }
            }),
            // It counts what it reads.
            b"counter" => {
                let (mut buffer, mut count) = ([0; 100], 0);
                while let Ok(more @ 1..) = self.input(&mut buffer) {
                    count += more;
                }
                self.output(format!("{count} bytes\n").as_bytes())?;
                Some(0xffff_fffe)
            }
            _ => None,
        };
        self.streams = before;
        let code = code.ok_or(match self.open(how.processor, program, 0) {
            Ok(file) if self.files[how.processor as usize][&file.handle].permissions & EXECUTE == 0 => {
                Error::NoPermission
            }
            Ok(_) => Error::BadProgram,
            Err(error) => error,
        })?;
        self.processes += 1;
        let process = 0x0110 + self.processes;
        self.codes.insert(process, code);
        Ok(process)
    }
    fn await_end(&mut self, process: Process) -> Result<u32, Error> {
        assert!(!self.stopped.contains(&process), "the shell waits for {process:#x}, which is stopped");
        self.codes.remove(&process).ok_or(Error::NoProcess)
    }
    fn standing(&mut self, process: Process) -> Result<Standing, Error> {
        Ok(match (self.stopped.contains(&process), self.codes.contains_key(&process)) {
            (true, _) => Standing::Stopped,
            (false, true) => Standing::Runs,
            (false, false) => Standing::Ended,
        })
    }
    fn attend(&mut self, process: Process) -> Result<Awaited, Error> {
        match self.keys.pop() {
            Some(key) => Ok(key),
            None => self.await_end(process).map(Awaited::Ended),
        }
    }
    fn control(&mut self, process: Process, what: Control) -> Result<(), Error> {
        if what == Control::Console {
            self.console = Some(if process == self.shell_id() { HOME } else { (process - SHELL_THERE) as Processor });
            return Ok(());
        }
        if !self.codes.contains_key(&process) {
            return Err(Error::NoProcess);
        }
        match what {
            Control::Suspend => self.stopped.push(process),
            Control::Resume | Control::Kill => self.stopped.retain(|&stopped| stopped != process),
            _ => {}
        }
        Ok(())
    }
    fn start_shell(&mut self, at: Processor) -> Result<Process, Error> {
        if self.mute == Some(at) {
            return Err(Error::NoMemory);
        }
        self.shells.push(at);
        Ok(SHELL_THERE + Process::from(at))
    }
    fn shell_at(&mut self, at: Processor) -> Result<Option<Process>, Error> {
        Ok(self.shells.contains(&at).then_some(SHELL_THERE + Process::from(at)))
    }
    fn processes(&mut self) -> Vec<Status> {
        Vec::new()
    }
    fn threads(&mut self) -> Vec<Thread> {
        Vec::new()
    }
    fn inherited(&mut self) -> Streams {
        self.streams
    }
    fn become_streams(&mut self, streams: &Streams) -> Result<(), Error> {
        self.streams = *streams;
        Ok(())
    }
    fn input_offset(&mut self) -> u32 {
        self.streams.input.map_or(0, |(_, offset)| offset)
    }
    fn own_command(&mut self, _: &[u8], _: &[Vec<u8>]) -> Option<u32> {
        None
    }
    fn own_commands(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    fn shell_id(&self) -> Process {
        0x8111
    }
    fn goes_on(&mut self) -> bool {
        match &mut self.left {
            None => true,
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }
}
