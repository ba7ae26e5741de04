//! Where processes that were invoked here read and write, if not at the console.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::syscall::{control, status};

use crate::state::place::PLACES;

/// Files of a process by their handles; 0 is the console.
#[derive(Clone, Copy)]
pub struct Lead {
    process: ProcessId,
    /// What it reads, and how far it has come.
    pub input: u32,
    pub offset: u32,
    /// Where its output goes, and its error messages.
    pub output: u32,
    pub errors: u32,
}

impl Lead {
    const NONE: Lead = Lead { process: ProcessId::NONE, input: 0, offset: 0, output: 0, errors: 0 };
}

/// The streams of all processes of this processor, by their places.
pub struct Streams {
    leads: [Lead; PLACES],
    led: bool,
}

impl Streams {
    pub const NONE: Streams = Streams { leads: [Lead::NONE; PLACES], led: false };

    /// Whether any stream leads to a file.
    #[inline(always)]
    pub fn is_led(&self) -> bool {
        self.led
    }

    /// The streams of a process, if one of them leads to a file.
    pub fn of(&mut self, id: ProcessId) -> Option<&mut Lead> {
        self.leads.iter_mut().find(|lead| lead.process == id && id != ProcessId::NONE)
    }

    /// Leads a stream of a process to a file, or with handle 0 to the console.
    pub fn lead(&mut self, id: ProcessId, stream: u32, handle: u32) {
        let lead = &mut self.leads[id.place() as usize % PLACES];
        if lead.process != id {
            *lead = Lead { process: id, ..Lead::NONE };
        }
        match stream {
            control::INPUT => (lead.input, lead.offset) = (handle, 0),
            control::OUTPUT => lead.output = handle,
            _ => lead.errors = handle,
        }
        self.settle(id);
    }

    /// The process reads on from here.
    pub fn seek(&mut self, id: ProcessId, offset: u32) {
        if let Some(lead) = self.of(id) {
            lead.offset = offset;
        }
    }

    /// The process has ended.
    pub fn end(&mut self, id: ProcessId) {
        if let Some(lead) = self.of(id) {
            *lead = Lead::NONE;
        }
        self.settle(id);
    }

    fn settle(&mut self, id: ProcessId) {
        if let Some(lead) = self.of(id).filter(|lead| lead.input | lead.output | lead.errors == 0) {
            *lead = Lead::NONE;
        }
        self.led = self.leads.iter().any(|lead| lead.process != ProcessId::NONE);
    }

    /// The record of `status::STREAMS`.
    pub fn record(&self, id: ProcessId) -> [u32; status::STREAM_WORDS] {
        let lead = self.leads.iter().find(|lead| lead.process == id).unwrap_or(&Lead::NONE);
        [lead.input, lead.offset, lead.output, lead.errors]
    }
}
