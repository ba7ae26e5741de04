//! What the small kernel does instead of shared pages, moving threads and alternatives, which do
//! not fit into 28 KiB.
//!
//! Every processor has the host's program in RAM and makes its own process of it: code where it
//! lies, data copied, so that threads of a processor share data and those of different processors
//! share channels only. Threads stay where they were created.

pub mod alternatives {
    //! There are no alternatives.
    use testbed_definitions::ids::Channel;

    use crate::state::kernel::{Index, Kernel};

    impl Kernel {
        pub fn chosen(&mut self, _: Index, _: Channel) {}
        pub fn alt_timeout(&mut self, _: Index) {}
        pub fn end_alternative(&mut self, _: Index) {}
    }
}

pub mod collect {
    //! Nobody collects.
    use crate::state::kernel::Kernel;
    use crate::state::process::Process;

    impl Kernel {
        pub fn stop_collecting(&self, _: Process) {}
    }
}

pub mod estate;

pub mod streams {
    //! There are no files that could be read and written.
    use testbed_definitions::syscall::Error;

    use crate::state::kernel::{Index, Kernel};

    impl Kernel {
        pub fn write_led(&mut self, _: Index, _: (u32, u32), _: bool) -> Option<Result<u32, Error>> {
            None
        }
    }
}

pub mod exchange {
    //! There are no groups of processes.
    use testbed_definitions::ids::ProcessId;

    use crate::drivers::packet::Packet;
    use crate::state::kernel::Kernel;
    use crate::state::thread::Tcb;

    impl Kernel {
        pub fn ended_for_groups(&mut self, _: ProcessId) {}
        pub fn ended_for_held(&mut self, _: ProcessId) {}
        pub fn serve_superstep(&mut self, _: &Packet) {}
        pub fn serve_datagram(&mut self, _: &Packet) {}
        pub fn round_over(&mut self, _: u16) {}
        pub fn look_at_leaving(&mut self) {}
        pub fn pump_exchange(&mut self, _: &Tcb) -> bool {
            false
        }
    }
}

pub mod faults {
    //! Threads are named by their numbers, and no stack is looked at.
    use testbed_definitions::ids::ProcessId;

    use crate::state::kernel::{Index, Kernel};

    impl Kernel {
        pub fn put_owner(&mut self, _: ProcessId) {}
        pub fn end_for_memory(&mut self, _: ProcessId) {}
        pub fn end_for_overflow(&mut self, _: Index) {}
    }
}

pub mod input {
    //! There is no console input.
    use crate::state::kernel::{Index, Kernel};

    impl Kernel {
        pub fn end_reading(&mut self, _: Index) {}
        pub fn serve_readers(&mut self) {}
        pub fn serve_input(&mut self) {}
    }
}

pub mod invoke;

pub mod keeping {
    //! No page is kept for anybody.
    use crate::state::kernel::Kernel;
    use crate::state::thread::Tcb;

    impl Kernel {
        pub fn put_keeper_first(&mut self, _: u32) {}
        pub fn watch_keeper(&mut self) -> bool {
            false
        }
        pub fn look_at_keeper(&mut self) {}
        pub fn release_pages(&mut self) {}
        pub fn forget_keeper(&mut self, _: &Tcb) {}
    }
}

pub mod migrate {
    //! Threads stay where they are, and so do their channels' ends.
    use testbed_definitions::ids::{ProcessId, Processor};
    use testbed_definitions::syscall::Error;

    use crate::drivers::packet::Packet;
    use crate::state::family::Birth;
    use crate::state::kernel::{Index, Kernel};

    impl Kernel {
        pub fn serve_migrate(&mut self, _: ProcessId, _: &Packet) {}
        pub fn serve_ends(&mut self, _: ProcessId, _: &Packet) {}
        pub fn pack(&mut self, _: Index, _: u32) -> bool {
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

pub mod mount {
    //! There are no files.
    use crate::drivers::packet::Packet;
    use crate::state::kernel::Kernel;

    impl Kernel {
        pub fn serve_file(&mut self, _: &Packet) {}
        pub fn pump_files(&mut self) {}
    }
}

pub mod moves {
    //! Nobody asks for threads to move.
    use crate::state::kernel::Kernel;

    impl Kernel {
        pub fn serve_moves(&mut self) {}
    }
}

pub mod sampling {
    //! Nobody is told of the load.
    use crate::arch::hw::{self, Vector};
    use crate::drivers::events::{self, YIELDS};
    use crate::state::kernel::Kernel;

    impl Kernel {
        pub fn tell_agent(&mut self) {
            if !events::enabled(YIELDS) {
                hw::set_vector(Vector::Quick);
            }
        }
        pub fn serve_agent(&mut self) {}
    }
}

pub mod paging {
    //! Pages are here or nowhere.
    use testbed_definitions::ids::ProcessId;
    use testbed_definitions::syscall::Error;
    use testbed_kernel_core::page_map::allows;

    use crate::drivers::packet::Packet;
    use crate::state::call::{Access, Range};
    use crate::state::kernel::{Index, Kernel};
    use crate::state::process::Process;

    impl Kernel {
        pub fn page_fault(&mut self, _: Index, _: u32) -> bool {
            false
        }
        #[inline]
        pub fn ensure(&mut self, index: Index, address: u32, bytes: u32, access: u32) -> Access {
            match allows(self.tcb_of(index).process().map(), address, bytes, access) {
                true => Access::Here,
                false => Access::Refused(Error::BadPointer),
            }
        }
        #[inline]
        pub fn ensure_for(&mut self, _: Index, _: [Range; 2]) -> bool {
            true
        }
        pub fn ask_for_page(&mut self, _: Process, _: u32, _: bool) {}
        pub fn serve_page(&mut self, _: ProcessId, _: &Packet) {}
        pub fn serve_page_data(&mut self, _: &Packet) {}
    }
}

pub mod requests {
    //! Processes are not asked for anything.
    use crate::state::kernel::Kernel;
    use crate::state::place::Who;

    impl Kernel {
        pub fn suspend_all(&mut self) {}
        pub fn reply(&mut self, _: Who, _: u32, _: u32) {}
    }
}

pub mod runs;

pub mod staging {
    //! Nothing has to wait for a page.
    use testbed_definitions::syscall::Error;

    use crate::drivers::packet::Packet;
    use crate::state::kernel::{Index, Kernel};
    use crate::state::process::Process;

    impl Kernel {
        pub fn stage(&mut self, _: Index, _: u32, _: u32, _: &Packet, _: usize) -> bool {
            true
        }
        #[inline]
        pub fn finish_staged(&mut self, index: Index, result: Result<u32, Error>) {
            self.finish(index, result);
        }
        pub fn out_of_memory(&mut self, _: Process) {}
        pub fn drop_staged(&mut self, _: Index) {}
    }
}
