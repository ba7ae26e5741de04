//! Where `trap.s` enters the kernel. Threads are named by the addresses of their control blocks,
//! here and there.

use core::arch::{asm, global_asm};
use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;
use testbed_definitions::{csr, syscall};

use crate::drivers::events::{self, COUNTING};
use crate::state::kernel::Kernel;
use crate::state::thread::Tcb;
use crate::variant;

/// Calls that are made as functions are ([`crate::dispatch::quick`]).
pub const CALL_COUNT: usize = (syscall::DELAY - syscall::SEND + 1) as usize;

global_asm!(
    include_str!("../arch/pairs.s"),
    include_str!("../arch/trap.s"),
    ".purgem load_pair",
    ".purgem store_pair",
    ".purgem fast_call",
    NEXT = const Tcb::NEXT,
    YIELDED = const Tcb::YIELDED,
    START = const Tcb::START,
    SPACE = const Tcb::SPACE,
    BOTTOM = const Tcb::BOTTOM,
    USED = const Tcb::USED,
    STARTED = const Tcb::STARTED,
    PASSAGE = const Tcb::PASSAGE,
    SWITCH = const Tcb::SWITCH,
    COUNTS = const variant::PAGES_GO as u32,
    LOOKS_AT_SP = const variant::PAGES_GO as u32,
    PMBASE = const csr::PMBASE,
    ECALL_U = const csr::cause::ECALL_U,
    YIELD = const syscall::YIELD,
    FIRST_CALL = const syscall::SEND,
    CALLS = const CALL_COUNT,
    PACKETS = const csr::MCAUSE_INTERRUPT | csr::cause::EXTERNAL,
);

const _: () = assert!(syscall::YIELD == csr::cause::ECALL_U, "`trap.s` compares the one with the other");

extern "C" {
    static KERNEL_END: u8;
    fn resume() -> !;
}

/// Made at start-up, so that the image needn't hold it. Its name is
/// [`testbed_kernel_core::layout::KERNEL`].
#[no_mangle]
static mut KERNEL: MaybeUninit<Kernel> = MaybeUninit::zeroed();

/// The kernel, for one entry.
#[inline(always)]
pub fn kernel() -> &'static mut Kernel {
    // SAFETY: entries do not nest, since the kernel takes no interrupts, and none of them keeps the
    // reference. The first entry makes it.
    unsafe { (*addr_of_mut!(KERNEL)).assume_init_mut() }
}

/// [`kernel`], whose address the compiler does not know: where it finds out that a function is only
/// ever given that one, it builds the address anew for each field, which takes longer. Those that
/// are in line in an entry are the better for knowing it, and so is the size of the small kernel.
#[inline(always)]
fn unknown_kernel() -> &'static mut Kernel {
    let mut place: *mut Kernel = kernel();
    #[allow(clippy::pointers_in_nomem_asm_block)]
    if variant::IN_LINE {
        // SAFETY: nothing is done.
        unsafe { asm!("/* {0} */", inout(reg) place, options(pure, nomem, nostack, preserves_flags)) };
    }
    // SAFETY: it is the same.
    unsafe { &mut *place }
}

/// After start-up: the first thread that runs here.
#[no_mangle]
extern "C" fn kernel_main() -> ! {
    // SAFETY: this is the first entry.
    let kernel = unsafe { Kernel::make((*addr_of_mut!(KERNEL)).as_mut_ptr()) };
    kernel.start(&raw const KERNEL_END as u32);
    kernel.tell_agent();
    kernel.start_program();
    kernel_next(0)
}

/// Packets have interrupted the running thread; or, with `thread` 0, none is running and the main
/// loop has to find one.
#[no_mangle]
extern "C" fn kernel_next(thread: u32) -> ! {
    let kernel = kernel();
    if thread != 0 {
        kernel.ready.enter(kernel.tcbs, thread);
    }
    run(kernel.next(thread))
}

/// The timer has interrupted the running thread, it has faulted, or made a call that is not in the
/// table.
#[no_mangle]
extern "C" fn kernel_service(thread: u32, cause: u32) -> ! {
    let kernel = unknown_kernel();
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
    if events::enabled(COUNTING) {
        kernel().begin_counting(tcb(thread));
    }
    // SAFETY: `resume` needs nothing of the kernel's stack, whose frames end here.
    unsafe { asm!("j {}", sym resume, in("a0") thread, options(noreturn)) }
}

/// The running thread's control block, at this address.
#[inline(always)]
pub fn tcb(thread: u32) -> &'static Tcb {
    // SAFETY: `trap.s` names the running thread's control block.
    unsafe { &*(thread as *const Tcb) }
}
