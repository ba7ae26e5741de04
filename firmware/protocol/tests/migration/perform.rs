//! The kernel's part in a step of the protocol: what the outputs ask for is done, and everything
//! that the kernel may rely on is checked.

use crate::program::{index_of, Bug, Setup};
use crate::seen::{Path, Seen};
use crate::world::{Load, Outputs, Run, World, Wrong};
use testbed_protocol::channel::{self, Misuse, Output, Receiver, Role};
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Channel, Processor, ThreadNumber};

impl World {
    /// Does what a step of the protocol says; `cause` is the component that was served.
    pub fn perform(
        &mut self,
        setup: &Setup,
        at: Processor,
        channel: Channel,
        outputs: Outputs,
        cause: Option<(Mpc, u8)>,
        seen: &Seen,
    ) {
        for output in outputs.0 {
            match output {
                Output::Block { thread } => self.require(self.waits(thread, at, channel), Wrong::Release),
                Output::Reject { thread, .. } => self.refuse(setup, thread),
                Output::Chosen { thread } => self.chosen(setup, at, channel, thread, seen),
                Output::Copy { sender, receiver, bytes } => {
                    self.copy(setup, (at, channel), sender, receiver, bytes, seen)
                }
                Output::Transmit { to, mpc } => self.transmit_mpc(setup, at, channel, to, mpc, cause),
                Output::WantRoom { thread } => self.require(self.sends(thread, at, channel), Wrong::Release),
                Output::Fragment { to, thread, total, offset, bytes } => {
                    self.fragment(setup, (at, channel), to, thread, (total, offset, bytes), seen);
                }
                Output::Deliver { thread, mut offset, bytes } => {
                    let mut number = cause.map_or(u8::MAX, |(_, number)| number);
                    match setup.bug {
                        Some(Bug::ForgetOffset) => offset = 0,
                        Some(Bug::ReadLate) => number = self.sent[channel.index()],
                        _ => {}
                    }
                    self.deliver(setup, (at, channel), thread, (offset, bytes), number);
                }
                Output::Release { thread, role, result } => self.release(setup, at, channel, thread, role, result),
                Output::Ignored(Misuse::Late) => seen.path(Path::Late),
                Output::Ignored(_) => self.require(setup.rogues != 0, Wrong::Refused),
            }
        }
    }

    /// Whether the thread is here and blocked on the channel.
    fn waits(&self, thread: ThreadNumber, at: Processor, channel: Channel) -> bool {
        self.sends(thread, at, channel) || self.receives(thread, at, channel)
    }

    fn sends(&self, thread: ThreadNumber, at: Processor, channel: Channel) -> bool {
        let Some(task) = self.tasks.get((thread.bits() as usize).wrapping_sub(1)) else { return false };
        task.at == at && matches!(task.run, Run::Sending { channel: c, .. } if c == channel)
    }

    fn receives(&self, thread: ThreadNumber, at: Processor, channel: Channel) -> bool {
        let Some(task) = self.tasks.get((thread.bits() as usize).wrapping_sub(1)) else { return false };
        task.at == at && matches!(task.run, Run::Receiving { channel: c, .. } if c == channel)
    }

    fn chosen(&mut self, setup: &Setup, at: Processor, channel: Channel, thread: ThreadNumber, seen: &Seen) {
        let task = self.tasks.get((thread.bits() as usize).wrapping_sub(1)).copied();
        let Some(task) =
            task.filter(|task| task.at == at && task.run == Run::Choosing && task.set >> channel.number() & 1 != 0)
        else {
            return self.fail(Wrong::Release);
        };
        seen.path(Path::AlternativeChosen);
        for other in setup.all_channels().filter(|&other| other != channel && task.set >> other.number() & 1 != 0) {
            if setup.bug != Some(Bug::DontDisable) {
                channel::disable(self.ccb_mut(setup, at, other), thread);
            }
        }
        self.tasks[index_of(thread)].run = Run::Receiving { channel, got: 0 };
    }

    fn copy(
        &mut self,
        setup: &Setup,
        (at, channel): (Processor, Channel),
        sender: ThreadNumber,
        receiver: ThreadNumber,
        bytes: u32,
        seen: &Seen,
    ) {
        seen.path(Path::LocalCopy);
        if !self.sends(sender, at, channel) || !self.receives(receiver, at, channel) {
            return self.fail(Wrong::Release);
        }
        self.deliver(setup, (at, channel), receiver, (0, bytes), self.sent[channel.index()]);
        let offered = setup.length(channel, self.sent[channel.index()]).unwrap_or(0);
        seen.path_if(bytes < offered, Path::Truncated);
        if let Run::Sending { left, .. } = &mut self.tasks[index_of(sender)].run {
            *left = 0;
        }
        if setup.bug == Some(Bug::CopyKeepsReceiver) {
            self.ccb_mut(setup, at, channel).receiver = Receiver::Waiting;
        }
    }

    fn fragment(
        &mut self,
        setup: &Setup,
        (at, channel): (Processor, Channel),
        to: Processor,
        thread: ThreadNumber,
        (total, offset, bytes): (u32, u32, u32),
        seen: &Seen,
    ) {
        if !self.sends(thread, at, channel) {
            return self.fail(Wrong::Release);
        }
        seen.path_if(offset > 0, Path::Fragments);
        let offered = setup.length(channel, self.sent[channel.index()]);
        self.require(offered.is_some_and(|offered| total <= offered), Wrong::Overrun);
        let early = setup.bug == Some(Bug::TransmitEarly) && self.sent[channel.index()] > 0;
        let number = self.sent[channel.index()] - early as u8;
        seen.path_if(total < setup.length(channel, number).unwrap_or(0), Path::Truncated);
        if let Run::Sending { left, .. } = &mut self.tasks[index_of(thread)].run {
            *left = total - offset - bytes;
        }
        self.transmit(at, to, Load::Mpc { channel, mpc: Mpc::Msg { total, offset, bytes }, number });
    }

    /// Bytes of message `number` come into the thread's buffer.
    fn deliver(
        &mut self,
        setup: &Setup,
        (at, channel): (Processor, Channel),
        thread: ThreadNumber,
        (offset, bytes): (u32, u32),
        number: u8,
    ) {
        let lawless = setup.lawless;
        if !self.receives(thread, at, channel) {
            return self.fail(Wrong::Release);
        }
        let expected = self.received[channel.index()];
        self.require(lawless || number <= expected, Wrong::Lost);
        self.require(lawless || number >= expected, Wrong::Duplicated);
        if let Run::Receiving { got, .. } = &mut self.tasks[index_of(thread)].run {
            let follows = *got == offset;
            *got = offset + bytes;
            self.require(follows, Wrong::Content);
        }
    }

    fn release(
        &mut self,
        setup: &Setup,
        at: Processor,
        channel: Channel,
        thread: ThreadNumber,
        role: Role,
        result: Result<u32, Misuse>,
    ) {
        let waits = match role {
            Role::Sender => self.sends(thread, at, channel),
            Role::Receiver => self.receives(thread, at, channel),
        };
        if !waits {
            return self.fail(Wrong::Release);
        }
        let Ok(bytes) = result else { return self.refuse(setup, thread) };
        self.require(setup.lawless || !setup.is_rogue(thread), Wrong::Rogue);
        match self.tasks[index_of(thread)].run {
            Run::Receiving { got, .. } => {
                let offered = setup.length(channel, self.received[channel.index()]);
                let expected = offered.map(|offered| offered.min(self.capacity(setup, thread)));
                let right = got == bytes && expected == Some(bytes);
                self.require(setup.lawless || right, Wrong::Content);
                self.received[channel.index()] += 1;
            }
            Run::Sending { left, .. } => {
                self.require(left == 0, Wrong::Content);
                self.sent[channel.index()] += 1;
            }
            _ => {}
        }
        let task = &mut self.tasks[index_of(thread)];
        task.set &= !(1 << channel.number());
        task.next += (role == Role::Sender || task.set == 0) as u8;
        if role == Role::Receiver && task.set != 0 {
            (task.run, task.timed) = (Run::Ready, false);
        } else if role == Role::Sender || setup.bug != Some(Bug::ForgetReady) {
            self.prepare(setup, index_of(thread));
        }
    }

    fn transmit_mpc(
        &mut self,
        setup: &Setup,
        at: Processor,
        channel: Channel,
        to: Processor,
        mpc: Mpc,
        cause: Option<(Mpc, u8)>,
    ) {
        let mpc = match mpc {
            Mpc::Rtr { thread, length, sequence, epoch } if setup.greedy => {
                Mpc::Rtr { thread, length: length + 1, sequence, epoch }
            }
            mpc => mpc,
        };
        let load = Load::Mpc { channel, mpc, number: 0 };
        match (mpc, cause) {
            (Mpc::Refuse { .. }, _) => self.require(setup.rogues != 0, Wrong::Refused),
            (Mpc::Focus { epoch, .. }, Some((Mpc::Focus { epoch: before, .. }, _))) => {
                self.require(channel::is_after(epoch, before), Wrong::Circle);
            }
            (Mpc::Rtr { .. }, _) if setup.bug == Some(Bug::AnswerTwice) => self.transmit(at, to, load.clone()),
            _ => {}
        }
        if to != Processor::NOWHERE {
            self.require(to.number() < setup.processors, Wrong::Belief);
            return self.transmit(at, to, load);
        }
        let missed = (setup.bug == Some(Bug::AdvertMissesOne)).then_some(Processor::new(setup.processors - 1));
        for other in setup.all_processors().filter(|&other| other != at && Some(other) != missed) {
            self.transmit(at, other, load.clone());
        }
    }
}
