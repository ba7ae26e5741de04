//! Threads' births and ends, here and on other processors.

use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::limits::THREADS;
use testbed_definitions::mpc::{self, create, created, exited};
use testbed_definitions::page::{DATA_BASE, VIRTUAL_BYTES};
use testbed_definitions::process;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::Thread;

use crate::centrenet::Packet;
use crate::kernel::{Kernel, FIRST_THREAD};
use crate::thread::{State, Tcb, A0, SP};
use crate::{boot, events, memory};

/// What a new thread is given.
struct Birth {
    process: u16,
    number: Thread,
    /// Number and processor of its parent; number 0: none.
    parent: (Thread, u8),
    entry: u32,
    stack: u32,
    pages: u32,
}

impl Kernel {
    /// The program's first thread; the arguments lie at the top of its stack, their address and length in `a0` and `a1`.
    pub fn create_first(&mut self, id: u16, pages: u32) -> Result<(), Error> {
        let process = self.ensure_process(id)?;
        let number = event::thread_number(self.me, process::place(id), FIRST_THREAD);
        let birth =
            Birth { process: id, number, parent: (0, self.me), entry: process.entry, stack: VIRTUAL_BYTES, pages };
        let index = self.create_here(birth)?;
        let arguments = boot::arguments();
        let bytes = arguments.len() as u32;
        let top = (VIRTUAL_BYTES - bytes) & !15;
        // SAFETY: the arguments are in the boot block.
        unsafe { memory::copy_to_user(arguments.as_ptr() as u32, process.map(), top, bytes) }.ok_or(Error::NoMemory)?;
        let context = &mut self.tcbs[index as usize].context;
        context.set(SP, top);
        context.set(A0, top);
        context.set(A0 + 1, bytes);
        Ok(())
    }

    /// `create(id, n_pages, processor, entry, stack)`.
    pub fn create(&mut self, index: u8, id: u32, pages: u32, processor: i32, (entry, stack): (u32, u32)) {
        let target = match processor {
            // Programs run on the slaves; a machine without any has only its master.
            ..0 if self.processors > 1 => 1 + self.random_below(self.processors as u32 - 1),
            ..0 => 0,
            _ => processor as u32,
        };
        let Tcb { number, process, .. } = self.tcbs[index as usize];
        if target >= self.processors as u32 {
            return self.finish(index, Err(Error::BadProcessor));
        }
        if id == 0 || id as usize >= THREADS {
            return self.finish(index, Err(Error::NoThread));
        }
        let child = event::thread_number(process::home(process.id), process::place(process.id), id as u8);
        if target == self.me as u32 {
            let birth = Birth { process: process.id, number: child, parent: (number, self.me), entry, stack, pages };
            let result = self.create_here(birth).map(|_| child as u32);
            return self.created(index, result);
        }
        if pages > u16::MAX as u32 {
            return self.finish(index, Err(Error::NoMemory));
        }
        let mut words = [0; mpc::TOKEN_WORDS];
        words[create::ADDRESS] = mpc::address(process.id, 0);
        words[create::CHILD_PARENT] = child as u32 | (number as u32) << 16;
        words[create::PAGES_PLACES] = pages;
        words[create::ENTRY] = entry;
        words[create::STACK] = stack;
        self.net.queue_token(target as u8, mpc::CREATE, words, create::BYTES);
        self.tcbs[index as usize].state = State::Creating;
    }

    /// The child has been created, or not: the parent goes on.
    fn created(&mut self, index: u8, result: Result<u32, Error>) {
        if let Ok(child) = result {
            self.tcbs[index as usize].children += 1;
            events::emit_with(DIAG_PROFILE, event::CREATE, child as Thread);
        }
        self.finish(index, result);
    }

    /// Creates a thread on this processor and makes it ready.
    fn create_here(&mut self, birth: Birth) -> Result<u8, Error> {
        let id = (birth.number & 0x3f) as usize;
        let mut process = self.ensure_process(birth.process)?;
        if process.threads[id] != NONE {
            return Err(Error::ThreadExists);
        }
        if birth.entry >= DATA_BASE || birth.entry % 4 != 0 {
            return Err(Error::BadPointer);
        }
        let index = self.free.front().ok_or(Error::NoThread)?;
        process.add_stack(birth.stack, birth.pages, &mut self.pages)?;
        process.threads[id] = index;
        self.free.remove(self.tcbs, index);
        let tcb = &mut self.tcbs[index as usize];
        *tcb = Tcb::free();
        tcb.process = process;
        tcb.number = birth.number;
        (tcb.parent, tcb.parent_processor) = birth.parent;
        (tcb.stack, tcb.stack_pages) = (birth.stack, birth.pages);
        tcb.context.pc = birth.entry;
        tcb.context.set(SP, birth.stack);
        self.make_ready(index);
        Ok(index)
    }

    /// Ends a thread without children, and those that only waited for it to end.
    pub fn end_thread(&mut self, index: u8) {
        let mut next = Some(index);
        while let Some(index) = next {
            next = self.end_one(index);
        }
    }

    /// Ends one thread; returns its parent if that has to end in turn.
    fn end_one(&mut self, index: u8) -> Option<u8> {
        let Tcb { number, process, parent, parent_processor, exit_code, stack, stack_pages, .. } =
            self.tcbs[index as usize];
        events::emit_with(DIAG_PROFILE, event::EXIT, number);
        let mut process = process;
        process.threads[(number & 0x3f) as usize] = NONE;
        process.remove_stack(stack, stack_pages, &mut self.pages);
        self.forget_page_map();
        self.tcbs[index as usize].state = State::Free;
        self.free.push_back(self.tcbs, index);
        if parent == 0 {
            debug_assert_eq!((number & 0x3f) as u8, FIRST_THREAD);
            self.exit_code.get_or_insert(exit_code);
            return None;
        }
        if parent_processor == self.me {
            return self.child_ended(parent, exit_code);
        }
        let mut words = [0; mpc::TOKEN_WORDS];
        words[exited::ADDRESS] = mpc::address(process.id, 0);
        words[exited::CHILD_PARENT] = number as u32 | (parent as u32) << 16;
        words[exited::CODE] = exit_code;
        self.net.queue_token(parent_processor, mpc::EXITED, words, exited::BYTES);
        None
    }

    /// A child of thread `parent` has ended. Returns the parent if it has to end in turn.
    fn child_ended(&mut self, parent: Thread, exit_code: u32) -> Option<u8> {
        let index = self.find(parent)?;
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
    fn find(&self, number: Thread) -> Option<u8> {
        let process = self.processes.at((number >> 6) as usize)?;
        let index = process.threads[(number & 0x3f) as usize];
        (index != NONE && self.tcbs[index as usize].number == number).then_some(index)
    }

    /// Serves a packet: a message protocol component, or word of a thread's birth or end.
    pub fn serve_packet(&mut self, packet: &Packet) {
        match (packet.header.kind, packet.header.length as usize) {
            (mpc::CREATE, create::BYTES) => self.serve_create(packet),
            (mpc::CREATED, created::BYTES) => {
                let result = packet.word(created::RESULT) as i32;
                let result = Error::from_code(result).map_or(Ok(result as u32), Err);
                if let Some(index) = self.find((packet.word(created::CHILD_PARENT) >> 16) as Thread) {
                    if self.tcbs[index as usize].state == State::Creating {
                        self.created(index, result);
                    }
                }
            }
            (mpc::EXITED, exited::BYTES) => {
                let parent = (packet.word(exited::CHILD_PARENT) >> 16) as Thread;
                if let Some(index) = self.child_ended(parent, packet.word(exited::CODE)) {
                    self.end_thread(index);
                }
            }
            _ => self.serve_mpc(packet),
        }
    }

    fn serve_create(&mut self, packet: &Packet) {
        let child_parent = packet.word(create::CHILD_PARENT);
        let birth = Birth {
            process: mpc::process_channel(packet.word(create::ADDRESS)).0,
            number: child_parent as Thread,
            parent: ((child_parent >> 16) as Thread, packet.header.source),
            entry: packet.word(create::ENTRY),
            stack: packet.word(create::STACK),
            pages: packet.word(create::PAGES_PLACES) & 0xffff,
        };
        let number = birth.number as u32;
        let result = self.create_here(birth).map_or_else(|error| error.code() as u32, |_| number);
        let mut words = [0; mpc::TOKEN_WORDS];
        words[created::ADDRESS] = packet.word(create::ADDRESS);
        words[created::CHILD_PARENT] = child_parent;
        words[created::RESULT] = result;
        self.net.queue_token(packet.header.source, mpc::CREATED, words, created::BYTES);
    }
}
