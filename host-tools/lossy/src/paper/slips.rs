//! Formulas and numbers of the paper that are not what they should be, each with what shows it.

use serde::Serialize;

use super::sweep::fastest;
use super::table_ii::{columns, Column, FLOPS};
use crate::algorithms::{printed_broadcast, Algorithm};
use crate::conceptual;
use crate::maximum::maximum;
use crate::pattern::Pattern;
use crate::rounds::failure;
use crate::superstep::Network;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slip {
    /// The section.
    pub place: &'static str,
    pub printed: &'static str,
    pub should_be: &'static str,
    /// Numbers that show it.
    pub evidence: String,
}

/// All that we have found, in the order of the paper.
pub fn slips() -> Vec<Slip> {
    [of_formulas(), of_collectives(), of_numbers()].concat()
}

fn slip(place: &'static str, printed: &'static str, should_be: &'static str, evidence: String) -> Slip {
    Slip { place, printed, should_be, evidence }
}

fn of_formulas() -> Vec<Slip> {
    let (loss, nodes) = (0.1, 1048576.0);
    let exact = conceptual::speedup(Pattern::Log, nodes, loss, 1);
    let printed = f64::powf(nodes, 1.0 - 2.0 * loss);
    let ours = nodes.powf(conceptual::log_exponent(loss, 1));
    let best = conceptual::best_nodes(Pattern::LinearLog, 0.01, 1).nodes();
    let searched = maximum(nodes, |n| conceptual::ln_speedup(Pattern::LinearLog, n, 0.01, 1));
    vec![
        slip(
            "II-A",
            "T = w rho r, and then w r / (n p_s)",
            "the first lacks 1/n",
            "only the second is the first of n = 1".into(),
        ),
        slip(
            "II-A",
            "with log n the speed-up is O(n^(1 - 2 p^k))",
            "n^(1 - 2 p^k / ln 2), or exactly n^(1 + 2 ln(1 - p^k) / ln 2)",
            format!("n = 2^20, p = 0.1, k = 1: {exact:.0} is n^(...) as it should be, {ours:.0}, and not {printed:.0}"),
        ),
        slip(
            "II-A",
            "with log n it only grows",
            "only if p^k < 1 - 1/sqrt 2",
            format!(
                "p = 0.3, k = 1: {:.3} with 2 nodes, {:.3} with 1024",
                conceptual::speedup(Pattern::Log, 2.0, 0.3, 1),
                conceptual::speedup(Pattern::Log, 1024.0, 0.3, 1)
            ),
        ),
        slip(
            "II-A",
            "the best n of n log n has no analytical form",
            "n = y / W(e y) with y = ln 2 / (2 p^k) and Lambert's W",
            format!("p = 0.01, k = 1: {best:.5}, and {searched:.5} by search"),
        ),
        slip(
            "III",
            "p c(n) packets leave again",
            "(1 - p_s) c(n): acknowledgments are lost too",
            format!("p = 0.1: {:.2} of the packets, not 0.1", failure(0.1, 1)),
        ),
        slip(
            "III",
            "a round takes 2 tau, and beta in tau is the round trip",
            "it waits two round trips; one would do, with 2 k c(n) / n alpha + beta",
            "Table II's times have 2 beta".into(),
        ),
        slip("IV", "the k is that which minimises k rho", "that of Table II makes it fastest", copies()),
    ]
}

/// The k of the table beside those of both criteria.
fn copies() -> String {
    let one = |column: Column| {
        let best = column.best_copies();
        format!("{} {}, {} and {}", column.algorithm, column.copies, best.fewest_packets, best.fastest)
    };
    format!("printed, least k rho and fastest: {}", columns().map(one).join("; "))
}

fn of_collectives() -> Vec<Slip> {
    let network = Network { loss: 0.0, alpha: 1.0, beta: 0.1 };
    let printed = printed_broadcast(8.0, 1, &network, 1.0);
    let ours = Algorithm::Broadcast.plan(0.0, 8.0).cost(1, &network, 1.0, 1.0).communicating;
    vec![
        slip(
            "V-E",
            "in its last step a tree sends log P packets",
            "P / 2: twice as many as in the step before",
            "8 nodes: 1, 2 and 4 packets, 7 in all".into(),
        ),
        slip(
            "V-E",
            "k alpha / P (1 - 2^(ceil log P - 1)) + beta ceil log P",
            "2 (k alpha / P (2^(ceil log P) - 1) + beta ceil log P), and a rho of its own in each step",
            format!("8 nodes, alpha = 1, beta = 0.1, nothing lost: {printed:.3} s as printed, and {ours:.3} s"),
        ),
        slip(
            "V-F",
            "(k alpha + beta)(P - 1) rho",
            "twice that: a round takes 2 tau everywhere else",
            "as in V-A to V-D".into(),
        ),
    ]
}

fn of_numbers() -> Vec<Slip> {
    let [matrix, ..] = columns();
    let cost = |nodes: i32, bytes: f64| {
        let network = Network { alpha: bytes / (matrix.bandwidth.value() * 1e6), ..matrix.network() };
        matrix.algorithm.plan(32768.0, 2f64.powi(nodes)).cost(7, &network, 1.0, FLOPS).speedup()
    };
    let best = fastest(&matrix).map_or(0.0, |one| one.speedup);
    vec![
        slip(
            "V-A",
            "the best of the matrix product is with P = 2^17, and again with 2^15 nodes",
            "Table II has 2^16, to which its numbers belong",
            format!(
                "packets of 2^16 bytes: {:.2} with 2^16 nodes, {:.2} with 2^17; with packets of 2^15 bytes, as long as \
                 submatrices on 2^17 nodes are, {best:.2}",
                cost(16, 65536.0),
                cost(17, 65536.0)
            ),
        ),
        slip(
            "Table II",
            "w_s of the matrix product is 140765.34 s",
            "140735.34 s",
            format!("(2 N^3 - N^2) / 0.5 GFLOPS = {:.2}", matrix.cost().alone),
        ),
        slip(
            "Table II",
            "the transform has 17.07 MB/s",
            "its results are those of 17.5 MB/s",
            format!(
                "{:.1} with 17.07, {:.1} with 17.5",
                columns()[2].cost().speedup(),
                columns()[2].cost_with(256.0 / 17.5e6, 0.0005, 0.05).speedup()
            ),
        ),
        slip(
            "Table II",
            "Laplace's equation has alpha = 0.000001 s",
            "its results are those of 0",
            format!(
                "{:.2} with 0.000001, {:.2} with 0",
                columns()[3].cost().speedup(),
                columns()[3].cost_with(0.0, 0.0005, 0.05).speedup()
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slip_is_shown() {
        for slip in slips() {
            assert!(!slip.evidence.is_empty());
        }
        assert_eq!(
            copies(),
            "printed, least k rho and fastest: matrix 7, 7 and 7; bitonic 6, 5 and 6; fft 3, 1 and 3; laplace 5, 1 and 4"
        );
    }
}
