//! System calls and faults.

#[cfg(not(feature = "small"))]
use testbed_definitions::boot::word;
use testbed_definitions::csr;
use testbed_definitions::event::{self, DIAG_PROFILE};
#[cfg(not(feature = "small"))]
use testbed_definitions::page::{PAGE_BYTES, PAGE_SHIFT};
use testbed_definitions::syscall::{self, identity, Error};
use testbed_kernel_core::page_map::{allows, translate, READ};

#[cfg(not(feature = "small"))]
use crate::boot;
use crate::kernel::Kernel;
#[cfg(not(feature = "small"))]
use crate::thread::SP;
use crate::thread::{State, Tcb, A0, A7};
use crate::{events, hw};

impl Kernel {
    fn tcb(&mut self, index: u16) -> &mut Tcb {
        &mut self.tcbs[index as usize]
    }

    /// Does what the thread, which is in no queue, stopped for.
    pub fn service(&mut self, index: u16, cause: u32) {
        #[cfg(not(feature = "small"))]
        if self.tcb(index).has_overflowed() {
            return self.end_for_overflow(index);
        }
        if cause == csr::cause::ECALL_U {
            self.call(index);
        } else if !self.page_fault(index, cause) {
            self.end_for_fault(index, cause, hw::trap_value());
        }
    }

    /// There is no room for what the call may have to say: it is made again when the thread is next scheduled.
    #[cold]
    #[inline(never)]
    pub fn put_off(&mut self, index: u16) {
        self.net.retire(&mut self.pages);
        self.make_ready(index);
    }

    #[inline(never)]
    fn call(&mut self, index: u16) {
        if !self.net.has_room() {
            // Rather than lose a token.
            return self.put_off(index);
        }
        let context = &mut self.tcb(index).context;
        context.pc += 4;
        let [a0, a1, a2, a3, a4] = core::array::from_fn(|i| context.argument(i));
        let number = context.get(A7);
        if !self.ensure_for(index, number, [a0, a1, a2, a3, a4]) {
            return;
        }
        match number {
            syscall::MIGRATE => self.migrate_request(index, a0, a1 as i32, a2 as i32),
            syscall::CREATE => self.create(index, a0, a1, a2 as i32, (a3, a4)),
            syscall::WAIT => self.wait(index),
            syscall::EXIT => self.exit(index, a0),
            #[cfg(feature = "small")]
            _ => self.finish(index, Err(Error::UnknownCall)),
            #[cfg(not(feature = "small"))]
            number => self.process_call(index, number, [a0, a1, a2, a3, a4]),
        }
        if self.tcb(index).state.is_told_by_call() {
            events::emit_with(DIAG_PROFILE, event::BLOCKED, number as u16);
        }
    }

    /// Ends a call with its result: the thread is ready.
    pub fn finish(&mut self, index: u16, result: Result<u32, Error>) {
        self.tcb(index).context.set(A0, code(result));
        self.make_ready(index);
    }

    pub fn send_event(&mut self, datum: u32) -> Result<u32, Error> {
        if events::is_reserved(datum) {
            return Err(Error::BadDatum);
        }
        if self.me == 0 {
            return Err(Error::NoMonitor);
        }
        let taken = !events::enabled(event::DIAG_USER) || events::try_emit_with(event::USER, datum as u16);
        Ok(taken as u32)
    }

    pub fn write(&mut self, index: u16, address: u32, bytes: u32) -> Result<u32, Error> {
        let map = self.tcbs[index as usize].process.map();
        if !allows(map, address, bytes, READ) {
            return Err(Error::BadPointer);
        }
        let accepted = bytes.min(self.console.room() as u32);
        for offset in 0..accepted {
            let physical = translate(map, address + offset, READ).ok_or(Error::BadPointer)?;
            // SAFETY: the byte is in a page of the thread's.
            self.console.put(unsafe { (physical as *const u8).read_volatile() });
        }
        self.feed_console();
        Ok(accepted)
    }

    pub fn identity(&mut self, index: u16, what: u32) -> Result<u32, Error> {
        match what {
            identity::THREAD => Ok(self.tcb(index).number as u32),
            identity::PROCESSOR => Ok(self.me as u32),
            identity::PROCESSORS => Ok(self.processors as u32),
            identity::CLOCK_HZ => Ok(self.clock_hz),
            identity::PROCESS => Ok(self.tcb(index).process.id as u32),
            #[cfg(not(feature = "small"))]
            identity::SEED => Ok(boot::get(word::SEED)),
            _ => Err(Error::UnknownCall),
        }
    }

    fn wait(&mut self, index: u16) {
        events::emit(DIAG_PROFILE, event::WAIT);
        let tcb = self.tcb(index);
        if tcb.children != 0 {
            tcb.state = State::Waiting;
            return;
        }
        let failed = core::mem::take(&mut tcb.failed);
        self.finish(index, Ok(failed as u32));
    }

    /// Prints which process it is: the program's name, which only the process's home knows, elsewhere the process's id.
    #[cfg(not(feature = "small"))]
    fn put_owner(&mut self, id: u16) {
        let name = self.place(id).map(|place| place.name);
        self.console.put_text(if name.is_some() { " of " } else { " of process " });
        match name {
            Some(name) => name.into_iter().take_while(|&byte| byte != 0).for_each(|byte| self.console.put(byte)),
            None => self.console.put_hexadecimal(id as u32),
        }
    }

    /// There is no page for what a thread has touched, or for what is sent to it: its process can't go on, and
    /// ends as a whole.
    #[cfg(not(feature = "small"))]
    #[cold]
    #[inline(never)]
    pub fn end_for_memory(&mut self, id: u16) {
        self.console.put_text("all threads");
        self.put_owner(id);
        self.console.put_text(" ended: out of memory on processor ");
        self.console.put_decimal(self.me as u32);
        self.console.put(b'\n');
        self.end_process(id, syscall::EXIT_NO_MEMORY);
    }

    /// The thread's stack pointer is below its stack. As far as the free page there goes, the thread ends for
    /// it. Further down may be another thread's stack, which it may have written to: nobody knows what the
    /// process's memory is worth, so all of it ends.
    #[cfg(not(feature = "small"))]
    #[cold]
    #[inline(never)]
    fn end_for_overflow(&mut self, index: u16) {
        let tcb = self.tcb(index);
        let (sp, below) = (tcb.context.get(SP), tcb.bottom - PAGE_BYTES);
        let is_free = tcb.process.map()[(below >> PAGE_SHIFT) as usize] == 0;
        self.put_end(index, ("stack overflow", ", sp "), sp);
        self.end_thread_or_process(index, sp >= below && is_free);
    }

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
    fn end_thread_or_process(&mut self, index: u16, alone: bool) {
        let first = self.tcb(index).parent == 0;
        self.exit(index, if first || !alone { syscall::EXIT_HALT } else { syscall::EXIT_STOP });
    }

    /// Prints which thread ends, and why: the reason, and a value that `link` joins to it.
    fn put_end(&mut self, index: u16, (reason, link): (&str, &str), value: u32) {
        let (pc, number) = (self.tcb(index).context.pc, self.tcb(index).number);
        #[cfg(not(feature = "small"))]
        let id = self.tcb(index).process.id;
        self.console.put_text("thread ");
        self.console.put_hexadecimal(number as u32);
        #[cfg(not(feature = "small"))]
        self.put_owner(id);
        let console = &mut self.console;
        console.put_text(" ended on processor ");
        console.put_decimal(self.me as u32);
        console.put_text(": ");
        console.put_text(reason);
        console.put_text(link);
        console.put_hexadecimal(value);
        console.put_text(", pc ");
        console.put_hexadecimal(pc);
        console.put(b'\n');
    }
}

pub fn code(result: Result<u32, Error>) -> u32 {
    match result {
        Ok(value) => value,
        Err(error) => error.code() as u32,
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
