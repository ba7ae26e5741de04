//! Which messages the report's programs `local` and `remote` send (report, appendix A.1 and A.2):
//! programs send by it, and what looks at their traces, in which lengths don't stand, knows by it
//! how long each message was.

/// Longest message, in bytes.
pub const MAX_MSG: usize = 5000;

/// Lengths from 1 byte on in equal steps, each several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    steps: usize,
    repetitions: u32,
}

impl Schedule {
    /// As in the report.
    pub const STEPS: usize = 100;
    pub const REPETITIONS: u32 = 10;

    /// So many steps up to [`MAX_MSG`]; `None` unless they are 1 to [`MAX_MSG`].
    pub fn new(steps: usize, repetitions: u32) -> Option<Self> {
        (1..=MAX_MSG).contains(&steps).then_some(Schedule { steps, repetitions })
    }

    /// From a length to the next. Bounded once more, so that a program has no panic for what can't
    /// be.
    fn step(self) -> usize {
        (MAX_MSG / self.steps.max(1)).max(1)
    }

    /// The lengths, in bytes, each once.
    pub fn lengths(self) -> impl Iterator<Item = usize> {
        (1..=MAX_MSG).step_by(self.step())
    }

    /// The longest of them, in bytes.
    pub fn longest(self) -> usize {
        1 + (MAX_MSG - 1) / self.step() * self.step()
    }

    /// How often each is sent.
    pub fn repetitions(self) -> u32 {
        self.repetitions
    }

    /// The length of each message, in order. An empty one follows them.
    pub fn messages(self) -> impl Iterator<Item = usize> {
        self.lengths().flat_map(move |length| (0..self.repetitions).map(move |_| length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_grow_by_equal_steps() {
        let schedule = Schedule::new(100, 2).unwrap();
        let messages: [usize; 200] = {
            let mut all = schedule.messages();
            core::array::from_fn(|_| all.next().unwrap())
        };
        assert_eq!(messages[..5], [1, 1, 51, 51, 101]);
        assert_eq!(messages[199], 4951);
        assert_eq!(schedule.messages().count(), 200);
        assert_eq!(Schedule::new(1, 1).unwrap().messages().count(), 1);
        for steps in (1..=MAX_MSG).step_by(7) {
            let schedule = Schedule::new(steps, 1).unwrap();
            assert_eq!(Some(schedule.longest()), schedule.lengths().last());
        }
        assert!(Schedule::new(0, 1).is_none() && Schedule::new(MAX_MSG + 1, 1).is_none());
    }
}
