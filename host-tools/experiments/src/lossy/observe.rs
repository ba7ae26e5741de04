//! What a run's trace shows of the rounds in which its processes have exchanged.

use std::collections::BTreeMap;

use testbed_definitions::event;
use testbed_trace::capture::{verify, Capture, CONSOLE};
use testbed_trace::order::{events, What};

use crate::error::ExperimentError;

/// An exchange with packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// Packets of all processes, without copies: those of their first rounds.
    pub packets: u32,
    /// Packets that have left in all rounds, without copies.
    pub sent: u32,
    /// The rounds of the process that had the most.
    pub rounds: u32,
    /// Cycles that the first round was given.
    pub given: u64,
}

/// A run, from where all its processes have first met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// From the first THROUGH to the last one.
    pub cycles: u64,
    pub exchanges: Vec<Exchange>,
}

/// A thread, as its events tell of it so far.
#[derive(Default)]
struct Thread {
    /// Exchanges that it is through with.
    through: usize,
    /// Packets of each round of the one that it is in.
    rounds: Vec<u32>,
    given: u64,
}

/// The spans and exchanges of a run's only program, whose processes have one thread each and all
/// exchange equally often.
#[derive(Default)]
struct Reader {
    threads: BTreeMap<u16, Thread>,
    /// By processor, the thread whose round was last told.
    telling: BTreeMap<u8, u16>,
    exchanges: BTreeMap<usize, Exchange>,
    first: Option<u64>,
    last: u64,
}

impl Reader {
    fn read(&mut self, cycle: u64, processor: u8, code: u16, argument: u16) {
        match code {
            event::ROUND => {
                self.telling.insert(processor, argument);
            }
            event::PACKETS => {
                if let Some(thread) = self.teller(processor) {
                    thread.rounds.push(argument.into());
                }
            }
            event::ROUND_TIME => {
                if let Some(thread) = self.teller(processor).filter(|thread| thread.rounds.len() == 1) {
                    thread.given = u64::from(argument) * u64::from(event::ROUND_UNIT);
                }
            }
            event::THROUGH => self.through(cycle, argument),
            _ => {}
        }
    }

    fn teller(&mut self, processor: u8) -> Option<&mut Thread> {
        let number = self.telling.get(&processor)?;
        Some(self.threads.entry(*number).or_default())
    }

    fn through(&mut self, cycle: u64, number: u16) {
        let thread = self.threads.entry(number).or_default();
        let Thread { through, rounds, given } = thread;
        if let (Some(first), true) = (rounds.first(), *through != 0) {
            let exchange = self.exchanges.entry(*through).or_default();
            exchange.packets += first;
            exchange.sent += rounds.iter().sum::<u32>();
            exchange.rounds = exchange.rounds.max(rounds.len() as u32);
            exchange.given = exchange.given.max(*given);
        }
        (*through, *given) = (*through + 1, 0);
        rounds.clear();
        self.first.get_or_insert(cycle);
        self.last = cycle;
    }
}

/// Reads a run.
///
/// # Errors
/// The capture can't be read, or it shows no processes that exchange.
pub fn observe(capture: &Capture) -> Result<Observed, ExperimentError> {
    let failed = |what: String| ExperimentError::Failed {
        folder: capture.dir.clone(),
        what,
        console: capture.dir.join(CONSOLE),
    };
    let tick = u64::from(capture.record.machine.tick_cycles);
    let mut reader = Reader::default();
    let integrity = verify(capture)?;
    for event in events(capture, &integrity).map_err(|error| failed(error.to_string()))? {
        let event = event.map_err(|error| failed(error.to_string()))?;
        if let (What::Known(kind), Some(argument)) = (event.what, event.argument) {
            reader.read(event.ticks() * tick, event.smi, kind.code, argument);
        }
    }
    let first = reader.first.ok_or_else(|| failed("its trace shows no processes that exchange".into()))?;
    Ok(Observed { cycles: reader.last - first, exchanges: reader.exchanges.into_values().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads; the first exchange is where they meet, in the second one packets of the second
    /// thread leave twice.
    #[test]
    fn rounds_belong_to_their_threads_and_exchanges() {
        let mut reader = Reader::default();
        let round = |reader: &mut Reader, processor, thread, packets| {
            reader.read(0, processor, event::ROUND, thread);
            reader.read(0, processor, event::PACKETS, packets);
            reader.read(0, processor, event::ROUND_TIME, 100);
        };
        round(&mut reader, 1, 11, 5);
        reader.read(10, 1, event::THROUGH, 11);
        reader.read(11, 2, event::THROUGH, 22);
        round(&mut reader, 1, 11, 3);
        round(&mut reader, 2, 22, 4);
        reader.read(20, 1, event::THROUGH, 11);
        round(&mut reader, 2, 22, 1);
        reader.read(30, 2, event::THROUGH, 22);
        let wanted = Exchange { packets: 7, sent: 8, rounds: 2, given: 6_400 };
        assert_eq!(reader.exchanges.into_values().collect::<Vec<_>>(), [wanted]);
        assert_eq!((reader.first, reader.last), (Some(10), 30));
    }
}
