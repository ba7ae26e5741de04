//! What can happen next, and what it changes.

use testbed_protocol::superstep::{Arrival, Begin};
use testbed_protocol::Processor;

use crate::members::process;
use crate::setup::{Bug, Setup};
use crate::state::{Content, Doing, Kernel, Local, Packet, State, Wrong};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Arrive(usize),
    Enlarge(usize),
    Move(usize, Processor),
    /// A process ends; its home is the processor where it began.
    End(usize),
    /// A processor packs a piece of what leaves, or copies it.
    Send(Processor),
    /// The bus takes a processor's packet.
    Bus(Processor),
    /// The bus takes it to one processor; only where a broadcast is not one transaction.
    BusTo(Processor, Processor),
    /// A processor serves a packet, the first one unless that is what is wrong.
    Serve(Processor, usize),
}

impl Setup {
    pub fn possible(&self, state: &State, actions: &mut Vec<Action>) {
        for (rank, one) in state.processes.iter().enumerate() {
            match one.doing {
                Doing::Computes => actions.push(Action::Arrive(rank)),
                Doing::Short(_) => actions.push(Action::Enlarge(rank)),
                _ => {}
            }
            let computes = matches!(one.doing, Doing::Computes | Doing::Short(_));
            if state.moves != 0 && (computes || self.has(Bug::MoveWhileWaiting) && one.doing == Doing::Waits) {
                let others = self.all().filter(|to| *to != one.at);
                actions.extend(others.map(|to| Action::Move(rank, to)));
            }
            if state.ends != 0 && !matches!(one.doing, Doing::Over | Doing::Ended | Doing::Released) {
                actions.push(Action::End(rank));
            }
        }
        for (at, kernel) in state.kernels.iter().enumerate() {
            let at = Processor::new(at as u8);
            if !kernel.sending.is_empty() {
                actions.push(Action::Send(at));
            }
            match kernel.leaving.first() {
                Some(Packet { to: None, .. }) if self.has(Bug::OneByOne) => {
                    actions.extend(self.all().filter(|to| *to != at).map(|to| Action::BusTo(at, to)));
                }
                Some(_) => actions.push(Action::Bus(at)),
                None => {}
            }
            let first = if self.has(Bug::NotInOrder) { kernel.come.len() } else { kernel.come.len().min(1) };
            actions.extend((0..first).map(|packet| Action::Serve(at, packet)));
        }
    }

    pub fn act(&self, state: &mut State, action: Action) {
        match action {
            Action::Arrive(rank) => self.arrive(state, rank),
            Action::Enlarge(rank) => self.enlarge(state, rank),
            Action::Move(rank, to) => {
                let one = &mut state.processes[rank];
                let (from, doing) = (one.at, std::mem::replace(&mut one.doing, Doing::Moves));
                let kernel = &mut state.kernels[from.index()];
                kernel.sending.retain(|one| *one != rank);
                let local = kernel.locals[rank].take();
                kernel.tell(from, Some(to), Content::Thread { rank, doing, local });
                state.moves -= 1;
            }
            Action::End(rank) => {
                state.ends -= 1;
                state.processes[rank].doing = Doing::Ended;
                let home = self.at[rank];
                self.ended(state, home, rank);
                state.kernels[home.index()].tell(home, None, Content::End { rank });
            }
            Action::Send(at) => self.send(state, at),
            Action::Bus(at) => {
                let packet = state.kernels[at.index()].leaving.remove(0);
                for to in self.all().filter(|to| *to != at && packet.to.is_none_or(|only| only == *to)) {
                    state.kernels[to.index()].come.push(packet.clone());
                }
            }
            Action::BusTo(at, to) => {
                let packet = state.kernels[at.index()].leaving[0].clone();
                if !state.kernels[to.index()].come.contains(&packet) {
                    state.kernels[to.index()].come.push(packet.clone());
                }
                // The last processor has it: that the first one may have served it is the mistake.
                if Some(to) == self.all().rev().find(|one| *one != at) {
                    for other in self.all().filter(|other| *other != at && *other != to) {
                        if !state.kernels[other.index()].come.contains(&packet) {
                            state.kernels[other.index()].come.push(packet.clone());
                        }
                    }
                    state.kernels[at.index()].leaving.remove(0);
                }
            }
            Action::Serve(at, packet) => {
                let packet = state.kernels[at.index()].come.remove(packet);
                self.serve(state, at, packet);
            }
        }
    }

    /// The end of a process's superstep.
    fn arrive(&self, state: &mut State, rank: usize) {
        let (at, step) = (state.processes[rank].at, state.processes[rank].step);
        let sent: Vec<u32> = (0..self.members()).map(|to| self.sent(step, rank, to)).collect();
        let sent = sent.iter().any(|bytes| *bytes != 0).then_some(sent);
        let (room, signs) = (self.room, self.signs(step, rank));
        let kernel = &mut state.kernels[at.index()];
        let said = kernel.group().arrive((rank, process(rank)), at, (room, signs), sent.clone().map(Vec::into_iter));
        let Ok(arrival) = said else {
            let broken = kernel.group().is_broken();
            state.processes[rank].doing = Doing::Released;
            return if broken {
            } else {
                state.fail(Wrong::Refused)
            };
        };
        state.processes[rank].doing = Doing::Waits;
        kernel.locals[rank] = Some(Local { segments: self.segments(step, rank), begun: false, got: vec![] });
        kernel.tell(at, None, Content::Arrive { rank, room, signs, sent });
        if self.has(Bug::SendBeforeOpen) {
            kernel.sending.push(rank);
        }
        if arrival == Arrival::Opens {
            self.open(state, at);
        }
    }

    fn segments(&self, step: u8, rank: usize) -> Vec<(usize, u32, u32)> {
        let to = (rank + 1..self.members()).chain(0..=rank);
        to.map(|to| (to, 0, self.sent(step, rank, to))).filter(|(_, _, bytes)| *bytes != 0).collect()
    }

    fn enlarge(&self, state: &mut State, rank: usize) {
        let (at, step) = (state.processes[rank].at, state.processes[rank].step);
        let Doing::Short(room) = state.processes[rank].doing else { return };
        let kernel = &mut state.kernels[at.index()];
        match kernel.group().enlarge((rank, process(rank)), at, room) {
            Ok(true) => {}
            Ok(false) => return state.fail(Wrong::Refused),
            Err(_) => {
                let broken = kernel.group().is_broken();
                state.processes[rank].doing = Doing::Released;
                return if broken {
                } else {
                    state.fail(Wrong::Refused)
                };
            }
        }
        state.processes[rank].doing = Doing::Waits;
        kernel.locals[rank] = Some(Local { segments: self.segments(step, rank), begun: false, got: vec![] });
        kernel.tell(at, None, Content::Enlarge { rank, room });
        self.begin(state, at, rank);
        self.look_again(state, at);
    }

    fn open(&self, state: &mut State, at: Processor) {
        for rank in 0..self.members() {
            if state.kernels[at.index()].locals[rank].is_some() {
                self.begin(state, at, rank);
            }
        }
    }

    fn begin(&self, state: &mut State, at: Processor, rank: usize) {
        let kernel = &mut state.kernels[at.index()];
        match kernel.group().begin(rank) {
            Begin::Nothing => self.through(state, at, rank),
            Begin::Closed { bytes } => {
                kernel.locals[rank] = None;
                kernel.sending.retain(|one| *one != rank);
                state.processes[rank].doing = Doing::Short(bytes);
            }
            Begin::Exchange { .. } => {
                let Some(local) = &mut kernel.locals[rank] else { return };
                local.begun = true;
                if !local.segments.is_empty() && !kernel.sending.contains(&rank) {
                    kernel.sending.push(rank);
                }
                self.look_if_through(state, at, rank);
            }
        }
    }

    fn look_again(&self, state: &mut State, at: Processor) {
        let kernel = &mut state.kernels[at.index()];
        for rank in 0..self.members() {
            let may_send = |local: &Local| local.begun || self.has(Bug::ResumeArrived);
            let waits = |local: &Local| may_send(local) && !local.segments.is_empty();
            if kernel.locals[rank].as_ref().is_some_and(waits) && !kernel.sending.contains(&rank) {
                kernel.sending.push(rank);
            }
        }
    }

    /// The first member that sends sends a piece.
    fn send(&self, state: &mut State, at: Processor) {
        let kernel = &mut state.kernels[at.index()];
        let from = kernel.sending[0];
        let step = state.processes[from].step;
        let next = kernel.locals[from].as_ref().and_then(|local| local.segments.first().copied());
        let Some((to, offset, bytes)) = next else {
            kernel.sending.remove(0);
            return self.look_if_through(state, at, from);
        };
        let destination = kernel.group().destination(to).ok();
        let destination = match destination {
            None if self.has(Bug::IgnoreClosed) => Some(state.processes[to].at),
            other => other,
        };
        let Some(destination) = destination else {
            kernel.sending.remove(0);
            return;
        };
        let piece = bytes.min(self.piece);
        let Some(local) = &mut kernel.locals[from] else { return };
        local.segments[0] = (to, offset + piece, bytes - piece);
        if bytes == piece {
            local.segments.remove(0);
        }
        if local.segments.is_empty() {
            kernel.sending.remove(0);
        }
        let content = Content::Data { to, from, offset, bytes: piece, step };
        if destination == at {
            self.data(state, at, &content);
        } else {
            kernel.tell(at, Some(destination), content);
        }
        self.look_if_through(state, at, from);
    }

    fn data(&self, state: &mut State, at: Processor, content: &Content) {
        let &Content::Data { to, from, offset, bytes, step } = content else { return };
        // A member has ended: what is under way means nothing.
        if state.processes.iter().any(|one| one.doing == Doing::Ended) {
            let _ = state.kernels[at.index()].group().take((to, from), (offset, bytes));
            return;
        }
        let kernel = &mut state.kernels[at.index()];
        let place = kernel.group().take((to, from), (offset, bytes));
        match (place, &mut kernel.locals[to]) {
            (Ok(place), Some(local)) if local.begun && state.processes[to].step == step => {
                local.got.push((from, place, bytes));
            }
            _ => return state.fail(Wrong::Lost),
        }
        self.look_if_through(state, at, to);
    }

    fn look_if_through(&self, state: &mut State, at: Processor, rank: usize) {
        let kernel = &mut state.kernels[at.index()];
        let Some(local) = &kernel.locals[rank] else { return };
        let sent = local.segments.is_empty() || self.has(Bug::GoOnWithoutSending);
        let has_all = kernel.group().has_all(rank) || self.has(Bug::GoOnWithoutReceiving);
        if kernel.locals[rank].as_ref().is_some_and(|local| local.begun) && sent && has_all {
            self.through(state, at, rank);
        }
    }

    fn through(&self, state: &mut State, at: Processor, rank: usize) {
        let kernel = &mut state.kernels[at.index()];
        let agreed = kernel.group().agreed();
        let Some(mut local) = kernel.locals[rank].take() else { return };
        let step = state.processes[rank].step;
        let all: Vec<u8> = (0..self.members()).map(|rank| self.signs(step, rank)).collect();
        let ended = state.processes.iter().any(|one| one.doing == Doing::Ended);
        local.got.sort_by_key(|got| got.1);
        let mut place = 0;
        let mut got = vec![];
        for (from, at, bytes) in local.got {
            if at != place {
                state.fail(Wrong::Data);
            }
            place += bytes;
            match got.last_mut() {
                Some((last, sum)) if *last == from => *sum += bytes,
                _ => got.push((from, bytes)),
            }
        }
        if !ended && got != self.wanted(step, rank) {
            state.fail(Wrong::Data);
        }
        if agreed.any != all.iter().fold(0, |any, signs| any | signs)
            || agreed.all != all.iter().fold(u8::MAX, |all, signs| all & signs)
        {
            state.fail(Wrong::Signs);
        }
        if !local.segments.is_empty() && !ended {
            state.fail(Wrong::Unsent);
        }
        let is_early =
            |one: &crate::state::Process| one.step < step || one.step == step && one.doing == Doing::Computes;
        if state.processes.iter().any(is_early) {
            state.fail(Wrong::Early);
        }
        let one = &mut state.processes[rank];
        one.step += 1;
        one.doing = if one.step == self.supersteps { Doing::Over } else { Doing::Computes };
    }

    fn serve(&self, state: &mut State, at: Processor, packet: Packet) {
        let kernel = &mut state.kernels[at.index()];
        match packet.content {
            Content::Arrive { rank, room, signs, sent } => {
                let is_empty = state.processes.iter().all(|one| one.at != at);
                if self.has(Bug::OnlyWhereMembersAre) && is_empty {
                    return;
                }
                let sent = sent.map(Vec::into_iter);
                match kernel.group().arrive((rank, process(rank)), packet.from, (room, signs), sent) {
                    Ok(Arrival::Opens) => self.open(state, at),
                    Ok(Arrival::Waits) => {}
                    Err(_) if kernel.group().is_broken() => {}
                    Err(_) => state.fail(Wrong::Refused),
                }
            }
            Content::Enlarge { rank, room } => match kernel.group().enlarge((rank, process(rank)), packet.from, room) {
                Ok(true) if !self.has(Bug::ForgetSenders) => self.look_again(state, at),
                Ok(_) => {}
                Err(_) if kernel.group().is_broken() => {}
                Err(_) => state.fail(Wrong::Refused),
            },
            Content::Data { .. } => self.data(state, at, &packet.content),
            Content::End { rank } => self.ended(state, at, rank),
            Content::Thread { rank, doing, local } => {
                let one = &mut state.processes[rank];
                one.at = at;
                if one.doing == Doing::Moves {
                    (one.doing, kernel.locals[rank]) = (doing, local);
                }
            }
        }
    }

    /// A processor learns that a process has ended.
    fn ended(&self, state: &mut State, at: Processor, rank: usize) {
        let kernel = &mut state.kernels[at.index()];
        kernel.locals[rank] = None;
        kernel.sending.retain(|one| *one != rank);
        kernel.group().end(process(rank));
        if self.has(Bug::EndUnnoticed) {
            return;
        }
        kernel.sending.clear();
        for other in 0..self.members() {
            if kernel.locals[other].take().is_some() {
                state.processes[other].doing = Doing::Released;
            }
        }
    }
}

impl Kernel {
    fn tell(&mut self, from: Processor, to: Option<Processor>, content: Content) {
        self.leaving.push(Packet { from, to, content });
    }
}
