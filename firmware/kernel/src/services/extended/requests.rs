//! What threads ask of the homes of processes: to end them, to stop them, to say when they have
//! ended.

use testbed_definitions::ids::{ProcessId, ThreadNumber};
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::syscall::{self, control, Error};
use testbed_kernel_core::input::{seats_in, with_seats, Seats, RESERVE, SIT};

use crate::state::call::Outcome;
use crate::state::kernel::Kernel;
use crate::state::place::{Place, Who};

impl Kernel {
    /// The thread waits for an answer to a request to a process's home.
    pub fn ask_home(&mut self, index: u16, operation: u8, id: u32, value: u32) -> Outcome {
        let tcb = self.tcb_of(index);
        let who = tcb.who(self.me);
        let known = id <= u16::MAX as u32;
        let id = ProcessId::from_bits(id as u16);
        let home = id.home();
        let is_for_keys = operation == layout::AWAIT && value == syscall::KEYS;
        let value = if is_for_keys { with_seats(value, self.seats_of(who.process)) } else { value };
        tcb.ask();
        if known && home == self.me {
            self.serve_request(operation, id, value, who);
        } else if known && home.number() < self.processors {
            let words = [mpc::operation_address(operation, id), value, who.word(), who.process.bits() as u32, 0, 0];
            self.net.queue_token(home, mpc::PROCESS, words, layout::REQUEST_BYTES);
        } else {
            return Outcome::Done(Err(Error::NoProcess));
        }
        Outcome::Waits
    }

    /// The home's answer to a request.
    pub fn serve_request(&mut self, operation: u8, id: ProcessId, value: u32, who: Who) {
        let result = match operation {
            layout::KILL | layout::CONTROL if self.process(id).is_none() => Err(Error::NoProcess),
            layout::KILL | layout::CONTROL if !self.may_control(id, who) => Err(Error::NoPermission),
            layout::KILL => {
                self.end_process(id, value);
                Ok(())
            }
            layout::CONTROL => self.control(id, value),
            layout::AWAIT => match self.await_end(id, who, seats_in(value)) {
                Some(result) => result,
                None => return,
            },
            _ => Err(Error::NoProcess),
        };
        let code = if operation == layout::AWAIT { self.place(id).map_or(0, |place| place.code()) } else { 0 };
        self.reply(who, result.map_or_else(|error| error.code() as u32, |()| 0), code);
    }

    /// Whether somebody may end, stop and resume a process: a kernel whose thread has ended it, the
    /// process itself, who invoked it, and operators.
    fn may_control(&mut self, id: ProcessId, who: Who) -> bool {
        let invoked = |place: &mut Place| place.invoked.invoker == who.process;
        who.thread == ThreadNumber::NOBODY
            || who.process == id
            || who.process.is_operator()
            || self.place(id).is_some_and(invoked)
    }

    /// `None`: it has not ended yet. A key at one of the seats `keys` ends the waiting too.
    fn await_end(&mut self, id: ProcessId, who: Who, keys: Seats) -> Option<Result<(), Error>> {
        let Some(place) = self.place(id) else { return Some(Err(Error::NoProcess)) };
        if place.invoked.invoker != who.process || place.is_awaited() {
            return Some(Err(Error::NoPermission));
        }
        if place.is_free() {
            return Some(Ok(()));
        }
        place.set_waiter(who);
        place.invoked.keys = keys;
        if keys != 0 {
            self.want_keys();
        }
        None
    }

    fn control(&mut self, id: ProcessId, what: u32) -> Result<(), Error> {
        match what {
            control::FOREGROUND | control::BACKGROUND => {
                if let Some(place) = self.place(id) {
                    place.invoked.background = what == control::BACKGROUND;
                }
            }
            control::SUSPEND | control::RESUME => {
                let suspended = what == control::SUSPEND;
                if let Some(place) = self.place(id).filter(|_| !suspended) {
                    place.invoked.held = false;
                }
                self.suspend_everywhere(id, suspended);
            }
            control::CONSOLE => self.sit_down(id, SIT),
            control::SEAT => self.sit_down(id, RESERVE),
            _ => return self.lead(id, what),
        }
        Ok(())
    }
}
