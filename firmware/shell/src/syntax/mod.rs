//! From text to commands.
//!
//! [`Parser`] reads one command after the other, so that what is wrong in a script is found when it
//! is reached, and so that a command that is not yet whole can be told from one that is wrong.

mod compound;
mod name;
mod parser;
mod redirection;
pub mod tree;
mod word;

pub use name::is_name;
pub use parser::{Fault, Parser, COMMANDS_MAX, DEPTH_MAX};
