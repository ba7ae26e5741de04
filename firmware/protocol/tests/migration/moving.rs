//! Threads that move, exit and are created again, with their ends of channels.

use crate::program::{index_of, Bug, Setup};
use crate::seen::{Path, Seen};
use crate::world::{Load, Outputs, Run, World, Wrong};
use testbed_protocol::channel::Token;
use testbed_protocol::ends::{self, End};
use testbed_protocol::{Channel, Processor, ThreadNumber};

impl World {
    /// Takes all ends of a thread that goes from `at` to `to`.
    fn take_ends(
        &mut self,
        setup: &Setup,
        thread: ThreadNumber,
        at: Processor,
        to: Processor,
        seen: &Seen,
    ) -> Vec<(Channel, End)> {
        let channels = setup.all_channels();
        let take = |channel| Some((channel, self.take_end(setup, thread, channel, (at, to), seen)?));
        channels.filter_map(take).collect()
    }

    fn take_end(
        &mut self,
        setup: &Setup,
        thread: ThreadNumber,
        channel: Channel,
        (at, to): (Processor, Processor),
        seen: &Seen,
    ) -> Option<End> {
        let ccb = self.ccb_mut(setup, at, channel);
        let before = *ccb;
        let mut end = ends::leave(ccb, at, to, thread)?;
        seen.leave(&before, &end);
        match (setup.bug, &mut end) {
            (Some(Bug::KeepEnds), _) => *ccb = before,
            (Some(Bug::DropCarriedToken), End::Receiver { token, .. }) => *token = Token::NONE,
            (Some(Bug::DontCountMoves), End::Receiver { epoch, .. }) => {
                ccb.epoch = before.epoch;
                *epoch = before.epoch;
            }
            (Some(Bug::ForgetCount), End::Receiver { received: count, .. } | End::Sender { sent: count, .. }) => {
                *count = 0;
            }
            _ => {}
        }
        Some(end)
    }

    pub fn put_ends(
        &mut self,
        setup: &Setup,
        thread: ThreadNumber,
        at: Processor,
        ends: &[(Channel, End)],
        seen: &Seen,
    ) {
        for &(channel, end) in ends {
            let mut outputs = Outputs::default();
            let ccb = self.ccb_mut(setup, at, channel);
            seen.join(ccb, &end);
            ends::join(ccb, at, thread, end, &mut outputs);
            self.require(outputs.0.is_empty() || setup.rogues != 0, Wrong::Refused);
            self.perform(setup, at, channel, outputs, None, seen);
        }
    }

    pub fn depart(&mut self, setup: &Setup, thread: ThreadNumber, to: Processor, seen: &Seen) {
        let index = index_of(thread);
        self.moves += 1;
        if setup.ends_ahead {
            self.tasks[index].run = Run::Leaving { to, exits: false };
            return;
        }
        let at = self.tasks[index].at;
        let ends = self.take_ends(setup, thread, at, to, seen);
        if setup.bug != Some(Bug::KeepThread) {
            self.tasks[index].at = Processor::NOWHERE;
        }
        self.transmit(at, to, Load::Thread(thread, ends));
        self.note_flights(seen);
    }

    fn note_flights(&self, seen: &Seen) {
        let flights = self.packets.iter().filter(|packet| matches!(packet.load, Load::Thread(..)));
        seen.path_if(flights.count() > 1, Path::TwoInFlight);
    }

    pub fn exit(&mut self, setup: &Setup, thread: ThreadNumber, seen: &Seen) {
        let task = &mut self.tasks[index_of(thread)];
        let (at, home) = (task.at, setup.home);
        (task.next, task.run) = (task.next + 1, Run::Gone);
        if at == home {
            return;
        }
        if setup.ends_ahead {
            task.run = Run::Leaving { to: home, exits: true };
            return;
        }
        task.at = Processor::NOWHERE;
        let ends = self.take_ends(setup, thread, at, home, seen);
        self.transmit(at, home, Load::Exited(thread, ends));
    }

    /// The next end of a thread that leaves goes ahead of it; at last the thread itself.
    pub fn pack(&mut self, setup: &Setup, thread: ThreadNumber, seen: &Seen) {
        let task = self.tasks[index_of(thread)];
        let Run::Leaving { to, exits } = task.run else { return };
        for channel in setup.all_channels() {
            if let Some(end) = self.take_end(setup, thread, channel, (task.at, to), seen) {
                return self.transmit(task.at, to, Load::Ends(thread, vec![(channel, end)]));
            }
        }
        let task = &mut self.tasks[index_of(thread)];
        task.run = if exits { Run::Gone } else { Run::Ready };
        let at = std::mem::replace(&mut task.at, Processor::NOWHERE);
        self.transmit(at, to, if exits { Load::Exited(thread, vec![]) } else { Load::Thread(thread, vec![]) });
        self.note_flights(seen);
    }

    pub fn create(&mut self, setup: &Setup, thread: ThreadNumber, to: Processor, seen: &Seen) {
        seen.path(Path::CreatedAgain);
        self.prepare(setup, index_of(thread));
        if to != setup.home {
            let ends = self.take_ends(setup, thread, setup.home, to, seen);
            self.tasks[index_of(thread)].at = Processor::NOWHERE;
            self.transmit(setup.home, to, Load::Thread(thread, ends));
        }
    }
}
