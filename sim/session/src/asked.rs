//! What shells ask of the host while they run: files to and fro, and how large the terminal is.
//!
//! The host does only what was typed here: a path has to stand in a line that was given. So no
//! program of the machine reaches a file of the host by itself. Behind a line that may ask for
//! something the input waits until that is answered, or somebody reads on; so an answer comes ahead
//! of what was typed, or piped, behind its command. Answers are input as any other, and recorded.

use std::collections::VecDeque;

use testbed_emulator::engine::Engine;

use crate::asking::{answer, file, refusal, Ear, Request};
use crate::look::Tables;

/// Commands that ask, or may.
const ASKING: [&str; 3] = ["put", "get", "stty"];
/// Chunks for which somebody has read on after which nothing is asked.
const READS: u32 = 4;
/// Bytes of what was typed in which a path is looked for.
const TYPED_BYTES: usize = 16 << 10;

/// The files of the host, as whoever types may have them.
pub trait Host {
    /// The bytes of a file as a filestore is to have them.
    ///
    /// # Errors
    /// Why it can't be had, in a line.
    fn put(&mut self, path: &str) -> Result<Vec<u8>, String>;

    /// Keeps a file of a processor of a machine that stands still. Returns its size and where it is.
    ///
    /// # Errors
    /// Why it can't be kept, in a line.
    fn get(
        &mut self,
        engine: &dyn Engine,
        processor: u8,
        name: &str,
        path: Option<&str>,
    ) -> Result<(usize, String), String>;

    /// Rows and columns of the window in which somebody types.
    ///
    /// # Errors
    /// There is none.
    fn size(&mut self) -> Result<(u16, u16), String>;
}

/// What is asked, and the input meanwhile.
pub struct Asked {
    host: Box<dyn Host + Send>,
    tables: Tables,
    ear: Ear,
    requests: VecDeque<Request>,
    answers: Vec<u8>,
    /// What is still to be given, and what was.
    held: VecDeque<u8>,
    typed: Vec<u8>,
    /// Where in it the last line begins.
    line: usize,
    /// A line was given that may ask for something, and for so many chunks nobody has.
    waits: Option<u32>,
}

impl Asked {
    /// Of a machine whose kernel has these tables.
    pub fn new(tables: Tables, host: Box<dyn Host + Send>) -> Self {
        Asked {
            host,
            tables,
            ear: Ear::default(),
            requests: VecDeque::new(),
            answers: Vec::new(),
            held: VecDeque::new(),
            typed: Vec::new(),
            line: 0,
            waits: None,
        }
    }

    /// Takes what was printed. Returns what of it is for people.
    pub fn hear(&mut self, printed: &[(u8, u8)]) -> Vec<(u8, u8)> {
        let (shown, requests) = self.ear.hear(printed.iter().copied());
        self.requests.extend(requests);
        shown
    }

    /// Whether something is to be answered.
    pub fn is_asked(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Bytes that are held back.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// A chunk of the machine's time has ended, and it stands still.
    pub fn look(&mut self, engine: &mut dyn Engine) {
        // Behind a line that was not known to ask, more was given, and an answer would come too late.
        let is_late = self.waits.is_none() && (engine.console_waiting() > 0 || !self.held.is_empty());
        while let Some(request) = self.requests.pop_front() {
            if is_late {
                continue;
            }
            let answer = self.answer(&request, engine).unwrap_or_else(|why| refusal(&why));
            self.answers.extend(answer);
            self.waits = self.waits.map(|_| 0);
        }
        if let Some(waits) = &mut self.waits {
            let is_idle = engine.console_waiting() == 0 && self.tables.reading(engine).is_some();
            *waits = if is_idle { *waits + 1 } else { 0 };
            if *waits > READS {
                self.waits = None;
            }
        }
    }

    /// What is to be given now: answers first, then of what was typed, now or earlier, as much as may.
    pub fn pass(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.held.extend(bytes);
        let mut now = std::mem::take(&mut self.answers);
        while self.waits.is_none() {
            let Some(byte) = self.held.pop_front() else { break };
            now.push(byte);
            self.typed.push(byte);
            if byte == b'\n' {
                self.waits = asks(&self.typed[self.line..]).then_some(0);
                let old = self.typed.len().saturating_sub(TYPED_BYTES);
                self.typed.drain(..old);
                self.line = self.typed.len();
            }
        }
        now
    }

    fn answer(&mut self, request: &Request, engine: &dyn Engine) -> Result<Vec<u8>, String> {
        match request {
            Request::Put { path } => {
                self.check(path)?;
                self.host.put(path).map(|bytes| file(&bytes))
            }
            Request::Get { processor, name, path } => {
                path.as_deref().map_or(Ok(()), |path| self.check(path))?;
                let (bytes, place) = self.host.get(engine, *processor, name, path.as_deref())?;
                Ok(answer(bytes, &place))
            }
            Request::Size => self.host.size().map(|(rows, columns)| answer(rows.into(), &columns.to_string())),
        }
    }

    /// A path is one that was typed.
    fn check(&self, path: &str) -> Result<(), String> {
        let is_typed = !path.is_empty() && self.typed.windows(path.len()).any(|part| part == path.as_bytes());
        is_typed.then_some(()).ok_or_else(|| format!("{path} was not typed at this console; type the path as it is"))
    }
}

/// Whether a line has a command that asks, in whatever place.
fn asks(line: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric();
    line.split(|byte| !is_part(byte)).any(|word| ASKING.iter().any(|command| command.as_bytes() == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_wherever_they_stand() {
        for line in ["put a\n", "if true; then get x;fi\n", "(put a)\n", "stty size\n"] {
            assert!(asks(line.as_bytes()), "{line}");
        }
        for line in ["output\n", "putty gets\n", "\n"] {
            assert!(!asks(line.as_bytes()), "{line}");
        }
    }
}
