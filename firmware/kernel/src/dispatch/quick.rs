//! Calls that are made as functions are: with the arguments in registers, and with most registers
//! unsaved. So they must not look at the caller's context but for its results, nor let the thread
//! go anywhere before they return. Which they are says [`crate::dispatch::calls::CALLS`].

use testbed_definitions::ids::Channel;
use testbed_definitions::syscall::Error;
use testbed_definitions::{event, syscall};
use testbed_kernel_core::page_map::{allows, READ};

use crate::arch::{hw, memory};
use crate::dispatch::entry::{kernel, tcb};
use crate::drivers::events::{self, Classes, AWAITING, COUNTING};
use crate::services::short::{Meeting, Way};
use crate::state::call::NO_MEMORY;
use crate::state::kernel::Kernel;
use crate::state::policy;
use crate::variant;

/// Serves a call that may block the thread, or let another go on.
#[inline(always)]
pub fn blocking(thread: u32, arguments: [u32; 5], number: u32, serve: impl FnOnce(&mut Kernel, u32)) -> u32 {
    let kernel = kernel();
    kernel.ready.leave(kernel.tcbs, thread);
    let pc = tcb(thread).context().saved_pc();
    if kernel.net.has_room() {
        serve(kernel, thread);
    } else {
        // Rather than lose a token.
        tcb(thread).context().repeat_call();
        kernel.put_off(tcb(thread).index());
    }
    if tcb(thread).context().saved_pc() != pc {
        let [a0, a1, a2, a3, a4] = arguments;
        return again(thread, a0, a1, a2, a3, a4, number);
    }
    kernel.go_on()
}

/// The call is to be made again: the thread gets its arguments back, which have waited in registers.
#[cold]
#[inline(never)]
fn again(thread: u32, a0: u32, a1: u32, a2: u32, a3: u32, a4: u32, number: u32) -> u32 {
    tcb(thread).context().restore_arguments([a0, a1, a2, a3, a4], number);
    // What it has asked for leaves before another thread goes on.
    if variant::PAGES_GO && !policy::tos94() {
        kernel().hand_over();
    }
    0
}

/// Answers a call at once.
#[inline(always)]
pub fn answer(thread: u32, result: Result<u32, Error>) -> u32 {
    tcb(thread).context().answer(result);
    thread
}

pub extern "C" fn send(a0: u32, a1: u32, a2: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    communicate::<true>(thread, a0, a1, a2)
}

pub extern "C" fn receive(a0: u32, a1: u32, a2: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    communicate::<false>(thread, a0, a1, a2)
}

/// Serves a request to send or to receive: in line if it goes the short way, so that no registers
/// need be saved for what others want.
#[inline(always)]
fn communicate<const SEND: bool>(thread: u32, channel: u32, buffer: u32, length: u32) -> u32 {
    if !variant::IN_LINE {
        return at_length(channel, buffer, length, SEND, false, thread);
    }
    let (kernel, classes) = (kernel(), Classes::now());
    match kernel.communicate_shortly::<SEND>(classes, thread, (channel, buffer, length)) {
        Way::Waits => kernel.go_on_with(classes),
        Way::Meets(meeting) if meeting.is_word() => {
            // SAFETY: these are words of pages of the threads'.
            unsafe { (meeting.to as *mut u32).write_volatile((meeting.from as *const u32).read_volatile()) };
            kernel.meet(classes, thread, meeting.theirs, 4);
            kernel.go_on_with(classes)
        }
        Way::Meets(Meeting { theirs, from, to, bytes }) => meet_copying(thread, theirs, from, to, bytes),
        // Apart, so that which of them it is takes no register before.
        Way::Long { told: false } => at_length(channel, buffer, length, SEND, false, thread),
        Way::Long { told: true } => at_length_told::<SEND>(channel, buffer, length, 0, 0, 0, thread),
    }
}

/// Two partners meet for a message that is not just a word.
#[inline(never)]
fn meet_copying(thread: u32, theirs: u32, from: u32, to: u32, bytes: u32) -> u32 {
    let (kernel, classes) = (kernel(), Classes::now());
    // SAFETY: the parts lie in pages of the threads'.
    unsafe { memory::copy_short(from, to, bytes) };
    kernel.meet(classes, thread, theirs, bytes);
    kernel.go_on_with(classes)
}

/// [`at_length`] of a request whose event has been emitted, with the arguments where [`send`] has
/// them.
#[inline(never)]
extern "C" fn at_length_told<const SEND: bool>(a0: u32, a1: u32, a2: u32, _: u32, _: u32, _: u32, thread: u32) -> u32 {
    at_length(a0, a1, a2, SEND, true, thread)
}

/// Serves a request to send, or to receive, the long way, which both have in common. `told`: its
/// event has been emitted.
#[cfg_attr(not(feature = "small"), inline(never))]
#[cfg_attr(feature = "small", inline(always))]
fn at_length(channel: u32, buffer: u32, length: u32, send: bool, told: bool, thread: u32) -> u32 {
    let number = if send { syscall::SEND } else { syscall::RECEIVE };
    blocking(thread, [channel, buffer, length, 0, 0], number, |kernel, thread| {
        if !told {
            events::request(!send, Channel::new(channel as u8));
        }
        kernel.communicate(send, thread, channel, buffer, length);
    })
}

pub extern "C" fn send_event(a0: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    answer(thread, kernel().send_event(a0))
}

pub extern "C" fn write(a0: u32, a1: u32, a2: u32, _: u32, _: u32, _: u32, thread: u32, number: u32) -> u32 {
    let index = tcb(thread).index();
    if allows(tcb(thread).process().map(), a0, a1, READ) {
        let result = kernel().write(index, a0, a1, a2);
        return answer(thread, result);
    }
    if !variant::PAGES_GO {
        return answer(thread, Err(Error::BadPointer));
    }
    let arguments = [a0, a1, a2, 0, 0];
    blocking(thread, arguments, number, |kernel, thread| {
        let index = tcb(thread).index();
        if kernel.ensure_for(index, [(a0, a1, READ), NO_MEMORY]) {
            let result = kernel.write(index, a0, a1, a2);
            kernel.finish(index, result);
        }
    })
}

pub extern "C" fn yield_now(_: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    answer(thread, Ok(0));
    let kernel = kernel();
    let yielding = kernel.ready.enter(kernel.tcbs, thread);
    if events::enabled(COUNTING) {
        kernel.count_yield();
    }
    if events::enabled(event::DIAG_READY | AWAITING) {
        kernel.joins_ready(yielding);
    }
    kernel.ready.rotate(kernel.tcbs);
    kernel.go_on()
}

pub extern "C" fn clock(_: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    let (milliseconds, microseconds) = kernel().clock.at(hw::now());
    tcb(thread).context().answer_also(microseconds);
    answer(thread, Ok(milliseconds))
}

pub extern "C" fn identity(a0: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    let index = tcb(thread).index();
    answer(thread, kernel().identity(index, a0))
}
