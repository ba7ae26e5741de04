//! Table II: the best speed-up of four algorithms, as printed and as the formulas of section V give it
//! for the parameters above it in the table.

use serde::Serialize;

use super::printed::Printed;
use crate::algorithms::{Algorithm, Cost};
use crate::superstep::{BestCopies, Network};

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Column {
    pub algorithm: Algorithm,
    /// Powers of two.
    pub size_log: u8,
    pub nodes_log: u8,
    pub message_bytes: f64,
    pub packet_bytes: f64,
    pub copies: u32,
    /// Millions of bytes a second.
    pub bandwidth: Printed,
    pub loss: Printed,
    pub alpha: Printed,
    pub beta: Printed,
    pub rounds: Printed,
    pub alone: Printed,
    pub communicating: Printed,
    pub total: Printed,
    pub speedup: Printed,
    pub efficiency: Printed,
}

/// 0.5 GFLOPS on each node.
pub const FLOPS: f64 = 0.5e9;

macro_rules! printed {
    ($($text:literal),*) => { [$(Printed::new($text)),*] };
}

/// The four columns.
pub fn columns() -> [Column; 4] {
    let column = |algorithm,
                  (size_log, nodes_log),
                  bytes,
                  copies,
                  [bandwidth, loss, alpha, beta]: [Printed; 4],
                  results: [Printed; 6]| {
        let [rounds, alone, communicating, total, speedup, efficiency] = results;
        Column {
            algorithm,
            size_log,
            nodes_log,
            message_bytes: bytes,
            packet_bytes: bytes,
            copies,
            bandwidth,
            loss,
            alpha,
            beta,
            rounds,
            alone,
            communicating,
            total,
            speedup,
            efficiency,
        }
    };
    [
        column(
            Algorithm::Matrix,
            (15, 16),
            65536.0,
            7,
            printed!("17.5", "0.045", "0.0037", "0.069"),
            printed!("1.025", "140765.34", "27.54", "29.69", "4740.89", "0.072"),
        ),
        column(
            Algorithm::Bitonic,
            (31, 17),
            65536.0,
            6,
            printed!("17.5", "0.045", "0.0037", "0.069"),
            printed!("1.002", "133.14", "28.18", "28.194", "4.72", "0.000036"),
        ),
        column(
            Algorithm::Fft,
            (34, 15),
            256.0,
            3,
            printed!("17.07", "0.0005", "0.000015", "0.05"),
            printed!("1.24", "5841.15", "7.35", "7.55", "773.4", "0.02"),
        ),
        column(
            Algorithm::Laplace,
            (18, 17),
            24.0,
            5,
            printed!("24", "0.0005", "0.000001", "0.05"),
            printed!("1.0", "23364.44", "1.7", "1.8783", "12439.43", "0.095"),
        ),
    ]
}

/// How a printed number stands to ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is ours, rounded.
    Same,
    /// It is not, but the parameters as printed are rounded so far that it may be.
    Rounding,
    /// No parameters that are printed so give it.
    Misprint,
}

/// A result: its name, what is printed, and what it is of a cost.
type Result = (&'static str, Printed, fn(&Cost) -> f64);

/// A number of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub algorithm: Algorithm,
    pub quantity: &'static str,
    pub printed: Printed,
    /// With the parameters as printed, alpha from packet and bandwidth.
    pub ours: f64,
    /// Ours by the printed one.
    pub ratio: f64,
    /// The least and the greatest that the parameters may give, rounded as they are.
    pub range: [f64; 2],
    pub verdict: Verdict,
    /// What makes the difference, if there is one.
    pub note: &'static str,
}

impl Column {
    /// What the printed parameters cost.
    pub fn cost(&self) -> Cost {
        self.cost_with(self.packet_bytes / (self.bandwidth.value() * 1e6), self.loss.value(), self.beta.value())
    }

    /// What other ones do.
    pub fn cost_with(&self, alpha: f64, loss: f64, beta: f64) -> Cost {
        self.plan_cost(Network { loss, alpha, beta }, f64::from(self.nodes_log).exp2())
    }

    fn plan_cost(&self, network: Network, nodes: f64) -> Cost {
        let plan = self.algorithm.plan(f64::from(self.size_log).exp2(), nodes);
        plan.cost(self.copies, &network, plan.pieces(self.packet_bytes), FLOPS)
    }

    /// The network of the column, alpha from packet and bandwidth.
    pub fn network(&self) -> Network {
        let alpha = self.packet_bytes / (self.bandwidth.value() * 1e6);
        Network { loss: self.loss.value(), alpha, beta: self.beta.value() }
    }

    /// The numbers of copies that the two criteria want.
    pub fn best_copies(&self) -> BestCopies {
        let plan = self.algorithm.plan(f64::from(self.size_log).exp2(), f64::from(self.nodes_log).exp2());
        plan.best_copies(&self.network(), plan.pieces(self.packet_bytes), FLOPS)
    }

    /// Its six results.
    pub fn rows(&self) -> Vec<Row> {
        let results: [Result; 6] = [
            ("rounds", self.rounds, |cost| cost.rounds),
            ("alone, s", self.alone, |cost| cost.alone),
            ("communicating, s", self.communicating, |cost| cost.communicating),
            ("total, s", self.total, Cost::total),
            ("speed-up", self.speedup, Cost::speedup),
            ("efficiency", self.efficiency, Cost::efficiency),
        ];
        // Each cost only grows with alpha, loss and beta: their extremes are those of the costs.
        let corner = |which: usize| {
            let [alpha, loss, beta] = [self.alpha, self.loss, self.beta].map(|one| one.bounds()[which]);
            self.cost_with(alpha, loss, beta)
        };
        let (ours, least, most) = (self.cost(), corner(0), corner(1));
        let row = |(quantity, printed, of): Result| {
            let range = [f64::min(of(&least), of(&most)), f64::max(of(&least), of(&most))];
            let may_be = range[0] <= printed.bounds()[1] && printed.bounds()[0] <= range[1];
            let verdict = match printed.is(of(&ours)) {
                true => Verdict::Same,
                false if may_be => Verdict::Rounding,
                false => Verdict::Misprint,
            };
            let note = if verdict == Verdict::Same { "" } else { note(self.algorithm, quantity) };
            let ours = of(&ours);
            Row {
                algorithm: self.algorithm,
                quantity,
                printed,
                ours,
                ratio: ours / printed.value(),
                range,
                verdict,
                note,
            }
        };
        results.map(row).to_vec()
    }
}

/// Why a number differs.
fn note(algorithm: Algorithm, quantity: &str) -> &'static str {
    match (algorithm, quantity) {
        (Algorithm::Matrix, "alone, s") => "2 N^3 - N^2 by 0.5 GFLOPS is 140735.34: a 6 for a 3",
        (Algorithm::Matrix, "speed-up") => "a bandwidth of 17.5011, printed as 17.5, gives it",
        (Algorithm::Bitonic, _) => "beta of 0.069434, printed as 0.069, gives them",
        (Algorithm::Fft, "alone, s") => "5841.1555: cut off instead of rounded",
        (Algorithm::Fft, _) => "a bandwidth of 17.5 gives them; 17.07 is printed, and alpha is 0.000015 with both",
        (Algorithm::Laplace, _) => {
            "alpha of 0 gives them; with 0.000001, 5 copies to 2 neighbours take 10 microseconds a round"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(rows: &[Row], algorithm: Algorithm, quantity: &str) -> Row {
        rows.iter().find(|row| (row.algorithm, row.quantity) == (algorithm, quantity)).unwrap().clone()
    }

    fn all() -> Vec<Row> {
        columns().iter().flat_map(Column::rows).collect()
    }

    #[test]
    fn each_difference_has_a_reason() {
        let rows = all();
        for row in &rows {
            assert_eq!(row.note.is_empty(), row.verdict == Verdict::Same, "{row:?}");
        }
    }

    #[test]
    fn two_times_on_one_node_can_not_come_from_what_is_printed() {
        let misprints: Vec<_> = all().into_iter().filter(|row| row.verdict == Verdict::Misprint).collect();
        let named: Vec<_> = misprints.iter().map(|row| (row.algorithm, row.quantity)).collect();
        assert_eq!(named, [(Algorithm::Matrix, "alone, s"), (Algorithm::Fft, "alone, s")], "{misprints:?}");
    }

    #[test]
    fn the_reasons_are_right() {
        let [matrix, bitonic, fft, laplace] = columns();
        let cost = matrix.cost_with(65536.0 / 17.5011e6, 0.045, 0.069);
        assert!((cost.speedup() - 4740.89).abs() < 0.05 && matrix.total.is(cost.total()), "{}", cost.speedup());
        let cost = bitonic.cost_with(bitonic.network().alpha, 0.045, 0.069434);
        assert!(bitonic.communicating.is(cost.communicating) && bitonic.total.is(cost.total()), "{cost:?}");
        assert!(bitonic.speedup.is(cost.speedup()) && bitonic.beta.is(0.069434));
        let cost = fft.cost_with(256.0 / 17.5e6, 0.0005, 0.05);
        assert!(
            fft.communicating.is(cost.communicating) && fft.total.is(cost.total()) && fft.speedup.is(cost.speedup())
        );
        assert!(fft.alpha.is(256.0 / 17.5e6) && fft.alpha.is(256.0 / 17.07e6));
        let cost = laplace.cost_with(0.0, 0.0005, 0.05);
        assert!(laplace.total.is(cost.total()) && laplace.speedup.is(cost.speedup()));
    }

    #[test]
    fn messages_fit_into_packets() {
        for column in columns() {
            let plan = column.algorithm.plan(f64::from(column.size_log).exp2(), f64::from(column.nodes_log).exp2());
            assert_eq!((plan.message, plan.pieces(column.packet_bytes)), (Some(column.message_bytes), 1.0));
            assert!(column.alpha.is(column.network().alpha), "{:?}", column.algorithm);
        }
    }

    #[test]
    fn ours_are_what_a_calculator_says() {
        let rows = all();
        let close = |algorithm, quantity, wanted: f64| {
            let found = row(&rows, algorithm, quantity).ours;
            assert!((found / wanted - 1.0).abs() < 1e-6, "{algorithm} {quantity}: {found}");
        };
        close(Algorithm::Matrix, "speed-up", 4740.6123);
        close(Algorithm::Bitonic, "communicating, s", 28.050524);
        close(Algorithm::Fft, "speed-up", 755.50431);
        close(Algorithm::Laplace, "speed-up", 12437.18);
    }
}
