//! Writes a task graph as its file.

use core::fmt;

use super::Graph;
use super::HEADER;

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        writeln!(f, "threads {}", self.threads)?;
        for thread in self.threads() {
            if let Some(processor) = self.place(thread) {
                writeln!(f, "place {thread} {processor}")?;
            }
        }
        for phase in self.phases() {
            writeln!(f, "phase {}", phase.rounds)?;
            for thread in self.threads().filter(|&thread| phase.work(thread) > 0) {
                writeln!(f, "work {thread} {}", phase.work(thread))?;
            }
            for (_, link) in self.links(phase) {
                writeln!(f, "link {} {} {} {}", link.from, link.to, link.messages, link.bytes)?;
            }
        }
        writeln!(f, "end")
    }
}
