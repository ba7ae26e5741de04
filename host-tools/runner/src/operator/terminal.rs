//! A person at the terminal in which `testbed run` was called. The terminal becomes the machine's
//! console when a thread first waits for console input; up to then the run is as any other.
//!
//! A line is edited while a thread waits for one, and only then; so what is typed ahead waits in
//! the terminal, as it does under any shell. Which threads wait is looked up in the processors' RAM
//! between chunks, which changes nothing in the machine.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use testbed_definitions::syscall::{END_OF_INPUT, INTERRUPT, PAUSE, SWITCH};
use testbed_sim::engine::Engine;

use super::ahead::Ahead;
use super::editor::{Editor, Paper, Said};
use super::modes::{history, Modes};
use super::view::View;
use super::words::Words;
use crate::look::Tables;
use crate::signals::{Key, Keys};
use crate::taking::listed;

/// Two keys of Ctrl-C within this time, while nobody reads, end the run.
const TWICE: Duration = Duration::from_secs(2);
/// Chunks in which a reader takes what it was given, and those for which a prompt that goes on is
/// waited for.
const TAKEN: u32 = 2;
const PRINTED: u32 = 8;
/// What the shell's prompt ends with where more lines belong to a command.
const CONTINUING: &str = "> ";

/// What a person at the terminal gives.
pub struct Terminal {
    tables: Tables,
    names: Vec<String>,
    /// What is to be done when the terminal becomes the console.
    begin: Option<Box<dyn FnOnce()>>,
    /// What was printed before that.
    printed: Vec<(u8, u8)>,
    desk: Option<Desk>,
    /// The run is to end, as the terminal could not be taken, or its user has said so.
    stop: bool,
}

/// The terminal once it is the console. Fields are dropped in this order.
struct Desk {
    view: View,
    paper: Paper,
    modes: Option<Modes>,
    editor: Editor,
    keys: Keys,
    ahead: Ahead,
    /// Switches that were found there.
    switches: Vec<u8>,
    /// What was said and has not been given.
    waiting: Vec<Said>,
    is_edited: bool,
    /// The line that is edited belongs to a command that was begun.
    continues: bool,
    ended: bool,
    /// Chunks for which no line is to be edited yet, and then none while the reader's processor
    /// prints.
    hold: u32,
    pause: u32,
    /// By processor: it has printed something in this chunk.
    active: Vec<bool>,
    interrupted: Option<Instant>,
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.view.end();
        self.paper.finish();
        drop(self.modes.take());
    }
}

impl Terminal {
    /// Of a machine whose kernel has these tables and whose processors have these names. `begin` is
    /// called when the terminal becomes the console.
    pub fn new(tables: Tables, names: &[String], begin: impl FnOnce() + 'static) -> Self {
        Terminal {
            tables,
            names: names.to_vec(),
            begin: Some(Box::new(begin)),
            printed: Vec::new(),
            desk: None,
            stop: false,
        }
    }

    /// Whether it has become the console.
    pub fn has_begun(&self) -> bool {
        self.desk.is_some()
    }

    /// Whether more may come.
    pub fn is_live(&self) -> bool {
        self.desk.as_ref().is_some_and(|desk| !desk.ended)
    }

    /// Whether the run is to end. `flag` is set by signals, Ctrl-C among them, which is the machine's
    /// while the terminal is its console.
    pub fn stops(&self, flag: &AtomicBool) -> bool {
        match self.desk.as_ref().filter(|desk| !desk.ended) {
            Some(desk) => {
                flag.store(false, Ordering::Relaxed);
                self.stop || desk.keys.ends()
            }
            None => self.stop || flag.load(Ordering::Relaxed),
        }
    }

    /// A chunk of the machine's time has ended: what it waits for is looked up.
    pub fn look(&mut self, engine: &mut dyn Engine) {
        let reader = self.tables.reading(engine);
        if self.desk.is_none() && reader.is_some() {
            self.take_terminal();
        }
        let Some(desk) = &mut self.desk else { return };
        let active = std::mem::replace(&mut desk.active, vec![false; self.names.len()]);
        let is_free = !desk.is_edited && !desk.ended && desk.waiting.is_empty();
        let Some(reader) = reader.filter(|_| is_free && engine.console_waiting() == 0) else {
            // A key takes back what was typed ahead of it, not what has come behind it.
            if is_free && reader.is_none() && !desk.keys.is_pressed() {
                let switches = desk.ahead.look();
                desk.switches.extend(switches);
            }
            return;
        };
        desk.ahead.rest();
        if desk.hold > 0 {
            desk.hold -= 1;
            return;
        }
        // A prompt that is being printed is waited for, but not a program that never pauses.
        let prints = active.get(usize::from(reader)) == Some(&true);
        if desk.pause > 0 && prints {
            desk.pause -= 1;
            return;
        }
        let files = listed(engine, &self.tables, reader).unwrap_or_default();
        let files = files.into_iter().map(|file| String::from_utf8_lossy(&file.name).into_owned()).collect();
        let prompt = desk.view.edit(reader);
        desk.paper.finish();
        let begun = desk.ahead.next();
        desk.continues = prompt.ends_with(CONTINUING);
        desk.editor.ask(prompt, Words { files, processors: self.names.clone() }, begun);
        desk.is_edited = true;
    }

    /// The machine was given something that no person has typed, and no line is edited yet.
    pub fn rest(&mut self) {
        if let Some(desk) = &mut self.desk {
            (desk.hold, desk.pause) = (TAKEN, PRINTED);
        }
    }

    /// The terminal becomes the console.
    fn take_terminal(&mut self) {
        if let Some(begin) = self.begin.take() {
            begin();
        }
        match Desk::new(&self.names) {
            Ok(mut desk) => {
                desk.view.show(&std::mem::take(&mut self.printed));
                self.desk = Some(desk);
            }
            Err(error) => {
                tell!("error: the terminal can't be the machine's console: {error}\n  help: add --input -");
                self.stop = true;
            }
        }
    }

    /// What there is to give.
    pub fn gift(&mut self) -> Vec<u8> {
        let Some(desk) = &mut self.desk else { return Vec::new() };
        let mut bytes = Vec::new();
        while let Some(key) = desk.pressed() {
            self.stop |= key == Key::Quit || desk.is_meant(key);
            bytes.extend(desk.key(key));
        }
        bytes.extend(std::mem::take(&mut desk.switches));
        while let Some(said) = desk.said() {
            match said {
                Said::Line(line) => bytes.extend(desk.line(line)),
                Said::Key(key) => {
                    self.stop |= key == Key::Quit;
                    desk.interrupted = None;
                    bytes.extend(desk.key(key));
                    // The shell gives up the lines before, too, once it reads one.
                    if key == Key::Interrupt && std::mem::take(&mut desk.continues) {
                        bytes.extend(desk.line(String::new()));
                    }
                }
                Said::Switch(number) => bytes.extend(desk.switch(number)),
                Said::End => bytes.extend(desk.end()),
            }
        }
        bytes
    }

    /// Waits for something to be said, but no longer than this.
    pub fn wait(&mut self, most: Duration) {
        let Some(desk) = self.desk.as_mut().filter(|desk| desk.is_edited && desk.waiting.is_empty()) else {
            return std::thread::sleep(most);
        };
        let said = desk.editor.wait(most);
        desk.waiting.extend(said);
    }

    /// The machine has printed these bytes, each on a processor.
    pub fn see(&mut self, bytes: &[(u8, u8)]) {
        match &mut self.desk {
            None => self.printed.extend(bytes),
            Some(desk) => {
                bytes.iter().for_each(|(processor, _)| desk.active[usize::from(*processor)] = true);
                desk.view.show(bytes);
            }
        }
    }
}

impl Desk {
    fn new(names: &[String]) -> io::Result<Desk> {
        let keys = Keys::take()?;
        let modes = Modes::take()?;
        let editor = Editor::new(history())?;
        let (view, paper) = (View::new(names, editor.paper(), true), editor.paper());
        Ok(Desk {
            view,
            paper,
            modes: Some(modes),
            editor,
            keys,
            ahead: Ahead::default(),
            switches: Vec::new(),
            waiting: Vec::new(),
            is_edited: false,
            continues: false,
            ended: false,
            hold: 0,
            pause: PRINTED,
            active: vec![false; names.len()],
            interrupted: None,
        })
    }

    /// The next key that was pressed while nobody edited a line, or as somebody began to.
    fn pressed(&self) -> Option<Key> {
        self.keys.pressed().filter(|_| !self.ended)
    }

    /// The next thing that the editor was told.
    fn said(&mut self) -> Option<Said> {
        if self.ended {
            return None;
        }
        let said = if self.waiting.is_empty() { self.editor.said() } else { Some(self.waiting.remove(0)) }?;
        self.is_edited = false;
        (self.hold, self.pause) = (TAKEN, PRINTED);
        Some(said)
    }

    /// Bytes for a line that was edited.
    fn line(&mut self, line: String) -> Vec<u8> {
        let mut bytes = line.into_bytes();
        bytes.push(b'\n');
        self.view.typed(&bytes);
        bytes
    }

    /// Bytes that lead the console to the shell of another processor.
    fn switch(&mut self, number: char) -> Vec<u8> {
        self.view.pressed("");
        vec![SWITCH, number as u8]
    }

    fn end(&mut self) -> Vec<u8> {
        self.ended = true;
        self.view.typed(&[END_OF_INPUT]);
        vec![END_OF_INPUT]
    }

    /// Whether Ctrl-C means the run and not the machine: it is the second one soon, and nobody has
    /// read a line in between.
    fn is_meant(&mut self, key: Key) -> bool {
        if key != Key::Interrupt || self.is_edited {
            return false;
        }
        let before = self.interrupted.replace(Instant::now());
        before.is_some_and(|before| before.elapsed() < TWICE)
    }

    /// Bytes for a key.
    fn key(&mut self, key: Key) -> Vec<u8> {
        let (shown, byte) = match key {
            Key::Interrupt => ("^C", Some(INTERRUPT)),
            Key::Suspend => ("^Z", Some(PAUSE)),
            Key::Quit => ("^\\", None),
        };
        self.ahead.clear();
        // A key that came as the editor began leaves the line as it is.
        if !self.is_edited {
            self.view.pressed(shown);
        }
        byte.into_iter().collect()
    }
}
