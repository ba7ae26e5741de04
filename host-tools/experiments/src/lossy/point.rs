//! What runs with several seeds have in common, held against the model.

use serde::Serialize;
use testbed_lossy::rounds::{failure, rounds, variance};

use super::observe::Observed;

/// A mean over runs with several seeds, what the model says, and how far the mean may be off by lot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    pub measured: f64,
    pub predicted: f64,
    /// Three standard errors of such a mean, if the model is right.
    pub bound: f64,
}

impl Figure {
    /// The figure of one value a run, each with this variance.
    fn of(values: &[f64], predicted: f64, variance: f64) -> Figure {
        let count = values.len() as f64;
        let measured = values.iter().sum::<f64>() / count;
        Figure { measured, predicted, bound: 3.0 * (variance / count).sqrt() }
    }

    /// How far the mean is off, as a fraction of what the model says.
    pub fn off(&self) -> f64 {
        self.measured / self.predicted - 1.0
    }

    /// Whether the mean is off by more than a fraction, and more than by lot.
    pub fn is_off_by(&self, fraction: f64) -> bool {
        let difference = (self.measured - self.predicted).abs();
        difference > fraction * self.predicted.abs() && difference > self.bound
    }
}

/// A program of so many processes, with a loss and a number of copies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    pub program: String,
    pub processes: u8,
    pub loss: f64,
    pub copies: u32,
    pub seeds: usize,
    /// Packets of a run, without copies and repetitions, and exchanges that have some.
    pub packets: u32,
    pub exchanges: usize,
    /// Rounds of an exchange.
    pub rounds: Figure,
    /// The share of all packets that have left that did so again.
    pub resent: Figure,
    /// Cycles of a run.
    pub cycles: Figure,
    /// Cycles of a run whose processes go on as soon as all is acknowledged, if there was one.
    pub early_cycles: Option<f64>,
    /// Over one process.
    pub speedup: Figure,
}

/// What is being measured: a program of so many processes, with a loss and a number of copies.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub program: &'static str,
    pub processes: u8,
    pub loss: f64,
    pub copies: u32,
}

impl Point {
    /// Of runs with several seeds. `lossless` is the same without loss, and `alone` are the cycles of
    /// one process.
    pub fn of(subject: Subject, lossless: &Observed, runs: &[Observed], early: &[Observed], alone: u64) -> Point {
        let Subject { program, processes, loss, copies } = subject;
        let f = failure(loss, copies);
        let exchanges = lossless.exchanges.len();
        let packets: u32 = lossless.exchanges.iter().map(|exchange| exchange.packets).sum();
        // Of each exchange: the time of a round, how many there are, and their variance.
        let model: Vec<[f64; 3]> = lossless
            .exchanges
            .iter()
            .map(|one| (one.given as f64, f64::from(one.packets)))
            .map(|(given, packets)| [given, rounds(f, packets), variance(f, packets)])
            .collect();
        let sum = |of: fn(&[f64; 3]) -> f64| model.iter().map(of).sum::<f64>();
        let count = exchanges.max(1) as f64;
        let each = |of: fn(&Observed) -> f64| -> Vec<f64> { runs.iter().map(of).collect() };
        let predicted = lossless.cycles as f64 + sum(|[given, rounds, _]| (rounds - 1.0) * given);
        let spread = sum(|[given, _, variance]| variance * given * given);
        let cycles = Figure::of(&each(|run| run.cycles as f64), predicted, spread);
        let alone = alone as f64;
        let times: Vec<f64> = runs.iter().map(|run| alone / run.cycles as f64).collect();
        // To first order, the speed-up is off by the same fraction as the time.
        let speedup = Figure::of(&times, alone / predicted, spread * (alone / predicted / predicted).powi(2));
        let early_cycles = early.iter().map(|run| run.cycles as f64).sum::<f64>() / early.len() as f64;
        Point {
            program: program.into(),
            processes,
            loss,
            copies,
            seeds: runs.len(),
            packets,
            exchanges,
            rounds: Figure::of(
                &each(mean_rounds),
                sum(|[_, rounds, _]| *rounds) / count,
                sum(|[_, _, variance]| *variance) / count / count,
            ),
            resent: resent(runs, f),
            cycles,
            early_cycles: (!early.is_empty()).then_some(early_cycles),
            speedup,
        }
    }
}

fn mean_rounds(run: &Observed) -> f64 {
    let sum: u32 = run.exchanges.iter().map(|exchange| exchange.rounds).sum();
    f64::from(sum) / run.exchanges.len().max(1) as f64
}

/// The fraction of all packets of all runs that have left again. Each packet that leaves is lost or
/// not, so the bound is that of so many drawn lots: three deviations of the count's square root, which
/// is nearly normal for few, too (F. J. Anscombe, "The transformation of Poisson, binomial and
/// negative-binomial data").
fn resent(runs: &[Observed], f: f64) -> Figure {
    let sum = |of: fn(&super::observe::Exchange) -> u32| -> f64 {
        runs.iter().flat_map(|run| &run.exchanges).map(|exchange| f64::from(of(exchange))).sum()
    };
    let (packets, sent) = (sum(|exchange| exchange.packets), sum(|exchange| exchange.sent));
    let bound = (3.0 * (f * (1.0 - f) * sent + 3.0 / 8.0).sqrt() + 9.0 / 4.0) / sent.max(1.0);
    Figure { measured: (sent - packets) / sent.max(1.0), predicted: f, bound }
}

#[cfg(test)]
mod tests {
    use super::super::observe::Exchange;
    use super::*;

    fn run(rounds: u32, sent: u32, cycles: u64) -> Observed {
        Observed { cycles, exchanges: vec![Exchange { packets: 10, sent, rounds, given: 1_000 }] }
    }

    #[test]
    fn a_point_is_held_against_the_model() {
        let subject = Subject { program: "p", processes: 5, loss: 0.5, copies: 2 };
        let runs = [run(3, 15, 7_000), run(5, 25, 9_000)];
        let point = Point::of(subject, &run(1, 10, 5_000), &runs, &[], 16_000);
        assert_eq!((point.rounds.measured, point.packets, point.exchanges), (4.0, 10, 1));
        assert_eq!(point.resent.measured, 0.5);
        assert_eq!(point.resent.predicted, 1.0 - 0.75f64.powi(2));
        assert_eq!(point.cycles.predicted, 5_000.0 + (point.rounds.predicted - 1.0) * 1_000.0);
        let spread = variance(point.resent.predicted, 10.0);
        assert_eq!(point.rounds.bound, 3.0 * (spread / 2.0).sqrt());
        assert_eq!(point.cycles.measured, 8_000.0);
        assert!((point.cycles.bound / point.rounds.bound - 1_000.0).abs() < 1e-6);
        assert_eq!(point.speedup.predicted, 16_000.0 / point.cycles.predicted);
        assert_eq!(point.early_cycles, None);
    }

    #[test]
    fn a_few_packets_more_than_next_to_none_are_within_lot() {
        let run = |again: u32| Observed {
            exchanges: vec![Exchange { packets: 8_400, sent: 8_400 + again, rounds: 1, given: 1 }],
            cycles: 1,
        };
        // 1.3 of them leave again on average: six do once in 400 times.
        let f = failure(0.15, 5);
        assert!(!resent(&[run(6)], f).is_off_by(0.05) && resent(&[run(9)], f).is_off_by(0.05));
        let many = failure(0.3, 1);
        assert!(resent(&[run(9_500)], many).is_off_by(0.02) && !resent(&[run(8_800)], many).is_off_by(0.02));
    }

    #[test]
    fn what_is_off_by_lot_does_not_count() {
        let figure = Figure { measured: 1.2, predicted: 1.0, bound: 0.3 };
        assert!(!figure.is_off_by(0.05) && Figure { bound: 0.1, ..figure }.is_off_by(0.05));
        assert!(!Figure { bound: 0.0, ..figure }.is_off_by(0.25));
    }
}
