//! The slave monitoring interface.

use super::{Filter, Late, QueueRam};
use rust_hdl::prelude::*;
use testbed_definitions::map::smi;
use testbed_definitions::monitor::{GAP_COUNT_MAX, GAP_MARKER, WRAP_MARKER};

/// Slave monitoring interface ("SMI" in `docs/monitor.md`): stamps events and queues them for the monitoring bus.
///
/// ```text
///                    +-----+
///     device port -->|     |--> rdata, stall
///                    |     |
/// stamp, wraps, ---->| Smi |--> bus_ready
/// wrapped, ticked    |     |==> bus_data [16], bus_key [24]
///          strobe -->|     |<-- bus_select, bus_datum, bus_take
///           clock -->|     |<== bus_command, bus_number [4], bus_value [16]
///                    +-----+
/// ```
///
/// While there is room it accepts an event in every cycle, but for the one after an event that was stored in a wrap
/// cycle or with the first half of a gap marker or a total. It holds the queue's depth and one event more.
///
/// A store to USER_EVENT, while `user_on`, emits two words and takes four cycles, in which it stalls:
/// one in which it is recognised, the first word, a pause (so that both are accepted while there is
/// room), the datum.
///
/// Whether the core has to repeat a store must be known sooner in the cycle than what is stored, and
/// what the filter says of that. So a store for which there is no room, while `stall_on`, stalls in
/// its first cycle whatever it is; if it needs no room, being refused or taken out, it is done in the
/// next.
///
/// What becomes of what is stored is found out in the cycle after the store's. If there is room it is
/// in the latch by then, and `latch_valid` says so; `latched` does only if the filter lets it pass. In
/// the same way `gap`, `gap_count`, `dropped` and `filtered` lack what was stored in the cycle
/// before; `gapped`, `gap_now`, `dropped_now` and `filtered_now` do not.
#[derive(LogicBlock)]
pub struct Smi {
    pub clock: Signal<In, Clock>,
    /// Window strobe.
    pub strobe: Signal<In, Bit>,

    pub select: Signal<In, Bit>,
    /// Byte offset in the device; bits 1:0 are ignored.
    pub address: Signal<In, Bits<16>>,
    pub read: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    /// Registered; 0 after a cycle without a read.
    pub rdata: Signal<Out, Bits<32>>,
    /// Combinational: the store of this cycle is not done with and has to be repeated in the next.
    pub stall: Signal<Out, Bit>,

    /// From [`super::GlobalClock`].
    pub stamp: Signal<In, Bits<16>>,
    pub wraps: Signal<In, Bits<8>>,
    pub wrapped: Signal<In, Bit>,
    pub ticked: Signal<In, Bit>,

    /// An entry is there, as the MMI may know.
    pub bus_ready: Signal<Out, Bit>,
    /// Extended time of that entry; if there is none, a lower bound of what is to come. It never falls.
    pub bus_key: Signal<Out, Bits<24>>,
    /// This SMI's turn on the bus.
    pub bus_select: Signal<In, Bit>,
    /// 0: the entry's time, 1: its datum.
    pub bus_datum: Signal<In, Bit>,
    /// The entry is removed at the end of this cycle.
    pub bus_take: Signal<In, Bit>,
    /// 0 if not selected or not ready, so that all SMIs can be ORed.
    pub bus_data: Signal<Out, Bits<16>>,
    /// This filter register is to be programmed with this value.
    pub bus_command: Signal<In, Bit>,
    pub bus_number: Signal<In, Bits<4>>,
    pub bus_value: Signal<In, Bits<16>>,

    filter: Filter,
    queue: QueueRam<32>,
    write_index: DFF<Bits<16>>,
    write_late: Late<16>,
    read_index: DFF<Bits<16>>,
    floor_late: Late<24>,
    epoch: DFF<Bits<8>>,
    half: DFF<Bit>,
    latch_valid: DFF<Bit>,
    latch_stamp: DFF<Bits<16>>,
    latch_datum: DFF<Bits<16>>,
    latch_wraps: DFF<Bits<8>>,
    front: DFF<Bit>,
    back: DFF<Bit>,
    gap: DFF<Bit>,
    gap_count: DFF<Bits<24>>,
    low: DFF<Bit>,
    low_stamp: DFF<Bits<16>>,
    low_datum: DFF<Bits<16>>,
    wraps_before: DFF<Bits<8>>,
    stall_on: DFF<Bit>,
    user_on: DFF<Bit>,
    // The cycle in which a store to USER_EVENT is, if not its first: one at most.
    user_first: DFF<Bit>,
    user_pause: DFF<Bit>,
    user_second: DFF<Bit>,
    /// The datum of the store is reserved, and is refused in this cycle.
    user_refuses: DFF<Bit>,
    /// The store, which stalled in the cycle before, needs no room.
    exempt: DFF<Bit>,
    forfeits: DFF<Bit>,
    /// What was stored in the cycle before, if anything, is in the latch; else it is lost.
    accepts: DFF<Bit>,
    // Of the queue, as the indices say it, but at the beginning of the cycle: whether a store stalls waits
    // for it.
    entries: DFF<Bits<16>>,
    is_full: DFF<Bit>,
    /// It has no room for two more.
    crowded: DFF<Bit>,
    emitted: DFF<Bits<32>>,
    dropped: DFF<Bits<32>>,
    refused: DFF<Bits<32>>,
    markers: DFF<Bits<32>>,
    filtered: DFF<Bits<32>>,
    answer: DFF<Bits<32>>,

    word: Signal<Local, Bits<14>>,
    store: Signal<Local, Bit>,
    user_store: Signal<Local, Bit>,
    user_idle: Signal<Local, Bit>,
    event_store: Signal<Local, Bit>,
    datum: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<8>>,
    reserved: Signal<Local, Bit>,
    taken_out: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    accepting: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    stalled: Signal<Local, Bit>,
    gap_closes: Signal<Local, Bit>,
    seems_full: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    lost: Signal<Local, Bit>,
    latched: Signal<Local, Bit>,
    gapped: Signal<Local, Bit>,
    gap_now: Signal<Local, Bits<24>>,
    forfeits_now: Signal<Local, Bit>,
    dropped_now: Signal<Local, Bits<32>>,
    filtered_now: Signal<Local, Bits<32>>,
    used: Signal<Local, Bits<16>>,
    used_next: Signal<Local, Bits<16>>,
    full: Signal<Local, Bit>,
    room_for_two: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    front_goes: Signal<Local, Bit>,
    latch_goes: Signal<Local, Bit>,
    latch_stays: Signal<Local, Bit>,
    gap_goes: Signal<Local, Bit>,
    total_goes: Signal<Local, Bit>,
    marker_goes: Signal<Local, Bit>,
    enqueue: Signal<Local, Bit>,
    front_wraps: Signal<Local, Bits<8>>,
    entry_stamp: Signal<Local, Bits<16>>,
    entry_datum: Signal<Local, Bits<16>>,
    gap_high: Signal<Local, Bits<8>>,
    write_next: Signal<Local, Bits<16>>,
    read_next: Signal<Local, Bits<16>>,
    front_next: Signal<Local, Bit>,
    floor_stamp: Signal<Local, Bits<16>>,
    floor_wraps: Signal<Local, Bits<8>>,
    shown_stamp: Signal<Local, Bits<16>>,
    shown_high: Signal<Local, Bits<8>>,
    shown_low: Signal<Local, Bits<8>>,
    shown_wrap: Signal<Local, Bit>,
    shown_epoch: Signal<Local, Bits<8>>,
    key: Signal<Local, Bits<24>>,
    ready: Signal<Local, Bit>,
    loaded: Signal<Local, Bits<32>>,

    event_word: Constant<Bits<14>>,
    user_word: Constant<Bits<14>>,
    user_code: Constant<Bits<16>>,
    status_word: Constant<Bits<14>>,
    control_word: Constant<Bits<14>>,
    emitted_word: Constant<Bits<14>>,
    dropped_word: Constant<Bits<14>>,
    refused_word: Constant<Bits<14>>,
    markers_word: Constant<Bits<14>>,
    filtered_word: Constant<Bits<14>>,
    time_word: Constant<Bits<14>>,
    wrap_code: Constant<Bits<8>>,
    gap_code: Constant<Bits<8>>,
    wrap_marker: Constant<Bits<16>>,
    gap_marker: Constant<Bits<16>>,
    gap_most: Constant<Bits<24>>,
    status_full: Constant<Bits<32>>,
    depth: Constant<Bits<16>>,
    depth_less_two: Constant<Bits<16>>,
}

/// Index of the word at byte `offset` of a device.
pub(super) fn word_at(offset: u32) -> Constant<Bits<14>> {
    Constant::new(bits(u64::from(offset >> 2)))
}

impl Smi {
    /// An SMI with room for `depth` pairs, a power of two in [`QueueRam::DEPTHS`].
    pub fn new(depth: u32) -> Self {
        Self {
            clock: Default::default(),
            strobe: Default::default(),
            select: Default::default(),
            address: Default::default(),
            read: Default::default(),
            write: Default::default(),
            wdata: Default::default(),
            rdata: Default::default(),
            stall: Default::default(),
            stamp: Default::default(),
            wraps: Default::default(),
            wrapped: Default::default(),
            ticked: Default::default(),
            bus_ready: Default::default(),
            bus_key: Default::default(),
            bus_select: Default::default(),
            bus_datum: Default::default(),
            bus_take: Default::default(),
            bus_data: Default::default(),
            bus_command: Default::default(),
            bus_number: Default::default(),
            bus_value: Default::default(),
            filter: Default::default(),
            queue: QueueRam::new(depth),
            write_index: Default::default(),
            write_late: Late::new(bits(0)),
            read_index: Default::default(),
            floor_late: Late::new(bits(0)),
            epoch: Default::default(),
            half: Default::default(),
            latch_valid: Default::default(),
            latch_stamp: Default::default(),
            latch_datum: Default::default(),
            latch_wraps: Default::default(),
            front: Default::default(),
            back: Default::default(),
            gap: Default::default(),
            gap_count: Default::default(),
            low: Default::default(),
            low_stamp: Default::default(),
            low_datum: Default::default(),
            wraps_before: Default::default(),
            stall_on: Default::default(),
            user_on: Default::default(),
            user_first: Default::default(),
            user_pause: Default::default(),
            user_second: Default::default(),
            user_refuses: Default::default(),
            exempt: Default::default(),
            forfeits: Default::default(),
            accepts: Default::default(),
            entries: Default::default(),
            is_full: Default::default(),
            crowded: Default::default(),
            emitted: Default::default(),
            dropped: Default::default(),
            refused: Default::default(),
            markers: Default::default(),
            filtered: Default::default(),
            answer: Default::default(),
            word: Default::default(),
            store: Default::default(),
            user_store: Default::default(),
            user_idle: Default::default(),
            event_store: Default::default(),
            datum: Default::default(),
            high: Default::default(),
            reserved: Default::default(),
            taken_out: Default::default(),
            plain: Default::default(),
            completes: Default::default(),
            accepting: Default::default(),
            accepted: Default::default(),
            stalled: Default::default(),
            gap_closes: Default::default(),
            seems_full: Default::default(),
            passes: Default::default(),
            lost: Default::default(),
            latched: Default::default(),
            gapped: Default::default(),
            gap_now: Default::default(),
            forfeits_now: Default::default(),
            dropped_now: Default::default(),
            filtered_now: Default::default(),
            used: Default::default(),
            used_next: Default::default(),
            full: Default::default(),
            room_for_two: Default::default(),
            free: Default::default(),
            front_goes: Default::default(),
            latch_goes: Default::default(),
            latch_stays: Default::default(),
            gap_goes: Default::default(),
            total_goes: Default::default(),
            marker_goes: Default::default(),
            enqueue: Default::default(),
            front_wraps: Default::default(),
            entry_stamp: Default::default(),
            entry_datum: Default::default(),
            gap_high: Default::default(),
            write_next: Default::default(),
            read_next: Default::default(),
            front_next: Default::default(),
            floor_stamp: Default::default(),
            floor_wraps: Default::default(),
            shown_stamp: Default::default(),
            shown_high: Default::default(),
            shown_low: Default::default(),
            shown_wrap: Default::default(),
            shown_epoch: Default::default(),
            key: Default::default(),
            ready: Default::default(),
            loaded: Default::default(),
            event_word: word_at(smi::EVENT),
            user_word: word_at(smi::USER_EVENT),
            user_code: Constant::new(bits(u64::from(smi::USER_FIRST))),
            status_word: word_at(smi::STATUS),
            control_word: word_at(smi::CONTROL),
            emitted_word: word_at(smi::EMITTED),
            dropped_word: word_at(smi::DROPPED),
            refused_word: word_at(smi::REFUSED),
            markers_word: word_at(smi::MARKERS),
            filtered_word: word_at(smi::FILTERED),
            time_word: word_at(smi::TIME),
            wrap_code: Constant::new(bits(u64::from(WRAP_MARKER))),
            gap_code: Constant::new(bits(u64::from(GAP_MARKER))),
            wrap_marker: Constant::new(bits(u64::from(WRAP_MARKER) << 8)),
            gap_marker: Constant::new(bits(u64::from(GAP_MARKER) << 8)),
            gap_most: Constant::new(bits(u64::from(GAP_COUNT_MAX))),
            status_full: Constant::new(bits(u64::from(smi::STATUS_FULL))),
            depth: Constant::new(bits(u64::from(depth))),
            depth_less_two: Constant::new(bits(u64::from(depth - 2))),
        }
    }
}

impl Logic for Smi {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_index, read_index, epoch, half, wraps_before, answer, stall_on);
        dff_setup!(self, clock, user_on, user_first, user_pause, user_second, user_refuses, exempt, forfeits, accepts);
        dff_setup!(self, clock, latch_valid, latch_stamp, latch_datum, latch_wraps, front, back);
        dff_setup!(self, clock, entries, is_full, crowded);
        dff_setup!(self, clock, gap, gap_count, low, low_stamp, low_datum);
        dff_setup!(self, clock, emitted, dropped, refused, markers, filtered);
        clock!(self, clock, filter, queue, write_late, floor_late);

        // What became of what was stored in the cycle before.
        self.passes.next = self.filter.judged.val() & (!self.filter.was_filtered.val());
        self.taken_out.next = self.filter.judged.val() & self.filter.was_filtered.val();
        self.lost.next = self.passes.val() & (!self.accepts.q.val());
        self.latched.next = self.latch_valid.q.val() & (!(self.taken_out.val() & self.accepts.q.val()));
        self.gapped.next = self.gap.q.val() | self.lost.val();
        self.gap_now.next = self.gap_count.q.val();
        if self.lost.val() & (self.gap_count.q.val() != self.gap_most.val()) {
            self.gap_now.next = self.gap_count.q.val() + 1;
        }
        self.forfeits_now.next = self.forfeits.q.val() | (self.user_pause.q.val() & self.lost.val());
        self.filtered_now.next = self.filtered.q.val();
        if self.taken_out.val() {
            self.filtered_now.next = self.filtered.q.val() + 1;
        }
        self.dropped_now.next = self.dropped.q.val();
        if self.lost.val() {
            self.dropped_now.next = self.dropped.q.val() + 1;
        }
        self.filtered.d.next = self.filtered_now.val();
        self.dropped.d.next = self.dropped_now.val();

        // What the port asks for.
        self.word.next = self.address.val().get_bits::<14>(2);
        self.store.next = self.select.val() & self.write.val();
        self.high.next = self.wdata.val().get_bits::<8>(8);
        self.reserved.next = (self.high.val() == self.wrap_code.val()) | (self.high.val() == self.gap_code.val());
        self.datum.next = self.wdata.val().get_bits::<16>(0);
        // Chosen by a register: what the filter says of it would else come after the address.
        if self.user_first.q.val() {
            self.datum.next = self.user_code.val();
        }
        self.user_store.next = self.store.val() & (self.word.val() == self.user_word.val()) & self.user_on.q.val();
        self.user_idle.next = (!self.user_first.q.val())
            & (!self.user_pause.q.val())
            & (!self.user_second.q.val())
            & (!self.user_refuses.q.val());
        self.event_store.next = (self.store.val() & (self.word.val() == self.event_word.val()))
            | (self.user_store.val()
                & (self.user_first.q.val() | self.user_second.q.val() | self.user_refuses.q.val()));
        self.plain.next = self.event_store.val() & (!self.reserved.val()) & (!self.filter.filtered.val());

        // What is enqueued, the first that applies.
        self.used.next = self.entries.q.val();
        self.full.next = self.is_full.q.val();
        self.room_for_two.next = !self.crowded.q.val();
        self.front_goes.next = self.front.q.val() & (!self.low.q.val()) & (!self.full.val());
        self.latch_goes.next = self.latched.val() & (!self.front.q.val()) & (!self.low.q.val()) & (!self.full.val());
        self.latch_stays.next = self.latched.val() & (!self.latch_goes.val());
        self.free.next = (!self.low.q.val())
            & (!self.front.q.val())
            & (!self.latched.val())
            & (!self.wrapped.val())
            & self.room_for_two.val();
        // Of a program's event of which the first word was lost the datum is lost too: it would look like
        // another event's first word. So the gap waits for it.
        self.gap_goes.next = self.gapped.val() & self.free.val() & (!self.forfeits_now.val());
        self.total_goes.next = self.filter.total_due.val() & (!self.gapped.val()) & self.free.val();
        self.marker_goes.next = self.low.q.val() | self.front_goes.val() | self.gap_goes.val() | self.total_goes.val();
        self.enqueue.next = self.marker_goes.val() | self.latch_goes.val();

        self.front_wraps.next = self.wraps_before.q.val();
        if self.latched.val() {
            self.front_wraps.next = self.latch_wraps.q.val();
        }
        self.gap_high.next = self.gap_now.val().get_bits::<8>(16);
        self.entry_stamp.next = self.latch_stamp.q.val();
        self.entry_datum.next = self.latch_datum.q.val();
        if self.low.q.val() {
            self.entry_stamp.next = self.low_stamp.q.val();
            self.entry_datum.next = self.low_datum.q.val();
        } else if self.front_goes.val() {
            self.entry_stamp.next = 0.into();
            self.entry_datum.next = self.wrap_marker.val() | bit_cast::<16, 8>(self.front_wraps.val());
        } else if self.gap_goes.val() {
            self.entry_stamp.next = self.stamp.val();
            self.entry_datum.next = self.gap_marker.val() | bit_cast::<16, 8>(self.gap_high.val());
        } else if self.total_goes.val() {
            self.entry_stamp.next = self.stamp.val();
            self.entry_datum.next = self.filter.total_high.val();
        }
        self.queue.write_enable.next = self.enqueue.val();
        self.queue.write_index.next = self.write_index.q.val();
        self.queue.write_data.next =
            (bit_cast::<32, 16>(self.entry_datum.val()) << 16) | bit_cast::<32, 16>(self.entry_stamp.val());
        self.write_next.next = self.write_index.q.val();
        if self.enqueue.val() {
            self.write_next.next = self.write_index.q.val() + 1;
        }
        self.write_index.d.next = self.write_next.val();
        if self.marker_goes.val() {
            self.markers.d.next = self.markers.q.val() + 1;
        }

        // What becomes of the store. While what was stored in the cycle before is judged it may stall
        // for nothing; no core stores twice in two cycles.
        self.accepting.next =
            ((!self.gapped.val()) | self.gap_goes.val()) & ((!self.latched.val()) | self.latch_goes.val());
        self.gap_closes.next = (!self.low.q.val())
            & (!self.front.q.val())
            & (!self.latch_valid.q.val())
            & (!self.wrapped.val())
            & self.room_for_two.val()
            & (!self.forfeits.q.val());
        self.seems_full.next = (self.gap.q.val() & (!self.gap_closes.val()))
            | (self.latch_valid.q.val() & (self.front.q.val() | self.low.q.val() | self.full.val()));
        self.stalled.next =
            self.event_store.val() & self.seems_full.val() & self.stall_on.q.val() & (!self.exempt.q.val());
        self.completes.next = self.event_store.val() & (!self.stalled.val());
        // What a command changes in the next cycle is not known yet: then it is judged once more.
        self.exempt.d.next = self.stalled.val() & (!self.plain.val()) & (!(self.bus_command.val() & self.strobe.val()));
        self.accepted.next = self.completes.val() & (!self.reserved.val()) & self.accepting.val();
        self.accepts.d.next = self.accepting.val();
        if self.completes.val() {
            self.emitted.d.next = self.emitted.q.val() + 1;
        }
        if self.completes.val() & self.reserved.val() {
            self.refused.d.next = self.refused.q.val() + 1;
        }
        self.user_first.d.next = self.user_store.val()
            & ((self.user_idle.val() & (!self.reserved.val())) | (self.user_first.q.val() & self.stalled.val()));
        self.user_refuses.d.next = self.user_store.val()
            & ((self.user_idle.val() & self.reserved.val()) | (self.user_refuses.q.val() & self.stalled.val()));
        self.user_pause.d.next = self.user_store.val() & self.user_first.q.val() & (!self.stalled.val());
        self.user_second.d.next =
            self.user_store.val() & (self.user_pause.q.val() | (self.user_second.q.val() & self.stalled.val()));
        self.forfeits.d.next = self.user_store.val() & self.user_pause.q.val() & self.forfeits_now.val();
        self.latch_valid.d.next = self.latch_stays.val() | self.accepted.val();
        if self.accepted.val() {
            self.latch_stamp.d.next = self.stamp.val();
            self.latch_datum.d.next = self.datum.val();
            self.latch_wraps.d.next = self.wraps.val();
        }

        // Gap: open from the first loss until its marker goes; no event is lost in that cycle.
        self.gap.d.next = self.gapped.val();
        self.gap_count.d.next = self.gap_now.val();
        self.low.d.next = self.gap_goes.val() | self.total_goes.val();
        self.low_stamp.d.next = self.stamp.val();
        self.low_datum.d.next = self.filter.total_low.val();
        if self.gap_goes.val() {
            self.gap.d.next = false;
            self.gap_count.d.next = 0.into();
            self.low_datum.d.next = self.gap_now.val().get_bits::<16>(0);
        }

        // Wrap markers wait ahead of the latch or behind it.
        self.wraps_before.d.next = self.wraps.val();
        self.front_next.next = self.front.q.val() & (!self.front_goes.val());
        if self.latch_goes.val() {
            self.front_next.next = self.back.q.val();
            self.back.d.next = false;
        }
        if self.wrapped.val() {
            if self.latch_stays.val() {
                self.back.d.next = true;
            } else {
                self.front_next.next = true;
            }
        }
        self.front.d.next = self.front_next.val();

        // Nothing that is enqueued from the next cycle on is older than the marker or the latch
        // that waits then, or than now. What is latched in this cycle has this stamp: so the store,
        // which is known late in the cycle, is not asked.
        self.floor_stamp.next = self.stamp.val();
        self.floor_wraps.next = self.wraps.val();
        if self.latch_stays.val() {
            self.floor_stamp.next = self.latch_stamp.q.val();
            self.floor_wraps.next = self.latch_wraps.q.val();
        }
        if self.front_next.val() {
            self.floor_stamp.next = 0.into();
        }

        // Registers.
        if self.store.val() & (self.word.val() == self.control_word.val()) {
            self.stall_on.d.next = self.wdata.val().get_bit(0);
            self.user_on.d.next = self.wdata.val().get_bit(1);
        }
        self.loaded.next = 0.into();
        if self.word.val() == self.status_word.val() {
            self.loaded.next = bit_cast::<32, 16>(self.used.val());
            if !self.accepting.val() {
                self.loaded.next = bit_cast::<32, 16>(self.used.val()) | self.status_full.val();
            }
        }
        if self.word.val() == self.control_word.val() {
            self.loaded.next =
                bit_cast::<32, 1>(self.stall_on.q.val().into()) | (bit_cast::<32, 1>(self.user_on.q.val().into()) << 1);
        }
        if self.word.val() == self.emitted_word.val() {
            self.loaded.next = self.emitted.q.val();
        }
        if self.word.val() == self.dropped_word.val() {
            self.loaded.next = self.dropped_now.val();
        }
        if self.word.val() == self.refused_word.val() {
            self.loaded.next = self.refused.q.val();
        }
        if self.word.val() == self.markers_word.val() {
            self.loaded.next = self.markers.q.val();
        }
        if self.word.val() == self.filtered_word.val() {
            self.loaded.next = self.filtered_now.val();
        }
        if self.word.val() == self.time_word.val() {
            self.loaded.next = (bit_cast::<32, 8>(self.wraps.val()) << 16) | bit_cast::<32, 16>(self.stamp.val());
        }
        self.answer.d.next = 0.into();
        if self.select.val() & self.read.val() {
            self.answer.d.next = self.loaded.val();
        }

        // The bus.
        self.read_next.next = self.read_index.q.val();
        if self.bus_take.val() {
            self.read_next.next = self.read_index.q.val() + 1;
        }
        self.read_index.d.next = self.read_next.val();
        self.queue.read_index.next = self.read_next.val();
        self.used_next.next = self.write_next.val() - self.read_next.val();
        self.entries.d.next = self.used_next.val();
        self.is_full.d.next = self.used_next.val() == self.depth.val();
        self.crowded.d.next = self.used_next.val() > self.depth_less_two.val();
        self.write_late.strobe.next = self.strobe.val();
        self.write_late.value.next = self.write_next.val();
        self.ready.next = self.write_late.late.val() != self.read_index.q.val();

        // The key: entries do not carry their wraps, the wrap markers that were taken do. The
        // second half of a marker may look like one.
        self.shown_stamp.next = self.queue.read_data.val().get_bits::<16>(0);
        self.shown_low.next = self.queue.read_data.val().get_bits::<8>(16);
        self.shown_high.next = self.queue.read_data.val().get_bits::<8>(24);
        self.shown_wrap.next = (self.shown_high.val() == self.wrap_code.val()) & (!self.half.q.val());
        self.shown_epoch.next = self.epoch.q.val();
        if self.shown_wrap.val() {
            self.shown_epoch.next = self.shown_low.val();
        }
        if self.bus_take.val() {
            self.epoch.d.next = self.shown_epoch.val();
            self.half.d.next = (self.shown_high.val() == self.gap_code.val()) & (!self.half.q.val());
        }
        self.floor_late.strobe.next = self.strobe.val();
        self.floor_late.value.next =
            (bit_cast::<24, 8>(self.floor_wraps.val()) << 16) | bit_cast::<24, 16>(self.floor_stamp.val());
        self.key.next = self.floor_late.late.val();
        if self.ready.val() {
            self.key.next =
                (bit_cast::<24, 8>(self.shown_epoch.val()) << 16) | bit_cast::<24, 16>(self.shown_stamp.val());
        }

        self.filter.strobe.next = self.strobe.val();
        self.filter.command.next = self.bus_command.val();
        self.filter.number.next = self.bus_number.val();
        self.filter.value.next = self.bus_value.val();
        self.filter.datum.next = self.datum.val();
        self.filter.completes.next = self.completes.val();
        self.filter.refused.next = self.reserved.val();
        self.filter.stamp.next = self.stamp.val();
        self.filter.ticked.next = self.ticked.val();
        self.filter.total_goes.next = self.total_goes.val();

        self.rdata.next = self.answer.q.val();
        self.stall.next = self.stalled.val()
            | (self.user_store.val() & (self.user_idle.val() | self.user_first.q.val() | self.user_pause.q.val()));
        self.bus_ready.next = self.ready.val();
        self.bus_key.next = self.key.val();
        self.bus_data.next = 0.into();
        if self.bus_select.val() & self.ready.val() {
            self.bus_data.next = self.queue.read_data.val().get_bits::<16>(0);
            if self.bus_datum.val() {
                self.bus_data.next = self.queue.read_data.val().get_bits::<16>(16);
            }
        }
    }
}
