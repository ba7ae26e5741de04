//! `testbed lbsp` and `testbed experiment lbsp`: the lossy BSP model ([`testbed_lossy`]) for who plans
//! work over a network that loses packets, and beside the paper that it is from.
//!
//! | module | what it does |
//! |---|---|
//! | [`speedup`], [`best`] | how fast a superstep or an algorithm is; how many nodes and copies are best |
//! | [`simulate`] | the same packet by packet |
//! | [`figure`](mod@figure), [`table`] | the paper's figures and tables, and its slips |
//! | [`page`] | all of them on a page |
//! | [`network`], [`setup`], [`quantities`], [`output`] | options that they share, and how they print |

pub mod best;
pub mod figure;
pub mod network;
pub mod output;
pub mod page;
pub mod quantities;
pub mod setup;
pub mod simulate;
pub mod speedup;
pub mod table;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use testbed_lossy::figures::{figure, Assumed, Figure as Curves, NUMBERS};
use testbed_lossy::paper::slips::{slips, Slip};
use testbed_lossy::paper::statements::{best as best_numbers, statements, BestNodes, Statement};
use testbed_lossy::paper::table_i;
use testbed_lossy::superstep::Network;

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::progress::Progress;
use table::{one_table, shown, slips_text, two, two_text, TableTwo};

/// In the output folder.
const PAGE: &str = "lbsp.html";
const JSON: &str = "lbsp.json";

/// The lossy BSP model beside its paper: Figures 7 to 12, Tables I and II, and what is printed
/// wrongly, as text and as a page
#[derive(Args, Debug)]
pub struct Lbsp {
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/experiment-lbsp")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Found {
    assumed: Assumed,
    figures: Vec<Curves>,
    best_nodes: Vec<BestNodes>,
    statements: Vec<Statement>,
    table_1: Vec<table_i::Row>,
    table_2: TableTwo,
    slips: Vec<Slip>,
}

impl Experiment for Lbsp {
    fn make(&self, _: &dyn Progress) -> Result<String, ExperimentError> {
        let assumed = Assumed::default();
        let network = Network { loss: 0.0, alpha: assumed.alpha, beta: assumed.beta };
        let found = Found {
            figures: NUMBERS.filter_map(|number| figure(number, &assumed)).collect(),
            best_nodes: best_numbers(&assumed.losses, 2),
            statements: statements(&assumed),
            table_1: table_i::rows(&network),
            table_2: two(),
            slips: slips(),
            assumed,
        };
        fs::create_dir_all(&self.out).map_err(ExperimentError::unwritable(&self.out))?;
        let put = |name: &str, text: &str| {
            let path = self.out.join(name);
            fs::write(&path, text).map_err(ExperimentError::unwritable(&path))
        };
        let json = serde_json::to_string_pretty(&found).map_err(std::io::Error::from)? + "\n";
        put(JSON, &json)?;
        put(PAGE, &page::html(&found.assumed, &found.table_2)?)?;
        Ok(if self.json { json } else { text(&found) + &format!("\nthe page: {}\n", self.out.join(PAGE).display()) })
    }
}

fn text(found: &Found) -> String {
    let mut text = String::new();
    shown(&mut text, &one_table());
    text.push('\n');
    text += &two_text(&found.table_2);
    text += "\nWhat the text says of Figures 7 to 12\n";
    for Statement { figure, says, holds, found } in &found.statements {
        let _ = writeln!(text, "  {figure}: {says}: {}\n      {found}", if *holds { "so it is" } else { "NOT SO" });
    }
    text + "\nSlips of the paper\n\n" + &slips_text(&found.slips)
}
