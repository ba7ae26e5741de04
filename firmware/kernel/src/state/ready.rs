//! The ready threads: a ring, in which the running thread stays, first of all. So a yield only goes
//! on to the next, and what becomes ready joins behind the last. Links are addresses of control
//! blocks, for `trap.s` to follow.

use core::marker::PhantomData;

use crate::arch::hw;
use crate::state::thread::Tcb;

#[derive(Default)]
pub struct Ready {
    /// Address of the first thread's control block, 0 if none is ready. The kernel is told it on
    /// entry: `trap.s` goes from one to the next by itself.
    first: u32,
}

/// Proof that no thread is ready: who has it has looked, and nobody can have made one ready since, for
/// it borrows the ring. Without it nobody sleeps.
pub struct Nothing<'a>(PhantomData<&'a Ready>);

impl hw::NothingToDo for Nothing<'_> {}

impl Ready {
    pub const fn new() -> Self {
        Ready { first: 0 }
    }

    /// Address of the first thread's control block, 0 if there is none.
    pub const fn address(&self) -> u32 {
        self.first
    }

    /// No thread is ready.
    pub const fn nothing(&self) -> Option<Nothing<'_>> {
        match self.first {
            0 => Some(Nothing(PhantomData)),
            _ => None,
        }
    }

    /// The first thread's control block.
    #[inline]
    pub fn front<'a>(&self, tcbs: &'a [Tcb]) -> Option<&'a Tcb> {
        (self.first != 0).then(|| Tcb::at(tcbs, self.first))
    }

    /// All of them, from the first on.
    pub fn iter<'a>(&self, tcbs: &'a [Tcb]) -> impl Iterator<Item = &'a Tcb> + Clone {
        let first = self.first;
        let after = move |address: &u32| Some(Tcb::at(tcbs, *address).next.get()).filter(|&next| next != first);
        core::iter::successors((first != 0).then_some(first), after).map(move |address| Tcb::at(tcbs, address))
    }

    /// How many there are.
    pub fn count(&self, tcbs: &[Tcb]) -> u32 {
        self.iter(tcbs).count() as u32
    }

    /// The thread at `address`, which has run until now, is the first.
    #[inline]
    pub fn enter<'a>(&mut self, tcbs: &'a [Tcb], address: u32) -> &'a Tcb {
        self.first = address;
        Tcb::at(tcbs, address)
    }

    /// Takes the thread at `address`, which has run until now, out; returns its index.
    #[inline]
    pub fn leave(&mut self, tcbs: &[Tcb], address: u32) -> u16 {
        let tcb = Tcb::at(tcbs, address);
        let (next, previous) = (tcb.next.get(), tcb.previous.get());
        if next == address {
            self.first = 0;
        } else {
            Tcb::at(tcbs, previous).next.set(next);
            Tcb::at(tcbs, next).previous.set(previous);
            self.first = next;
        }
        tcb.index()
    }

    /// The first becomes the last.
    pub fn rotate(&mut self, tcbs: &[Tcb]) {
        if self.first != 0 {
            self.first = Tcb::at(tcbs, self.first).next.get();
        }
    }

    /// Appends the thread whose control block is at this address of the table; it is in no queue.
    #[inline]
    pub fn push_address(&mut self, tcbs: &[Tcb], new: u32) {
        let (first, last) = match self.first {
            0 => (new, new),
            first => (first, Tcb::at(tcbs, first).previous.replace(new)),
        };
        Tcb::at(tcbs, last).next.set(new);
        let tcb = Tcb::at(tcbs, new);
        tcb.next.set(first);
        tcb.previous.set(last);
        self.first = first;
    }

    /// Appends two threads that are in no queue.
    #[inline]
    pub fn push_pair(&mut self, tcbs: &[Tcb], a: &Tcb, b: &Tcb) {
        let (first_new, last_new) = (a.address(), b.address());
        let (first, last) = match self.first {
            0 => (first_new, last_new),
            first => (first, Tcb::at(tcbs, first).previous.replace(last_new)),
        };
        a.next.set(last_new);
        a.previous.set(last);
        b.next.set(first);
        b.previous.set(first_new);
        if self.first != 0 {
            Tcb::at(tcbs, last).next.set(first_new);
        }
        self.first = first;
    }

    /// The thread `own`, which has run until now, becomes the last, and before it comes `other`, which
    /// is in no queue.
    #[inline(always)]
    pub fn meet(&mut self, tcbs: &[Tcb], other: &Tcb, own: &Tcb) {
        let previous = own.previous.replace(other.address());
        other.previous.set(previous);
        other.next.set(own.address());
        Tcb::at(tcbs, previous).next.set(other.address());
        // Its neighbour is `other` if it was alone.
        self.first = own.next.get();
    }

    /// Thread `index`, which is in the ring, becomes the first; the others stay in their order. It is
    /// appended, and the ring begins with the last.
    pub fn put_first(&mut self, tcbs: &[Tcb], index: u16) {
        self.remove(tcbs, index);
        let address = tcbs[index as usize].address();
        self.push_address(tcbs, address);
        self.first = address;
    }

    /// Takes out thread `index`, which is in the ring.
    pub fn remove(&mut self, tcbs: &[Tcb], index: u16) {
        let tcb = &tcbs[index as usize];
        if tcb.yielded.take() != 0 {
            tcb.context().answer(Ok(0));
        }
        let address = tcb.address();
        let first = self.first;
        self.leave(tcbs, address);
        if first != address {
            self.first = first;
        }
    }
}
