//! What the processors of a parent, of its child and of their home tell each other, and what follows
//! for the parent from its child's end.

use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};
use testbed_definitions::mpc::{self, create, created, exited};

use crate::state::family::{Birth, Death};
use crate::state::kernel::Kernel;
use crate::state::thread::State;

/// The first word of all of them.
pub const fn child_parent(child: ThreadNumber, parent: ThreadNumber) -> u32 {
    child.bits() as u32 | (parent.bits() as u32) << 16
}

impl Kernel {
    /// Orders a thread to be created: at its home, or by it at `target`.
    pub fn send_birth(&mut self, to: Processor, birth: Birth, target: Processor) {
        let mut words = [0; mpc::TOKEN_WORDS];
        words[create::ADDRESS] = mpc::process_address(birth.process);
        words[create::CHILD_PARENT] = child_parent(birth.number, birth.parent.0);
        words[create::ENTRY] = birth.entry;
        words[create::STACK] = birth.stack;
        words[create::PAGES_PLACES] =
            birth.pages | (birth.parent.1.number() as u32) << 16 | (target.number() as u32) << 24;
        self.net.queue_token(to, mpc::CREATE, words, create::BYTES);
    }

    /// Tells the home what has become of its order.
    pub fn send_created(&mut self, home: Processor, birth: Birth, result: u32) {
        let mut words = [0; mpc::TOKEN_WORDS];
        words[created::ADDRESS] = mpc::process_address(birth.process);
        words[created::CHILD_PARENT] = child_parent(birth.number, birth.parent.0);
        words[created::RESULT] = result;
        words[created::PARENT_PROCESSOR] = birth.parent.1.number() as u32;
        words[created::STACK] = birth.stack;
        words[created::PAGES] = birth.pages;
        self.net.queue_token(home, mpc::CREATED, words, created::BYTES);
    }

    /// Tells the home of a thread's end, or by it the parent's processor.
    pub fn send_death(&mut self, to: Processor, death: Death) {
        let mut words = [0; mpc::TOKEN_WORDS];
        words[exited::ADDRESS] = mpc::process_address(death.process);
        words[exited::CHILD_PARENT] = child_parent(death.number, death.parent.0);
        words[exited::CODE] = death.code;
        words[exited::STACK] = death.stack;
        words[exited::PAGES_PLACES] = death.pages | (death.parent.1.number() as u32) << 16;
        self.net.queue_token(to, mpc::EXITED, words, exited::BYTES);
    }

    /// The id and the stack are free: what follows from the thread's end. Returns its parent if
    /// that has to end in turn.
    pub fn mourn(&mut self, death: Death) -> Option<u16> {
        let (parent, processor) = death.parent;
        if parent == ThreadNumber::NOBODY {
            self.end_process(death.process, death.code);
            return None;
        }
        if processor == self.me {
            return self.child_ended(death.process, parent, death.code);
        }
        self.send_death(processor, death);
        None
    }

    /// A child of thread `parent` has ended. Returns the parent if it has to end in turn.
    pub fn child_ended(&mut self, id: ProcessId, parent: ThreadNumber, exit_code: u32) -> Option<u16> {
        let index = self.find(id, parent)?;
        let tcb = self.tcb_of(index);
        if !tcb.child_ended(exit_code) {
            return None;
        }
        match tcb.state() {
            State::Ending => Some(index),
            State::Waiting => {
                self.finish(index, Ok(tcb.take_failed()));
                None
            }
            // It will see when it waits for its children.
            _ => None,
        }
    }
}
