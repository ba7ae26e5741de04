//! What is said of an event, and of a file.

use std::fmt::Display;
use std::path::Path;

use testbed_trace::capture::RunRecord;
use testbed_trace::export::Words;
use testbed_trace::order::Event;

/// An event on a line: when, where, what.
pub fn spelled(event: &Event, record: &RunRecord) -> String {
    let mut words = Words::new(record);
    let time = words.microseconds(event.ticks());
    let (processor, detail) = words.both(event);
    let proven = if event.is_certain() { "" } else { ", not proven" };
    format!("{time:.2} us  {processor}  {} {detail}{proven}", event.what.name())
}

/// What is said of a file of the folder, without the folder's own name: a line is short.
pub fn inside(dir: &Path, what: &dyn Display) -> String {
    let text = what.to_string();
    let folder = format!("{}/", dir.display());
    text.strip_prefix(&folder).map_or(text.clone(), ToString::to_string)
}
