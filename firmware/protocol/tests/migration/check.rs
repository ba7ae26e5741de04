//! What must hold in every state, and in every state in which nothing is under way.

use crate::program::{thread_of, Setup};
use crate::seen::{Path, Seen};
use crate::world::{Load, Run, World, Wrong};
use testbed_protocol::channel::{is_after, Ccb, Receiver, Sender};
use testbed_protocol::ends::End;
use testbed_protocol::{Channel, Processor, ThreadNumber};

impl World {
    pub fn check(&mut self, setup: &Setup, seen: &Seen) {
        self.check_threads();
        if setup.lawless {
            return self.check_lawless(setup);
        }
        for channel in setup.all_channels() {
            self.check_ends(setup, channel);
        }
        if !self.is_quiet() || self.wrong.is_some() {
            return;
        }
        seen.path(Path::Quiet);
        for channel in setup.all_channels() {
            self.check_quiet_channel(setup, channel);
        }
        if !self.can_go_on() {
            let waits = |index: usize, run: Run| run != Run::Ended && !setup.is_rogue(thread_of(index));
            let stuck = self.tasks.iter().enumerate().any(|(index, task)| waits(index, task.run));
            self.require(!stuck, Wrong::Deadlock);
        }
    }

    /// At the end nobody waits to send on a channel on which somebody waits to receive.
    fn check_lawless(&mut self, setup: &Setup) {
        if !setup.served || !self.is_quiet() || self.can_go_on() {
            return;
        }
        for channel in setup.all_channels() {
            let waits = |run: &dyn Fn(Run) -> bool| self.tasks.iter().any(|task| run(task.run));
            let sends = waits(&|run| matches!(run, Run::Sending { channel: c, .. } if c == channel));
            let receives = waits(&|run| matches!(run, Run::Receiving { channel: c, .. } if c == channel));
            self.require(!sends || !receives, Wrong::Deadlock);
        }
    }

    /// In a quiet state: whether a thread is not waiting for others.
    fn can_go_on(&self) -> bool {
        let goes_on = |run, timed| match run {
            Run::Ready | Run::Gone | Run::Leaving { .. } => true,
            Run::Choosing => timed,
            _ => false,
        };
        self.tasks.iter().any(|task| goes_on(task.run, task.timed))
    }

    /// Every thread is on a processor or in one packet.
    fn check_threads(&mut self) {
        for index in 0..self.tasks.len() {
            let thread = thread_of(index);
            let carried = self.packets.iter().filter(|packet| match packet.load {
                Load::Thread(t, _) | Load::Exited(t, _) => t == thread,
                _ => false,
            });
            let copies = carried.count() + (self.tasks[index].at != Processor::NOWHERE) as usize;
            self.require(copies == 1, Wrong::Copies);
        }
    }

    /// Each end is in one place, with its thread or in its wake, and counts right.
    fn check_ends(&mut self, setup: &Setup, channel: Channel) {
        let (mut senders, mut receivers) = (0, 0);
        for at in setup.all_processors() {
            let ccb = *self.ccb(setup, at, channel);
            if ccb.sender != Sender::Away && !setup.is_rogue(ccb.sender_thread) {
                senders += 1;
                self.require(self.is_or_will_be(ccb.sender_thread, at), Wrong::Copies);
                self.require(ccb.sent.wrapping_sub(setup.base) == self.sent[channel.index()] as u32, Wrong::Counts);
            }
            if ccb.receiver != Receiver::Away && !setup.is_rogue(ccb.receiver_thread) {
                receivers += 1;
                self.require(self.is_or_will_be(ccb.receiver_thread, at), Wrong::Copies);
                self.require(
                    ccb.received.wrapping_sub(setup.base) == self.received[channel.index()] as u32,
                    Wrong::Counts,
                );
            }
        }
        for packet in &self.packets {
            let (Load::Ends(t, ends) | Load::Thread(t, ends) | Load::Exited(t, ends)) = &packet.load else { continue };
            if setup.is_rogue(*t) {
                continue;
            }
            for (_, end) in ends.iter().filter(|(c, _)| *c == channel) {
                senders += matches!(end, End::Sender { .. }) as u32;
                receivers += matches!(end, End::Receiver { .. }) as u32;
            }
        }
        let (sent, received) = (self.sent[channel.index()] > 0, self.received[channel.index()] > 0);
        self.require(senders <= 1 && senders >= sent as u32, Wrong::Copies);
        self.require(receivers <= 1 && receivers >= received as u32, Wrong::Copies);
    }

    /// Whether the thread is at the processor, or follows its ends there.
    fn is_or_will_be(&self, thread: ThreadNumber, at: Processor) -> bool {
        let comes = |packet: &crate::world::Packet| {
            packet.to == at && matches!(packet.load, Load::Thread(t, _) | Load::Exited(t, _) if t == thread)
        };
        let leaves = |run| matches!(run, Run::Leaving { to, .. } if to == at);
        self.task_of(thread).is_some_and(|task| task.at == at || leaves(task.run)) || self.packets.iter().any(comes)
    }

    /// Nothing is under way: the ends agree, and what is believed leads where it must.
    fn check_quiet_channel(&mut self, setup: &Setup, channel: Channel) {
        self.require(self.sent[channel.index()] == self.received[channel.index()], Wrong::Counts);
        let sends = |ccb: &Ccb| ccb.sender != Sender::Away && !setup.is_rogue(ccb.sender_thread);
        let receives = |ccb: &Ccb| ccb.receiver != Receiver::Away && !setup.is_rogue(ccb.receiver_thread);
        let find = |has: &dyn Fn(&Ccb) -> bool| setup.all_processors().find(|&at| has(self.ccb(setup, at, channel)));
        let (sender, receiver) = (find(&sends), find(&receives));
        let Some(sender) = sender else { return };
        let waits = self.ccb(setup, sender, channel).sender == Sender::Waiting;
        match receiver {
            Some(receiver) => {
                self.require(self.leads_to(setup, channel, sender, receiver), Wrong::Belief);
                let ccb = *self.ccb(setup, receiver, channel);
                self.require(ccb.receiver != Receiver::Collecting, Wrong::Belief);
                let knows = ccb.receiver == Receiver::Idle && ccb.is_offered();
                self.require(!waits || knows, Wrong::Belief);
            }
            None => {
                self.require(self.ccb(setup, sender, channel).place == Processor::NOWHERE, Wrong::Belief);
                let mut others = setup.all_processors().filter(|&other| other != sender);
                let all_know = others.all(|other| self.ccb(setup, other, channel).has_token());
                self.require(!waits || all_know, Wrong::Belief);
            }
        }
    }

    /// Whether a token from the sender's processor comes to the receiver.
    fn leads_to(&self, setup: &Setup, channel: Channel, sender: Processor, receiver: Processor) -> bool {
        let start = self.ccb(setup, sender, channel);
        // An advert reaches everybody.
        if sender == receiver || start.place == Processor::NOWHERE {
            return true;
        }
        let (mut at, mut epoch) = (start.place, start.epoch);
        while at != receiver {
            let ccb = self.ccb(setup, at, channel);
            if ccb.place == Processor::NOWHERE || ccb.place == at || !is_after(ccb.epoch, epoch) {
                return false;
            }
            (at, epoch) = (ccb.place, ccb.epoch);
        }
        true
    }
}
