//! Where `trap.s` enters the kernel. Threads are named by the addresses of their control blocks, here and there.
//!
//! The calls of [`CALLS`] are made as functions are: with the arguments in registers, and with most registers unsaved. So they must not look
//! at the caller's context but for its results, nor let the thread go anywhere before they return.

use core::arch::{asm, global_asm};
use core::mem::offset_of;
use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;
use testbed_definitions::syscall::{self, Error};
use testbed_definitions::{csr, event};
use testbed_kernel_core::page_map::{allows, READ};

use crate::kernel::Kernel;
use crate::process::Record;
use crate::service::code;
#[cfg(not(feature = "small"))]
use crate::thread::State;
use crate::thread::{Tcb, A0, A7, RESULT};
use crate::{events, hw, options};

global_asm!(
    include_str!("pairs.s"),
    include_str!("trap.s"),
    ".purgem load_pair",
    ".purgem store_pair",
    NEXT = const offset_of!(Tcb, next),
    YIELDED = const offset_of!(Tcb, yielded),
    START = const offset_of!(Tcb, start),
    PROCESS = const offset_of!(Tcb, process),
    BOTTOM = const offset_of!(Tcb, bottom),
    LOOKS_AT_SP = const !cfg!(feature = "small") as u32,
    MAP = const offset_of!(Record, map),
    PMBASE = const csr::PMBASE,
    ENABLE = const csr::PMBASE_ENABLE,
    ECALL_U = const csr::cause::ECALL_U,
    YIELD = const syscall::YIELD,
    FIRST_CALL = const syscall::SEND,
    CALLS = const CALL_COUNT,
    PACKETS = const csr::MCAUSE_INTERRUPT | csr::cause::EXTERNAL,
);

const _: () = assert!(align_of::<Tcb>() % 8 == 0 && offset_of!(Tcb, context) == 0, "`trap.s` moves registers in pairs");
const _: () = assert!(syscall::YIELD == csr::cause::ECALL_U, "`trap.s` compares the one with the other");

extern "C" {
    static KERNEL_END: u8;
    fn trap();
    fn trap_quick();
    fn resume() -> !;
}

/// Made at start-up, so that the image needn't hold it. Its name is [`testbed_kernel_core::layout::KERNEL`].
#[no_mangle]
static mut KERNEL: MaybeUninit<Kernel> = MaybeUninit::zeroed();

/// The kernel, for one entry.
#[inline(always)]
fn kernel() -> &'static mut Kernel {
    // SAFETY: entries do not nest, since the kernel takes no interrupts, and none of them keeps the reference. The first entry makes it.
    unsafe { (*addr_of_mut!(KERNEL)).assume_init_mut() }
}

/// After start-up: the first thread that runs here.
#[no_mangle]
extern "C" fn kernel_main() -> ! {
    // SAFETY: this is the first entry.
    let kernel = unsafe { Kernel::make((*addr_of_mut!(KERNEL)).as_mut_ptr()) };
    kernel.start(&raw const KERNEL_END as u32);
    kernel.start_program();
    kernel_next(0)
}

/// Packets have interrupted the running thread; or, with `thread` 0, none is running and the main loop has to find one.
#[no_mangle]
extern "C" fn kernel_next(thread: u32) -> ! {
    let kernel = kernel();
    if thread != 0 {
        kernel.ready.enter(kernel.tcbs, thread);
    }
    run(kernel.next(thread))
}

/// The timer has interrupted the running thread, it has faulted, or made a call that is not in the table.
#[no_mangle]
extern "C" fn kernel_service(thread: u32, cause: u32) -> ! {
    let kernel = kernel();
    // The timer goes on asking until somebody serves it: a thread that ends need not.
    if cause & csr::MCAUSE_INTERRUPT != 0 && !tcb(thread).has_overflowed() {
        kernel.ready.enter(kernel.tcbs, thread);
        let next = if kernel.timer_interrupt() { thread } else { 0 };
        if next == 0 || kernel.is_stuck() {
            kernel_next(next);
        }
        run(next);
    }
    let index = kernel.ready.leave(kernel.tcbs, thread);
    kernel.service(index, cause);
    match kernel.go_on() {
        0 => kernel_next(0),
        next => run(next),
    }
}

/// Leaves the kernel: the thread whose control block is at this address goes on.
#[inline(always)]
fn run(thread: u32) -> ! {
    // SAFETY: `resume` needs nothing of the kernel's stack, whose frames end here.
    unsafe { asm!("j {}", sym resume, in("a0") thread, options(noreturn)) }
}

/// Yields are done in `trap.s` alone, or not. Only where no event and no phase of the main loop has to come between.
pub fn yield_quickly(quickly: bool) {
    let vector = if quickly { trap_quick } else { trap };
    hw::set_trap_vector(vector as *const () as u32);
}

type Call = extern "C" fn(u32, u32, u32, u32, u32, u32, u32, u32) -> u32;
const CALL_COUNT: usize = (syscall::DELAY - syscall::SEND + 1) as usize;

/// From [`syscall::SEND`] to [`syscall::DELAY`].
#[no_mangle]
static CALLS: [Call; CALL_COUNT] = [send, receive, send_event, write, yield_now, clock, identity, alt, delay];

/// A call that the small kernel has not.
#[cfg(feature = "small")]
extern "C" fn alt(_: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    answer(thread, Err(Error::UnknownCall))
}
#[cfg(feature = "small")]
use alt as delay;

/// Serves a call that may block the thread, or let another go on.
#[inline(always)]
fn blocking(thread: u32, arguments: [u32; 5], number: u32, serve: impl FnOnce(&mut Kernel, u32)) -> u32 {
    let kernel = kernel();
    kernel.ready.leave(kernel.tcbs, thread);
    let pc = tcb(thread).context.pc;
    if kernel.net.has_room() {
        serve(kernel, thread);
    } else {
        // Rather than lose a token.
        tcb(thread).context.pc = pc - 4;
        kernel.put_off(tcb(thread).index);
    }
    if tcb(thread).context.pc != pc {
        return again(kernel, thread, arguments, number);
    }
    kernel.go_on()
}

/// The call is to be made again: the thread gets its arguments back.
#[cold]
#[inline(never)]
fn again(kernel: &mut Kernel, thread: u32, arguments: [u32; 5], number: u32) -> u32 {
    let context = &mut tcb(thread).context;
    context.pc &= !RESULT;
    (0..5).for_each(|i| context.set(A0 + i, arguments[i]));
    context.set(A7, number);
    // What it has asked for leaves before another thread goes on.
    if !cfg!(feature = "small") && !options::tos94() {
        kernel.hand_over();
    }
    0
}

/// Answers a call at once.
#[inline(always)]
fn answer(thread: u32, result: Result<u32, Error>) -> u32 {
    tcb(thread).context.set(A0, code(result));
    thread
}

#[inline(always)]
fn tcb(thread: u32) -> &'static mut Tcb {
    // SAFETY: `trap.s` names the running thread's control block; the reference is used for one statement.
    unsafe { &mut *(thread as *mut Tcb) }
}

extern "C" fn send(a0: u32, a1: u32, a2: u32, _: u32, _: u32, _: u32, thread: u32, number: u32) -> u32 {
    blocking(thread, [a0, a1, a2, 0, 0], number, |kernel, thread| kernel.send_request(thread, a0, a1, a2))
}

extern "C" fn receive(a0: u32, a1: u32, a2: u32, _: u32, _: u32, _: u32, thread: u32, number: u32) -> u32 {
    blocking(thread, [a0, a1, a2, 0, 0], number, |kernel, thread| kernel.receive_request(thread, a0, a1, a2))
}

#[cfg(not(feature = "small"))]
extern "C" fn alt(a0: u32, a1: u32, a2: u32, a3: u32, a4: u32, _: u32, thread: u32, number: u32) -> u32 {
    let arguments = [a0, a1, a2, a3, a4];
    blocking(thread, arguments, number, |kernel, thread| {
        let index = tcb(thread).index;
        if kernel.ensure_for(index, number, arguments) {
            kernel.alt_request(index, arguments);
        }
    })
}

#[cfg(not(feature = "small"))]
extern "C" fn delay(a0: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, number: u32) -> u32 {
    blocking(thread, [a0, 0, 0, 0, 0], number, |kernel, thread| {
        tcb(thread).state = State::Delayed;
        events::emit_with(event::DIAG_PROFILE, event::BLOCKED, number as u16);
        kernel.start_timer(tcb(thread).index, a0);
    })
}

extern "C" fn send_event(a0: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    answer(thread, kernel().send_event(a0))
}

extern "C" fn write(a0: u32, a1: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, number: u32) -> u32 {
    let Tcb { process, index, .. } = *tcb(thread);
    if allows(process.map(), a0, a1, READ) {
        let result = kernel().write(index, a0, a1);
        return answer(thread, result);
    }
    if cfg!(feature = "small") {
        return answer(thread, Err(Error::BadPointer));
    }
    let arguments = [a0, a1, 0, 0, 0];
    blocking(thread, arguments, number, |kernel, thread| {
        let index = tcb(thread).index;
        if kernel.ensure_for(index, number, arguments) {
            let result = kernel.write(index, a0, a1);
            kernel.finish(index, result);
        }
    })
}

extern "C" fn yield_now(_: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    answer(thread, Ok(0));
    let kernel = kernel();
    let number = kernel.ready.enter(kernel.tcbs, thread).number;
    events::emit(event::DIAG_READY, number | event::SCHEDULE);
    kernel.ready.rotate(kernel.tcbs);
    kernel.go_on()
}

extern "C" fn clock(_: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    let (milliseconds, microseconds) = kernel().clock.at(hw::now());
    tcb(thread).context.set(A0 + 1, microseconds);
    answer(thread, Ok(milliseconds))
}

extern "C" fn identity(a0: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, _: u32) -> u32 {
    let index = tcb(thread).index;
    answer(thread, kernel().identity(index, a0))
}
