//! `testbed lbsp simulate`: the same packet by packet, and whether the formulas agree.

use clap::Args;
use serde::Serialize;
use testbed_lossy::algorithms::Algorithm;
use testbed_lossy::rounds::failure;
use testbed_lossy::simulate::{self, Estimate, TooMuch, Trials};
use testbed_lossy::superstep::{Network, Resend};

use super::network::NetworkOptions;
use super::output::Output;
use super::quantities::number;
use super::setup::Setup;
use super::speedup::{head, title};
use crate::error::ExperimentError;
use crate::model::Table;

/// Packets that are drawn if no number of trials is given: a second or two.
const USUAL_PACKETS: f64 = 3e7;
const USUAL_TRIALS: f64 = 10_000.0;

/// Draws each packet of a superstep, or of an algorithm, to be lost or not, and holds the formulas against that
#[derive(Args, Debug)]
pub struct Simulate {
    #[command(flatten)]
    setup: Setup,
    #[command(flatten)]
    network: NetworkOptions,
    /// What leaves again after a loss, of a superstep: missing packets, or all
    #[arg(long, default_value = "missing", value_parser = ["missing", "all"], conflicts_with = "algorithm")]
    resend: String,
    /// How often each superstep is drawn [default: up to 10000, as many as a second or two have]
    #[arg(long, value_parser = clap::value_parser!(u64).range(2..=1_000_000_000))]
    trials: Option<u64>,
    /// Which random numbers; the same give the same on any number of cores
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// A quantity both ways.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    quantity: &'static str,
    formula: f64,
    simulated: f64,
    /// How far the simulated mean may be off, by lot.
    bound: f64,
    within: bool,
}

#[derive(Serialize)]
struct Found<'a> {
    network: Network,
    trials: u64,
    seed: u64,
    agrees: bool,
    rows: &'a [Row],
}

impl From<TooMuch> for ExperimentError {
    fn from(error: TooMuch) -> Self {
        ExperimentError::Option(error.to_string())
    }
}

impl Simulate {
    /// What is to be printed, and whether formulas and simulation agree.
    ///
    /// # Errors
    /// An option means nothing, or there are more packets than anyone waits for.
    pub fn simulate(&self) -> Result<(String, bool), ExperimentError> {
        match self.setup.algorithm {
            None => self.of_superstep(),
            Some(algorithm) => self.of_algorithm(algorithm),
        }
    }

    fn of_superstep(&self) -> Result<(String, bool), ExperimentError> {
        let known = self.network.known()?;
        let resend = if self.resend == "all" { Resend::All } else { Resend::Missing };
        let mut trials =
            Trials { superstep: self.setup.superstep(), network: known.network, resend, trials: 2, seed: self.seed };
        let superstep = trials.whole();
        let rounds = superstep.rounds(known.network.loss, resend);
        let resent = match resend {
            Resend::All => 1.0 - 1.0 / rounds,
            Resend::Missing => failure(known.network.loss, superstep.copies),
        };
        trials.trials = self.trials(superstep.packets / (1.0 - resent));
        let drawn = trials.run()?;
        let rows = [
            row("rounds", rounds, drawn.rounds),
            row("sent again", resent, drawn.resent),
            row("seconds", superstep.time(&known.network, resend), drawn.time),
            row("speed-up", superstep.speedup(&known.network, resend), drawn.speedup),
        ];
        self.print(&(head(&superstep) + &known.text()), known.network, trials.trials, &rows)
    }

    fn of_algorithm(&self, algorithm: Algorithm) -> Result<(String, bool), ExperimentError> {
        let planned = self.setup.plan(algorithm, &self.network)?;
        let (network, copies) = (planned.known.network, self.setup.copies);
        let packets: f64 = planned.plan.exchanges.iter().map(|exchange| exchange.packets).sum();
        let trials = self.trials(packets / (1.0 - failure(network.loss, copies)));
        let by = (planned.pieces, self.setup.flops);
        let drawn = simulate::plan(&planned.plan, copies, &network, by, (trials, self.seed))?;
        let cost = planned.plan.cost(copies, &network, by.0, by.1);
        let rows = [
            row("rounds", cost.rounds, drawn.rounds),
            row("communicating, s", cost.communicating, drawn.communicating),
            row("total, s", cost.total(), drawn.total),
        ];
        self.print(&(title(algorithm, &self.setup) + &planned.known.text()), network, trials, &rows)
    }

    /// How often to draw a superstep with so many packets, repeated ones among them.
    fn trials(&self, packets: f64) -> u64 {
        self.trials.unwrap_or((USUAL_PACKETS / packets.max(1.0)).clamp(2.0, USUAL_TRIALS) as u64)
    }

    fn print(
        &self,
        head: &str,
        network: Network,
        trials: u64,
        rows: &[Row],
    ) -> Result<(String, bool), ExperimentError> {
        let agrees = rows.iter().all(|row| row.within);
        let found = Found { network, trials, seed: self.seed, agrees, rows };
        let text = self.output.print(&found, rows, || {
            let mut text = format!("{head}{trials} trials, seed {}\n\n", self.seed);
            table(rows).align(&mut text);
            text + if agrees {
                "\nFormulas and simulation agree within its bounds.\n"
            } else {
                "\nFORMULAS AND SIMULATION DIFFER by more than its bounds.\n"
            }
        })?;
        Ok((text, agrees))
    }
}

fn row(quantity: &'static str, formula: f64, drawn: Estimate) -> Row {
    Row { quantity, formula, simulated: drawn.mean, bound: drawn.bound, within: drawn.holds(formula) }
}

fn table(rows: &[Row]) -> Table {
    let columns = ["", "formula", "simulated", "+-", "within"];
    let cells = |row: &Row| {
        let numbers = [row.formula, row.simulated, row.bound].map(number);
        let within = if row.within { "yes" } else { "NO" };
        std::iter::once(row.quantity.to_string()).chain(numbers).chain([within.to_string()]).collect()
    };
    Table {
        title: String::new(),
        explanation: String::new(),
        columns: columns.map(String::from).to_vec(),
        rows: rows.iter().map(cells).collect(),
    }
}
