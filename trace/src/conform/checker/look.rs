//! What others may ask about the state of a check.

use super::{Checker, Request, Service, Steps};

impl Checker {
    /// What the last event has changed.
    pub(crate) fn steps(&self) -> &Steps {
        &self.steps
    }

    /// What the kernel of a processor is doing; nothing where there is none such.
    pub(crate) fn service(&self, processor: u8) -> Service {
        self.processors.get(processor as usize).map_or(Service::None, |processor| processor.service)
    }

    /// The last request of a thread, if class `detail` tells it.
    pub(crate) fn request_of(&self, thread: u16) -> Option<Request> {
        self.threads.get(&thread)?.request
    }

    /// Events of a processor are missing, or can't be placed in time: as after a gap.
    pub(crate) fn lose_after(&mut self, processor: u8) {
        self.steps.clear();
        self.lose(processor, super::LOST);
    }

    /// Whether a thread's state is known.
    pub(crate) fn knows(&self, thread: u16) -> bool {
        self.threads.contains_key(&thread)
    }
}
