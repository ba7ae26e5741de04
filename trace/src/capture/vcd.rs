//! Value changes of some signals of a VCD file.
//!
//! It reads as much of the format as the waves of a few signals need, line by line, and takes
//! whatever it does not understand for a fault with a place: libraries for VCD stop, or panic,
//! where a file is damaged.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::error::{CaptureError, Context};

/// Longer lines are faults; declarations and values are far shorter.
const LINE: u64 = 4096;
/// Bytes of declarations, at most: those of the whole machine take a tenth.
const DECLARATIONS: u64 = 64 << 20;
/// Identifiers that are looked up, at most: base 94, so up to three characters, and as many of four as fit.
const IDENTIFIERS: usize = 1 << 22;

/// Sections of the body, without the `$`.
const SECTIONS: [&[u8]; 6] = [b"dumpvars", b"dumpall", b"dumpon", b"dumpoff", b"comment", b"end"];

/// What a line of the body says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Time(u64),
    /// Number of the signal among those asked for; `None`: not all bits are known.
    Value(usize, Option<u32>),
    /// Not a line that a VCD can have.
    Fault,
}

/// What an identifier stands for.
#[derive(Clone, Copy, Debug, Default)]
enum Signal {
    #[default]
    Undeclared,
    Other,
    /// Number of the signal among those asked for, and its width.
    Wanted(u8, u8),
}

/// A VCD file.
pub(super) struct Vcd {
    path: PathBuf,
    source: BufReader<File>,
    line: Vec<u8>,
    offset: u64,
    /// By identifier.
    signals: Vec<Signal>,
    found: Vec<bool>,
}

/// The number that an identifier stands for.
fn number(identifier: &[u8]) -> Option<usize> {
    let digit = |byte: &u8| (b'!'..=b'~').contains(byte).then(|| usize::from(byte - b'!') + 1);
    let number = identifier.iter().try_fold(0usize, |sum, byte| sum.checked_mul(94)?.checked_add(digit(byte)?));
    number.filter(|number| (1..IDENTIFIERS).contains(number))
}

impl Vcd {
    /// Opens a file and reads its declarations. Signals are those called `wanted` in a scope called `scope`.
    pub fn open(path: &Path, scope: &str, wanted: &[String]) -> Result<Self, CaptureError> {
        let file = File::open(path).at("open", path)?;
        let mut vcd = Vcd {
            path: path.into(),
            source: BufReader::with_capacity(1 << 16, file),
            line: Vec::new(),
            offset: 0,
            signals: Vec::new(),
            found: vec![false; wanted.len()],
        };
        vcd.declarations(scope, wanted)?;
        Ok(vcd)
    }

    /// Whether the file has a signal.
    pub fn has(&self, signal: usize) -> bool {
        self.found[signal]
    }

    /// Byte offset of the next line.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads a line. Returns whether there is one.
    fn read(&mut self) -> Result<bool, CaptureError> {
        self.line.clear();
        let mut limited = (&mut self.source).take(LINE);
        let read = limited.read_until(b'\n', &mut self.line).at("read", &self.path)?;
        self.offset += read as u64;
        Ok(read > 0)
    }

    fn declarations(&mut self, scope: &str, wanted: &[String]) -> Result<(), CaptureError> {
        let mut scopes: Vec<String> = Vec::new();
        while self.offset < DECLARATIONS && self.read()? {
            let line = String::from_utf8_lossy(&self.line).into_owned();
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            match words[..] {
                ["$scope", _, name, ..] => scopes.push(name.into()),
                ["$upscope", ..] => drop(scopes.pop()),
                ["$var", _, width, identifier, name, ..] => {
                    let is_there = scopes.last().is_some_and(|last| last == scope);
                    self.declare(
                        width,
                        identifier,
                        wanted.iter().position(|wanted| {
                            // A range may be a part of the name.
                            is_there && name.split('[').next() == Some(wanted)
                        }),
                    );
                }
                ["$enddefinitions", ..] => return Ok(()),
                _ => {}
            }
        }
        let message = format!("this is no VCD file: its first {} bytes have no `$enddefinitions`", self.offset);
        Err(CaptureError::Wave { path: self.path.clone(), message })
    }

    fn declare(&mut self, width: &str, identifier: &str, wanted: Option<usize>) {
        let Some(number) = number(identifier.as_bytes()) else { return };
        if self.signals.len() <= number {
            self.signals.resize(number + 1, Signal::Undeclared);
        }
        let width = width.parse::<u8>().ok().filter(|width| (1..=32).contains(width));
        match (wanted, width) {
            (Some(signal), Some(width)) => {
                self.signals[number] = Signal::Wanted(signal as u8, width);
                self.found[signal] = true;
            }
            // Several names may share an identifier.
            _ if matches!(self.signals[number], Signal::Undeclared) => self.signals[number] = Signal::Other,
            _ => {}
        }
    }

    /// The next change of time or of a signal asked for; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Change>, CaptureError> {
        loop {
            if !self.read()? {
                return Ok(None);
            }
            if let Some(change) = self.change() {
                return Ok(Some(change));
            }
        }
    }

    /// What the line says; `None`: nothing of interest.
    fn change(&self) -> Option<Change> {
        let Some((&b'\n', line)) = self.line.split_last() else { return Some(Change::Fault) };
        let (&first, rest) = line.split_first()?;
        match first {
            b'#' => {
                let time = std::str::from_utf8(rest).ok().and_then(|time| time.trim_end().parse().ok());
                Some(time.map_or(Change::Fault, Change::Time))
            }
            b'b' | b'B' => {
                let mut words = rest.split(|byte| *byte == b' ');
                let (bits, identifier) = (words.next()?, words.next());
                let Some(number) = identifier.and_then(number) else { return Some(Change::Fault) };
                self.value(number, bits)
            }
            b'0' | b'1' | b'x' | b'X' | b'z' | b'Z' => match number(rest) {
                Some(number) => self.value(number, &line[..1]),
                None => Some(Change::Fault),
            },
            // Reals and strings: none of the signals asked for.
            b'r' | b'R' | b's' | b'S' => {
                let identifier = rest.split(|byte| *byte == b' ').nth(1);
                match identifier.and_then(number).and_then(|number| self.signals.get(number)) {
                    Some(Signal::Other) => None,
                    _ => Some(Change::Fault),
                }
            }
            b'$' => {
                let keyword = rest.split(u8::is_ascii_whitespace).next();
                (!keyword.is_some_and(|keyword| SECTIONS.contains(&keyword))).then_some(Change::Fault)
            }
            b if b.is_ascii_whitespace() => None,
            _ => Some(Change::Fault),
        }
    }

    fn value(&self, number: usize, bits: &[u8]) -> Option<Change> {
        let (signal, width) = match self.signals.get(number) {
            Some(&Signal::Wanted(signal, width)) => (usize::from(signal), width),
            Some(Signal::Other) => return None,
            _ => return Some(Change::Fault),
        };
        if bits.is_empty() || bits.len() > usize::from(width) {
            return Some(Change::Fault);
        }
        let value = bits.iter().try_fold(0u32, |sum, bit| match bit {
            b'0' | b'1' => Some(sum << 1 | u32::from(bit - b'0')),
            _ => None,
        });
        Some(Change::Value(signal, value))
    }
}
