//! Which program of a run is measured, and with which arguments: the run's own, or the one that
//! `background` runs beside its load.

use testbed_definitions::event;
use testbed_trace::capture::RunRecord;

use crate::observed::Observed;

/// The program that makes load and runs another beside it.
pub const BACKGROUND: &str = "background";
/// Its arguments before the program's name: pairs that communicate, threads that compute on each slave.
pub const BACKGROUND_ARGUMENTS: usize = 2;
/// Processor on which programs are started.
pub const START: u8 = 1;

/// A program that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub program: String,
    pub arguments: Vec<String>,
    /// Its threads' numbers without their ids.
    pub process: u16,
    /// Other programs run too.
    pub is_busy: bool,
}

impl Subject {
    /// The subject of a run.
    pub fn of(record: &RunRecord) -> Self {
        // The first process on a processor has place 1, the next one 2.
        let process = |place| event::thread_number(START, place, 0);
        let beside = record.arguments.get(BACKGROUND_ARGUMENTS).filter(|_| record.program == BACKGROUND);
        match beside {
            Some(program) => Subject {
                program: program.clone(),
                arguments: record.arguments[BACKGROUND_ARGUMENTS + 1..].to_vec(),
                process: process(2),
                is_busy: true,
            },
            None => Subject {
                program: record.program.clone(),
                arguments: record.arguments.clone(),
                process: process(1),
                is_busy: false,
            },
        }
    }

    /// The number that is its argument at `index`.
    pub fn number(&self, index: usize) -> Option<usize> {
        self.arguments.get(index)?.parse().ok()
    }
}

impl Observed {
    /// What is measured in this run.
    pub fn subject(&self) -> Subject {
        Subject::of(&self.record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed_machine::Machine;

    fn record(program: &str, arguments: &[&str]) -> RunRecord {
        let arguments = arguments.iter().map(ToString::to_string).collect();
        RunRecord { arguments, ..RunRecord::new(&Machine::testbed6(), program) }
    }

    #[test]
    fn the_program_beside_the_load_is_measured() {
        let quiet = Subject::of(&record("local", &["2", "3"]));
        assert_eq!((quiet.program.as_str(), quiet.is_busy), ("local", false));
        let busy = Subject::of(&record("background", &["5", "1", "local", "2", "3"]));
        assert_eq!((busy.program.as_str(), busy.is_busy), ("local", true));
        assert_eq!(busy.arguments, quiet.arguments);
        assert_ne!(busy.process, quiet.process);
    }
}
