//! The trace port: a FIFO between the MMI and a link of any speed, and the link that simulated machines have.

use super::QueueRam;
use rust_hdl::prelude::*;

/// The trace port's FIFO ("Trace port" in `docs/monitor.md`). It loses nothing whatever the link
/// does: who writes looks at `room` first.
///
/// ```text
///           +-----------+
///  valid -->|           |---> trace_valid
///   word ==>| TracePort |===> trace_word [20]
///   room <--|           |<--- trace_ready
///  clock -->|           |
///           +-----------+
/// ```
#[derive(LogicBlock)]
pub struct TracePort {
    pub clock: Signal<In, Clock>,
    /// A word comes in.
    pub valid: Signal<In, Bit>,
    pub word: Signal<In, Bits<20>>,
    /// Two more words have room, besides the one that comes in.
    pub room: Signal<Out, Bit>,

    /// A word is there. It goes in the cycle in which `trace_ready` is 1 too.
    pub trace_valid: Signal<Out, Bit>,
    /// `MmiWord` layout; 0 where no word is there.
    pub trace_word: Signal<Out, Bits<20>>,
    pub trace_ready: Signal<In, Bit>,

    queue: QueueRam<20>,
    write_index: DFF<Bits<16>>,
    write_seen: DFF<Bits<16>>,
    read_index: DFF<Bits<16>>,
    coming: Signal<Local, Bits<16>>,
    kept: Signal<Local, Bits<16>>,
    there: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    read_next: Signal<Local, Bits<16>>,
    depth_less_two: Constant<Bits<16>>,
}

impl TracePort {
    /// With room for `depth` words.
    ///
    /// # Panics
    /// If the depth is not allowed; machine descriptions are validated before.
    pub fn new(depth: u32) -> Self {
        Self {
            clock: Default::default(),
            valid: Default::default(),
            word: Default::default(),
            room: Default::default(),
            trace_valid: Default::default(),
            trace_word: Default::default(),
            trace_ready: Default::default(),
            queue: QueueRam::new(depth),
            write_index: Default::default(),
            write_seen: Default::default(),
            read_index: Default::default(),
            coming: Default::default(),
            kept: Default::default(),
            there: Default::default(),
            goes: Default::default(),
            read_next: Default::default(),
            depth_less_two: Constant::new(bits(u64::from(depth - 2))),
        }
    }

    /// See [`QueueRam::in_luts`].
    pub fn queue_in_luts(&mut self) {
        self.queue.in_luts();
    }
}

impl Logic for TracePort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_index, write_seen, read_index);
        clock!(self, clock, queue);
        self.coming.next = 0.into();
        if self.valid.val() {
            self.coming.next = 1.into();
            self.write_index.d.next = self.write_index.q.val() + 1;
        }
        self.kept.next = (self.write_index.q.val() - self.read_index.q.val()) + self.coming.val();
        self.write_seen.d.next = self.write_index.q.val();
        self.there.next = self.write_seen.q.val() != self.read_index.q.val();
        self.goes.next = self.there.val() & self.trace_ready.val();
        self.read_next.next = self.read_index.q.val();
        if self.goes.val() {
            self.read_next.next = self.read_index.q.val() + 1;
        }
        self.read_index.d.next = self.read_next.val();
        self.queue.write_enable.next = self.valid.val();
        self.queue.write_index.next = self.write_index.q.val();
        self.queue.write_data.next = self.word.val();
        self.queue.read_index.next = self.read_next.val();

        self.room.next = self.kept.val() <= self.depth_less_two.val();
        self.trace_valid.next = self.there.val();
        self.trace_word.next = 0.into();
        if self.there.val() {
            self.trace_word.next = self.queue.read_data.val();
        }
    }
}

/// Stands for the trace port's link in simulated machines: it takes a word at most every so many cycles.
///
/// ```text
///           +------+
///  valid -->| Link |--> ready
///  clock -->|      |
///           +------+
/// ```
#[derive(LogicBlock)]
pub struct Link {
    pub clock: Signal<In, Clock>,
    /// A word is there.
    pub valid: Signal<In, Bit>,
    /// It is taken in this cycle. Does not depend on `valid`.
    pub ready: Signal<Out, Bit>,
    rest: DFF<Bits<16>>,
    pause: Constant<Bits<16>>,
}

impl Link {
    /// A port that takes a word at most every `cycles` cycles, 1 to 65,536.
    ///
    /// # Panics
    /// If `cycles` is out of range; machine descriptions are validated before.
    pub fn new(cycles: u32) -> Self {
        assert!((1..=1 << 16).contains(&cycles), "a word every {cycles} cycles: there can be 1 to 65536");
        Self {
            clock: Default::default(),
            valid: Default::default(),
            ready: Default::default(),
            rest: Default::default(),
            pause: Constant::new(bits(u64::from(cycles - 1))),
        }
    }
}

impl Logic for Link {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, rest);
        self.ready.next = !self.rest.q.val().any();
        if self.rest.q.val().any() {
            self.rest.d.next = self.rest.q.val() - 1;
        } else if self.valid.val() {
            self.rest.d.next = self.pause.val();
        }
    }
}
