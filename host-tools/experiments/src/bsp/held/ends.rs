//! What the end of a superstep costs, measured on the program `bsp-probe`, and what both formulas of
//! the cost model predict from that.
//!
//! With g constant, the end costs `g h + l`: a straight line through the ends of the probe's
//! supersteps, over the words that a process sends or receives. With g of the messages' length it
//! costs `g(k) h + l(s)`:
//!
//! - `g(k) = g (1 + n½ / k)` is Hockney's law for messages of k words. A process that sends and
//!   receives h words together in m messages then takes `g h + g n½ m`. What it sends and what it
//!   receives are added up, since the same processor copies both.
//! - `l(s)` grows with the number s of processes that have words: each of them tells everybody how
//!   many words it has for whom, and each processor reads that.

use serde::Serialize;
use testbed_trace::analysis::bsp::model::cost;

use super::step::Step;
use crate::fit;

/// What the end of a superstep costs, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ends {
    pub processes: u8,
    /// A word, and all else, where there are words.
    pub g: f64,
    pub l: f64,
    /// Where there are none.
    pub l0: f64,
    pub by_length: ByLength,
}

/// What it costs with g of the messages' length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ByLength {
    /// A word that a process sends or receives.
    pub word: f64,
    /// A message that a process sends or receives: `word` times n½.
    pub message: f64,
    /// A process that has words.
    pub sender: f64,
}

/// What the model says of a superstep, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Predicted {
    /// max{l, w, g hs, g hr}.
    pub max: f64,
    /// w + g h + l.
    pub sum: f64,
    /// w + g(k) h + l(s).
    pub by_length: f64,
}

impl Ends {
    /// Fits the probe's supersteps; `None` if these do not differ enough.
    pub fn of(steps: &[Step], processes: u8) -> Option<Ends> {
        let (silent, told): (Vec<&Step>, Vec<&Step>) = steps.iter().partition(|step| step.words() == 0);
        let points = |steps: &[&Step]| -> Vec<(f64, f64)> {
            steps.iter().map(|step| (f64::from(step.words()), step.end() as f64)).collect()
        };
        let line = fit::line("ends", &points(&told))?;
        let l0 = fit::constant("empty", &points(&silent))?.intercept;
        let by_length = ByLength::of(&told, l0)?;
        Some(Ends { processes, g: line.slope, l: line.intercept, l0, by_length })
    }

    /// What both formulas say of a superstep.
    pub fn predict(&self, step: &Step) -> Predicted {
        let l = if step.words() == 0 { self.l0 } else { self.l };
        let constant = cost(step.work, (step.sent, step.received), self.g, l);
        let by_length = step.work as f64 + self.end_by_length(step);
        Predicted { max: constant.max_cycles, sum: constant.sum_cycles, by_length }
    }

    /// What a superstep's end costs with g of the messages' length.
    pub fn end_by_length(&self, step: &Step) -> f64 {
        let ByLength { word, message, sender } = self.by_length;
        self.l0 + sender * f64::from(step.senders) + message * f64::from(step.messages) + word * f64::from(step.moved)
    }
}

impl ByLength {
    /// By least squares over supersteps with words, of which each counts as much, however long it
    /// is. Two processes always have two messages: what these cost is in the senders' share then.
    fn of(steps: &[&Step], l0: f64) -> Option<ByLength> {
        let point = |step: &&Step| {
            let end = step.end() as f64;
            let figures = [step.moved, step.senders, step.messages].map(|figure| f64::from(figure) / end);
            (figures, (end - l0) / end)
        };
        let points: Vec<_> = steps.iter().filter(|step| step.end() != 0).map(point).collect();
        if let Some([word, sender, message]) = fit::least_squares(&points) {
            return Some(ByLength { word, message, sender });
        }
        let points: Vec<_> = points.into_iter().map(|([word, sender, _], end)| ([word, sender], end)).collect();
        let [word, sender] = fit::least_squares(&points)?;
        Some(ByLength { word, message: 0.0, sender })
    }

    /// Words of a message that takes twice as long a word as the longest.
    pub fn half(&self) -> f64 {
        self.message / self.word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A superstep of a machine that is the model: each of `processes` sends `messages` messages of
    /// `words` words, and receives as many.
    fn step(processes: u32, senders: u32, messages: u32, words: u32) -> Step {
        let sent = messages * words;
        let end = 1_000 + 300 * u64::from(senders) + 800 * 2 * u64::from(messages) + 5 * 2 * u64::from(sent);
        Step {
            cycles: 50_000 + end,
            work: 50_000,
            computing: 50_000,
            sent,
            received: sent,
            moved: 2 * sent,
            messages: 2 * messages,
            senders,
            processes,
            ..Step::default()
        }
    }

    fn probe(processes: u32) -> Vec<Step> {
        let empty = Step { cycles: 51_000, work: 50_000, computing: 50_000, processes, ..Step::default() };
        let all = (1..processes)
            .flat_map(|messages| [1, 5, 40, 300].map(|words| step(processes, processes, messages, words)));
        std::iter::once(empty).chain(all).collect()
    }

    #[test]
    fn a_machine_that_is_the_model_is_predicted_to_the_cycle() {
        let ends = Ends::of(&probe(7), 7).unwrap();
        let ByLength { word, message, sender } = ends.by_length;
        for (found, wanted) in [(ends.l0, 1_000.0), (word, 5.0), (message, 800.0), (sender, 300.0)] {
            assert!((found - wanted).abs() < 1e-6 * wanted, "{ends:?}");
        }
        // What the probe has not: few that send.
        for other in [step(7, 2, 1, 7), step(7, 1, 6, 90)] {
            assert!((ends.predict(&other).by_length - other.cycles as f64).abs() < 0.01, "{other:?}");
        }
    }

    #[test]
    fn two_processes_have_no_figure_for_messages() {
        let ends = Ends::of(&probe(2), 2).unwrap();
        assert_eq!(ends.by_length.message, 0.0);
        assert!((ends.by_length.sender - 1_100.0).abs() < 1e-6, "{ends:?}");
        assert!((ends.predict(&step(2, 2, 1, 30)).by_length - step(2, 2, 1, 30).cycles as f64).abs() < 0.01);
    }

    #[test]
    fn supersteps_that_are_all_alike_have_no_line() {
        assert_eq!(Ends::of(&vec![step(3, 3, 2, 5); 9], 3), None);
        assert_eq!(Ends::of(&[], 3), None);
    }
}
