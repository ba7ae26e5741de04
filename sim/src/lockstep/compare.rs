//! Two engines run in turns; their retirements, console, trace words and exits must be equal, cycles included.

use std::collections::VecDeque;
use std::fmt;

use testbed_definitions::map::RAM_BASE;

use super::coverage::Coverage;
use super::disassemble::disassemble;
use crate::engine::{Engine, EngineError, Retirement};

/// Retirements before the difference that a report shows of each engine.
const HISTORY: usize = 12;
/// Cycles between two comparisons.
const CHUNK: u64 = 10_000;

/// What was compared when nothing differed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    pub cycles: u64,
    /// Retirements compared, traps and first halves of pairs among them.
    pub retirements: u64,
    pub trace_words: u64,
    pub console_bytes: u64,
}

/// Why a comparison failed.
#[derive(Debug, thiserror::Error)]
pub enum Difference {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{0}")]
    Retirement(Box<RetirementDifference>),
    #[error("{what} differ before cycle {before}: {first} has {in_first}, {second} has {in_second}")]
    Output {
        what: &'static str,
        before: u64,
        first: &'static str,
        second: &'static str,
        in_first: String,
        in_second: String,
    },
}

/// The first retirement that two engines do not agree on.
#[derive(Debug)]
pub struct RetirementDifference {
    pub processor: usize,
    /// Retirements of this comparison that agreed before it.
    pub index: u64,
    pub names: [&'static str; 2],
    /// The last retirements that both agree on, oldest first.
    pub common: Vec<Retirement>,
    /// The first that differs and those that follow; empty if the engine retired nothing more.
    pub after: [Vec<Retirement>; 2],
}

impl fmt::Display for RetirementDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} and {} differ at retirement {} of processor {}{}",
            self.names[0],
            self.names[1],
            self.index,
            self.processor,
            self.fields()
        )?;
        writeln!(f, "in common:")?;
        for retirement in &self.common {
            writeln!(f, "    {}", line(retirement))?;
        }
        for (name, after) in self.names.iter().zip(&self.after) {
            writeln!(f, "{name}:")?;
            for retirement in after {
                writeln!(f, "    {}", line(retirement))?;
            }
            if after.is_empty() {
                writeln!(f, "    (nothing more in these cycles)")?;
            }
        }
        Ok(())
    }
}

impl RetirementDifference {
    /// Names of the fields that differ.
    fn fields(&self) -> String {
        let [Some(a), Some(b)] = [self.after[0].first(), self.after[1].first()] else {
            return String::new();
        };
        let fields = [
            ("cycle", a.cycle != b.cycle),
            ("trap", a.trap != b.trap),
            ("half", a.half != b.half),
            ("pc", a.pc != b.pc),
            ("instruction", a.instruction != b.instruction),
            ("rd", a.rd != b.rd),
            ("value", a.value != b.value),
            ("cause", a.cause != b.cause),
            ("tval", a.tval != b.tval),
            ("load", a.load != b.load),
            ("store", a.store != b.store),
            ("address", a.address != b.address),
            ("data", a.data != b.data),
            ("mask", a.mask != b.mask),
        ];
        let names: Vec<&str> = fields.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
        format!(", in {}", names.join(", "))
    }
}

/// One retirement in a line.
pub fn line(r: &Retirement) -> String {
    let mut what = if r.trap {
        format!("trap {:#x} tval {:#010x}", r.cause, r.tval)
    } else {
        let mut text = String::new();
        if r.rd != 0 {
            text += &format!("x{} = {:#010x} ", r.rd, r.value);
        }
        if r.load {
            text += &format!("load {:#010x}", r.address);
        }
        if r.store {
            text += &format!("store {:#010x} = {:#010x} mask {:04b}", r.address, r.data, r.mask);
        }
        text
    };
    if r.half {
        what.push_str(" (first half)");
    }
    let name = disassemble(r.instruction);
    format!("{:>9}  {:08x}  {:08x} {name:<10} {what}", r.cycle, r.pc, r.instruction)
}

/// Runs both engines for `cycles` more cycles and compares processor `processor`'s retirements and
/// the machine's outputs. What retires is counted in `coverage`.
///
/// # Errors
/// The first difference, or what an engine reports.
pub fn compare_processor(
    first: &mut dyn Engine,
    second: &mut dyn Engine,
    processor: usize,
    cycles: u64,
    coverage: Option<&mut Coverage>,
) -> Result<Agreement, Difference> {
    let mut pair = Pair { engines: [first, second], from: 0, agreement: Agreement::default() };
    let mut coverage = coverage;
    let mut common = VecDeque::new();
    pair.record(processor);
    let mut left = cycles;
    while left > 0 {
        let chunk = left.min(CHUNK);
        pair.run(chunk)?;
        pair.compare_retirements(processor, &mut common, coverage.as_deref_mut())?;
        pair.compare_outputs()?;
        left -= chunk;
    }
    Ok(pair.agreement)
}

/// As [`compare_processor`], for every processor in turn: retirements of one are compared for some
/// thousand cycles, then those of the next. The counts of instructions of all are compared each
/// time, so that a difference is found soon even while another processor is looked at; run
/// [`compare_processor`] on that one to see where it began.
///
/// # Errors
/// The first difference, or what an engine reports.
pub fn compare_machines(first: &mut dyn Engine, second: &mut dyn Engine, cycles: u64) -> Result<Agreement, Difference> {
    let processors = first.machine().processors.len();
    let mut pair = Pair { engines: [first, second], from: 0, agreement: Agreement::default() };
    let mut left = cycles;
    for processor in (0..processors).cycle() {
        if left == 0 {
            break;
        }
        let chunk = left.min(CHUNK);
        pair.record(processor);
        pair.run(chunk)?;
        pair.compare_retirements(processor, &mut VecDeque::new(), None)?;
        pair.compare_outputs()?;
        left -= chunk;
    }
    Ok(pair.agreement)
}

/// Offset of the first byte of RAM in which `processor` differs between two engines of the same machine, if any does.
pub fn memory_difference(first: &dyn Engine, second: &dyn Engine, processor: usize) -> Option<usize> {
    let memory = |engine: &dyn Engine| {
        let mut bytes = vec![0; engine.machine().ram_bytes as usize];
        engine.read_ram(processor, RAM_BASE, &mut bytes);
        bytes
    };
    memory(first).iter().zip(&memory(second)).position(|(a, b)| a != b)
}

/// Longer than any instruction takes, a division after a page-map walk included.
const IN_FLIGHT: u64 = 64;

struct Pair<'a> {
    engines: [&'a mut dyn Engine; 2],
    /// Retirements before this cycle are not compared: an instruction in flight when recording is
    /// turned on is recorded by the RTL, which sees it commit, but not by an engine that has
    /// already executed it.
    from: u64,
    agreement: Agreement,
}

impl Pair<'_> {
    fn record(&mut self, processor: usize) {
        for engine in &mut self.engines {
            engine.record_retirements(Some(processor));
            engine.take_retirements();
        }
        let now = self.engines[0].cycle();
        self.from = if now == 0 { 0 } else { now + IN_FLIGHT };
    }

    fn run(&mut self, cycles: u64) -> Result<(), Difference> {
        for engine in &mut self.engines {
            let until = engine.cycle() + cycles;
            engine.run_until(until)?;
        }
        self.agreement.cycles += cycles;
        Ok(())
    }

    fn compare_retirements(
        &mut self,
        processor: usize,
        common: &mut VecDeque<Retirement>,
        coverage: Option<&mut Coverage>,
    ) -> Result<(), Difference> {
        let mut taken = [self.engines[0].take_retirements(), self.engines[1].take_retirements()];
        taken.iter_mut().for_each(|retirements| retirements.retain(|retirement| retirement.cycle >= self.from));
        let equal = taken[0].iter().zip(&taken[1]).take_while(|(a, b)| a == b).count();
        if let Some(coverage) = coverage {
            taken[0][..equal].iter().for_each(|retirement| coverage.count(retirement));
        }
        self.agreement.retirements += equal as u64;
        common.extend(&taken[0][equal.saturating_sub(HISTORY)..equal]);
        common.drain(..common.len().saturating_sub(HISTORY));
        if equal == taken[0].len() && equal == taken[1].len() {
            return Ok(());
        }
        let after = taken.map(|retirements| retirements.into_iter().skip(equal).take(4).collect());
        Err(Difference::Retirement(Box::new(RetirementDifference {
            processor,
            index: self.agreement.retirements,
            names: [self.engines[0].name(), self.engines[1].name()],
            common: common.iter().copied().collect(),
            after,
        })))
    }

    fn compare_outputs(&mut self) -> Result<(), Difference> {
        let trace = [self.engines[0].take_trace(), self.engines[1].take_trace()];
        self.agreement.trace_words += trace[0].len() as u64;
        self.same("words at the trace port", &trace[0], &trace[1])?;
        let console = [self.engines[0].take_console(), self.engines[1].take_console()];
        self.agreement.console_bytes += console[0].len() as u64;
        self.same("console bytes", &console[0], &console[1])?;
        self.same("exits", &self.engines[0].exits(), &self.engines[1].exits())?;
        for processor in 0..self.engines[0].machine().processors.len() {
            let counts = [&self.engines[0], &self.engines[1]].map(|engine| (processor, engine.instructions(processor)));
            self.same("instructions (processor, count)", &counts[..1], &counts[1..])?;
        }
        Ok(())
    }

    /// Compares two lists; an error names the first elements that differ.
    fn same<T: PartialEq + fmt::Debug>(&self, what: &'static str, a: &[T], b: &[T]) -> Result<(), Difference> {
        if a == b {
            return Ok(());
        }
        let equal = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let show = |list: &[T]| list.get(equal).map_or("nothing".into(), |element| format!("{element:?}"));
        Err(Difference::Output {
            what,
            before: self.engines[0].cycle(),
            first: self.engines[0].name(),
            second: self.engines[1].name(),
            in_first: show(a),
            in_second: show(b),
        })
    }
}
