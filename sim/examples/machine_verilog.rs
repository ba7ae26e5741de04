//! Prints the Verilog of the default machine as the Verilator engine compiles it.

use testbed_machine::Machine;
use testbed_sim::verilator::published_verilog;

fn main() {
    match published_verilog(&Machine::testbed6()) {
        Ok(verilog) => print!("{verilog}"),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}
