//! A run as one page of HTML: figures, time-line, losses; to be opened from a file, with no network.
//!
//! [`collect`] makes the data ([`Page`]), [`Page::html`] the page, in which they lie as JSON. Style
//! and script are the files beside this one; they hold no figure of their own. However long a trace
//! is, the page stays below a few megabytes: lanes get coarser, packets are thinned out, long lists
//! are cut. What was left out is said in [`Page::left_out`], and shown.

mod gather;
mod html;
mod lane;
mod parts;
mod picture;
mod rolling;
mod state;
mod timeline;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use html::{embeddable, escape, filled, script, LIVE_SCRIPTS, STYLE};
pub use lane::{Columns, NOTHING};
pub use parts::{Class, Loss, Words};
pub use picture::{Move, Picture};
pub use rolling::{Rolling, Shown};
pub use state::State;
pub use timeline::{Packet, Row, Timeline, CELLS_MAX, LENGTH_UNKNOWN, PACKETS_MAX, THREADS_MAX};

use crate::analysis::measure::Range;
use crate::analysis::windows::round_window;
use crate::analysis::{analyse, end_cycle, AnalysisError, Options, Report};
use crate::balance::Balancing;
use crate::capture::{verify, Capture, RunRecord};
use crate::ledger::Ledger;

/// Windows of the series that a page draws.
const WINDOWS: u64 = 160;

/// All that a page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Version of the Testbed that made it.
    pub version: String,
    pub record: RunRecord,
    pub range: Range,
    /// `None` if the run has not recorded what any analysis needs; `not_analysed` is the value of
    /// `--dgl` that records it.
    pub analysis: Option<Report>,
    pub not_analysed: Option<String>,
    pub timeline: Timeline,
    /// The slaves' load, requests and moves; `None` without samples and without a balancer's log.
    pub balancing: Option<Balancing>,
    /// Events by name, then by processor from the master on.
    pub counts: BTreeMap<String, Vec<u64>>,
    /// The first losses, and how many there are.
    pub losses: Vec<Loss>,
    pub losses_count: u64,
    /// Event classes that the run recorded, and those that it did not, with what they would have told.
    pub classes: Vec<Class>,
    /// What the console printed, as far as it is shown.
    pub console: String,
    pub threads: BTreeMap<u16, String>,
    pub words: Words,
    /// Why the ledger does not balance; empty if it does.
    pub imbalances: Vec<String>,
    /// Where the folder's files disagree.
    pub damage: Vec<String>,
    /// Ends of files that are no whole records.
    pub torn: Vec<String>,
    /// What there is and the page does not show, in sentences.
    pub left_out: Vec<String>,
}

impl Page {
    /// The page.
    pub fn html(&self) -> String {
        let json = serde_json::to_string(self).expect("a page has string keys and finite numbers");
        let title = self.record.arguments.iter().fold(self.record.program.clone(), |line, word| line + " " + word);
        html::page(&title, &json)
    }
}

/// Names of the states that lanes hold, for a page that draws lanes and nothing else.
pub fn words() -> Words {
    gather::words(None)
}

/// Collects what a page shows of a run, or of the part of it that `options` name.
///
/// # Errors
/// A file can't be read, or the part has no time. Damage, losses and classes that were not recorded
/// are no errors: the page says them.
pub fn collect(capture: &Capture, options: &Options) -> Result<Page, AnalysisError> {
    let record = &capture.record;
    let integrity = verify(capture)?;
    let end = end_cycle(capture, &integrity)?;
    let range =
        Range { from_cycle: options.from_cycle.unwrap_or(0), to_cycle: options.to_cycle.unwrap_or(end).min(end) };
    let tick_cycles = u64::from(record.machine.tick_cycles);
    let window = || round_window(range.cycles(), WINDOWS, record.machine.clock_hz, tick_cycles);
    let options = Options { window_cycles: Some(options.window_cycles.unwrap_or_else(window)), ..options.clone() };
    let (mut analysis, not_analysed) = match analyse(capture, &options) {
        Ok(report) => (Some(report), None),
        Err(AnalysisError::NotRecorded { option, .. }) => (None, Some(option.to_string())),
        Err(error) => return Err(error),
    };
    let seen = gather::look(capture, &integrity, analysis.is_some(), range, end)?;
    let mut left_out = gather::told(&seen);
    let (balancing, not_drawn) = seen.load.finish(capture, range)?.unzip();
    left_out.extend(not_drawn.unwrap_or_default());
    left_out.extend(analysis.as_mut().map(gather::cut).unwrap_or_default());
    let (console, console_left_out) = gather::console(capture)?;
    left_out.extend(console_left_out);
    Ok(Page {
        version: env!("CARGO_PKG_VERSION").into(),
        range,
        classes: gather::classes(record.dgl),
        console,
        threads: gather::threads(analysis.as_ref(), &record.machine.processors),
        words: gather::words(analysis.as_ref()),
        imbalances: record.ledger.as_ref().map(Ledger::imbalances).unwrap_or_default(),
        damage: integrity.damage.iter().map(ToString::to_string).collect(),
        torn: integrity.torn.iter().map(ToString::to_string).collect(),
        record: record.clone(),
        analysis,
        not_analysed,
        timeline: seen.timeline,
        balancing,
        counts: seen.counts,
        losses: seen.losses,
        losses_count: seen.losses_count,
        left_out,
    })
}
