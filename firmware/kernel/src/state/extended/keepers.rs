//! All for whom pages are kept: lists of threads and of processes, whose links are in their control
//! blocks and records.

use testbed_kernel_core::queue::NONE;

use crate::state::process::Process;
use crate::state::thread::Tcb;

/// The threads for which pages have come, the last one first, and the processes whose homes have
/// not been told of all that have.
pub struct Keepers {
    /// The first of the threads.
    first: u16,
    /// The first of the processes.
    owing: Process,
    /// A thread for which pages have come has gone: some may be kept for nobody.
    gone: bool,
}

impl Keepers {
    pub const NONE: Keepers = Keepers { first: NONE, owing: Process::NONE, gone: false };

    /// A page of the process's has come for this thread, which repeats what is at `pc`; `None`: it
    /// repeats nothing.
    #[inline(always)]
    pub fn keep(&mut self, process: Process, page: u16, tcb: &Tcb, pc: Option<u32>) {
        let owed = process.owed();
        if owed.insert(page) {
            owed.next.set(core::mem::replace(&mut self.owing, process));
        }
        let keeping = tcb.keeping();
        if keeping.is_empty() {
            keeping.next.set(core::mem::replace(&mut self.first, tcb.index()));
        }
        keeping.come(page, pc);
    }

    /// The threads, the last one first. The one that has been given out may be forgotten.
    #[inline(always)]
    pub fn threads(&self, tcbs: &'static [Tcb]) -> impl Iterator<Item = &'static Tcb> {
        let mut next = self.first;
        core::iter::from_fn(move || {
            let tcb = (next != NONE).then(|| &tcbs[next as usize])?;
            next = tcb.keeping().next.get();
            Some(tcb)
        })
    }

    /// The processes.
    #[inline(always)]
    pub fn owing(&self) -> impl Iterator<Item = Process> {
        let mut next = self.owing;
        core::iter::from_fn(move || {
            let process = (next != Process::NONE).then_some(next)?;
            next = process.owed().next.get();
            Some(process)
        })
    }

    /// Nothing is kept for a thread any more, for which something has come.
    #[cold]
    #[inline(never)]
    pub fn forget_thread(&mut self, tcbs: &'static [Tcb], tcb: &Tcb) {
        let (index, next) = (tcb.index(), tcb.keeping().next.get());
        if self.first == index {
            self.first = next;
        } else if let Some(before) = self.threads(tcbs).find(|before| before.keeping().next.get() == index) {
            before.keeping().next.set(next);
        }
        tcb.keeping().clear();
        self.gone = true;
    }

    /// The home is told of a page.
    #[inline(always)]
    pub fn settle(&mut self, process: Process, page: u16) {
        if process.owed().remove(page) {
            self.forget_process(process);
        }
    }

    /// The process ends, or its home has been told of all its pages.
    pub fn forget_process(&mut self, process: Process) {
        let next = process.owed().next.get();
        if self.owing == process {
            self.owing = next;
        } else if let Some(before) = self.owing().find(|before| before.owed().next.get() == process) {
            before.owed().next.set(next);
        }
    }

    /// Whether a thread has gone since [`Self::all_are_there`].
    pub fn has_one_gone(&self) -> bool {
        self.gone
    }

    /// Nothing is kept for a thread that has gone. `true`: homes have been told of all pages.
    pub fn all_are_there(&mut self) -> bool {
        self.gone = false;
        self.owing == Process::NONE
    }
}
