//! What the small kernel has instead of shared pages, moving threads and alternatives, which do not fit into 28 KiB.
//!
//! Every processor has the host's program in RAM and makes its own process of it: code where it lies, data copied, so that threads of
//! a processor share data and those of different processors share channels only. Threads stay where they were created.

use testbed_definitions::syscall::Error;

use crate::centrenet::Packet;
use crate::kernel::{Index, Kernel};
use crate::process::Process;
use crate::thread::Tcb;

pub mod alternatives {
    //! There are no alternatives.
    use super::*;

    /// The channels of a thread's alternative.
    #[derive(Clone, Copy)]
    pub struct List;

    impl List {
        pub const NONE: List = List;
    }

    impl Kernel {
        pub fn chosen(&mut self, _: Index, _: u8) {}
        pub fn alt_timeout(&mut self, _: Index) {}
        pub fn end_alternative(&mut self, _: Index) {}
    }
}

pub mod migrate {
    //! Threads stay where they are, and so do their channels' ends.
    use super::*;
    use crate::threads::Birth;
    use testbed_protocol::Processor;

    impl Kernel {
        pub fn migrate_request(&mut self, index: Index, _: u32, _: i32, _: i32) {
            self.finish(index, Err(Error::UnknownCall));
        }
        pub fn serve_migrate(&mut self, _: u16, _: &Packet) {}
        pub fn serve_ends(&mut self, _: u16, _: &Packet) {}
        pub fn pack(&mut self, _: Index) -> bool {
            false
        }
        pub fn gone(&mut self, _: Index) {}
        pub fn unpark(&mut self) {}
        pub fn adopt_ends(&mut self, _: Index) {}
        pub fn return_ends(&mut self, _: Index) -> bool {
            true
        }
        pub fn send_ends(&mut self, _: Birth, _: Processor, _: Option<Error>) -> Result<bool, Error> {
            Ok(false)
        }
    }
}

pub mod paging {
    //! Pages are here or nowhere.
    use super::*;
    use testbed_kernel_core::page_map::allows;

    #[derive(Clone, Copy)]
    pub struct Announced;

    /// How a thread that waits for a page goes on.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Resume {
        Call,
    }

    /// Whether memory that a call names can be used.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Access {
        Here,
        /// Never here.
        #[allow(dead_code)]
        Coming,
        Refused(Error),
    }

    impl Kernel {
        pub fn page_fault(&mut self, _: Index, _: u32) -> bool {
            false
        }
        #[inline]
        pub fn ensure(&mut self, index: Index, address: u32, bytes: u32, access: u32) -> Access {
            match allows(self.tcbs[index as usize].process.map(), address, bytes, access) {
                true => Access::Here,
                false => Access::Refused(Error::BadPointer),
            }
        }
        #[inline]
        pub fn ensure_for(&mut self, _: Index, _: u32, _: [u32; 5]) -> bool {
            true
        }
        pub fn ask_for_page(&mut self, _: Process, _: u32, _: bool) {}
        pub fn serve_page(&mut self, _: u16, _: &Packet) {}
        pub fn serve_page_data(&mut self, _: &Packet) {}
    }
}

pub mod keeping {
    //! No page is kept for anybody.
    use super::*;

    /// Of a thread.
    #[derive(Clone, Copy)]
    pub struct Keeping;

    impl Keeping {
        pub const NONE: Keeping = Keeping;
    }

    /// Every time-slice is a whole one.
    #[derive(Clone, Copy)]
    pub struct Slice;

    impl Slice {
        pub const NONE: Slice = Slice;
    }

    impl Tcb {
        pub fn start_of_slice(&self, now: u32) -> u32 {
            now
        }
    }

    impl Kernel {
        pub fn put_keeper_first(&mut self, _: u32) {}
        pub fn watch_keeper(&mut self) -> bool {
            false
        }
        pub fn look_at_keeper(&mut self) {}
        pub fn forget_keeper(&mut self, _: Index) {}
    }
}

pub mod staging {
    //! Nothing has to wait for a page.
    use super::*;

    impl Kernel {
        pub fn stage(&mut self, _: Index, _: u32, _: u32, _: &Packet, _: usize) -> bool {
            true
        }
        #[inline]
        pub fn finish_staged(&mut self, index: Index, result: Result<u32, Error>) {
            self.finish(index, result);
        }
        pub fn out_of_memory(&mut self, _: Process) {}
        pub fn end_for_memory(&mut self, _: u16) {}
        pub fn end_doomed(&mut self) {}
        pub fn drop_staged(&mut self, _: Index) {}
    }
}

pub mod estate {
    //! The home knows which pages are stacks, wherever they are.
    use super::*;
    use crate::threads::Death;
    use testbed_definitions::page::{DATA_BASE, PAGE_BYTES, PAGE_SHIFT, VIRTUAL_BYTES};
    use testbed_protocol::Processor;

    const DATA_PAGES: usize = ((VIRTUAL_BYTES - DATA_BASE) / PAGE_BYTES) as usize;

    /// On the home of a process: a bit for each data page that has been given out.
    pub struct Estate([u32; DATA_PAGES / 32]);

    impl Estate {
        /// For each page from `start` to `end - 1`: its word and its bit.
        fn each(&mut self, start: u32, end: u32, mut what: impl FnMut(&mut u32, u32)) {
            let index = |address: u32| ((address - DATA_BASE) >> PAGE_SHIFT) as usize;
            for page in index(start)..index(end + PAGE_BYTES - 1) {
                what(&mut self.0[page / 32 % (DATA_PAGES / 32)], 1 << (page % 32));
            }
        }

        /// New pages: all of them or none.
        pub fn register(&mut self, start: u32, end: u32, _: Processor) -> Result<(), Error> {
            let mut free = true;
            self.each(start, end, |word, bit| free &= *word & bit == 0);
            if !free {
                return Err(Error::BadPointer);
            }
            self.each(start, end, |word, bit| *word |= bit);
            Ok(())
        }

        fn free(&mut self, (top, count): (u32, u32)) {
            self.each(top - count * PAGE_BYTES, top, |word, bit| *word &= !bit);
        }
    }

    impl Kernel {
        pub fn free_unmade(&mut self, process: Process, stack: (u32, u32)) {
            if let Some(estate) = process.estate() {
                estate.free(stack);
            }
        }

        pub fn bury(&mut self, death: Death, _: Processor) -> Option<Index> {
            let mut process = self.process(death.process)?;
            process.estate()?.free((death.stack, death.pages));
            process.take_back(death.number);
            self.mourn(death)
        }
    }
}
