//! One thread, wherever it is: what its processor's events say about it.

use testbed_definitions::event::awaited;
use testbed_definitions::syscall;

use crate::order::Event;

/// What is known of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Not seen yet, has ended, or its processor's events were lost.
    #[default]
    Unknown,
    /// In the ready queue, or running.
    Able,
    /// Its request to communicate is being serviced, or was refused.
    Requesting,
    /// TRAP70.
    Blocked,
    /// WAIT or BLOCKED. No event says when that is over.
    Waiting,
    /// SYNC, until THROUGH; or until it is scheduled, if it has too little room or another member has ended.
    Synchronizing,
    /// Its page fault is being serviced, or was answered at once.
    Faulting,
    /// PAGE_BLOCKED.
    PageBlocked,
    /// PACK, PACKED, handed to Centrenet, served at its destination.
    Packing,
    Packed,
    Flying,
    Arrived,
}

/// A request, if class `detail` tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub receive: bool,
    pub alternative: bool,
    pub channel: u8,
}

/// A thread and where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    pub state: State,
    pub at: u8,
    pub request: Option<Request>,
    /// The number of the system call that it waits in, after BLOCKED.
    pub call: Option<u16>,
    /// The event, with its number, that brought it into its state.
    pub since: Option<(Event, u64)>,
}

impl Thread {
    /// What it waits for, if it waits.
    pub fn awaited(&self) -> Option<String> {
        Some(match (self.state, self.request, self.call) {
            (State::Blocked, Some(request), _) => match request {
                Request { alternative: true, channel, .. } => {
                    format!("to receive by an alternative, first channel {channel}")
                }
                Request { receive: true, channel, .. } => format!("to receive on channel {channel}"),
                Request { channel, .. } => format!("to send on channel {channel}"),
            },
            (State::Blocked, None, _) => "on a channel (class detail tells which)".into(),
            (State::PageBlocked, ..) => "for a page".into(),
            (State::Packed, ..) => "to be moved".into(),
            (State::Waiting, _, Some(call)) => format!("for {}", awaited(call)),
            (State::Waiting, ..) => "for its children".into(),
            (State::Synchronizing, ..) => format!("for {}", awaited(syscall::EXCHANGE as u16)),
            _ => return None,
        })
    }
}

/// What events say of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    Scheduled,
    /// TRAP7.
    Requests,
    /// TRAP70.
    Blocks,
    /// TRAP72: the thread's own request is over.
    Copies,
    /// COMMS, COMMR, or the partner's TRAP72.
    Released,
    Waits,
    /// BLOCKED: it waits in another call.
    Calls,
    /// SYNC.
    Synchronizes,
    /// THROUGH.
    GetsThrough,
    Faults,
    PageBlocks,
    PageComes,
    Packs,
    IsPacked,
    Leaves,
    Arrives,
    Unpacked,
    Ends,
}

impl State {
    /// The next state; `Err` says what should have been the case.
    pub fn after(self, happening: Happening) -> Result<State, &'static str> {
        use Happening::*;
        use State::*;
        let on = matches!(self, Unknown | Able | Requesting | Waiting | Synchronizing | Faulting);
        let next = match (happening, self) {
            (Scheduled, Unknown | Able | Requesting | Waiting | Synchronizing | Faulting) => Able,
            (Scheduled, Blocked) => return Err("COMMS, COMMR or its partner's TRAP72 first"),
            (Scheduled, PageBlocked) => return Err("PAGE_READY first"),
            (Scheduled, _) => return Err("UNPACKED first"),
            (Requests, _) if on => Requesting,
            (Faults, _) if on => Faulting,
            (Waits | Calls, _) if on => Waiting,
            (Synchronizes, _) if on => Synchronizing,
            (GetsThrough, Unknown | Synchronizing | Waiting) => Able,
            (GetsThrough, _) => return Err("a thread that has come to the end of its superstep"),
            (Requests | Faults | Waits | Calls | Synchronizes, _) => return Err("a thread that runs"),
            (Blocks, Unknown | Requesting) => Blocked,
            (Copies, Unknown | Requesting) => Able,
            (Blocks | Copies, _) => return Err("TRAP7 first"),
            (Released, Unknown | Blocked) => Able,
            (Released, _) => return Err("a thread blocked by TRAP70"),
            (PageBlocks, Unknown | Faulting) => PageBlocked,
            (PageBlocks, _) => return Err("PAGE_FAULT first"),
            (PageComes, Unknown | PageBlocked) => Able,
            (PageComes, _) => return Err("a thread blocked by PAGE_BLOCKED"),
            (Packs, _) if on => Packing,
            (Packs, _) => return Err("a thread in the ready queue"),
            (IsPacked, Unknown | Packing) => Packed,
            (IsPacked, _) => return Err("PACK first"),
            (Leaves, Unknown | Packed) => Flying,
            (Leaves, _) => return Err("PACKED first"),
            (Arrives, Unknown | Flying) => Arrived,
            (Arrives, _) => return Err("the thread to have left"),
            (Unpacked, Unknown | Arrived) => Able,
            (Unpacked, _) => return Err("a thread packet first"),
            (Ends, _) => Unknown,
        };
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Happening::*;

    fn walk(steps: &[Happening]) -> Result<State, &'static str> {
        steps.iter().try_fold(State::Able, |state, step| state.after(*step))
    }

    #[test]
    fn lives_that_are_possible() {
        let communicates = [Scheduled, Requests, Blocks, Released, Scheduled, Requests, Copies, Scheduled];
        assert_eq!(walk(&communicates), Ok(State::Able));
        // A call is made again when its page has come.
        assert_eq!(
            walk(&[Scheduled, Requests, Faults, PageBlocks, PageComes, Scheduled, Requests]),
            Ok(State::Requesting)
        );
        assert_eq!(walk(&[Scheduled, Synchronizes, GetsThrough, Packs, IsPacked]), Ok(State::Packed));
        // It has too little room, and says that it has more.
        assert_eq!(walk(&[Synchronizes, Scheduled, Calls, GetsThrough, Scheduled]), Ok(State::Able));
        assert_eq!(walk(&[Packs, IsPacked, Leaves, Arrives, Unpacked, Scheduled, Ends]), Ok(State::Unknown));
    }

    #[test]
    fn lives_that_are_not() {
        assert!(walk(&[Scheduled, Released]).is_err());
        assert!(walk(&[Scheduled, Requests, Blocks, Scheduled]).is_err());
        assert!(walk(&[Scheduled, Requests, Blocks, Packs]).is_err());
        assert!(walk(&[Packs, IsPacked, Scheduled]).is_err());
        assert!(walk(&[Unpacked]).is_err());
        assert!(walk(&[Scheduled, Faults, PageBlocks, Scheduled]).is_err());
        assert!(walk(&[Scheduled, GetsThrough]).is_err());
        assert!(walk(&[Scheduled, Synchronizes, GetsThrough, GetsThrough]).is_err());
        assert!(walk(&[Requests, Blocks, Synchronizes]).is_err());
    }
}
