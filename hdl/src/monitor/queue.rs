//! Block RAM of the monitor's queues.

use rust_hdl::prelude::*;

/// A simple dual-port RAM whose depth is chosen at run time.
///
/// ```text
///                  +----------+
/// write_enable --->|          |
///  write_index --->| QueueRam |
///   write_data --->|          |---> read_data (registered)
///   read_index --->|          |
///        clock --->|          |
///                  +----------+
/// ```
///
/// Indices are free-running; their low bits address the RAM. `read_data` in cycle *t* + 1 is the word at
/// `read_index` in *t*, as it was before the write of *t*. What was never written is unspecified: users mask it.
#[derive(LogicBlock)]
pub struct QueueRam<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub write_enable: Signal<In, Bit>,
    pub write_index: Signal<In, Bits<16>>,
    pub write_data: Signal<In, Bits<W>>,
    pub read_index: Signal<In, Bits<16>>,
    pub read_data: Signal<Out, Bits<W>>,
    _words: Vec<Bits<W>>,
    _in_luts: bool,
}

impl<const W: usize> QueueRam<W> {
    /// Depths a queue can have: powers of two in this range.
    pub const DEPTHS: std::ops::RangeInclusive<u32> = 2..=32_768;

    /// A RAM of `depth` words, all zero.
    ///
    /// # Panics
    /// If `depth` is not a power of two in [`QueueRam::DEPTHS`]; machine descriptions are validated before.
    pub fn new(depth: u32) -> Self {
        assert!(
            depth.is_power_of_two() && Self::DEPTHS.contains(&depth),
            "queue depth {depth} is not a power of two from 2 to 32768"
        );
        Self {
            clock: Default::default(),
            write_enable: Default::default(),
            write_index: Default::default(),
            write_data: Default::default(),
            read_index: Default::default(),
            read_data: Default::default(),
            _words: vec![Bits::default(); depth as usize],
            _in_luts: false,
        }
    }

    /// Asks synthesis for LUT RAM in place of block RAM; the family must have it.
    pub fn in_luts(&mut self) {
        self._in_luts = true;
    }

    fn place(&self, index: Bits<16>) -> usize {
        u64::from(index) as usize & (self._words.len() - 1)
    }
}

impl<const W: usize> Logic for QueueRam<W> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.read_data.next = self._words[self.place(self.read_index.val())];
            if self.write_enable.val() {
                let place = self.place(self.write_index.val());
                self._words[place] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "\
{style}reg [{top}:0] mem [0:{last}];

always @(posedge clock) begin
   read_data <= mem[read_index[{bit}:0]];
   if (write_enable) begin
      mem[write_index[{bit}:0]] <= write_data;
   end
end
",
            style = if self._in_luts { "(* ram_style = \"distributed\" *)\n" } else { "" },
            top = W - 1,
            last = self._words.len() - 1,
            bit = self._words.len().trailing_zeros() - 1,
        ))
    }
}
