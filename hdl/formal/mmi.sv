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

// The pair that is under way.
reg f_last_half = 0;
reg [3:0] f_smi;
reg [15:0] f_time, f_datum;
wire [15:0] f_bus = bus_data$1 | bus_data$2 | bus_data$3;
always @(posedge clock) begin
    f_last_half <= second$q;
    if (taken) begin
        f_smi <= current$q;
        f_time <= f_bus;
    end
    if (second$q) f_datum <= f_bus;
end
always @(*) begin
    a_turn: assert (current$q >= 1 && current$q <= 3);
    a_one: assert (bus_select$0 + bus_select$1 + bus_select$2 + bus_select$3 == 2'd1 && !bus_select$0);
    // Slots are two cycles at least, so pairs do not run into each other, and the turn stands still while one is taken.
    a_slot: assert (!(second$q || advance$q) || slot$q == 1);
    a_advance: assert (!second$q || advance$q);
    a_current: assert (!second$q || current$q == f_smi);
    a_moves_on: assert (current$d == (advance$q ? (current$q == 3 ? 4'd1 : current$q + 4'd1) : current$q));
    // What is taken from an SMI becomes two words of its number, time first, in the next two cycles, without one of another between.
    a_words: assert (held_valid$q == (second$q || f_last_half));
    a_time: assert (!second$q || held$q == {f_smi, f_time});
    a_datum: assert (!f_last_half || held$q == {f_smi, f_datum});
    a_halves: assert (!(second$q && f_last_half));
    // Each goes where it is wanted, somewhere at least; a pair goes whole.
    a_somewhere: assert (!held_valid$q || to_queue$q || to_trace$q);
    a_port: assert (trace_valid == (held_valid$q && to_trace$q) && trace_word == held$q);
    a_whole: assert (!second$q || (to_queue$d == to_queue$q && to_trace$d == to_trace$q));
    a_queued: assert (write_index$d == write_index$q + (held_valid$q && to_queue$q) && queue$write_enable == enqueue
                      && queue$write_data == held$q);
    // The SMI's entry is removed with its second word, and only then; and is counted.
    a_take: assert ({bus_take$3, bus_take$2, bus_take$1} == (second$q ? 3'b001 << (f_smi - 1) : 3'b000));
    a_delivered: assert (delivered$1$d == delivered$1$q + bus_take$1 && delivered$2$d == delivered$2$q + bus_take$2
                         && delivered$3$d == delivered$3$q + bus_take$3);
end

// Room for a whole pair is known before it is taken: the queue never overflows.
wire [15:0] f_used = write_index$q - read_index$q;
wire [15:0] f_thought = write_index$q - read_late$late;
wire [15:0] f_due = to_queue$q ? (second$q ? 16'd2 : f_last_half ? 16'd1 : 16'd0) : 16'd0;
always @(*) begin
    a_room: assert (f_thought <= depth_less_two + 16'd2 && f_thought + f_due <= depth_less_two + 16'd2);
    a_late: assert (f_used <= write_index$q - f_read_first && write_index$q - f_read_first <= f_thought);
    a_seen: assert (words <= f_used && f_used - words <= 16'd1);
    a_pop: assert (!pop || words != 0);
    a_read: assert (read_index$d == read_index$q + pop);
end

// The queue is a queue: any one word, from when it is put in.
(* anyseq *) wire f_choose;
reg f_follows = 0;
reg [19:0] f_word;
always @(posedge clock) begin
    if (!f_follows && enqueue && f_choose) begin
        f_follows <= 1;
        f_word <= held$q;
        f_at <= write_index$q;
    end else if (f_follows && pop && read_index$q == f_at) f_follows <= 0;
end
wire [15:0] f_ahead = f_at - read_index$q;
always @(*) if (f_follows) begin
    a_inside: assert (f_ahead < f_used);
    a_kept: assert (f_content == f_word);
    if (f_ahead == 0 && words != 0) a_front: assert (queue$read_data == f_word);
    if (pop && f_ahead == 0) a_given: assert (answer$d == {1'b1, 11'd0, f_word});
end
always @(*) a_answer: assert (rdata == answer$q);

// It is not for lack of traffic that these hold.
always @(*) begin
    c_full: cover (f_follows && f_used == depth_less_two + 2);
    c_given: cover (f_follows && pop && f_ahead == 0 && f_at > 2);
    c_both: cover (held_valid$q && to_queue$q && to_trace$q && f_smi == 3);
end
`endif
