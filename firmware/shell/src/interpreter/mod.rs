//! What commands mean: variables, expansions, streams, and the commands of the shell itself.

mod arithmetic;
mod asking;
mod builtins;
mod evaluate;
mod expand;
mod field;
mod jobs;
mod printing;
mod program;
mod redirect;
mod run;
mod script;
mod seats;
mod shell;
mod testing;
mod variables;

pub use builtins::{help, BUILTINS};
pub use script::{Outcome, Typed};
pub use shell::{Shell, CAPTURED_MAX, NESTED_MAX};
pub use variables::{Variables, VARIABLES_BYTES, VARIABLES_MAX};
