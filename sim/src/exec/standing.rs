//! What a processor does that does not come to an end: seen from what it retires for a while.

use std::collections::BTreeSet;
use std::fmt;

use testbed_definitions::csr::{MCAUSE_INTERRUPT, MCAUSE_MASK};

use crate::engine::{Engine, EngineError, Retirement};
use crate::image::{Place, Program};
use crate::lockstep::coverage::{EXCEPTIONS, INTERRUPTS};
use crate::lockstep::encode::WFI;

/// Cycles for which it is looked at.
pub const WINDOW_CYCLES: u64 = 4_096;
/// Different instructions that are still called a loop.
const LOOP: usize = 64;
/// Places of `wfi` that are named.
const SLEEPS: usize = 3;

/// What a processor does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Doing {
    /// Nothing retires; where the program has instructions that sleep.
    Sleeps { at: Vec<Place> },
    /// The same trap, so many times.
    Traps { cause: u32, value: u32, times: usize },
    /// It repeats so many instructions, the lowest and highest of which are at these places, and reads
    /// but one word of memory meanwhile, if that is given.
    Repeats { instructions: usize, from: Place, to: Place, reads: Option<Place> },
    /// It executes many different instructions.
    GoesOn { instructions: usize },
}

/// Where a processor is, and what it does there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The last instruction that retired or trapped; `None` if it sleeps.
    pub pc: Option<Place>,
    pub doing: Doing,
}

/// Runs `engine` for [`WINDOW_CYCLES`] more, and says what `processor` does in them.
///
/// # Errors
/// The engine's.
pub fn standing(engine: &mut dyn Engine, program: &Program, processor: usize) -> Result<Standing, EngineError> {
    engine.record_retirements(Some(processor));
    let ran = engine.run_until(engine.cycle() + WINDOW_CYCLES);
    let retired = engine.take_retirements();
    engine.record_retirements(None);
    ran.map(|()| of(&retired, program))
}

fn of(retired: &[Retirement], program: &Program) -> Standing {
    let Some(last) = retired.last() else {
        return Standing { pc: None, doing: Doing::Sleeps { at: sleeps(program) } };
    };
    let pc = Some(program.place(last.pc));
    let traps: Vec<_> = retired.iter().filter(|step| step.trap).collect();
    let same = |step: &&&Retirement| (step.pc, step.cause) == (traps[0].pc, traps[0].cause);
    if traps.len() > 1 && traps.iter().filter(same).count() == traps.len() {
        let pc = Some(program.place(traps[0].pc));
        let Retirement { cause, tval, .. } = *traps[traps.len() - 1];
        return Standing { pc, doing: Doing::Traps { cause, value: tval, times: traps.len() } };
    }
    let places: BTreeSet<u32> = retired.iter().map(|step| step.pc).collect();
    let instructions = places.len();
    let doing = match (places.first(), places.last()) {
        (Some(&from), Some(&to)) if instructions <= LOOP && retired.len() > instructions => {
            let (from, to) = (program.place(from), program.place(to));
            Doing::Repeats { instructions, from, to, reads: read(retired).map(|address| program.place(address)) }
        }
        _ => Doing::GoesOn { instructions },
    };
    Standing { pc, doing }
}

/// The only word of memory that is read, if nothing is stored.
fn read(retired: &[Retirement]) -> Option<u32> {
    let mut words = retired.iter().filter(|step| step.load).map(|step| step.address & !3);
    let first = words.next()?;
    (words.all(|word| word == first) && !retired.iter().any(|step| step.store)).then_some(first)
}

/// Where a program's image has the instruction that sleeps.
fn sleeps(program: &Program) -> Vec<Place> {
    let places = program.image.segments.iter().flat_map(|(start, bytes)| {
        let words = bytes.chunks_exact(4).zip((*start..).step_by(4));
        words.filter(|(word, _)| *word == WFI.to_le_bytes()).map(|(_, address)| program.place(address))
    });
    places.collect()
}

/// The name of a trap's cause, as `mcause` has it.
pub fn cause_name(cause: u32) -> &'static str {
    let known = if cause & MCAUSE_INTERRUPT != 0 { INTERRUPTS } else { EXCEPTIONS };
    let number = cause & MCAUSE_MASK & !MCAUSE_INTERRUPT;
    known.iter().find(|known| known.0 == number).map_or("trap", |known| known.1)
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(pc) = &self.pc {
            write!(f, "pc is {pc}: ")?;
        }
        match &self.doing {
            Doing::Sleeps { at } => {
                write!(f, "it sleeps, and no interrupt wakes it")?;
                let most = at.len().min(SLEEPS);
                for (number, place) in at[..most].iter().enumerate() {
                    let word = if number == 0 { "; its `wfi` is at" } else { " or" };
                    write!(f, "{word} {place}")?;
                }
                write!(f, "{}", if at.len() > most { " or elsewhere" } else { "" })
            }
            Doing::Traps { cause, value, times } => write!(
                f,
                "it traps there again and again ({times} times in {WINDOW_CYCLES} cycles): {} (cause {}, value {value:#010x})",
                cause_name(*cause),
                cause & MCAUSE_MASK
            ),
            Doing::Repeats { instructions: 1, reads: None, .. } => write!(f, "it jumps to itself"),
            Doing::Repeats { instructions, from, to, reads } => {
                write!(f, "it repeats {instructions} instructions, from {from} to {to}")?;
                reads.as_ref().map_or(Ok(()), |word| write!(f, ", and reads nothing but {word}"))
            }
            Doing::GoesOn { instructions } => {
                write!(f, "it goes on ({instructions} different instructions in the last {WINDOW_CYCLES} cycles)")
            }
        }
    }
}
