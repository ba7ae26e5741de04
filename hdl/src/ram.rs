//! Local memory: byte-writable, two ports, block RAM.

use rust_hdl::prelude::*;
use testbed_definitions::page::PAGE_BYTES;

/// A RAM's arrays in its module of Verilog: its even words and its odd ones.
pub const BANKS: [&str; 2] = ["mem_0", "mem_1"];

/// Synchronous RAM of 32-bit words in two banks, the even words and the odd ones. Port A is the
/// core's, with byte enables; port B is shared by DMA, which goes first and takes one bank, and by the
/// core's fetches ahead.
///
/// ```text
///                +-----------+
///   a_address -->|           |--> a_rdata
///   a_write   -->|           |--> a_word_0, a_word_1
///   a_mask    -->|           |
///   a_wdata   -->|    RAM    |
///   b_use     -->|           |
///   b_address -->|           |--> b_rdata
///   b_write   -->|           |
///   b_wdata   -->|           |
///   ahead_0, ahead_1 ------->|--> b_word_0, b_word_1, free_0, free_1
///   clock     -->|>          |
///                +-----------+
/// ```
///
/// Addresses are byte addresses of which only the bits that select a word inside the RAM count.
/// Each port reads in every cycle: an address in cycle *t* gives its word in *t*+1, as it was
/// before any write of *t*, by either port. Port A reads the two words from `a_address` on, each
/// shown by its bank; the second one only if both are in one KiB. `a_rdata` is the first. With
/// `b_use` port B of the bank of `b_address` is DMA's, and `b_rdata` its word; where that is not
/// so, `free_0` and `free_1`, it reads the word of its bank at `ahead_0` or `ahead_1`. `a_write`
/// writes the bytes of `a_wdata` whose bits are set in `a_mask`, `b_write`, which comes with
/// `b_use` only, the whole of `b_wdata`, visible to reads from *t*+1. If both write one word in one
/// cycle, port B's bytes stay. The content is 0 at first, or comes from [`Ram::set_image`] in the
/// generated Verilog.
///
/// In Verilog the words are [`BANKS`], two arrays of the instance's module. yosys maps
/// them to true dual-port block RAM on ECP5; there, unlike in simulation, what one port reads, and
/// what stays, is undefined for a word that the other port writes in the same cycle: the block RAM
/// does not arbitrate, and logic that did would cost more than it is worth. iCE40 has no block RAM
/// with two write ports.
#[derive(LogicBlock)]
pub struct Ram {
    pub clock: Signal<In, Clock>,
    pub a_address: Signal<In, Bits<32>>,
    pub a_write: Signal<In, Bit>,
    pub a_mask: Signal<In, Bits<4>>,
    pub a_wdata: Signal<In, Bits<32>>,
    pub a_rdata: Signal<Out, Bits<32>>,
    pub a_word_0: Signal<Out, Bits<32>>,
    pub a_word_1: Signal<Out, Bits<32>>,
    pub b_use: Signal<In, Bit>,
    pub b_address: Signal<In, Bits<32>>,
    pub b_write: Signal<In, Bit>,
    pub b_wdata: Signal<In, Bits<32>>,
    pub b_rdata: Signal<Out, Bits<32>>,
    pub ahead_0: Signal<In, Bits<32>>,
    pub ahead_1: Signal<In, Bits<32>>,
    pub b_word_0: Signal<Out, Bits<32>>,
    pub b_word_1: Signal<Out, Bits<32>>,
    /// In this cycle port B of the bank reads what is asked for ahead.
    pub free_0: Signal<Out, Bit>,
    pub free_1: Signal<Out, Bit>,
    // rust-hdl skips fields that begin with an underscore.
    _words: Vec<u32>,
    _image: Option<String>,
    _a_odd: bool,
    _b_odd: bool,
}

/// Files from which the generated Verilog of a RAM reads its first content: those of the even words
/// and of the odd ones.
pub fn image_files(path: &str) -> [String; 2] {
    [0, 1].map(|bank| format!("{path}.{bank}"))
}

impl Ram {
    /// A RAM of `bytes`, all zero.
    ///
    /// # Panics
    /// If `bytes` is not a power of two of at least 16.
    pub fn new(bytes: u32) -> Self {
        assert!(bytes.is_power_of_two() && bytes >= 16, "{bytes} bytes are no power of two from 16");
        Ram {
            clock: Signal::default(),
            a_address: Signal::default(),
            a_write: Signal::default(),
            a_mask: Signal::default(),
            a_wdata: Signal::default(),
            a_rdata: Signal::default(),
            a_word_0: Signal::default(),
            a_word_1: Signal::default(),
            b_use: Signal::default(),
            b_address: Signal::default(),
            b_write: Signal::default(),
            b_wdata: Signal::default(),
            b_rdata: Signal::default(),
            ahead_0: Signal::default(),
            ahead_1: Signal::default(),
            b_word_0: Signal::default(),
            b_word_1: Signal::default(),
            free_0: Signal::default(),
            free_1: Signal::default(),
            _words: vec![0; bytes as usize / 4],
            _image: None,
            _a_odd: false,
            _b_odd: false,
        }
    }

    /// Makes the generated Verilog read its first content from two files of hexadecimal words, one a
    /// line ([`image_files`]). Native simulation takes its content from [`Ram::words_mut`].
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

    /// The word after the one at `index`, if it is in the same KiB; else that KiB's first one.
    fn after(&self, index: usize) -> usize {
        let within = (self._words.len() - 1).min(PAGE_BYTES as usize / 4 - 1);
        index & !within | (index + 1) & within
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
        let (a, b) = (self.index(self.a_address.val()), self.index(self.b_address.val()));
        let used = |bank: usize| self.b_use.val() && b % 2 == bank;
        let (used_0, used_1) = (used(0), used(1));
        self.free_0.next = !used_0;
        self.free_1.next = !used_1;
        if !self.clock.pos_edge() {
            return;
        }
        let after = self.after(a);
        let (even, odd) = if a % 2 == 0 { (a, after) } else { (after, a) };
        self.a_word_0.next = self._words[even].to_bits();
        self.a_word_1.next = self._words[odd].to_bits();
        self.a_rdata.next = self._words[a].to_bits();
        let ahead_0 = if used_0 { b } else { self.index(self.ahead_0.val()) & !1 };
        let ahead_1 = if used_1 { b } else { self.index(self.ahead_1.val()) | 1 };
        self.b_word_0.next = self._words[ahead_0].to_bits();
        self.b_word_1.next = self._words[ahead_1].to_bits();
        self.b_rdata.next = self._words[if b % 2 == 0 { ahead_0 } else { ahead_1 }].to_bits();
        if self.a_write.val() {
            let lanes = byte_lanes(self.a_mask.val().index());
            let data = self.a_wdata.val().index() as u32;
            self._words[a] = (self._words[a] & !lanes) | (data & lanes);
        }
        if self.b_use.val() && self.b_write.val() {
            self._words[b] = self.b_wdata.val().index() as u32;
        }
    }

    fn connect(&mut self) {
        self.a_rdata.connect();
        self.a_word_0.connect();
        self.a_word_1.connect();
        self.b_rdata.connect();
        self.b_word_0.connect();
        self.b_word_1.connect();
        self.free_0.connect();
        self.free_1.connect();
    }

    fn hdl(&self) -> Verilog {
        let rows = self._words.len() / 2;
        let (last_row, top) = (rows - 1, rows.trailing_zeros() as usize - 1);
        // The row of the second word is in the same KiB.
        let within = top.min(PAGE_BYTES.trailing_zeros() as usize - 4);
        let high = |port: &str| format!("{port}[{}:3]", top + 3);
        let second = if within < top {
            format!("{{a_address[{}:{}], a_second}}", top + 3, within + 4)
        } else {
            "a_second".into()
        };
        let mut verilog = format!(
            "\
wire [{top}:0] a_row_1 = {a_row};
wire [{within}:0] a_second = a_address[{within_bit}:3] + a_address[2];
wire [{top}:0] a_row_0 = {second};
wire [{top}:0] b_row_0 = free_0 ? {ahead_0} : {b_row};
wire [{top}:0] b_row_1 = free_1 ? {ahead_1} : {b_row};
reg a_odd, b_odd;
initial begin
  a_odd = 0;
  b_odd = 0;
end
always @(posedge clock) begin
  a_odd <= a_address[2];
  b_odd <= b_address[2];
end
always @(*) begin
  free_0 = !(b_use && !b_address[2]);
  free_1 = !(b_use && b_address[2]);
  a_rdata = a_odd ? a_word_1 : a_word_0;
  b_rdata = b_odd ? b_word_1 : b_word_0;
end
",
            a_row = high("a_address"),
            within_bit = within + 3,
            ahead_0 = high("ahead_0"),
            ahead_1 = high("ahead_1"),
            b_row = high("b_address"),
        );
        for (bank, words) in BANKS.into_iter().enumerate() {
            // Block RAM starts at zero, and so does Verilator's memory; others start unknown.
            let content = match &self._image {
                Some(path) => {
                    format!("initial $readmemh(\"{}\", {words});", image_files(path)[bank].escape_default())
                }
                None => format!(
                    "`ifndef SYNTHESIS\n`ifndef VERILATOR\ninteger row_{bank};\n\
                     initial for (row_{bank} = 0; row_{bank} <= {last_row}; row_{bank} = row_{bank} + 1) \
                     {words}[row_{bank}] = 0;\n`endif\n`endif"
                ),
            };
            let mut lanes = String::new();
            for byte in 0..4 {
                let (high, low) = (8 * byte + 7, 8 * byte);
                lanes += &format!(
                    "  if (a_write && a_address[2] == {bank} && a_mask[{byte}]) \
                     {words}[a_row_{bank}][{high}:{low}] <= a_wdata[{high}:{low}];\n"
                );
            }
            verilog += &format!(
                "\
(* no_rw_check *)
reg [31:0] {words} [0:{last_row}];
{content}
initial begin
  a_word_{bank} = 0;
  b_word_{bank} = 0;
end
always @(posedge clock) begin
  a_word_{bank} <= {words}[a_row_{bank}];
{lanes}`ifdef SYNTHESIS
end
always @(posedge clock) begin
`endif
  b_word_{bank} <= {words}[b_row_{bank}];
  if (b_write && !free_{bank}) {words}[b_row_{bank}] <= b_wdata;
end
"
            );
        }
        Verilog::Custom(verilog)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::fitting::assert_fits;
    use crate::support::lint::assert_clean;
    use crate::support::synthesis::Family;
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
        ram.b_use.next = true;
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
        ram.b_use.next = true;
        step!(ram).unwrap();
        assert_eq!((ram.a_rdata.val(), ram.b_rdata.val()), (7.into(), 7.into()));
    }

    #[test]
    fn port_a_reads_two_words_of_one_kib() {
        let mut ram = ram(4096);
        (0..1024).for_each(|index| ram.words_mut()[index] = index as u32);
        for (address, even, odd) in [(8u64, 2u64, 3u64), (12, 4, 3), (1016, 254, 255), (1020, 0, 255), (2044, 256, 511)]
        {
            ram.a_address.next = address.into();
            step!(ram).unwrap();
            assert_eq!((ram.a_word_0.val(), ram.a_word_1.val()), (even.into(), odd.into()), "from {address}");
            assert_eq!(ram.a_rdata.val(), address / 4);
        }
    }

    #[test]
    fn dma_takes_one_bank_of_port_b_and_leaves_the_other() {
        let mut ram = ram(4096);
        (0..1024).for_each(|index| ram.words_mut()[index] = index as u32);
        ram.ahead_0.next = 32.into();
        ram.ahead_1.next = 44.into();
        for (uses, address, words, free) in [
            (false, 4u64, (8u64, 11u64), (true, true)),
            (true, 4, (8, 1), (true, false)),
            (true, 16, (4, 11), (false, true)),
        ] {
            ram.b_use.next = uses;
            ram.b_address.next = address.into();
            crate::settle_low!(ram).unwrap();
            assert_eq!((ram.free_0.val(), ram.free_1.val()), free);
            step!(ram).unwrap();
            assert_eq!((ram.b_word_0.val(), ram.b_word_1.val()), (words.0.into(), words.1.into()));
            assert!(!uses || ram.b_rdata.val() == address / 4);
        }
    }

    #[test]
    fn verilog_agrees() {
        for bytes in [64, 4096] {
            differential! {
                block: Ram = Ram::new(bytes),
                inputs: [a_address, a_write, a_mask, a_wdata, b_use, b_address, b_write, b_wdata, ahead_0, ahead_1],
                outputs: [a_rdata, a_word_0, a_word_1, b_rdata, b_word_0, b_word_1, free_0, free_1],
                cycles: 5_000,
                seed: 11,
            }
        }
    }

    #[test]
    fn it_synthesises_to_block_ram() {
        // 16 KiB in DP16KD of 2 KiB each.
        assert_fits(Ram::new(16 * 1024), Family::Ecp5, 8, None);
    }

    #[test]
    fn lint_is_clean() {
        assert_clean(Ram::new(1024));
    }
}
