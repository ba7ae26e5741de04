//! Local memory: byte-writable, two ports, block RAM.

use rust_hdl::prelude::*;

/// Synchronous RAM, 32 bits wide. Port A is the core's, with byte enables; port B is the DMA's, whole words.
///
/// ```text
///                +-----------+
///   a_address -->|           |--> a_rdata
///   a_write   -->|           |
///   a_mask    -->|           |
///   a_wdata   -->|    RAM    |
///   b_address -->|           |--> b_rdata
///   b_write   -->|           |
///   b_wdata   -->|           |
///   clock     -->|>          |
///                +-----------+
/// ```
///
/// Addresses are byte addresses of which only the bits that select a word inside the RAM count.
/// Each port reads in every cycle: an address in cycle *t* gives its word in *t*+1, as it was
/// before any write of *t*, by either port. `a_write` writes the bytes of `a_wdata` whose bits are
/// set in `a_mask`, `b_write` the whole of `b_wdata`, visible to reads from *t*+1. If both write
/// one word in one cycle, port B's bytes stay. The content is 0 at first, or comes from
/// [`Ram::set_image`] in the generated Verilog.
///
/// In Verilog the words are `mem`, one array of the instance's module. yosys maps it to true dual-port block RAM on
/// ECP5; there, unlike in simulation, what one port reads, and what stays, is undefined for a word that the other port
/// writes in the same cycle: the block RAM does not arbitrate, and logic that did would cost more than it is worth.
/// iCE40 has no block RAM with two write ports.
#[derive(LogicBlock)]
pub struct Ram {
    pub clock: Signal<In, Clock>,
    pub a_address: Signal<In, Bits<32>>,
    pub a_write: Signal<In, Bit>,
    pub a_mask: Signal<In, Bits<4>>,
    pub a_wdata: Signal<In, Bits<32>>,
    pub a_rdata: Signal<Out, Bits<32>>,
    pub b_address: Signal<In, Bits<32>>,
    pub b_write: Signal<In, Bit>,
    pub b_wdata: Signal<In, Bits<32>>,
    pub b_rdata: Signal<Out, Bits<32>>,
    // rust-hdl skips fields that begin with an underscore.
    _words: Vec<u32>,
    _image: Option<String>,
}

impl Ram {
    /// A RAM of `bytes`, all zero.
    ///
    /// # Panics
    /// If `bytes` is not a power of two of at least 8.
    pub fn new(bytes: u32) -> Self {
        assert!(bytes.is_power_of_two() && bytes >= 8, "{bytes} bytes are no power of two from 8");
        Ram {
            clock: Signal::default(),
            a_address: Signal::default(),
            a_write: Signal::default(),
            a_mask: Signal::default(),
            a_wdata: Signal::default(),
            a_rdata: Signal::default(),
            b_address: Signal::default(),
            b_write: Signal::default(),
            b_wdata: Signal::default(),
            b_rdata: Signal::default(),
            _words: vec![0; bytes as usize / 4],
            _image: None,
        }
    }

    /// Makes the generated Verilog read its first content from a file of hexadecimal words, one a line. Native
    /// simulation takes its content from [`Ram::words_mut`].
    pub fn set_image(&mut self, path: &str) {
        self._image = Some(path.into());
    }

    /// The content of native simulation, a word each four bytes of address.
    pub fn words(&self) -> &[u32] {
        &self._words
    }

    /// The same, to be changed between two edges.
    pub fn words_mut(&mut self) -> &mut [u32] {
        &mut self._words
    }

    fn index(&self, address: Bits<32>) -> usize {
        (address.index() >> 2) & (self._words.len() - 1)
    }
}

/// The bits of the bytes that `mask` selects.
const fn byte_lanes(mask: usize) -> u32 {
    let mut lanes = 0;
    let mut byte = 0;
    while byte < 4 {
        if mask >> byte & 1 == 1 {
            lanes |= 0xff << (8 * byte);
        }
        byte += 1;
    }
    lanes
}

impl Logic for Ram {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        let (a, b) = (self.index(self.a_address.val()), self.index(self.b_address.val()));
        self.a_rdata.next = self._words[a].to_bits();
        self.b_rdata.next = self._words[b].to_bits();
        if self.a_write.val() {
            let lanes = byte_lanes(self.a_mask.val().index());
            let data = self.a_wdata.val().index() as u32;
            self._words[a] = (self._words[a] & !lanes) | (data & lanes);
        }
        if self.b_write.val() {
            self._words[b] = self.b_wdata.val().index() as u32;
        }
    }

    fn connect(&mut self) {
        self.a_rdata.connect();
        self.b_rdata.connect();
    }

    fn hdl(&self) -> Verilog {
        let last_word = self._words.len() - 1;
        let last_bit = self._words.len().trailing_zeros() + 1;
        // Block RAM starts at zero, and so does Verilator's memory; others start unknown.
        let content = match &self._image {
            Some(path) => format!("initial $readmemh(\"{}\", mem);", path.escape_default()),
            None => format!(
                "`ifndef SYNTHESIS\n`ifndef VERILATOR\ninteger word;\n\
                 initial for (word = 0; word <= {last_word}; word = word + 1) mem[word] = 0;\n`endif\n`endif"
            ),
        };
        let mut lanes = String::new();
        for byte in 0..4 {
            let (high, low) = (8 * byte + 7, 8 * byte);
            lanes += &format!("  if (a_write && a_mask[{byte}]) mem[a_word][{high}:{low}] <= a_wdata[{high}:{low}];\n");
        }
        Verilog::Custom(format!(
            "\
(* no_rw_check *)
reg [31:0] mem [0:{last_word}];
wire [{width}:0] a_word = a_address[{last_bit}:2];
wire [{width}:0] b_word = b_address[{last_bit}:2];
{content}
initial begin
  a_rdata = 0;
  b_rdata = 0;
end
always @(posedge clock) begin
  a_rdata <= mem[a_word];
{lanes}`ifdef SYNTHESIS
end
always @(posedge clock) begin
`endif
  b_rdata <= mem[b_word];
  if (b_write) mem[b_word] <= b_wdata;
end
",
            width = last_bit - 2
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::lint::assert_clean;
    use crate::support::synthesis::{synthesise, Family};
    use crate::{differential, step};

    fn ram(bytes: u32) -> Ram {
        let mut ram = Ram::new(bytes);
        ram.connect_all();
        ram
    }

    #[test]
    fn port_a_writes_bytes_and_reads_what_was() {
        let mut ram = ram(64);
        ram.words_mut()[3] = 0x1122_3344;
        ram.a_address.next = 12.into();
        ram.a_write.next = true;
        ram.a_mask.next = 0b0101.into();
        ram.a_wdata.next = 0xaabb_ccdd.into();
        step!(ram).unwrap();
        assert_eq!(ram.a_rdata.val(), 0x1122_3344u64);
        assert_eq!(ram.words()[3], 0x11bb_33dd);
        ram.a_write.next = false;
        step!(ram).unwrap();
        assert_eq!(ram.a_rdata.val(), 0x11bb_33ddu64);
    }

    #[test]
    fn port_b_wins_and_both_read_what_was() {
        let mut ram = ram(64);
        ram.a_address.next = 8.into();
        ram.b_address.next = 8.into();
        ram.a_write.next = true;
        ram.b_write.next = true;
        ram.a_mask.next = 15.into();
        ram.a_wdata.next = 1.into();
        ram.b_wdata.next = 2.into();
        step!(ram).unwrap();
        assert_eq!((ram.a_rdata.val(), ram.b_rdata.val()), (0.into(), 0.into()));
        assert_eq!(ram.words()[2], 2);
    }

    #[test]
    fn addresses_wrap_at_the_size() {
        let mut ram = ram(64);
        ram.words_mut()[5] = 7;
        ram.a_address.next = 0x8000_0057.into();
        ram.b_address.next = 0x0001_0014.into();
        step!(ram).unwrap();
        assert_eq!((ram.a_rdata.val(), ram.b_rdata.val()), (7.into(), 7.into()));
    }

    #[test]
    fn verilog_agrees() {
        differential! {
            block: Ram = Ram::new(64),
            inputs: [a_address, a_write, a_mask, a_wdata, b_address, b_write, b_wdata],
            outputs: [a_rdata, b_rdata],
            cycles: 5_000,
            seed: 11,
        }
    }

    #[test]
    fn ecp5_gets_block_ram() {
        // 16 KiB in DP16KD of 2 KiB each.
        let cells = synthesise(Ram::new(16 * 1024), Family::Ecp5, 8).unwrap();
        println!("16 KiB on ECP5: {cells}");
    }

    #[test]
    fn lint_is_clean() {
        assert_clean(Ram::new(1024));
    }
}
