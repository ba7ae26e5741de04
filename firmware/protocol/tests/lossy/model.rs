//! What can happen next, and what must hold.

use stateright::{Model, Property};
use testbed_protocol::Processor;

use crate::exploration::{self, Report};
use crate::reached::REACHED;
use crate::setup::Setup;
use crate::state::{Content, Doing, State};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Arrive(usize),
    Enlarge(usize),
    Move(usize, Processor),
    /// A processor's next datagram is ready to leave, or what can't get lost.
    Send(Processor),
    /// The bus takes a processor's first packet.
    Bus(Processor),
    /// The first packet, a datagram, is lost.
    Lose(Processor),
    /// A process that moves leaves before the datagrams ahead of it do.
    Overtake(Processor),
    /// A processor serves its first packet.
    Serve(Processor),
    /// The time of a member's round is over.
    RoundOver(usize),
}

pub const RIGHT: &str = "every byte is taken in once, at its place, in its superstep";
pub const GOES_ON: &str = "whoever can go on does";

impl Setup {
    pub fn possible(&self, state: &State, actions: &mut Vec<Action>) {
        let is_quiet = state.is_quiet();
        for (rank, one) in state.processes.iter().enumerate() {
            match one.doing {
                Doing::Computes => actions.push(Action::Arrive(rank)),
                Doing::Short(_) => actions.push(Action::Enlarge(rank)),
                Doing::Waits if self.may_end_round(state, rank, is_quiet) => actions.push(Action::RoundOver(rank)),
                _ => {}
            }
            if state.moves != 0 && matches!(one.doing, Doing::Computes | Doing::Short(_)) {
                let others = self.all().filter(|to| *to != one.at);
                actions.extend(others.map(|to| Action::Move(rank, to)));
            }
        }
        for (at, kernel) in self.all().zip(&state.kernels) {
            if !kernel.sending.is_empty() {
                actions.push(Action::Send(at));
            }
            if let Some(packet) = kernel.leaving.first() {
                actions.push(Action::Bus(at));
                if packet.content.is_datagram() {
                    actions.extend((state.losses != 0).then_some(Action::Lose(at)));
                    let ahead = kernel.leaving.iter().find(|packet| !packet.content.is_datagram());
                    let is_thread = ahead.is_some_and(|packet| matches!(packet.content, Content::Thread { .. }));
                    actions.extend(is_thread.then_some(Action::Overtake(at)));
                }
            }
            actions.extend((!kernel.come.is_empty()).then_some(Action::Serve(at)));
        }
    }

    /// Whether the time of a member's round may be over: its packets have left, and there is
    /// something that it waits for. It goes on with what is still on its way as often as the setup
    /// says.
    fn may_end_round(&self, state: &State, rank: usize, is_quiet: bool) -> bool {
        let kernel = &state.kernels[state.processes[rank].at.index()];
        let Some(local) = &kernel.locals[rank] else { return false };
        let Some(mut sender) = local.sender.filter(|_| local.next == local.pieces) else { return false };
        let waits = !sender.is_over() && !kernel.sending.contains(&rank);
        waits && !local.ended && (is_quiet || state.early != 0 || !sender.next_round())
    }

    pub fn act(&self, state: &mut State, action: Action) {
        match action {
            Action::Arrive(rank) => self.arrive(state, rank),
            Action::Enlarge(rank) => self.enlarge(state, rank),
            Action::Move(rank, to) => {
                let one = &mut state.processes[rank];
                let (from, doing) = (one.at, std::mem::replace(&mut one.doing, Doing::Moves));
                state.kernels[from.index()].tell(from, Some(to), Content::Thread { rank, doing });
                state.moves -= 1;
            }
            Action::Send(at) => self.send(state, at),
            Action::Bus(at) => self.cross(state, at, 0),
            Action::Lose(at) => {
                state.kernels[at.index()].leaving.remove(0);
                state.losses -= 1;
                state.causes += 1;
            }
            Action::Overtake(at) => {
                let leaving = &state.kernels[at.index()].leaving;
                let thread = leaving.iter().position(|packet| !packet.content.is_datagram());
                self.cross(state, at, thread.unwrap_or(0));
            }
            Action::Serve(at) => {
                let packet = state.kernels[at.index()].come.remove(0);
                self.serve(state, at, packet);
            }
            Action::RoundOver(rank) => self.round_over(state, rank),
        }
    }

    /// The bus takes a packet to its processor, or to all others at once.
    fn cross(&self, state: &mut State, at: Processor, place: usize) {
        let packet = state.kernels[at.index()].leaving.remove(place);
        for to in self.all().filter(|to| *to != at && packet.to.is_none_or(|only| only == *to)) {
            state.kernels[to.index()].come.push(packet.clone());
        }
    }
}

/// Everybody has gone on from the last superstep.
pub fn is_over(state: &State) -> bool {
    state.processes.iter().all(|one| one.doing == Doing::Over)
}

#[derive(Clone)]
struct Machine(Setup);

impl Model for Machine {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(&self.0)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        // What is on its way when all have gone on is of no interest.
        if state.wrong.is_none() && !is_over(state) {
            self.0.possible(state, actions);
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        self.0.act(&mut next, action);
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut all = vec![
            Property::always(RIGHT, |_: &Machine, state: &State| state.wrong.is_none()),
            // Rounds that begin without end are wrong too, so who does something comes to the end.
            Property::always(GOES_ON, |model: &Machine, state| {
                let mut actions = vec![];
                model.0.possible(state, &mut actions);
                let moves = |action: &Action| !matches!(action, Action::Move(..) | Action::Lose(_));
                state.wrong.is_some() || is_over(state) || actions.iter().any(moves)
            }),
        ];
        fn holds<const N: usize>(model: &Machine, state: &State) -> bool {
            REACHED[N].1(&model.0, state)
        }
        let sometimes: [fn(&Machine, &State) -> bool; REACHED.len()] = [
            holds::<0>,
            holds::<1>,
            holds::<2>,
            holds::<3>,
            holds::<4>,
            holds::<5>,
            holds::<6>,
            holds::<7>,
            holds::<8>,
            holds::<9>,
            holds::<10>,
        ];
        all.extend(sometimes.into_iter().zip(REACHED).map(|(holds, (name, _))| Property::sometimes(name, holds)));
        all
    }
}

/// With a mistake, the same way to it is always found.
pub fn explore(setup: &Setup) -> Report {
    let step = |_: &State, action| format!("{action:?}");
    let end = |state: &State| Some(format!("{:?}", state.wrong));
    exploration::explore(Machine(setup.clone()), setup.bug.is_some(), step, end)
}
