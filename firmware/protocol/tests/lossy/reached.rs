//! What should happen somewhere.

use testbed_protocol::lossy::Taken;

use crate::setup::Setup;
use crate::state::{Content, Doing, Kernel, Part, State};

/// A situation, and whether a state is one.
type Reached = (&'static str, fn(&Setup, &State) -> bool);

pub const REACHED: [Reached; 11] = [
    ("all supersteps end", |_, state| state.processes.iter().all(|one| one.doing == Doing::Over)),
    ("a member has too little room", |_, state| state.processes.iter().any(|one| matches!(one.doing, Doing::Short(_)))),
    ("a packet comes again while its member waits in the same superstep", |setup, state| {
        next_part(setup, state, |state, kernel, part, taken| {
            let has_begun = kernel.locals[part.to].as_ref().is_some_and(|local| local.begun);
            has_begun && state.processes[part.to].step == part.step && taken == Some(Taken::Again)
        })
    }),
    ("a packet comes again that its member has gone on with", |setup, state| {
        next_part(setup, state, |state, _, part, taken| {
            state.processes[part.to].step > part.step && taken == Some(Taken::Again)
        })
    }),
    ("a packet comes again to where its member has gone on from to arrive elsewhere", |setup, state| {
        next_part(setup, state, |state, kernel, part, taken| {
            let one = &state.processes[part.to];
            let arrived = one.step == part.step + 1 && one.doing == Doing::Waits;
            arrived && kernel.locals[part.to].is_none() && taken == Some(Taken::Again)
        })
    }),
    ("a second copy comes in the same round", |setup, state| {
        next_part(setup, state, |_, _, _, taken| taken == Some(Taken::Known))
    }),
    ("a copy comes when the next superstep is open", |setup, state| {
        next_part(setup, state, |_, kernel, part, _| kernel.group().exchanged() > part.step as u32)
    }),
    ("an acknowledgment comes when the next superstep is open", |_, state| {
        next(state, |kernel, content| {
            let step = kernel.clone().group().exchanged();
            let Content::Acknowledgment { from, label } = content else { return false };
            let sends = kernel.locals[*from].as_ref().is_some_and(|local| local.sender.is_some());
            sends && !label.is_of(step)
        })
    }),
    ("an acknowledgment of an older round comes", |_, state| {
        next(state, |kernel, content| {
            let step = kernel.clone().group().exchanged();
            let Content::Acknowledgment { from, label } = content else { return false };
            let sender = kernel.locals[*from].as_ref().and_then(|local| local.sender);
            let is_later = sender.is_some_and(|sender| !sender.is_first_round());
            is_later && label.is_of(step) && label.round() == 1
        })
    }),
    ("two members wait for acknowledgments only", |_, state| {
        let locals = state.kernels.iter().flat_map(|kernel| &kernel.locals).flatten();
        let waits = locals.filter_map(|local| local.sender.filter(|_| local.next == local.pieces));
        state.is_quiet() && waits.filter(|sender| !sender.is_over()).count() == 2
    }),
    ("a member is left with one of several packets", |_, state| {
        let locals = state.kernels.iter().flat_map(|kernel| &kernel.locals).flatten();
        let senders = locals.filter_map(|local| local.sender.map(|sender| (sender, local.pieces)));
        let left = senders.filter(|(sender, pieces)| !sender.is_first_round() && sender.sent() as usize + 1 == *pieces);
        left.count() != 0
    }),
];

/// Names of what should happen somewhere.
pub fn names() -> impl Iterator<Item = &'static str> {
    REACHED.iter().map(|(name, _)| *name)
}

/// Whether some processor's next packet is like that.
fn next(state: &State, is_so: impl Fn(&Kernel, &Content) -> bool) -> bool {
    state.kernels.iter().any(|kernel| kernel.come.first().is_some_and(|packet| is_so(kernel, &packet.content)))
}

/// The same for a datagram with data, of which the processor makes what is given.
fn next_part(setup: &Setup, state: &State, is_so: impl Fn(&State, &mut Kernel, &Part, Option<Taken>) -> bool) -> bool {
    next(state, |kernel, content| {
        let Content::Datagram(part, label) = *content else { return false };
        let mut kernel = kernel.clone();
        let taken = setup.taken(&mut kernel, part, label);
        is_so(state, &mut kernel, &part, taken)
    })
}
