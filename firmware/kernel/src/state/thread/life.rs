//! Births and ends of threads, as their control blocks tell of them.

use testbed_definitions::ids::Processor;
use testbed_definitions::syscall::Error;

use crate::state::family::{Birth, Death};
use crate::state::thread::{State, Tcb};
use crate::variant;

impl Tcb {
    /// What it was given when it was created, beginning where it is now.
    pub fn birth(&self) -> Birth {
        Birth {
            process: self.process().id(),
            number: self.number(),
            parent: (self.parent.get(), self.parent_processor.get()),
            entry: self.context.saved_pc(),
            stack: self.stack.get(),
            pages: self.stack_pages.get(),
        }
    }

    /// What is told of its end.
    pub fn death(&self) -> Death {
        Death {
            process: self.process().id(),
            number: self.number(),
            parent: (self.parent.get(), self.parent_processor.get()),
            code: self.exit_code.get(),
            stack: self.stack.get(),
            pages: self.stack_pages.get(),
        }
    }

    /// It ends with this code, as soon as its children have. `true`: now.
    pub fn end(&self, code: u32) -> bool {
        self.exit_code.set(code);
        self.state.set(State::Ending);
        !self.has_children()
    }

    /// It ends as soon as it can, with the code that it has.
    pub fn await_end(&self) {
        self.state.set(State::Ending);
    }

    /// The error that a courier carries, 0: none.
    pub fn exit_code(&self) -> u32 {
        self.exit_code.get()
    }

    /// It carries ends of channels back, with the reason why no thread was made.
    pub fn carry(&self, error: Option<Error>) {
        self.exit_code.set(error.map_or(0, |error| error.code() as u32));
    }
}

/// Its children.
impl Tcb {
    pub fn has_children(&self) -> bool {
        self.children.get() != 0
    }

    /// It waits for a child to be created. The child is counted from now on, so that the parent
    /// stays here until it has been answered, and its child has ended.
    pub fn await_birth(&self) {
        self.state.set(State::Creating);
        self.children.set(self.children.get() + 1);
    }

    /// The child that it has asked for has not been created.
    pub fn lose_unborn(&self) {
        self.children.set(self.children.get() - 1);
    }

    /// It waits for its children to end; if it has none, how many have failed since the last time.
    pub fn await_children(&self) -> Option<u32> {
        if self.has_children() {
            self.state.set(State::Waiting);
            return None;
        }
        Some(self.take_failed())
    }

    /// A child has ended. `true`: it was the last one.
    pub fn child_ended(&self, code: u32) -> bool {
        self.children.set(self.children.get().saturating_sub(1));
        self.failed.set(self.failed.get() + ((code != 0) as u16));
        !self.has_children()
    }

    /// Children that have ended with a code other than 0 since the last time.
    pub fn take_failed(&self) -> u32 {
        self.failed.take() as u32
    }

    /// What a thread that moves takes along of its family: its parent's processor, and
    /// [`Self::take_failed`].
    pub fn family(&self) -> (Processor, u16) {
        (self.parent_processor.get(), self.failed.get())
    }

    /// The address above its stack, and its pages.
    pub fn stack(&self) -> (u32, u32) {
        (self.stack.get(), self.stack_pages.get())
    }

    /// The lowest address of its stack.
    pub fn bottom(&self) -> u32 {
        self.bottom.get()
    }

    /// Whether its stack pointer, as the context has it, is below its stack: a frame has skipped
    /// the page that is left free there, and another thread's stack may have been written to. The
    /// small kernel has no room to look.
    pub fn has_overflowed(&self) -> bool {
        variant::PAGES_GO && self.context.sp() < self.bottom.get()
    }
}
