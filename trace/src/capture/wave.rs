//! Pairs from a waveform (VCD) of the MMI: a second way to the trace, from the signals alone.
//!
//! The waves show every pair twice: on the monitoring bus (`bus_take`, `bus_data`), and a cycle
//! later at the trace port (`trace_valid`, `trace_word`). A pair is proven if both say the same in
//! cycles that follow each other; see "Monitoring bus and MMI" in `docs/monitor.md`. Where they
//! don't, or cycles are missing, there is a hole.
//!
//! A wave tells of a value only where it changes. A word at the trace port that is the same as the
//! one before it has no line there, and looks like one whose lines are lost in both places; its
//! pair is left out, and may be missing.
//!
//! The MMI must be shown, that is a scope called `mmi` with its ports and `clock`. What is found is
//! kept in a temporary file like `mmi.raw`, so that memory does not grow with the waves.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;
use testbed_definitions::monitor::{MmiWord, SMIS_MAX};
use testbed_machine::Machine;

use super::error::{CaptureError, Context};
use super::pieces::{Copy, Piece};
use super::vcd::{Change, Vcd};
use super::{Capture, Damage, Integrity};

/// Breaks that are reported one by one.
const REPORTED: usize = 1000;
/// Cycles from a machine's start in which no pair can leave: the first event takes longer.
const START_CYCLES: u64 = 8;
/// Units of a period up to which it is exact: a clock whose period is so short in its file's units was
/// written with a unit that divides it.
const ROUNDED: u64 = 1_000;
/// Signals of an SMI's side of the bus.
const SMIS: usize = SMIS_MAX + 1;

/// The signals that are looked at, by their number among those asked for.
const CLOCK: usize = 0;
const DATUM: usize = 1;
const VALID: usize = 2;
const WORD: usize = 3;
const TAKE: usize = 4;
const DATA: usize = TAKE + SMIS;
const SIGNALS: usize = DATA + SMIS;

fn name(signal: usize) -> String {
    match signal {
        CLOCK => "clock".into(),
        DATUM => "bus_datum".into(),
        VALID => "trace_valid".into(),
        WORD => "trace_word".into(),
        take if take < DATA => format!("bus_take${}", take - TAKE),
        data => format!("bus_data${}", data - DATA),
    }
}

/// Values of all signals in one cycle; `None`: unknown.
type Values = [Option<u32>; SIGNALS];

/// A pair on the bus.
#[derive(Clone, std::marker::Copy, Debug, PartialEq, Eq)]
struct Taken {
    smi: u8,
    time: u16,
    datum: u16,
    /// Whether the waves have lines for both of its words.
    told: bool,
}

/// Pairs that are proven to follow each other.
struct Run {
    /// Byte in the temporary file.
    offset: u64,
    /// By SMI.
    pairs: [u64; SMIS],
    /// By SMI: pairs that may be missing before it, at most.
    missing: [Option<u64>; SMIS],
}

/// Why the waves prove nothing in a cycle.
type Fault = &'static str;

struct Reader<'a> {
    path: &'a Path,
    out: BufWriter<NamedTempFile>,
    written: u64,
    runs: Vec<Run>,
    damage: Vec<Damage>,
    breaks: usize,
    /// Time of the last rising edge, and between two.
    edge: Option<u64>,
    period: Option<u64>,
    /// Time of the last edge before which all was proven.
    proven: u64,
    /// The present cycle is in no run.
    broken: bool,
    before: Option<Values>,
    /// Taken in the cycle before: its datum is at the trace port now.
    taken: Option<Taken>,
}

/// Reads the waves in `path`. `machine` must be the one they show, `dgl` the event classes that were enabled.
///
/// # Errors
/// The file can't be read, is no VCD, or does not show the MMI; or the temporary file can't be written.
pub fn wave(path: &Path, machine: &Machine, dgl: u32) -> Result<(Capture, Integrity), CaptureError> {
    let smis = machine.slaves();
    let wanted: Vec<String> = (0..SIGNALS).map(name).collect();
    let mut vcd = Vcd::open(path, "mmi", &wanted)?;
    let needed = |signal: &usize| match *signal {
        signal if signal < TAKE => true,
        signal if signal < DATA => (1..=smis).contains(&(signal - TAKE)),
        signal => (1..=smis).contains(&(signal - DATA)),
    };
    if let Some(lacking) = (0..SIGNALS).filter(needed).find(|signal| !vcd.has(*signal)) {
        let message = format!("there is no signal `{}` in a scope `mmi`", name(lacking));
        return Err(CaptureError::Wave { path: path.into(), message });
    }
    let spool = NamedTempFile::with_prefix("testbed-wave-").at("create", &std::env::temp_dir())?;
    let mut reader = Reader {
        path,
        out: BufWriter::new(spool),
        written: 0,
        runs: Vec::new(),
        damage: Vec::new(),
        breaks: 0,
        edge: None,
        period: None,
        proven: 0,
        broken: true,
        before: None,
        taken: None,
    };
    reader.read(&mut vcd)?;
    reader.finish(machine, dgl)
}

impl Reader<'_> {
    fn read(&mut self, vcd: &mut Vcd) -> Result<(), CaptureError> {
        let mut values: Values = [None; SIGNALS];
        let (mut next, mut time) = (values, 0);
        loop {
            let offset = vcd.offset();
            match vcd.next()? {
                Some(Change::Value(signal, value)) => next[signal] = value,
                Some(Change::Fault) => self.fault(offset, "this is no value change"),
                step => {
                    // The values before a rising edge are those of the cycle that it ends.
                    if values[CLOCK] == Some(0) && next[CLOCK] == Some(1) {
                        self.edge(offset, time, &values)?;
                    }
                    values = next;
                    match step {
                        Some(Change::Time(now)) => time = now,
                        _ => return Ok(()),
                    }
                }
            }
        }
    }

    /// A rising edge at `time`, after a cycle with these values.
    fn edge(&mut self, offset: u64, time: u64, values: &Values) -> Result<(), CaptureError> {
        let passed = self.edge.replace(time).map(|edge| time.checked_sub(edge));
        match (passed, self.period) {
            (Some(Some(passed)), None) if passed > 0 => self.period = Some(passed),
            (None, _) => return Ok(()),
            (Some(passed), period) if !is_period(passed, period) => {
                self.fault(offset, "cycles are missing here");
                self.before = None;
                self.taken = None;
                return Ok(());
            }
            _ => {}
        }
        match self.cycle(values) {
            Ok(pair) => {
                if self.broken {
                    self.begin(time);
                }
                self.proven = time;
                match pair {
                    Some(pair) if pair.told => self.write(pair)?,
                    Some(pair) => self.pass(offset, pair),
                    None => {}
                }
            }
            Err(fault) => {
                self.fault(offset, fault);
                self.taken = None;
            }
        }
        self.before = Some(*values);
        Ok(())
    }

    /// Holds bus and trace port against each other. Returns the pair that is complete with this cycle.
    fn cycle(&mut self, values: &Values) -> Result<Option<Taken>, Fault> {
        let known = |signal: usize| values[signal].ok_or("a value is unknown");
        let mut taking = (1..SMIS).filter(|smi| values[TAKE + smi] != Some(0) && is_there(*smi, values));
        let before = self.taken.take();
        let is_told = self.before.is_some_and(|before| before[WORD] != values[WORD]);
        let (expected, complete) = match (taking.next(), before) {
            (None, None) => (None, None),
            (None, Some(pair)) => {
                let word = MmiWord { smi: pair.smi, value: pair.datum };
                (Some(word), Some(Taken { told: pair.told && is_told, ..pair }))
            }
            (Some(smi), None) if taking.next().is_none() => {
                let stamp = self.before.ok_or("the cycle before is unknown")?;
                if known(TAKE + smi)? != 1 || known(DATUM)? != 1 || stamp[DATUM] != Some(0) {
                    return Err("the bus is not as it can be");
                }
                let time = stamp[DATA + smi].ok_or("a value is unknown")? as u16;
                let pair = Taken { smi: smi as u8, time, datum: known(DATA + smi)? as u16, told: is_told };
                self.taken = Some(pair);
                (Some(MmiWord { smi: pair.smi, value: time }), None)
            }
            _ => return Err("two pairs at once on the bus"),
        };
        let found = match known(VALID)? {
            0 => None,
            _ => Some(known(WORD)?),
        };
        if found != expected.map(MmiWord::pack) {
            self.taken = None;
            return Err("bus and trace port differ");
        }
        Ok(complete)
    }

    /// From here on nothing is proven until a cycle is again.
    fn fault(&mut self, offset: u64, what: Fault) {
        if !self.broken {
            self.broken = true;
            self.report(offset, format!("{what}; what the waves show from here to the next sound cycle is left out"));
        }
    }

    /// A sound cycle, which ends at `time`, behind a hole or at the start.
    fn begin(&mut self, time: u64) {
        self.broken = false;
        let cycles = self.period.map(|period| time.saturating_sub(self.proven) / period);
        // In the first cycles nothing can have been delivered.
        let is_start = self.runs.is_empty() && cycles.is_some_and(|cycles| cycles <= START_CYCLES);
        if self.runs.is_empty() && !is_start {
            let what = "what was delivered before is not shown".into();
            self.damage.push(Damage { path: self.path.into(), offset: 0, what });
        }
        // Times that are wrong can't be told from right ones, so how long a hole is bounds nothing.
        let missing = is_start.then_some(0);
        self.runs.push(Run { offset: self.written, pairs: [0; SMIS], missing: [missing; SMIS] });
    }

    /// Leaves out a pair whose words the waves don't tell.
    fn pass(&mut self, offset: u64, pair: Taken) {
        let mut missing = [Some(0); SMIS];
        missing[pair.smi as usize] = Some(1);
        self.runs.push(Run { offset: self.written, pairs: [0; SMIS], missing });
        let what = format!(
            "a word of the pair {:#06x} at {} of SMI {} is the same as the one before it: no line tells it from one that is lost, and the pair is left out",
            pair.datum, pair.time, pair.smi
        );
        self.report(offset, what);
    }

    fn report(&mut self, offset: u64, what: String) {
        self.breaks += 1;
        if self.breaks <= REPORTED {
            self.damage.push(Damage { path: self.path.into(), offset, what });
        }
    }

    fn write(&mut self, pair: Taken) -> Result<(), CaptureError> {
        if let Some(run) = self.runs.last_mut() {
            run.pairs[pair.smi as usize] += 1;
        }
        for value in [pair.time, pair.datum] {
            let word = MmiWord { smi: pair.smi, value }.pack();
            self.out.write_all(&word.to_le_bytes()).at("write the temporary file for", self.path)?;
        }
        self.written += 8;
        Ok(())
    }

    fn finish(mut self, machine: &Machine, dgl: u32) -> Result<(Capture, Integrity), CaptureError> {
        if self.breaks > REPORTED {
            let what = format!("{} more places like these", self.breaks - REPORTED);
            self.damage.push(Damage { path: self.path.into(), offset: 0, what });
        }
        if self.runs.is_empty() {
            let message = "there are no cycles of the MMI's clock".into();
            return Err(CaptureError::Wave { path: self.path.into(), message });
        }
        let spool = self.out.into_inner().map_err(|error| error.into_error());
        let spool = spool.at("write the temporary file for", self.path)?.into_temp_path();
        let count = machine.processors.len();
        let mut integrity = Integrity {
            proven: vec![0; count],
            damage: self.damage,
            pieces: vec![Vec::new(); count],
            ..Integrity::default()
        };
        for smi in 1..count {
            let pieces = pieces(&self.runs, smi);
            let sound = pieces.iter().take_while(|piece| piece.missing == Some(0));
            integrity.proven[smi] = sound.map(|piece| piece.pairs).sum();
            integrity.pieces[smi] = pieces;
        }
        let mut capture = Capture::of_mmi(&PathBuf::from(&*spool), machine, dgl);
        capture.spool = Some(Arc::new(spool));
        Ok((capture, integrity))
    }
}

/// Whether so much time, which is `None` if it runs backwards, is one period. Where that is no whole
/// number of the file's units, edges are rounded, each for itself.
fn is_period(passed: Option<u64>, period: Option<u64>) -> bool {
    passed.zip(period).is_some_and(|(passed, period)| passed.abs_diff(period) <= u64::from(period > ROUNDED))
}

/// Whether the machine has this SMI: signals that are not in the waves never have a value.
fn is_there(smi: usize, values: &Values) -> bool {
    values[TAKE + smi].is_some() || values[DATA + smi].is_some()
}

/// Pieces of one SMI; runs in which it delivered nothing only widen the hole.
fn pieces(runs: &[Run], smi: usize) -> Vec<Piece> {
    let (mut pieces, mut index, mut missing) = (Vec::new(), 0, Some(0u64));
    for run in runs {
        missing = missing.zip(run.missing[smi]).map(|(one, other)| one + other);
        let pairs = run.pairs[smi];
        if pairs > 0 {
            index += missing.unwrap_or(0);
            pieces.push(Piece { copy: Copy::Mmi, offset: run.offset, skip: 0, index, pairs, missing, guarded: true });
            index += pairs;
            missing = Some(0);
        }
    }
    pieces
}
