//! The machine as a model to explore: what must always hold, and what must happen somewhere.

use stateright::{Model, Property};

use crate::exploration::{self, Report};
use crate::setup::Setup;
use crate::state::{Doing, State};
use crate::steps::Action;

const RIGHT: &str = "every byte comes to its place in its superstep";
const GOES_ON: &str = "whoever can go on does";

/// What should happen somewhere, and whether it does.
type Reached = (&'static str, fn(&Setup, &State) -> bool);

const REACHED: [Reached; 5] = [
    ("all supersteps end", |_, state| state.processes.iter().all(|one| one.doing == Doing::Over)),
    ("a member has too little room", |_, state| state.processes.iter().any(|one| matches!(one.doing, Doing::Short(_)))),
    ("a member arrives while another one exchanges", |_, state| {
        let waits = |step| state.processes.iter().any(|one| one.doing == Doing::Waits && one.step == step);
        (0..4).any(|step| waits(step) && waits(step + 1))
    }),
    ("a member has moved to where none was", |setup, state| {
        state.processes.iter().any(|one| one.step != 0 && !setup.at.contains(&one.at))
    }),
    ("a member is released because another one has ended", |_, state| {
        state.processes.iter().any(|one| one.doing == Doing::Released)
    }),
];

/// Nothing can happen any more, and everybody has gone on.
fn is_over(state: &State) -> bool {
    state.processes.iter().all(|one| matches!(one.doing, Doing::Over | Doing::Released | Doing::Ended))
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
        if state.wrong.is_none() {
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
            Property::always(GOES_ON, |model: &Machine, state| {
                let mut actions = vec![];
                model.0.possible(state, &mut actions);
                let moves = |action: &Action| !matches!(action, Action::Move(..) | Action::End(_));
                state.wrong.is_some() || is_over(state) || actions.iter().any(moves)
            }),
        ];
        let reached: [fn(&Machine, &State) -> bool; REACHED.len()] = [
            |model, state| REACHED[0].1(&model.0, state),
            |model, state| REACHED[1].1(&model.0, state),
            |model, state| REACHED[2].1(&model.0, state),
            |model, state| REACHED[3].1(&model.0, state),
            |model, state| REACHED[4].1(&model.0, state),
        ];
        all.extend(reached.into_iter().zip(REACHED).map(|(holds, (name, _))| Property::sometimes(name, holds)));
        all
    }
}

/// Names of what should happen somewhere.
pub fn reached() -> impl Iterator<Item = &'static str> {
    REACHED.iter().map(|(name, _)| *name)
}

/// With a mistake, the same way to it is always found.
pub fn explore(setup: &Setup) -> Report {
    let step = |_: &State, action| format!("{action:?}");
    let end = |state: &State| Some(format!("{:?}", state.wrong));
    exploration::explore(Machine(setup.clone()), setup.bug.is_some(), step, end)
}
