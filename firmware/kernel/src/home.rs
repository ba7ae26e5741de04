//! The home of processes: the places of those that were invoked here, how they end everywhere, and what others ask of them.

use testbed_definitions::event::{self, DIAG_PROFILE};
#[cfg(not(feature = "small"))]
use testbed_definitions::file::NAME_BYTES;
use testbed_definitions::limits::PROCESSES;
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::packet::BROADCAST;
use testbed_definitions::process::{home, id as process_id, place, FIRST_GENERATION, FIRST_PLACE, OPERATOR};
use testbed_definitions::syscall::Error;
#[cfg(not(feature = "small"))]
use testbed_kernel_core::filestore::Name;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::{Processor, Thread};

use crate::centrenet::Packet;
use crate::events;
use crate::kernel::Kernel;
use crate::process::Process;
use crate::thread::{State, A0};

/// A thread that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Who {
    pub process: u16,
    /// 0: nobody.
    pub thread: Thread,
    pub processor: Processor,
}

impl Who {
    pub const NOBODY: Who = Who { process: 0, thread: 0, processor: 0 };

    pub const fn word(self) -> u32 {
        self.thread as u32 | (self.processor as u32) << 16
    }
    #[cfg(not(feature = "small"))]
    pub const fn unpack(word: u32, process: u16) -> Who {
        Who { process, thread: word as u16, processor: (word >> 16) as u8 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Free,
    /// Waits for its file.
    Loading,
    Running,
    /// The other processors have been told; so many have not answered.
    Ending(u8),
}

/// A place for processes that are invoked here.
#[derive(Clone, Copy)]
pub struct Place {
    /// The process, or the one that was here last.
    pub id: u16,
    pub life: Life,
    #[cfg(not(feature = "small"))]
    pub background: bool,
    /// The process that invoked it, 0 if it was the host.
    #[cfg(not(feature = "small"))]
    pub invoker: u16,
    /// Who awaits its end, or while it is loading its start.
    pub waiter: Who,
    pub code: u32,
    /// Bytes of arguments.
    pub arguments: u32,
    /// The file that it runs, [`NO_FILE`] before it does.
    #[cfg(not(feature = "small"))]
    pub file: u8,
    /// It may read other processes' memory.
    #[cfg(not(feature = "small"))]
    pub trusted: bool,
    /// The file's name when it was invoked, and who had the file.
    #[cfg(not(feature = "small"))]
    pub name: Name,
    #[cfg(not(feature = "small"))]
    pub source: Processor,
}

/// Processes that can be invoked on a processor; the small kernel knows the host's only.
pub const PLACES: usize = if cfg!(feature = "small") { 1 } else { PROCESSES };

/// No file's index.
#[cfg(not(feature = "small"))]
pub const NO_FILE: u8 = 0xff;

impl Place {
    pub const FREE: Place = Place {
        id: 0,
        life: Life::Free,
        #[cfg(not(feature = "small"))]
        background: false,
        #[cfg(not(feature = "small"))]
        invoker: 0,
        waiter: Who::NOBODY,
        code: 0,
        arguments: 0,
        #[cfg(not(feature = "small"))]
        file: NO_FILE,
        #[cfg(not(feature = "small"))]
        trusted: false,
        #[cfg(not(feature = "small"))]
        name: [0; NAME_BYTES],
        #[cfg(not(feature = "small"))]
        source: 0,
    };
}

impl Kernel {
    /// The place of a process that was invoked here, or of the last one there.
    pub fn place(&mut self, id: u16) -> Option<&mut Place> {
        let me = self.me;
        let found = &mut self.places[place(id) as usize & (PLACES - 1)];
        (home(id) == me && found.id == id).then_some(found)
    }

    /// Takes a place for a new process and makes its record. `right`: [`OPERATOR`] or 0. `last`: it may have
    /// the last place, which is left to operators.
    pub fn take_place(&mut self, right: u16, last: bool) -> Result<Process, Error> {
        let free = |&place: &u8| self.places[place as usize & (PLACES - 1)].life == Life::Free;
        let mut places = (0..PLACES as u8).map(|n| (n + FIRST_PLACE) % PROCESSES as u8).filter(free);
        let place = places
            .next()
            .filter(|_| cfg!(feature = "small") || last || places.next().is_some())
            .ok_or(Error::TooManyProcesses)?;
        let id = process_id(self.me, place, self.processes.next_generation(self.me, place)) | right;
        let process = self.make_process(id)?;
        self.places[place as usize & (PLACES - 1)] = Place { id, life: Life::Loading, ..Place::FREE };
        events::emit_with(DIAG_PROFILE, event::INVOKE, id);
        Ok(process)
    }

    /// Ends a process, wherever its threads are.
    pub fn end_process(&mut self, id: u16, code: u32) {
        if home(id) != self.me {
            let words = [mpc::operation_address(layout::KILL, id), code, 0, 0, 0, 0];
            return self.net.queue_token(home(id), mpc::PROCESS, words, layout::REQUEST_BYTES);
        }
        let Some(process) = self.process(id) else { return };
        let others = self.processors - 1;
        let mut invoker = Who::NOBODY;
        if let Some(place) = self.place(id) {
            if place.life == Life::Loading {
                invoker = core::mem::replace(&mut place.waiter, Who::NOBODY);
            }
            place.code = code;
            place.life = Life::Ending(others);
        }
        self.reply(invoker, Error::Killed.code() as u32, 0);
        self.remove_process(process);
        if others == 0 {
            return self.process_ended(id);
        }
        let words = [mpc::operation_address(layout::END, id), 0, 0, 0, 0, 0];
        self.net.queue_token(BROADCAST, mpc::PROCESS, words, layout::END_BYTES);
    }

    /// Removes all that this processor has of a process.
    pub fn remove_process(&mut self, process: Process) {
        for index in process.threads.into_iter().filter(|&index| index != NONE) {
            events::emit_with(DIAG_PROFILE, event::EXIT, self.tcbs[index as usize].number);
            self.unqueue(index);
            self.drop_staged(index);
            self.free_tcb(index);
        }
        self.forget_page_map();
        #[cfg(not(feature = "small"))]
        self.forget_owing(process);
        self.processes.forget(process.id);
        process.release(&mut self.pages, &mut self.net);
        #[cfg(not(feature = "small"))]
        self.serve_readers();
    }

    /// Takes a thread out of whatever queue it is in.
    fn unqueue(&mut self, index: u16) {
        match self.tcbs[index as usize].state {
            State::Ready => self.ready.remove(self.tcbs, index),
            State::Transmitting | State::Moving | State::Returning | State::Courier => {
                self.transmitting.remove(self.tcbs, index);
            }
            State::Alternative => self.end_alternative(index),
            #[cfg(not(feature = "small"))]
            State::Reading => self.end_reading(index),
            _ => {}
        }
    }

    /// Nothing is left of a process on any processor.
    fn process_ended(&mut self, id: u16) {
        let Some(place) = self.place(id) else { return };
        place.life = Life::Free;
        let (code, waiter) = (place.code, core::mem::replace(&mut place.waiter, Who::NOBODY));
        #[cfg(not(feature = "small"))]
        if place.file != NO_FILE {
            let file = core::mem::replace(&mut place.file, NO_FILE);
            self.leave_file(file as usize);
        }
        events::emit_with(DIAG_PROFILE, event::PROCESS_END, id);
        self.reply(waiter, 0, code);
        if id == process_id(self.me, FIRST_PLACE, FIRST_GENERATION) | OPERATOR && self.is_start() {
            self.exit_code = Some(code);
            #[cfg(not(feature = "small"))]
            self.suspend_all();
        }
    }

    /// Answers a thread's request, wherever it waits.
    pub fn reply(&mut self, who: Who, result: u32, second: u32) {
        // The small kernel has no requests.
        if who.thread == 0 || cfg!(feature = "small") {
            return;
        }
        if who.processor == self.me {
            return self.answered(who.process, who.thread, result, second);
        }
        let words = [mpc::operation_address(layout::REPLY, who.process), who.word(), result, second, 0, 0];
        self.net.queue_token(who.processor, mpc::PROCESS, words, layout::REPLY_BYTES);
    }

    fn answered(&mut self, id: u16, thread: Thread, result: u32, second: u32) {
        let Some(index) = self.find(id, thread) else { return };
        let tcb = &mut self.tcbs[index as usize];
        if tcb.state == State::Asking {
            tcb.context.set(A0, result);
            tcb.context.set(A0 + 1, second);
            self.make_ready(index);
        }
    }

    /// A packet that concerns the process as a whole.
    pub fn serve_process(&mut self, id: u16, packet: &Packet) {
        let operation = mpc::operation(packet.word(layout::ADDRESS));
        match (operation, packet.header.length as usize) {
            (layout::END, layout::END_BYTES) => {
                if let Some(process) = self.process(id) {
                    self.remove_process(process);
                }
                self.processes.forget(id);
                let words = [mpc::operation_address(layout::ENDED, id), 0, 0, 0, 0, 0];
                self.net.queue_token(packet.header.source, mpc::PROCESS, words, layout::END_BYTES);
            }
            (layout::ENDED, layout::END_BYTES) => self.one_has_ended(id),
            #[cfg(feature = "small")]
            (layout::KILL, layout::REQUEST_BYTES) => self.end_process(id, packet.word(layout::VALUE)),
            #[cfg(not(feature = "small"))]
            (layout::SUSPEND, layout::SUSPEND_BYTES) => self.suspend(id, packet.word(layout::VALUE) != 0),
            #[cfg(not(feature = "small"))]
            (layout::KILL | layout::CONTROL | layout::AWAIT, layout::REQUEST_BYTES) => {
                let who = Who::unpack(packet.word(layout::WHO), packet.word(layout::WHOSE) as u16);
                self.serve_request(operation, id, packet.word(layout::VALUE), who);
            }
            #[cfg(not(feature = "small"))]
            (layout::CLASSES | layout::COMMAND, layout::REQUEST_BYTES) => {
                let who = Who::unpack(packet.word(layout::WHO), packet.word(layout::WHOSE) as u16);
                self.serve_control(operation, packet.word(layout::VALUE), who);
            }
            #[cfg(not(feature = "small"))]
            (layout::CLASSES, layout::CLASSES_BYTES) => self.set_classes(packet.word(layout::VALUE)),
            #[cfg(not(feature = "small"))]
            (layout::COMMANDED, layout::CLASSES_BYTES) => self.commanded(packet.word(layout::VALUE)),
            #[cfg(not(feature = "small"))]
            (layout::WANT_INPUT, layout::WANT_INPUT_BYTES) => self.serve_want_input(packet),
            #[cfg(not(feature = "small"))]
            (layout::INPUT, layout::INPUT_PACKET_BYTES) => self.serve_input_piece(packet),
            #[cfg(not(feature = "small"))]
            (layout::INVOKE, _) => self.serve_invocation(id, packet),
            #[cfg(not(feature = "small"))]
            (layout::REPLY, layout::REPLY_BYTES) => {
                let thread = packet.word(layout::REPLY_WHO) as Thread;
                self.answered(id, thread, packet.word(layout::RESULT), packet.word(layout::RESULT_2));
            }
            _ => {}
        }
    }

    fn one_has_ended(&mut self, id: u16) {
        let Some(place) = self.place(id) else { return };
        match &mut place.life {
            Life::Ending(1) => self.process_ended(id),
            Life::Ending(left) => *left -= 1,
            _ => {}
        }
    }
}
