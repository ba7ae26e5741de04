//! A shell: `sh SCRIPT`, `sh FILE`, or `sh` alone for commands from the console until its input ends. Commands are separated by semicolons or lines; `&` behind one lets it run in the background.
//! A command that isn't one of [`COMMANDS`] is a program's name with its arguments. Processes are named by their place on this processor
//! (1 to 15, or 0), or by their whole id, as `ps` shows them.
#![no_std]
#![no_main]

use core::cell::Cell;
use libtos::console::{self, write};
use libtos::file::{self, flags, list, File};
use libtos::process::{self, await_end, How, Process};
use libtos::{println, Arguments, Error};
use programs::monitor;
use testbed_definitions::process::{home, place};

libtos::program!(main);

const SCRIPT_BYTES: usize = 4096;
const CHUNK: usize = 1024;
const LINE_BYTES: usize = 256;
const JOBS: usize = 64;

type Outcome = Result<(), Error>;
type Words<'a> = core::str::SplitAsciiWhitespace<'a>;
type Act = fn(&Shell, Words) -> Outcome;

/// Name, arguments, and what it does.
const COMMANDS: &[(&str, &str, Act)] = &[
    ("ps", "", ps),
    ("ls", "", ls),
    ("cat", "FILE...", cat),
    ("cp", "FILE NEW", cp),
    ("mv", "FILE NEW", |_, words| with_two(words, file::rename)),
    ("rm", "FILE...", |_, words| each(words, file::unlink)),
    ("chmod", "rwx FILE", chmod),
    ("echo", "WORD...", echo),
    ("kill", "PROCESS...", |shell, words| shell.each_process(words, process::kill)),
    ("stop", "PROCESS...", |shell, words| shell.each_process(words, process::suspend)),
    ("bg", "PROCESS...", |shell, words| shell.each_process(words, background)),
    ("fg", "PROCESS", |shell, words| shell.each_process(words, |process| shell.foreground(process))),
    ("wait", "[PROCESS...]", wait),
    ("run", "PROGRAM [ARGUMENT...]", |shell, words| shell.run(None, words, false)),
    ("on", "PROCESSOR PROGRAM [ARGUMENT...]", |shell, words| on(shell, words, false)),
    ("dgl", "[CLASSES]", |shell, mut words| shell.tell(monitor::dgl(words.next()))),
    ("filter", "[show | off | ACTION CODE[/MASK][,...]]", filter),
    ("totals", "[TICKS]", |shell, mut words| shell.tell(monitor::totals(words.next()))),
    ("help", "", help),
];

struct Shell {
    /// The processes that were started and not yet awaited.
    jobs: [Cell<Process>; JOBS],
    /// The command was refused, and has said why.
    refused: Cell<bool>,
}

fn main(arguments: Arguments) -> u32 {
    let shell = Shell { jobs: [const { Cell::new(0) }; JOBS], refused: Cell::new(false) };
    if arguments.iter().next().is_none() {
        return converse(&shell);
    }
    let mut script = [0; SCRIPT_BYTES];
    let Some(length) = read_script(arguments, &mut script) else {
        println!("sh: the script is longer than {SCRIPT_BYTES} bytes, or cannot be read");
        return 2;
    };
    let script = core::str::from_utf8(&script[..length]).unwrap_or("");
    commands(script)
        .map(|command| {
            println!("$ {command}");
            shell.attempt(command) as u32
        })
        .sum()
}

fn commands(text: &str) -> impl Iterator<Item = &str> {
    text.split([';', '\n']).map(str::trim).filter(|command| !command.is_empty())
}

/// Runs what is typed at the console. The shell repeats it, so that what has been printed says what was done.
fn converse(shell: &Shell) -> u32 {
    let mut line = [0; LINE_BYTES];
    loop {
        write(b"$ ");
        match console::read_line(&mut line).map(|line| line.map(core::str::from_utf8)) {
            Ok(Some(Ok(text))) => {
                println!("{text}");
                commands(text).for_each(|command| {
                    shell.attempt(command);
                });
            }
            Ok(Some(Err(_))) => println!("sh: this is no text"),
            Ok(None) => break,
            Err(Error::BadLength) => println!("sh: a line has at most {LINE_BYTES} bytes"),
            Err(error) => {
                println!("sh: {}", error.meaning());
                return 2;
            }
        }
    }
    println!("end of input");
    0
}

/// The file that the only argument names, or else the arguments themselves.
fn read_script(arguments: Arguments, script: &mut [u8]) -> Option<usize> {
    let first = arguments.iter().next().unwrap_or("help");
    if arguments.iter().count() == 1 {
        if let Ok(file) = File::open(first, flags::READ) {
            return (file.bytes as usize <= script.len()).then(|| file.read(0, script).ok())?;
        }
    }
    let mut length = 0;
    for word in arguments.iter() {
        script.get_mut(length..length + word.len())?.copy_from_slice(word.as_bytes());
        *script.get_mut(length + word.len())? = b' ';
        length += word.len() + 1;
    }
    Some(length)
}

impl Shell {
    /// Does a command and says what went wrong; `true` if anything did.
    fn attempt(&self, command: &str) -> bool {
        self.refused.set(false);
        let result = self.execute(command);
        if let Err(error) = result {
            println!("{}: {}", command.split_ascii_whitespace().next().unwrap_or(""), error.meaning());
        }
        result.is_err() || self.refused.get()
    }

    /// Notes whether the monitors were told.
    fn tell(&self, done: Result<bool, Error>) -> Outcome {
        self.refused.set(!done?);
        Ok(())
    }

    fn execute(&self, command: &str) -> Outcome {
        let (command, in_background) = match command.strip_suffix('&') {
            Some(command) => (command, true),
            None => (command, false),
        };
        let mut words = command.split_ascii_whitespace();
        let Some(name) = words.clone().next() else { return Ok(()) };
        match COMMANDS.iter().find(|known| known.0 == name) {
            Some((name @ ("run" | "on"), ..)) if in_background => {
                words.next();
                if *name == "on" {
                    on(self, words, true)
                } else {
                    self.run(None, words, true)
                }
            }
            Some((.., act)) => {
                words.next();
                act(self, words)
            }
            None => self.run(None, words, in_background),
        }
    }

    /// Invokes a program, and awaits it unless it is to run in the background.
    fn run(&self, processor: Option<u8>, mut words: Words, background: bool) -> Outcome {
        let name = words.next().ok_or(Error::NoFile)?;
        let (mut arguments, mut length) = ([0; 256], 0);
        for word in words {
            let place = arguments.get_mut(length..length + word.len() + 1).ok_or(Error::BadLength)?;
            place[..word.len()].copy_from_slice(word.as_bytes());
            length += word.len() + 1;
        }
        let job = self.jobs.iter().find(|job| job.get() == 0).ok_or(Error::TooManyProcesses)?;
        let process = process::invoke(name, &arguments[..length], How { processor, background, suspended: false })?;
        job.set(process);
        if background {
            println!("{process:#06x}");
            return Ok(());
        }
        self.wait_for(process)
    }

    fn wait_for(&self, process: Process) -> Outcome {
        let code = await_end(process);
        self.jobs.iter().filter(|job| job.get() == process).for_each(|job| job.set(0));
        if code? != 0 {
            println!("{process:#06x}: exit code {:#x}", code?);
        }
        Ok(())
    }

    fn foreground(&self, process: Process) -> Outcome {
        process::foreground(process)?;
        process::resume(process)?;
        self.wait_for(process)
    }

    fn each_process(&self, mut words: Words, act: impl Fn(Process) -> Outcome) -> Outcome {
        words.try_for_each(|word| act(self.process(word)?))
    }

    /// The process that a word names.
    fn process(&self, word: &str) -> Result<Process, Error> {
        let number = match word.strip_prefix("0x") {
            Some(digits) => u16::from_str_radix(digits, 16),
            None => word.parse(),
        };
        let number = number.map_err(|_| Error::NoProcess)?;
        if number > 0xf {
            return Ok(number);
        }
        let here = process::processes().map(|status| status.process);
        let own = self.jobs.iter().map(Cell::get).filter(|&job| job != 0 && home(job) == libtos::processor());
        here.chain(own).find(|&id| place(id) == number as u8).ok_or(Error::NoProcess)
    }
}

fn ps(_: &Shell, _: Words) -> Outcome {
    for status in process::processes() {
        let state = if status.background { "background" } else { "foreground" };
        let suspended = if status.suspended { ", suspended" } else { "" };
        let entry = list().find(|entry| entry.index == status.file);
        let name = entry.as_ref().map_or("", |entry| entry.name());
        let (process, threads) = (status.process, status.threads);
        println!("{:2} {process:#06x} {threads:2} threads  {name} ({state}{suspended})", place(process));
    }
    Ok(())
}

fn ls(_: &Shell, _: Words) -> Outcome {
    for entry in list() {
        let bit = |permission, letter| if entry.permissions & permission != 0 { letter } else { '-' };
        let [r, w, x, t] = [(file::READ, 'r'), (file::WRITE, 'w'), (file::EXECUTE, 'x'), (file::TRUSTED, 't')]
            .map(|(permission, letter)| bit(permission, letter));
        println!("{r}{w}{x}{t} {:6} {}", entry.bytes, entry.name());
    }
    Ok(())
}

fn each(mut words: Words, act: impl Fn(&str) -> Outcome) -> Outcome {
    words.try_for_each(act)
}
fn with_two(mut words: Words, act: impl Fn(&str, &str) -> Outcome) -> Outcome {
    act(words.next().ok_or(Error::BadName)?, words.next().ok_or(Error::BadName)?)
}

/// Calls `each` with the pieces of a file, and where each begins.
fn read_all(name: &str, each: impl Fn(u32, &[u8]) -> Outcome) -> Outcome {
    let (file, mut buffer) = (File::open(name, flags::READ)?, [0; CHUNK]);
    for offset in (0..file.bytes).step_by(CHUNK) {
        let bytes = file.read(offset, &mut buffer)?;
        each(offset, &buffer[..bytes])?;
    }
    Ok(())
}

fn cat(_: &Shell, words: Words) -> Outcome {
    each(words, |name| {
        read_all(name, |_, bytes| {
            write(bytes);
            Ok(())
        })
    })
}

fn cp(_: &Shell, words: Words) -> Outcome {
    with_two(words, |old, new| {
        let entry = list().find(|entry| entry.name() == old).ok_or(Error::NoFile)?;
        let copy = File::open(new, flags::WRITE | flags::CREATE | flags::TRUNCATE)?;
        read_all(old, |offset, bytes| copy.write(offset, bytes))?;
        file::chmod(new, entry.permissions & !file::TRUSTED)
    })
}

fn chmod(_: &Shell, words: Words) -> Outcome {
    with_two(words, |letters, name| {
        let permissions = letters.bytes().map(|letter| match letter {
            b'r' => file::READ,
            b'w' => file::WRITE,
            b'x' => file::EXECUTE,
            _ => 0,
        });
        file::chmod(name, permissions.fold(0, |all, one| all | one))
    })
}

fn echo(_: &Shell, words: Words) -> Outcome {
    words.for_each(|word| {
        write(word.as_bytes());
        write(b" ");
    });
    write(b"\n");
    Ok(())
}

/// The monitors' filters, in the words of the command line.
fn filter(shell: &Shell, words: Words) -> Outcome {
    let (mut text, mut used) = ([0; LINE_BYTES], 0);
    for word in words {
        let place = text.get_mut(used..used + word.len() + 1).ok_or(Error::BadLength)?;
        place[..word.len()].copy_from_slice(word.as_bytes());
        place[word.len()] = b' ';
        used += word.len() + 1;
    }
    shell.tell(monitor::filter(core::str::from_utf8(&text[..used]).unwrap_or_default()))
}

fn background(process: Process) -> Outcome {
    process::background(process)?;
    process::resume(process)
}

/// Awaits the processes named, or all.
fn wait(shell: &Shell, words: Words) -> Outcome {
    if words.clone().next().is_some() {
        return shell.each_process(words, |process| shell.wait_for(process));
    }
    let mut jobs = shell.jobs.iter().map(Cell::get).filter(|&job| job != 0);
    jobs.try_for_each(|job| shell.wait_for(job))
}

fn on(shell: &Shell, mut words: Words, background: bool) -> Outcome {
    let processor = words.next().and_then(|word| word.parse().ok()).ok_or(Error::BadProcessor)?;
    shell.run(Some(processor), words, background)
}

fn help(_: &Shell, _: Words) -> Outcome {
    COMMANDS.iter().for_each(|(name, arguments, _)| println!("{name} {arguments}"));
    Ok(())
}
