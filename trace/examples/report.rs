//! A run's page on standard output, without the tools that run machines:
//! `cargo run -p testbed-trace --example report -- DIR > page.html`.

use std::error::Error;

use testbed_trace::analysis::Options;
use testbed_trace::capture::Capture;
use testbed_trace::report::collect;

fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::args_os().nth(1).ok_or("say which folder: the one that `testbed run` left")?;
    print!("{}", collect(&Capture::open(dir.as_ref())?, &Options::default())?.html());
    Ok(())
}
