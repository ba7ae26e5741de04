//! Threads' births and ends. A process's home gives out ids and stacks, so that both go over it:
//! from the parent's processor to the home, to the processor of the child, and back.

use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};
use testbed_definitions::limits::THREADS;
use testbed_definitions::mpc::{self, create, created, exited};
use testbed_definitions::syscall::{Error, EXIT, EXIT_HALT};
use testbed_kernel_core::queue::NONE;

use crate::arch::hw;
use crate::drivers::events;
use crate::drivers::packet::Packet;
use crate::services::family::child_parent;
use crate::state::call::Outcome;
use crate::state::family::{Birth, Death};
use crate::state::kernel::Kernel;
use crate::state::thread::State;

/// The child and the parent that a word names ([`child_parent`]).
const fn halves(word: u32) -> (ThreadNumber, ThreadNumber) {
    (ThreadNumber::from_bits(word as u16), ThreadNumber::from_bits((word >> 16) as u16))
}

impl Kernel {
    /// `create(id, n_pages, processor, entry, stack)`.
    pub fn create(&mut self, index: u16, id: u32, pages: u32, processor: i32, (entry, stack): (u32, u32)) -> Outcome {
        let target = match processor {
            // Programs run on the slaves; a machine without any has only its master.
            ..0 if self.processors > 1 => 1 + self.random_below(self.processors as u32 - 1),
            ..0 => 0,
            _ => processor as u32,
        };
        if target >= self.processors as u32 {
            return Outcome::Done(Err(Error::BadProcessor));
        }
        let target = match Processor::new(target as u8) {
            here if here == self.me => self.birthplace(),
            other => other,
        };
        if id == 0 || id as usize >= THREADS {
            return Outcome::Done(Err(Error::NoThread));
        }
        if pages > u16::MAX as u32 {
            return Outcome::Done(Err(Error::BadPointer));
        }
        let tcb = self.tcb_of(index);
        tcb.await_birth();
        let (process, parent) = (tcb.process().id(), tcb.number());
        let number = process.thread(id as u8);
        let birth = Birth { process, number, parent: (parent, self.me), entry, stack, pages };
        if process.home() == self.me {
            self.create_from_home(birth, target);
        } else {
            self.send_birth(process.home(), birth, target);
        }
        Outcome::Waits
    }

    /// The home's part: id and stack are given out, if they are free.
    fn create_from_home(&mut self, birth: Birth, target: Processor) {
        let Some(process) = self.process(birth.process) else { return };
        let given = process.give(birth.number, birth.entry, (birth.stack, birth.pages), target);
        if let Err(error) = given {
            return self.answer_parent(birth.process, (birth.number, birth.parent), Err(error));
        }
        let ahead = if target == self.me { Ok(false) } else { self.send_ends(birth, target, None) };
        match ahead {
            Ok(true) => {}
            Err(error) => {
                let stack = (birth.stack, birth.pages);
                self.created_at_home(birth.process, (birth.number, birth.parent), Err(error), stack);
            }
            Ok(false) if target == self.me => {
                let result = self.create_here(birth).map(drop);
                self.created_at_home(birth.process, (birth.number, birth.parent), result, (birth.stack, birth.pages));
            }
            Ok(false) => self.send_birth(target, birth, target),
        }
    }

    /// The child is there, or could not be made: the home knows, and tells the parent's processor.
    fn created_at_home(
        &mut self,
        id: ProcessId,
        family: (ThreadNumber, (ThreadNumber, Processor)),
        result: Result<(), Error>,
        stack: (u32, u32),
    ) {
        if let (Err(_), Some(process)) = (result, self.process(id)) {
            process.take_back(family.0);
            self.free_unmade(process, stack);
        }
        self.answer_parent(id, family, result);
    }

    fn answer_parent(
        &mut self,
        id: ProcessId,
        (child, parent): (ThreadNumber, (ThreadNumber, Processor)),
        result: Result<(), Error>,
    ) {
        if parent.1 == self.me {
            return self.created(id, child, parent.0, result);
        }
        let mut words = [0; mpc::TOKEN_WORDS];
        words[created::ADDRESS] = mpc::process_address(id);
        words[created::CHILD_PARENT] = child_parent(child, parent.0);
        words[created::RESULT] = result.map_or_else(|error| error.code() as u32, |()| child.bits() as u32);
        words[created::PARENT_PROCESSOR] = parent.1.number() as u32;
        self.net.queue_token(parent.1, mpc::CREATED, words, created::BYTES);
    }

    /// The child has been created, or not: the parent goes on.
    fn created(&mut self, id: ProcessId, child: ThreadNumber, parent: ThreadNumber, result: Result<(), Error>) {
        let Some(index) = self.find(id, parent).filter(|&i| self.tcb_of(i).state() == State::Creating) else {
            return;
        };
        match result {
            Ok(()) => events::emit_with(DIAG_PROFILE, event::CREATE, child.bits()),
            Err(_) => self.tcb_of(index).lose_unborn(),
        }
        self.finish(index, result.map(|()| child.bits() as u32));
    }

    /// Creates a thread on this processor and makes it ready.
    pub fn create_here(&mut self, birth: Birth) -> Result<u16, Error> {
        let process = self.ensure_process(birth.process)?;
        if process.thread(birth.number) != NONE {
            return Err(Error::ThreadExists);
        }
        let index = self.free.front().ok_or(Error::NoThread)?;
        process.add_stack(birth.stack, birth.pages, &mut self.pages)?;
        process.set_thread(birth.number, index);
        self.free.remove(self.tcbs, index);
        let tcb = self.tcb_of(index);
        tcb.be_born(process, &birth);
        self.adopt_ends(index);
        self.make_ready(index);
        Ok(index)
    }

    /// `exit(code)`.
    pub fn exit(&mut self, index: u16, code: u32) {
        let tcb = self.tcb_of(index);
        let is_last = tcb.end(code);
        if code == EXIT_HALT {
            // The process is over, whatever its other threads wait for.
            let id = tcb.process().id();
            return self.end_process(id, code);
        }
        if is_last {
            return self.end_thread(index);
        }
        events::emit_with(DIAG_PROFILE, event::BLOCKED, EXIT as u16);
    }

    /// Ends a thread without children, and those that only waited for it to end.
    pub fn end_thread(&mut self, index: u16) {
        let mut next = Some(index);
        while let Some(index) = next {
            if !self.return_ends(index) {
                return;
            }
            let death = self.end_here(index);
            next = self.tell_home(death);
        }
    }

    /// Gives back what this processor has of a thread.
    fn end_here(&mut self, index: u16) -> Death {
        let tcb = self.tcb_of(index);
        let (process, death) = (tcb.process(), tcb.death());
        events::emit_with(DIAG_PROFILE, event::EXIT, death.number.bits());
        process.set_thread(death.number, NONE);
        process.remove_stack(death.stack, death.pages, &mut self.pages, &mut self.net);
        hw::forget_page_map();
        if self.has_requests() {
            self.ended_for_request(death.number);
        }
        self.free_tcb(index);
        death
    }

    /// Returns the thread's parent if that has to end in turn.
    fn tell_home(&mut self, death: Death) -> Option<u16> {
        match death.process.home() {
            home if home == self.me => self.bury(death, home),
            home => {
                self.send_death(home, death);
                None
            }
        }
    }

    pub fn serve_create(&mut self, id: ProcessId, packet: &Packet) {
        let (number, parent) = halves(packet.word(create::CHILD_PARENT));
        let pages_places = packet.word(create::PAGES_PLACES);
        let birth = Birth {
            process: id,
            number,
            parent: (parent, Processor::new((pages_places >> 16) as u8)),
            entry: packet.word(create::ENTRY),
            stack: packet.word(create::STACK),
            pages: pages_places & 0xffff,
        };
        if id.home() == self.me {
            return self.create_from_home(birth, Processor::new((pages_places >> 24) as u8));
        }
        let result = match self.create_here(birth) {
            Ok(_) => number.bits() as u32,
            Err(error) => match self.send_ends(birth, packet.source(), Some(error)) {
                Ok(true) => return,
                _ => error.code() as u32,
            },
        };
        self.send_created(packet.source(), birth, result);
    }

    pub fn serve_created(&mut self, id: ProcessId, packet: &Packet) {
        let (child, parent) = halves(packet.word(created::CHILD_PARENT));
        let parent = (parent, Processor::new(packet.word(created::PARENT_PROCESSOR) as u8));
        let result = Error::from_code(packet.word(created::RESULT) as i32).map_or(Ok(()), Err);
        if id.home() == self.me {
            let stack = (packet.word(created::STACK), packet.word(created::PAGES));
            self.created_at_home(id, (child, parent), result, stack);
        } else {
            self.created(id, child, parent.0, result);
        }
    }

    pub fn serve_exited(&mut self, id: ProcessId, packet: &Packet) {
        let (number, parent) = halves(packet.word(exited::CHILD_PARENT));
        let code = packet.word(exited::CODE);
        let parent_ends = if id.home() == self.me {
            let pages_places = packet.word(exited::PAGES_PLACES);
            let (stack, pages) = (packet.word(exited::STACK), pages_places & 0xffff);
            let parent = (parent, Processor::new((pages_places >> 16) as u8));
            self.bury(Death { process: id, number, parent, code, stack, pages }, packet.source())
        } else {
            self.child_ended(id, parent, code)
        };
        if let Some(index) = parent_ends {
            self.end_thread(index);
        }
    }
}
