//! A shell: `sh SCRIPT`, `sh FILE`, or `sh` alone for commands from the console until its input
//! ends. Commands are separated by semicolons or lines; `&` behind one lets it run in the
//! background. Behind `run` and `on`, `operator` gives the program the right to control all
//! processes and the monitors, which the shell must have. A command that isn't one of [`COMMANDS`]
//! is a program's name with its arguments. Processes are named by their place on this processor (1
//! to 15, or 0), or by their whole id, as `ps` shows them; processors by the name that the
//! machine's description gives them, or by number.
#![no_std]
#![no_main]

use core::cell::Cell;
use libtos::console::{self, write, Line};
use libtos::file::{self, flags, list, File};
use libtos::process::{self, await_end, How, Process};
use libtos::{println, Arguments, Error};
use programs::{monitor, names};
use testbed_definitions::process::{home, place};

libtos::program!(main);

const SCRIPT_BYTES: usize = 4096;
const CHUNK: usize = 1024;
const LINE_BYTES: usize = 256;
const JOBS: usize = 64;

type Outcome = Result<(), Fault>;
type Words<'a> = core::str::SplitAsciiWhitespace<'a>;
type Act = fn(&Shell, Words) -> Outcome;

/// Why a command was not done.
enum Fault {
    /// It was called as it can't be.
    Usage,
    /// It has said why.
    Told,
    Error(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Error(error)
    }
}

/// Name, arguments, and what it does.
const COMMANDS: &[(&str, &str, Act)] = &[
    ("ps", "", |_, words| without(words, ps)),
    ("ls", "", |_, words| without(words, ls)),
    ("cat", "FILE...", cat),
    ("cp", "FILE NEW", cp),
    ("mv", "FILE NEW", |_, words| with_two(words, |old, new| Ok(file::rename(old, new)?))),
    ("rm", "FILE...", |_, words| each(words, |name| Ok(file::unlink(name)?))),
    ("chmod", "[r][w][x]|- FILE", chmod),
    ("echo", "WORD...", echo),
    ("kill", "PROCESS...", |shell, words| shell.each_process(words, |process| Ok(process::kill(process)?))),
    ("stop", "PROCESS...", |shell, words| shell.each_process(words, |process| Ok(process::suspend(process)?))),
    ("bg", "PROCESS...", |shell, words| shell.each_process(words, background)),
    ("fg", "PROCESS", |shell, words| with_one(words, |word| shell.foreground(shell.process(word)?))),
    ("wait", "[PROCESS...]", wait),
    ("run", "[operator] PROGRAM [ARGUMENT...]", |shell, words| shell.run(None, words, false)),
    ("on", "PROCESSOR [operator] PROGRAM [ARGUMENT...]", |shell, words| on(shell, words, false)),
    ("dgl", "[CLASSES]", |_, words| with_one_or_none(words, |word| told(monitor::dgl(word)))),
    ("filter", "[show | off | ACTION CODE[/MASK][,...]]", filter),
    ("totals", "[TICKS]", |_, words| with_one_or_none(words, |word| told(monitor::totals(word)))),
    ("sample", "[MICROSECONDS]", |_, words| with_one_or_none(words, |word| told(monitor::sample(word)))),
    ("help", "", |_, words| without(words, help)),
];

struct Shell {
    /// The processes that were started and not yet awaited.
    jobs: [Cell<Process>; JOBS],
}

fn main(arguments: Arguments) -> u32 {
    let shell = Shell { jobs: [const { Cell::new(0) }; JOBS] };
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
        let name = command.split_ascii_whitespace().next().unwrap_or("");
        let result = self.execute(command);
        match result {
            Ok(()) | Err(Fault::Told) => {}
            Err(Fault::Usage) => {
                let arguments = COMMANDS.iter().find(|known| known.0 == name).map_or("", |known| known.1);
                let blank = if arguments.is_empty() { "" } else { " " };
                println!("usage: {name}{blank}{arguments}");
            }
            Err(Fault::Error(ref error)) => println!("{name}: {}", error.meaning()),
        }
        result.is_err()
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
        let mut how = How { processor, background, ..How::default() };
        if words.clone().next() == Some("operator") {
            words.next();
            how.operator = true;
        }
        let name = words.next().ok_or(Fault::Usage)?;
        let (mut arguments, mut length) = ([0; 256], 0);
        for word in words {
            let place = arguments.get_mut(length..length + word.len() + 1).ok_or(Error::BadLength)?;
            place[..word.len()].copy_from_slice(word.as_bytes());
            length += word.len() + 1;
        }
        let job = self.jobs.iter().find(|job| job.get() == 0).ok_or(Error::TooManyProcesses)?;
        let process = process::invoke(name, &arguments[..length], how)?;
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

    fn each_process(&self, words: Words, act: impl Fn(Process) -> Outcome) -> Outcome {
        each(words, |word| act(self.process(word)?))
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

fn ps() -> Outcome {
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

fn ls() -> Outcome {
    for entry in list() {
        let bit = |permission, letter| if entry.permissions & permission != 0 { letter } else { '-' };
        let [r, w, x, t] = [(file::READ, 'r'), (file::WRITE, 'w'), (file::EXECUTE, 'x'), (file::TRUSTED, 't')]
            .map(|(permission, letter)| bit(permission, letter));
        println!("{r}{w}{x}{t} {:6} {}", entry.bytes, entry.name());
    }
    Ok(())
}

/// Whether the monitors were told; they have said why not.
fn told(done: Result<bool, Error>) -> Outcome {
    done?.then_some(()).ok_or(Fault::Told)
}

// The following check how many words there are before anything is done.
fn without(mut words: Words, act: impl Fn() -> Outcome) -> Outcome {
    words.next().map_or_else(act, |_| Err(Fault::Usage))
}
fn each(mut words: Words, act: impl Fn(&str) -> Outcome) -> Outcome {
    words.clone().next().ok_or(Fault::Usage)?;
    words.try_for_each(act)
}
fn with_one_or_none(mut words: Words, act: impl Fn(Option<&str>) -> Outcome) -> Outcome {
    let word = words.next();
    without(words, || act(word))
}
fn with_one(words: Words, act: impl Fn(&str) -> Outcome) -> Outcome {
    with_one_or_none(words, |word| act(word.ok_or(Fault::Usage)?))
}
fn with_two(mut words: Words, act: impl Fn(&str, &str) -> Outcome) -> Outcome {
    let (one, other) = (words.next().ok_or(Fault::Usage)?, words.next().ok_or(Fault::Usage)?);
    without(words, || act(one, other))
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
        read_all(old, |offset, bytes| Ok(copy.write(offset, bytes)?))?;
        Ok(file::chmod(new, entry.permissions & !file::TRUSTED)?)
    })
}

fn chmod(_: &Shell, words: Words) -> Outcome {
    with_two(words, |letters, name| Ok(file::chmod(name, permissions(letters).ok_or(Fault::Usage)?)?))
}

/// Permissions as `ls` shows them: each letter at most once, with `-` anywhere, and alone for none.
fn permissions(letters: &str) -> Option<u32> {
    letters.bytes().try_fold(0, |all, letter| {
        let permission = match letter {
            b'r' => file::READ,
            b'w' => file::WRITE,
            b'x' => file::EXECUTE,
            b'-' => return Some(all),
            _ => return None,
        };
        (all & permission == 0).then_some(all | permission)
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
fn filter(_: &Shell, words: Words) -> Outcome {
    let (mut text, mut used) = ([0; LINE_BYTES], 0);
    for word in words {
        let place = text.get_mut(used..used + word.len() + 1).ok_or(Error::BadLength)?;
        place[..word.len()].copy_from_slice(word.as_bytes());
        place[word.len()] = b' ';
        used += word.len() + 1;
    }
    told(monitor::filter(core::str::from_utf8(&text[..used]).unwrap_or_default()))
}

fn background(process: Process) -> Outcome {
    process::background(process)?;
    Ok(process::resume(process)?)
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
    let processor = words.next().ok_or(Fault::Usage)?;
    shell.run(Some(processor_called(processor)?), words, background)
}

/// The processor of a name or number.
fn processor_called(word: &str) -> Result<u8, Fault> {
    let number = word.parse().ok().filter(|&number| number < libtos::processors());
    number.or_else(|| names::processor_named(word)).ok_or_else(|| {
        let mut line = Line::new();
        line.text("there is no processor `").text(word).text("`, but 0 to ");
        line.number(u32::from(libtos::processors()) - 1);
        let mut separator = ", which are ";
        for name in names::processor_names() {
            line.text(separator).text(name);
            separator = ", ";
        }
        line.end();
        Fault::Told
    })
}

fn help() -> Outcome {
    COMMANDS.iter().for_each(|(name, arguments, _)| println!("{name} {arguments}"));
    Ok(())
}
