//! Files that `ed` reads and writes.

use alloc::rc::Rc;
use alloc::vec::Vec;

use testbed_definitions::syscall::{open, Error};

use super::context::{place_of, Reader};
use super::ed_command::{Command, Range};
use super::ed_state::{Act, Editor, End};
use super::ed_text::LINES_MAX;

impl Editor<'_, '_> {
    /// The name behind a command, or the one that the text has.
    pub(super) fn file_name(&mut self, command: &mut Command, sets: bool) -> Act<Vec<u8>> {
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
    pub(super) fn load(&mut self, name: &[u8], at: usize) -> Act<()> {
        let (place, own) = place_of(self.context.system, name);
        let Ok(file) = self.context.system.open(place, own, open::READ) else {
            return Err("Cannot open input file".into());
        };
        let mut reader = Reader::file(file);
        let (mut whole, mut lines) = (false, Vec::new());
        while let Some(line) = reader.line(self.context, &mut whole)? {
            lines.push(Rc::new(line));
            if lines.len() > LINES_MAX {
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
    pub(super) fn write(&mut self, range: Range, command: &mut Command, letter: u8) -> Act<End> {
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

    pub(super) fn save(&mut self, name: &[u8], text: &[u8], appends: bool) -> Result<(), Error> {
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
