//! Which core a machine has.
//!
//! The machine's blocks hold the first core. The pipelined one has the same ports, so it takes the
//! first one's place in the Verilog; the first keeps its place in native simulation.

use testbed_machine::Core;

use crate::pipeline::Pipeline;
use crate::support::verilog::{connected_verilog, VerilogError, TOP};

/// What ends the name of a module that is a core; what is in it has a longer name.
const END: &str = "$core";

/// `text`, Verilog of blocks with first cores in them, with cores of the kind `core`.
pub(crate) fn with_core(text: String, core: Core) -> Result<String, VerilogError> {
    if core == Core::Multicycle {
        return Ok(text);
    }
    let pipeline = connected_verilog(Pipeline::default())?;
    let mut exchanged = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find("module ").filter(|_| rest.contains(END)) {
        let name = &rest[start + "module ".len()..];
        let name = &name[..name.find('(').expect("a module has ports")];
        let last = format!("endmodule // {name}\n");
        let end = start + rest[start..].find(&last).expect("a module ends") + last.len();
        if name.ends_with(END) {
            exchanged += &rest[..start];
            exchanged += &named(&pipeline, name);
        } else if !name.contains(&format!("{END}$")) {
            exchanged += &rest[..end];
        }
        rest = &rest[end..];
    }
    Ok(exchanged + rest)
}

/// The Verilog of a block with its top module called `name`, and the others after it.
fn named(text: &str, name: &str) -> String {
    // First what is inside, since `name` may begin with the old name itself.
    text.replace(&format!("{TOP}$"), &format!("{name}$"))
        .replace(&format!("module {TOP}("), &format!("module {name}("))
        .replace(&format!("endmodule // {TOP}\n"), &format!("endmodule // {name}\n"))
}
