//! What shells ask of whoever types at their console, found in what they print, and the answers
//! (`testbed_definitions::asking`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use testbed_definitions::asking::{letters, ANSWER, BETWEEN, DATA, ENQUIRY, GET, LINE_BYTES, PUT, REFUSAL, SIZE};
use testbed_emulator::load::{self, LoadError};
use testbed_machine::Machine;

use crate::names;
use crate::store::Stored;

/// Bytes of a request, at most: what is longer is none.
const REQUEST_BYTES: usize = 2048;

/// What a shell asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// The bytes of a file of the host.
    Put { path: String },
    /// The host is to keep a file of a processor.
    Get { processor: u8, name: String, path: Option<String> },
    /// How large is the window in which somebody types?
    Size,
}

impl Request {
    fn read(line: &[u8]) -> Option<Request> {
        let words = line.split(|&byte| byte == BETWEEN).map(|word| String::from_utf8(word.to_vec()).ok());
        let words: Vec<String> = words.collect::<Option<_>>()?;
        let mut words = words.into_iter();
        let (kind, first, second, third) = (words.next()?, words.next(), words.next(), words.next());
        match (&kind[..], first, second, third, words.next()) {
            (PUT, Some(path), None, None, None) => Some(Request::Put { path }),
            (GET, Some(processor), Some(name), path, None) => {
                Some(Request::Get { processor: processor.parse().ok()?, name, path })
            }
            (SIZE, None, None, None, None) => Some(Request::Size),
            _ => None,
        }
    }
}

/// Finds requests in what processors print.
#[derive(Debug, Default)]
pub struct Ear {
    /// By processor: its request so far, or that it is within another line.
    lines: BTreeMap<u8, Line>,
}

#[derive(Debug)]
enum Line {
    Request(Vec<u8>),
    Other,
}

impl Ear {
    /// Takes what was printed, each byte behind its processor. Returns what of it is for people, and
    /// the requests.
    pub fn hear(&mut self, printed: impl IntoIterator<Item = (u8, u8)>) -> (Vec<(u8, u8)>, Vec<Request>) {
        let (mut shown, mut requests) = (Vec::new(), Vec::new());
        for (processor, byte) in printed {
            match (self.lines.get_mut(&processor), byte) {
                (Some(Line::Request(line)), b'\n') => {
                    requests.extend(Request::read(line));
                    self.lines.remove(&processor);
                    continue;
                }
                (Some(Line::Request(line)), byte) if line.len() < REQUEST_BYTES => {
                    line.push(byte);
                    continue;
                }
                (None, ENQUIRY) => {
                    self.lines.insert(processor, Line::Request(Vec::new()));
                    continue;
                }
                (_, b'\n') => drop(self.lines.remove(&processor)),
                _ => drop(self.lines.insert(processor, Line::Other)),
            }
            shown.push((processor, byte));
        }
        (shown, requests)
    }
}

/// An answer with a number, and what else there is to say.
pub fn answer(number: usize, text: &str) -> Vec<u8> {
    let blank = if text.is_empty() { "" } else { " " };
    [&[ANSWER], number.to_string().as_bytes(), blank.as_bytes(), plain(text).as_bytes(), b"\n"].concat()
}

/// The answer that there is none, and why, in a line.
pub fn refusal(why: &str) -> Vec<u8> {
    [&[REFUSAL], plain(why).as_bytes(), b"\n"].concat()
}

/// Text as an answer can have it.
fn plain(text: &str) -> String {
    text.trim().chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(200).collect()
}

/// The answer that has a file.
pub fn file(bytes: &[u8]) -> Vec<u8> {
    let mut text = answer(bytes.len(), "");
    for line in bytes.chunks(LINE_BYTES) {
        text.push(DATA);
        line.chunks(3).for_each(|group| text.extend(letters(group)));
        text.push(b'\n');
    }
    text
}

/// The bytes of a file from outside as a filestore of `machine` has them: a program without what only
/// debuggers read, and with the names of processors.
///
/// # Errors
/// It is a program for another machine, or larger than a file can be.
pub fn stored(machine: &Machine, mut file: Stored) -> Result<Vec<u8>, String> {
    names::insert(&mut file.bytes, machine);
    let said = |error: LoadError| error.to_string().lines().next().unwrap_or_default().to_string();
    load::stored(&file.as_file()).map(Cow::into_owned).map_err(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hear(ear: &mut Ear, text: &[u8]) -> (String, Vec<Request>) {
        let (shown, requests) = ear.hear(text.iter().map(|&byte| (1, byte)));
        (String::from_utf8(shown.into_iter().map(|(_, byte)| byte).collect()).unwrap(), requests)
    }

    #[test]
    fn requests_are_lines_of_their_own() {
        let mut ear = Ear::default();
        let get = |path: Option<&str>| Request::Get { processor: 3, name: "n".into(), path: path.map(String::from) };
        assert_eq!(hear(&mut ear, b"$ \x05put\tx\n\x05pu"), ("$ \x05put\tx\n".into(), vec![]));
        assert_eq!(hear(&mut ear, b"t\ta b\nmore"), ("more".into(), vec![Request::Put { path: "a b".into() }]));
        assert_eq!(hear(&mut ear, b"\n\x05get\t3\tn\n"), ("\n".into(), vec![get(None)]));
        assert_eq!(hear(&mut ear, b"\x05get\t3\tn\tp\n\x05size\n"), ("".into(), vec![get(Some("p")), Request::Size]));
        for wrong in ["", "put", "put\ta\tb", "get\t300\tn", "get\t1", "size\t1", "list"] {
            assert_eq!(hear(&mut ear, format!("\x05{wrong}\n").as_bytes()), ("".into(), vec![]), "{wrong}");
        }
        // Two processors at once.
        let both = ear.hear([(1, ENQUIRY), (2, b'a'), (1, b's'), (2, b'\n'), (1, b'\n')]);
        assert_eq!(both, (vec![(2, b'a'), (2, b'\n')], vec![]));
    }

    #[test]
    fn a_line_without_end_is_no_request() {
        let mut ear = Ear::default();
        let (shown, requests) = hear(&mut ear, &[&[ENQUIRY][..], &[b'x'; 3000], b"\n\x05size\n"].concat());
        assert_eq!((shown.len(), requests), (3000 - REQUEST_BYTES + 1, vec![Request::Size]));
    }

    #[test]
    fn an_answer_is_one_line() {
        assert_eq!(answer(7, "out/a\nb\x04c"), b"=7 out/a b c\n");
        assert_eq!(refusal("no\n  help: yes"), b"!no   help: yes\n");
        assert_eq!(file(b"foo"), b"=3\n#Zm9v\n");
    }
}
