//! Prints the core's Verilog, for synthesis by hand: `cargo run -p testbed-hdl --example core_verilog > core.v`.

use testbed_hdl::{core::Core, support::verilog::connected_verilog};

fn main() {
    match connected_verilog(Core::default()) {
        Ok(text) => println!("{text}"),
        Err(error) => {
            eprintln!("the core has no Verilog: {error}");
            std::process::exit(1);
        }
    }
}
