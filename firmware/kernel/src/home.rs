//! The home of processes: the places of those that were invoked here, how they end everywhere, and what others ask of them.

use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::file::NAME_BYTES;
use testbed_definitions::limits::PROCESSES;
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::packet::BROADCAST;
use testbed_definitions::process::{home, id as process_id, place, FIRST_GENERATION, FIRST_PLACE};
use testbed_definitions::syscall::{self, control, Error, EXIT_HALT};
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
    pub background: bool,
    /// The process that invoked it, 0 if it was the host.
    pub invoker: u16,
    /// Who awaits its end, or while it is loading its start.
    pub waiter: Who,
    pub code: u32,
    /// The file that it runs, [`NO_FILE`] before it does.
    pub file: u8,
    /// It may read other processes' memory.
    pub trusted: bool,
    /// While it is loading: the file's name, who has the file, and bytes of arguments.
    pub name: Name,
    pub source: Processor,
    pub arguments: u32,
}

/// No file's index.
pub const NO_FILE: u8 = 0xff;

impl Place {
    pub const FREE: Place = Place {
        id: 0,
        life: Life::Free,
        background: false,
        invoker: 0,
        waiter: Who::NOBODY,
        code: 0,
        file: NO_FILE,
        trusted: false,
        name: [0; NAME_BYTES],
        source: 0,
        arguments: 0,
    };
}

impl Kernel {
    /// The place of a process that was invoked here, or of the last one there.
    pub fn place(&mut self, id: u16) -> Option<&mut Place> {
        let me = self.me;
        let found = &mut self.places[place(id) as usize % PROCESSES];
        (home(id) == me && found.id == id).then_some(found)
    }

    /// Takes a place for a new process and makes its record.
    pub fn take_place(&mut self, invoker: u16) -> Result<Process, Error> {
        let count = PROCESSES as u8;
        let free = |&place: &u8| self.places[place as usize].life == Life::Free;
        let place = (0..count).map(|n| (n + FIRST_PLACE) % count).find(free).ok_or(Error::TooManyProcesses)?;
        let id = process_id(self.me, place, self.processes.next_generation(self.me, place));
        let process = self.make_process(id)?;
        self.places[place as usize] = Place { id, life: Life::Loading, invoker, ..Place::FREE };
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
        self.processes.forget(process.id);
        process.release(&mut self.pages);
    }

    /// Takes a thread out of whatever queue it is in.
    fn unqueue(&mut self, index: u16) {
        match self.tcbs[index as usize].state {
            State::Ready => self.ready.remove(self.tcbs, index),
            State::Transmitting | State::Moving | State::Returning | State::Courier => {
                self.transmitting.remove(self.tcbs, index);
            }
            State::Alternative => self.end_alternative(index),
            _ => {}
        }
    }

    /// Nothing is left of a process on any processor.
    fn process_ended(&mut self, id: u16) {
        let Some(place) = self.place(id) else { return };
        place.life = Life::Free;
        let (code, waiter) = (place.code, core::mem::replace(&mut place.waiter, Who::NOBODY));
        let file = core::mem::replace(&mut place.file, NO_FILE);
        if file != NO_FILE {
            self.leave_file(file as usize);
        }
        events::emit_with(DIAG_PROFILE, event::PROCESS_END, id);
        self.reply(waiter, 0, code);
        if id == process_id(self.me, FIRST_PLACE, FIRST_GENERATION) && self.is_start() {
            self.exit_code = Some(code);
            self.suspend_all();
        }
    }

    /// The thread waits for an answer to a request to a process's home.
    pub fn ask_home(&mut self, index: u16, operation: u8, id: u32, value: u32) {
        let tcb = &mut self.tcbs[index as usize];
        let who = Who { process: tcb.process.id, thread: tcb.number, processor: self.me };
        let known = id <= u16::MAX as u32;
        let (id, home) = (id as u16, home(id as u16));
        tcb.state = State::Asking;
        if known && home == self.me {
            self.serve_request(operation, id, value, who);
        } else if known && home < self.processors {
            let words = [mpc::operation_address(operation, id), value, who.word(), who.process as u32, 0, 0];
            self.net.queue_token(home, mpc::PROCESS, words, layout::REQUEST_BYTES);
        } else {
            self.finish(index, Err(Error::NoProcess));
        }
    }

    /// The home's answer to a request.
    fn serve_request(&mut self, operation: u8, id: u16, value: u32, who: Who) {
        let result = match operation {
            layout::KILL if self.process(id).is_some() => {
                self.end_process(id, value);
                Ok(())
            }
            layout::CONTROL if self.process(id).is_some() => self.control(id, value),
            layout::AWAIT => match self.await_end(id, who) {
                Some(result) => result,
                None => return,
            },
            _ => Err(Error::NoProcess),
        };
        let code = if operation == layout::AWAIT { self.place(id).map_or(0, |place| place.code) } else { 0 };
        self.reply(who, result.map_or_else(|error| error.code() as u32, |()| 0), code);
    }

    /// `None`: it has not ended yet.
    fn await_end(&mut self, id: u16, who: Who) -> Option<Result<(), Error>> {
        let Some(place) = self.place(id) else { return Some(Err(Error::NoProcess)) };
        if place.invoker != who.process || place.waiter != Who::NOBODY {
            return Some(Err(Error::NoPermission));
        }
        if place.life == Life::Free {
            return Some(Ok(()));
        }
        place.waiter = who;
        None
    }

    fn control(&mut self, id: u16, what: u32) -> Result<(), Error> {
        match what {
            control::FOREGROUND | control::BACKGROUND => {
                if let Some(place) = self.place(id) {
                    place.background = what == control::BACKGROUND;
                }
            }
            control::SUSPEND | control::RESUME => {
                let suspended = what == control::SUSPEND;
                self.suspend(id, suspended);
                if self.processors > 1 {
                    let words = [mpc::operation_address(layout::SUSPEND, id), suspended as u32, 0, 0, 0, 0];
                    self.net.queue_token(BROADCAST, mpc::PROCESS, words, layout::SUSPEND_BYTES);
                }
            }
            _ => return Err(Error::UnknownCall),
        }
        Ok(())
    }

    /// Lets the threads of a process that are here run, or not.
    fn suspend(&mut self, id: u16, suspended: bool) {
        if self.processes.is_over(id) {
            return;
        }
        self.processes.set_suspended(id, suspended);
        let Some(mut process) = self.process(id) else { return };
        process.suspended = suspended;
        for index in process.threads.into_iter().filter(|&index| index != NONE) {
            match self.tcbs[index as usize].state {
                State::Ready if suspended => {
                    self.ready.remove(self.tcbs, index);
                    self.hold(index);
                }
                State::Held if !suspended => self.make_ready(index),
                _ => {}
            }
        }
    }

    /// Nothing runs here any more: the machine is about to stop.
    fn suspend_all(&mut self) {
        for index in 0..=u8::MAX {
            let id = self.processes.at(index as usize).map_or(index as u16, |process| process.id);
            self.processes.set_suspended(id, true);
            self.suspend(id, true);
        }
    }

    /// Answers a thread's request, wherever it waits.
    pub fn reply(&mut self, who: Who, result: u32, second: u32) {
        if who.thread == 0 {
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
            (layout::SUSPEND, layout::SUSPEND_BYTES) => self.suspend(id, packet.word(layout::VALUE) != 0),
            (layout::KILL | layout::CONTROL | layout::AWAIT, layout::REQUEST_BYTES) => {
                let who = Who::unpack(packet.word(layout::WHO), packet.word(layout::WHOSE) as u16);
                self.serve_request(operation, id, packet.word(layout::VALUE), who);
            }
            (layout::INVOKE, _) => self.serve_invocation(id, packet),
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

    /// A call that concerns processes or files.
    pub fn process_call(&mut self, index: u16, number: u32, arguments: [u32; 5]) {
        let process = self.tcbs[index as usize].process;
        let [a0, a1, ..] = arguments;
        let result = match number {
            syscall::AWAIT => return self.ask_home(index, layout::AWAIT, a0, 0),
            syscall::KILL => return self.ask_home(index, layout::KILL, a0, EXIT_HALT),
            syscall::CONTROL => return self.ask_home(index, layout::CONTROL, a0, a1),
            syscall::INVOKE => match self.invoke(index, arguments) {
                Ok(true) => return,
                Ok(false) => {
                    self.tcbs[index as usize].context.pc -= 4;
                    return self.make_ready(index);
                }
                Err(error) => Err(error),
            },
            syscall::STATUS => self.status(process, arguments).map(|records| (records, 0)),
            syscall::PEEK => self.peek(process, arguments).map(|bytes| (bytes, 0)),
            _ => self.file_call(process, number, arguments),
        };
        if let Ok((_, second)) = result {
            self.tcbs[index as usize].context.set(A0 + 1, second);
        }
        self.finish(index, result.map(|(first, _)| first));
    }
}
