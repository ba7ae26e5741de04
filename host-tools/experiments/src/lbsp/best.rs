//! `testbed lbsp best`: the best number of nodes, and the best number of copies.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;
use testbed_lossy::algorithms::Algorithm;
use testbed_lossy::conceptual::{self, Best as BestOf};
use testbed_lossy::pattern::Pattern;
use testbed_lossy::superstep::{self, BestCopies, Network, Resend, Superstep};

use super::network::NetworkOptions;
use super::output::Output;
use super::quantities::{number, whole};
use super::setup::Setup;
use super::speedup::{head, title};
use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::model::Table;
use crate::progress::Progress;

/// Numbers of copies that are shown, at least.
const COPIES_SHOWN: u32 = 8;

/// The best numbers of nodes for each c(n), and the best number of copies for one of them or for an algorithm
#[derive(Args, Debug)]
pub struct Best {
    #[command(flatten)]
    setup: Setup,
    #[command(flatten)]
    network: NetworkOptions,
    /// The most nodes that there are
    #[arg(long, value_name = "N", default_value = "2^30", value_parser = whole)]
    most: f64,
    #[command(flatten)]
    output: Output,
}

/// The best number of nodes for a kind of communication.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Nodes {
    pub packets: Pattern,
    /// The best of the conceptual approach, by the closed form; none where more are always better, or no `f64` holds it.
    pub conceptual: Option<f64>,
    /// The same as the paper prints it, approximated.
    pub conceptual_printed: Option<f64>,
    /// Where communication takes time and missing packets leave again, and how fast that is.
    pub missing: u64,
    pub missing_speedup: f64,
    /// Where all packets leave again.
    pub all: u64,
    pub all_speedup: f64,
    /// The best numbers are no less than the most that there are.
    pub missing_is_most: bool,
    pub all_is_most: bool,
}

/// A number of copies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Copies {
    pub copies: u32,
    pub rounds: f64,
    /// k rho: packets that would leave if all did in each round, by those of one round without copies.
    pub k_rho: f64,
    pub seconds: f64,
    pub speedup: Option<f64>,
}

#[derive(Serialize)]
struct Found {
    network: Network,
    notes: Vec<String>,
    nodes: Vec<Nodes>,
    best_copies: BestCopies,
    copies: Vec<Copies>,
}

impl Experiment for Best {
    fn make(&self, _: &dyn Progress) -> Result<String, ExperimentError> {
        match self.setup.algorithm {
            None => self.of_superstep(),
            Some(algorithm) => self.of_algorithm(algorithm),
        }
    }
}

impl Best {
    fn of_superstep(&self) -> Result<String, ExperimentError> {
        let known = self.network.known()?;
        let network = known.network;
        let superstep = self.setup.superstep();
        let best_copies = superstep.best_copies(&network, Resend::Missing);
        let copies = |copies| {
            let one = Superstep { copies, ..superstep };
            let rounds = one.rounds(network.loss, Resend::Missing);
            let speedup = Some(one.speedup(&network, Resend::Missing));
            Copies {
                copies,
                rounds,
                k_rho: f64::from(copies) * rounds,
                seconds: one.time(&network, Resend::Missing),
                speedup,
            }
        };
        let nodes = Pattern::ALL.map(|pattern| self.nodes(pattern, &network)).to_vec();
        let found =
            Found { network, notes: known.notes.clone(), nodes, best_copies, copies: shown(best_copies, copies) };
        self.output.print(&found, &found.nodes, || {
            let (work, k) = (number(self.setup.work), self.setup.copies);
            let mut text = known.text();
            let _ = writeln!(
                text,
                "\nBest numbers of nodes up to {}, copies {k}, {work} s of work on one node",
                number(self.most)
            );
            nodes_table(&found.nodes).align(&mut text);
            let _ = write!(
                text,
                "\nBest numbers of copies: {}",
                head(&Superstep { copies: 1, ..superstep }).replace(", copies 1", "")
            );
            copies_text(&mut text, &found);
            text
        })
    }

    fn of_algorithm(&self, algorithm: Algorithm) -> Result<String, ExperimentError> {
        let planned = self.setup.plan(algorithm, &self.network)?;
        let (network, pieces, flops) = (planned.known.network, planned.pieces, self.setup.flops);
        let best_copies = planned.plan.best_copies(&network, pieces, flops);
        let copies = |copies| {
            let cost = planned.plan.cost(copies, &network, pieces, flops);
            let speedup = (cost.alone > 0.0).then(|| cost.speedup());
            Copies {
                copies,
                rounds: cost.rounds,
                k_rho: f64::from(copies) * cost.rounds,
                seconds: cost.total(),
                speedup,
            }
        };
        let copies = shown(best_copies, copies);
        let found = Found { network, notes: planned.known.notes.clone(), nodes: vec![], best_copies, copies };
        self.output.print(&found, &found.copies, || {
            let one = Setup { copies: 1, ..self.setup.clone() };
            let mut text = planned.known.text();
            let _ = write!(text, "\nBest numbers of copies: {}", title(algorithm, &one).replace(", copies 1", ""));
            copies_text(&mut text, &found);
            text
        })
    }

    fn nodes(&self, pattern: Pattern, network: &Network) -> Nodes {
        let (work, copies, most) = (self.setup.work, self.setup.copies, self.most as u64);
        let finite = |value: f64| value.is_finite().then_some(value);
        let best = |resend| superstep::best_nodes(pattern, work, copies, network, resend, most);
        let speedup = |nodes: u64, resend| {
            let nodes = nodes as f64;
            Superstep { nodes, packets: pattern.packets(nodes), copies, work }.speedup(network, resend)
        };
        let (missing, all) = (best(Resend::Missing), best(Resend::All));
        let closed: BestOf = conceptual::best_nodes(pattern, network.loss, copies);
        Nodes {
            packets: pattern,
            conceptual: finite(closed.nodes()),
            conceptual_printed: conceptual::printed_best_nodes(pattern, network.loss, copies).and_then(finite),
            missing,
            missing_speedup: speedup(missing, Resend::Missing),
            all,
            all_speedup: speedup(all, Resend::All),
            missing_is_most: missing == most,
            all_is_most: all == most,
        }
    }
}

/// Copies from 1 to behind the best ones.
fn shown(best: BestCopies, of: impl Fn(u32) -> Copies) -> Vec<Copies> {
    let last = best.fewest_packets.max(best.fastest) + 2;
    (1..=last.clamp(COPIES_SHOWN, superstep::COPIES_MOST)).map(of).collect()
}

fn nodes_table(nodes: &[Nodes]) -> Table {
    let columns = ["c(n)", "conceptual", "as printed", "missing again", "speed-up", "all again", "speed-up"];
    let some = |value: Option<f64>, none: &str| value.map_or(none.to_string(), number);
    let whole = |value: u64, is_most: bool| format!("{}{value}", if is_most { ">= " } else { "" });
    let row = |one: &Nodes| {
        vec![
            one.packets.to_string(),
            some(one.conceptual, "no end"),
            some(one.conceptual_printed, "-"),
            whole(one.missing, one.missing_is_most),
            number(one.missing_speedup),
            whole(one.all, one.all_is_most),
            number(one.all_speedup),
        ]
    };
    table(&columns, nodes.iter().map(row).collect())
}

fn copies_text(text: &mut String, found: &Found) {
    let columns = ["copies", "rounds", "k rho", "s", "speed-up", ""];
    let BestCopies { fewest_packets, fastest } = found.best_copies;
    let row = |one: &Copies| {
        let mark = match (one.copies == fewest_packets, one.copies == fastest) {
            (true, true) => "least k rho, fastest",
            (true, false) => "least k rho",
            (false, true) => "fastest",
            (false, false) => "",
        };
        vec![
            one.copies.to_string(),
            number(one.rounds),
            number(one.k_rho),
            number(one.seconds),
            one.speedup.map_or("-".into(), number),
            mark.into(),
        ]
    };
    table(&columns, found.copies.iter().map(row).collect()).align(text);
}

fn table(columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    let columns = columns.iter().map(|column| column.to_string()).collect();
    Table { title: String::new(), explanation: String::new(), columns, rows }
}
