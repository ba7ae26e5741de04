//! Requests to move a thread (report, section 4.2), as the slave keeps them that is asked.
//!
//! A request waits until the kernel has a thread for it, or its time is over. Then its thread
//! leaves, and when the last packet of it has left, a word follows it on the same way; with that
//! word the destination answers, so the answer says that the thread has arrived. Each request is
//! answered once, whatever becomes of the thread: moved, expired, or refused.
//!
//! A number may be given to another thread as soon as the first one has ended. So what leaves or
//! ends is said here of every thread: a request that names it is refused, and does not move the next
//! one of that number.
//!
//! A *standing* request moves no thread: it says where threads start that are created here, in turn,
//! until another one comes or its time is over. It is answered at once, and nobody is told when it
//! ends: who has asked knows when that is, and asks again if it still wants that.
//!
//! The kernel looks for threads, since it knows who is ready; what is to be done is an [`Output`].

use testbed_definitions::ids::ProcessId;
use testbed_definitions::processors::Processors;
use testbed_definitions::request::{Wanted, KEPT};

use crate::{Processor, ThreadNumber};

/// Who waits for the answer: bits that the kernel gives and gets back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Asker {
    /// Thread and processor.
    pub who: u32,
    pub process: ProcessId,
}

/// A request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Request {
    pub wanted: Wanted,
    pub to: Processor,
    pub asker: Asker,
}

/// The thread that a request would move now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Choice {
    /// This one, which can leave.
    Thread(ThreadNumber),
    /// None yet.
    Later,
    /// The thread that it names is not here, or may not move.
    Never,
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    Nothing,
    /// The thread leaves; [`Requests::gone`] when it has left.
    Send {
        thread: ThreadNumber,
        to: Processor,
    },
    /// Behind the thread's last packet, the destination is told that it answers for it.
    Follow {
        thread: ThreadNumber,
        to: Processor,
        asker: Asker,
    },
    /// The answer: no thread moves. `expired`: none could in time; otherwise none may.
    Refuse {
        asker: Asker,
        expired: bool,
    },
    /// The answer: the standing request holds from now on.
    Accept {
        asker: Asker,
    },
}

/// Where threads start that are created here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Standing {
    places: Processors,
    next: Processor,
    until: u64,
}

/// What became of a request so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Slot {
    Free,
    /// It expires at this time.
    Waiting(Request, u64),
    /// This thread leaves for it.
    Leaving(Request, ThreadNumber),
    /// The thread that it names is not here any more: it is refused as soon as it is looked at.
    Lost(Request),
}

/// The requests that a slave has not answered, with as many places as the kernel has for them.
pub type Requests = RequestsIn<KEPT>;

/// The requests that a slave has not answered, in so many places.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RequestsIn<const PLACES: usize> {
    slots: [Slot; PLACES],
    standing: Option<Standing>,
}

impl<const PLACES: usize> Default for RequestsIn<PLACES> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<const PLACES: usize> RequestsIn<PLACES> {
    pub const NONE: Self = RequestsIn { slots: [Slot::Free; PLACES], standing: None };

    /// Whether all have been answered.
    pub fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| *slot == Slot::Free)
    }

    /// Places of requests; which of them wait says [`Self::wanted`].
    pub const fn places() -> core::ops::Range<usize> {
        0..PLACES
    }

    /// A request has come: it waits until `deadline`, or holds so long.
    pub fn come(&mut self, request: Request, deadline: u64) -> Output {
        if let Wanted::Created(places) = request.wanted {
            let standing = Standing { places, next: request.to, until: deadline };
            self.standing = (!places.is_empty()).then_some(standing);
            return Output::Accept { asker: request.asker };
        }
        match self.slots.iter_mut().find(|slot| **slot == Slot::Free) {
            Some(slot) => {
                *slot = Slot::Waiting(request, deadline);
                Output::Nothing
            }
            None => Output::Refuse { asker: request.asker, expired: false },
        }
    }

    /// A thread is created here, and would start here: where it starts by the standing request, if
    /// there is one.
    #[inline]
    pub fn birthplace(&mut self, now: impl FnOnce() -> u64) -> Option<Processor> {
        self.standing.as_ref()?;
        self.next_place(now())
    }

    #[cold]
    fn next_place(&mut self, now: u64) -> Option<Processor> {
        self.standing = self.standing.filter(|standing| now < standing.until);
        let standing = self.standing.as_mut()?;
        let place = standing.next;
        standing.next = standing.places.after(place);
        Some(place)
    }

    /// Which thread the request at this place waits for; `None` if none waits there.
    pub fn wanted(&self, place: usize) -> Option<Wanted> {
        match self.slots[place] {
            Slot::Waiting(request, _) | Slot::Lost(request) => Some(request.wanted),
            Slot::Free | Slot::Leaving(..) => None,
        }
    }

    /// What the kernel has for the request that waits at this place.
    pub fn choose(&mut self, place: usize, choice: Choice, now: u64) -> Output {
        let (request, deadline, choice) = match self.slots[place] {
            Slot::Waiting(request, deadline) => (request, deadline, choice),
            Slot::Lost(request) => (request, 0, Choice::Never),
            Slot::Free | Slot::Leaving(..) => return Output::Nothing,
        };
        match choice {
            Choice::Thread(thread) => {
                self.slots[place] = Slot::Leaving(request, thread);
                Output::Send { thread, to: request.to }
            }
            Choice::Later if now < deadline => Output::Nothing,
            Choice::Later | Choice::Never => {
                self.slots[place] = Slot::Free;
                Output::Refuse { asker: request.asker, expired: choice == Choice::Later }
            }
        }
    }

    /// The last packet of a thread has left, for a request or for another reason.
    pub fn gone(&mut self, thread: ThreadNumber) -> Output {
        match self.release(thread) {
            Some(request) => Output::Follow { thread, to: request.to, asker: request.asker },
            None => Output::Nothing,
        }
    }

    /// A thread has ended here, whatever it did: it may have been about to leave, or a request may
    /// wait for it.
    pub fn ended(&mut self, thread: ThreadNumber) -> Output {
        match self.release(thread) {
            Some(request) => Output::Refuse { asker: request.asker, expired: false },
            None => Output::Nothing,
        }
    }

    /// When those that wait have to be looked at, if nothing else happens: when the first expires,
    /// or at once (0) if one waits for a thread that is not here any more.
    pub fn due(&self) -> Option<u64> {
        let deadlines = self.slots.iter().filter_map(|slot| match slot {
            Slot::Waiting(_, deadline) => Some(*deadline),
            Slot::Lost(_) => Some(0),
            Slot::Free | Slot::Leaving(..) => None,
        });
        deadlines.min()
    }

    /// A thread is not here any more. Frees the place of the request for which it left.
    fn release(&mut self, thread: ThreadNumber) -> Option<Request> {
        for slot in &mut self.slots {
            match *slot {
                Slot::Waiting(request, _) if request.wanted == Wanted::Thread(thread) => *slot = Slot::Lost(request),
                _ => {}
            }
        }
        let leaves = |slot: &&mut Slot| matches!(**slot, Slot::Leaving(_, leaving) if leaving == thread);
        let slot = self.slots.iter_mut().find(leaves)?;
        match core::mem::replace(slot, Slot::Free) {
            Slot::Leaving(request, _) => Some(request),
            _ => None,
        }
    }
}
