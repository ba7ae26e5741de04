//! System calls, as their two tables: [`CALLS`] has those that are made as functions are, [`serve`]
//! those that save all registers.

use testbed_definitions::csr;
use testbed_definitions::event::{self, DIAG_PROFILE};

use crate::arch::hw;
use crate::dispatch::entry::CALL_COUNT;
use crate::dispatch::extended::calls::{alt, delay, serve};
use crate::dispatch::quick::{clock, identity, receive, send, send_event, write, yield_now};
use crate::drivers::events;
use crate::state::call::Outcome;
use crate::state::kernel::{Index, Kernel};

/// A call that is made as a function is: its arguments, the address of the thread's control block,
/// and its number. Returns the address of the control block of the thread that goes on, or 0.
pub type Call = extern "C" fn(u32, u32, u32, u32, u32, u32, u32, u32) -> u32;

/// The calls from [`SEND`](testbed_definitions::syscall::SEND) to
/// [`DELAY`](testbed_definitions::syscall::DELAY), in the order of their numbers: `trap.s` finds
/// them by number, so another one needs a number beside theirs ([`CALL_COUNT`]).
#[no_mangle]
static CALLS: [Call; CALL_COUNT] = [send, receive, send_event, write, yield_now, clock, identity, alt, delay];

impl Kernel {
    /// Does what the thread, which is in no queue, stopped for.
    pub fn service(&mut self, index: Index, cause: u32) {
        if self.tcb_of(index).has_overflowed() {
            return self.end_for_overflow(index);
        }
        if cause == csr::cause::ECALL_U {
            self.call(index);
        } else if !self.page_fault(index, cause) {
            self.end_for_fault(index, cause, hw::trap_value());
        }
    }

    #[inline(never)]
    fn call(&mut self, index: Index) {
        if !self.net.has_room() {
            // Rather than lose a token.
            return self.put_off(index);
        }
        let context = self.tcb_of(index).context();
        context.pass_call();
        let arguments = core::array::from_fn(|i| context.argument(i));
        let number = context.call_number();
        match serve(self, index, number, arguments) {
            Outcome::Done(result) => return self.finish(index, result),
            Outcome::Both(first, second) => {
                context.answer_also(second);
                return self.finish(index, Ok(first));
            }
            Outcome::Waits => {}
            Outcome::Again => {
                context.repeat_call();
                return self.put_off(index);
            }
        }
        if self.tcb_of(index).state().is_told_by_call() {
            events::emit_with(DIAG_PROFILE, event::BLOCKED, number as u16);
        }
    }
}
