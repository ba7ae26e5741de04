//! Experiments: what is run, what is asked of the traces, and the figures, tables and pages that come of it.
//!
//! | module | what it does |
//! |---|---|
//! | [`plan`], [`runs`] | which runs there are; makes them side by side, each once |
//! | [`observed`], [`load`], [`subject`] | what one run's trace shows, its load, and which program of it is measured |
//! | [`query`] | a named question that a figure asks of a run |
//! | [`fit`] | straight lines through measured points |
//! | [`model`], [`plot`], [`page`] | figures and tables, their plots, and the page that shows them |
//! | [`instrumentation`] | how much of the kernel is there for its events |
//! | [`experiment`], [`progress`], [`error`] | what an experiment is; how far it is, and why it did not come to its end |
//!
//! All of that is the frame. An experiment is a folder beside it with its options, what it runs and
//! what it makes of the runs, and a line in the list below: [`overflow`] (the report's section
//! 3.3.7), [`section3`] (the rest of that section), [`balance`] (section 4), [`random_loads`]
//! (ours). [`bsp`] measures the parameters of a cost model, and holds programs against it;
//! [`bsp_memory`] reads arrays that are spread over processes; [`lossy`] loses what programs
//! exchange, and holds that against a model, which [`lbsp`] asks, and shows beside its paper.
#![forbid(unsafe_code)]

pub mod balance;
pub mod bsp;
pub mod bsp_memory;
pub mod error;
pub mod experiment;
pub mod fit;
pub mod instrumentation;
pub mod lbsp;
pub mod load;
pub mod lossy;
pub mod model;
pub mod observed;
pub mod overflow;
pub mod page;
pub mod plan;
pub mod plot;
pub mod progress;
pub mod query;
pub mod random_loads;
pub mod runs;
pub mod section3;
pub mod subject;

use error::ExperimentError;
use experiment::Experiment;
use progress::Progress;

macro_rules! experiments {
    ($($name:ident($experiment:ty),)*) => {
        // No documentation: it would be shown as the help of the command that has these as its own.
        #[derive(clap::Subcommand, Debug)]
        #[allow(missing_docs)]
        pub enum Experiments {
            $($name($experiment),)*
        }

        impl Experiments {
            /// Makes the chosen one, as [`Experiment::make`] does.
            ///
            /// # Errors
            /// As there.
            pub fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
                match self {
                    $(Experiments::$name(experiment) => experiment.make(progress),)*
                }
            }
        }
    };
}

experiments! {
    Balance(balance::Balance),
    Bsp(bsp::held::Bsp),
    BspMemory(bsp_memory::BspMemory),
    Lbsp(lbsp::Lbsp),
    Lossy(lossy::Lossy),
    Overflow(overflow::Overflow),
    Profile(section3::Profile),
    RandomLoads(random_loads::RandomLoads),
}
