//! The short way of requests to send and to receive, for those that most are: a thread that has the
//! end already names memory in one page of its own, and its partner, if one waits here, has named
//! such memory too. All that is asked first, and nothing has changed yet if it is not so: the long
//! way ([`crate::services::channels`]) then serves the request. There is no call on the short way,
//! for which registers would have to be saved.

use testbed_definitions::event::{DIAG_DETAIL, DIAG_PROFILE, DIAG_READY, TRAP7, TRAP70, TRAP72};
use testbed_definitions::ids::{Channel, Processor};
use testbed_kernel_core::page_map::{rest_of_page, READ, WRITE};
use testbed_protocol::channel::{self, Ccb, Output, Receiver, Sender, Sink};

use crate::drivers::events::{Classes, AWAITING, COUNTING};
use crate::services::channels::partner;
use crate::services::extended::runs::in_one_page;
use crate::state::kernel::Kernel;
use crate::state::process::{Process, CHANNELS};
use crate::state::thread::Tcb;

/// Classes with which more is told of a request, or counted, than the short way does.
const MORE: u32 = DIAG_DETAIL | DIAG_READY | AWAITING | COUNTING;

/// Which way a request goes.
pub enum Way {
    /// It has been served, and its thread waits.
    Waits,
    /// It has been accepted, and a partner waits: what is left is to copy, and [`Kernel::meet`].
    Meets(Meeting),
    /// Nothing has changed. `told`: the event that a thread requests has been emitted.
    Long { told: bool },
}

/// Two partners on this processor, and what is to be copied.
pub struct Meeting {
    /// Address of the control block of the one that has waited.
    pub theirs: u32,
    /// Physical addresses.
    pub from: u32,
    pub to: u32,
    pub bytes: u32,
}

impl Meeting {
    /// Whether it is just a word.
    #[inline(always)]
    pub fn is_word(&self) -> bool {
        self.bytes == 4 && (self.from | self.to) & 3 == 0
    }
}

/// Transmits what the protocol says. What else it says is known before: whether the thread waits,
/// and that nobody is refused or chosen.
pub struct Tokens<'a> {
    pub kernel: &'a mut Kernel,
    pub at: (Process, Channel),
}

impl Sink for Tokens<'_> {
    #[inline(always)]
    fn put(&mut self, output: Output) {
        match output {
            Output::Transmit { to, mpc } => self.kernel.transmit(self.at, to, mpc),
            Output::Block { .. } | Output::Copy { .. } | Output::Release { .. } => {}
            // Of requests that go the long way, and of components.
            Output::Reject { .. }
            | Output::Chosen { .. }
            | Output::WantRoom { .. }
            | Output::Fragment { .. }
            | Output::Deliver { .. }
            | Output::Ignored(_) => {}
        }
    }
}

/// Whether the thread with this number has the end that it requests to use, and may use it now, so
/// that no step of the protocol refuses it or looks for somebody who has never been heard of.
#[inline(always)]
fn is_simple<const SEND: bool>(ccb: &Ccb, own: &Tcb) -> bool {
    let number = own.number();
    if SEND {
        let is_known = match ccb.receiver {
            Receiver::Idle | Receiver::Waiting => true,
            Receiver::Away => ccb.place != Processor::NOWHERE,
            Receiver::Alternative | Receiver::Collecting => false,
        };
        ccb.sender == Sender::Idle && ccb.sender_thread == number && ccb.receiver_thread != number && is_known
    } else {
        if ccb.receiver != Receiver::Idle || ccb.receiver_thread != number || ccb.sender_thread == number {
            return false;
        }
        !ccb.token.exists() || ccb.sender == Sender::Away && ccb.token.sequence == ccb.received
    }
}

impl Kernel {
    /// Serves a request as [`Self::communicate`] does, if it can go the short way.
    #[inline(always)]
    pub fn communicate_shortly<const SEND: bool>(
        &mut self,
        classes: Classes,
        thread: u32,
        (channel, buffer, length): (u32, u32, u32),
    ) -> Way {
        // Looked at before anything else, so that what is long loses no time here.
        if length > rest_of_page(buffer) || classes.has(MORE) || !self.net.holds_little() {
            return Way::Long { told: false };
        }
        classes.emit(DIAG_PROFILE, TRAP7);
        let own = self.tcb_at(thread);
        let (process, access) = (own.process(), if SEND { READ } else { WRITE });
        let map = process.map();
        let Some(mine) = in_one_page(map, buffer, length, access) else { return Way::Long { told: true } };
        if channel >= CHANNELS as u32 {
            return Way::Long { told: true };
        }
        let channel = Channel::new(channel as u8);
        let ccb = process.ccb(channel);
        if !is_simple::<SEND>(ccb, own) {
            return Way::Long { told: true };
        }
        let mut meeting = None;
        if let Some((number, room)) = partner::<SEND>(ccb) {
            let theirs = self.tcbs.get(process.thread(number) as usize).filter(|_| !process.is_suspended());
            let Some(theirs) = theirs else { return Way::Long { told: true } };
            let (address, bytes, access) = (theirs.buffer(), length.min(room), if SEND { WRITE } else { READ });
            let Some(part) = in_one_page(map, address, bytes, access) else { return Way::Long { told: true } };
            let (from, to) = if SEND { (mine, part) } else { (part, mine) };
            meeting = Some(Meeting { theirs: theirs.address(), from, to, bytes });
        }
        let (me, number) = (self.me, own.number());
        let mut tokens = Tokens { kernel: self, at: (process, channel) };
        if SEND {
            channel::send(ccb, me, number, length, &mut tokens);
        } else {
            channel::receive(ccb, me, number, length, &mut tokens);
        }
        if let Some(meeting) = meeting {
            return Way::Meets(meeting);
        }
        own.communicate(channel, buffer);
        self.ready.leave(self.tcbs, thread);
        classes.emit(DIAG_PROFILE, TRAP70);
        Way::Waits
    }

    /// What has been copied is both partners' answer: they are ready, the one that has waited first.
    #[inline(always)]
    pub fn meet(&mut self, classes: Classes, thread: u32, theirs: u32, bytes: u32) {
        let (own, theirs) = (self.tcb_at(thread), self.tcb_at(theirs));
        own.context().answer(Ok(bytes));
        theirs.context().answer(Ok(bytes));
        theirs.be_ready();
        self.ready.meet(self.tcbs, theirs, own);
        classes.emit(DIAG_PROFILE, TRAP72);
    }
}
