//! Requests to move a thread (report, section 4.2): [`testbed_protocol::requests`] made real.

use testbed_balance::candidate::{select, Candidate, Choice as Figure40};
use testbed_balance::request::Link;
use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::processors::Processors;
use testbed_definitions::request::{Wanted, EXPIRY_INTERRUPTS};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::requests::{Asker, Choice, Output, Request, Requests};

use crate::arch::hw;
use crate::drivers::events::{self, AWAITING};
use crate::drivers::packet::Packet;
use crate::state::call::Outcome;
use crate::state::effects::MOVES;
use crate::state::kernel::{Index, Kernel};
use crate::state::place::Who;
use crate::state::thread::{State, Tcb};

impl Kernel {
    /// `request(wanted, from, to)`. The call waits for the answer.
    pub fn request_move(&mut self, index: Index, wanted: u32, from: u32, to: u32) -> Result<Outcome, Error> {
        let tcb = self.tcb_of(index);
        if !tcb.process().id().is_operator() {
            return Err(Error::NoPermission);
        }
        let is_slave = |processor: u32| (1..self.processors as u32).contains(&processor);
        if !is_slave(from) || !is_slave(to) || from == to {
            return Err(Error::BadProcessor);
        }
        let wanted = Wanted::unpack(wanted).ok_or(Error::NoThread)?;
        tcb.ask();
        let who = tcb.who(self.me);
        let (from, to) = (Processor::new(from as u8), Processor::new(to as u8));
        if from == self.me {
            self.take_request(wanted, to, who);
        } else {
            let words = [
                mpc::operation_address(layout::MOVE, who.process),
                wanted.pack(),
                who.word(),
                to.number() as u32,
                0,
                0,
            ];
            self.net.queue_token(from, mpc::PROCESS, words, layout::REQUEST_BYTES);
        }
        Ok(Outcome::Waits)
    }

    /// A request has come.
    pub fn serve_move(&mut self, id: ProcessId, packet: &Packet) {
        let who = Who::unpack(packet.word(layout::WHO), id);
        match (Wanted::unpack(packet.word(layout::VALUE)), packet.word(layout::MOVE_TO)) {
            (Some(wanted), to) if to < self.processors as u32 && to != self.me.number() as u32 => {
                self.take_request(wanted, Processor::new(to as u8), who);
            }
            _ => self.reply(who, Error::BadProcessor.code() as u32, 0),
        }
    }

    /// A thread that has been asked for is here: who asked is told.
    pub fn serve_moved(&mut self, id: ProcessId, packet: &Packet) {
        let who = Who::unpack(packet.word(layout::WHO), id);
        self.reply(who, packet.word(layout::VALUE), 0);
    }

    /// Takes a request to a slave of the machine.
    fn take_request(&mut self, wanted: Wanted, to: Processor, who: Who) {
        let wanted = match wanted {
            Wanted::Created(places) => Wanted::Created(places.and(Processors::slaves(self.processors - 1))),
            other => other,
        };
        let asker = Asker { who: who.word(), process: who.process };
        let deadline = hw::now() + EXPIRY_INTERRUPTS as u64 * self.slice_cycles as u64;
        let output = self.moves.requests.come(Request { wanted, to, asker }, deadline);
        self.perform_move(output);
        // All threads' registers may not have been saved yet.
        self.effects.note(MOVES);
    }

    /// Finds threads for the requests that wait. All threads' registers are saved.
    #[cold]
    #[inline(never)]
    pub fn serve_moves(&mut self) {
        self.effects.done(MOVES);
        self.answer_left();
        for place in Requests::places() {
            let Some(wanted) = self.moves.requests.wanted(place) else { continue };
            let choice = self.choose_for(wanted);
            self.make_room();
            let output = self.moves.requests.choose(place, choice, hw::now());
            self.perform_move(output);
        }
        self.answer_left();
        events::watch(AWAITING, self.moves.requests.due().is_some());
        self.set_agent_alarm();
    }

    /// Answers for threads that have left or ended since the last time.
    fn answer_left(&mut self) {
        loop {
            match self.moves.take_left() {
                Output::Nothing => return,
                output => {
                    self.make_room();
                    self.perform_move(output);
                }
            }
        }
    }

    /// The thread that a request would move now.
    fn choose_for(&self, wanted: Wanted) -> Choice {
        let (figure_40, other) = match wanted {
            Wanted::Thread(number) => return self.choose_thread(number),
            Wanted::Compute => (Figure40::Described, None),
            Wanted::Link(other) => (Figure40::Described, Some(other)),
            Wanted::Printed(other) => (Figure40::Printed, other),
            Wanted::New => return self.choose_new(),
            // It holds, and waits for nobody.
            Wanted::Created(_) => return Choice::Never,
        };
        let link = other.map(|other| Link::between(self.me, other));
        let candidates = self.ready.iter(self.tcbs).map(|tcb| self.candidate(tcb));
        match select(figure_40, candidates, link) {
            Some(thread) => Choice::Thread(thread),
            None => Choice::Later,
        }
    }

    /// A thread that nothing is known of: one that has not run, else one that only computes.
    fn choose_new(&self) -> Choice {
        let is_new = |tcb: &&Tcb| !tcb.has_children() && !tcb.is_first() && tcb.measured().is_new().0;
        let mut all = self.ready.iter(self.tcbs).filter(is_new);
        let never_ran = all.clone().find(|tcb| tcb.measured().is_new().1);
        never_ran.or_else(|| all.next()).map_or(Choice::Never, |tcb| Choice::Thread(tcb.number()))
    }

    fn candidate(&self, tcb: &Tcb) -> Candidate {
        let last = tcb.measured().last();
        Candidate {
            thread: tcb.number(),
            has_children: tcb.has_children(),
            is_ready: true,
            last: (last != Processor::NOWHERE && last != self.me).then(|| Link::between(self.me, last)),
        }
    }

    /// A thread that is named.
    fn choose_thread(&self, number: ThreadNumber) -> Choice {
        let Some(tcb) = self.thread_here(number).map(|index| self.tcb_of(index)) else { return Choice::Never };
        match tcb.state() {
            _ if tcb.has_children() => Choice::Never,
            State::Ready | State::Held => Choice::Thread(number),
            _ => Choice::Later,
        }
    }

    fn thread_here(&self, number: ThreadNumber) -> Option<Index> {
        let process = self.processes.at(number.process() as usize)?;
        let index = Some(process.thread(number)).filter(|&index| index != NONE)?;
        // Somebody may ask for a number that has bits which no thread's has.
        (self.tcb_of(index).number() == number).then_some(index)
    }

    fn perform_move(&mut self, output: Output) {
        match output {
            Output::Nothing => {}
            Output::Send { thread, to } => {
                self.moves.leaves();
                let moves = self.thread_here(thread).map(|index| self.move_thread(index, to.number() as u32, true));
                if !matches!(moves, Some(Ok(true))) {
                    // It can't be: it was chosen because it can.
                    self.ended_for_request(thread);
                }
            }
            Output::Follow { thread, to, asker } => {
                let words =
                    [mpc::operation_address(layout::MOVED, asker.process), thread.bits() as u32, asker.who, 0, 0, 0];
                self.net.queue_token(to, mpc::PROCESS, words, layout::MOVED_BYTES);
            }
            Output::Accept { asker } => self.reply(Who::unpack(asker.who, asker.process), 0, 0),
            Output::Refuse { asker, expired } => {
                let error = if expired { Error::Timeout } else { Error::NotHere };
                self.reply(Who::unpack(asker.who, asker.process), error.code() as u32, 0);
            }
        }
    }
}
