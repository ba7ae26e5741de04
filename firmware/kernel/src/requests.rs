//! What threads ask of the homes of processes: to end them, to stop them, to say when they have ended.

use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::packet::BROADCAST;
use testbed_definitions::process::{home, is_operator};
use testbed_definitions::syscall::{self, control, Error, EXIT_HALT};
use testbed_kernel_core::queue::NONE;

use crate::home::{Life, Place, Who};
use crate::kernel::Kernel;
use crate::thread::{State, A0};

impl Kernel {
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
                    // Its buffers may have left, and nobody else need ask.
                    self.tcbs[index as usize].context.pc -= 4;
                    return self.put_off(index);
                }
                Err(error) => Err(error),
            },
            syscall::MONITOR => match self.monitor(index, a0, a1) {
                Some(result) => result.map(|classes| (classes, 0)),
                None => return,
            },
            syscall::READ_LINE => match self.read_line(index, a0, a1) {
                Some(result) => result.map(|bytes| (bytes, 0)),
                None => return,
            },
            syscall::STATUS => self.status(process, arguments).map(|records| (records, 0)),
            syscall::PEEK => self.peek(process, arguments).map(|bytes| (bytes, 0)),
            syscall::READ_MONITOR if !is_operator(process.id) => Err(Error::NoPermission),
            syscall::READ_MONITOR => self.read_monitor(process, a0, a1).map(|words| (words, 0)),
            _ => self.file_call(process, number, arguments),
        };
        if let Ok((_, second)) = result {
            self.tcbs[index as usize].context.set(A0 + 1, second);
        }
        self.finish(index, result.map(|(first, _)| first));
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
    pub fn serve_request(&mut self, operation: u8, id: u16, value: u32, who: Who) {
        let result = match operation {
            layout::KILL | layout::CONTROL if self.process(id).is_none() => Err(Error::NoProcess),
            layout::KILL | layout::CONTROL if !self.may_control(id, who) => Err(Error::NoPermission),
            layout::KILL => {
                self.end_process(id, value);
                Ok(())
            }
            layout::CONTROL => self.control(id, value),
            layout::AWAIT => match self.await_end(id, who) {
                Some(result) => result,
                None => return,
            },
            _ => Err(Error::NoProcess),
        };
        let code = if operation == layout::AWAIT { self.place(id).map_or(0, |place| place.code) } else { 0 };
        self.reply(who, result.map_or_else(|error| error.code() as u32, |()| 0), code);
    }

    /// Whether somebody may end, stop and resume a process: a kernel whose thread has ended it, the process
    /// itself, who invoked it, and operators.
    fn may_control(&mut self, id: u16, who: Who) -> bool {
        let invoked = |place: &mut Place| place.invoker == who.process;
        who.thread == 0 || who.process == id || is_operator(who.process) || self.place(id).is_some_and(invoked)
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
    pub fn suspend(&mut self, id: u16, suspended: bool) {
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
        // Others may have waited behind a thread that cannot run now, or one that can again.
        self.serve_readers();
    }

    /// Nothing runs here any more: the machine is about to stop.
    pub fn suspend_all(&mut self) {
        for index in 0..=u8::MAX {
            let id = self.processes.at(index as usize).map_or(index as u16, |process| process.id);
            self.processes.set_suspended(id, true);
            self.suspend(id, true);
        }
    }
}
