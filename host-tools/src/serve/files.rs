//! Files of a run's folder, and those that are made of it.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use testbed_machine::input::regular;
use testbed_trace::analysis::Options;
use testbed_trace::capture::{verify, Capture, BALANCE, CONSOLE, CONSOLE_LOG, INPUT, MMI_RAW, REPORT, RUN_JSON};
use testbed_trace::export::{export, Filter, Format, Target};
use testbed_trace::order::events;
use testbed_trace::report::collect;

/// The files that a page can take away as they are.
pub const KEPT: [&str; 6] = [MMI_RAW, CONSOLE, CONSOLE_LOG, INPUT, RUN_JSON, BALANCE];
/// Beside the report, it is made when it is asked for.
const PERFETTO: &str = "trace.perfetto";

/// Why there is no such file.
#[derive(Debug, PartialEq, Eq)]
pub enum NoFile {
    /// There is none of this name.
    Absent(String),
    /// It can't be made, or read.
    Failed(String),
}

/// The files of a folder that a page can take away.
pub fn there(dir: &Path) -> Vec<&'static str> {
    KEPT.into_iter().filter(|name| dir.join(name).is_file()).chain([PERFETTO, REPORT]).collect()
}

/// A file of so many bytes.
pub type Opened = (Box<dyn Read + Send>, usize);

/// A file by its name. Of one that grows, there is what it has now.
///
/// # Errors
/// There is none, or it can't be made; why is said.
pub fn open(dir: &Path, name: &str) -> Result<Opened, NoFile> {
    let failed = |error: &dyn std::fmt::Display| NoFile::Failed(error.to_string());
    match name {
        REPORT => {
            let capture = Capture::open(dir).map_err(|error| failed(&error))?;
            let page = collect(&capture, &Options::default()).map_err(|error| failed(&error))?;
            let html = page.html();
            let length = html.len();
            Ok((Box::new(Cursor::new(html)), length))
        }
        PERFETTO => {
            let file = perfetto(dir).map_err(|error| failed(&error))?;
            sized(file).map_err(|error| failed(&error))
        }
        name if KEPT.contains(&name) => match regular(&dir.join(name)) {
            Ok(file) => sized(file).map_err(|error| failed(&error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(NoFile::Absent(format!("the run has left no file `{name}`")))
            }
            Err(error) => Err(failed(&error)),
        },
        _ => Err(NoFile::Absent(format!("there is no file `{}`", testbed_machine::brief(name)))),
    }
}

fn sized(file: File) -> std::io::Result<Opened> {
    let length = file.metadata()?.len();
    Ok((Box::new(file.take(length)), length as usize))
}

/// The trace for Perfetto, in a file that goes when it is closed.
fn perfetto(dir: &Path) -> Result<File, Box<dyn std::error::Error>> {
    let capture = Capture::open(dir)?;
    let integrity = verify(&capture)?;
    let file = tempfile::NamedTempFile::new()?;
    let target = Target::Stream(Box::new(file.reopen()?));
    let events = events(&capture, &integrity)?;
    export(events, &capture.record, &Filter::default(), Format::Perfetto, target, true)?;
    // By its own place in the file, which is the beginning.
    Ok(file.reopen()?)
}
