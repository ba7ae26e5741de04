//! `ed`, a line editor as POSIX has it: `a c d e E f g H h i j k l m n p P q Q r s t u v w W z =`.

use alloc::rc::Rc;
use alloc::vec::Vec;

use testbed_definitions::syscall::open;

use super::context::{place_of, Context, Done, Options, Stop, LINE_BYTES};
use super::ed_command::{Command, Range};
use super::ed_text::{Line, Text, Wrong};
use crate::number;
use crate::regex::Regex;

struct Editor<'c, 's> {
    context: &'c mut Context<'s>,
    text: Text,
    name: Vec<u8>,
    last_regex: Option<Regex>,
    last_replacement: Vec<u8>,
    silent: bool,
    explains: bool,
    prompt: Option<Vec<u8>>,
    wrong: Option<Wrong>,
    /// `q` or `e` was refused, and is done if it comes again.
    warned: bool,
    /// Lines that a `g` gives as input, instead of standard input.
    given: Option<Vec<Vec<u8>>>,
    in_global: bool,
    page: usize,
}

/// How a command ends.
enum End {
    Next,
    Quit,
}

enum Fault {
    Wrong(Wrong),
    Stop(Stop),
}

impl From<Wrong> for Fault {
    fn from(wrong: Wrong) -> Self {
        Fault::Wrong(wrong)
    }
}
impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Fault::Stop(stop)
    }
}

type Act<T> = Result<T, Fault>;

pub(super) fn ed(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let mut options = Options::new(words);
    let mut editor = Editor {
        context,
        text: Text::default(),
        name: Vec::new(),
        last_regex: None,
        last_replacement: Vec::new(),
        silent: false,
        explains: false,
        prompt: None,
        wrong: None,
        warned: false,
        given: None,
        in_global: false,
        page: 22,
    };
    while let Some(letter) = options.next() {
        match letter {
            b's' => editor.silent = true,
            b'v' => editor.explains = true,
            b'p' => editor.prompt = Some(options.value()?.to_vec()),
            _ => return Err(Stop::Usage),
        }
    }
    match options.words() {
        [] => {}
        [name] => {
            editor.name = name.clone();
            if let Err(Fault::Wrong(_)) = editor.load(name, 0) {
                editor.context.complain(name, "no such file");
                editor.context.status = 0;
            }
            editor.text.changed = false;
            editor.text.keep();
        }
        _ => return Err(Stop::Usage),
    }
    editor.edit()
}

impl Editor<'_, '_> {
    fn edit(&mut self) -> Done {
        loop {
            if let Some(prompt) = self.prompt.clone() {
                self.context.put(&prompt)?;
            }
            self.context.flush()?;
            let Some(line) = self.line()? else {
                if self.text.changed && !self.warned {
                    self.refuse("Warning: buffer modified")?;
                    return Ok(2);
                }
                return Ok(self.wrong.is_some() as u32);
            };
            match self.command(&line) {
                Ok(End::Next) => {}
                Ok(End::Quit) => return Ok(self.wrong.is_some() as u32),
                Err(Fault::Wrong(wrong)) => self.refuse(wrong)?,
                Err(Fault::Stop(stop)) => return Err(stop),
            }
        }
    }

    fn refuse(&mut self, wrong: Wrong) -> Result<(), Stop> {
        self.wrong = Some(wrong);
        self.context.put(b"?\n")?;
        if self.explains {
            self.context.put(wrong.as_bytes())?;
            self.context.put(b"\n")?;
        }
        Ok(())
    }

    /// The next line of input, or of what a `g` gives; `None` at the end.
    fn line(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        if let Some(given) = &mut self.given {
            return Ok((!given.is_empty()).then(|| given.remove(0)));
        }
        let mut line = Vec::new();
        loop {
            let mut buffer = [0; 256];
            let count = self.context.system.input(&mut buffer)?;
            if count == 0 {
                return Ok((!line.is_empty()).then_some(line));
            }
            line.extend_from_slice(&buffer[..count]);
            if line.last() == Some(&b'\n') {
                line.pop();
                return Ok(Some(line));
            }
            if line.len() > LINE_BYTES {
                return self.context.stop(b"", "a line has more than 32 KiB", 2);
            }
        }
    }

    fn command(&mut self, line: &[u8]) -> Act<End> {
        let mut command = Command::new(line);
        let range = command.range(&mut self.text, &mut self.last_regex)?;
        command.skip();
        let letter = command.take();
        let warned = core::mem::take(&mut self.warned);
        let Some(letter) = letter else {
            // An empty line is the next line.
            let at = if range.count > 0 { range.to } else { self.text.lines.now + 1 };
            self.show(Range { count: 1, from: at, to: at }, b'p')?;
            return Ok(End::Next);
        };
        match letter {
            b'q' | b'Q' => {
                none(range)?;
                ends(&command)?;
                if letter == b'q' && self.text.changed && !warned {
                    self.warned = true;
                    return Err("Warning: buffer modified".into());
                }
                return Ok(End::Quit);
            }
            b'e' | b'E' => {
                none(range)?;
                let name = self.file_name(&mut command, true)?;
                if letter == b'e' && self.text.changed && !warned {
                    self.warned = true;
                    return Err("Warning: buffer modified".into());
                }
                self.text.keep();
                let last = self.text.last();
                if last > 0 {
                    self.text.remove(1, last);
                }
                self.load(&name, 0)?;
                self.text.changed = false;
            }
            b'w' | b'W' => return self.write(range, &mut command, letter),
            _ => self.other(letter, range, &mut command)?,
        }
        Ok(End::Next)
    }

    fn other(&mut self, letter: u8, range: Range, command: &mut Command) -> Act<()> {
        match letter {
            b'a' | b'i' | b'c' => return self.input(letter, range, command),
            b'p' | b'n' | b'l' => {
                let also = self.suffix(command)?;
                self.show(range, letter)?;
                return self.show_now(also);
            }
            b'=' => {
                let also = self.suffix(command)?;
                let at = if range.count > 0 { range.to } else { self.text.last() };
                self.put_line(at as u64)?;
                return self.show_now(also);
            }
            b'd' => {
                let also = self.suffix(command)?;
                self.some(range)?;
                self.keep();
                self.text.remove(range.from, range.to);
                return self.show_now(also);
            }
            b'j' => return self.join(range, command),
            b'm' | b't' => return self.transfer(letter, range, command),
            b's' => return self.substitute(range, command),
            b'g' | b'v' => return self.global(letter == b'g', range, command),
            b'k' => {
                let mark = command.take().filter(u8::is_ascii_lowercase).ok_or("Invalid mark character")?;
                ends(command)?;
                self.some(range)?;
                self.text.mark(mark, range.to);
            }
            b'r' => {
                let name = self.file_name(command, false)?;
                let at = if range.count > 0 { range.to } else { self.text.last() };
                self.keep();
                self.load(&name, at)?;
            }
            b'u' => {
                none(range)?;
                let also = self.suffix(command)?;
                self.text.undo();
                return self.show_now(also);
            }
            b'z' => {
                command.skip();
                let digits = command.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                if digits > 0 {
                    self.page =
                        number::parse(&command.rest[..digits]).filter(|&n| n > 0).ok_or("Invalid address")? as usize;
                    command.rest = &command.rest[digits..];
                }
                ends(command)?;
                let from = if range.count > 0 { range.to } else { self.text.lines.now + 1 };
                let to = from.saturating_add(self.page - 1).min(self.text.last());
                self.show(Range { count: 2, from, to }, b'p')?;
            }
            b'f' => {
                none(range)?;
                let name = self.file_name(command, false)?;
                self.name = name.clone();
                self.context.put(&name)?;
                self.context.put(b"\n")?;
            }
            b'h' | b'H' | b'P' => {
                none(range)?;
                ends(command)?;
                match letter {
                    b'P' => self.prompt = if self.prompt.is_some() { None } else { Some(b"*".to_vec()) },
                    b'H' => self.explains = !self.explains,
                    _ => {}
                }
                if let Some(wrong) = self.wrong.filter(|_| letter == b'h' || letter == b'H' && self.explains) {
                    self.context.put(wrong.as_bytes())?;
                    self.context.put(b"\n")?;
                }
            }
            b'#' => {}
            _ => return Err("Unknown command".into()),
        }
        Ok(())
    }

    /// Keeps the text for `u`, unless a `g` has.
    fn keep(&mut self) {
        if !self.in_global {
            self.text.keep();
        }
    }

    fn put_line(&mut self, number: u64) -> Act<()> {
        self.context.put_number(number, 0)?;
        Ok(self.context.put(b"\n")?)
    }

    fn some(&self, range: Range) -> Act<()> {
        match range.from {
            0 => Err("Invalid address".into()),
            _ => Ok(()),
        }
    }

    /// `p`, `n` or `l` behind a command.
    fn suffix(&self, command: &mut Command) -> Act<Vec<u8>> {
        let rest = core::mem::take(&mut command.rest);
        match rest.iter().all(|byte| b"pnl".contains(byte)) {
            true => Ok(rest.to_vec()),
            false => Err("Invalid command suffix".into()),
        }
    }

    /// Shows the current line as a suffix says.
    fn show_now(&mut self, letters: Vec<u8>) -> Act<()> {
        let Some(&letter) = letters.first() else { return Ok(()) };
        let letter = if letters.contains(&b'n') { b'n' } else { letter };
        let now = self.text.lines.now;
        self.show(Range { count: 1, from: now, to: now }, letter)
    }

    fn show(&mut self, range: Range, letter: u8) -> Act<()> {
        self.some(range)?;
        if range.to > self.text.last() {
            return Err("Invalid address".into());
        }
        for at in range.from..=range.to {
            let line = self.text.lines.all[at - 1].clone();
            match letter {
                b'n' => {
                    self.context.put_number(at as u64, 0)?;
                    self.context.put(b"\t")?;
                    self.context.put(&line)?;
                }
                b'l' => {
                    let text = unambiguous(&line);
                    self.context.put(&text)?;
                }
                _ => self.context.put(&line)?,
            }
            self.context.put(b"\n")?;
        }
        self.text.lines.now = range.to;
        Ok(())
    }

    /// `a`, `i` and `c`: lines up to one that is a single dot.
    fn input(&mut self, letter: u8, range: Range, command: &mut Command) -> Act<()> {
        let also = self.suffix(command)?;
        let mut at = match letter {
            b'i' => range.to.saturating_sub(1),
            _ => range.to,
        };
        self.keep();
        if letter == b'c' {
            self.some(range)?;
            self.text.remove(range.from, range.to);
            at = range.from - 1;
            self.text.lines.now = at.max(self.text.lines.now.min(self.text.last()));
        }
        loop {
            let Some(line) = self.line()? else { break };
            if line == b"." {
                break;
            }
            self.text.insert(at, alloc::vec![Rc::new(line)])?;
            at += 1;
        }
        self.show_now(also)
    }

    fn join(&mut self, range: Range, command: &mut Command) -> Act<()> {
        let also = self.suffix(command)?;
        let (from, to) = match range.count {
            0 => (range.to, range.to + 1),
            _ => (range.from, range.to),
        };
        if from == 0 || to > self.text.last() {
            return Err("Invalid address".into());
        }
        if from < to {
            self.keep();
            let old = self.text.remove(from, to);
            let line: Vec<u8> = old.iter().flat_map(|line| line.iter().copied()).collect();
            self.text.insert(from - 1, alloc::vec![Rc::new(line)])?;
        }
        self.show_now(also)
    }

    /// `m` and `t`: lines go, or are copied, behind another.
    fn transfer(&mut self, letter: u8, range: Range, command: &mut Command) -> Act<()> {
        self.some(range)?;
        let before = self.text.lines.now;
        let target = command.range(&mut self.text, &mut self.last_regex)?;
        self.text.lines.now = before;
        let also = self.suffix(command)?;
        let to = target.to;
        if letter == b't' {
            let lines = self.text.lines.all[range.from - 1..range.to].iter().map(|line| Rc::new((**line).clone()));
            let lines: Vec<Line> = lines.collect();
            self.keep();
            self.text.insert(to, lines)?;
            return self.show_now(also);
        }
        if (range.from..range.to).contains(&to) {
            return Err("Invalid destination".into());
        }
        self.keep();
        let lines = self.text.remove(range.from, range.to);
        let at = if to >= range.to { to - lines.len() } else { to };
        self.text.insert(at, lines)?;
        self.show_now(also)
    }

    fn substitute(&mut self, range: Range, command: &mut Command) -> Act<()> {
        self.some(range)?;
        let sign = command.take().filter(|&sign| sign != b' ').ok_or("Invalid pattern delimiter")?;
        let regex = command.expression(sign, &mut self.last_regex)?;
        let (mut replacement, mut closed) = command.replacement(sign);
        // A newline behind a `\` goes on in the next line.
        while !closed && replacement.last() == Some(&b'\\') && command.rest.is_empty() {
            let Some(line) = self.line()? else { break };
            replacement.push(b'\n');
            let mut more = Command::new(&line);
            let (text, ends) = more.replacement(sign);
            replacement.extend(text);
            closed = ends;
            if ends {
                let rest = more.rest.to_vec();
                return self.replace_all(range, &regex, replacement, &mut Command::new(&rest), false);
            }
        }
        self.replace_all(range, &regex, replacement, command, !closed)
    }

    fn replace_all(
        &mut self,
        range: Range,
        regex: &Regex,
        replacement: Vec<u8>,
        command: &mut Command,
        prints: bool,
    ) -> Act<()> {
        let (mut all, mut which, mut letters) = (false, 1, Vec::new());
        while let Some(byte) = command.take() {
            match byte {
                b'g' => all = true,
                b'0'..=b'9' => {
                    let digits = command.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let mut text = alloc::vec![byte];
                    text.extend_from_slice(&command.rest[..digits]);
                    command.rest = &command.rest[digits..];
                    which = number::parse(&text).filter(|&which| which > 0).ok_or("Invalid command suffix")?;
                }
                b'p' | b'n' | b'l' => letters.push(byte),
                _ => return Err("Invalid command suffix".into()),
            }
        }
        if prints && letters.is_empty() {
            letters.push(b'p');
        }
        let replacement = if replacement == b"%" { self.last_replacement.clone() } else { replacement };
        self.last_replacement = replacement.clone();
        self.keep();
        let (mut at, mut end, mut found) = (range.from, range.to, false);
        while at <= end {
            let line = self.text.lines.all[at - 1].clone();
            let Some(new) = replaced(&line, regex, &replacement, all, which)? else {
                at += 1;
                continue;
            };
            found = true;
            let lines: Vec<Line> = new.split(|&byte| byte == b'\n').map(|line| Rc::new(line.to_vec())).collect();
            let count = lines.len();
            self.text.replace(at, lines)?;
            (at, end) = (at + count, end + count - 1);
        }
        if !found {
            return if self.in_global { Ok(()) } else { Err("No match".into()) };
        }
        self.show_now(letters)
    }

    /// `g` and `v`: commands for all lines that match, or do not.
    fn global(&mut self, wanted: bool, range: Range, command: &mut Command) -> Act<()> {
        if self.in_global {
            return Err("Cannot nest global commands".into());
        }
        let sign = command.take().filter(|&sign| sign != b' ').ok_or("Invalid pattern delimiter")?;
        let regex = command.expression(sign, &mut self.last_regex)?;
        let range = if range.count == 0 {
            Range { count: 2, from: 1.min(self.text.last()), to: self.text.last() }
        } else {
            range
        };
        let mut list = alloc::vec![command.rest.to_vec()];
        while list.last().is_some_and(|line| line.last() == Some(&b'\\')) {
            list.last_mut().map(Vec::pop);
            let Some(line) = self.line()? else { break };
            list.push(line);
        }
        if list == [b"".to_vec()] {
            list = alloc::vec![b"p".to_vec()];
        }
        let all = self.text.lines.all.get(range.from.max(1) - 1..range.to).unwrap_or_default();
        let chosen: Vec<Line> = all.iter().filter(|line| regex.find(line, 0).is_some() == wanted).cloned().collect();
        self.text.keep();
        (self.in_global, self.given) = (true, Some(Vec::new()));
        let mut result = Ok(());
        for line in chosen {
            let Some(at) = self.text.number_of(&line) else { continue };
            self.text.lines.now = at;
            self.given = Some(list.clone());
            while let Some(line) = self.line()? {
                // Commands that replace what the list is for make no sense in it.
                result = match self.command(&line) {
                    Ok(End::Quit) => Err("Unknown command".into()),
                    other => other.map(drop),
                };
                if result.is_err() {
                    break;
                }
            }
            if result.is_err() {
                break;
            }
        }
        (self.in_global, self.given) = (false, None);
        result
    }

    /// The name behind a command, or the one that the text has.
    fn file_name(&mut self, command: &mut Command, sets: bool) -> Act<Vec<u8>> {
        if !matches!(command.peek(), None | Some(b' ' | b'\t')) {
            return Err("Unexpected command suffix".into());
        }
        command.skip();
        let name = core::mem::take(&mut command.rest).to_vec();
        if name.is_empty() && self.name.is_empty() {
            return Err("No current filename".into());
        }
        if name.is_empty() {
            return Ok(self.name.clone());
        }
        if sets || self.name.is_empty() {
            self.name = name.clone();
        }
        Ok(name)
    }

    /// Reads a file behind a line, and says how many bytes it has.
    fn load(&mut self, name: &[u8], at: usize) -> Act<()> {
        let (place, own) = place_of(self.context.system, name);
        let Ok(file) = self.context.system.open(place, own, open::READ) else {
            return Err("Cannot open input file".into());
        };
        let mut reader = super::context::Reader::file(file);
        let (mut whole, mut lines) = (false, Vec::new());
        while let Some(line) = reader.line(self.context, &mut whole)? {
            lines.push(Rc::new(line));
            if lines.len() > super::ed_text::LINES_MAX {
                break;
            }
        }
        let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
        self.text.insert(at, lines)?;
        if !self.silent {
            self.put_line(bytes as u64)?;
        }
        Ok(())
    }

    /// `w`, `W` and `wq`. The file is replaced only if there is room for all of it.
    fn write(&mut self, range: Range, command: &mut Command, letter: u8) -> Act<End> {
        let quits = command.peek() == Some(b'q');
        if quits {
            command.take();
        }
        let name = self.file_name(command, false)?;
        let (from, to) = match range.count {
            0 => (1, self.text.last()),
            _ => (range.from.max(1), range.to),
        };
        let mut text: Vec<u8> = Vec::new();
        for line in self.text.lines.all.get(from - 1..to).unwrap_or_default() {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        if let Err(error) = self.save(&name, &text, letter == b'W') {
            let name = name.clone();
            self.context.complain(&name, error.meaning());
            self.context.status = 0;
            return Err("Cannot write the file".into());
        }
        if !self.silent {
            self.put_line(text.len() as u64)?;
        }
        if to - (from - 1) == self.text.last() {
            self.text.changed = false;
        }
        Ok(if quits { End::Quit } else { End::Next })
    }

    fn save(&mut self, name: &[u8], text: &[u8], appends: bool) -> Result<(), testbed_definitions::syscall::Error> {
        let (place, own) = place_of(self.context.system, name);
        let system = &mut *self.context.system;
        let existing = system.open(place, own, 0).ok();
        if appends || existing.is_none() {
            let file = system.open(place, own, open::WRITE | open::CREATE)?;
            let result = system.write_at(file, file.bytes, text);
            if result.is_err() && existing.is_none() {
                let _ = system.unlink(place, own);
            }
            return result;
        }
        // Beside the old file first, so that it is still there if there is no room.
        let new = b".~ed";
        let draft = system.open(place, new, open::WRITE | open::CREATE | open::TRUNCATE)?;
        let result = system.write_at(draft, 0, text);
        let _ = system.unlink(place, new);
        result?;
        let file = system.open(place, own, open::WRITE | open::TRUNCATE)?;
        system.write_at(file, 0, text)
    }
}

fn none(range: Range) -> Act<()> {
    match range.count {
        0 => Ok(()),
        _ => Err("Unexpected address".into()),
    }
}

fn ends(command: &Command) -> Act<()> {
    match command.rest {
        [] => Ok(()),
        _ => Err("Invalid command suffix".into()),
    }
}

/// A line with what matches replaced; `None` if nothing does.
fn replaced(line: &[u8], regex: &Regex, replacement: &[u8], all: bool, which: u64) -> Result<Option<Vec<u8>>, Wrong> {
    let (mut new, mut from, mut count, mut found, mut copied) = (Vec::new(), 0, 0, false, 0);
    while from <= line.len() {
        let Some(slots) = regex.find(line, from) else { break };
        let (start, end) = (slots[0].unwrap_or(0), slots[1].unwrap_or(0));
        // Nothing right behind a match is no match of its own.
        if start == end && count > 0 && start == copied && start == from && from > 0 && found {
            from += 1;
            continue;
        }
        count += 1;
        if count >= which {
            found = true;
            new.extend_from_slice(&line[copied..start]);
            let mut bytes = replacement.iter();
            while let Some(&byte) = bytes.next() {
                match byte {
                    b'&' => new.extend_from_slice(&line[start..end]),
                    b'\\' => match bytes.next() {
                        Some(digit @ b'1'..=b'9') => {
                            let slot = 2 * usize::from(digit - b'0');
                            if let (Some(start), Some(end)) = (slots[slot], slots[slot + 1]) {
                                new.extend_from_slice(&line[start..end]);
                            }
                        }
                        Some(&other) => new.push(other),
                        None => {}
                    },
                    _ => new.push(byte),
                }
            }
            copied = end;
            if new.len() > LINE_BYTES {
                return Err("a line has more than 32 KiB");
            }
            if !all {
                break;
            }
        }
        from = if end > start { end } else { end + 1 };
    }
    new.extend_from_slice(line.get(copied..).unwrap_or_default());
    Ok(found.then_some(new))
}

/// A line as `l` shows it: what can't be printed as escapes, and folded.
fn unambiguous(line: &[u8]) -> Vec<u8> {
    let (mut text, mut column) = (Vec::new(), 0);
    for &byte in line {
        let mut piece = Vec::new();
        match byte {
            b'\\' => piece.extend_from_slice(b"\\\\"),
            b'$' => piece.extend_from_slice(b"\\$"),
            7 => piece.extend_from_slice(b"\\a"),
            8 => piece.extend_from_slice(b"\\b"),
            12 => piece.extend_from_slice(b"\\f"),
            b'\r' => piece.extend_from_slice(b"\\r"),
            b'\t' => piece.extend_from_slice(b"\\t"),
            11 => piece.extend_from_slice(b"\\v"),
            b' '..=b'~' => piece.push(byte),
            _ => piece.extend([b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]),
        }
        if column + piece.len() > 71 {
            text.extend_from_slice(b"\\\n");
            column = 0;
        }
        column += piece.len();
        text.extend(piece);
    }
    text.push(b'$');
    text
}
