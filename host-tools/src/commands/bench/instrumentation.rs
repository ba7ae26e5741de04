//! `testbed bench instrumentation`: how much of the kernel is there for monitoring.

use std::io::{self, Write};

use clap::Args;
use testbed_experiments::instrumentation::{share, Instrumentation, REPORT_PERCENT};
use testbed_runner::firmware;

use super::super::{Exit, Failure};

/// Counts what monitoring takes of the kernel's code, against the same kernel built without it
#[derive(Args, Debug)]
pub struct Share {
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Share {
    pub fn run(&self) -> Result<Exit, Failure> {
        let found = share(&firmware::build(&firmware::root()?)?)?;
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&json(&found)).map_err(io::Error::from)?)?;
        } else {
            write!(out, "{}", text(&found))?;
        }
        Ok(Exit::Success)
    }
}

/// The rows of the table: what they count, how many, and of how many.
fn rows(found: &Instrumentation) -> [(&'static str, u64, u64); 5] {
    let Instrumentation { with, sites, lines, .. } = found;
    [
        ("instructions for monitoring", found.instructions(), with.instructions),
        ("  stores that emit a word", sites.stores, with.instructions),
        ("  tests of a class: load, and, branch", sites.instructions() - sites.stores, with.instructions),
        ("  others: words, addresses, saved registers", found.others(), with.instructions),
        ("lines of the sources for monitoring", lines.instrumentation, lines.all),
    ]
}

fn text(found: &Instrumentation) -> String {
    let mut out = format!("{:<46} {:>7} {:>9} {:>8}\n", "monitoring in the kernel", "count", "of all", "percent");
    for (what, count, all) in rows(found) {
        let percent = 100.0 * count as f64 / all.max(1) as f64;
        out += &format!("{what:<46} {count:>7} {all:>9} {percent:>7.2} %\n");
    }
    out + &format!("the report has less than {REPORT_PERCENT} % of the lines\n")
}

fn json(found: &Instrumentation) -> serde_json::Value {
    let rows =
        rows(found).map(|(what, count, all)| serde_json::json!({ "what": what.trim(), "count": count, "of": all }));
    serde_json::json!({ "rows": rows, "report_percent_of_lines": REPORT_PERCENT })
}
