//! Stations, a bus and plain RAM without processors: how a node is put together, and what the tests run.

use super::bus::Bus;
use super::station::Station;
use super::strobe::Strobe;
use crate::support::blocks::each;
use rust_hdl::prelude::*;

/// Bytes of RAM of each station of a [`Node`].
pub const NODE_RAM_BYTES: u32 = 4096;
const ADDRESS_BITS: usize = (NODE_RAM_BYTES / 4).trailing_zeros() as usize;

/// Word-wide RAM with the timing of the machine's: port A for the core, port B for DMA, which wins
/// if both write one word.
#[derive(LogicBlock)]
pub struct NodeRam {
    pub clock: Signal<In, Clock>,
    /// Word address.
    pub a_address: Signal<In, Bits<ADDRESS_BITS>>,
    pub a_write: Signal<In, Bit>,
    pub a_wdata: Signal<In, Bits<32>>,
    pub a_rdata: Signal<Out, Bits<32>>,
    /// Byte address, taken modulo the size.
    pub b_address: Signal<In, Bits<32>>,
    pub b_write: Signal<In, Bit>,
    pub b_wdata: Signal<In, Bits<32>>,
    pub b_rdata: Signal<Out, Bits<32>>,
    _words: Box<[u32]>,
}

impl Default for NodeRam {
    fn default() -> Self {
        NodeRam {
            clock: Default::default(),
            a_address: Default::default(),
            a_write: Default::default(),
            a_wdata: Default::default(),
            a_rdata: Default::default(),
            b_address: Default::default(),
            b_write: Default::default(),
            b_wdata: Default::default(),
            b_rdata: Default::default(),
            _words: vec![0; NODE_RAM_BYTES as usize / 4].into(),
        }
    }
}

impl Logic for NodeRam {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let a = self.a_address.val().index();
            let b = (self.b_address.val().to_u32() % NODE_RAM_BYTES / 4) as usize;
            self.a_rdata.next = (self._words[a] as LiteralType).into();
            self.b_rdata.next = (self._words[b] as LiteralType).into();
            if self.a_write.val() {
                self._words[a] = self.a_wdata.val().to_u32();
            }
            if self.b_write.val() {
                self._words[b] = self.b_wdata.val().to_u32();
            }
        }
    }
    fn connect(&mut self) {
        self.a_rdata.connect();
        self.b_rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "\
reg [31:0] words [0:{last}];
integer i;
initial begin
    a_rdata = 0;
    b_rdata = 0;
    for (i = 0; i <= {last}; i = i + 1) words[i] = 0;
end
always @(posedge clock) begin
    a_rdata <= words[a_address];
    b_rdata <= words[b_address[{top}:2]];
    if (a_write) words[a_address] <= a_wdata;
    if (b_write) words[b_address[{top}:2]] <= b_wdata;
end
",
            last = (1 << ADDRESS_BITS) - 1,
            top = ADDRESS_BITS + 1,
        ))
    }
}

/// N stations on a bus, each with its RAM. The device port and RAM port A of every station are the
/// block's ports.
///
/// ```text
///                               +---------+
/// select[N], address[N],      =>|         |=> rdata[N], irq[N]
///   read[N], write[N], wdata[N] |         |
/// ram_address[N], ram_write[N]=>|  Node   |=> ram_rdata[N]
///   ram_wdata[N]                |         |
///                               +---------+
/// ```
#[derive(LogicBlock)]
pub struct Node {
    pub clock: Signal<In, Clock>,
    pub select: Vec<Signal<In, Bit>>,
    pub address: Vec<Signal<In, Bits<16>>>,
    pub read: Vec<Signal<In, Bit>>,
    pub write: Vec<Signal<In, Bit>>,
    pub wdata: Vec<Signal<In, Bits<32>>>,
    pub rdata: Vec<Signal<Out, Bits<32>>>,
    pub irq: Vec<Signal<Out, Bit>>,
    /// Word addresses.
    pub ram_address: Vec<Signal<In, Bits<ADDRESS_BITS>>>,
    pub ram_write: Vec<Signal<In, Bit>>,
    pub ram_wdata: Vec<Signal<In, Bits<32>>>,
    pub ram_rdata: Vec<Signal<Out, Bits<32>>>,
    strobe: Strobe,
    bus: Bus,
    station: Vec<Station>,
    ram: Vec<NodeRam>,
    number: Vec<Constant<Bits<8>>>,
    numbers: Constant<Bits<8>>,
}

impl Node {
    /// # Panics
    /// As [`Bus::new`].
    pub fn new(stations: usize) -> Self {
        Node {
            clock: Default::default(),
            select: each(stations),
            address: each(stations),
            read: each(stations),
            write: each(stations),
            wdata: each(stations),
            rdata: each(stations),
            irq: each(stations),
            ram_address: each(stations),
            ram_write: each(stations),
            ram_wdata: each(stations),
            ram_rdata: each(stations),
            strobe: Default::default(),
            bus: Bus::new(stations),
            station: each(stations),
            ram: each(stations),
            number: (0..stations).map(|i| Constant::new((i as LiteralType).into())).collect(),
            numbers: Constant::new((stations as LiteralType).into()),
        }
    }
}

impl Logic for Node {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, strobe, bus);
        for i in 0..self.station.len() {
            self.station[i].clock.next = self.clock.val();
            self.ram[i].clock.next = self.clock.val();
            self.station[i].station.next = self.number[i].val();
            self.station[i].stations.next = self.numbers.val();
            self.station[i].strobe.next = self.strobe.strobe.val();
            // The processor's side.
            self.station[i].select.next = self.select[i].val();
            self.station[i].address.next = self.address[i].val();
            self.station[i].read.next = self.read[i].val();
            self.station[i].write.next = self.write[i].val();
            self.station[i].wdata.next = self.wdata[i].val();
            self.rdata[i].next = self.station[i].rdata.val();
            self.irq[i].next = self.station[i].irq.val();
            self.ram[i].a_address.next = self.ram_address[i].val();
            self.ram[i].a_write.next = self.ram_write[i].val();
            self.ram[i].a_wdata.next = self.ram_wdata[i].val();
            self.ram_rdata[i].next = self.ram[i].a_rdata.val();
            // DMA.
            self.ram[i].b_address.next = self.station[i].dma_address.val();
            self.ram[i].b_write.next = self.station[i].dma_write.val();
            self.ram[i].b_wdata.next = self.station[i].dma_wdata.val();
            self.station[i].dma_rdata.next = self.ram[i].b_rdata.val();
            // The bus.
            self.station[i].grant.next = self.bus.grant[i].val();
            self.station[i].phase.next = self.bus.phase.val();
            self.station[i].word.next = self.bus.word.val();
            self.station[i].damaged.next = self.bus.damaged.val();
            self.bus.request[i].next = self.station[i].request.val();
            self.bus.sent_word[i].next = self.station[i].sent_word.val();
            self.bus.ack[i].next = self.station[i].ack.val();
            self.bus.nack[i].next = self.station[i].nack.val();
        }
    }
}
