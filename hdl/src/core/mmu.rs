//! Translation, page-map walk, and the check of physical addresses.

use super::tlb::Tlb;
use rust_hdl::prelude::*;
use testbed_definitions::{csr, map};

/// Turns the virtual address of an access into the physical address on the port, combinationally.
///
/// ```text
///   va, fetch, store, after  +-------+-> address
///   pair, user_fetch/data    |  Mmu  |-> miss, page_fault, access_fault
///   page_map, flush          |       |-> walk_good, translated
///   walk, fill, entry        |       |
///   falls         ---------->+-------+
/// ```
///
/// With `falls` high the access is the fetch at `after`, whatever `va`; that comes late, so both
/// are translated. `miss` and `page_fault` exclude each other; `access_fault` is of untranslated
/// addresses only. A store to the event page is not translated where `pmbase` opens that page, and
/// refused nowhere: without an SMI it comes to nobody. With `walk` high `address` is that of the
/// page-map entry of `va`. In the cycle
/// after, with the entry at `entry`, `walk_good` says whether it is valid and grants the access,
/// and `fill` puts it into the TLB.
#[derive(LogicBlock)]
pub struct Mmu {
    pub clock: Signal<In, Clock>,
    pub va: Signal<In, Bits<32>>,
    pub after: Signal<In, Bits<32>>,
    pub falls: Signal<In, Bit>,
    pub fetch: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    /// `va` is on the page of programs' events; of a store's address only.
    pub on_event_page: Signal<In, Bit>,
    /// The load or store is of a pair of registers, which devices do not serve.
    pub pair: Signal<In, Bit>,
    /// Fetches are made in user mode.
    pub user_fetch: Signal<In, Bit>,
    /// Loads and stores are made in user mode.
    pub user_data: Signal<In, Bit>,
    /// The CSR `pmbase`.
    pub page_map: Signal<In, Bits<32>>,
    pub flush: Signal<In, Bit>,
    pub ram_mask: Signal<In, Bits<32>>,
    pub has_smi: Signal<In, Bit>,
    pub has_mmi: Signal<In, Bit>,
    pub walk: Signal<In, Bit>,
    pub fill: Signal<In, Bit>,
    pub entry: Signal<In, Bits<32>>,
    pub address: Signal<Out, Bits<32>>,
    /// The same where it is in RAM, with upper bits that are constants: for fetches, which go
    /// nowhere else.
    pub ram_address: Signal<Out, Bits<32>>,
    pub miss: Signal<Out, Bit>,
    pub page_fault: Signal<Out, Bit>,
    pub access_fault: Signal<Out, Bit>,
    pub walk_good: Signal<Out, Bit>,
    /// `va` goes through the page map, so what is there is RAM; else, for data, a device may be.
    pub translated: Signal<Out, Bit>,
    tlb: Tlb,
    opened: Signal<Local, Bit>,
    wanted: Signal<Local, Bit>,
    mapped: Signal<Local, Bit>,
    outside: Signal<Local, Bit>,
    right: Signal<Local, Bits<2>>,
    rights: Signal<Local, Bits<3>>,
    allowed: Signal<Local, Bit>,
    granted: Signal<Local, Bit>,
    page_address: Signal<Local, Bits<32>>,
    entry_address: Signal<Local, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
    physical: Signal<Local, Bits<32>>,
    top: Signal<Local, Bits<16>>,
    va_miss: Signal<Local, Bit>,
    va_page_fault: Signal<Local, Bit>,
    va_access_fault: Signal<Local, Bit>,
    after_translated: Signal<Local, Bit>,
    after_outside: Signal<Local, Bit>,
    after_miss: Signal<Local, Bit>,
    after_page_fault: Signal<Local, Bit>,
    after_access_fault: Signal<Local, Bit>,
    after_page_address: Signal<Local, Bits<32>>,
    after_chosen: Signal<Local, Bits<32>>,
    in_ram: Signal<Local, Bit>,
    in_device: Signal<Local, Bit>,
    ram_base: Constant<Bits<32>>,
    map_mask: Constant<Bits<32>>,
    clint: Constant<Bits<16>>,
    uart: Constant<Bits<16>>,
    centrenet: Constant<Bits<16>>,
    smi: Constant<Bits<16>>,
    mmi: Constant<Bits<16>>,
    identity: Constant<Bits<16>>,
}

impl Default for Mmu {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            va: Default::default(),
            after: Default::default(),
            falls: Default::default(),
            fetch: Default::default(),
            store: Default::default(),
            pair: Default::default(),
            user_fetch: Default::default(),
            user_data: Default::default(),
            page_map: Default::default(),
            flush: Default::default(),
            ram_mask: Default::default(),
            has_smi: Default::default(),
            has_mmi: Default::default(),
            walk: Default::default(),
            fill: Default::default(),
            entry: Default::default(),
            address: Default::default(),
            ram_address: Default::default(),
            miss: Default::default(),
            page_fault: Default::default(),
            access_fault: Default::default(),
            walk_good: Default::default(),
            translated: Default::default(),
            tlb: Default::default(),
            on_event_page: Default::default(),
            opened: Default::default(),
            wanted: Default::default(),
            mapped: Default::default(),
            outside: Default::default(),
            right: Default::default(),
            rights: Default::default(),
            allowed: Default::default(),
            granted: Default::default(),
            page_address: Default::default(),
            entry_address: Default::default(),
            chosen: Default::default(),
            physical: Default::default(),
            top: Default::default(),
            va_miss: Default::default(),
            va_page_fault: Default::default(),
            va_access_fault: Default::default(),
            after_translated: Default::default(),
            after_outside: Default::default(),
            after_miss: Default::default(),
            after_page_fault: Default::default(),
            after_access_fault: Default::default(),
            after_page_address: Default::default(),
            after_chosen: Default::default(),
            in_ram: Default::default(),
            in_device: Default::default(),
            ram_base: Constant::new(u64::from(map::RAM_BASE).into()),
            map_mask: Constant::new(u64::from(csr::PMBASE_BASE).into()),
            clint: device(map::CLINT_BASE),
            uart: device(map::UART_BASE),
            centrenet: device(map::CENTRENET_BASE),
            smi: device(map::SMI_BASE),
            mmi: device(map::MMI_BASE),
            identity: device(map::SYSTEM_BASE),
        }
    }
}

impl Logic for Mmu {
    #[hdl_gen]
    fn update(&mut self) {
        self.tlb.clock.next = self.clock.val();
        self.tlb.virtual_page.next = self.va.val().get_bits::<10>(10);
        self.tlb.after_page.next = self.after.val().get_bits::<10>(10);
        self.tlb.fill.next = self.fill.val();
        self.tlb.new_page.next = self.entry.val().get_bits::<12>(10);
        self.tlb.new_rights.next = self.entry.val().get_bits::<3>(1);
        self.tlb.flush.next = self.flush.val();

        // Which bit of the rights the access needs: 0 read, 1 write, 2 execute.
        self.right.next = 0.into();
        if self.store.val() {
            self.right.next = 1.into();
        }
        self.wanted.next = self.user_data.val() & self.page_map.val().get_bit(0);
        if self.fetch.val() {
            self.right.next = 2.into();
            self.wanted.next = self.user_fetch.val() & self.page_map.val().get_bit(0);
        }
        // What is asked of the address, known late in the cycle, comes last.
        self.opened.next = (self.wanted.val() & self.page_map.val().get_bit(1) & self.store.val() & !self.fetch.val())
            & self.on_event_page.val();
        self.mapped.next = self.wanted.val() & !self.opened.val();
        self.allowed.next = self.tlb.rights.val().get_bit(self.right.val().index());
        self.rights.next = self.entry.val().get_bits::<3>(1);
        self.granted.next = self.rights.val().get_bit(self.right.val().index());

        self.outside.next = self.va.val().get_bits::<12>(20).any();
        self.va_miss.next = self.mapped.val() & !self.outside.val() & !self.tlb.hit.val();
        self.va_page_fault.next = self.mapped.val() & (self.outside.val() | (self.tlb.hit.val() & !self.allowed.val()));
        self.walk_good.next = self.entry.val().get_bit(0) & self.granted.val();

        // Untranslated addresses must name RAM or, for data but pairs, a device that this processor has.
        self.in_ram.next = !((self.va.val() ^ self.ram_base.val()) & !self.ram_mask.val()).any();
        self.top.next = self.va.val().get_bits::<16>(16);
        self.in_device.next = (self.top.val() == self.clint.val())
            | (self.top.val() == self.uart.val())
            | (self.top.val() == self.centrenet.val())
            | ((self.top.val() == self.smi.val()) & self.has_smi.val())
            | ((self.top.val() == self.mmi.val()) & self.has_mmi.val())
            | (self.top.val() == self.identity.val());
        self.va_access_fault.next = !self.mapped.val()
            & !self.in_ram.val()
            & (self.fetch.val() | self.pair.val() | !(self.in_device.val() | self.opened.val()));

        self.page_address.next =
            (bit_cast::<32, 12>(self.tlb.page.val()) << 10) | bit_cast::<32, 10>(self.va.val().get_bits::<10>(0));
        self.entry_address.next =
            (self.page_map.val() & self.map_mask.val()) | (bit_cast::<32, 10>(self.va.val().get_bits::<10>(10)) << 2);
        self.chosen.next = self.va.val();
        if self.walk.val() {
            self.chosen.next = (self.entry_address.val() & self.ram_mask.val()) | self.ram_base.val();
        } else if self.mapped.val() {
            self.chosen.next = (self.page_address.val() & self.ram_mask.val()) | self.ram_base.val();
        }

        // The same for `after`, which is only ever fetched from.
        self.after_translated.next = self.user_fetch.val() & self.page_map.val().get_bit(0);
        self.after_outside.next = self.after.val().get_bits::<12>(20).any();
        self.after_miss.next = self.after_translated.val() & !self.after_outside.val() & !self.tlb.after_hit.val();
        self.after_page_fault.next = self.after_translated.val()
            & (self.after_outside.val() | (self.tlb.after_hit.val() & !self.tlb.after_execute.val()));
        self.after_access_fault.next =
            !self.after_translated.val() & ((self.after.val() ^ self.ram_base.val()) & !self.ram_mask.val()).any();
        self.after_page_address.next = (bit_cast::<32, 12>(self.tlb.after_physical.val()) << 10)
            | bit_cast::<32, 10>(self.after.val().get_bits::<10>(0));
        self.after_chosen.next = self.after.val();
        if self.after_translated.val() {
            self.after_chosen.next = (self.after_page_address.val() & self.ram_mask.val()) | self.ram_base.val();
        }

        self.translated.next = self.mapped.val();
        if self.falls.val() {
            self.physical.next = self.after_chosen.val();
            self.miss.next = self.after_miss.val();
            self.page_fault.next = self.after_page_fault.val();
            self.access_fault.next = self.after_access_fault.val();
        } else {
            self.physical.next = self.chosen.val();
            self.miss.next = self.va_miss.val();
            self.page_fault.next = self.va_page_fault.val();
            self.access_fault.next = self.va_access_fault.val();
        }
        self.address.next = self.physical.val();
        self.ram_address.next = (self.physical.val() & self.ram_mask.val()) | self.ram_base.val();
    }
}

/// A device's address above its 64 KiB.
fn device(base: u32) -> Constant<Bits<16>> {
    Constant::new(u64::from(base / map::DEVICE_BYTES).into())
}
