// What is proven of the MMI of four processors (docs/monitor.md, "Monitoring bus and MMI"). `hdl/src/monitor/formal.rs` puts this at the
// end of the module that rust-hdl generates, so that it sees the registers by name, and defines `f_read_first`, the first of the
// strobe registers of `read_late`, and `f_content`, the queue's word at `f_at`.
//
// The environment is wider than the machine: the window strobe comes in any cycle, the master does anything, SMIs have entries or not
// as they like.

`ifdef FORMAL
// An SMI drives the bus in its turn only.
always @(*) begin
    if (!bus_select$1) assume (bus_data$1 == 0);
    if (!bus_select$2) assume (bus_data$2 == 0);
    if (!bus_select$3) assume (bus_data$3 == 0);
end

// The pair that is under way, and what was so when its slot began.
reg f_last_half = 0;
reg [3:0] f_smi;
reg [15:0] f_time, f_datum;
reg f_was_wanted;
reg [19:0] f_held = 0;
// What is put into the queue, or missed, in the cycle after it was decided.
reg f_enqueue = 0, f_missed = 0;
reg f_queueing, f_tracing, f_may_miss, f_ordering, f_room, f_port_room, f_polling;
wire [15:0] f_bus = bus_data$1 | bus_data$2 | bus_data$3;
wire f_wanted = wanted_late$late[f_smi] && (f_bus & wanted_datum_late$late[15:0]) == wanted_datum_late$late[31:16];
always @(posedge clock) begin
    f_last_half <= second$q;
    if (taken) begin
        f_smi <= number;
        f_time <= f_bus;
    end
    if (second$q) begin
        f_datum <= f_bus;
        f_was_wanted <= f_wanted;
    end
    f_held <= held$q;
    f_enqueue <= held_valid$q && queues && (!second$q || f_wanted);
    f_missed <= second$q && to_miss$q && f_wanted;
    if (slot$q == 0) begin
        f_queueing <= control_late$late[1];
        f_tracing <= control_late$late[2];
        f_ordering <= control_late$late[3];
        f_may_miss <= control_late$late[4];
        f_polling <= control_late$late[0];
        f_room <= has_room;
        f_port_room <= port_room;
    end
end
always @(*) begin
    a_turn: assert (current$q >= 1 && current$q <= 3);
    a_one: assert (bus_select$0 + bus_select$1 + bus_select$2 + bus_select$3 == 2'd1 && !bus_select$0);
    // Slots are long enough, so pairs do not run into each other, and who gives one stands still while it is taken.
    a_slot: assert (!second$q || slot$q == (by_time$q ? 3 : 1));
    a_slot_turn: assert (!advance$q || (slot$q == 1 && !by_time$q));
    a_slot_looked: assert (!looked$q || (slot$q == 1 && by_time$q));
    a_slot_chosen: assert (!chosen$q || (slot$q == 2 && by_time$q && oldest$q >= 1 && oldest$q <= 3));
    a_slot_last: assert (!f_last_half || slot$q == 0 || slot$q == (by_time$q ? 4 : 2));
    a_slot_order: assert (slot$q == 0 || by_time$q == f_ordering);
    a_advance: assert (!second$q || by_time$q || advance$q);
    a_number: assert (!second$q || number == f_smi);
    a_moves_on: assert (current$d == (advance$q ? (current$q == 3 ? 4'd1 : current$q + 4'd1) : current$q));
    // What is taken from an SMI becomes two words of its number, time first, in the next two cycles, without one of another between.
    a_words: assert (held_valid$q == (second$q || f_last_half));
    a_time: assert (!second$q || held$q == {f_smi, f_time});
    a_datum: assert (!f_last_half || held$q == {f_smi, f_datum});
    a_halves: assert (!(second$q && f_last_half));
    // Where each goes is settled when its slot begins, by what is switched on and has room then, somewhere at least; a pair goes whole.
    a_planned: assert (slot$q == 0 || (slot_queue$q == (f_queueing && f_room) && slot_miss$q == (f_queueing && !f_room) && slot_trace$q == f_tracing));
    if (looked$q || chosen$q || second$q) begin
        a_open: assert (f_polling && (f_queueing || f_tracing));
        a_room_port: assert (!f_tracing || f_port_room);
        a_room_queue: assert (!f_queueing || f_room || f_may_miss);
    end
    if (second$q) a_goes: assert (to_queue$q == (f_queueing && f_room) && to_miss$q == (f_queueing && !f_room) && to_trace$q == f_tracing);
    a_port: assert (trace_valid == (held_valid$q && to_trace$q) && trace_word == held$q);
    a_judged: assert (judged$q == f_last_half && (!f_last_half || is_wanted == f_was_wanted));
    a_whole: assert (!second$q || (to_queue$d == to_queue$q && to_trace$d == to_trace$q));
    a_queues: assert (queues == (to_queue$q && (!f_last_half || f_was_wanted)));
    // The master's queue gets what is wanted, a cycle after it was held; what is wanted and finds no room is counted, and nothing else.
    a_queued: assert (write_index$d == write_index$q + enqueue && enqueue == f_enqueue);
    a_written: assert (queue$write_enable == enqueue && queue$write_index == write_index$q && queue$write_data == f_held);
    a_missed: assert (missed$d == missed$q + f_missed && missed_then$d == missed$d);
    // The SMI's entry is removed with its second word, and only then; and is counted.
    a_take: assert ({bus_take$3, bus_take$2, bus_take$1} == (second$q ? 3'b001 << (f_smi - 1) : 3'b000));
    a_delivered: assert (delivered$1$d == delivered$1$q + bus_take$1 && delivered$2$d == delivered$2$q + bus_take$2
                         && delivered$3$d == delivered$3$q + bus_take$3);
end

// In order of time. Of the SMIs it is known (smi.sv) that a key is the low bits of one that never falls, and that what is ready stays
// so, with its key, until it is taken; and it is assumed that no key is older than 2^24 ticks.
(* anyseq *) wire [47:0] f_now, f_key1, f_key2, f_key3;
reg [47:0] f_now_before = 0, f_key1_before = 0, f_key2_before = 0, f_key3_before = 0;
reg f_ready1 = 0, f_ready2 = 0, f_ready3 = 0;
always @(*) begin
    assume ({wraps, stamp} == f_now[23:0] && bus_key$1 == f_key1[23:0] && bus_key$2 == f_key2[23:0] && bus_key$3 == f_key3[23:0]);
    assume (f_now >= f_now_before && f_key1 >= f_key1_before && f_key2 >= f_key2_before && f_key3 >= f_key3_before);
    assume (f_key1 <= f_now && f_key2 <= f_now && f_key3 <= f_now);
    assume (f_now - f_key1 < 48'h1000000 && f_now - f_key2 < 48'h1000000 && f_now - f_key3 < 48'h1000000);
    if (f_ready1) assume (bus_ready$1 && f_key1 == f_key1_before);
    if (f_ready2) assume (bus_ready$2 && f_key2 == f_key2_before);
    if (f_ready3) assume (bus_ready$3 && f_key3 == f_key3_before);
end
// What was seen when the slot began.
reg [47:0] f_seen_now, f_seen1, f_seen2, f_seen3;
reg f_could1, f_could2, f_could3;
wire [3:0] f_who = oldest$q;
wire [47:0] f_who_seen = f_who == 1 ? f_seen1 : f_who == 2 ? f_seen2 : f_seen3;
wire [47:0] f_who_key = f_who == 1 ? f_key1 : f_who == 2 ? f_key2 : f_key3;
wire f_who_could = f_who == 1 ? f_could1 : f_who == 2 ? f_could2 : f_could3;
// The last pair that was taken by time, if none has been taken in turn since.
reg f_sorted = 0;
reg [47:0] f_last_key;
reg [3:0] f_last_smi;
always @(posedge clock) begin
    f_now_before <= f_now;
    f_key1_before <= f_key1;
    f_key2_before <= f_key2;
    f_key3_before <= f_key3;
    f_ready1 <= bus_ready$1 && !bus_take$1;
    f_ready2 <= bus_ready$2 && !bus_take$2;
    f_ready3 <= bus_ready$3 && !bus_take$3;
    if (slot$q == 0) begin
        f_seen_now <= f_now;
        f_seen1 <= f_key1;
        f_seen2 <= f_key2;
        f_seen3 <= f_key3;
        f_could1 <= bus_ready$1;
        f_could2 <= bus_ready$2;
        f_could3 <= bus_ready$3;
    end
    if (taken_in_turn) f_sorted <= 0;
    if (chosen$q) begin
        f_sorted <= 1;
        f_last_key <= f_who_key;
        f_last_smi <= f_who;
    end
end
always @(*) begin
    a_not_both: assert (!(taken_in_turn && chosen$q));
    if (looked$q) begin
        a_rank1: assert (age$1$rank == {1'b1, f_seen_now[23:0] - f_seen1[23:0], 4'd14, f_could1});
        a_rank2: assert (age$2$rank == {1'b1, f_seen_now[23:0] - f_seen2[23:0], 4'd13, f_could2});
        a_rank3: assert (age$3$rank == {1'b1, f_seen_now[23:0] - f_seen3[23:0], 4'd12, f_could3});
        a_age: assert (f_seen_now - f_seen1 < 48'h1000000 && f_seen_now - f_seen2 < 48'h1000000 && f_seen_now - f_seen3 < 48'h1000000);
    end
    if (looked$q || chosen$q) begin
        a_since: assert (f_key1_before >= f_seen1 && f_key2_before >= f_seen2 && f_key3_before >= f_seen3);
        a_still: assert ((!f_could1 || (f_ready1 && f_key1_before == f_seen1)) && (!f_could2 || (f_ready2 && f_key2_before == f_seen2))
                         && (!f_could3 || (f_ready3 && f_key3_before == f_seen3)));
    end
    // The pair taken has the least key of all, of equal ones the lowest number, and was there.
    if (chosen$q) begin
        a_ready: assert (f_who_could);
        a_least: assert (f_who_seen <= f_seen1 && f_who_seen <= f_seen2 && f_who_seen <= f_seen3);
        a_ties: assert (!(f_who > 1 && f_who_seen == f_seen1) && !(f_who > 2 && f_who_seen == f_seen2));
        // So the stream is in order.
        a_sorted: assert (!f_sorted || f_who_key > f_last_key || (f_who_key == f_last_key && f_who >= f_last_smi));
    end
    if (f_sorted) begin
        a_last: assert (f_last_smi >= 1 && f_last_smi <= 3);
        a_after1: assert (f_key1_before > f_last_key || (f_key1_before == f_last_key && 1 >= f_last_smi));
        a_after2: assert (f_key2_before > f_last_key || (f_key2_before == f_last_key && 2 >= f_last_smi));
        a_after3: assert (f_key3_before > f_last_key || (f_key3_before == f_last_key && 3 >= f_last_smi));
    end
end

// Room for a whole pair is known before it is taken: the queue never overflows.
wire [15:0] f_used = write_index$d - read_index$q;
wire [15:0] f_thought = write_index$d - read_late$late;
wire [15:0] f_due = looked$q || chosen$q ? (slot_queue$q ? 16'd2 : 16'd0)
    : queues ? (second$q ? 16'd2 : f_last_half ? 16'd1 : 16'd0) : 16'd0;
always @(*) begin
    a_room: assert (f_thought <= depth_less_two + 16'd2 && f_thought + f_due <= depth_less_two + 16'd2);
    a_late: assert (f_used <= write_index$d - f_read_first && write_index$d - f_read_first <= f_thought);
    a_seen: assert (words <= f_used && f_used - words == enqueue);
    a_pop: assert (!pop || words != 0);
    a_read: assert (read_index$d == read_index$q + pop);
end

reg f_loaded = 0;
always @(posedge clock) f_loaded <= load;

// The queue is a queue: any one word, from when it is put in.
(* anyseq *) wire f_choose;
reg f_follows = 0;
reg [19:0] f_word;
always @(posedge clock) begin
    if (!f_follows && enqueue && f_choose) begin
        f_follows <= 1;
        f_word <= f_held;
        f_at <= write_index$q;
    end else if (f_follows && pop && read_index$q == f_at) f_follows <= 0;
end
wire [15:0] f_ahead = f_at - read_index$q;
always @(*) if (f_follows) begin
    a_inside: assert (f_ahead < words);
    a_kept: assert (f_content == f_word);
end
// It is given in the cycle after its load; nothing else is, unless it was asked for.
reg f_gives = 0;
reg [19:0] f_given;
always @(posedge clock) begin
    f_gives <= f_follows && pop && f_ahead == 0;
    f_given <= f_word;
end
always @(*) begin
    if (f_gives) a_given: assert (rdata == {1'b1, 11'd0, f_given});
    a_answer: assert (asks$q == f_loaded && (f_loaded || rdata == 0));
end

// It is not for lack of traffic that these hold.
always @(*) begin
    c_full: cover (f_follows && f_used == depth_less_two + 2);
    c_given: cover (f_follows && pop && f_ahead == 0 && f_at > 2);
    c_both: cover (held_valid$q && to_queue$q && to_trace$q && f_smi == 3);
    c_sorted: cover (chosen$q && f_sorted && f_who < f_last_smi && f_who_key > f_last_key);
    c_tie: cover (chosen$q && f_sorted && f_who > f_last_smi && f_who_key == f_last_key);
    c_missed: cover (missed$q == 2 && f_last_half && to_trace$q);
    c_not_wanted: cover (f_last_half && f_queueing && f_room && !queues);
end
`endif
