// What is proven of the SMI's key (docs/monitor.md, "Key"). It follows smi.sv, whose properties, proven by themselves, are assumed here.
// `hdl/src/monitor/formal.rs` defines `f_floor_first`, the first of the strobe registers of `floor_late`.
//
// `f_..._key`: extended times with as many wraps as there were, up to 2^32: longer runs are not looked at.

`ifdef FORMAL
always @(*) assume (f_epoch >= f_epoch_before);
wire [47:0] f_in_key = {f_is_wrap ? f_reader_epoch + {24'd0, f_step} + 32'd1 : f_reader_epoch, f_in_time};
wire [47:0] f_last_key = {f_reader_epoch, f_last_time};
// The floor, and what it was when the strobe registers took it.
wire [31:0] f_floor_epoch = latch_stays ? f_latch_epoch : f_epoch;
reg [31:0] f_first_epoch = 0, f_late_epoch = 0;
wire [47:0] f_floor_key = {f_floor_epoch, floor_late$value[15:0]};
wire [47:0] f_first_key = {f_first_epoch, f_floor_first[15:0]};
wire [47:0] f_late_key = {f_late_epoch, floor_late$late[15:0]};
reg [47:0] f_floor_before = 0;
always @(posedge clock) begin
    f_floor_before <= f_floor_key;
    if (strobe) begin
        f_first_epoch <= f_floor_epoch;
        f_late_epoch <= f_first_epoch;
    end
end
always @(*) begin
    a_floor_bits: assert (floor_late$value[23:16] == f_floor_epoch[7:0] && f_floor_first[23:16] == f_first_epoch[7:0]
                          && floor_late$late[23:16] == f_late_epoch[7:0]);
    a_floor_state: assert (f_floor_before == (latched ? {f_latch_epoch, front$q ? 16'd0 : latch_stamp$q}
                                                            : {f_epoch_before, front$q ? 16'd0 : f_stamp_before}));
    a_epochs: assert (f_reader_epoch <= f_epoch_before
                      && (!latched || (f_reader_epoch <= f_latch_epoch && f_latch_epoch <= f_epoch_before)));
    // It never falls, also as the bus sees it.
    a_floor_late: assert (f_late_key <= f_first_key);
    a_floor_first: assert (f_first_key <= f_floor_before);
    a_floor_rises: assert (f_floor_before <= f_floor_key);
    // All that was enqueued is at the floor or before, all that is to come at the floor or after.
    a_floor_above: assert (f_last_key <= f_floor_before);
    if (enqueue) begin
        a_floor_below: assert (f_in_key >= f_floor_before);
        a_entry_order: assert (f_in_key <= f_floor_key && f_in_key >= f_last_key);
    end
    if (low$q) begin
        a_low_now: assert (low_stamp$q == f_stamp_before && f_reader_epoch == f_epoch_before);
        a_low_latch: assert (!latched || (latch_stamp$q == f_stamp_before && f_latch_epoch == f_epoch_before));
    end
end

// The entry that is followed, and the one before it; of both the wraps and halves that a reader had counted before. What is proven of
// each entry while it is in front is assumed of those before the one that is followed: induction over the entries.
reg f_any = 0;
reg [31:0] f_last_entry;
reg [7:0] f_last_epoch;
reg f_last_half;
reg f_has_prev;
reg [31:0] f_prev_entry;
reg [47:0] f_prev_key, f_key;
reg [7:0] f_prev_epoch, f_before_epoch;
reg f_prev_half, f_before_half;
always @(posedge clock) begin
    if (enqueue) begin
        f_any <= 1;
        f_last_entry <= queue$write_data;
        f_last_epoch <= f_reader_epoch[7:0];
        f_last_half <= f_due;
    end
    if (!f_follows && enqueue && f_choose) begin
        f_key <= f_in_key;
        f_before_epoch <= f_reader_epoch[7:0];
        f_before_half <= f_due;
        f_has_prev <= f_any;
        f_prev_entry <= f_last_entry;
        f_prev_key <= f_last_key;
        f_prev_epoch <= f_last_epoch;
        f_prev_half <= f_last_half;
    end
end
wire f_takes_last = bus_take && read_index$q + 16'd1 == write_index$q && !(f_follows && read_index$q == f_at);
wire f_takes_prev = f_follows && bus_take && read_index$q + 16'd1 == f_at;
always @(*) begin
    if (f_takes_last) assume (queue$read_data == f_last_entry && epoch$q == f_last_epoch && half$q == f_last_half);
    if (f_takes_prev) assume (queue$read_data == f_prev_entry && epoch$q == f_prev_epoch && half$q == f_prev_half);
    a_any: assert (f_any || used == 0);
    if (!f_any) a_none: assert (f_reader_epoch == 0 && !f_due);
    if (f_any) begin
        a_last_epoch: assert (f_reader_epoch[7:0] == (f_last_entry[31:24] == 8'haa && !f_last_half ? f_last_entry[23:16] : f_last_epoch));
        a_last_half: assert (f_due == (f_last_entry[31:24] == 8'hab && !f_last_half));
    end
    if (used == 0) a_empty: assert (epoch$q == f_reader_epoch[7:0] && half$q == f_due);
end
wire f_is_front = f_follows && f_ahead == 0;
always @(*) if (f_follows) begin
    a_prev: assert (f_has_prev || f_ahead == 0);
    if (f_has_prev) begin
        a_prev_epoch: assert (f_before_epoch == (f_prev_entry[31:24] == 8'haa && !f_prev_half ? f_prev_entry[23:16] : f_prev_epoch));
        a_prev_half: assert (f_before_half == (f_prev_entry[31:24] == 8'hab && !f_prev_half));
        // Entries are in order.
        a_in_order: assert (f_prev_key <= f_key);
    end
    if (f_at + 16'd1 == write_index$q)
        a_is_last: assert (f_last_entry == f_entry && f_last_epoch == f_before_epoch && f_last_half == f_before_half);
    a_key_bits: assert (f_key[15:0] == f_entry[15:0]
                        && f_key[23:16] == (f_entry[31:24] == 8'haa && !f_before_half ? f_entry[23:16] : f_before_epoch));
    if (f_ahead == 0) a_key_state: assert (epoch$q == f_before_epoch && half$q == f_before_half);
    // The key shown is that of the entry in front, and the floor that is shown lies between the entries that are shown and those that are not.
    if (f_is_front && bus_ready) a_key: assert (bus_key == f_key[23:0]);
    a_key_floor: assert (f_key <= f_floor_before);
    a_side_shown: assert (f_ahead < f_shown ? f_key <= f_late_key : f_key >= f_late_key);
    a_side_coming: assert (f_ahead < f_coming ? f_key <= f_first_key : f_key >= f_first_key);
end
always @(*) if (!bus_ready) a_key_of_floor: assert (bus_key == f_late_key[23:0]);

// So the key never falls: said once more of the key itself, from each cycle to the next.
wire f_known = !bus_ready || f_is_front;
wire [47:0] f_bus_key = bus_ready ? f_key : f_late_key;
reg f_was_known = 0, f_was_front = 0, f_was_ready = 0, f_was_taken = 0;
reg [47:0] f_bus_key_before;
always @(posedge clock) begin
    f_was_known <= f_known;
    f_was_front <= f_is_front;
    f_was_ready <= bus_ready;
    f_was_taken <= bus_take;
    f_bus_key_before <= f_bus_key;
end
always @(*) begin
    if (f_was_known && f_known) a_key_rises: assert (f_bus_key >= f_bus_key_before);
    // What is shown stays until it is taken, with its key.
    if (f_was_ready && !f_was_taken) a_stays: assert (bus_ready);
    if (f_was_ready && f_was_front && !f_was_taken) a_same: assert (f_is_front && f_bus_key == f_bus_key_before);
end

// It is not for lack of traffic that these hold.
always @(*) c_key: cover (f_is_front && bus_ready && f_before_half && f_key[31:16] != 0);
`endif
