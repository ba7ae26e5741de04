//! Prints a core's Verilog, for synthesis by hand: `cargo run -p testbed-hdl --example core_verilog >
//! core.v`, and with the argument `pipelined` that of the pipelined one.

use testbed_hdl::{core::Core, pipeline::Pipeline, support::verilog::connected_verilog};

fn main() {
    let verilog = match std::env::args().nth(1).as_deref() {
        None => connected_verilog(Core::default()),
        Some("pipelined") => connected_verilog(Pipeline::default()),
        Some(other) => {
            eprintln!("there is no core `{other}`; give `pipelined`, or nothing");
            std::process::exit(2);
        }
    };
    match verilog {
        Ok(text) => println!("{text}"),
        Err(error) => {
            eprintln!("the core has no Verilog: {error}");
            std::process::exit(1);
        }
    }
}
