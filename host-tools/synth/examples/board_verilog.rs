//! Prints the Verilog of a board for a machine by name or file, for synthesis by hand:
//! `cargo run -p testbed-synth --example board_verilog -- ulx3s-85f > board.v`.

use testbed_hdl::board::verilog;
use testbed_machine::Machine;
use testbed_synth::board::Board;

fn main() {
    let Some(name) = std::env::args().nth(1) else {
        eprintln!("name a machine, such as ulx3s-85f");
        std::process::exit(2);
    };
    let text = Machine::load(&name).map_err(|error| error.to_string()).and_then(|machine| {
        let options = Board::options(&machine).map_err(|error| error.to_string())?;
        verilog(&machine, &options).map_err(|error| error.to_string())
    });
    match text {
        Ok(text) => print!("{text}"),
        Err(error) => {
            eprintln!("{name} has no Verilog: {error}");
            std::process::exit(1);
        }
    }
}
