//! The lengths of the messages that are measured.

use testbed_kernel_core::schedule::Schedule;

use crate::subject::Subject;

/// Lengths of the messages that `local` and `remote` send, in order; the empty one at the end too.
pub fn lengths(subject: &Subject) -> Vec<usize> {
    let steps = subject.number(0).unwrap_or(Schedule::STEPS);
    let repetitions = subject.number(1).unwrap_or(Schedule::REPETITIONS as usize);
    let schedule = Schedule::new(steps, repetitions as u32);
    schedule.into_iter().flat_map(Schedule::messages).chain([0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(arguments: &[&str]) -> Subject {
        let arguments = arguments.iter().map(ToString::to_string).collect();
        Subject { program: "local".into(), arguments, process: 0, is_busy: false }
    }

    #[test]
    fn each_length_is_repeated_and_an_empty_message_ends_them() {
        assert_eq!(lengths(&subject(&["2", "3"])), [1, 1, 1, 2501, 2501, 2501, 0]);
        assert_eq!(lengths(&subject(&[])).len(), 1_001);
    }
}
