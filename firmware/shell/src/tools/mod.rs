//! The utilities, each a function of what it is called with.

mod compare;
mod compress;
mod context;
mod cut;
mod disassemble;
mod ed;
mod ed_command;
mod ed_files;
mod ed_line;
mod ed_many;
mod ed_state;
mod ed_text;
mod files;
mod grep;
mod lzw;
mod more;
mod show;
mod sort;
mod table;
mod text;

pub use context::{place_of, Context, Stop};
pub use disassemble::disassemble;
pub use lzw::{pack, unpack, BITS_MAX};
pub use table::{find, run, Tool, PROCESSES_MAX, TOOLS};
