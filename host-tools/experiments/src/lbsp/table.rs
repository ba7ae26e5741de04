//! `testbed lbsp table N`: the paper's tables, ours beside each printed number, and `testbed lbsp slips`.

use std::fmt::Write as _;

use clap::Args;
use itertools::Itertools;
use serde::Serialize;
use testbed_lossy::algorithms::Algorithm;
use testbed_lossy::figures::Assumed;
use testbed_lossy::paper::slips::{slips, Slip};
use testbed_lossy::paper::sweep::{fastest, Fastest};
use testbed_lossy::paper::table_i::{self, Term};
use testbed_lossy::paper::table_ii::{columns, Column, Row, Verdict};
use testbed_lossy::superstep::{BestCopies, Network};

use super::output::Output;
use super::quantities::{beside, number};
use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::model;
use crate::progress::Progress;

/// One of the paper's tables, our value beside each printed one
#[derive(Args, Debug)]
pub struct Table {
    /// 1: which term is the greatest; 2: speed-ups of four algorithms
    #[arg(value_parser = clap::value_parser!(u8).range(1..=2))]
    number: u8,
    #[command(flatten)]
    output: Output,
}

/// What the paper prints and should not, each with what shows it
#[derive(Args, Debug)]
pub struct Slips {
    #[command(flatten)]
    output: Output,
}

/// The numbers of copies of a column.
#[derive(Clone, Debug, Serialize)]
pub struct Copies {
    pub algorithm: Algorithm,
    pub printed: u32,
    pub best: BestCopies,
}

/// Table II, and what belongs to it.
#[derive(Clone, Debug, Serialize)]
pub struct TableTwo {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    pub copies: Vec<Copies>,
    pub fastest: Vec<Fastest>,
}

/// A row of Table II without arrays.
#[derive(Serialize)]
struct Line {
    algorithm: Algorithm,
    quantity: &'static str,
    printed: f64,
    ours: f64,
    ratio: f64,
    least: f64,
    most: f64,
    verdict: Verdict,
    note: &'static str,
}

/// A row of Table I without arrays.
#[derive(Serialize)]
struct Share {
    case: &'static str,
    packets: String,
    printed: Term,
    ours: Term,
    share_2_10: f64,
    share_2_20: f64,
    share_2_30: f64,
}

impl Experiment for Table {
    fn make(&self, _: &dyn Progress) -> Result<String, ExperimentError> {
        if self.number == 1 {
            let rows = table_i::rows(&network());
            let shares: Vec<Share> = rows.iter().map(share).collect();
            return self.output.print(&rows, &shares, one_text);
        }
        let two = two();
        let lines: Vec<Line> = two.rows.iter().map(line).collect();
        self.output.print(&two, &lines, || two_text(&two))
    }
}

impl Experiment for Slips {
    fn make(&self, _: &dyn Progress) -> Result<String, ExperimentError> {
        let slips = slips();
        self.output.print(&slips, &slips, || slips_text(&slips))
    }
}

/// The network of the shares in Table I, which the paper has without numbers.
fn network() -> Network {
    let Assumed { alpha, beta, .. } = Assumed::default();
    Network { loss: 0.0, alpha, beta }
}

fn share(row: &table_i::Row) -> Share {
    let [share_2_10, share_2_20, share_2_30] = row.shares;
    let table_i::Row { case, pattern, printed, ours, .. } = *row;
    Share { case, packets: pattern.to_string(), printed, ours, share_2_10, share_2_20, share_2_30 }
}

fn line(row: &Row) -> Line {
    let Row { algorithm, quantity, printed, ours, ratio, range: [least, most], verdict, note } = *row;
    Line { algorithm, quantity, printed: printed.value(), ours, ratio, least, most, verdict, note }
}

/// Table II and what belongs to it.
pub fn two() -> TableTwo {
    let all = columns();
    TableTwo {
        columns: all.to_vec(),
        rows: all.iter().flat_map(Column::rows).collect(),
        copies: all
            .iter()
            .map(|one| Copies { algorithm: one.algorithm, printed: one.copies, best: one.best_copies() })
            .collect(),
        fastest: all.iter().filter_map(fastest).collect(),
    }
}

fn term(term: Term) -> &'static str {
    match term {
        Term::Sending => "sending, alpha",
        Term::Waiting => "waiting, beta",
        Term::Both => "both",
    }
}

/// Table I.
pub fn one_table() -> model::Table {
    let row = |row: &table_i::Row| {
        let words = [row.case, &row.pattern.to_string(), term(row.printed), term(row.ours)].map(String::from);
        let shares = row.shares.map(|share| format!("{:.2}%", 100.0 * share));
        words.into_iter().chain(shares).collect()
    };
    let columns = ["case", "c(n)", "printed", "ours", "n = 2^10", "2^20", "2^30"];
    model::Table {
        title: "Table I: the dominating term".into(),
        explanation:
            "Of the terms beside 1 in the denominator of the speed-up, that of sending packets goes with c(n) \
                      and that of waiting for acknowledgments with n. The shares are those of sending in both, with \
                      one copy, a packet of 65,536 bytes at 17.5 MB/s and a round trip of 69 ms."
                .into(),
        columns: columns.map(String::from).to_vec(),
        rows: table_i::rows(&network()).iter().map(row).collect(),
    }
}

/// Table II's results.
pub fn two_table(two: &TableTwo) -> model::Table {
    let row = |row: &Row| {
        let verdict = match row.verdict {
            Verdict::Same => "same",
            Verdict::Rounding => "rounding",
            Verdict::Misprint => "misprint",
        };
        vec![
            row.algorithm.to_string(),
            row.quantity.into(),
            row.printed.text().into(),
            beside(row.ours),
            format!("{:.5}", row.ratio),
            format!("{} to {}", number(row.range[0]), number(row.range[1])),
            verdict.into(),
        ]
    };
    let columns = ["algorithm", "result", "printed", "ours", "ratio", "by rounding", "verdict"];
    model::Table {
        title: "Table II: speed-ups of algorithms".into(),
        explanation: "Ours is with the parameters as printed, alpha from packet and bandwidth. They are rounded; by \
                      rounding is what others that would be printed alike give. A result is a misprint if none of \
                      them gives it."
            .into(),
        columns: columns.map(String::from).to_vec(),
        rows: two.rows.iter().map(row).collect(),
    }
}

/// Why results of Table II differ; results of one algorithm with the same reason together.
pub fn reasons(two: &TableTwo) -> Vec<String> {
    let differ: Vec<&Row> = two.rows.iter().filter(|row| !row.note.is_empty()).collect();
    let alike = differ.chunk_by(|one, other| (one.algorithm, one.note) == (other.algorithm, other.note));
    let reason = |rows: &[&Row]| {
        let results = rows.iter().map(|row| row.quantity.trim_end_matches(", s")).join(" and ");
        format!("{}, {results}: {}", rows[0].algorithm, rows[0].note)
    };
    alike.map(reason).collect()
}

/// The copies of Table II by both criteria, and what its searches find.
pub fn copies_table(two: &TableTwo) -> model::Table {
    let row = |(copies, found): (&Copies, &Fastest)| {
        vec![
            copies.algorithm.to_string(),
            copies.printed.to_string(),
            copies.best.fewest_packets.to_string(),
            copies.best.fastest.to_string(),
            format!("2^{}", found.size_log),
            format!("2^{}", found.nodes_log),
            found.copies.to_string(),
            number(found.speedup),
        ]
    };
    let columns = ["algorithm", "k printed", "least k rho", "fastest k", "best size", "nodes", "k", "speed-up"];
    model::Table {
        title: "Copies, and the fastest of all sizes and nodes".into(),
        explanation:
            "The paper says that k minimises k rho; its table has the k that is the fastest, or for Laplace's \
                      equation one that is as fast to the digits printed. The best size and nodes are those of the \
                      paper's search (section V), with what the table's packets suffer."
                .into(),
        columns: columns.map(String::from).to_vec(),
        rows: two.copies.iter().zip(&two.fastest).map(row).collect(),
    }
}

/// A table with its title.
pub fn shown(text: &mut String, table: &model::Table) {
    let _ = writeln!(text, "{}", table.title);
    table.align(text);
}

fn one_text() -> String {
    let mut text = String::new();
    shown(&mut text, &one_table());
    text + "\nn = 2^10 to 2^30: the share of sending, with alpha of 3.74 ms and beta of 69 ms\n"
}

/// Table II as text.
pub fn two_text(two: &TableTwo) -> String {
    let mut text = String::new();
    shown(&mut text, &two_table(two));
    text += "\nWhat makes the differences\n";
    for reason in reasons(two) {
        let _ = writeln!(text, "  {reason}");
    }
    text.push('\n');
    shown(&mut text, &copies_table(two));
    text
}

/// Slips as text.
pub fn slips_text(slips: &[Slip]) -> String {
    let one = |Slip { place, printed, should_be, evidence }: &Slip| {
        format!("{place}\n  printed:   {printed}\n  should be: {should_be}\n  shown by:  {evidence}\n")
    };
    slips.iter().map(one).join("\n")
}
