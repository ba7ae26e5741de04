//! Translation look-aside buffer.

use rust_hdl::prelude::*;
use testbed_definitions::page;

/// What a TLB entry keeps of a page, in this order from bit 0: tag (6), read, write, execute, page
/// (12). The upper bits of the page, which nobody reads where RAM is small, come last: LUT RAM has
/// four bits a cell.
const ENTRY_BITS: usize = 21;

/// Sixteen direct-mapped entries, looked up combinationally for two pages at once.
///
/// ```text
///   virtual_page, after_page    +-------+-> hit, rights, page
///   fill, new_page, new_rights  |  Tlb  |-> after_hit, after_execute, after_physical
///   flush             --------->+-------+
/// ```
///
/// `fill` in *t* stores an entry for `virtual_page`, `flush` in *t* empties the buffer, both seen
/// from *t*+1; they never come together.
#[derive(LogicBlock)]
pub struct Tlb {
    pub clock: Signal<In, Clock>,
    pub virtual_page: Signal<In, Bits<10>>,
    pub hit: Signal<Out, Bit>,
    /// Physical page, counted from the start of RAM.
    pub page: Signal<Out, Bits<12>>,
    /// Bit 0 read, 1 write, 2 execute.
    pub rights: Signal<Out, Bits<3>>,
    /// The second page, of which only fetches are made.
    pub after_page: Signal<In, Bits<10>>,
    pub after_hit: Signal<Out, Bit>,
    pub after_execute: Signal<Out, Bit>,
    pub after_physical: Signal<Out, Bits<12>>,
    pub fill: Signal<In, Bit>,
    pub new_page: Signal<In, Bits<12>>,
    pub new_rights: Signal<In, Bits<3>>,
    pub flush: Signal<In, Bit>,
    entries: TlbMemory,
    valid: DFF<Bits<16>>,
    index: Signal<Local, Bits<4>>,
    tag: Signal<Local, Bits<6>>,
    after_index: Signal<Local, Bits<4>>,
    after_tag: Signal<Local, Bits<6>>,
    one: Constant<Bits<16>>,
}

impl Default for Tlb {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            virtual_page: Default::default(),
            hit: Default::default(),
            page: Default::default(),
            rights: Default::default(),
            after_page: Default::default(),
            after_hit: Default::default(),
            after_execute: Default::default(),
            after_physical: Default::default(),
            fill: Default::default(),
            new_page: Default::default(),
            new_rights: Default::default(),
            flush: Default::default(),
            entries: Default::default(),
            valid: Default::default(),
            index: Default::default(),
            tag: Default::default(),
            after_index: Default::default(),
            after_tag: Default::default(),
            one: Constant::new(1u64.into()),
        }
    }
}

impl Logic for Tlb {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid);
        self.entries.clock.next = self.clock.val();

        // As `page::tlb_index`: code or data, then the low bits; the tag is what is left.
        self.index.next = (bit_cast::<4, 1>(self.virtual_page.val().get_bits::<1>(9)) << 3)
            | bit_cast::<4, 3>(self.virtual_page.val().get_bits::<3>(0));
        self.tag.next = self.virtual_page.val().get_bits::<6>(3);
        self.after_index.next = (bit_cast::<4, 1>(self.after_page.val().get_bits::<1>(9)) << 3)
            | bit_cast::<4, 3>(self.after_page.val().get_bits::<3>(0));
        self.after_tag.next = self.after_page.val().get_bits::<6>(3);
        self.entries.index.next = self.index.val();
        self.entries.after_index.next = self.after_index.val();
        self.entries.write.next = self.fill.val();
        self.entries.write_data.next = bit_cast::<21, 6>(self.tag.val())
            | (bit_cast::<21, 3>(self.new_rights.val()) << 6)
            | (bit_cast::<21, 12>(self.new_page.val()) << 9);

        if self.flush.val() {
            self.valid.d.next = 0.into();
        } else if self.fill.val() {
            self.valid.d.next = self.valid.q.val() | (self.one.val() << self.index.val());
        }

        self.hit.next = self.valid.q.val().get_bit(self.index.val().index())
            & (self.entries.data.val().get_bits::<6>(0) == self.tag.val());
        self.page.next = self.entries.data.val().get_bits::<12>(9);
        self.rights.next = self.entries.data.val().get_bits::<3>(6);
        self.after_hit.next = self.valid.q.val().get_bit(self.after_index.val().index())
            & (self.entries.after_data.val().get_bits::<6>(0) == self.after_tag.val());
        self.after_physical.next = self.entries.after_data.val().get_bits::<12>(9);
        self.after_execute.next = self.entries.after_data.val().get_bit(8);
    }
}

/// The memory of the [`Tlb`]: one port written and read, one read, the reads combinational (LUT RAM
/// where there is any).
///
/// Two copies of it, which is what LUT RAM makes of two read ports anyway. Of one memory yosys
/// (`share`) sees that the core uses one of the two words at most, and makes one port of both, whose
/// address it then has to choose by what is known last: whether a branch is taken.
#[derive(LogicBlock, Default)]
pub struct TlbMemory {
    pub clock: Signal<In, Clock>,
    pub index: Signal<In, Bits<4>>,
    pub data: Signal<Out, Bits<ENTRY_BITS>>,
    pub after_index: Signal<In, Bits<4>>,
    pub after_data: Signal<Out, Bits<ENTRY_BITS>>,
    pub write: Signal<In, Bit>,
    pub write_data: Signal<In, Bits<ENTRY_BITS>>,
    _entries: [u32; page::TLB_ENTRIES],
}

impl Logic for TlbMemory {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write.val() {
            self._entries[self.index.val().index()] = self.write_data.val().to_u32();
        }
        self.data.next = u64::from(self._entries[self.index.val().index()]).into();
        self.after_data.next = u64::from(self._entries[self.after_index.val().index()]).into();
    }

    fn connect(&mut self) {
        self.data.connect();
        self.after_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "\
reg [20:0] copy_1[15:0];
reg [20:0] copy_2[15:0];
integer i;
initial begin
   for (i = 0; i < 16; i = i + 1) begin
      copy_1[i] = 0;
      copy_2[i] = 0;
   end
end
always @(posedge clock) begin
   if (write) begin
      copy_1[index] <= write_data;
      copy_2[index] <= write_data;
   end
end
always @(*) data = copy_1[index];
always @(*) after_data = copy_2[after_index];
"
            .into(),
        )
    }
}
