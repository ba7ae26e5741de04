//! `ed`, a line editor as POSIX has it: `a c d e E f g H h i j k l m n p P q Q r s t u v w W z =`.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::context::{Context, Done, Options, Stop, LINE_BYTES};
use super::ed_command::{Command, Range};
use super::ed_line::unambiguous;
use super::ed_state::{Act, Editor, End, Fault};
use super::ed_text::{Line, Text, Wrong};
use crate::number;

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
    pub(super) fn line(&mut self) -> Result<Option<Vec<u8>>, Stop> {
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

    pub(super) fn command(&mut self, line: &[u8]) -> Act<End> {
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
    pub(super) fn keep(&mut self) {
        if !self.in_global {
            self.text.keep();
        }
    }

    pub(super) fn put_line(&mut self, number: u64) -> Act<()> {
        self.context.put_number(number, 0)?;
        Ok(self.context.put(b"\n")?)
    }

    pub(super) fn some(&self, range: Range) -> Act<()> {
        match range.from {
            0 => Err("Invalid address".into()),
            _ => Ok(()),
        }
    }

    /// `p`, `n` or `l` behind a command.
    pub(super) fn suffix(&self, command: &mut Command) -> Act<Vec<u8>> {
        let rest = core::mem::take(&mut command.rest);
        match rest.iter().all(|byte| b"pnl".contains(byte)) {
            true => Ok(rest.to_vec()),
            false => Err("Invalid command suffix".into()),
        }
    }

    /// Shows the current line as a suffix says.
    pub(super) fn show_now(&mut self, letters: Vec<u8>) -> Act<()> {
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
        while let Some(line) = self.line()? {
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
