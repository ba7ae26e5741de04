//! The file of `--placement`, which the balancer reads on the machine and `policy` on the host.

use std::fs;
use std::path::Path;

use testbed_balance::policies::placement::{self, FILE_BYTES};
use testbed_balance::policies::Placement;
use testbed_balance::request::Reason;
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::limits::THREADS;
use testbed_trace::balance::History;

use super::{Exit, Failure};

/// The places that a file has, for a machine with slaves 1 to `slaves`.
///
/// # Errors
/// It can't be read, is longer than the balancer reads, or a line is wrong or names a thread again.
pub fn read(path: &Path, slaves: u8) -> Result<Placement, Failure> {
    let refused = |what: &dyn std::fmt::Display| {
        let ids = THREADS - 1;
        let message = format!(
            "--placement: {}: {what}\n  help: give lines as `1-01-003 2`: home, place and id of a thread, from 1 to {ids}, and \
             a slave from 1 to {slaves}",
            path.display()
        );
        Failure::new(Exit::Input, message)
    };
    let text = fs::read_to_string(path).map_err(|error| refused(&error))?;
    if text.len() > FILE_BYTES {
        return Err(refused(&format!("{} bytes, of which a balancer reads {FILE_BYTES}", text.len())));
    }
    Placement::parse(&text, slaves).map_err(|error| refused(&error))
}

/// What a line of a file that is right says.
fn place(text: &str, slaves: u8) -> Option<(ThreadNumber, u8)> {
    placement::line(text, slaves).ok().flatten()
}

/// The threads of a file that is right for which the balancer has made no request, as the file writes them.
pub fn not_asked_for(text: &str, slaves: u8, history: &History) -> Vec<String> {
    let is_asked = |thread| history.asked.iter().any(|asked| asked.request.reason == Reason::Thread(thread));
    let threads = text.lines().filter_map(|text| Some((place(text, slaves)?.0, text.split_whitespace().next()?)));
    threads.filter(|(thread, _)| !is_asked(*thread)).map(|(_, word)| word.into()).collect()
}
