//! Calls that need nobody else: events, the console, identities.

use testbed_definitions::boot::word;
use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::ids::Processor;
use testbed_definitions::syscall::{identity, write, Error};
use testbed_kernel_core::page_map::{allows, translate, READ};

use crate::drivers::events;
use crate::state::boot;
use crate::state::call::Outcome;
use crate::state::kernel::Kernel;
use crate::variant;

impl Kernel {
    pub fn send_event(&mut self, datum: u32) -> Result<u32, Error> {
        if events::is_reserved(datum) {
            return Err(Error::BadDatum);
        }
        if self.me == Processor::MASTER {
            return Err(Error::NoMonitor);
        }
        let taken = !events::enabled(event::DIAG_USER) || events::try_emit_with(event::USER, datum as u16);
        Ok(taken as u32)
    }

    /// `write(buffer, bytes, stream)`.
    pub fn write(&mut self, index: u16, address: u32, bytes: u32, stream: u32) -> Result<u32, Error> {
        if self.streams.is_led() {
            if let Some(result) = self.write_led(index, (address, bytes), stream == write::ERRORS) {
                return result;
            }
        }
        let map = self.tcb_of(index).process().map();
        if !allows(map, address, bytes, READ) {
            return Err(Error::BadPointer);
        }
        let accepted = bytes.min(self.console.room() as u32);
        for offset in 0..accepted {
            let physical = translate(map, address + offset, READ).ok_or(Error::BadPointer)?;
            // SAFETY: the byte is in a page of the thread's.
            self.console.put(unsafe { (physical as *const u8).read_volatile() });
        }
        self.feed_console();
        Ok(accepted)
    }

    pub fn identity(&mut self, index: u16, what: u32) -> Result<u32, Error> {
        match what {
            identity::THREAD => Ok(self.tcb_of(index).number().bits() as u32),
            identity::PROCESSOR => Ok(self.me.number() as u32),
            identity::PROCESSORS => Ok(self.processors as u32),
            identity::CLOCK_HZ => Ok(self.clock_hz),
            identity::PROCESS => Ok(self.tcb_of(index).process().id().bits() as u32),
            identity::SEED if variant::PAGES_GO => Ok(boot::get(word::SEED)),
            _ => Err(Error::UnknownCall),
        }
    }

    /// `wait()`.
    pub fn wait(&mut self, index: u16) -> Outcome {
        events::emit(DIAG_PROFILE, event::WAIT);
        self.tcb_of(index).await_children().map_or(Outcome::Waits, |failed| Outcome::Done(Ok(failed)))
    }
}
