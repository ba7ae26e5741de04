//! Threads' births and ends. A process's home gives out ids and stacks, so that both go over it: from the parent's processor
//! to the home, to the processor of the child, and back.

use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::limits::THREADS;
use testbed_definitions::mpc::{self, create, created, exited, migrate, page};
use testbed_definitions::page::{DATA_BASE, PAGE_BYTES};
use testbed_definitions::process;
use testbed_definitions::syscall::{Error, EXIT, EXIT_HALT};
use testbed_kernel_core::queue::NONE;
use testbed_protocol::{Processor, Thread};

use crate::centrenet::Packet;
use crate::events;
use crate::kernel::Kernel;
use crate::thread::{State, Tcb, SP};

const PAGE_DATA_BYTES: usize = PAGE_BYTES as usize;

/// What a new thread is given.
#[derive(Clone, Copy)]
pub struct Birth {
    pub process: u16,
    pub number: Thread,
    /// Number and processor of its parent; number 0: none.
    pub parent: (Thread, Processor),
    pub entry: u32,
    /// Address above its stack, and its pages.
    pub stack: u32,
    pub pages: u32,
}

/// What is left of a thread that has ended.
#[derive(Clone, Copy)]
pub struct Death {
    pub process: u16,
    pub number: Thread,
    pub parent: (Thread, Processor),
    pub code: u32,
    /// Address above its stack, and its pages.
    pub stack: u32,
    pub pages: u32,
}

const fn child_parent(child: Thread, parent: Thread) -> u32 {
    child as u32 | (parent as u32) << 16
}
/// The halves of a word.
const fn halves(word: u32) -> (u16, u16) {
    (word as u16, (word >> 16) as u16)
}

impl Kernel {
    /// `create(id, n_pages, processor, entry, stack)`.
    pub fn create(&mut self, index: u16, id: u32, pages: u32, processor: i32, (entry, stack): (u32, u32)) {
        let target = match processor {
            // Programs run on the slaves; a machine without any has only its master.
            ..0 if self.processors > 1 => 1 + self.random_below(self.processors as u32 - 1),
            ..0 => 0,
            _ => processor as u32,
        };
        if target >= self.processors as u32 {
            return self.finish(index, Err(Error::BadProcessor));
        }
        if id == 0 || id as usize >= THREADS {
            return self.finish(index, Err(Error::NoThread));
        }
        if pages > u16::MAX as u32 {
            return self.finish(index, Err(Error::BadPointer));
        }
        let tcb = &mut self.tcbs[index as usize];
        tcb.state = State::Creating;
        // Counted from now on, so that the parent stays here until it has been answered, and its child has ended.
        tcb.children += 1;
        let (process, parent) = (tcb.process.id, tcb.number);
        let number = event::thread_number(process::home(process), process::place(process), id as u8);
        let birth = Birth { process, number, parent: (parent, self.me), entry, stack, pages };
        if process::home(process) == self.me {
            self.create_from_home(birth, target as u8);
        } else {
            self.send_birth(process::home(process), birth, target as u8);
        }
    }

    pub fn send_birth(&mut self, to: Processor, birth: Birth, target: Processor) {
        let mut words = [0; mpc::TOKEN_WORDS];
        words[create::ADDRESS] = mpc::address(birth.process, 0);
        words[create::CHILD_PARENT] = child_parent(birth.number, birth.parent.0);
        words[create::ENTRY] = birth.entry;
        words[create::STACK] = birth.stack;
        words[create::PAGES_PLACES] = birth.pages | (birth.parent.1 as u32) << 16 | (target as u32) << 24;
        self.net.queue_token(to, mpc::CREATE, words, create::BYTES);
    }

    /// The home's part: id and stack are given out, if they are free.
    fn create_from_home(&mut self, birth: Birth, target: Processor) {
        let Some(mut process) = self.process(birth.process) else { return };
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
        id: u16,
        family: (Thread, (Thread, Processor)),
        result: Result<(), Error>,
        stack: (u32, u32),
    ) {
        if let (Err(_), Some(mut process)) = (result, self.process(id)) {
            process.take_back(family.0);
            self.free_unmade(process, stack);
        }
        self.answer_parent(id, family, result);
    }

    fn answer_parent(&mut self, id: u16, (child, parent): (Thread, (Thread, Processor)), result: Result<(), Error>) {
        if parent.1 == self.me {
            return self.created(id, child, parent.0, result);
        }
        let mut words = [0; mpc::TOKEN_WORDS];
        words[created::ADDRESS] = mpc::address(id, 0);
        words[created::CHILD_PARENT] = child_parent(child, parent.0);
        words[created::RESULT] = result.map_or_else(|error| error.code() as u32, |()| child as u32);
        words[created::PARENT_PROCESSOR] = parent.1 as u32;
        self.net.queue_token(parent.1, mpc::CREATED, words, created::BYTES);
    }

    /// The child has been created, or not: the parent goes on.
    fn created(&mut self, id: u16, child: Thread, parent: Thread, result: Result<(), Error>) {
        let Some(index) = self.find(id, parent).filter(|&i| self.tcbs[i as usize].state == State::Creating) else {
            return;
        };
        match result {
            Ok(()) => events::emit_with(DIAG_PROFILE, event::CREATE, child),
            Err(_) => self.tcbs[index as usize].children -= 1,
        }
        self.finish(index, result.map(|()| child as u32));
    }

    /// Creates a thread on this processor and makes it ready.
    pub fn create_here(&mut self, birth: Birth) -> Result<u16, Error> {
        let id = (birth.number & 0x3f) as usize;
        let mut process = self.ensure_process(birth.process)?;
        if process.threads[id] != NONE {
            return Err(Error::ThreadExists);
        }
        let index = self.free.front().ok_or(Error::NoThread)?;
        process.add_stack(birth.stack, birth.pages, &mut self.pages)?;
        process.threads[id] = index;
        self.free.remove(self.tcbs, index);
        let tcb = &mut self.tcbs[index as usize];
        tcb.reset();
        tcb.process = process;
        tcb.number = birth.number;
        (tcb.parent, tcb.parent_processor) = birth.parent;
        tcb.set_stack(birth.stack, birth.pages);
        tcb.context.pc = birth.entry;
        tcb.context.set(SP, birth.stack);
        self.adopt_ends(index);
        self.make_ready(index);
        Ok(index)
    }

    /// `exit(code)`.
    pub fn exit(&mut self, index: u16, code: u32) {
        let tcb = &mut self.tcbs[index as usize];
        tcb.exit_code = code;
        tcb.state = State::Ending;
        if code == EXIT_HALT {
            // The process is over, whatever its other threads wait for.
            let id = tcb.process.id;
            return self.end_process(id, code);
        }
        if tcb.children == 0 {
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
        let Tcb { number, mut process, parent, parent_processor, exit_code, stack, stack_pages, .. } =
            self.tcbs[index as usize];
        events::emit_with(DIAG_PROFILE, event::EXIT, number);
        process.threads[(number & 0x3f) as usize] = NONE;
        process.remove_stack(stack, stack_pages, &mut self.pages, &mut self.net);
        self.forget_page_map();
        self.free_tcb(index);
        let parent = (parent, parent_processor);
        Death { process: process.id, number, parent, code: exit_code, stack, pages: stack_pages }
    }

    pub fn free_tcb(&mut self, index: u16) {
        self.stop_timer(index);
        self.forget_keeper(index);
        let tcb = &mut self.tcbs[index as usize];
        (tcb.state, tcb.yielded) = (State::Free, 0);
        self.free.push_back(self.tcbs, index);
    }

    /// Returns the thread's parent if that has to end in turn.
    fn tell_home(&mut self, death: Death) -> Option<u16> {
        match process::home(death.process) {
            home if home == self.me => self.bury(death, home),
            home => {
                self.send_death(home, death);
                None
            }
        }
    }

    fn send_death(&mut self, to: Processor, death: Death) {
        let mut words = [0; mpc::TOKEN_WORDS];
        words[exited::ADDRESS] = mpc::address(death.process, 0);
        words[exited::CHILD_PARENT] = child_parent(death.number, death.parent.0);
        words[exited::CODE] = death.code;
        words[exited::STACK] = death.stack;
        words[exited::PAGES_PLACES] = death.pages | (death.parent.1 as u32) << 16;
        self.net.queue_token(to, mpc::EXITED, words, exited::BYTES);
    }

    /// The id and the stack are free: what follows from the thread's end. Returns its parent if that has to end in turn.
    pub fn mourn(&mut self, death: Death) -> Option<u16> {
        let (parent, processor) = death.parent;
        if parent == 0 {
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
    fn child_ended(&mut self, id: u16, parent: Thread, exit_code: u32) -> Option<u16> {
        let index = self.find(id, parent)?;
        let tcb = &mut self.tcbs[index as usize];
        tcb.children = tcb.children.saturating_sub(1);
        tcb.failed += (exit_code != 0) as u16;
        if tcb.children != 0 {
            return None;
        }
        match tcb.state {
            State::Ending => Some(index),
            State::Waiting => {
                let failed = core::mem::take(&mut tcb.failed);
                self.finish(index, Ok(failed as u32));
                None
            }
            _ => None,
        }
    }

    /// The control block of a thread, if it is here.
    pub fn find(&self, id: u16, number: Thread) -> Option<u16> {
        let index = self.process(id)?.threads[(number & 0x3f) as usize];
        (index != NONE).then_some(index)
    }

    /// Serves a packet: a message protocol component, or word of a thread's or a process's birth or end.
    pub fn serve_packet(&mut self, packet: &Packet) {
        let id = || mpc::process_channel(packet.word(create::ADDRESS)).0;
        match (packet.header.kind, packet.header.length as usize) {
            (mpc::CREATE, create::BYTES) => self.serve_create(id(), packet),
            (mpc::CREATED, created::BYTES) => self.serve_created(id(), packet),
            (mpc::EXITED, exited::BYTES) => self.serve_exited(id(), packet),
            (mpc::PROCESS, _) => self.serve_process(id(), packet),
            (mpc::MIGRATE, migrate::BYTES) => self.serve_migrate(id(), packet),
            (mpc::THREAD | mpc::ENDS, _) => self.serve_ends(id(), packet),
            #[cfg(not(feature = "small"))]
            (mpc::FILE, _) => self.serve_file(packet),
            (mpc::PAGE, page::BYTES) => self.serve_page(id(), packet),
            (mpc::PAGE_DATA, PAGE_DATA_BYTES) => self.serve_page_data(packet),
            (mpc::MSG, _) => self.serve_msg(packet),
            (mpc::RTR, _) => self.serve_rtr(packet),
            (mpc::FOCUS | mpc::ADVERT, _) => self.serve_token(packet),
            (mpc::REFUSE, _) => self.serve_refuse(packet),
            _ => {}
        }
    }

    fn serve_create(&mut self, id: u16, packet: &Packet) {
        let (number, parent) = halves(packet.word(create::CHILD_PARENT));
        let pages_places = packet.word(create::PAGES_PLACES);
        let birth = Birth {
            process: id,
            number,
            parent: (parent, (pages_places >> 16) as u8),
            entry: packet.word(create::ENTRY),
            stack: packet.word(create::STACK),
            pages: pages_places & 0xffff,
        };
        if process::home(id) == self.me {
            return self.create_from_home(birth, (pages_places >> 24) as u8);
        }
        let result = match self.create_here(birth) {
            Ok(_) => number as u32,
            Err(error) => match self.send_ends(birth, packet.header.source, Some(error)) {
                Ok(true) => return,
                _ => error.code() as u32,
            },
        };
        self.send_created(packet.header.source, birth, result);
    }

    /// Tells the home what has become of its order.
    pub fn send_created(&mut self, home: Processor, birth: Birth, result: u32) {
        let mut words = [0; mpc::TOKEN_WORDS];
        words[created::ADDRESS] = mpc::address(birth.process, 0);
        words[created::CHILD_PARENT] = child_parent(birth.number, birth.parent.0);
        words[created::RESULT] = result;
        words[created::PARENT_PROCESSOR] = birth.parent.1 as u32;
        words[created::STACK] = birth.stack;
        words[created::PAGES] = birth.pages;
        self.net.queue_token(home, mpc::CREATED, words, created::BYTES);
    }

    fn serve_created(&mut self, id: u16, packet: &Packet) {
        let (child, parent) = halves(packet.word(created::CHILD_PARENT));
        let parent = (parent, packet.word(created::PARENT_PROCESSOR) as u8);
        let result = Error::from_code(packet.word(created::RESULT) as i32).map_or(Ok(()), Err);
        if process::home(id) == self.me {
            let stack = (packet.word(created::STACK), packet.word(created::PAGES));
            self.created_at_home(id, (child, parent), result, stack);
        } else {
            self.created(id, child, parent.0, result);
        }
    }

    fn serve_exited(&mut self, id: u16, packet: &Packet) {
        let (number, parent) = halves(packet.word(exited::CHILD_PARENT));
        let code = packet.word(exited::CODE);
        let parent_ends = if process::home(id) == self.me {
            let pages_places = packet.word(exited::PAGES_PLACES);
            let (stack, pages) = (packet.word(exited::STACK), pages_places & 0xffff);
            let parent = (parent, (pages_places >> 16) as u8);
            self.bury(Death { process: id, number, parent, code, stack, pages }, packet.header.source)
        } else {
            self.child_ended(id, parent, code)
        };
        if let Some(index) = parent_ends {
            self.end_thread(index);
        }
    }
}

/// Whether a thread can start there.
pub fn is_entry(entry: u32) -> bool {
    entry < DATA_BASE && entry % 4 == 0
}
