//! Shows what the processors print while a person types.
//!
//! Lines come out whole and with their processor's name, in the order in which they ended, as in
//! `console.txt`. What has no newline yet, such as a prompt, is shown when its processor pauses, or
//! at once if no other processor is in the middle of a line.

use std::collections::VecDeque;
use std::io::{self, Write};

use testbed_definitions::syscall::END_OF_INPUT;

use testbed_trace::capture::LINE_MAX;

/// The live view of the console.
pub struct View {
    names: Vec<String>,
    out: Box<dyn Write>,
    /// By processor: what it has printed of a line that has not ended and that is not shown yet.
    begun: Vec<Vec<u8>>,
    /// Lines that have ended and are not shown yet, with their processors, the oldest first.
    ended: VecDeque<(u8, Vec<u8>)>,
    /// The processor at the end of whose unfinished line the screen's cursor is, and the bytes of
    /// that line.
    cursor: Option<(u8, usize)>,
    /// The terminal shows what is typed.
    echoed: bool,
    /// What the terminal shows behind the unfinished line of a processor, because somebody has typed
    /// it there. If the processor continues its line with just that, it is on the screen already.
    typed: Option<(u8, Vec<u8>)>,
    /// A line is being edited behind the prompt that the screen shows last: only whole lines may be
    /// shown meanwhile, ahead of it.
    edited: bool,
    /// By processor: what has been shown of its unfinished line since somebody typed a line there.
    shown: Vec<Vec<u8>>,
    /// Why something could not be shown, until [`View::failure`] tells it.
    failed: Option<io::Error>,
}

impl View {
    /// `names` of the processors. `echoed`: where it is shown, what is typed is shown already.
    pub fn new(names: &[String], out: impl Write + 'static, echoed: bool) -> Self {
        View {
            names: names.to_vec(),
            out: Box::new(out),
            begun: vec![Vec::new(); names.len()],
            ended: VecDeque::new(),
            cursor: None,
            echoed,
            typed: None,
            edited: false,
            shown: vec![Vec::new(); names.len()],
            failed: None,
        }
    }

    /// Somebody begins to edit a line that this processor is to have. Returns its prompt as the screen
    /// shows it: what it has printed of a line, with its name.
    pub(super) fn edit(&mut self, processor: u8) -> String {
        self.edited = true;
        let mut text = Vec::new();
        if self.cursor.take_if(|(other, _)| *other != processor).is_some() {
            text.push(b'\n');
        }
        let begun = std::mem::take(&mut self.begun[usize::from(processor)]);
        let shown = &mut self.shown[usize::from(processor)];
        shown.extend(&begun);
        let prompt = shown.clone();
        if prompt.is_empty() {
            self.write(&text);
            return String::new();
        }
        // The editor writes it anew, at the start of the line.
        self.cursor = Some((processor, prompt.len()));
        self.write(&text);
        String::from_utf8_lossy(&[self.prefix(processor), prompt].concat()).into_owned()
    }

    /// Somebody has pressed a key such as Ctrl-C, of which the terminal shows nothing. A line that
    /// was edited goes nowhere, and its prompt stays the same; the editor has ended it.
    pub(super) fn pressed(&mut self, key: &str) {
        self.cursor = None;
        if !std::mem::take(&mut self.edited) {
            self.write(format!("{key}\n").as_bytes());
        }
    }

    /// Somebody has typed `bytes`, which the machine is given now.
    pub(super) fn typed(&mut self, bytes: &[u8]) {
        if std::mem::take(&mut self.edited) && !bytes.ends_with(b"\n") {
            // The end of input, behind which the editor has ended the line.
            self.cursor = None;
            return;
        }
        let shown = bytes.split(|&byte| byte == END_OF_INPUT).next().unwrap_or_default();
        if !self.echoed || shown.is_empty() {
            return;
        }
        let line = shown.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
        // Without a prompt the program repeats it somewhere else, where it is worth showing.
        self.typed = self.cursor.map(|(processor, _)| (processor, line.to_vec()));
        if let Some((processor, _)) = self.cursor {
            self.shown[usize::from(processor)].clear();
        }
        if shown.ends_with(b"\n") {
            // The newline has ended the line on the terminal.
            self.cursor = None;
        }
    }

    /// The machine has printed `bytes`, each on a processor, since the last call. A terminal that has
    /// gone must not end the run: [`View::failure`] is for who has nothing else to do.
    pub fn show(&mut self, bytes: &[(u8, u8)]) {
        let mut active = vec![false; self.begun.len()];
        for &(processor, byte) in bytes {
            if let Some(active) = active.get_mut(usize::from(processor)) {
                *active = true;
                self.take(processor, byte);
            }
        }
        if self.edited {
            return self.above();
        }
        self.give_up_repetition(&active);
        let mut text = Vec::new();
        self.continue_line(&mut text);
        if !self.cursor.is_some_and(|(processor, _)| active[usize::from(processor)]) {
            self.whole_lines(&mut text);
            self.unfinished(&active, &mut text);
        }
        self.write(&text);
    }

    /// Why something could not be shown, since the last call.
    pub fn failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Shows the lines that have ended while another is being edited.
    fn above(&mut self) {
        let mut text = Vec::new();
        for (processor, line) in std::mem::take(&mut self.ended) {
            text.extend(self.prefix(processor));
            text.extend(line);
        }
        self.write(&text);
    }

    fn prefix(&self, processor: u8) -> Vec<u8> {
        [self.names[usize::from(processor)].as_bytes(), b": "].concat()
    }

    /// Shows what was held back, and ends the line.
    pub(super) fn end(&mut self) {
        self.typed = None;
        if std::mem::take(&mut self.edited) {
            self.above();
        }
        self.show(&[]);
        if self.cursor.take().is_some() {
            self.write(b"\n");
        }
    }

    fn write(&mut self, text: &[u8]) {
        if !text.is_empty() {
            let written = self.out.write_all(text).and_then(|()| self.out.flush());
            self.failed = self.failed.take().or(written.err());
        }
    }

    /// A byte joins its processor's line.
    fn take(&mut self, processor: u8, byte: u8) {
        let line = &mut self.begun[usize::from(processor)];
        line.push(byte);
        if let Some((_, expected)) = self.typed.as_ref().filter(|(of, _)| *of == processor) {
            if expected == line {
                line.clear();
                self.shown[usize::from(processor)].clear();
                self.typed = None;
                return;
            }
            if expected.starts_with(line) {
                return;
            }
            self.typed = None;
        }
        if line.len() >= LINE_MAX && byte != b'\n' {
            line.push(b'\n');
        }
        if line.ends_with(b"\n") {
            // Behind the prompt at which a line is edited, another program has printed its own.
            if !self.edited {
                self.shown[usize::from(processor)].clear();
            }
            self.ended.push_back((processor, std::mem::take(line)));
        }
    }

    /// Whether the bytes of a processor are held back since they may repeat what was typed.
    fn holds(&self, processor: u8) -> bool {
        self.typed.as_ref().is_some_and(|(of, _)| *of == processor)
    }

    /// A processor that pauses in the middle of what was typed does not repeat it.
    fn give_up_repetition(&mut self, active: &[bool]) {
        if let Some((processor, _)) = &self.typed {
            let processor = usize::from(*processor);
            if !active[processor] && !self.begun[processor].is_empty() {
                self.typed = None;
            }
        }
    }

    /// The line at the cursor goes on, and may end.
    fn continue_line(&mut self, text: &mut Vec<u8>) {
        let Some((processor, length)) = self.cursor else { return };
        if let Some(place) = self.ended.iter().position(|(of, _)| *of == processor) {
            text.extend(self.ended.remove(place).map(|(_, line)| line).unwrap_or_default());
            self.cursor = None;
        } else if !self.holds(processor) {
            let more = std::mem::take(&mut self.begun[usize::from(processor)]);
            self.cursor = Some((processor, length + more.len()));
            self.shown[usize::from(processor)].extend(&more);
            text.extend(more);
        }
        // Others wait for the end of this line, so it must have one.
        if self.cursor.is_some_and(|(_, length)| length >= LINE_MAX) {
            text.push(b'\n');
            self.shown.iter_mut().for_each(Vec::clear);
            self.cursor = None;
        }
    }

    fn whole_lines(&mut self, text: &mut Vec<u8>) {
        for (processor, line) in std::mem::take(&mut self.ended) {
            self.begin_line(processor, text);
            text.extend(line);
        }
    }

    /// Shows what has no newline: of processors that pause, or of the only one that has printed.
    fn unfinished(&mut self, active: &[bool], text: &mut Vec<u8>) {
        let waiting: Vec<u8> = (0..self.begun.len() as u8)
            .filter(|&processor| !self.begun[usize::from(processor)].is_empty() && !self.holds(processor))
            .collect();
        let is_alone = waiting.len() == 1 && self.cursor.is_none();
        for processor in waiting {
            if is_alone || !active[usize::from(processor)] {
                self.begin_line(processor, text);
                let begun = std::mem::take(&mut self.begun[usize::from(processor)]);
                self.cursor = Some((processor, begun.len()));
                self.shown[usize::from(processor)].extend(&begun);
                text.extend(begun);
            }
        }
    }

    /// Begins a line of a processor's, behind whatever the screen shows.
    fn begin_line(&mut self, processor: u8, text: &mut Vec<u8>) {
        if self.cursor.take().is_some() {
            text.push(b'\n');
        }
        text.extend(self.prefix(processor));
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests;
