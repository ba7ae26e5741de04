//! A machine in one state, and its steps: threads run their scripts and move, packets arrive,
//! messages leave. All that concerns channels is done by `testbed_protocol`; what the kernel does
//! around it is here, and everything that it may rely on is checked.

use crate::program::{index_of, thread_of, Bug, Op, Setup};
use crate::seen::{Path, Seen};
pub use crate::state::*;
use testbed_definitions::page::PAGE_BYTES;
use testbed_protocol::channel::{self, Ccb, Misuse, Output, Receiver, Sender, Sink};
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Channel, Processor, ThreadNumber};

/// Whether it passes a token on, or answers it.
fn is_token(output: &Output) -> bool {
    matches!(output, Output::Transmit { mpc: Mpc::Focus { .. } | Mpc::Advert { .. } | Mpc::Rtr { .. }, .. })
}

/// What passes a token on, if it is not answered.
fn next_of_token(outputs: &Outputs) -> Option<Output> {
    outputs.0.iter().find(|output| matches!(output, Output::Transmit { mpc: Mpc::Focus { .. }, .. })).copied()
}

impl World {
    pub fn new(setup: &Setup, places: &[Processor]) -> Self {
        let task = |&at| Task { at, run: Run::Ready, next: 0, set: 0, timed: false, refused: 0 };
        let block = Ccb { sent: setup.base, received: setup.base, epoch: setup.base, ..Ccb::default() };
        let mut world = World {
            ccbs: vec![block; setup.channels * setup.processors as usize],
            tasks: places.iter().map(task).collect(),
            packets: Vec::new(),
            sent: vec![0; setup.channels],
            received: vec![0; setup.channels],
            moves: 0,
            wrong: None,
        };
        (0..world.tasks.len()).for_each(|index| world.prepare(setup, index));
        world
    }

    pub fn ccb(&self, setup: &Setup, at: Processor, channel: Channel) -> &Ccb {
        &self.ccbs[at.index() * setup.channels + channel.index()]
    }

    pub fn ccb_mut(&mut self, setup: &Setup, at: Processor, channel: Channel) -> &mut Ccb {
        &mut self.ccbs[at.index() * setup.channels + channel.index()]
    }

    /// Everything that can happen next.
    pub fn actions(&self, setup: &Setup, actions: &mut Vec<Action>) {
        if self.wrong.is_some() {
            return;
        }
        for (index, task) in self.tasks.iter().enumerate() {
            let thread = thread_of(index);
            let others = || setup.all_processors().filter(|&to| to != task.at);
            match task.run {
                Run::Ready if task.at != Processor::NOWHERE => {
                    if self.may_run(setup, index) {
                        actions.push(Action::Run(thread));
                    }
                    if self.moves < setup.moves {
                        actions.extend(others().map(|to| Action::Move(thread, to)));
                    }
                }
                Run::Leaving { .. } => actions.push(Action::Pack(thread)),
                Run::Choosing if task.timed => actions.push(Action::Timeout(thread)),
                Run::Gone if task.at != Processor::NOWHERE => {
                    actions.extend(setup.all_processors().map(|to| Action::Create(thread, to)));
                }
                _ => {}
            }
        }
        let mut last = (Processor::NOWHERE, Processor::NOWHERE);
        for packet in &self.packets {
            if (packet.from, packet.to) != last {
                last = (packet.from, packet.to);
                actions.push(Action::Arrive(packet.from, packet.to));
            }
        }
        for at in setup.all_processors() {
            for channel in setup.all_channels() {
                if self.ccb(setup, at, channel).sender == Sender::Transmitting {
                    actions.push(Action::Room(at, channel));
                }
            }
        }
    }

    pub fn act(&mut self, setup: &Setup, action: Action, seen: &Seen) {
        match action {
            Action::Run(thread) => self.run(setup, thread, seen),
            Action::Timeout(thread) => self.time_out(setup, thread, seen),
            Action::Move(thread, to) => self.depart(setup, thread, to, seen),
            Action::Pack(thread) => self.pack(setup, thread, seen),
            Action::Create(thread, to) => self.create(setup, thread, to, seen),
            Action::Arrive(from, to) => self.arrive(setup, from, to, seen),
            Action::Room(at, channel) => {
                let mut outputs = Outputs::default();
                let ccb = self.ccb_mut(setup, at, channel);
                let (_, bytes) = channel::next_fragment(ccb);
                match setup.by_pages {
                    true => channel::room_for(ccb, bytes.min(PAGE_BYTES), &mut outputs),
                    false => channel::room(ccb, &mut outputs),
                }
                self.perform(setup, at, channel, outputs, None, seen);
            }
        }
        self.check(setup, seen);
    }

    pub fn fail(&mut self, wrong: Wrong) {
        self.wrong = self.wrong.or(Some(wrong));
    }

    pub fn require(&mut self, condition: bool, wrong: Wrong) {
        if !condition {
            self.fail(wrong);
        }
    }

    /// Makes a thread ready for the next operation of its script.
    pub fn prepare(&mut self, setup: &Setup, index: usize) {
        let task = &mut self.tasks[index];
        task.timed = false;
        task.run = Run::Ready;
        match setup.scripts[index].get(task.next as usize) {
            None => task.run = Run::Ended,
            Some(&Op::Each(set, _)) => task.set = set,
            Some(&Op::EachTimed(set, _)) => (task.set, task.timed) = (set, true),
            Some(_) => {}
        }
    }

    pub fn capacity(&self, setup: &Setup, thread: ThreadNumber) -> u32 {
        let index = index_of(thread);
        match setup.scripts[index][self.tasks[index].next as usize] {
            Op::Receive(_, capacity) | Op::Each(_, capacity) | Op::EachTimed(_, capacity) => capacity,
            Op::Send(..) | Op::Exit | Op::Await(..) => 0,
        }
    }

    fn may_run(&self, setup: &Setup, index: usize) -> bool {
        match setup.scripts[index].get(self.tasks[index].next as usize) {
            Some(&Op::Await(channel, count)) => self.received[usize::from(channel)] >= count,
            _ => true,
        }
    }

    fn run(&mut self, setup: &Setup, thread: ThreadNumber, seen: &Seen) {
        let index = index_of(thread);
        let at = self.tasks[index].at;
        let mut outputs = Outputs::default();
        let channel = match setup.scripts[index][self.tasks[index].next as usize] {
            Op::Send(channel, length) => {
                let channel = Channel::new(channel);
                self.tasks[index].run = Run::Sending { channel, left: length };
                channel::send(self.ccb_mut(setup, at, channel), at, thread, length, &mut outputs);
                channel
            }
            Op::Receive(channel, capacity) => {
                let channel = Channel::new(channel);
                self.start_receive(setup, thread, channel, capacity, &mut outputs, seen);
                channel
            }
            Op::Each(set, capacity) | Op::EachTimed(set, capacity) => {
                let set = if self.tasks[index].set == 0 { set } else { self.tasks[index].set };
                match self.choose(setup, thread, set, capacity) {
                    Ok(Some(channel)) => {
                        seen.path(Path::AlternativeReady);
                        self.start_receive(setup, thread, channel, capacity, &mut outputs, seen);
                        channel
                    }
                    Ok(None) => return,
                    Err(_) => return self.refuse(setup, thread),
                }
            }
            Op::Exit => return self.exit(setup, thread, seen),
            Op::Await(..) => {
                self.tasks[index].next += 1;
                return self.prepare(setup, index);
            }
        };
        self.perform(setup, at, channel, outputs, None, seen);
    }

    fn start_receive(
        &mut self,
        setup: &Setup,
        thread: ThreadNumber,
        channel: Channel,
        capacity: u32,
        outputs: &mut Outputs,
        seen: &Seen,
    ) {
        let at = self.tasks[index_of(thread)].at;
        self.tasks[index_of(thread)].run = Run::Receiving { channel, got: 0 };
        let ccb = self.ccb_mut(setup, at, channel);
        if ccb.sender != Sender::Waiting && ccb.token.exists() {
            seen.path(Path::TokenKept);
        }
        channel::receive(ccb, at, thread, capacity, outputs);
    }

    /// The kernel's part of an alternative: the first channel that is ready, or none, and then the
    /// thread waits for all.
    fn choose(
        &mut self,
        setup: &Setup,
        thread: ThreadNumber,
        set: u32,
        capacity: u32,
    ) -> Result<Option<Channel>, Misuse> {
        let at = self.tasks[index_of(thread)].at;
        let channels = || setup.all_channels().filter(move |&channel| set >> channel.number() & 1 != 0);
        let mut ready = None;
        for channel in channels() {
            if channel::poll(self.ccb_mut(setup, at, channel), at, thread)? {
                ready = ready.or(Some(channel));
            }
        }
        if ready.is_some() {
            return Ok(ready);
        }
        for channel in channels() {
            let ccb = self.ccb_mut(setup, at, channel);
            let idle = ccb.receiver == Receiver::Idle;
            channel::enable(ccb, capacity);
            self.require(idle, Wrong::Refused);
        }
        self.tasks[index_of(thread)].run = Run::Choosing;
        Ok(None)
    }

    fn time_out(&mut self, setup: &Setup, thread: ThreadNumber, seen: &Seen) {
        seen.path(Path::Timeout);
        let at = self.tasks[index_of(thread)].at;
        for channel in setup.all_channels() {
            channel::disable(self.ccb_mut(setup, at, channel), thread);
        }
        let task = &mut self.tasks[index_of(thread)];
        (task.run, task.timed) = (Run::Ready, false);
    }

    /// A request has failed: the thread goes on with its script.
    pub fn refuse(&mut self, setup: &Setup, thread: ThreadNumber) {
        self.require(setup.is_rogue(thread), Wrong::Refused);
        let task = &mut self.tasks[index_of(thread)];
        (task.next, task.refused, task.set) = (task.next + 1, task.refused + 1, 0);
        self.prepare(setup, index_of(thread));
    }

    /// Puts a packet behind all others between these two processors.
    pub fn transmit(&mut self, from: Processor, to: Processor, load: Load) {
        let place = self.packets.partition_point(|packet| (packet.from, packet.to) <= (from, to));
        self.packets.insert(place, Packet { from, to, load });
    }

    fn arrive(&mut self, setup: &Setup, from: Processor, to: Processor, seen: &Seen) {
        let Some(mut place) = self.packets.iter().position(|packet| (packet.from, packet.to) == (from, to)) else {
            return;
        };
        if setup.bug == Some(Bug::OvertakeFragment) {
            let fragment = |packet: &&Packet| (packet.from, packet.to) == (from, to) && packet.is_fragment();
            place += self.packets[place..].iter().take_while(fragment).count().saturating_sub(1);
        }
        match self.packets.remove(place).load {
            Load::Ends(thread, ends) => self.put_ends(setup, thread, to, &ends, seen),
            Load::Thread(thread, ends) => {
                self.require(self.tasks[index_of(thread)].at == Processor::NOWHERE, Wrong::Copies);
                self.tasks[index_of(thread)].at = to;
                self.put_ends(setup, thread, to, &ends, seen);
            }
            Load::Exited(thread, ends) => {
                self.tasks[index_of(thread)].at = to;
                self.put_ends(setup, thread, to, &ends, seen);
            }
            Load::Mpc { channel, mpc, number } => self.arrive_mpc(setup, (from, to, channel), mpc, number, seen),
        }
    }

    fn arrive_mpc(
        &mut self,
        setup: &Setup,
        (from, to, channel): (Processor, Processor, Channel),
        mut mpc: Mpc,
        number: u8,
        seen: &Seen,
    ) {
        let mut outputs = Outputs::default();
        let arrived = mpc;
        let ccb = self.ccb_mut(setup, to, channel);
        match (setup.bug, &mut mpc) {
            (Some(Bug::ForgetSequence), Mpc::Focus { token, .. } | Mpc::Advert { token })
                if ccb.receiver != Receiver::Away && channel::is_after(ccb.received, token.sequence) =>
            {
                token.sequence = ccb.received;
            }
            (Some(Bug::ForwardWithoutEpoch), Mpc::Focus { token, epoch }) => {
                let passed = ccb.receiver == Receiver::Away && ccb.place != Processor::NOWHERE && ccb.place != to;
                if passed && !channel::is_after(ccb.epoch, *epoch) {
                    let mpc = Mpc::Focus { token: *token, epoch: ccb.epoch };
                    outputs.put(Output::Transmit { to: ccb.place, mpc });
                    return self.perform(setup, to, channel, outputs, Some((arrived, number)), seen);
                }
            }
            (Some(Bug::BelieveLength), Mpc::Rtr { length, .. }) if ccb.sender == Sender::Waiting => {
                ccb.length = ccb.length.max(*length);
            }
            _ => {}
        }
        let before = ccb.token;
        channel::arrive(ccb, to, from, mpc, &mut outputs);
        if let (Mpc::Focus { token, .. } | Mpc::Advert { token }, Some(next)) = (mpc, next_of_token(&outputs)) {
            match setup.bug {
                Some(Bug::KeepForwarded) => ccb.token = token,
                Some(Bug::ForwardTwice) => outputs.put(next),
                _ => {}
            }
        }
        let kept = (ccb.token.exists() && ccb.token != before) as usize;
        let gone = outputs.0.iter().filter(|output| is_token(output)).count();
        self.require(kept + gone <= 1, Wrong::Doubled);
        seen.arrive(&mpc, &outputs.0);
        self.perform(setup, to, channel, outputs, Some((mpc, number)), seen);
    }

    /// Nothing is under way.
    pub fn is_quiet(&self) -> bool {
        self.packets.is_empty() && self.ccbs.iter().all(|ccb| ccb.sender != Sender::Transmitting)
    }

    /// The thread of an end's claim, as an index.
    pub fn task_of(&self, thread: ThreadNumber) -> Option<&Task> {
        (thread != ThreadNumber::NOBODY).then(|| &self.tasks[index_of(thread)])
    }
}
