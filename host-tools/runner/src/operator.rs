//! Who sits at the machine's console: nobody, a file, or a person.
//!
//! What is given is recorded with its cycle ([`Gift`]), so that any run can be repeated.

mod ahead;
mod editor;
mod modes;
mod terminal;
mod view;
mod words;

use std::collections::VecDeque;
use std::io::{BufRead, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, TryRecvError};
use std::sync::Arc;
use std::time::Duration;

use testbed_definitions::syscall::END_OF_INPUT;
use testbed_trace::waits::Input;

use testbed_sim::engine::Engine;
use testbed_trace::capture::Gift;

pub use modes::{is_capable, window};
pub use terminal::Terminal;
pub use testbed_session::asked::{Asked, Host};
pub use view::View;
pub use words::commands;

/// Gives the machine input, and may look at what it prints.
#[derive(Default)]
pub struct Operator {
    source: Source,
    view: Option<View>,
    /// What the machine asks; nobody is asked when input is given again.
    asked: Option<Asked>,
    /// Set when the run is to end.
    stop: Option<Arc<AtomicBool>>,
    /// The run has no end in time once a person sits at the terminal.
    is_open: bool,
}

#[derive(Default)]
enum Source {
    /// What is still to be given.
    Script(VecDeque<Gift>),
    /// Pieces as they come; what came while we waited.
    Live { pieces: Receiver<Vec<u8>>, waiting: Vec<u8>, ended: bool },
    /// A person, as soon as the machine wants one.
    Terminal(Box<Terminal>),
    #[default]
    Nobody,
}

/// Pieces that are read before the machine is given them: whoever writes faster waits.
const PIECES_AHEAD: usize = 16;
/// A gift of live input has about so many bytes at most, so that one who writes without an end does
/// not keep the machine from going on.
const GIFT_BYTES: usize = 64 << 10;

impl Operator {
    /// Gives nothing.
    pub fn nobody() -> Self {
        Self::default()
    }

    /// Gives all of `bytes` from cycle 0 on, and behind them the end of input.
    pub fn at_once(mut bytes: Vec<u8>) -> Self {
        if bytes.last() != Some(&END_OF_INPUT) {
            bytes.push(END_OF_INPUT);
        }
        Self::replay(vec![Gift { cycle: 0, bytes }])
    }

    /// Gives what was given before; in order of cycle.
    pub fn replay(gifts: Vec<Gift>) -> Self {
        Operator { source: Source::Script(gifts.into()), ..Operator::default() }
    }

    /// Gives what `input` has as it comes, and the end of input when it ends or can't be read any
    /// more. A terminal has it line by line, a pipe also key by key.
    pub fn live(input: impl BufRead + Send + 'static) -> Self {
        let (sender, pieces) = mpsc::sync_channel(PIECES_AHEAD);
        // Reading can't be interrupted, so the thread is left alone when the run is over.
        std::thread::spawn(move || read_pieces(input, &mut |piece| sender.send(piece).is_ok()));
        Operator { source: Source::Live { pieces, waiting: Vec::new(), ended: false }, ..Operator::default() }
    }

    /// Has the terminal become the machine's console when that wants input. `is_open`: the run then
    /// goes on for as long as it takes, whatever its limit was.
    pub fn terminal(terminal: Terminal, is_open: bool) -> Self {
        Operator { source: Source::Terminal(Box::new(terminal)), is_open, ..Operator::default() }
    }

    /// Shows what the processors print as it comes.
    pub fn with_view(self, view: View) -> Self {
        Operator { view: Some(view), ..self }
    }

    /// Answers what shells ask.
    pub fn with_asked(self, asked: Asked) -> Self {
        Operator { asked: Some(asked), ..self }
    }

    /// Bytes of input that were held back to the end.
    pub fn held(&self) -> usize {
        self.asked.as_ref().map_or(0, Asked::held)
    }

    /// Ends the run when `stop` is set.
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Self {
        Operator { stop: Some(stop), ..self }
    }

    /// Whether the run is to end now.
    pub fn stops(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| match &self.source {
            Source::Terminal(terminal) => terminal.stops(stop),
            _ => stop.load(Ordering::Relaxed),
        })
    }

    /// Whether it may be a person at the terminal, who has the key Ctrl-C.
    pub fn is_terminal(&self) -> bool {
        matches!(self.source, Source::Terminal(_))
    }

    /// Whether a person has the terminal, who has seen all that was printed.
    pub fn has_terminal(&self) -> bool {
        matches!(&self.source, Source::Terminal(terminal) if terminal.has_begun())
    }

    /// The cycle at which the run ends, if nothing else ends it.
    pub fn limit(&self, limit: u64) -> u64 {
        match self.is_open && self.has_terminal() {
            true => u64::MAX,
            false => limit,
        }
    }

    /// A chunk of the machine's time has ended, and it stands still.
    pub fn look(&mut self, engine: &mut dyn Engine) {
        // Who reads waits for an answer then, and for no line.
        let is_asked = self.asked.as_ref().is_some_and(Asked::is_asked);
        if let Some(asked) = &mut self.asked {
            asked.look(engine);
        }
        match &mut self.source {
            Source::Terminal(terminal) if is_asked => terminal.rest(),
            Source::Terminal(terminal) => terminal.look(engine),
            _ => {}
        }
    }

    /// What console input there was to give, from anybody.
    pub fn input(&self) -> Input {
        match &self.source {
            Source::Nobody => Input::Nobody,
            Source::Terminal(terminal) if !terminal.has_begun() => Input::Nobody,
            _ => Input::Given,
        }
    }

    /// What there is to give in `cycle`.
    pub fn gift(&mut self, cycle: u64) -> Option<Gift> {
        let mut bytes = Vec::new();
        match &mut self.source {
            Source::Nobody => {}
            Source::Terminal(terminal) => bytes = terminal.gift(),
            Source::Script(gifts) => {
                while gifts.front().is_some_and(|gift| gift.cycle <= cycle) {
                    bytes.extend(gifts.pop_front().into_iter().flat_map(|gift| gift.bytes));
                }
            }
            Source::Live { pieces, waiting, ended } => {
                bytes.append(waiting);
                while !*ended && bytes.len() < GIFT_BYTES {
                    match pieces.try_recv() {
                        Ok(piece) => bytes.extend(piece),
                        Err(TryRecvError::Empty) => break,
                        Err(TryRecvError::Disconnected) => {
                            *ended = true;
                            bytes.push(END_OF_INPUT);
                        }
                    }
                }
            }
        }
        if let Some(view) = &mut self.view {
            view.typed(&bytes);
        }
        if let Some(asked) = &mut self.asked {
            bytes = asked.pass(bytes);
        }
        (!bytes.is_empty()).then_some(Gift { cycle, bytes })
    }

    /// Whether more may come that nobody knows yet.
    pub fn is_live(&self) -> bool {
        match &self.source {
            Source::Live { ended, .. } => !ended,
            Source::Terminal(terminal) => terminal.is_live(),
            Source::Script(_) | Source::Nobody => false,
        }
    }

    /// Waits for something to give, but no longer than this.
    pub fn wait(&mut self, most: Duration) {
        if let Source::Terminal(terminal) = &mut self.source {
            return terminal.wait(most);
        }
        let Source::Live { pieces, waiting, .. } = &mut self.source else { return };
        if !waiting.is_empty() {
            return;
        }
        match pieces.recv_timeout(most) {
            Ok(piece) => *waiting = piece,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
    }

    /// The machine has printed these bytes, each on a processor.
    pub fn see(&mut self, bytes: &[(u8, u8)]) {
        let heard = self.asked.as_mut().map(|asked| asked.hear(bytes));
        let bytes = heard.as_deref().unwrap_or(bytes);
        if let Source::Terminal(terminal) = &mut self.source {
            terminal.see(bytes);
        }
        if let Some(view) = &mut self.view {
            view.show(bytes);
        }
    }
}

/// Passes on what `input` has as it comes, a key as well as a line, until it ends or nobody wants it.
fn read_pieces(mut input: impl BufRead, pass: &mut dyn FnMut(Vec<u8>) -> bool) {
    loop {
        let piece = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok([]) | Err(_) => return,
            Ok(piece) => piece.to_vec(),
        };
        input.consume(piece.len());
        if !pass(piece) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn gift(cycle: u64, bytes: &[u8]) -> Gift {
        Gift { cycle, bytes: bytes.to_vec() }
    }

    #[test]
    fn input_without_an_end_comes_in_parts() {
        let mut operator = Operator::live(BufReader::new(std::io::repeat(b'y')));
        for cycle in 0..10 {
            operator.wait(Duration::from_secs(10));
            let gift = operator.gift(cycle).map_or(0, |gift| gift.bytes.len());
            assert!((1..=2 * GIFT_BYTES).contains(&gift), "{gift}");
        }
        assert!(operator.is_live());
    }

    #[test]
    fn a_file_is_given_at_once_and_ends() {
        let mut operator = Operator::at_once(b"ls\n".to_vec());
        assert!(!operator.is_live());
        assert_eq!(operator.gift(0), Some(gift(0, b"ls\n\x04")));
        assert_eq!(operator.gift(65_536), None);
        assert_eq!(Operator::at_once(b"\x04".to_vec()).gift(0), Some(gift(0, b"\x04")));
        assert_eq!(Operator::at_once(vec![]).gift(0), Some(gift(0, b"\x04")));
        assert_eq!(Operator::nobody().gift(0), None);
    }

    #[test]
    fn what_was_recorded_is_given_again_when_its_cycle_has_come() {
        let mut operator = Operator::replay(vec![gift(0, b"a"), gift(131_072, b"b"), gift(131_073, b"c")]);
        assert_eq!(operator.gift(0), Some(gift(0, b"a")));
        assert_eq!(operator.gift(65_536), None);
        assert_eq!(operator.gift(131_072), Some(gift(131_072, b"b")));
        assert_eq!(operator.gift(196_608), Some(gift(196_608, b"c")));
    }

    #[test]
    fn a_person_is_waited_for_and_goes() {
        // One byte at a time, as from a pipe into which each key goes at once.
        let mut operator = Operator::live(BufReader::with_capacity(1, &b"ls\nps"[..]));
        let mut all = Vec::new();
        for cycle in 0..1_000 {
            operator.wait(Duration::from_secs(10));
            all.extend(operator.gift(cycle).map(|gift| gift.bytes).unwrap_or_default());
            if !operator.is_live() {
                break;
            }
        }
        assert_eq!(all, b"ls\nps\x04");
        assert_eq!(operator.gift(2_000), None);
    }
}
