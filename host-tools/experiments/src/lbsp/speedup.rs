//! `testbed lbsp speedup`: rounds, time and speed-up of a superstep or of an algorithm.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;
use testbed_lossy::algorithms::{Algorithm, Cost};
use testbed_lossy::conceptual;
use testbed_lossy::superstep::{Network, Resend, Superstep};

use super::network::NetworkOptions;
use super::output::Output;
use super::quantities::number;
use super::setup::{Planned, Setup};
use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::model::Table;
use crate::progress::Progress;

/// How fast a superstep, or an algorithm, is over a network that loses packets
#[derive(Args, Debug)]
pub struct Speedup {
    #[command(flatten)]
    setup: Setup,
    #[command(flatten)]
    network: NetworkOptions,
    #[command(flatten)]
    output: Output,
}

/// A superstep by one way to send again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Way {
    /// What leaves again: `missing` packets or `all`; `conceptual` is all, while communication takes no time.
    pub resend: &'static str,
    pub rounds: f64,
    pub round_seconds: f64,
    pub seconds: f64,
    pub speedup: f64,
    /// Its natural logarithm, which is a number where the speed-up is too small for one.
    pub ln_speedup: f64,
    pub efficiency: f64,
}

#[derive(Serialize)]
struct OfSuperstep {
    superstep: Superstep,
    network: Network,
    notes: Vec<String>,
    ways: Vec<Way>,
}

/// An algorithm's cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfAlgorithm {
    pub algorithm: Algorithm,
    pub size: f64,
    pub nodes: f64,
    pub copies: u32,
    pub loss: f64,
    pub alpha: f64,
    pub beta: f64,
    pub supersteps: f64,
    /// Packets that each message is cut into, each in a superstep of its own.
    pub pieces: f64,
    pub rounds: f64,
    pub alone_seconds: f64,
    pub computing_seconds: f64,
    pub communicating_seconds: f64,
    pub total_seconds: f64,
    /// None of what only communicates.
    pub speedup: Option<f64>,
    pub efficiency: Option<f64>,
}

impl Experiment for Speedup {
    fn make(&self, _: &dyn Progress) -> Result<String, ExperimentError> {
        match self.setup.algorithm {
            None => self.of_superstep(),
            Some(algorithm) => self.of_algorithm(algorithm),
        }
    }
}

impl Speedup {
    fn of_superstep(&self) -> Result<String, ExperimentError> {
        let known = self.network.known()?;
        let superstep = self.setup.superstep();
        let ways = ways(&superstep, &known.network);
        let all = OfSuperstep { superstep, network: known.network, notes: known.notes.clone(), ways };
        self.output.print(&all, &all.ways, || {
            let mut text = format!("{}{}\n", head(&superstep), known.text());
            table(&all.ways).align(&mut text);
            text
        })
    }

    fn of_algorithm(&self, algorithm: Algorithm) -> Result<String, ExperimentError> {
        let planned = self.setup.plan(algorithm, &self.network)?;
        let cost = planned.plan.cost(self.setup.copies, &planned.known.network, planned.pieces, self.setup.flops);
        let all = self.found(algorithm, &planned, &cost);
        self.output.print(&all, std::slice::from_ref(&all), || {
            let mut text = format!("{}{}\n", title(algorithm, &self.setup), planned.known.text());
            lines(&mut text, &all);
            text
        })
    }

    fn found(&self, algorithm: Algorithm, planned: &Planned, cost: &Cost) -> OfAlgorithm {
        let Network { loss, alpha, beta } = planned.known.network;
        let computes = planned.plan.alone > 0.0;
        OfAlgorithm {
            algorithm,
            size: self.setup.size_of(algorithm),
            nodes: self.setup.nodes,
            copies: self.setup.copies,
            loss,
            alpha,
            beta,
            supersteps: planned.plan.supersteps(),
            pieces: planned.pieces,
            rounds: cost.rounds,
            alone_seconds: cost.alone,
            computing_seconds: cost.computing,
            communicating_seconds: cost.communicating,
            total_seconds: cost.total(),
            speedup: computes.then(|| cost.speedup()),
            efficiency: computes.then(|| cost.efficiency()),
        }
    }
}

/// A superstep by all ways.
pub fn ways(superstep: &Superstep, network: &Network) -> Vec<Way> {
    let of = |resend, name| {
        let ln_speedup = superstep.ln_speedup(network, resend);
        Way {
            resend: name,
            rounds: superstep.rounds(network.loss, resend),
            round_seconds: 2.0 * superstep.tau(network),
            seconds: superstep.time(network, resend),
            speedup: ln_speedup.exp(),
            ln_speedup,
            efficiency: ln_speedup.exp() / superstep.nodes,
        }
    };
    let repetitions = conceptual::repetitions(network.loss, superstep.copies, superstep.packets);
    let ln_speedup = superstep.nodes.ln() + conceptual::ln_success(network.loss, superstep.copies, superstep.packets);
    let conceptual = Way {
        resend: "conceptual",
        rounds: repetitions,
        round_seconds: 0.0,
        seconds: superstep.work / superstep.nodes * repetitions,
        speedup: ln_speedup.exp(),
        ln_speedup,
        efficiency: ln_speedup.exp() / superstep.nodes,
    };
    vec![of(Resend::Missing, "missing"), of(Resend::All, "all"), conceptual]
}

/// What a superstep is, in a line.
pub fn head(superstep: &Superstep) -> String {
    let Superstep { nodes, packets, copies, work } = superstep;
    format!(
        "{nodes} nodes, {} packets a superstep, copies {copies}, {} s of work on one node\n",
        number(*packets),
        number(*work)
    )
}

/// What an algorithm is, in a line.
pub fn title(algorithm: Algorithm, setup: &Setup) -> String {
    let Setup { nodes, copies, flops, .. } = setup;
    let size = match algorithm {
        Algorithm::Broadcast | Algorithm::AllGather => String::new(),
        _ => format!(" of size {}", setup.size_of(algorithm)),
    };
    format!("{algorithm}{size} on {nodes} nodes of {} flop/s, copies {copies}\n", number(*flops))
}

fn table(ways: &[Way]) -> Table {
    let columns = ["sent again", "rounds", "of a round, s", "all, s", "speed-up", "efficiency"];
    let row = |way: &Way| {
        let numbers = [way.rounds, way.round_seconds, way.seconds, way.speedup, way.efficiency];
        std::iter::once(way.resend.to_string()).chain(numbers.map(number)).collect()
    };
    Table {
        title: String::new(),
        explanation: String::new(),
        columns: columns.map(String::from).to_vec(),
        rows: ways.iter().map(row).collect(),
    }
}

fn lines(text: &mut String, all: &OfAlgorithm) {
    let mut line = |name: &str, value: f64| {
        let _ = writeln!(text, "  {name:<22} {:>12}", number(value));
    };
    line("supersteps", all.supersteps);
    line("packets of a message", all.pieces);
    line("rounds", all.rounds);
    if let (Some(speedup), Some(efficiency)) = (all.speedup, all.efficiency) {
        line("alone, s", all.alone_seconds);
        line("computing, s", all.computing_seconds);
        line("communicating, s", all.communicating_seconds);
        line("total, s", all.total_seconds);
        line("speed-up", speedup);
        line("efficiency", efficiency);
    } else {
        line("communicating, s", all.communicating_seconds);
    }
}
