//! Answers to threads that wait for a request.

use testbed_definitions::ids::{ProcessId, ThreadNumber};
use testbed_definitions::mpc::{self, process as layout};

use crate::state::kernel::Kernel;
use crate::state::place::Who;
use crate::state::thread::State;

impl Kernel {
    /// Answers a thread's request, wherever it waits.
    pub fn reply(&mut self, who: Who, result: u32, second: u32) {
        if who.thread == ThreadNumber::NOBODY {
            return;
        }
        if who.processor == self.me {
            return self.answered(who.process, who.thread, result, second);
        }
        let words = [mpc::operation_address(layout::REPLY, who.process), who.word(), result, second, 0, 0];
        self.net.queue_token(who.processor, mpc::PROCESS, words, layout::REPLY_BYTES);
    }

    /// The answer to a thread's request has come.
    pub fn answered(&mut self, id: ProcessId, thread: ThreadNumber, result: u32, second: u32) {
        let Some(index) = self.find(id, thread) else { return };
        let tcb = self.tcb_of(index);
        if tcb.state() == State::Asking {
            tcb.context().answer(Ok(result));
            tcb.context().answer_also(second);
            self.make_ready(index);
        }
    }
}
