//! The master monitoring interface: polls the SMIs over the monitoring bus.

use super::smi::word_at;
use super::{Age, Late, QueueRam};
use crate::support::blocks::each;
use rust_hdl::prelude::*;
use testbed_definitions::map::mmi;
use testbed_machine::Machine as Description;

/// Reset values and size of an [`Mmi`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MmiConfig {
    /// Processors of the machine, 1 to 16: one more than SMIs.
    pub processors: usize,
    /// Words of the master's queue, a power of two in [`QueueRam::DEPTHS`].
    pub queue: u32,
    /// Cycles a slot of the poller takes; less than 2 counts as 2.
    pub poll_cycles: u32,
    /// Machine cycles a tick of the global clock; 0 counts as 1.
    pub tick_cycles: u32,
    /// CONTROL.
    pub control: u32,
}

impl MmiConfig {
    /// The configuration of the MMI of `machine`.
    pub fn of(machine: &Description) -> Self {
        MmiConfig {
            processors: machine.processors.len(),
            queue: machine.mmi_queue,
            poll_cycles: machine.poll_cycles,
            tick_cycles: machine.tick_cycles,
            control: machine.control(),
        }
    }
}

/// Master monitoring interface of a machine with N processors, hence N - 1 SMIs ("Monitoring bus
/// and MMI" in `docs/monitor.md`). Entry `i` of a list belongs to processor `i`; entry 0 is not
/// looked at, or 0.
///
/// ```text
///                     +-----+
///      device port -->|     |--> rdata
///                     |     |
///    bus_ready [N] -->| Mmi |--> bus_select [N], bus_datum, bus_take [N]
///  bus_data, _key [N]==>|     |==> bus_command [N], bus_number [4], bus_value [16]
///     stamp, wraps ==>|     |
///           strobe -->|     |--> tick_cycles (to the global clock)
///            clock -->|     |--> trace_valid, trace_word [20] (to the trace port)
///        port_room -->|     |
///                     +-----+
/// ```
///
/// A slot in turns takes the pair of the SMI whose turn it is, one in order of time that of the SMI
/// with the oldest key: ages are taken in its first cycle, the oldest is found in its second, and
/// the bus carries the pair in its third and fourth.
#[derive(LogicBlock)]
pub struct Mmi {
    pub clock: Signal<In, Clock>,
    /// Window strobe.
    pub strobe: Signal<In, Bit>,

    pub select: Signal<In, Bit>,
    /// Byte offset in the device; bits 1:0 are ignored.
    pub address: Signal<In, Bits<16>>,
    pub read: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    /// What the read in the cycle before has asked for; 0 after a cycle without one.
    pub rdata: Signal<Out, Bits<32>>,

    /// SMI `i` has an entry.
    pub bus_ready: Vec<Signal<In, Bit>>,
    /// From SMI `i`; 0 unless it is selected.
    pub bus_data: Vec<Signal<In, Bits<16>>>,
    /// Extended time of SMI `i`'s entry, or of what it may yet have, at least.
    pub bus_key: Vec<Signal<In, Bits<24>>>,
    pub bus_select: Vec<Signal<Out, Bit>>,
    /// Common to all SMIs. 0: time, 1: datum.
    pub bus_datum: Signal<Out, Bit>,
    pub bus_take: Vec<Signal<Out, Bit>>,
    /// SMI `i` takes over a filter register at the end of this window: this one, common to all, and its value.
    pub bus_command: Vec<Signal<Out, Bit>>,
    pub bus_number: Signal<Out, Bits<4>>,
    pub bus_value: Signal<Out, Bits<16>>,

    /// TICK_CYCLES as the global clock sees it.
    pub tick_cycles: Signal<Out, Bits<32>>,
    /// From [`super::GlobalClock`].
    pub stamp: Signal<In, Bits<16>>,
    pub wraps: Signal<In, Bits<8>>,
    /// A word goes to the trace port.
    pub trace_valid: Signal<Out, Bit>,
    /// `MmiWord` layout.
    pub trace_word: Signal<Out, Bits<20>>,
    /// The trace port has room for two more words, besides the one that goes there.
    pub port_room: Signal<In, Bit>,

    queue: QueueRam<20>,
    write_index: DFF<Bits<16>>,
    // Of the cycle before: what the word register held and whether that is for the queue, if wanted; and of
    // the datum that was on the bus, if one was, how it differs from what is wanted.
    written: DFF<Bits<20>>,
    waits: DFF<Bit>,
    judged: DFF<Bit>,
    differs: DFF<Bits<16>>,
    of_wanted: DFF<Bit>,
    misses: DFF<Bit>,
    read_index: DFF<Bits<16>>,
    read_late: Late<16>,
    control: DFFWithInit<Bits<5>>,
    control_late: Late<5>,
    wanted: DFFWithInit<Bits<16>>,
    wanted_late: Late<16>,
    wanted_datum: DFF<Bits<32>>,
    wanted_datum_late: Late<32>,
    poll: DFFWithInit<Bits<32>>,
    poll_late: Late<32>,
    tick: DFFWithInit<Bits<32>>,
    tick_late: Late<32>,
    slot: DFF<Bits<32>>,
    current: DFFWithInit<Bits<4>>,
    by_time: DFF<Bit>,
    age: Vec<Age>,
    looked: DFF<Bit>,
    chosen: DFF<Bit>,
    oldest: DFF<Bits<4>>,
    slot_queue: DFF<Bit>,
    slot_miss: DFF<Bit>,
    slot_trace: DFF<Bit>,
    second: DFF<Bit>,
    advance: DFF<Bit>,
    held_valid: DFF<Bit>,
    held: DFF<Bits<20>>,
    to_queue: DFF<Bit>,
    to_trace: DFF<Bit>,
    to_miss: DFF<Bit>,
    missed: DFF<Bits<32>>,
    command: DFF<Bits<24>>,
    command_valid: DFF<Bit>,
    sent: DFF<Bits<24>>,
    sent_valid: DFF<Bit>,
    delivered: Vec<DFF<Bits<32>>>,
    // What was loaded in the cycle before, and what it changed since.
    asked: DFF<Bits<14>>,
    asks: DFF<Bit>,
    popped: DFF<Bit>,
    words_then: DFF<Bits<16>>,
    busy_then: DFF<Bit>,
    missed_then: DFF<Bits<32>>,
    delivered_then: DFF<Bits<32>>,

    word: Signal<Local, Bits<14>>,
    store: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    turn: Signal<Local, Bits<16>>,
    which: Signal<Local, Bits<16>>,
    is_delivered: Signal<Local, Bit>,
    in_flight: Signal<Local, Bits<16>>,
    kept: Signal<Local, Bits<16>>,
    has_room: Signal<Local, Bit>,
    polling: Signal<Local, Bit>,
    queueing: Signal<Local, Bit>,
    tracing: Signal<Local, Bit>,
    ordering: Signal<Local, Bit>,
    may_miss: Signal<Local, Bit>,
    queue_plan: Signal<Local, Bit>,
    miss_plan: Signal<Local, Bit>,
    trace_plan: Signal<Local, Bit>,
    now: Signal<Local, Bits<24>>,
    rank: [Signal<Local, Bits<30>>; 16],
    best_of_8: [Signal<Local, Bits<30>>; 8],
    best_of_4: [Signal<Local, Bits<30>>; 4],
    best_of_2: [Signal<Local, Bits<30>>; 2],
    best: Signal<Local, Bits<30>>,
    number: Signal<Local, Bits<4>>,
    masked: Signal<Local, Bits<16>>,
    is_wanted: Signal<Local, Bit>,
    queues: Signal<Local, Bit>,
    slot_up: Signal<Local, Bits<32>>,
    slot_begins: Signal<Local, Bit>,
    slot_ends: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    taken_in_turn: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    bus: Signal<Local, Bits<16>>,
    words: Signal<Local, Bits<16>>,
    pop: Signal<Local, Bit>,
    enqueue: Signal<Local, Bit>,
    write_next: Signal<Local, Bits<16>>,
    missed_next: Signal<Local, Bits<32>>,
    read_next: Signal<Local, Bits<16>>,
    control_next: Signal<Local, Bits<5>>,
    wanted_next: Signal<Local, Bits<16>>,
    wanted_datum_next: Signal<Local, Bits<32>>,
    poll_next: Signal<Local, Bits<32>>,
    tick_next: Signal<Local, Bits<32>>,
    command_next: Signal<Local, Bits<24>>,
    command_valid_next: Signal<Local, Bit>,
    target: Signal<Local, Bits<16>>,
    loaded: Signal<Local, Bits<32>>,

    data_word: Constant<Bits<14>>,
    status_word: Constant<Bits<14>>,
    control_word: Constant<Bits<14>>,
    poll_word: Constant<Bits<14>>,
    tick_word: Constant<Bits<14>>,
    command_word: Constant<Bits<14>>,
    missed_word: Constant<Bits<14>>,
    wanted_word: Constant<Bits<14>>,
    wanted_datum_word: Constant<Bits<14>>,
    command_busy: Constant<Bits<32>>,
    data_valid: Constant<Bits<32>>,
    last_smi: Constant<Bits<4>>,
    ordered_last: Constant<Bits<32>>,
    depth_less_two: Constant<Bits<16>>,
}

impl Mmi {
    /// # Panics
    /// If there are not 1 to 16 processors or the queue's depth is not allowed; machine
    /// descriptions are validated before.
    pub fn new(config: MmiConfig) -> Self {
        let processors = config.processors;
        assert!((1..=16).contains(&processors), "{processors} processors: there can be 1 to 16");
        let control = bits(u64::from(config.control));
        let wanted = bits(u64::from(mmi::WANTED_RESET));
        let poll = bits(u64::from(config.poll_cycles));
        let tick = bits(u64::from(config.tick_cycles));
        Self {
            clock: Default::default(),
            strobe: Default::default(),
            select: Default::default(),
            address: Default::default(),
            read: Default::default(),
            write: Default::default(),
            wdata: Default::default(),
            rdata: Default::default(),
            bus_ready: each(processors),
            bus_data: each(processors),
            bus_key: each(processors),
            bus_select: each(processors),
            bus_datum: Default::default(),
            bus_take: each(processors),
            bus_command: each(processors),
            bus_number: Default::default(),
            bus_value: Default::default(),
            tick_cycles: Default::default(),
            stamp: Default::default(),
            wraps: Default::default(),
            trace_valid: Default::default(),
            trace_word: Default::default(),
            port_room: Default::default(),
            queue: QueueRam::new(config.queue),
            write_index: Default::default(),
            written: Default::default(),
            waits: Default::default(),
            judged: Default::default(),
            differs: Default::default(),
            of_wanted: Default::default(),
            misses: Default::default(),
            read_index: Default::default(),
            read_late: Late::new(bits(0)),
            control: DFFWithInit::new(control),
            control_late: Late::new(control),
            wanted: DFFWithInit::new(wanted),
            wanted_late: Late::new(wanted),
            wanted_datum: Default::default(),
            wanted_datum_late: Late::new(bits(0)),
            poll: DFFWithInit::new(poll),
            poll_late: Late::new(poll),
            tick: DFFWithInit::new(tick),
            tick_late: Late::new(tick),
            slot: Default::default(),
            current: DFFWithInit::new(bits(1)),
            by_time: Default::default(),
            age: (0..processors as u32).map(Age::new).collect(),
            looked: Default::default(),
            chosen: Default::default(),
            oldest: Default::default(),
            slot_queue: Default::default(),
            slot_miss: Default::default(),
            slot_trace: Default::default(),
            second: Default::default(),
            advance: Default::default(),
            held_valid: Default::default(),
            held: Default::default(),
            to_queue: Default::default(),
            to_trace: Default::default(),
            to_miss: Default::default(),
            missed: Default::default(),
            command: Default::default(),
            command_valid: Default::default(),
            sent: Default::default(),
            sent_valid: Default::default(),
            delivered: each(processors),
            asked: Default::default(),
            asks: Default::default(),
            popped: Default::default(),
            words_then: Default::default(),
            busy_then: Default::default(),
            missed_then: Default::default(),
            delivered_then: Default::default(),
            word: Default::default(),
            store: Default::default(),
            load: Default::default(),
            turn: Default::default(),
            which: Default::default(),
            is_delivered: Default::default(),
            in_flight: Default::default(),
            kept: Default::default(),
            has_room: Default::default(),
            polling: Default::default(),
            queueing: Default::default(),
            tracing: Default::default(),
            ordering: Default::default(),
            may_miss: Default::default(),
            queue_plan: Default::default(),
            miss_plan: Default::default(),
            trace_plan: Default::default(),
            now: Default::default(),
            rank: std::array::from_fn(|_| Default::default()),
            best_of_8: std::array::from_fn(|_| Default::default()),
            best_of_4: std::array::from_fn(|_| Default::default()),
            best_of_2: std::array::from_fn(|_| Default::default()),
            best: Default::default(),
            number: Default::default(),
            masked: Default::default(),
            is_wanted: Default::default(),
            queues: Default::default(),
            slot_up: Default::default(),
            slot_begins: Default::default(),
            slot_ends: Default::default(),
            open: Default::default(),
            ready: Default::default(),
            taken_in_turn: Default::default(),
            taken: Default::default(),
            bus: Default::default(),
            words: Default::default(),
            pop: Default::default(),
            enqueue: Default::default(),
            write_next: Default::default(),
            missed_next: Default::default(),
            read_next: Default::default(),
            control_next: Default::default(),
            wanted_next: Default::default(),
            wanted_datum_next: Default::default(),
            poll_next: Default::default(),
            tick_next: Default::default(),
            command_next: Default::default(),
            command_valid_next: Default::default(),
            target: Default::default(),
            loaded: Default::default(),
            data_word: word_at(mmi::DATA),
            status_word: word_at(mmi::STATUS),
            control_word: word_at(mmi::CONTROL),
            poll_word: word_at(mmi::POLL_CYCLES),
            tick_word: word_at(mmi::TICK_CYCLES),
            command_word: word_at(mmi::COMMAND),
            missed_word: word_at(mmi::MISSED),
            wanted_word: word_at(mmi::WANTED),
            wanted_datum_word: word_at(mmi::WANTED_DATUM),
            command_busy: Constant::new(bits(u64::from(mmi::STATUS_COMMAND_BUSY))),
            data_valid: Constant::new(bits(u64::from(mmi::DATA_VALID))),
            last_smi: Constant::new(bits(processors.max(2) as u64 - 1)),
            ordered_last: Constant::new(bits(u64::from(mmi::ORDERED_SLOT_CYCLES - 1))),
            depth_less_two: Constant::new(bits(u64::from(config.queue - 2))),
        }
    }

    /// See [`QueueRam::in_luts`].
    pub fn queue_in_luts(&mut self) {
        self.queue.in_luts();
    }
}

impl Logic for Mmi {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asked, asks, popped, words_then, busy_then, missed_then, delivered_then);
        dff_setup!(self, clock, write_index, written, waits, judged, differs, of_wanted, misses, read_index);
        dff_setup!(self, clock, control, poll, tick, wanted, wanted_datum);
        dff_setup!(self, clock, slot, current, second, advance, held_valid, held, to_queue, to_trace, to_miss, missed);
        dff_setup!(self, clock, by_time, looked, chosen, oldest, slot_queue, slot_miss, slot_trace);
        dff_setup!(self, clock, command, command_valid, sent, sent_valid);
        clock!(self, clock, queue, read_late, control_late, poll_late, tick_late, wanted_late, wanted_datum_late);
        self.now.next = (bit_cast::<24, 8>(self.wraps.val()) << 16) | bit_cast::<24, 16>(self.stamp.val());
        for i in 0..self.age.len() {
            self.delivered[i].clock.next = self.clock.val();
            self.delivered[i].d.next = self.delivered[i].q.val();
            self.age[i].clock.next = self.clock.val();
            self.age[i].now.next = self.now.val();
            self.age[i].key.next = self.bus_key[i].val();
            self.age[i].ready.next = self.bus_ready[i].val();
        }

        // Whether the datum that was on the bus in the cycle before is wanted, and what that makes of its
        // pair, of which the queue is to get both words or none: this is known too late in the cycle before.
        self.is_wanted.next = self.of_wanted.q.val() & (!self.differs.q.val().any());
        self.queues.next = self.to_queue.q.val() & ((!self.judged.q.val()) | self.is_wanted.val());
        self.enqueue.next = self.waits.q.val() & ((!self.judged.q.val()) | self.is_wanted.val());
        self.write_next.next = self.write_index.q.val();
        if self.enqueue.val() {
            self.write_next.next = self.write_index.q.val() + 1;
        }
        self.missed_next.next = self.missed.q.val();
        if self.misses.q.val() & self.is_wanted.val() {
            self.missed_next.next = self.missed.q.val() + 1;
        }

        // Slots, and whether this one is open. No pair is under way when a slot begins, at most its
        // second word in the word register.
        self.queueing.next = self.control_late.late.val().get_bit(1);
        self.tracing.next = self.control_late.late.val().get_bit(2);
        self.ordering.next = self.control_late.late.val().get_bit(3);
        self.may_miss.next = self.control_late.late.val().get_bit(4);
        self.polling.next = self.control_late.late.val().get_bit(0) & (self.queueing.val() | self.tracing.val());
        self.in_flight.next = 0.into();
        if self.held_valid.q.val() & self.queues.val() {
            self.in_flight.next = 1.into();
        }
        self.kept.next = (self.write_next.val() - self.read_late.late.val()) + self.in_flight.val();
        self.has_room.next = self.kept.val() <= self.depth_less_two.val();
        self.slot_begins.next = !self.slot.q.val().any();
        self.slot_up.next = self.slot.q.val() + 1;
        self.slot_ends.next = (!self.slot_begins.val())
            & (self.slot_up.val() >= self.poll_late.late.val())
            & ((!self.by_time.q.val()) | (self.slot.q.val() >= self.ordered_last.val()));
        self.slot.d.next = self.slot_up.val();
        if self.slot_ends.val() {
            self.slot.d.next = 0.into();
        }
        self.open.next = self.slot_begins.val()
            & self.polling.val()
            & (self.has_room.val() | self.may_miss.val() | (!self.queueing.val()))
            & (self.port_room.val() | (!self.tracing.val()));
        // Where its pair will go is settled when a slot begins.
        self.queue_plan.next = self.slot_queue.q.val();
        self.miss_plan.next = self.slot_miss.q.val();
        self.trace_plan.next = self.slot_trace.q.val();
        if self.slot_begins.val() {
            self.by_time.d.next = self.ordering.val();
            self.queue_plan.next = self.queueing.val() & self.has_room.val();
            self.miss_plan.next = self.queueing.val() & (!self.has_room.val());
            self.trace_plan.next = self.tracing.val();
        }
        self.slot_queue.d.next = self.queue_plan.val();
        self.slot_miss.d.next = self.miss_plan.val();
        self.slot_trace.d.next = self.trace_plan.val();

        // The oldest: of the ages in a slot's first cycle, in its second. Who is not there has no
        // rank, and is never better.
        for i in 0..16 {
            self.rank[i].next = 0.into();
        }
        for i in 1..self.age.len() {
            self.rank[i].next = self.age[i].rank.val();
        }
        for i in 0..8 {
            self.best_of_8[i].next = self.rank[i].val();
            if self.rank[i + 8].val() > self.rank[i].val() {
                self.best_of_8[i].next = self.rank[i + 8].val();
            }
        }
        for i in 0..4 {
            self.best_of_4[i].next = self.best_of_8[i].val();
            if self.best_of_8[i + 4].val() > self.best_of_8[i].val() {
                self.best_of_4[i].next = self.best_of_8[i + 4].val();
            }
        }
        for i in 0..2 {
            self.best_of_2[i].next = self.best_of_4[i].val();
            if self.best_of_4[i + 2].val() > self.best_of_4[i].val() {
                self.best_of_2[i].next = self.best_of_4[i + 2].val();
            }
        }
        self.best.next = self.best_of_2[0].val();
        if self.best_of_2[1].val() > self.best_of_2[0].val() {
            self.best.next = self.best_of_2[1].val();
        }
        self.looked.d.next = self.open.val() & self.ordering.val();
        self.chosen.d.next = self.looked.q.val() & self.best.val().get_bit(0);
        if self.looked.q.val() {
            self.oldest.d.next = !self.best.val().get_bits::<4>(1);
        }

        // The bus. A pair being taken goes on for two cycles, who gives it standing still.
        self.number.next = self.current.q.val();
        if self.chosen.q.val() | (self.second.q.val() & self.by_time.q.val()) {
            self.number.next = self.oldest.q.val();
        }
        self.turn.next = bits::<16>(1) << self.number.val();
        self.ready.next = false;
        self.bus.next = 0.into();
        for i in 1..self.age.len() {
            self.ready.next = self.ready.val() | (self.bus_ready[i].val() & self.turn.val().get_bit(i));
            self.bus.next = self.bus.val() | self.bus_data[i].val();
        }
        self.taken_in_turn.next = self.open.val() & (!self.ordering.val()) & self.ready.val();
        self.taken.next = self.taken_in_turn.val() | self.chosen.q.val();
        self.second.d.next = self.taken.val();
        self.advance.d.next = self.open.val() & (!self.ordering.val());
        if self.advance.q.val() {
            self.current.d.next = self.current.q.val() + 1;
            if self.current.q.val() == self.last_smi.val() {
                self.current.d.next = 1.into();
            }
        }

        // Word register. The master's queue takes a pair or not when its datum is on the bus and
        // the time-stamp in the register.
        self.masked.next = self.bus.val() & self.wanted_datum_late.late.val().get_bits::<16>(0);
        self.differs.d.next = self.masked.val() ^ self.wanted_datum_late.late.val().get_bits::<16>(16);
        self.of_wanted.d.next = (self.wanted_late.late.val() & self.turn.val()).any();
        self.judged.d.next = self.second.q.val();
        self.misses.d.next = self.second.q.val() & self.to_miss.q.val();
        self.waits.d.next = self.held_valid.q.val() & self.queues.val();
        self.written.d.next = self.held.q.val();
        self.missed.d.next = self.missed_next.val();
        self.held_valid.d.next = self.taken.val() | self.second.q.val();
        self.held.d.next = (bit_cast::<20, 4>(self.number.val()) << 16) | bit_cast::<20, 16>(self.bus.val());
        self.to_queue.d.next = self.queues.val();
        if self.taken.val() {
            self.to_queue.d.next = self.queue_plan.val();
            self.to_miss.d.next = self.miss_plan.val();
            self.to_trace.d.next = self.trace_plan.val();
        }

        // Device port.
        self.word.next = self.address.val().get_bits::<14>(2);
        self.store.next = self.select.val() & self.write.val();
        self.load.next = self.select.val() & self.read.val();
        self.control_next.next = self.control.q.val();
        self.poll_next.next = self.poll.q.val();
        self.tick_next.next = self.tick.q.val();
        self.wanted_next.next = self.wanted.q.val();
        self.wanted_datum_next.next = self.wanted_datum.q.val();
        if self.store.val() & (self.word.val() == self.control_word.val()) {
            self.control_next.next = self.wdata.val().get_bits::<5>(0);
        }
        if self.store.val() & (self.word.val() == self.poll_word.val()) {
            self.poll_next.next = self.wdata.val();
        }
        if self.store.val() & (self.word.val() == self.tick_word.val()) {
            self.tick_next.next = self.wdata.val();
        }
        if self.store.val() & (self.word.val() == self.wanted_word.val()) {
            self.wanted_next.next = self.wdata.val().get_bits::<16>(0);
        }
        if self.store.val() & (self.word.val() == self.wanted_datum_word.val()) {
            self.wanted_datum_next.next = self.wdata.val();
        }
        self.wanted.d.next = self.wanted_next.val();
        self.wanted_datum.d.next = self.wanted_datum_next.val();
        self.control.d.next = self.control_next.val();
        self.poll.d.next = self.poll_next.val();
        self.tick.d.next = self.tick_next.val();

        // The window's command: the first store. It goes out with the strobe, and the SMIs take it
        // over with the next one.
        self.command_next.next = self.command.q.val();
        self.command_valid_next.next = self.command_valid.q.val();
        if self.store.val() & (self.word.val() == self.command_word.val()) & (!self.command_valid.q.val()) {
            self.command_next.next = self.wdata.val().get_bits::<24>(0);
            self.command_valid_next.next = true;
        }
        self.command.d.next = self.command_next.val();
        self.command_valid.d.next = self.command_valid_next.val() & (!self.strobe.val());
        if self.strobe.val() {
            self.sent.d.next = self.command_next.val();
            self.sent_valid.d.next = self.command_valid_next.val();
        }
        self.target.next = bits::<16>(1) << self.sent.q.val().get_bits::<4>(20);

        // The master's queue. A word is put in a cycle after the word register held it, and can be read in the
        // next. The load is known late, so the RAM is not asked by it: it shows the front.
        self.write_index.d.next = self.write_next.val();
        self.words.next = self.write_index.q.val() - self.read_index.q.val();
        self.pop.next = self.load.val() & (self.word.val() == self.data_word.val()) & self.words.val().any();
        self.read_next.next = self.read_index.q.val();
        if self.pop.val() {
            self.read_next.next = self.read_index.q.val() + 1;
        }
        self.read_index.d.next = self.read_next.val();
        self.queue.write_enable.next = self.enqueue.val();
        self.queue.write_index.next = self.write_index.q.val();
        self.queue.write_data.next = self.written.q.val();
        self.queue.read_index.next = self.read_index.q.val();

        // Answers, of what the load asked in the cycle before: which word that was is known late in
        // it. What else than stores changes is what it was then.
        self.asked.d.next = self.word.val();
        self.asks.d.next = self.load.val();
        self.popped.d.next = self.pop.val();
        self.words_then.d.next = self.words.val();
        self.busy_then.d.next = self.command_valid.q.val();
        self.missed_then.d.next = self.missed_next.val();
        self.loaded.next = 0.into();
        if self.popped.q.val() {
            self.loaded.next = self.data_valid.val() | bit_cast::<32, 20>(self.queue.read_data.val());
        }
        if self.asked.q.val() == self.status_word.val() {
            self.loaded.next = bit_cast::<32, 16>(self.words_then.q.val());
            if self.busy_then.q.val() {
                self.loaded.next = bit_cast::<32, 16>(self.words_then.q.val()) | self.command_busy.val();
            }
        }
        if self.asked.q.val() == self.control_word.val() {
            self.loaded.next = bit_cast::<32, 5>(self.control.q.val());
        }
        if self.asked.q.val() == self.poll_word.val() {
            self.loaded.next = self.poll.q.val();
        }
        if self.asked.q.val() == self.tick_word.val() {
            self.loaded.next = self.tick.q.val();
        }
        if self.asked.q.val() == self.missed_word.val() {
            self.loaded.next = self.missed_then.q.val();
        }
        if self.asked.q.val() == self.wanted_word.val() {
            self.loaded.next = bit_cast::<32, 16>(self.wanted.q.val());
        }
        if self.asked.q.val() == self.wanted_datum_word.val() {
            self.loaded.next = self.wanted_datum.q.val();
        }
        self.is_delivered.next = self.asked.q.val().get_bits::<10>(4) == bits::<10>(1);
        if self.is_delivered.val() {
            self.loaded.next = self.delivered_then.q.val();
        }
        self.which.next = bits::<16>(1) << self.word.val().get_bits::<4>(0);
        self.delivered_then.d.next = 0.into();
        for i in 1..self.age.len() {
            if self.second.q.val() & self.turn.val().get_bit(i) {
                self.delivered[i].d.next = self.delivered[i].q.val() + 1;
            }
            if self.which.val().get_bit(i) {
                self.delivered_then.d.next = self.delivered[i].q.val();
            }
        }
        if !self.asks.q.val() {
            self.loaded.next = 0.into();
        }

        // Exports.
        self.read_late.strobe.next = self.strobe.val();
        self.read_late.value.next = self.read_next.val();
        self.control_late.strobe.next = self.strobe.val();
        self.control_late.value.next = self.control_next.val();
        self.poll_late.strobe.next = self.strobe.val();
        self.poll_late.value.next = self.poll_next.val();
        self.tick_late.strobe.next = self.strobe.val();
        self.tick_late.value.next = self.tick_next.val();
        self.wanted_late.strobe.next = self.strobe.val();
        self.wanted_late.value.next = self.wanted_next.val();
        self.wanted_datum_late.strobe.next = self.strobe.val();
        self.wanted_datum_late.value.next = self.wanted_datum_next.val();

        self.rdata.next = self.loaded.val();
        self.tick_cycles.next = self.tick_late.late.val();
        self.trace_valid.next = self.held_valid.q.val() & self.to_trace.q.val();
        self.trace_word.next = self.held.q.val();
        self.bus_datum.next = self.second.q.val();
        self.bus_number.next = self.sent.q.val().get_bits::<4>(16);
        self.bus_value.next = self.sent.q.val().get_bits::<16>(0);
        for i in 0..self.age.len() {
            self.bus_select[i].next = self.turn.val().get_bit(i);
            self.bus_take[i].next = self.second.q.val() & self.turn.val().get_bit(i);
            self.bus_command[i].next =
                self.sent_valid.q.val() & (self.target.val().get_bit(i) | self.target.val().get_bit(0));
        }
    }
}
