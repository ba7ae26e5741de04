//! Why a prediction is off: the difference to what was measured, taken apart.
//!
//! A prediction is too high by the sum of these, each of which the trace tells:
//!
//! - what `g h + l` with g constant has more than the same with g of the messages' length, parted
//!   into the share of the processes that have no words, and the rest;
//! - work of the process that has the most, done before the others were through;
//! - what others had announced, read while a processor waited for the last one to come;
//! - what is left: who sends how much to whom.

use serde::Serialize;

use super::ends::Ends;
use super::step::Step;

/// What is mainly to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Messages are longer or shorter, more or fewer, than those of the probe on average.
    Messages,
    /// Few processes have words.
    Senders,
    /// The process with the most work began ahead of the others.
    Overlap,
    /// The announcements of others were read while processors waited.
    Waiting,
    /// A process had too little room, and said so in a second broadcast.
    Room,
    /// Who sends to whom is not as in the probe's supersteps.
    Pattern,
}

impl Cause {
    pub const ALL: [Cause; 6] =
        [Cause::Messages, Cause::Senders, Cause::Overlap, Cause::Waiting, Cause::Room, Cause::Pattern];

    /// The term of the formula that is wrong.
    pub fn term(self) -> &'static str {
        ["g", "l", "w", "l", "l", "g"][self as usize]
    }

    /// The reason.
    pub fn text(self) -> &'static str {
        [
            "the line through the probe's supersteps has other messages: one g for all lengths",
            "only some processes have words: there is less to announce than if all had",
            "the process with the most work began ahead of the others",
            "processes came apart: processors read what the first announced while they waited for the last",
            "a process had too little room, and said so to all in a second broadcast",
            "who sends how much to whom is not as in the probe's supersteps, where all send and receive alike",
        ][self as usize]
    }
}

/// The shares of a difference, in cycles: how much too high a prediction is for each cause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Shares {
    overlap: f64,
    waiting: f64,
    rest: f64,
}

impl Shares {
    fn of(step: &Step, ends: &Ends) -> Shares {
        let end = ends.end_by_length(step);
        let waiting = waiting(step, ends);
        Shares { overlap: step.work as f64 - step.computing as f64, waiting, rest: end - waiting - step.end() as f64 }
    }

    fn causes(self, step: &Step) -> Vec<(Cause, f64)> {
        let rest = if self.rest < 0.0 && step.rooms != 0 { Cause::Room } else { Cause::Pattern };
        vec![(Cause::Overlap, self.overlap), (Cause::Waiting, self.waiting), (rest, self.rest)]
    }
}

/// How much of the announcements' cost was over when the last process came: a processor reads them one
/// after the other as they come.
fn waiting(step: &Step, ends: &Ends) -> f64 {
    let empty = ends.l0 / f64::from(step.processes.max(1));
    let cost = |has_words: bool| empty + if has_words { ends.by_length.sender } else { 0.0 };
    // Cycles since the last SYNC, which most of the others come ahead of.
    let read = step
        .ahead
        .iter()
        .fold(f64::NEG_INFINITY, |read, &(ahead, has_words)| read.max(-(ahead as f64)) + cost(has_words));
    let all: f64 = step.ahead.iter().map(|&(_, has_words)| cost(has_words)).sum();
    if step.ahead.is_empty() {
        0.0
    } else {
        (all - read).max(0.0)
    }
}

/// The largest share that has the sign of the sum.
fn largest(shares: &[(Cause, f64)]) -> Option<Cause> {
    let sum: f64 = shares.iter().map(|(_, share)| share).sum();
    let of_sign = shares.iter().filter(|(_, share)| share.signum() == sum.signum());
    of_sign.max_by(|one, other| one.1.abs().total_cmp(&other.1.abs())).map(|(cause, _)| *cause)
}

/// What is mainly to blame for the error of `w + g(k) h + l(s)`.
pub fn by_length(step: &Step, ends: &Ends) -> Option<Cause> {
    largest(&Shares::of(step, ends).causes(step))
}

/// What is mainly to blame for the error of `w + g h + l`.
pub fn constant(step: &Step, ends: &Ends) -> Option<Cause> {
    let predicted = ends.predict(step);
    let silent = if step.words() == 0 { 0 } else { step.processes - step.senders };
    let senders = ends.by_length.sender * f64::from(silent);
    let mut shares = Shares::of(step, ends).causes(step);
    shares.push((Cause::Senders, senders));
    shares.push((Cause::Messages, predicted.sum - predicted.by_length - senders));
    largest(&shares)
}

#[cfg(test)]
mod tests {
    use super::super::ends::ByLength;
    use super::*;

    fn ends() -> Ends {
        let by_length = ByLength { word: 5.0, message: 800.0, sender: 300.0 };
        Ends { processes: 4, g: 20.0, l: 7_000.0, l0: 1_000.0, by_length }
    }

    /// All four come at once, and have two messages each way: the end is 1,000 + 1,200 + 3,200 + 1,000.
    fn regular() -> Step {
        Step {
            number: 1,
            cycles: 20_000 + 6_400,
            work: 20_000,
            computing: 20_000,
            sent: 100,
            received: 100,
            moved: 200,
            messages: 4,
            senders: 4,
            processes: 4,
            rooms: 0,
            ahead: vec![(0, true); 4],
        }
    }

    #[test]
    fn the_largest_share_of_an_error_is_its_cause() {
        let of = |step: Step| by_length(&step, &ends());
        // 5,000 cycles of work were done ahead.
        assert_eq!(of(Step { cycles: 21_400, computing: 15_000, ..regular() }), Some(Cause::Overlap));
        // The others had come long before, and the end takes less by what they announce.
        let ahead = vec![(9_000, true), (8_000, true), (7_000, true), (0, true)];
        assert_eq!(of(Step { cycles: 20_000 + 4_750, ahead, ..regular() }), Some(Cause::Waiting));
        assert_eq!(of(Step { cycles: 36_400, ..regular() }), Some(Cause::Pattern));
        assert_eq!(of(Step { cycles: 36_400, rooms: 1, ..regular() }), Some(Cause::Room));
        assert_eq!(of(Step { cycles: 24_400, rooms: 1, ..regular() }), Some(Cause::Pattern));
    }

    #[test]
    fn one_g_for_all_lengths_is_a_cause_of_its_own() {
        // One long message each way in place of many: the other formula is right.
        let one = Step { messages: 2, cycles: 20_000 + 4_800, ..regular() };
        assert_eq!(constant(&one, &ends()), Some(Cause::Messages));
        let lone = Step { senders: 1, cycles: 20_000 + 5_500, ..regular() };
        let near = Ends { g: 20.0, l: 4_400.0, ..ends() };
        assert_eq!(constant(&lone, &near), Some(Cause::Senders));
    }

    #[test]
    fn who_comes_with_the_others_has_read_nothing_ahead() {
        assert_eq!(waiting(&regular(), &ends()), 0.0);
        assert_eq!(waiting(&Step::default(), &ends()), 0.0);
        // Each announcement takes 250 + 300 cycles; three of them were over.
        let ahead = vec![(9_000, true), (8_000, true), (7_000, true), (0, true)];
        assert_eq!(waiting(&Step { ahead, ..regular() }, &ends()), 3.0 * 550.0);
    }
}
