//! A queue of sixteen bytes.

use rust_hdl::prelude::*;

/// Sixteen bytes of storage: `stored` in *t*+1 is the byte at `next_index`, with what is written in *t*.
///
/// Read by a register, so that it fits block RAM where there is no RAM in LUTs, as on iCE40; with
/// the latter it takes that. Before the first edge `stored` is 0 in simulation and unknown in
/// hardware, where an initial value would cost registers.
#[derive(LogicBlock, Default)]
pub struct ByteStore {
    pub clock: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub write_index: Signal<In, Bits<4>>,
    pub data: Signal<In, Bits<8>>,
    pub next_index: Signal<In, Bits<4>>,
    pub stored: Signal<Out, Bits<8>>,
    // rust-hdl skips fields that begin with an underscore.
    _bytes: [Bits<8>; 16],
}

impl Logic for ByteStore {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.write.val() {
                self._bytes[self.write_index.val().index()] = self.data.val();
            }
            self.stored.next = self._bytes[self.next_index.val().index()];
        }
    }

    fn connect(&mut self) {
        self.stored.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "\
reg [7:0] bytes [0:15];
integer index;
initial for (index = 0; index < 16; index = index + 1) bytes[index] = 0;
`ifndef SYNTHESIS
initial stored = 0;
`endif
always @(posedge clock) begin
   if (write) bytes[write_index] <= data;
   stored <= (write & (write_index == next_index)) ? data : bytes[next_index];
end
"
            .into(),
        )
    }
}

/// First in, first out, sixteen bytes.
///
/// ```text
///            +------------+
///   data  -->|            |--> front
///   push  -->|  ByteFifo  |--> empty
///   pop   -->|            |--> full
///   clock -->|>           |
///            +------------+
/// ```
///
/// `push` in *t* appends `data`, there from *t*+1; it is ignored if `full` in *t*. `pop` in *t* removes `front`, gone
/// from *t*+1; it is ignored if `empty` in *t*. Both at once are both done. `front` means nothing while `empty`.
#[derive(LogicBlock, Default)]
pub struct ByteFifo {
    pub clock: Signal<In, Clock>,
    pub push: Signal<In, Bit>,
    pub data: Signal<In, Bits<8>>,
    pub pop: Signal<In, Bit>,
    pub front: Signal<Out, Bits<8>>,
    pub empty: Signal<Out, Bit>,
    pub full: Signal<Out, Bit>,
    bytes: ByteStore,
    // One bit more than an index: the difference is the number of bytes.
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    /// The head of the next cycle.
    next: Signal<Local, Bits<5>>,
    held: Signal<Local, Bits<5>>,
    is_empty: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

impl Logic for ByteFifo {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, head, tail);
        self.held.next = self.tail.q.val() - self.head.q.val();
        self.is_empty.next = self.held.val() == 0;
        self.is_full.next = self.held.val() == 16;
        self.taken.next = self.push.val() & !self.is_full.val();
        if self.taken.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        self.next.next = self.head.q.val();
        if self.pop.val() & !self.is_empty.val() {
            self.next.next = self.head.q.val() + 1;
        }
        self.head.d.next = self.next.val();
        self.bytes.clock.next = self.clock.val();
        self.bytes.write.next = self.taken.val();
        self.bytes.write_index.next = self.tail.q.val().get_bits::<4>(0);
        self.bytes.data.next = self.data.val();
        self.bytes.next_index.next = self.next.val().get_bits::<4>(0);
        self.front.next = self.bytes.stored.val();
        self.empty.next = self.is_empty.val();
        self.full.next = self.is_full.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::fitting::assert_fits;
    use crate::support::lint::assert_clean;
    use crate::support::random::Random;
    use crate::support::synthesis::Family;
    use crate::{differential, settle_low, step};
    use std::collections::VecDeque;

    #[test]
    fn it_is_a_queue_of_sixteen() {
        let seed = 41;
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut model = VecDeque::new();
        let mut fifo = ByteFifo::default();
        fifo.connect_all();
        let mut fills = [0; 17];
        for cycle in 0..4_000 {
            // Long phases of filling and of emptying reach both ends.
            let (push, pop) = (random.chance(1, 2), random.chance(1, 2));
            let filling = cycle / 100 % 2 == 0;
            fifo.push.next = push || filling && random.chance(1, 2);
            fifo.pop.next = pop && !filling || random.chance(1, 4);
            fifo.data.next = random.bits();
            settle_low!(fifo).unwrap();
            assert_eq!(fifo.empty.val(), model.is_empty());
            assert_eq!(fifo.full.val(), model.len() == 16);
            if let Some(&front) = model.front() {
                assert_eq!(fifo.front.val(), front);
            }
            fills[model.len()] += 1;
            let push = fifo.push.val() && model.len() < 16;
            if fifo.pop.val() {
                model.pop_front();
            }
            if push {
                model.push_back(fifo.data.val());
            }
            step!(fifo).unwrap();
        }
        assert!(fills.iter().all(|&count| count > 0), "{fills:?}");
    }

    #[test]
    fn verilog_agrees() {
        differential! {
            block: ByteFifo = ByteFifo::default(),
            inputs: [push, data, pop],
            outputs: [front, empty, full],
            cycles: 4_000,
            seed: 42,
            stimulus: |block, random, cycle| {
                let filling = cycle / 100 % 2 == 0;
                block.push.next = random.chance(if filling { 3 } else { 1 }, 4);
                block.pop.next = random.chance(if filling { 1 } else { 3 }, 4);
                block.data.next = random.bits();
            }
        }
    }

    #[test]
    fn lint_is_clean() {
        assert_clean(ByteFifo::default());
    }

    #[test]
    fn it_synthesises() {
        for (family, block_rams) in [(Family::Ice40, 1), (Family::Ecp5, 0)] {
            assert_fits(ByteFifo::default(), family, block_rams, None);
        }
    }
}
