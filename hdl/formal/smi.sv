// What is proven of the SMI (docs/monitor.md, "SMI"). `hdl/src/monitor/formal.rs` puts this at the end of the module that rust-hdl
// generates, so that it sees the registers by name, and defines `f_write_first`, the first of the strobe registers of `write_late`.
//
// The environment is wider than the machine: the window strobe comes in any cycle, the global clock leaps forward by any
// amount within a wrap, the processor does anything, the bus takes what is ready whenever it likes, commands to the filter come in any cycle.

`ifdef FORMAL
reg f_begun = 0;
always @(posedge clock) f_begun <= 1;

// The global clock: real wraps, however the eight bits that the SMI sees count them.
reg [15:0] f_stamp_before = 0;
reg [7:0] f_wraps_before = 0;
reg [31:0] f_epoch_before = 0;
wire [31:0] f_epoch = f_epoch_before + wrapped;
always @(*) begin
    if (!f_begun) assume (stamp == 0 && wraps == 0 && !wrapped);
    else if (wrapped) assume (stamp == 0 && wraps == f_wraps_before + 8'd1);
    else assume (stamp >= f_stamp_before && wraps == f_wraps_before);
    // The bus takes an entry only while it is shown to be there.
    if (bus_take) assume (bus_ready);
end
always @(posedge clock) begin
    f_stamp_before <= stamp;
    f_wraps_before <= wraps;
    f_epoch_before <= f_epoch;
end

// Ledger and room: by induction, for a queue of any state.
wire [15:0] f_shown = write_late$late - read_index$q;
wire [15:0] f_coming = f_write_first - read_index$q;
wire f_emits = event_store && !stalled;
wire f_refuses = event_store && reserved && !stalled;
// What was stored in the cycle before is judged in this one: until then it is in the latch, or nowhere.
reg f_judges = 0, f_in_latch = 0, f_filtered_then = 0;
always @(posedge clock) begin
    f_judges <= f_emits && !f_refuses;
    f_in_latch <= accepted;
    f_filtered_then <= filter$filtered;
end
wire f_in_air = f_judges && !f_in_latch;
wire f_in_air_next = f_emits && !f_refuses && !accepted;
always @(*) begin
    a_judged: assert (filter$judged == f_judges && (!f_judges || accepts$q == f_in_latch) && filter$was_filtered == f_filtered_then);
    a_verdict: assert (f_judges == ({1'd0, passes} + taken_out) && (!passes || f_in_latch != lost) && (passes || !lost));
    a_latch_now: assert (latched == (latch_valid$q && !(taken_out && f_in_latch)) && (!f_in_latch || latch_valid$q));
    a_gapped: assert (gapped == (gap$q || lost));
end
always @(*) begin
    // Nothing is lost without being counted: each counter counts what its name says, and in every cycle both sides of the ledger,
    // EMITTED + MARKERS = DELIVERED + used + latch + DROPPED + REFUSED + FILTERED, grow by the same.
    a_emitted: assert (emitted$d == emitted$q + f_emits);
    a_markers: assert (markers$d == markers$q + marker_goes);
    a_dropped: assert (dropped$d == dropped$q + lost);
    a_refused: assert (refused$d == refused$q + f_refuses);
    a_filtered: assert (filtered$d == filtered$q + taken_out);
    a_enqueued: assert (write_index$d == write_index$q + enqueue && queue$write_enable == enqueue);
    a_delivered: assert (read_index$d == read_index$q + bus_take);
    a_ledger: assert ({2'd0, f_emits} + marker_goes + latch_valid$q + f_in_air
                      == {2'd0, enqueue} + latch_valid$d + f_in_air_next + lost + f_refuses + taken_out);
    a_used: assert (used == write_index$q - read_index$q && full == (used == depth) && room_for_two == (used <= depth_less_two));
    a_room: assert (used <= depth);
    a_gap_room: assert (!low$q || used < depth);
    // What the bus is shown is there.
    a_shown: assert (f_shown <= f_coming && f_coming <= used);
    // A store is accepted, refused, filtered, counted as lost, or repeated.
    a_store: assert (event_store == ({2'd0, accepted} + f_refuses + f_in_air_next + stalled));
    a_accepted: assert (!accepted || accepting);
    a_no_loss_while_stalling: assert (!(stall_on$q && lost) && !(stall_on$q && f_in_air_next && plain));
    a_stall_stores_nothing: assert (!stalled || (emitted$d == emitted$q && !accepted && !f_in_air_next));
    // It stalls for want of room, or, for one cycle, because what was stored in the cycle before is not judged yet.
    a_stalled: assert (!stalled || !accepting || f_judges);
    // What needs no room has waited for one cycle at most, or for one more after a command.
    if (exempt$q) a_exempt: assert (event_store && !plain && !stalled);
end

// The core repeats a store that stalls (core.sv, pipeline.sv).
reg f_stalled = 0;
reg [13:0] f_word_before;
reg [15:0] f_wdata_before;
always @(posedge clock) begin
    f_stalled <= stall;
    f_word_before <= word;
    f_wdata_before <= wdata[15:0];
end
always @(*) if (f_stalled) assume (store && word == f_word_before && wdata[15:0] == f_wdata_before);

// A program's event: what a store to USER_EVENT puts in is the code of programs' events, then the datum, and nothing else.
reg f_user_stalled = 0, f_user_paused = 0, f_coded = 0, f_code_was_lost = 0, f_code_was_latched = 0;
always @(posedge clock) begin
    f_user_stalled <= user_store && stall;
    f_user_paused <= user_pause$q;
    if (user_store && user_first$q && !stalled) begin
        f_coded <= 1;
        f_code_was_lost <= 0;
        f_code_was_latched <= accepted;
    end else if (user_pause$q) begin
        f_code_was_lost <= f_code_lost;
        f_code_was_latched <= f_code_latched;
    end else if (!(user_second$q && stalled)) begin
        f_coded <= 0;
        f_code_was_lost <= 0;
        f_code_was_latched <= 0;
    end
end
wire f_code_lost = f_code_was_lost || (user_pause$q && lost);
wire f_code_latched = f_code_was_latched && !(user_pause$q && taken_out);
wire f_user_emits = event_store && word == user_word && !stalled;
always @(*) begin
    a_user_stall: assert (stall == stalled || user_store);
    a_user_step: assert ({2'd0, user_first$q} + user_pause$q + user_second$q + user_refuses$q == {2'd0, f_user_stalled});
    a_user_kind: assert (!f_user_stalled || (f_stalled && user_refuses$q == (f_wdata_before[15:8] == 8'haa || f_wdata_before[15:8] == 8'hab)));
    a_user_coded: assert (f_coded == (user_pause$q || user_second$q) && (f_coded || !(f_code_lost || f_code_latched)));
    a_user_forfeits: assert (!(user_pause$q || user_second$q) || (forfeits_now == f_code_lost && !(f_code_lost && stall_on$q)));
    a_user_forfeits_alone: assert (!forfeits_now || user_pause$q || user_second$q);
    // Only while it is switched on; a marker's code is refused as a whole.
    a_user_off: assert (!f_user_emits || user_on$q);
    a_user_reserved: assert (!(user_store && reserved) || ((user_idle || user_refuses$q) && !accepted));
    // The code, then the datum behind it; behind a code that was lost nothing.
    a_user_order: assert (!(f_user_emits && !reserved) || user_first$q || (user_second$q && f_coded));
    if (user_store && user_first$q && accepted) a_user_code: assert (latch_datum$d == 16'h8200);
    if (user_store && user_second$q && accepted) a_user_datum: assert (latch_datum$d == f_wdata_before && !f_code_lost);
    // While there is room it is accepted as a whole, wherever wraps, gap markers and totals fall.
    a_user_whole: assert (!(user_second$q && f_user_paused && f_code_latched && used + 16'd3 <= depth) || accepting);
    // It ends: without a full queue in four cycles.
    a_user_ends: assert (!(user_second$q && stall) || (stall_on$q && !accepting));
end

// The queue is a queue: any one entry, from when it is put in. `f_content` is the memory's word at `f_at`.
(* anyseq *) wire f_choose;
reg f_follows = 0;
reg [31:0] f_entry;
always @(posedge clock) begin
    if (!f_follows && enqueue && f_choose) begin
        f_follows <= 1;
        f_entry <= queue$write_data;
        f_at <= write_index$q;
    end else if (f_follows && bus_take && read_index$q == f_at) f_follows <= 0;
end
wire [15:0] f_ahead = f_at - read_index$q;
always @(*) if (f_follows) begin
    a_inside: assert (f_ahead < used);
    a_kept: assert (f_content == f_entry);
    // It is in front when all that were put in before it have been taken, and then the bus gets it unaltered.
    if (f_ahead == 0 && f_shown != 0) a_front: assert (queue$read_data == f_entry);
end
always @(*) if (bus_select && bus_ready)
    a_bus: assert (bus_data == (bus_datum ? queue$read_data[31:16] : queue$read_data[15:0]));

// What is put in is right, as a reader of the entries in their order understands it: `f_reader_epoch` counts wraps by the
// markers alone, `f_told` adds up what gap markers say.
wire [15:0] f_in_time = queue$write_data[15:0];
wire [15:0] f_in_datum = queue$write_data[31:16];
// `f_due`: the second half of a gap marker (`f_gap_due`) or of a total comes next.
reg f_due = 0, f_gap_due = 0;
reg f_totals = 0;
reg [7:0] f_gap_high;
reg [31:0] f_reader_epoch = 0;
reg [15:0] f_last_time = 0;
reg [23:0] f_told = 0, f_lost = 0, f_lost_before;
reg [31:0] f_latch_epoch;
wire f_is_wrap = enqueue && !f_due && f_in_datum[15:8] == 8'haa;
wire f_is_gap = enqueue && !f_due && f_in_datum[15:8] == 8'hab && f_in_datum[7:6] != 2'b11;
wire f_is_total = enqueue && !f_due && f_in_datum[15:8] == 8'hab && f_in_datum[7:6] == 2'b11;
wire f_is_event = enqueue && !f_due && !f_is_wrap && !f_is_gap && !f_is_total;
wire [7:0] f_step = f_in_datum[7:0] - f_reader_epoch[7:0] - 8'd1;
always @(posedge clock) begin
    if (accepted) begin
        f_latch_epoch <= f_epoch;
        f_lost_before <= f_lost + lost;
    end
    if (lost) f_lost <= f_lost + 1;
    if (enqueue) begin
        f_last_time <= f_in_time;
        f_due <= f_is_gap || f_is_total;
        if (f_is_total) f_totals <= 1;
        f_gap_due <= f_is_gap;
        if (f_gap_due) f_told <= f_told + {f_gap_high, f_in_datum};
        if (f_is_gap) f_gap_high <= f_in_datum[7:0];
        if (f_is_wrap) f_reader_epoch <= f_reader_epoch + {24'd0, f_step} + 32'd1;
    end
end
// What has left `gap_count` and is not told yet.
wire [23:0] f_half_told = f_gap_due ? {f_gap_high, low_datum$q} : 24'd0;
// Where the reader must give up: 256 wraps while one marker waits, or a gap that can't be counted.
always @(*) begin
    assume (f_epoch - f_reader_epoch <= 32'd255);
    assume (gap_now != 24'hbfffff);
end
always @(*) begin
    if (f_is_event) begin
        // Events are the accepted ones, unaltered; the markers before them say when they were, and all that was lost before.
        a_event: assert (latch_goes && f_in_datum == latch_datum$q && f_in_time == latch_stamp$q);
        a_epoch: assert (f_reader_epoch == f_latch_epoch);
        a_losses: assert (f_told == f_lost_before);
    end
    a_each: assert (!latch_goes || f_is_event);
    if (enqueue) begin
        a_wrap_time: assert (!f_is_wrap || f_in_time == 0);
        a_monotone: assert (f_is_wrap || f_in_time >= f_last_time);
        a_halves: assert (!f_due || f_in_time == f_last_time);
        // A gap marker and a total are what they look like, and a total is what the filter showed.
        a_gap: assert (f_is_gap == gap_goes && f_is_total == total_goes);
        a_total: assert (!f_is_total || (f_in_datum == filter$total_high && low_datum$d == filter$total_low));
    end

    // Why: how the markers that wait, the latch and the clock hang together.
    a_latched: assert (!latch_valid$q || !(latch_datum$q[15:8] == 8'haa || latch_datum$q[15:8] == 8'hab));
    a_due: assert (low$q == f_due && (f_due || !f_gap_due));
    a_gap_range: assert (gap_now <= 24'hbfffff);
    a_wraps_before: assert (wraps_before$q == f_epoch_before[7:0] && wraps_before$q == f_wraps_before);
    a_back: assert (!back$q || latched);
    if (latched) begin
        a_latch_wraps: assert (latch_wraps$q == f_latch_epoch[7:0]);
        a_order: assert (f_latch_epoch - f_reader_epoch <= f_epoch_before - f_reader_epoch);
        a_front_due: assert (front$q == (f_reader_epoch != f_latch_epoch));
        a_back_due: assert (back$q == (f_latch_epoch != f_epoch_before));
        a_back_time: assert (back$q || latch_stamp$q <= f_stamp_before);
        a_last_latch: assert (front$q || f_last_time <= latch_stamp$q);
        a_told_latch: assert (f_lost_before == f_told + f_half_told);
    end else begin
        a_front_now: assert (front$q == (f_reader_epoch != f_epoch_before));
        a_last_now: assert (front$q || f_last_time <= f_stamp_before);
    end
    a_count: assert (gapped || gap_now == 0);
    a_counted: assert (f_lost + lost == f_told + f_half_told + gap_now);
    a_high: assert (!low$q || (f_last_time == low_stamp$q && !gapped && !front$q));
    a_clock: assert (f_last_time <= f_stamp_before || f_reader_epoch != f_epoch_before);
end

// It is not for lack of traffic that these hold.
always @(*) begin
    c_losses: cover (f_is_event && f_told > 1 && f_reader_epoch > 1);
    c_full: cover (f_follows && f_ahead == depth - 1);
    c_merged: cover (f_is_wrap && f_step == 1);
    c_user: cover (f_is_event && f_in_datum == 16'h4321 && user_on$q && f_told != 0);
    c_user_forfeited: cover (user_second$q && f_in_air_next && forfeits_now && room_for_two);
    c_total: cover (f_is_event && f_totals && f_reader_epoch != 0);
end
`endif
