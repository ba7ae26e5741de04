//! Table I: the term that is the greatest, as nodes get many, of those beside 1 in the denominator of
//! equation (6): `2 k rho c(n) alpha / w` for sending, `2 n rho beta / w` for waiting.

use serde::Serialize;

use crate::pattern::Pattern;
use crate::superstep::{Network, Resend, Superstep};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Term {
    /// Sending packets: the one with alpha.
    Sending,
    /// Waiting for acknowledgments: the one with beta.
    Waiting,
    Both,
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Row {
    pub case: &'static str,
    pub pattern: Pattern,
    pub printed: Term,
    /// What the limit of sending by waiting says.
    pub ours: Term,
    /// The share of sending in both, with as many nodes as [`NODES`] says.
    pub shares: [f64; 3],
}

/// Nodes of the shares: 2^10, 2^20, 2^30.
pub const NODES: [f64; 3] = [1024.0, 1048576.0, 1073741824.0];

/// The table, in its order, with the shares that a network has with one copy.
pub fn rows(network: &Network) -> Vec<Row> {
    use Pattern::{Constant, Linear, LinearLog, Log, LogSquared, Quadratic};
    let printed = [
        ("I", Quadratic, Term::Sending),
        ("II", LinearLog, Term::Sending),
        ("III", Linear, Term::Both),
        ("IV", LogSquared, Term::Waiting),
        ("V", Log, Term::Waiting),
        ("VI", Constant, Term::Waiting),
    ];
    let share = |pattern: Pattern, nodes: f64| {
        let superstep = Superstep { nodes, packets: pattern.packets(nodes), copies: 1, work: 1.0 };
        // rho is the same in both.
        let [sending, waiting] = superstep.terms(&Network { loss: 0.0, ..*network }, Resend::Missing);
        sending / (sending + waiting)
    };
    printed
        .map(|(case, pattern, printed)| Row {
            case,
            pattern,
            printed,
            ours: dominating(pattern),
            shares: NODES.map(|nodes| share(pattern, nodes)),
        })
        .to_vec()
}

/// Sending by waiting goes with `c(n) / n`: whether that grows, falls or stays.
pub fn dominating(pattern: Pattern) -> Term {
    let ratio = |nodes: f64| pattern.packets(nodes) / nodes;
    let (few, many) = (ratio(2f64.powi(20)), ratio(2f64.powi(40)));
    match many.total_cmp(&few) {
        std::cmp::Ordering::Less => Term::Waiting,
        std::cmp::Ordering::Equal => Term::Both,
        std::cmp::Ordering::Greater => Term::Sending,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_right() {
        let rows = rows(&Network { loss: 0.1, alpha: 0.0037, beta: 0.069 });
        assert!(rows.iter().all(|row| row.printed == row.ours));
        // But n log n needs many: at a million nodes it is still half.
        assert!((rows[1].shares[1] - 0.517).abs() < 0.001, "{:?}", rows[1]);
        assert!(rows[0].shares[0] > 0.98 && rows[3].shares[2] < 1e-4);
    }
}
