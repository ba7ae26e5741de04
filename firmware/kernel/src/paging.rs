//! Pages that are on other processors: faults, the page protocol's messages, and memory that calls name.
//!
//! The protocol (`testbed_protocol::pages`) is about data pages. Code pages are never written, so they need none of it: a processor
//! that lacks one asks the home and keeps the copy.

use testbed_definitions::csr::cause;
use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::mpc::{self, page as layout};
use testbed_definitions::page::{
    DATA_BASE, PAGE_BYTES, PAGE_SHIFT, PTE_EXECUTE, PTE_PAGE_SHIFT, PTE_READ, PTE_VALID, PTE_WANTED, PTE_WRITE,
    VIRTUAL_BYTES, VIRTUAL_PAGES,
};
use testbed_definitions::process;
use testbed_definitions::syscall::status::counter;
use testbed_definitions::syscall::{self, Error};
use testbed_kernel_core::page_map::{READ, WRITE};
use testbed_protocol::pages::directory::{self, Output as HomeOutput};
use testbed_protocol::pages::holder::{self, Output, Touch};
use testbed_protocol::pages::{Order, Report, Set};
use testbed_protocol::Processor;

use crate::centrenet::Packet;
use crate::collect::WORDS_A_CALL;
use crate::input::BYTES_A_LINE;
use crate::kernel::{Index, Kernel, STOPPED};
use crate::memory;
use crate::process::Process;
use crate::thread::{State, Tcb};
use crate::{events, hw};

/// First page of the data half.
pub const FIRST_DATA_PAGE: u32 = DATA_BASE >> PAGE_SHIFT;

/// How a thread that waits for a page goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resume {
    /// Repeats its instruction, which has trapped with this cause.
    Instruction(u8),
    /// Repeats its call.
    Call,
    /// Takes the message that is staged for it.
    Staged,
}

/// Why those that wait for a page go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// It is here.
    Allowed,
    /// It has come from another processor, which may want it back.
    Arrived,
    /// There is no such page.
    Refused(Error),
}

/// What a processor sends that is a page, and what it is: the order and the page of the [`mpc::PAGE`] before it.
#[derive(Clone, Copy)]
pub struct Announced {
    pub process: u16,
    pub page: u32,
    pub order: Order,
}

/// The memory that a call names: address, bytes and access, twice.
fn ranges(number: u32, [a0, a1, a2, a3, _]: [u32; 5]) -> [(u32, u32, u32); 2] {
    const NONE: (u32, u32, u32) = (0, 0, READ);
    match number {
        syscall::WRITE | syscall::OPEN | syscall::UNLINK | syscall::CHMOD => [(a0, a1, READ), NONE],
        syscall::INVOKE | syscall::RENAME => [(a0, a1, READ), (a2, a3, READ)],
        syscall::READ_FILE | syscall::PEEK => [(a2, a3.min(BYTES_A_CALL), WRITE), NONE],
        syscall::READ_LINE => [(a0, a1.min(BYTES_A_LINE), WRITE), NONE],
        syscall::READ_MONITOR => [(a0, 4 * a1.min(WORDS_A_CALL), WRITE), NONE],
        syscall::WRITE_FILE => [(a2, a3.min(BYTES_A_CALL), READ), NONE],
        syscall::ALT => [(a0, a1, READ), (a2, a3, WRITE)],
        syscall::STATUS => [(a2, 4 * a3.min(VIRTUAL_PAGES) * record_words(a0), WRITE), NONE],
        _ => [NONE, NONE],
    }
}

/// Most bytes that a call reads or writes which may do less than it was asked for, so that it doesn't take long.
pub const BYTES_A_CALL: u32 = 4096;

/// Words of a record of [`syscall::STATUS`].
const fn record_words(what: u32) -> u32 {
    use syscall::status::*;
    match what {
        PROCESSES => PROCESS_WORDS as u32,
        THREADS => THREAD_WORDS as u32,
        COUNTERS => COUNTER_WORDS as u32,
        FILES => FILE_WORDS as u32,
        _ => 0,
    }
}

/// Whether memory that a call names can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Now.
    Here,
    /// After a page has come; the thread is blocked and will repeat its call.
    Coming,
    /// Never.
    Refused(Error),
}

impl Kernel {
    /// A thread has touched what the page map does not allow. `false`: it never may.
    pub fn page_fault(&mut self, index: Index, cause: u32) -> bool {
        let address = hw::trap_value();
        let page = address >> PAGE_SHIFT;
        let write = cause == cause::STORE_PAGE;
        let possible = match cause {
            cause::FETCH_PAGE => page < FIRST_DATA_PAGE,
            cause::LOAD_PAGE | cause::STORE_PAGE => page < VIRTUAL_PAGES,
            _ => false,
        };
        if !possible {
            return false;
        }
        events::emit_with(DIAG_PROFILE, event::PAGE_FAULT, page as u16);
        // An instruction needs one data page: it has gone on from others.
        self.has_gone_on(index);
        let came = self.want_page(index, page, write, Resume::Instruction(cause as u8), address);
        if came == Access::Refused(Error::NoMemory) {
            let tcb = &mut self.tcbs[index as usize];
            tcb.state = State::Ending;
            let id = tcb.process.id;
            self.end_for_memory(id);
            return true;
        }
        // Where the home is here, the thread may have ended for it already.
        if came == Access::Coming && self.tcbs[index as usize].state == State::Paging {
            events::emit(DIAG_PROFILE, event::PAGE_BLOCKED);
        }
        !matches!(came, Access::Refused(_))
    }

    /// Memory that a call names: whether it is here, with this access. If it must be fetched first the thread is blocked, and
    /// will make its call again.
    #[inline]
    pub fn ensure(&mut self, index: Index, address: u32, bytes: u32, access: u32) -> Access {
        if bytes == 0 {
            return Access::Here;
        }
        if bytes > VIRTUAL_BYTES || address > VIRTUAL_BYTES - bytes {
            return Access::Refused(Error::BadPointer);
        }
        let map = self.tcbs[index as usize].process.map();
        let needed = PTE_VALID | access;
        let (first, last) = (address >> PAGE_SHIFT, (address + bytes - 1) >> PAGE_SHIFT);
        let mut page = first;
        while map[page as usize % VIRTUAL_PAGES as usize] & needed == needed {
            if page == last {
                return Access::Here;
            }
            page += 1;
        }
        self.fetch_for_call(index, first, page, access)
    }

    /// Sees to it that memory that a call names is here. `false`: the thread is blocked, and will make the call again, or the
    /// call has ended because there is no page for it. What the thread may not touch the call itself refuses. Pages are fetched in ascending order: while it waits for one, a call keeps only those before it.
    pub fn ensure_for(&mut self, index: Index, number: u32, arguments: [u32; 5]) -> bool {
        let [mut low, mut high] = ranges(number, arguments);
        if low.0 > high.0 {
            (low, high) = (high, low);
        }
        for (address, bytes, access) in [low, high] {
            match self.ensure(index, address, bytes, access) {
                Access::Coming => return false,
                Access::Refused(Error::NoMemory) => {
                    self.finish(index, Err(Error::NoMemory));
                    return false;
                }
                Access::Here | Access::Refused(_) => {}
            }
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn fetch_for_call(&mut self, index: Index, first: u32, missing: u32, access: u32) -> Access {
        self.tcbs[index as usize].context.pc -= 4;
        let page = self.page_to_ask(index, first, missing);
        events::emit_with(DIAG_PROFILE, event::PAGE_FAULT, page as u16);
        let came = self.want_page(index, page, access & WRITE != 0, Resume::Call, page << PAGE_SHIFT);
        match came {
            Access::Refused(_) => self.tcbs[index as usize].context.pc += 4,
            _ if self.tcbs[index as usize].state == State::Paging => events::emit(DIAG_PROFILE, event::PAGE_BLOCKED),
            // Answered at once, with an error: the home is here.
            _ => {}
        }
        came
    }

    /// A thread needs a page that is not here with the permission. It is blocked until something about the page has changed.
    pub fn want_page(&mut self, index: Index, page: u32, write: bool, resume: Resume, address: u32) -> Access {
        let mut process = self.tcbs[index as usize].process;
        let home = process::home(process.id);
        let code = page < FIRST_DATA_PAGE;
        if code && (write || process.map()[page as usize] & PTE_VALID != 0 || home == self.me) {
            return Access::Refused(Error::BadPointer);
        }
        // What a call asks for it may have here already ([`Kernel::page_to_ask`]).
        let ask = match self.touch(process, page, write, resume == Resume::Call) {
            Ok(ask) => ask,
            Err(error) => return Access::Refused(error),
        };
        let tcb = self.tcb_of(index);
        tcb.state = State::Paging;
        tcb.stop_slice();
        self.unfinished |= STOPPED;
        (tcb.page, tcb.resume, tcb.fault_address) = (page as u16, resume, address);
        (tcb.next, process.paging) = (process.paging, (&raw const *tcb).addr() as u32);
        match ask {
            // The answer may come at once.
            Some(report) => self.tell_home_of_page(process, page, report),
            None if resume != Resume::Call && self.is_allowed(process, page, write) => {
                self.page_changed(process, page, Change::Allowed);
            }
            None => {}
        }
        Access::Coming
    }

    /// Notes that a page is wanted, `anyhow` or if it is not here, with a frame for it if it has none. `Some`: the home has to be asked.
    fn touch(&mut self, process: Process, page: u32, write: bool, anyhow: bool) -> Result<Option<Report>, Error> {
        let entry = &mut process.map_mut()[page as usize % VIRTUAL_PAGES as usize];
        let touch = if anyhow { holder::ask(entry, write) } else { holder::touch(entry, write) };
        let Touch::Ask(report) = touch else { return Ok(None) };
        if *entry & PTE_VALID == 0 {
            let Some(frame) = process.take_page(&mut self.pages) else {
                *entry &= !PTE_WANTED;
                return Err(Error::NoMemory);
            };
            *entry |= frame << PTE_PAGE_SHIFT;
        }
        Ok(Some(report))
    }

    /// The kernel needs a data page of a blocked thread, and looks again when it is there.
    pub fn ask_for_page(&mut self, process: Process, page: u32, write: bool) {
        match self.touch(process, page, write, false) {
            Ok(Some(report)) => self.tell_home_of_page(process, page, report),
            Ok(None) => {}
            Err(_) => self.out_of_memory(process),
        }
    }

    fn is_allowed(&self, process: Process, page: u32, write: bool) -> bool {
        let needed = if write { PTE_VALID | PTE_WRITE } else { PTE_VALID | PTE_READ };
        process.map()[page as usize % VIRTUAL_PAGES as usize] & needed == needed
    }

    /// Those that wait for the page go on: they touch it again, or, if it is refused, have touched
    /// what they must not. Who has waited longest is ready first. A page that has come is kept for
    /// all of them, so that none has to wait for it again while others come before it each time.
    /// `true`: there are such threads.
    fn page_changed(&mut self, mut process: Process, page: u32, change: Change) -> bool {
        // All are taken out first: who goes on may want the page again.
        let (mut address, mut before, mut changed) = (process.paging, 0, 0);
        while address != 0 {
            let tcb = self.tcb_at(address);
            let next = tcb.next;
            if tcb.page as u32 == page {
                match before {
                    0 => process.paging = next,
                    before => self.tcb_at(before).next = next,
                }
                // Who has waited longest is the last of those that wait, and the first of these.
                tcb.next = core::mem::replace(&mut changed, address);
            } else {
                before = address;
            }
            address = next;
        }
        let mut kept = false;
        while changed != 0 {
            let tcb = self.tcb_at(changed);
            changed = tcb.next;
            match change {
                Change::Refused(error) => self.resume_otherwise(tcb.index, Some(error)),
                _ if tcb.resume == Resume::Staged => self.resume_otherwise(tcb.index, None),
                _ => self.resume(tcb),
            }
            if change == Change::Arrived && tcb.state == State::Ready {
                self.keep_page(process, page, tcb.index);
                kept = true;
            }
        }
        kept
    }

    /// Apart, so that the loop that calls it has few registers to save.
    #[inline(never)]
    fn resume(&mut self, tcb: &mut Tcb) {
        self.make_tcb_ready(tcb);
        events::emit_with(DIAG_PROFILE, event::PAGE_READY, tcb.number);
    }

    /// The page has come for what is staged, or will never come.
    #[cold]
    #[inline(never)]
    fn resume_otherwise(&mut self, index: Index, error: Option<Error>) {
        let tcb = &mut self.tcbs[index as usize];
        let number = tcb.number;
        match tcb.resume {
            Resume::Staged => return self.unstage(index),
            Resume::Instruction(cause) => {
                let address = tcb.fault_address;
                return self.end_for_fault(index, cause as u32, address);
            }
            Resume::Call => {
                tcb.context.pc += 4;
                self.finish(index, error.map_or(Ok(0), Err));
            }
        }
        events::emit_with(DIAG_PROFILE, event::PAGE_READY, number);
    }

    pub fn tell_home_of_page(&mut self, process: Process, page: u32, report: Report) {
        let home = process::home(process.id);
        if home == self.me {
            return self.serve_report(process, page, home, report);
        }
        self.send_page_message(home, process.id, page, report as u8, 0);
    }

    fn send_page_message(&mut self, to: Processor, id: u16, page: u32, operation: u8, processor: Processor) {
        let address = mpc::operation_address(operation, id) | page & 0xff;
        let words = [address, page, processor as u32];
        self.net.queue_token(to, mpc::PAGE, words, layout::BYTES);
    }

    fn order_page(&mut self, to: Processor, process: Process, page: u32, order: Order) {
        if to == self.me {
            return self.serve_order(process, page, order, None);
        }
        self.send_page_message(to, process.id, page, order.operation(), order.processor());
    }

    /// The home's part.
    fn serve_report(&mut self, process: Process, page: u32, from: Processor, report: Report) {
        if page < FIRST_DATA_PAGE {
            return self.serve_code(process, page, from, report);
        }
        let Some(entry) = process.estate().and_then(|estate| estate.entry(page)) else { return };
        match directory::step(entry, from, report) {
            HomeOutput::Tell { to, order } => self.order_page(to, process, page, order),
            output => self.perform_home(process, page, output),
        }
    }

    /// What the directory says is to be done.
    #[inline(never)]
    pub fn perform_home(&mut self, process: Process, page: u32, output: HomeOutput) {
        match output {
            HomeOutput::Nothing => {}
            HomeOutput::Tell { to, order } => self.order_page(to, process, page, order),
            HomeOutput::Invalidate { at } => self.order_all(at, process, page, Order::Invalidate),
            HomeOutput::Ended { waiting, freed } => {
                self.order_all(waiting, process, page, Order::NoPage);
                if freed {
                    self.page_freed(process, page);
                }
            }
        }
    }

    /// The others first: this processor's own answer may be the last.
    fn order_all(&mut self, at: Set, process: Process, page: u32, order: Order) {
        let mut others = at.without(self.me);
        while !others.is_empty() {
            let to = others.lowest();
            others = others.without(to);
            if !self.net.has_room() {
                self.await_room();
            }
            self.order_page(to, process, page, order);
        }
        if at.has(self.me) {
            self.order_page(self.me, process, page, order);
        }
    }

    /// Anybody can have a copy of code.
    fn serve_code(&mut self, process: Process, page: u32, to: Processor, report: Report) {
        if report != Report::Read {
            return;
        }
        let entry = process.map()[page as usize];
        if entry & PTE_VALID == 0 {
            return self.order_page(to, process, page, Order::NoPage);
        }
        self.send_frame(process, page, process.frame(page), (to, Order::Copy, false));
    }

    /// Does what this processor is told about a page. `data`: the packet with its bytes.
    fn serve_order(&mut self, process: Process, page: u32, order: Order, data: Option<&Packet>) {
        let frame = process.frame(page);
        let entry = &mut process.map_mut()[page as usize % VIRTUAL_PAGES as usize];
        if *entry & PTE_VALID != 0 {
            // The hardware may remember what is not so any more.
            hw::forget_page_map();
        }
        match holder::step(entry, order) {
            Output::Report(report) => self.tell_home_of_page(process, page, report),
            // Its number has gone from the entry if the page was given up.
            Output::Send { to, order, free } => self.send_frame(process, page, frame, (to, order, free)),
            Output::Arrived { data: wants_data } => self.page_arrived(process, page, data.filter(|_| wants_data)),
            Output::Invalidated { free } => {
                self.release_if(free, frame);
                self.tell_home_of_page(process, page, Report::Invalidated);
            }
            Output::Refused { free } => {
                self.release_if(free, frame);
                self.page_changed(process, page, Change::Refused(Error::BadPointer));
            }
            Output::Ignored => {}
        }
    }

    fn release_if(&mut self, free: bool, frame: u32) {
        if free {
            self.pages.release(frame, frame + 1);
        }
    }

    /// What was asked for is here, with bytes or without: those that wait go on.
    #[inline(never)]
    fn page_arrived(&mut self, process: Process, page: u32, data: Option<&Packet>) {
        if let Some(packet) = data {
            self.fill_frame(process.frame(page), packet);
        }
        if page < FIRST_DATA_PAGE {
            process.map_mut()[page as usize] |= PTE_EXECUTE;
            self.page_changed(process, page, Change::Allowed);
            return;
        }
        if self.page_changed(process, page, Change::Arrived) {
            return;
        }
        let leave = !self.transmitting.is_empty();
        match leave.then(|| self.transmitter(process, page)).flatten() {
            Some(index) => self.keep_page(process, page, index),
            None => self.tell_home_of_page(process, page, Report::Done),
        }
    }

    /// Sends a page, straight from its frame.
    fn send_frame(&mut self, process: Process, page: u32, frame: u32, (to, order, free): (Processor, Order, bool)) {
        self.send_page_message(to, process.id, page, order.operation(), 0);
        self.net.queue_frame(to, mpc::PAGE_DATA, memory::page_address(frame), free);
        self.counters[counter::PAGES_SENT] += 1;
    }

    fn fill_frame(&mut self, frame: u32, packet: &Packet) {
        let mut to = memory::page_address(frame);
        for (from, part) in packet.pieces(0, PAGE_BYTES) {
            // SAFETY: the piece is in the receive ring, and the frame is the page's, which nobody can reach yet. Both are whole words.
            unsafe { memory::copy_whole_words(from, to, part) };
            to += part;
        }
        self.counters[counter::PAGES_RECEIVED] += 1;
    }

    /// A control message of the page protocol.
    pub fn serve_page(&mut self, id: u16, packet: &Packet) {
        self.tell_packet(packet);
        let words = packet.words::<{ layout::BYTES / 4 }>();
        let (operation, page) = (mpc::operation(words[layout::ADDRESS]), words[layout::PAGE]);
        let from = packet.header.source;
        let order = Order::decode(operation, words[layout::PROCESSOR] as u8);
        if page < VIRTUAL_PAGES {
            match (order, Report::decode(operation)) {
                (Some(order @ (Order::Copy | Order::Move)), _) => {
                    self.announced[from as usize & 0xf] = Some(Announced { process: id, page, order });
                }
                (Some(order), _) => {
                    if let Some(process) = self.process(id) {
                        self.serve_order(process, page, order, None);
                    }
                }
                (None, Some(report)) => self.serve_page_report(id, page, from, report),
                _ => {}
            }
        }
        events::emit(DIAG_PROFILE, event::PAGE_END);
    }

    fn serve_page_report(&mut self, id: u16, page: u32, from: Processor, report: Report) {
        // Otherwise the process is over, and its threads are about to hear it.
        if let Some(process) = self.process(id) {
            self.serve_report(process, page, from, report);
        }
    }

    /// A page that the message before has announced.
    pub fn serve_page_data(&mut self, packet: &Packet) {
        self.tell_packet(packet);
        let announced = self.announced[packet.header.source as usize & 0xf].take();
        if let Some(Announced { process, page, order }) = announced {
            if let Some(process) = self.process(process) {
                self.serve_order(process, page, order, Some(packet));
            }
        }
        events::emit(DIAG_PROFILE, event::PAGE_END);
    }
}
