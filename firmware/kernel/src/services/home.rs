//! The home of processes: the places of those that were invoked here, how they end everywhere, and
//! what others ask of them.

use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::limits::PROCESSES;
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::process::{FIRST_GENERATION, FIRST_PLACE, OPERATOR};
use testbed_definitions::syscall::Error;

use crate::arch::hw;
use crate::drivers::events;
use crate::state::kernel::Kernel;
use crate::state::place::{Place, Who, PLACES};
use crate::state::process::Process;
use crate::state::thread::State;
use crate::variant;

impl Kernel {
    /// Takes a place for a new process and makes its record. `right`: [`OPERATOR`] or 0. `last`: it
    /// may have the last place, which is left to operators.
    pub fn take_place(&mut self, right: u16, last: bool) -> Result<Process, Error> {
        let free = |&place: &u8| self.places[place as usize & (PLACES - 1)].is_free();
        let mut places = (0..PLACES as u8).map(|n| (n + FIRST_PLACE) % PROCESSES as u8).filter(free);
        let place = places
            .next()
            .filter(|_| !variant::PAGES_GO || last || places.next().is_some())
            .ok_or(Error::TooManyProcesses)?;
        let generation = self.processes.next_generation(self.me, place);
        let id = ProcessId::new(self.me, place, generation).with_right(right);
        let process = self.make_process(id)?;
        self.places[place as usize & (PLACES - 1)] = Place::loading(id);
        events::emit_with(DIAG_PROFILE, event::INVOKE, id.bits());
        Ok(process)
    }

    /// Ends a process, wherever its threads are.
    pub fn end_process(&mut self, id: ProcessId, code: u32) {
        if id.home() != self.me {
            let words = [mpc::operation_address(layout::KILL, id), code, 0, 0, 0, 0];
            return self.net.queue_token(id.home(), mpc::PROCESS, words, layout::REQUEST_BYTES);
        }
        let Some(process) = self.process(id) else { return };
        let others = self.processors - 1;
        let mut invoker = Who::NOBODY;
        if let Some(place) = self.place(id) {
            invoker = place.end(code, others);
        }
        self.reply(invoker, Error::Killed.code() as u32, 0);
        self.remove_process(process);
        self.ended_for_groups(id);
        self.ended_for_held(id);
        if others == 0 {
            return self.process_ended(id);
        }
        let words = [mpc::operation_address(layout::END, id), 0, 0, 0, 0, 0];
        self.net.queue_token(Processor::ALL_OTHERS, mpc::PROCESS, words, layout::END_BYTES);
    }

    /// Removes all that this processor has of a process.
    pub fn remove_process(&mut self, process: Process) {
        for index in process.threads() {
            events::emit_with(DIAG_PROFILE, event::EXIT, self.tcb_of(index).number().bits());
            self.unqueue(index);
            if self.has_requests() {
                self.ended_for_request(self.tcb_of(index).number());
            }
            self.ends.forget(self.tcbs, self.tcb_of(index));
            self.drop_staged(index);
            self.free_tcb(index);
        }
        hw::forget_page_map();
        self.stop_collecting(process);
        self.keepers.forget_process(process);
        self.processes.forget(process.id());
        process.release(&mut self.pages, &mut self.net);
        self.serve_readers();
    }

    /// Takes a thread out of whatever queue it is in.
    fn unqueue(&mut self, index: u16) {
        match self.tcb_of(index).state() {
            State::Ready => self.ready.remove(self.tcbs, index),
            State::Transmitting | State::Moving | State::Returning | State::Courier | State::Exchanging => {
                self.transmitting.remove(self.tcbs, index);
            }
            State::Alternative => self.end_alternative(index),
            State::Reading => self.end_reading(index),
            State::Free
            | State::Communicating
            | State::Creating
            | State::Waiting
            | State::Ending
            | State::Asking
            | State::Paging
            | State::Held
            | State::Synchronizing
            | State::Delayed => {}
        }
    }

    /// Nothing is left of a process on any processor.
    fn process_ended(&mut self, id: ProcessId) {
        let Some(place) = self.place(id) else { return };
        let (code, waiter) = place.leave();
        self.leave_program(id);
        events::emit_with(DIAG_PROFILE, event::PROCESS_END, id.bits());
        self.reply(waiter, 0, code);
        if id == ProcessId::new(self.me, FIRST_PLACE, FIRST_GENERATION).with_right(OPERATOR) && self.is_start() {
            self.exit_code = Some(code);
            self.suspend_all();
        }
    }

    /// Another processor has nothing of the process any more.
    pub fn one_has_ended(&mut self, id: ProcessId) {
        if self.place(id).is_some_and(Place::one_has_ended) {
            self.process_ended(id);
        }
    }

    /// The home has said that the process has ended.
    pub fn serve_end(&mut self, id: ProcessId, home: Processor) {
        if let Some(process) = self.process(id) {
            self.remove_process(process);
        }
        self.ended_for_groups(id);
        self.ended_for_held(id);
        self.processes.forget(id);
        let words = [mpc::operation_address(layout::ENDED, id), 0, 0, 0, 0, 0];
        self.net.queue_token(home, mpc::PROCESS, words, layout::END_BYTES);
    }
}
