//! Threads whose ends services leave to be done ([`crate::state::effects`]).

use crate::state::thread::Tcb;

/// A list of threads that are in no other: addresses of control blocks, whose `next` leads on.
pub struct Ends {
    /// 0: none.
    first: u32,
}

impl Ends {
    pub const NONE: Ends = Ends { first: 0 };

    /// Appends a thread.
    pub fn put(&mut self, tcbs: &'static [Tcb], tcb: &Tcb) {
        tcb.link_end(0);
        match self.addresses(tcbs).last() {
            None => self.first = tcb.address(),
            Some(last) => Tcb::at(tcbs, last).link_end(tcb.address()),
        }
    }

    fn addresses(&self, tcbs: &'static [Tcb]) -> impl Iterator<Item = u32> {
        let some = |address: u32| (address != 0).then_some(address);
        core::iter::successors(some(self.first), move |&address| some(Tcb::at(tcbs, address).next_end()))
    }

    /// The first thread.
    pub fn take(&mut self, tcbs: &'static [Tcb]) -> Option<&'static Tcb> {
        let tcb = (self.first != 0).then(|| Tcb::at(tcbs, self.first))?;
        self.first = tcb.next_end();
        Some(tcb)
    }

    /// The thread has ended otherwise, if it is here: its process is over.
    pub fn forget(&mut self, tcbs: &'static [Tcb], gone: &Tcb) {
        if self.first == gone.address() {
            self.first = gone.next_end();
        } else if let Some(before) =
            self.addresses(tcbs).map(|address| Tcb::at(tcbs, address)).find(|tcb| tcb.next_end() == gone.address())
        {
            before.link_end(gone.next_end());
        }
    }
}
