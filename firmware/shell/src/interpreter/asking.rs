//! Files to and from the host, and what its terminal is: the shell asks, and whoever types at its
//! console answers (`definitions::asking`).

use alloc::vec::Vec;

use testbed_definitions::asking::{self, ANSWER, BETWEEN, DATA, ENQUIRY, LINE_BYTES, REFUSAL};
use testbed_definitions::file::{is_name, EXECUTE, READ, WRITE};
use testbed_definitions::syscall::{open, Error};

use super::shell::{Shell, MISUSED};
use crate::number;
use crate::system::{File, Processor};

/// What is said where nobody answers.
const SILENT: &str = "nobody answers here, or what comes next was typed already; `testbed run` has --file and --get";
/// Bytes of a line of an answer, at most: a longer one is none.
const ANSWER_BYTES: usize = 1024;

/// The first line of an answer: a number, and what stands behind it.
struct Answer {
    number: u32,
    rest: Vec<u8>,
}

impl Answer {
    fn read(text: &[u8]) -> Option<Answer> {
        let end = text.iter().position(|&byte| byte == b' ').unwrap_or(text.len());
        let number = number::parse(&text[..end]).and_then(|number| u32::try_from(number).ok())?;
        Some(Answer { number, rest: text.get(end + 1..).unwrap_or_default().to_vec() })
    }
}

/// `put PATH [NAME]`: brings a file of the host here.
pub(super) fn put(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let (path, name) = match words {
        [path] => (path, path.rsplit(|&byte| byte == b'/').next().unwrap_or_default()),
        [path, name] => (path, &name[..]),
        _ => return MISUSED,
    };
    let (at, name) = shell.place_of(name);
    if !is_name(name) {
        return shell.fail(&[b"put", name], Error::BadName.meaning());
    }
    let Some(answer) = shell.ask(b"put", &[asking::PUT.as_bytes(), path]) else { return 1 };
    match shell.receive(answer.number, at, name) {
        Ok(()) => 0,
        Err(what) => shell.fail(&[b"put", name], what),
    }
}

/// `get NAME [PATH]`: has the host keep a file.
pub(super) fn get(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let (name, path) = match words {
        [name] => (name, None),
        [name, path] => (name, Some(&path[..])),
        _ => return MISUSED,
    };
    let (at, name) = shell.place_of(name);
    // Who may not read a file can't take it either.
    if let Err(error) = shell.machine.open(at, name, open::READ) {
        return shell.fail(&[b"get", name], error.meaning());
    }
    let mut processor = Vec::new();
    number::decimal(&mut processor, at.into());
    let mut request = alloc::vec![asking::GET.as_bytes(), &processor[..], name];
    request.extend(path);
    let Some(answer) = shell.ask(b"get", &request) else { return 1 };
    let mut text = name.to_vec();
    text.extend_from_slice(b": ");
    number::decimal(&mut text, answer.number.into());
    text.extend_from_slice(b" bytes to ");
    text.extend_from_slice(&answer.rest);
    text.push(b'\n');
    shell.print(&text)
}

/// `stty`: how the console is, and whether the shell repeats what is typed.
pub(super) fn stty(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    if words.is_empty() {
        return settings(shell, false);
    }
    for word in words {
        let status = match &word[..] {
            b"-a" => settings(shell, true),
            b"size" => size(shell),
            b"echo" | b"-echo" => {
                shell.repeats = word[0] != b'-';
                0
            }
            // What it is anyway.
            b"cooked" | b"icanon" | b"sane" => {
                shell.repeats |= word[..] == *b"sane";
                0
            }
            b"raw" | b"-icanon" | b"cbreak" => shell.fail(
                &[b"stty", word],
                "a console gives whole lines; the page's field has \"Each key at once\", and --input - takes keys from a pipe",
            ),
            _ => return MISUSED,
        };
        if status != 0 {
            return status;
        }
    }
    0
}

fn size(shell: &mut Shell) -> u32 {
    let Some(answer) = shell.ask(b"stty", &[asking::SIZE.as_bytes()]) else { return 1 };
    let mut text = Vec::new();
    number::decimal(&mut text, answer.number.into());
    text.push(b' ');
    text.extend_from_slice(&answer.rest);
    text.push(b'\n');
    shell.print(&text)
}

fn settings(shell: &mut Shell, all: bool) -> u32 {
    let mut text = if shell.repeats { b"cooked echo".to_vec() } else { b"cooked -echo".to_vec() };
    if all {
        text.extend_from_slice(b" intr = ^C; susp = ^Z; eof = ^D; swtch = ^] and a processor's number");
    }
    text.push(b'\n');
    shell.print(&text)
}

impl Shell<'_> {
    /// Asks who types. `None`: there is no answer, which has been said.
    fn ask(&mut self, command: &[u8], words: &[&[u8]]) -> Option<Answer> {
        if !self.interactive {
            self.fail(&[command], "only a shell at which somebody types can ask the host");
            return None;
        }
        if words.iter().any(|word| word.iter().any(u8::is_ascii_control)) {
            self.fail(&[command], Error::BadName.meaning());
            return None;
        }
        let mut line = alloc::vec![ENQUIRY];
        line.extend(words.join(&BETWEEN));
        line.push(b'\n');
        // The host sees the console, wherever the command's own output goes.
        let before = core::mem::take(&mut self.streams);
        let asked = self.apply().and_then(|()| self.machine.output(&line));
        self.streams = before;
        let answer = asked.map_or_else(|_| Vec::new(), |()| self.answer_line());
        let why = match answer.split_first() {
            Some((&ANSWER, text)) => match Answer::read(text) {
                Some(answer) => return Some(answer),
                None => SILENT,
            },
            Some((&REFUSAL, why)) => core::str::from_utf8(why).unwrap_or(SILENT),
            _ => SILENT,
        };
        if why == SILENT && !answer.is_empty() {
            // Somebody has typed it for the shell.
            self.unread = Some(answer.clone());
        }
        self.fail(&[command], why);
        None
    }

    /// A line that was typed, without its newline; as much of it as an answer can have.
    fn answer_line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        let mut buffer = [0; 256];
        while let Ok(count @ 1..) = self.machine.typed(&mut buffer) {
            let whole = buffer[..count].ends_with(b"\n");
            let room = ANSWER_BYTES - line.len();
            line.extend_from_slice(&buffer[..(count - whole as usize).min(room)]);
            if whole {
                break;
            }
        }
        line
    }

    /// Takes the bytes of a file, all of them even if there is no room for them. An earlier file of
    /// this name goes when the new one is whole.
    fn receive(&mut self, count: u32, at: Processor, name: &[u8]) -> Result<(), &'static str> {
        let temporary = self.temporary_name();
        let how = open::READ | open::WRITE | open::CREATE | open::TRUNCATE;
        let mut file = self.machine.open(at, &temporary, how);
        let (mut done, mut start, mut torn) = (0, Vec::new(), false);
        while done < count && !torn {
            let line = self.answer_line();
            let bytes = unpacked(&line).filter(|bytes| done + bytes.len() as u32 <= count);
            // What is no line of the file has been typed by somebody else, and ends it.
            torn = bytes.is_none();
            let bytes = bytes.unwrap_or_default();
            if start.len() < 4 {
                start.extend_from_slice(&bytes[..bytes.len().min(4)]);
            }
            file = file.and_then(|file| self.machine.write_at(file, done, &bytes).map(|()| file));
            done += bytes.len() as u32;
        }
        let kept = match file {
            Err(error) => Err(error.meaning()),
            Ok(_) if torn => Err("the file did not come whole"),
            Ok(file) => self.keep(file, &temporary, name, &start).map_err(Error::meaning),
        };
        if kept.is_err() {
            let _ = self.machine.unlink(at, &temporary);
        }
        kept
    }

    /// Gives a file that has come whole its name, in place of an earlier one's.
    fn keep(&mut self, file: File, temporary: &[u8], name: &[u8], start: &[u8]) -> Result<(), Error> {
        let at = file.processor;
        let execute = if start == b"\x7fELF" { EXECUTE } else { 0 };
        self.machine.chmod(at, temporary, READ | WRITE | execute)?;
        match self.machine.rename(at, temporary, name) {
            Err(Error::FileExists) => {
                self.machine.unlink(at, name)?;
                self.machine.rename(at, temporary, name)
            }
            done => done,
        }
    }
}

/// The bytes of a line of a file.
fn unpacked(line: &[u8]) -> Option<Vec<u8>> {
    let (&DATA, letters) = line.split_first()? else { return None };
    if letters.is_empty() || letters.len() % 4 != 0 || letters.len() > LINE_BYTES / 3 * 4 {
        return None;
    }
    let mut bytes = Vec::new();
    for group in letters.chunks_exact(4) {
        let (group, count) = asking::bytes([group[0], group[1], group[2], group[3]])?;
        bytes.extend_from_slice(&group[..count]);
    }
    Some(bytes)
}
