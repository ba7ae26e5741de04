//! Threads that have done what they must not.

use testbed_definitions::{csr, syscall};

use crate::state::kernel::Kernel;

impl Kernel {
    /// The thread touched what is not its own, or ran something that is no instruction: it ends.
    #[cold]
    #[inline(never)]
    pub fn end_for_fault(&mut self, index: u16, cause: u32, address: u32) {
        // The trap's value is the instruction itself where that is what was wrong.
        let link = if cause == csr::cause::ILLEGAL { " " } else { " at address " };
        self.put_end(index, (cause_name(cause), link), address);
        self.end_thread_or_process(index, true);
    }

    /// Without its first thread a program would never end.
    pub fn end_thread_or_process(&mut self, index: u16, alone: bool) {
        let first = self.tcb_of(index).is_first();
        self.exit(index, if first || !alone { syscall::EXIT_HALT } else { syscall::EXIT_STOP });
    }

    /// Prints which thread ends, and why: the reason, and a value that `link` joins to it.
    pub fn put_end(&mut self, index: u16, (reason, link): (&str, &str), value: u32) {
        let tcb = self.tcb_of(index);
        let (pc, number, id) = (tcb.context().saved_pc(), tcb.number(), tcb.process().id());
        self.console.put_text("thread ");
        self.console.put_hexadecimal(number.bits() as u32);
        self.put_owner(id);
        let console = &mut self.console;
        console.put_text(" ended on processor ");
        console.put_decimal(self.me.number() as u32);
        console.put_text(": ");
        console.put_text(reason);
        console.put_text(link);
        console.put_hexadecimal(value);
        console.put_text(", pc ");
        console.put_hexadecimal(pc);
        console.put(b'\n');
    }
}

/// What a thread did, by `mcause`.
pub fn cause_name(cause: u32) -> &'static str {
    use csr::cause::*;
    match cause {
        FETCH_MISALIGNED | FETCH_ACCESS | FETCH_PAGE => "execution not allowed",
        LOAD_ACCESS | LOAD_PAGE => "load not allowed",
        STORE_ACCESS | STORE_PAGE => "store not allowed",
        LOAD_MISALIGNED => "misaligned load",
        STORE_MISALIGNED => "misaligned store",
        ILLEGAL => "illegal instruction",
        BREAKPOINT => "breakpoint",
        _ => "unknown trap",
    }
}
