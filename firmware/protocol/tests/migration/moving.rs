//! Threads that move, exit and are created again, with their ends of channels.

use crate::program::{Bug, Setup};
use crate::seen::{Path, Seen};
use crate::world::{Load, Packet, Run, World};
use testbed_protocol::channel::{Token, NOWHERE};
use testbed_protocol::ends::{self, End};
use testbed_protocol::{Processor, Thread};

impl World {
    /// Takes all ends of a thread that goes from `at` to `to`.
    fn take_ends(
        &mut self,
        setup: &Setup,
        thread: Thread,
        at: Processor,
        to: Processor,
        seen: &Seen,
    ) -> Vec<(u8, End)> {
        let mut taken = Vec::new();
        for channel in 0..setup.channels as u8 {
            let ccb = self.ccb_mut(setup, at, channel);
            let before = *ccb;
            let Some(mut end) = ends::leave(ccb, at, to, thread) else { continue };
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
            taken.push((channel, end));
        }
        taken
    }

    pub fn put_ends(&mut self, setup: &Setup, thread: Thread, at: Processor, ends: &[(u8, End)], seen: &Seen) {
        for &(channel, end) in ends {
            let ccb = self.ccb_mut(setup, at, channel);
            seen.join(ccb, &end);
            ends::join(ccb, at, thread, end);
        }
    }

    pub fn depart(&mut self, setup: &Setup, thread: Thread, to: Processor, seen: &Seen) {
        let at = self.tasks[thread as usize - 1].at;
        let mut ends = self.take_ends(setup, thread, at, to, seen);
        if setup.ends_ahead {
            for end in std::mem::take(&mut ends) {
                self.transmit(at, to, Load::Ends(thread, vec![end]));
            }
        }
        self.moves += 1;
        if setup.bug != Some(Bug::KeepThread) {
            self.tasks[thread as usize - 1].at = NOWHERE;
        }
        self.transmit(at, to, Load::Thread(thread, ends));
        let flights = |packet: &&Packet| matches!(packet.load, Load::Thread(..));
        seen.path_if(self.packets.iter().filter(flights).count() > 1, Path::TwoInFlight);
    }

    pub fn exit(&mut self, setup: &Setup, thread: Thread, seen: &Seen) {
        let (at, home) = (self.tasks[thread as usize - 1].at, setup.home);
        let task = &mut self.tasks[thread as usize - 1];
        (task.next, task.run) = (task.next + 1, Run::Gone);
        if at != home {
            self.tasks[thread as usize - 1].at = NOWHERE;
            let ends = self.take_ends(setup, thread, at, home, seen);
            self.transmit(at, home, Load::Exited(thread, ends));
        }
    }

    pub fn create(&mut self, setup: &Setup, thread: Thread, to: Processor, seen: &Seen) {
        seen.path(Path::CreatedAgain);
        self.prepare(setup, thread as usize - 1);
        if to != setup.home {
            let ends = self.take_ends(setup, thread, setup.home, to, seen);
            self.tasks[thread as usize - 1].at = NOWHERE;
            self.transmit(setup.home, to, Load::Thread(thread, ends));
        }
    }
}
