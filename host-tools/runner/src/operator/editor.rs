//! Lines that a person edits in a terminal: a thread of its own waits for keys, and shows what the
//! machine prints meanwhile above the line that is being edited.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::Arc;
use std::time::Duration;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Context, Event, EventContext, EventHandler, ExternalPrinter,
    Helper, KeyCode, KeyEvent, Modifiers, RepeatCount,
};

use super::ahead::Begun;
use super::words::Words;
use crate::signals::Key;

/// Lines that the history keeps.
const HISTORY_LINES: usize = 1_000;
/// How long the end of a run waits for what is to be shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a person has said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A line, without its newline.
    Line(String),
    /// A key that concerns what runs on the machine, or the run; the line is given up.
    Key(Key),
    /// The console is to be at the shell of the processor with this number; the line is given up.
    Switch(char),
    /// Nothing more will come.
    End,
}

/// Where a line is: nobody edits one, one was asked for, or it is on the screen.
const NONE: u8 = 0;
const ASKED: u8 = 1;
const DRAWN: u8 = 2;

/// What a line is to be edited behind, the words that can be completed in it, and what it has.
type Question = (String, Words, Begun);

/// A person at a terminal.
pub struct Editor {
    ask: Sender<Question>,
    said: Receiver<Said>,
    paper: Paper,
    phase: Arc<AtomicU8>,
}

impl Editor {
    /// Takes standard input and output, which are a terminal. Lines of earlier runs are in the file
    /// `history`; if it can't be read or written, there are none.
    ///
    /// # Errors
    /// The terminal can't be written to above a line.
    pub fn new(history: Option<PathBuf>) -> io::Result<Editor> {
        let phase = Arc::new(AtomicU8::new(NONE));
        let config = Config::builder().completion_type(CompletionType::List).auto_add_history(false);
        let config =
            config.history_ignore_space(true).max_history_size(HISTORY_LINES).map_err(io::Error::other)?.build();
        let mut editor = rustyline::Editor::<Desk, FileHistory>::with_config(config).map_err(io::Error::other)?;
        let printer = editor.create_external_printer().map_err(io::Error::other)?;
        let key = Arc::new(AtomicU8::new(0));
        for (letter, code) in [('Z', SUSPEND), ('\\', QUIT), (']', SWITCHING)] {
            let handler = EventHandler::Conditional(Box::new(Pressed { code, key: Arc::clone(&key) }));
            editor.bind_sequence(KeyEvent::ctrl(letter), handler);
        }
        let handler = EventHandler::Conditional(Box::new(Number { key: Arc::clone(&key) }));
        editor.bind_sequence(Event::Any, handler);
        editor.set_helper(Some(Desk { words: Words::default(), phase: Arc::clone(&phase) }));
        if let Some(path) = &history {
            let _ = editor.load_history(path);
        }
        let (ask, asked) = mpsc::channel();
        let (sender, said) = mpsc::channel();
        let turn = Turn { editor, history, key, phase: Arc::clone(&phase) };
        // Reading can't be interrupted, so the thread is left alone when the run is over.
        std::thread::spawn(move || turn.serve(&asked, &sender));
        Ok(Editor { ask, said, paper: Paper::new(printer, Arc::clone(&phase)), phase })
    }

    /// Where the machine's output goes.
    pub fn paper(&self) -> Paper {
        self.paper.clone()
    }

    /// Lets the person edit a line behind `prompt`, of which that much has been typed; Tab completes
    /// `words`.
    pub fn ask(&self, prompt: String, words: Words, begun: Begun) {
        self.phase.store(ASKED, Ordering::SeqCst);
        // Without the thread the receiver says that nothing comes.
        let _ = self.ask.send((prompt, words, begun));
    }

    /// What was said meanwhile.
    pub fn said(&self) -> Option<Said> {
        match self.said.try_recv() {
            Ok(said) => Some(said),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Said::End),
        }
    }

    /// Waits for something to be said, but no longer than this.
    pub fn wait(&self, most: Duration) -> Option<Said> {
        match self.said.recv_timeout(most) {
            Ok(said) => Some(said),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Said::End),
        }
    }
}

/// The thread that edits.
struct Turn {
    editor: rustyline::Editor<Desk, FileHistory>,
    history: Option<PathBuf>,
    /// The key that has ended a line, if it was not Ctrl-C.
    key: Arc<AtomicU8>,
    phase: Arc<AtomicU8>,
}

impl Turn {
    fn serve(mut self, asked: &Receiver<Question>, sender: &Sender<Said>) {
        for (prompt, words, begun) in asked {
            if let Some(desk) = self.editor.helper_mut() {
                desk.words = words;
            }
            let said = match begun {
                Begun::Nothing => self.edit(&prompt, ""),
                Begun::Part(text) => self.edit(&prompt, &text),
                Begun::Line(line) => self.repeat(&prompt, line),
                Begun::End => Said::End,
            };
            self.phase.store(NONE, Ordering::SeqCst);
            let is_over = said == Said::End;
            if sender.send(said).is_err() || is_over {
                return;
            }
        }
    }

    fn edit(&mut self, prompt: &str, begun: &str) -> Said {
        match self.editor.readline_with_initial(prompt, (begun, "")) {
            Ok(line) => match self.key.swap(0, Ordering::SeqCst) {
                0 | SWITCHING => {
                    self.keep(&line);
                    Said::Line(line)
                }
                number => Said::Switch(char::from(number)),
            },
            Err(ReadlineError::Interrupted) => Said::Key(match self.key.swap(0, Ordering::SeqCst) {
                SUSPEND => Key::Suspend,
                QUIT => Key::Quit,
                _ => Key::Interrupt,
            }),
            Err(_) => Said::End,
        }
    }

    /// Shows a line that was typed ahead where it would have been edited.
    fn repeat(&mut self, prompt: &str, line: String) -> Said {
        println!("\r{prompt}{line}");
        self.keep(&line);
        Said::Line(line)
    }

    /// A line that can't be kept is given all the same.
    fn keep(&mut self, line: &str) {
        let _ = self.editor.add_history_entry(line);
        if let Some(path) = &self.history {
            let _ = self.editor.append_history(path);
        }
    }
}

const SUSPEND: u8 = 1;
const QUIT: u8 = 2;
/// The number of a processor is to follow.
const SWITCHING: u8 = 3;

/// Ends a line as Ctrl-C does, and notes which key it was: a code, or a processor's number as it was
/// typed.
struct Pressed {
    code: u8,
    key: Arc<AtomicU8>,
}

impl ConditionalEventHandler for Pressed {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext) -> Option<Cmd> {
        self.key.store(self.code, Ordering::SeqCst);
        Some(if self.code == SWITCHING { Cmd::Noop } else { Cmd::Interrupt })
    }
}

/// Ends a line at the number of a processor behind Ctrl-]; other keys are left to the editor. It ends
/// as one that was typed does, since of one that is interrupted what stands behind it is lost too.
struct Number {
    key: Arc<AtomicU8>,
}

impl ConditionalEventHandler for Number {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, _: &EventContext) -> Option<Cmd> {
        if self.key.compare_exchange(SWITCHING, 0, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return None;
        }
        let KeyEvent(KeyCode::Char(number), Modifiers::NONE) = event.get(0)? else { return None };
        number.is_ascii_hexdigit().then(|| {
            self.key.store(number.to_ascii_lowercase() as u8, Ordering::SeqCst);
            Cmd::AcceptLine
        })
    }
}

/// What the editor asks about the line.
struct Desk {
    words: Words,
    phase: Arc<AtomicU8>,
}

impl Helper for Desk {}
impl Highlighter for Desk {}
impl Validator for Desk {}

impl Hinter for Desk {
    type Hint = String;

    /// There are no hints; but whoever asks has begun to draw the line.
    fn hint(&self, _: &str, _: usize, _: &Context<'_>) -> Option<String> {
        self.phase.store(DRAWN, Ordering::SeqCst);
        None
    }
}

impl Completer for Desk {
    type Candidate = String;

    fn complete(&self, line: &str, place: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.words.complete(&line[..place]))
    }
}

/// The terminal's screen, above a line that is being edited or without one.
#[derive(Clone)]
pub struct Paper {
    sender: Sender<Part>,
    buffer: Vec<u8>,
}

enum Part {
    Text(String),
    /// Says when all ahead of it is shown.
    Done(Sender<()>),
}

impl Paper {
    fn new(mut printer: impl ExternalPrinter + Send + 'static, phase: Arc<AtomicU8>) -> Paper {
        let (sender, parts) = mpsc::channel();
        // The printer waits for the thread that edits, which the machine need not.
        std::thread::spawn(move || {
            for part in parts {
                match part {
                    Part::Text(text) => {
                        wait_while_asked(&phase);
                        let _ = printer.print(text);
                    }
                    Part::Done(done) => drop(done.send(())),
                }
            }
        });
        Paper { sender, buffer: Vec::new() }
    }

    /// Waits until all is shown; not for ever, as a terminal may have gone.
    pub fn finish(&self) {
        let (done, waits) = mpsc::channel();
        if self.sender.send(Part::Done(done)).is_ok() {
            let _ = waits.recv_timeout(PATIENCE);
        }
    }
}

/// Between asking for a line and drawing it, nobody knows where on the screen text would go.
fn wait_while_asked(phase: &AtomicU8) {
    for _ in 0..PATIENCE.as_millis() {
        if phase.load(Ordering::SeqCst) != ASKED {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.buffer)).into_owned();
        self.sender.send(Part::Text(text)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}
