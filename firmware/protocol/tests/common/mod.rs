//! A machine in small: processors with channel control blocks, threads with scripts, and a network that keeps the order
//! of each pair of processors only. Every property of the protocol is asserted as the world moves.

use std::collections::VecDeque;
use testbed_protocol::channel::{step, Ccb, Input, Output, Role};
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Processor, Thread};

/// One channel with the threads at its ends and what they are going to do.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    pub sender_at: Processor,
    pub receiver_at: Processor,
    /// Bytes of each message.
    pub lengths: Vec<u32>,
    /// Most bytes of each receive; as many as `lengths`.
    pub capacities: Vec<u32>,
}

/// Where a script stands: requests made, and whether the thread is blocked in the last one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Progress {
    requests: usize,
    blocked: bool,
}

/// A component under way, with the number of the message whose bytes it carries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Packet {
    channel: usize,
    mpc: Mpc,
    message: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    channels: Vec<Channel>,
    processors: usize,
    ccbs: Vec<Vec<Ccb>>,
    senders: Vec<Progress>,
    receivers: Vec<Progress>,
    /// Bytes in the receiver's buffer since its request, all of message `receivers[c].requests - 1`.
    collected: Vec<u32>,
    /// Whether the processor of the sender was asked to give the channel room.
    wants_room: Vec<bool>,
    network: Vec<VecDeque<Packet>>,
}

/// Something that may happen next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Send(usize),
    Receive(usize),
    Room(usize),
    Deliver(usize),
}

impl World {
    pub fn new(processors: usize, channels: Vec<Channel>) -> Self {
        let count = channels.len();
        World {
            processors,
            ccbs: vec![vec![Ccb::default(); count]; processors],
            senders: vec![Progress::default(); count],
            receivers: vec![Progress::default(); count],
            collected: vec![0; count],
            wants_room: vec![false; count],
            network: vec![VecDeque::new(); processors * processors],
            channels,
        }
    }

    /// Everything that can happen now.
    pub fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        for (c, channel) in self.channels.iter().enumerate() {
            if !self.senders[c].blocked && self.senders[c].requests < channel.lengths.len() {
                actions.push(Action::Send(c));
            }
            if !self.receivers[c].blocked && self.receivers[c].requests < channel.capacities.len() {
                actions.push(Action::Receive(c));
            }
            if self.wants_room[c] {
                actions.push(Action::Room(c));
            }
        }
        actions.extend((0..self.network.len()).filter(|&pair| !self.network[pair].is_empty()).map(Action::Deliver));
        actions
    }

    /// Nothing is left to do and nobody is blocked.
    pub fn finished(&self) -> bool {
        self.channels.iter().enumerate().all(|(c, channel)| {
            let done = |p: Progress| !p.blocked && p.requests == channel.lengths.len();
            done(self.senders[c]) && done(self.receivers[c])
        })
    }

    pub fn act(&mut self, action: Action) {
        match action {
            Action::Send(c) => {
                let length = self.channels[c].lengths[self.senders[c].requests];
                self.senders[c] = Progress { requests: self.senders[c].requests + 1, blocked: true };
                let at = self.channels[c].sender_at;
                self.step(at, c, Input::Send { thread: sender(c), length }, 0);
            }
            Action::Receive(c) => {
                let capacity = self.channels[c].capacities[self.receivers[c].requests];
                self.receivers[c] = Progress { requests: self.receivers[c].requests + 1, blocked: true };
                self.collected[c] = 0;
                let at = self.channels[c].receiver_at;
                self.step(at, c, Input::Receive { thread: receiver(c), capacity }, 0);
            }
            Action::Room(c) => self.step(self.channels[c].sender_at, c, Input::Room, 0),
            Action::Deliver(pair) => {
                let packet = self.network[pair].pop_front().expect("a packet is there");
                let (from, to) = (pair / self.processors, pair % self.processors);
                let input = Input::Mpc { from: from as Processor, mpc: packet.mpc };
                self.step(to as Processor, packet.channel, input, packet.message);
            }
        }
    }

    fn step(&mut self, at: Processor, c: usize, input: Input, message: usize) {
        let (ccb, outputs) = step(self.ccbs[at as usize][c], input);
        self.ccbs[at as usize][c] = ccb;
        for output in outputs.iter() {
            self.perform(at, c, output, message);
        }
    }

    fn perform(&mut self, at: Processor, c: usize, output: Output, message: usize) {
        match output {
            Output::Block { thread } => assert!(self.progress(c, thread).blocked),
            Output::Copy { sender: s, receiver: r, bytes } => {
                assert_eq!((s, r), (sender(c), receiver(c)));
                assert_eq!(self.senders[c].requests, self.receivers[c].requests, "message lost or duplicated");
                self.collected[c] += bytes;
            }
            Output::Transmit { to, mpc } => self.transmit(at, to, Packet { channel: c, mpc, message: 0 }),
            Output::WantRoom { thread } => {
                assert_eq!(thread, sender(c));
                self.wants_room[c] = true;
            }
            Output::Fragment { to, thread, total, offset, bytes } => {
                assert_eq!(thread, sender(c));
                assert!(offset + bytes <= self.channels[c].lengths[self.senders[c].requests - 1]);
                let packet =
                    Packet { channel: c, mpc: Mpc::Msg { total, offset, bytes }, message: self.senders[c].requests };
                self.transmit(at, Some(to), packet);
            }
            Output::Deliver { thread, offset, bytes } => {
                assert_eq!(thread, receiver(c));
                assert_eq!(message, self.receivers[c].requests, "data of another message");
                assert_eq!(offset, self.collected[c], "fragments out of order");
                self.collected[c] += bytes;
            }
            Output::Release { thread, role, result } => self.release(c, thread, role, result.expect("no misuse here")),
            Output::Reject { .. } | Output::Ignored(_) => panic!("{output:?} in a correct program"),
        }
    }

    fn transmit(&mut self, at: Processor, to: Option<Processor>, packet: Packet) {
        for destination in 0..self.processors {
            if destination != at as usize && to.is_none_or(|to| to as usize == destination) {
                self.network[at as usize * self.processors + destination].push_back(packet);
            }
        }
    }

    fn release(&mut self, c: usize, thread: Thread, role: Role, bytes: u32) {
        let progress = self.progress(c, thread);
        assert!(progress.blocked, "thread {thread} released twice");
        progress.blocked = false;
        let index = progress.requests - 1;
        let expected = self.channels[c].lengths[index].min(self.channels[c].capacities[index]);
        assert_eq!(bytes, expected, "message {index} of channel {c}");
        match role {
            Role::Sender => {
                assert_eq!(thread, sender(c));
                self.wants_room[c] = false;
            }
            Role::Receiver => {
                assert_eq!(thread, receiver(c));
                assert_eq!(self.collected[c], bytes, "bytes lost");
            }
        }
    }

    fn progress(&mut self, c: usize, thread: Thread) -> &mut Progress {
        if thread == sender(c) {
            &mut self.senders[c]
        } else {
            assert_eq!(thread, receiver(c));
            &mut self.receivers[c]
        }
    }
}

fn sender(channel: usize) -> Thread {
    2 * channel as Thread + 1
}
fn receiver(channel: usize) -> Thread {
    2 * channel as Thread + 2
}
