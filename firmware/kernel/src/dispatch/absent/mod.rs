//! The calls and packets of the small kernel.

pub mod calls {
    use testbed_definitions::syscall::{self, Error};

    use crate::dispatch::quick::answer;
    use crate::dispatch::table::calls;
    use crate::state::call::Outcome;
    use crate::state::kernel::{Index, Kernel};

    calls! {
        (kernel, thread, [a0, a1, a2, a3, a4])
        EXIT   [] kernel.exit(thread, a0);
        CREATE [] kernel.create(thread, a0, a1, a2 as i32, (a3, a4));
        WAIT   [] kernel.wait(thread);
    }

    /// A call that is not known here.
    pub extern "C" fn alt(_: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
        answer(thread, Err(Error::UnknownCall))
    }
    pub use alt as delay;
}

pub mod ends {
    use crate::state::kernel::Kernel;

    impl Kernel {
        pub fn end_all(&mut self) {}
    }
}

pub mod packets {
    use testbed_definitions::ids::ProcessId;
    use testbed_definitions::mpc::process as layout;

    use crate::drivers::packet::Packet;
    use crate::state::kernel::Kernel;

    impl Kernel {
        pub fn serve_request_packet(&mut self, id: ProcessId, operation: u8, bytes: usize, packet: &Packet) {
            if (operation, bytes) == (layout::KILL, layout::REQUEST_BYTES) {
                self.end_process(id, packet.word(layout::VALUE));
            }
        }
    }
}
