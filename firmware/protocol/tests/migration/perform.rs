//! The kernel's part in a step of the protocol: what the outputs ask for is done, and everything that the kernel may rely on is checked.

use crate::program::{Bug, Setup};
use crate::seen::{Path, Seen};
use crate::world::{Load, Outputs, Run, World, Wrong};
use testbed_protocol::channel::{self, Misuse, Output, Receiver, Role, NOWHERE};
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Processor, Thread};

impl World {
    /// Does what a step of the protocol says; `cause` is the component that was served.
    pub fn perform(
        &mut self,
        setup: &Setup,
        at: Processor,
        channel: u8,
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
                        Some(Bug::ReadLate) => number = self.sent[channel as usize],
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
    fn waits(&self, thread: Thread, at: Processor, channel: u8) -> bool {
        self.sends(thread, at, channel) || self.receives(thread, at, channel)
    }

    fn sends(&self, thread: Thread, at: Processor, channel: u8) -> bool {
        let Some(task) = self.tasks.get((thread as usize).wrapping_sub(1)) else { return false };
        task.at == at && matches!(task.run, Run::Sending { channel: c, .. } if c == channel)
    }

    fn receives(&self, thread: Thread, at: Processor, channel: u8) -> bool {
        let Some(task) = self.tasks.get((thread as usize).wrapping_sub(1)) else { return false };
        task.at == at && matches!(task.run, Run::Receiving { channel: c, .. } if c == channel)
    }

    fn chosen(&mut self, setup: &Setup, at: Processor, channel: u8, thread: Thread, seen: &Seen) {
        let task = self.tasks.get((thread as usize).wrapping_sub(1)).copied();
        let Some(task) = task.filter(|task| task.at == at && task.run == Run::Choosing && task.set >> channel & 1 != 0)
        else {
            return self.fail(Wrong::Release);
        };
        seen.path(Path::AlternativeChosen);
        for other in (0..setup.channels as u8).filter(|&other| other != channel && task.set >> other & 1 != 0) {
            if setup.bug != Some(Bug::DontDisable) {
                channel::disable(self.ccb_mut(setup, at, other), thread);
            }
        }
        self.tasks[thread as usize - 1].run = Run::Receiving { channel, got: 0 };
    }

    fn copy(
        &mut self,
        setup: &Setup,
        (at, channel): (Processor, u8),
        sender: Thread,
        receiver: Thread,
        bytes: u32,
        seen: &Seen,
    ) {
        seen.path(Path::LocalCopy);
        if !self.sends(sender, at, channel) || !self.receives(receiver, at, channel) {
            return self.fail(Wrong::Release);
        }
        self.deliver(setup, (at, channel), receiver, (0, bytes), self.sent[channel as usize]);
        let offered = setup.length(channel, self.sent[channel as usize]).unwrap_or(0);
        seen.path_if(bytes < offered, Path::Truncated);
        if let Run::Sending { left, .. } = &mut self.tasks[sender as usize - 1].run {
            *left = 0;
        }
        if setup.bug == Some(Bug::CopyKeepsReceiver) {
            self.ccb_mut(setup, at, channel).receiver = Receiver::Waiting;
        }
    }

    fn fragment(
        &mut self,
        setup: &Setup,
        (at, channel): (Processor, u8),
        to: Processor,
        thread: Thread,
        (total, offset, bytes): (u32, u32, u32),
        seen: &Seen,
    ) {
        if !self.sends(thread, at, channel) {
            return self.fail(Wrong::Release);
        }
        seen.path_if(offset > 0, Path::Fragments);
        let offered = setup.length(channel, self.sent[channel as usize]);
        self.require(offered.is_some_and(|offered| total <= offered), Wrong::Overrun);
        let early = setup.bug == Some(Bug::TransmitEarly) && self.sent[channel as usize] > 0;
        let number = self.sent[channel as usize] - early as u8;
        seen.path_if(total < setup.length(channel, number).unwrap_or(0), Path::Truncated);
        if let Run::Sending { left, .. } = &mut self.tasks[thread as usize - 1].run {
            *left = total - offset - bytes;
        }
        self.transmit(at, to, Load::Mpc { channel, mpc: Mpc::Msg { total, offset, bytes }, number });
    }

    /// Bytes of message `number` come into the thread's buffer.
    fn deliver(
        &mut self,
        setup: &Setup,
        (at, channel): (Processor, u8),
        thread: Thread,
        (offset, bytes): (u32, u32),
        number: u8,
    ) {
        let lawless = setup.lawless;
        if !self.receives(thread, at, channel) {
            return self.fail(Wrong::Release);
        }
        let expected = self.received[channel as usize];
        self.require(lawless || number <= expected, Wrong::Lost);
        self.require(lawless || number >= expected, Wrong::Duplicated);
        if let Run::Receiving { got, .. } = &mut self.tasks[thread as usize - 1].run {
            let follows = *got == offset;
            *got = offset + bytes;
            self.require(follows, Wrong::Content);
        }
    }

    fn release(
        &mut self,
        setup: &Setup,
        at: Processor,
        channel: u8,
        thread: Thread,
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
        match self.tasks[thread as usize - 1].run {
            Run::Receiving { got, .. } => {
                let offered = setup.length(channel, self.received[channel as usize]);
                let expected = offered.map(|offered| offered.min(self.capacity(setup, thread)));
                let right = got == bytes && expected == Some(bytes);
                self.require(setup.lawless || right, Wrong::Content);
                self.received[channel as usize] += 1;
            }
            Run::Sending { left, .. } => {
                self.require(left == 0, Wrong::Content);
                self.sent[channel as usize] += 1;
            }
            _ => {}
        }
        let task = &mut self.tasks[thread as usize - 1];
        task.set &= !(1 << channel);
        task.next += (role == Role::Sender || task.set == 0) as u8;
        if role == Role::Receiver && task.set != 0 {
            (task.run, task.timed) = (Run::Ready, false);
        } else if role == Role::Sender || setup.bug != Some(Bug::ForgetReady) {
            self.prepare(setup, thread as usize - 1);
        }
    }

    fn transmit_mpc(
        &mut self,
        setup: &Setup,
        at: Processor,
        channel: u8,
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
        if to != NOWHERE {
            self.require(to < setup.processors, Wrong::Belief);
            return self.transmit(at, to, load);
        }
        let missed = (setup.bug == Some(Bug::AdvertMissesOne)).then_some(setup.processors - 1);
        for other in (0..setup.processors).filter(|&other| other != at && Some(other) != missed) {
            self.transmit(at, other, load.clone());
        }
    }
}
