//! Proofs of the queues, for every input and any length of time: `hdl/formal/*.sv`, by induction
//! with yosys and yices, over the Verilog that rust-hdl generates. Seeded bugs show that the
//! properties see something.

use super::{Mmi, MmiConfig, Smi, TracePort};
use crate::support::formal::Subject;
use crate::support::verilog::connected_verilog;
use testbed_definitions::map::mmi;

/// `lates` names blocks of strobe registers, with their width; the queue's content is led out too.
fn subject(verilog: String, lates: &[(&str, usize)], properties: &[&str]) -> Subject {
    let mut subject = Subject::new(verilog);
    for (late, width) in lates {
        let first = format!("f_{}_first", late.trim_end_matches("_late"));
        subject.lead_out(late, "first$q", *width, &first, None);
    }
    subject.lead_out_queue();
    subject.with(properties)
}

fn smi(depth: u32) -> Subject {
    subject(connected_verilog(Smi::new(depth)).expect("it is sound"), &[("write_late", 16)], &["smi.sv"])
}

/// The key's properties need no more than a step from one cycle to the next.
fn smi_key(depth: u32) -> Subject {
    let lates = [("write_late", 16), ("floor_late", 24)];
    subject(connected_verilog(Smi::new(depth)).expect("it is sound"), &lates, &["smi.sv", "smi_key.sv"])
}

fn mmi(queue: u32) -> Subject {
    let config = MmiConfig { processors: 4, queue, poll_cycles: 2, tick_cycles: 1, control: mmi::CONTROL_RESET };
    subject(connected_verilog(Mmi::new(config)).expect("it is sound"), &[("read_late", 16)], &["mmi.sv"])
}

fn port(queue: u32) -> Subject {
    subject(connected_verilog(TracePort::new(queue)).expect("it is sound"), &[], &["port.sv"])
}

#[test]
fn smi_loses_and_reorders_nothing() {
    smi(4).assert_proven(16);
}

#[test]
fn smi_shows_keys_that_never_fall() {
    smi_key(4).assert_proven(16);
}

#[test]
fn mmi_loses_and_reorders_nothing() {
    mmi(8).assert_proven(40);
}

#[test]
fn port_loses_and_reorders_nothing() {
    port(8).assert_proven(24);
}

/// The depth decides little about the proof and much about its time: full depth with `testbed test --long`.
#[test]
fn deeper_queues_lose_and_reorder_nothing() {
    let long = std::env::var_os("TESTBED_LONG").is_some();
    for subject in
        if long { [smi(1024), smi_key(1024), mmi(512), port(512)] } else { [smi(16), smi_key(16), mmi(32), port(32)] }
    {
        subject.assert_holds();
    }
}

#[test]
fn seeded_bugs_of_the_smi_are_seen() {
    smi(4).assert_sees(&[
        // A marker no longer goes ahead of the event, or shows wraps that came later.
        ("latch_goes = latched & (~front$q)", "latch_goes = latched"),
        ("front_wraps = latch_wraps$q;", "front_wraps = wraps_before$q;"),
        ("                back$d = 1'b1;", "                front_next = 1'b1;"),
        // Losses are not counted, or told in the wrong place.
        ("dropped_now = dropped$q + 32'h1;", "dropped_now = dropped$q;"),
        ("gap_count$d = 32'h0;", "gap_count$d = gap_count$q;"),
        ("low_datum$d = gap_now[(32'h0)+:(16)];", "low_datum$d = 32'h0;"),
        ("& (~latched) & (~wrapped) & room_for_two", "& (~wrapped) & room_for_two"),
        ("accepting = ((~gapped) | gap_goes)", "accepting = (1'b1)"),
        // The queue overflows, or shows what is not there yet.
        ("is_full$d = used_next == depth;", "is_full$d = used_next == (depth + 1);"),
        ("crowded$d = used_next > depth_less_two;", "crowded$d = used_next > depth;"),
        ("used_next = write_next - read_next;", "used_next = write_next - read_index$q;"),
        // What is filtered is not counted, or a total shown where it is none or while a gap waits.
        ("filtered_now = filtered$q + 32'h1;", "filtered_now = filtered$q;"),
        ("total_goes = filter$total_due & (~gapped)", "total_goes = filter$total_due"),
        ("head$0 = 16'habc0", "head$0 = 16'hab80"),
        ("write_late$value = write_next", "write_late$value = write_next + 16'd1"),
        ("queue$read_index = read_next", "queue$read_index = read_index$q"),
        // A program's event: without its code, without a pause, behind a code that was lost, with a
        // marker's datum, or although it is switched off.
        ("datum = user_code;", "datum = wdata[(32'h0)+:(16)];"),
        ("user_store & (user_pause$q | (user_second$q", "user_store & (user_pause$d | (user_second$q"),
        ("gap_goes = gapped & free & (~forfeits_now)", "gap_goes = gapped & free"),
        ("((user_idle & (~reserved)) | (user_first$q & stalled))", "((user_idle) | (user_first$q & stalled))"),
        // What needs no room is judged before a command, or waits for room.
        ("(~plain) & (~(bus_command & strobe))", "(~plain)"),
        ("stall_on$q & (~exempt$q)", "stall_on$q"),
        // What is judged a cycle later stays in the latch, is lost although it is there, or is not
        // waited for.
        ("latched = latch_valid$q & (~(taken_out & accepts$q))", "latched = latch_valid$q"),
        ("accepts$d = accepting;", "accepts$d = event_store;"),
        ("gapped = gap$q | lost;", "gapped = gap$q;"),
        ("seems_full = (gap$q & (~gap_closes))", "seems_full = (1'b0)"),
        ("forfeits_now = forfeits$q | (user_pause$q & lost)", "forfeits_now = forfeits$q"),
        ("(word == user_word) & user_on$q", "(word == user_word)"),
    ]);
}

#[test]
fn seeded_bugs_of_the_key_are_seen() {
    smi_key(4).assert_sees(&[
        // A key that is not the entry's, or not a bound of what is to come.
        ("shown_wrap = (shown_high == wrap_code) & (~half$q)", "shown_wrap = shown_high == wrap_code"),
        ("half$d = (shown_high == gap_code) & (~half$q)", "half$d = shown_high == gap_code"),
        ("epoch$d = shown_epoch;", "epoch$d = shown_low;"),
        ("floor_wraps = latch_wraps$q;", "floor_wraps = wraps;"),
        ("floor_stamp = latch_stamp$q;", "floor_stamp = stamp;"),
        ("if (front_next) begin", "if (front$q) begin"),
        ("if (latch_stays) begin\n            floor_stamp", "if (latch_valid$q) begin\n            floor_stamp"),
    ]);
}

#[test]
fn seeded_bugs_of_the_port_are_seen() {
    port(8).assert_sees(&[
        ("kept <= depth_less_two", "kept <= (depth_less_two + 1)"),
        ("coming = 32'h1;", "coming = 32'h0;"),
        ("there = write_seen$q != read_index$q", "there = write_index$q != read_index$q"),
        ("goes = there & trace_ready", "goes = trace_ready"),
        ("queue$read_index = read_next", "queue$read_index = read_index$q"),
    ]);
}

#[test]
fn seeded_bugs_of_the_mmi_are_seen() {
    mmi(8).assert_sees(&[
        ("has_room = kept <= depth_less_two", "has_room = kept <= (depth_less_two + 1)"),
        ("in_flight = 32'h1;", "in_flight = 32'h0;"),
        // Pairs run into each other, or the turn moves on while one is taken.
        ("slot$d = slot_up;", "slot$d = 32'h0;"),
        ("if (advance$q) begin", "if (advance$q | taken) begin"),
        ("second$d = taken;", "second$d = open;"),
        // Another than the oldest is taken, or one that is not there; or its slot is too short.
        ("if (best_of_2$1 > best_of_2$0) begin", "if (best_of_2$1 < best_of_2$0) begin"),
        ("if (rank$10 > rank$2) begin", "if (rank$10 < rank$2) begin"),
        ("chosen$d = looked$q & best[32'h0]", "chosen$d = looked$q"),
        ("slot$q >= ordered_last", "slot$q >= 32'h2"),
        ("age$3$now = now", "age$3$now = 24'd0"),
        ("oldest$d = ~best[(32'h1)+:(4)]", "oldest$d = best[(32'h1)+:(4)]"),
        // Room of the port is not waited for; what is not wanted is queued; misses are counted
        // wrong, or settled too late.
        ("port_room | (~tracing)", "port_room | tracing"),
        ("of_wanted$d = |(wanted_late$late & turn)", "of_wanted$d = 1'b1"),
        ("if (misses$q & is_wanted) begin", "if (misses$q) begin"),
        ("misses$d = second$q & to_miss$q", "misses$d = to_miss$q"),
        ("queues = to_queue$q & ((~judged$q) | is_wanted)", "queues = to_queue$q"),
        ("enqueue = waits$q & ((~judged$q) | is_wanted)", "enqueue = waits$q"),
        ("missed_then$d = missed_next", "missed_then$d = missed$q"),
        ("kept = (write_next - read_late$late)", "kept = (write_index$q - read_late$late)"),
        ("miss_plan = queueing & (~has_room)", "miss_plan = ~has_room"),
        ("queue_plan = queueing & has_room", "queue_plan = queueing"),
        // A word is read before it is there, or twice.
        ("read_late$value = read_next", "read_late$value = read_next + 16'd1"),
        ("queue$read_index = read_index$q", "queue$read_index = write_index$q"),
        ("words = write_index$q - read_index$q", "words = write_next - read_index$q"),
        // One SMI's entry is removed for another's, hidden by another's, or not counted.
        ("bus_take$2 = second$q & turn[2]", "bus_take$2 = second$q & turn[3]"),
        ("bus = bus | bus_data$3;", "bus = bus_data$3;"),
        ("delivered$3$d = delivered$3$q + 32'h1", "delivered$3$d = delivered$3$q"),
    ]);
}
