//! Value change dumps of a native simulation.

use std::io::{self, Write};

use rust_hdl::core::atom::Atom;
use rust_hdl::core::probe::Probe;
use rust_hdl::core::synth::VCDValue;
use rust_hdl::prelude::*;

use crate::waves::{time_of, Waves};

/// Every block calls its clock so.
const CLOCK: &str = "clock";

/// Writes a VCD file, in machine time; see [`time_of`].
pub(super) struct Vcd<W: Write> {
    out: W,
    clock_hz: u32,
    /// Value last written of each signal chosen, in the order of the hierarchy.
    last: Vec<Option<String>>,
    choice: Choice,
}

/// Which part of the hierarchy is wanted, and where the walk through it is.
#[derive(Clone)]
struct Choice {
    scope: Vec<String>,
    depth: usize,
    path: Vec<String>,
}

impl Choice {
    /// Whether signals of the instance at `path` are wanted.
    fn includes(&self) -> bool {
        let below = self.path.len() as isize - self.scope.len() as isize;
        self.path.starts_with(&self.scope) && (self.depth == 0 || below < self.depth as isize)
    }

    /// Whether the instance at `path` appears: wanted itself, or on the way to what is.
    fn shows(&self) -> bool {
        self.includes() || self.scope.starts_with(&self.path)
    }
}

impl<W: Write> Vcd<W> {
    /// Writes the header: the signals of `waves` in `block`, a machine with this clock.
    pub(super) fn start(mut out: W, block: &dyn Block, waves: &Waves, clock_hz: u32) -> io::Result<Self> {
        let path = waves.top().split('.').map(String::from).collect();
        let choice = Choice { scope: path, depth: waves.depth as usize, path: Vec::new() };
        let mut header = Header { text: String::new(), signals: 0, choice: choice.clone() };
        block.accept("top", &mut header);
        writeln!(out, "$timescale 1ps $end\n{}$enddefinitions $end", header.text)?;
        Ok(Vcd { out, clock_hz, last: vec![None; header.signals], choice })
    }

    /// Whether the file has any signals.
    pub(super) fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// Writes what has changed in `cycle`.
    pub(super) fn cycle(&mut self, cycle: u64, block: &dyn Block) -> io::Result<()> {
        // Between steps the simulation's clock is low; the file shows it as it is on the bench.
        self.sample(2 * cycle, true, block)?;
        self.sample(2 * cycle + 1, false, block)
    }

    fn sample(&mut self, half: u64, clock: bool, block: &dyn Block) -> io::Result<()> {
        let choice = self.choice.clone();
        let mut changes = Changes { text: String::new(), next: 0, last: &mut self.last, choice, clock };
        block.accept("top", &mut changes);
        if changes.text.is_empty() {
            return Ok(());
        }
        write!(self.out, "#{}\n{}", time_of(half, self.clock_hz), changes.text)
    }

    /// Marks `cycle` as the first that is not in the file, and closes it.
    pub(super) fn finish(mut self, cycle: u64) -> io::Result<()> {
        writeln!(self.out, "#{}", time_of(2 * cycle, self.clock_hz))?;
        self.out.flush()
    }
}

/// VCD's short name of signal `number`: printable characters, base 94.
fn code(mut number: usize) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from(b'!' + (number % 94) as u8));
        number /= 94;
        if number == 0 {
            return text;
        }
    }
}

struct Header {
    text: String,
    signals: usize,
    choice: Choice,
}

impl Probe for Header {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        self.choice.path.push(name.into());
        if self.choice.shows() {
            self.text += &format!("$scope module {name} $end\n");
        }
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        if self.choice.shows() {
            self.text += "$upscope $end\n";
        }
        self.choice.path.pop();
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if !self.choice.includes() {
            return;
        }
        let code = code(self.signals);
        self.signals += 1;
        self.text += &match signal.vcd() {
            VCDValue::String(_) => format!("$var string 1 {code} {name} $end\n"),
            _ => format!("$var wire {} {code} {name} $end\n", signal.bits()),
        };
    }
}

struct Changes<'a> {
    text: String,
    next: usize,
    last: &'a mut [Option<String>],
    choice: Choice,
    /// What signals named `clock` show.
    clock: bool,
}

impl Probe for Changes<'_> {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        self.choice.path.push(name.into());
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.choice.path.pop();
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if !self.choice.includes() {
            return;
        }
        let number = self.next;
        self.next += 1;
        let value = if name == CLOCK { u8::from(self.clock).to_string() } else { change(&signal.vcd()) };
        if self.last[number].as_ref() != Some(&value) {
            self.text += &format!("{value}{}\n", code(number));
            self.last[number] = Some(value);
        }
    }
}

/// A value as it stands before the signal's short name.
fn change(value: &VCDValue) -> String {
    match value {
        VCDValue::Single(bit) => bit.to_string(),
        VCDValue::Vector(bits) if bits.len() == 1 => bits[0].to_string(),
        VCDValue::Vector(bits) => {
            let digits: String = bits.iter().map(ToString::to_string).collect();
            format!("b{digits} ")
        }
        VCDValue::String(name) => format!("s{name} "),
        VCDValue::Composite(parts) => parts.iter().map(|part| change(part)).collect(),
    }
}
