//! The page protocol's messages: what the home of a page does, and what a processor does that is
//! told about one. Which threads wait for pages is in [`crate::services::extended::paging`].

use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::mpc::{self, page as layout};
use testbed_definitions::page::{PAGE_BYTES, PTE_EXECUTE, PTE_VALID, VIRTUAL_PAGES};
use testbed_definitions::processors::Processors;
use testbed_definitions::syscall::status::counter;
use testbed_definitions::syscall::Error;
use testbed_protocol::pages::directory::{self, Output as HomeOutput};
use testbed_protocol::pages::holder::{self, Output};
use testbed_protocol::pages::{Order, Report};

use crate::arch::{hw, memory};
use crate::drivers::events;
use crate::drivers::packet::Packet;
use crate::services::extended::paging::FIRST_DATA_PAGE;
use crate::state::extended::paging::Announced;
use crate::state::extended::waiting::Change;
use crate::state::kernel::Kernel;
use crate::state::process::Process;

impl Kernel {
    /// Reports to the home of a page, which may be here.
    pub fn tell_home_of_page(&mut self, process: Process, page: u32, report: Report) {
        let home = process.id().home();
        if home == self.me {
            return self.serve_report(process, page, home, report);
        }
        self.send_page_message(home, process.id(), page, report as u8, 0);
    }

    fn send_page_message(&mut self, to: Processor, id: ProcessId, page: u32, operation: u8, word: u32) {
        let address = mpc::operation_address(operation, id) | page & 0xff;
        let words = [address, page, word];
        self.net.queue_token(to, mpc::PAGE, words, layout::BYTES);
    }

    fn order_page(&mut self, to: Processor, process: Process, page: u32, order: Order) {
        if to == self.me {
            return self.serve_order(process, page, order, None);
        }
        self.send_page_message(to, process.id(), page, order.operation(), order.word());
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
    fn order_all(&mut self, at: Processors, process: Process, page: u32, order: Order) {
        let mut others = at.without(self.me);
        while !others.is_empty() {
            let to = others.lowest();
            others = others.without(to);
            self.make_room();
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
        if self.page_came(process, page) {
            return;
        }
        let leave = !self.transmitting.is_empty();
        match leave.then(|| self.transmitter(process, page)).flatten() {
            Some(index) => self.keep_page(process, page, self.tcb_of(index)),
            None => self.tell_home_of_page(process, page, Report::Done),
        }
    }

    /// Sends a page, straight from its frame.
    fn send_frame(&mut self, process: Process, page: u32, frame: u32, (to, order, free): (Processor, Order, bool)) {
        self.send_page_message(to, process.id(), page, order.operation(), 0);
        self.net.queue_frame(to, mpc::PAGE_DATA, memory::page_address(frame), free);
        self.counters[counter::PAGES_SENT] += 1;
    }

    fn fill_frame(&mut self, frame: u32, packet: &Packet) {
        // SAFETY: the packet has a page, and the frame is the page's, which nobody can reach yet.
        unsafe { packet.copy::<PAGE_BYTES>(0, memory::page_address(frame)) };
        self.counters[counter::PAGES_RECEIVED] += 1;
    }

    /// A control message of the page protocol.
    pub fn serve_page(&mut self, id: ProcessId, packet: &Packet) {
        self.tell_packet(packet);
        let words = packet.words::<{ layout::BYTES / 4 }>();
        let (operation, page) = (mpc::operation(words[layout::ADDRESS]), words[layout::PAGE]);
        let from = packet.source();
        let order = Order::decode(operation, words[layout::PROCESSOR]);
        match (order, Report::decode(operation)) {
            _ if page >= VIRTUAL_PAGES => {}
            (Some(order @ (Order::Copy | Order::Move)), _) => {
                self.announced.put(from, Announced { process: id, page, order });
            }
            // Of a process that is over, threads are about to hear it.
            (Some(order), _) => {
                self.process(id).into_iter().for_each(|process| self.serve_order(process, page, order, None))
            }
            (None, Some(report)) => {
                self.process(id).into_iter().for_each(|process| self.serve_report(process, page, from, report))
            }
            // A kernel sends no other.
            (None, None) => {}
        }
        events::emit(DIAG_PROFILE, event::PAGE_END);
    }

    /// A page that the message before has announced.
    pub fn serve_page_data(&mut self, packet: &Packet) {
        self.tell_packet(packet);
        let announced = self.announced.take(packet.source());
        if let Some(Announced { process, page, order }) = announced {
            if let Some(process) = self.process(process) {
                self.serve_order(process, page, order, Some(packet));
            }
        }
        events::emit(DIAG_PROFILE, event::PAGE_END);
    }
}
