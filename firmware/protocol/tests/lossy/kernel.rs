//! What processors do with packets and members, as the kernel's `services/extended/exchange.rs` and
//! `rounds.rs` do it.

use testbed_protocol::lossy::{self, Label, Sender, Taken, Turn};
use testbed_protocol::superstep::{Arrival, Begin};
use testbed_protocol::Processor;

use crate::members::process;
use crate::setup::{Bug, Setup};
use crate::state::{Content, Doing, Kernel, Local, Packet, Part, State, Wrong};

/// A label with the superstep of another one.
fn of_step(label: Label, other: Label) -> Label {
    const STEP: u32 = 0xfc00;
    Label::from_bits(label.bits() & !STEP | other.bits() & STEP)
}

impl Kernel {
    pub fn tell(&mut self, from: Processor, to: Option<Processor>, content: Content) {
        self.leaving.push(Packet { from, to, content });
    }
}

impl Setup {
    /// The end of a process's superstep.
    pub fn arrive(&self, state: &mut State, rank: usize) {
        let (at, step) = (state.processes[rank].at, state.processes[rank].step);
        let sent: Vec<u32> = (0..self.members()).map(|to| self.sent(step, rank, to)).collect();
        let sent = sent.iter().any(|bytes| *bytes != 0).then_some(sent);
        let kernel = &mut state.kernels[at.index()];
        let said = kernel.group().arrive((rank, process(rank)), at, (self.room, 0), sent.clone().map(Vec::into_iter));
        let Ok(arrival) = said else { return state.fail(Wrong::Refused) };
        self.wait(state, rank);
        state.kernels[at.index()].tell(at, None, Content::Arrive { rank, room: self.room, sent });
        if arrival == Arrival::Opens {
            self.open(state, at);
        }
    }

    fn wait(&self, state: &mut State, rank: usize) {
        let one = &mut state.processes[rank];
        one.doing = Doing::Waits;
        let pieces = self.pieces(one.step, rank).len();
        let local = Local { begun: false, next: 0, pieces, sender: None, ended: false, got: vec![] };
        state.kernels[one.at.index()].locals[rank] = Some(local);
    }

    /// A member that was told to have more room has it.
    pub fn enlarge(&self, state: &mut State, rank: usize) {
        let at = state.processes[rank].at;
        let Doing::Short(room) = state.processes[rank].doing else { return };
        let kernel = &mut state.kernels[at.index()];
        if kernel.group().enlarge((rank, process(rank)), at, room) != Ok(true) {
            return state.fail(Wrong::Refused);
        }
        kernel.tell(at, None, Content::Enlarge { rank, room });
        self.wait(state, rank);
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
                state.processes[rank].doing = Doing::Short(bytes);
            }
            Begin::Exchange { .. } => {
                self.begin_rounds(kernel, rank);
                let Some(local) = &mut kernel.locals[rank] else { return };
                local.begun = true;
                if local.next != local.pieces {
                    kernel.sending.push(rank);
                }
                self.look_if_through(state, at, rank);
            }
        }
    }

    /// What a member has for others leaves as datagrams, unless somebody lacks room: who does may
    /// move before it has more, also to or from this processor.
    fn begin_rounds(&self, kernel: &mut Kernel, rank: usize) {
        let packets = kernel.group().packets_sent(rank, self.piece);
        let step = kernel.group().exchanged();
        if !self.has(Bug::KeepTable) {
            kernel.answered[rank].fill(0);
        }
        if packets == 0 || kernel.group().has_closed() && !self.has(Bug::CountBeforeRoom) {
            return;
        }
        let whole = self.whole && !self.has(Bug::GoOnInRound);
        let sender = Sender::begin(&mut kernel.bits[rank], step, packets as u16, whole);
        if let Some(local) = &mut kernel.locals[rank] {
            local.sender = Some(sender);
        }
    }

    /// Members here that wait because another one had no room look again.
    fn look_again(&self, state: &mut State, at: Processor) {
        let kernel = &mut state.kernels[at.index()];
        for rank in 0..self.members() {
            let waits = |local: &Local| local.begun && local.next != local.pieces;
            if kernel.locals[rank].as_ref().is_some_and(waits) && !kernel.sending.contains(&rank) {
                kernel.sending.push(rank);
            }
        }
    }

    fn destination(&self, state: &mut State, at: Processor, to: usize) -> Option<Processor> {
        let there = state.kernels[at.index()].group().destination(to).ok()?;
        let comes = |packet: &Packet| matches!(packet.content, Content::Arrive { rank, .. } if rank == to);
        let arrived = &state.processes[to];
        let on_its_way = [&state.kernels[arrived.at.index()].leaving, &state.kernels[at.index()].come];
        let is_here = arrived.at == at || !on_its_way.into_iter().flatten().any(comes);
        let is_known = arrived.doing == Doing::Waits && is_here;
        let follows = self.has(if arrived.at == at { Bug::FollowMemberHere } else { Bug::FollowMember });
        Some(if follows && is_known { arrived.at } else { there })
    }

    /// The first member that sends sends a packet; what it passes over before it, and what it copies
    /// to members here, takes no time.
    pub fn send(&self, state: &mut State, at: Processor) {
        let from = state.kernels[at.index()].sending[0];
        let step = state.processes[from].step;
        let pieces = self.pieces(step, from);
        loop {
            let Some(local) = &state.kernels[at.index()].locals[from] else { return };
            let Some(&(to, offset, bytes)) = pieces.get(local.next) else { break };
            let sender = local.sender;
            let Some(destination) = self.destination(state, at, to) else {
                // Until it has room.
                state.kernels[at.index()].sending.remove(0);
                return;
            };
            let part = Part { to, from, offset, bytes, step };
            let kernel = &mut state.kernels[at.index()];
            let Some(local) = &mut kernel.locals[from] else { return };
            if destination == at {
                local.next += 1;
                if sender.is_none_or(|sender| sender.is_first_round()) || self.has(Bug::CopyInEachRound) {
                    self.take(state, at, part);
                }
                continue;
            }
            let Some(sender) = &mut local.sender else {
                local.next += 1;
                kernel.tell(at, Some(destination), Content::Data(part));
                break;
            };
            let turn = sender.turn(&kernel.bits[from]);
            let is_passed = sender.pass(turn, self.copies);
            local.next += is_passed as usize;
            if let Turn::Send(label) = turn {
                if is_passed && self.has(Bug::LeftIsAcknowledged) {
                    sender.acknowledge(&mut kernel.bits[from], label);
                }
                kernel.tell(at, Some(destination), Content::Datagram(part, label));
                break;
            }
        }
        let kernel = &mut state.kernels[at.index()];
        if kernel.locals[from].as_ref().is_some_and(|local| local.next == local.pieces) {
            kernel.sending.remove(0);
            self.look_if_through(state, at, from);
        }
    }

    /// The time of a member's round is over, and its packets have left.
    pub fn round_over(&self, state: &mut State, rank: usize) {
        let (at, is_quiet) = (state.processes[rank].at, state.is_quiet());
        let kernel = &mut state.kernels[at.index()];
        let Some(local) = &mut kernel.locals[rank] else { return };
        let Some(sender) = &mut local.sender else { return };
        let again = sender.next_round();
        if !again || self.has(Bug::OneRound) {
            local.ended = true;
            return self.look_if_through(state, at, rank);
        }
        local.next = 0;
        kernel.sending.push(rank);
        if !is_quiet {
            state.early -= 1;
        } else if let Some(causes) = state.causes.checked_sub(1) {
            state.causes = causes;
        } else {
            state.fail(Wrong::Endless);
        }
    }

    pub fn serve(&self, state: &mut State, at: Processor, packet: Packet) {
        let kernel = &mut state.kernels[at.index()];
        match packet.content {
            Content::Arrive { rank, room, sent } => {
                let sent = sent.map(Vec::into_iter);
                match kernel.group().arrive((rank, process(rank)), packet.from, (room, 0), sent) {
                    Ok(Arrival::Opens) => self.open(state, at),
                    Ok(Arrival::Waits) => {}
                    Err(_) => state.fail(Wrong::Refused),
                }
            }
            Content::Enlarge { rank, room } => match kernel.group().enlarge((rank, process(rank)), packet.from, room) {
                Ok(true) => self.look_again(state, at),
                _ => state.fail(Wrong::Refused),
            },
            Content::Data(part) => self.take(state, at, part),
            Content::Thread { rank, doing } => {
                let one = &mut state.processes[rank];
                (one.at, one.doing) = (at, doing);
            }
            Content::Datagram(part, label) => self.serve_part(state, at, packet.from, part, label),
            Content::Acknowledgment { from, label } => self.serve_acknowledgment(state, at, from, label),
        }
    }

    fn serve_part(&self, state: &mut State, at: Processor, source: Processor, part: Part, label: Label) {
        let Some(taken) = self.taken(&mut state.kernels[at.index()], part, label) else { return };
        let kernel = &mut state.kernels[at.index()];
        let answers = match taken {
            Taken::New => true,
            Taken::Again => !self.has(Bug::AnswerOnlyNew),
            Taken::Known => false,
        };
        for _ in 0..if answers { self.copies } else { 0 } {
            kernel.tell(at, Some(source), Content::Acknowledgment { from: part.from, label });
        }
        if taken == Taken::New || taken == Taken::Again && self.has(Bug::TakeAgain) {
            self.take(state, at, part);
        }
    }

    /// What a processor does with a packet; `None` if the packet means nothing to it.
    pub fn taken(&self, kernel: &mut Kernel, part: Part, label: Label) -> Option<Taken> {
        let is_open = label.is_of(kernel.group().exchanged()) || self.has(Bug::AnyStepIsTaken);
        if !is_open || self.has(Bug::ForgetTable) && kernel.locals[part.to].is_none() {
            return None;
        }
        let start = kernel.group().place((part.to, part.from), 0).ok()?;
        let answered = kernel.answered[part.to].get_mut(lossy::place(part.from, start, part.offset, self.piece))?;
        if self.has(Bug::AnswerInOneRound) && *answered != 0 {
            return Some(Taken::Known);
        }
        Some(lossy::take(answered, label))
    }

    /// Data have come for a member.
    fn take(&self, state: &mut State, at: Processor, part: Part) {
        let Part { to, from, offset, bytes, step } = part;
        let kernel = &mut state.kernels[at.index()];
        let place = kernel.group().take((to, from), (offset, bytes));
        match (place, &mut kernel.locals[to]) {
            (Ok(place), Some(local)) if local.begun && state.processes[to].step == step => {
                local.got.push((place, from, bytes));
                local.got.sort_unstable();
            }
            _ => return state.fail(Wrong::Lost),
        }
        if to != from {
            self.look_if_through(state, at, to);
        }
    }

    fn serve_acknowledgment(&self, state: &mut State, at: Processor, rank: usize, label: Label) {
        let kernel = &mut state.kernels[at.index()];
        let Some(sender) = kernel.locals[rank].as_mut().and_then(|local| local.sender.as_mut()) else { return };
        let label = match sender.turn(&[0]) {
            Turn::Send(own) if self.has(Bug::AnyStepAcknowledges) => of_step(label, own),
            _ => label,
        };
        sender.acknowledge(&mut kernel.bits[rank], label);
        self.look_if_through(state, at, rank);
    }

    /// A member that is here goes on if it has received all, and all that it has sent is there.
    fn look_if_through(&self, state: &mut State, at: Processor, rank: usize) {
        let kernel = &mut state.kernels[at.index()];
        let has_all = kernel.group().has_all(rank) || self.has(Bug::GoOnWithoutReceiving);
        let Some(local) = &kernel.locals[rank] else { return };
        let is_over = local.sender.is_none_or(|sender| sender.is_over()) || self.has(Bug::GoOnWhenLeft);
        let has_sent = local.next == local.pieces && is_over && !kernel.sending.contains(&rank);
        if local.begun && has_sent && has_all {
            self.through(state, at, rank);
        }
    }

    fn through(&self, state: &mut State, at: Processor, rank: usize) {
        let Some(local) = state.kernels[at.index()].locals[rank].take() else { return };
        let (step, in_rounds) = (state.processes[rank].step, local.sender.is_some());
        let (mut place, mut got) = (0, vec![]);
        for (start, from, bytes) in local.got {
            if start != place {
                state.fail(Wrong::Data);
            }
            place += bytes;
            match got.last_mut() {
                Some((last, sum)) if *last == from => *sum += bytes,
                _ => got.push((from, bytes)),
            }
        }
        if got != self.wanted(step, rank) {
            state.fail(Wrong::Data);
        }
        for (to, offset, _) in self.pieces(step, rank) {
            let there = &state.processes[to];
            let local = &state.kernels[there.at.index()].locals[to];
            let before: u32 = (0..rank).map(|source| self.sent(step, source, to)).sum();
            let has = local.as_ref().is_some_and(|local| local.got.iter().any(|got| got.0 == before + offset));
            // What can't get lost may be on its way.
            if in_rounds && there.step == step && !has && to != rank {
                state.fail(Wrong::Unsent);
            }
        }
        if self.whole && in_rounds && !local.ended {
            state.fail(Wrong::InRound);
        }
        if state.processes.iter().any(|one| one.step < step || one.step == step && one.doing == Doing::Computes) {
            state.fail(Wrong::Early);
        }
        let one = &mut state.processes[rank];
        one.step += 1;
        one.doing = if one.step == self.supersteps { Doing::Over } else { Doing::Computes };
    }
}
