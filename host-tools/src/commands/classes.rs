//! The event classes that `--dgl` names.

use testbed_kernel_core::filter::{self, Fault, CLASSES};
use testbed_machine::suggest;

use super::{Exit, Failure};

/// Event classes from the command line.
pub fn classes(text: &str) -> Result<u32, Failure> {
    filter::classes(text).map_err(|fault| {
        let (what, meant) = match fault {
            Fault::Class(name) => {
                let known = CLASSES.iter().map(|class| class.0);
                (format!("`{name}` is no event class"), suggest::question(name, known))
            }
            _ => {
                let what = "the classes profile and ready exclude each other, since their words look alike";
                (what.into(), String::new())
            }
        };
        let help = "join profile, ready, timer, user, detail, load by `+`, or give a number";
        Failure::new(Exit::Input, format!("--dgl: {what}\n  help: {meant}{help}"))
    })
}
