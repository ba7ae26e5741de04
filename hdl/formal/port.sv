// What is proven of the trace port's FIFO (docs/monitor.md, "Trace port"). `hdl/src/monitor/formal.rs` puts this at the end of the module
// that rust-hdl generates, and defines `f_content`, the queue's word at `f_at`.
//
// The environment is wider than the machine: the link takes words or not as it likes.

`ifdef FORMAL
// Of the MMI it is known (mmi.sv): words come in pairs, a pair only after a cycle in which there was room, and only one at a time.
(* anyseq *) wire f_open;
reg [1:0] f_credit = 0;
always @(*) begin
    if (f_open) assume (room && f_credit == valid);
    if (valid) assume (f_credit != 0);
end
always @(posedge clock) f_credit <= f_open ? 2'd2 : f_credit - valid;

// Room known before a pair is enough for it: the queue never overflows, whatever the link does.
wire [15:0] f_used = write_index$q - read_index$q;
wire [15:0] f_seen = write_seen$q - read_index$q;
always @(*) begin
    a_credit: assert (f_credit <= 2);
    a_used: assert (f_used <= depth_less_two + 16'd2);
    a_room: assert (f_used + f_credit <= depth_less_two + 16'd2);
    a_seen: assert (f_seen <= f_used && f_used - f_seen <= 16'd1);
    a_goes: assert (goes == (trace_valid && trace_ready) && trace_valid == (f_seen != 0));
    a_moves: assert (read_index$d == read_index$q + goes && write_index$d == write_index$q + valid && queue$write_enable == valid
                     && queue$write_data == word);
    // Who looks for room is not put off for ever: an empty queue has room.
    a_empty: assert (room || f_used + valid + 16'd2 > depth_less_two + 16'd2);
end

// The queue is a queue: any one word, from when it comes in.
(* anyseq *) wire f_choose;
reg f_follows = 0;
reg [19:0] f_word;
always @(posedge clock) begin
    if (!f_follows && valid && f_choose) begin
        f_follows <= 1;
        f_word <= word;
        f_at <= write_index$q;
    end else if (f_follows && goes && read_index$q == f_at) f_follows <= 0;
end
wire [15:0] f_ahead = f_at - read_index$q;
always @(*) if (f_follows) begin
    a_inside: assert (f_ahead < f_used);
    a_kept: assert (f_content == f_word);
    if (f_ahead == 0 && trace_valid) a_front: assert (trace_word == f_word);
end

// It is not for lack of traffic that these hold.
always @(*) begin
    c_full: cover (f_follows && f_used == depth_less_two + 2);
    c_goes: cover (f_follows && goes && f_ahead == 0 && f_at > 2);
end
`endif
