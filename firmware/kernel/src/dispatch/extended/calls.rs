//! The table of system calls ([`calls`]), and those made as functions that only this kernel has.

use testbed_definitions::event;
use testbed_definitions::mpc::process as layout;
use testbed_definitions::page::VIRTUAL_PAGES;
use testbed_definitions::syscall::{self, Error, EXIT_HALT};
use testbed_kernel_core::page_map::{READ, WRITE};

use crate::dispatch::entry::tcb;
use crate::dispatch::quick::blocking;
use crate::dispatch::table::calls;
use crate::drivers::events;
use crate::services::extended::collect::WORDS_A_CALL;
use crate::services::extended::input::BYTES_A_LINE;
use crate::services::extended::status::record_words;
use crate::services::extended::BYTES_A_CALL;
use crate::state::call::{Outcome, NO_MEMORY};
use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;

calls! {
    (kernel, thread, [a0, a1, a2, a3, a4])
    EXIT         []                                        kernel.exit(thread, a0);
    CREATE       []                                        kernel.create(thread, a0, a1, a2 as i32, (a3, a4));
    WAIT         []                                        kernel.wait(thread);
    MIGRATE      []                                        kernel.migrate(thread, a0, a1 as i32, a2 as i32);
    INVOKE       [(a0, a1, READ), (a2, a3, READ)]          kernel.invoke(thread, [a0, a1, a2, a3, a4]);
    AWAIT        []                                        kernel.ask_home(thread, layout::AWAIT, a0, a1);
    KILL         []                                        kernel.ask_home(thread, layout::KILL, a0, EXIT_HALT);
    CONTROL      []                                        kernel.ask_home(thread, layout::CONTROL, a0, a1);
    STATUS       [(a2, status_bytes(a0, a3), WRITE)]       kernel.status(process(kernel, thread), a0, a1, (a2, a3));
    PEEK         [(a2, a3.min(BYTES_A_CALL), WRITE)]       kernel.peek(process(kernel, thread), a0, a1, (a2, a3));
    OPEN         [(a0, a1, READ)]                          kernel.open(process(kernel, thread), (a0, a1), a2);
    READ_FILE    [(a2, a3.min(BYTES_A_CALL), WRITE)]       kernel.read_file(process(kernel, thread), a0, a1, (a2, a3));
    WRITE_FILE   [(a2, a3.min(BYTES_A_CALL), READ)]        kernel.write_file(process(kernel, thread), a0, a1, (a2, a3));
    UNLINK       [(a0, a1, READ)]                          kernel.unlink(process(kernel, thread), (a0, a1));
    RENAME       [(a0, a1, READ), (a2, a3, READ)]          kernel.rename(process(kernel, thread), (a0, a1), (a2, a3));
    CHMOD        [(a0, a1, READ)]                          kernel.chmod(process(kernel, thread), (a0, a1), a2);
    READ_LINE    [(a0, a1.min(BYTES_A_LINE), WRITE)]       kernel.read_line(thread, a0, a1, a2);
    MONITOR      []                                        kernel.monitor(thread, a0, a1);
    READ_MONITOR [(a0, 4 * a1.min(WORDS_A_CALL), WRITE)]   kernel.read_monitor(process(kernel, thread), a0, a1);
    REQUEST      []                                        kernel.request_move(thread, a0, a1, a2);
    FORM         [(a0, 4 * a1, READ)]                      kernel.form(thread, a0, a1, a2);
    EXCHANGE     []                                        kernel.exchange(thread, [a0, a1, a2, a3, a4]);
}

fn process(kernel: &Kernel, thread: Index) -> Process {
    kernel.tcb_of(thread).process()
}

/// Bytes of so many records of [`syscall::STATUS`].
fn status_bytes(what: u32, records: u32) -> u32 {
    4 * records.min(VIRTUAL_PAGES) * record_words(what).map_or(0, |words| words as u32)
}

pub extern "C" fn alt(a0: u32, a1: u32, a2: u32, a3: u32, a4: u32, _: u32, thread: u32, number: u32) -> u32 {
    let arguments = [a0, a1, a2, a3, a4];
    blocking(thread, arguments, number, |kernel, thread| {
        let index = tcb(thread).index();
        if kernel.ensure_for(index, [(a0, a1, READ), (a2, a3, WRITE)]) {
            kernel.alt_request(index, arguments);
        }
    })
}

pub extern "C" fn delay(a0: u32, _: u32, _: u32, _: u32, _: u32, _: u32, thread: u32, number: u32) -> u32 {
    blocking(thread, [a0, 0, 0, 0, 0], number, |kernel, thread| {
        tcb(thread).delay();
        events::emit_with(event::DIAG_PROFILE, event::BLOCKED, number as u16);
        kernel.start_timer(tcb(thread).index(), a0);
    })
}
