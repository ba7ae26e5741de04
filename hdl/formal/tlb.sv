// What is proven of the TLB (docs/hardware.md, "Translation"): for any one page, what it says is what was put in last, since the last flush.
// `hdl/src/core/formal.rs` puts this at the end of the module that rust-hdl generates, and defines `f_copies`, the words of the memory's second and first copy at `f_index`.

`ifdef FORMAL
(* anyconst *) wire [9:0] f_page;
assign f_index = {f_page[9], f_page[2:0]};
wire [20:0] f_entry = f_copies[20:0];
reg f_have = 0;
reg [11:0] f_physical = 0;
reg [2:0] f_rights = 0;
wire f_fills = fill && !flush && virtual_page == f_page;
reg f_filled = 0;
always @(posedge clock) begin
    f_filled <= f_fills;
    if (flush) f_have <= 0;
    else if (f_fills) begin
        f_have <= 1;
        f_physical <= new_page;
        f_rights <= new_rights;
    end
end
wire f_there = valid$q[f_index] && f_entry[5:0] == f_page[8:3];
always @(*) begin
    a_copies: assert (f_copies[41:21] == f_entry);
    if (f_there) a_true: assert (f_have && f_entry[20:9] == f_physical && f_entry[8:6] == f_rights);
    // What was put in is there in the next cycle, so a walk ends.
    if (f_filled) a_filled: assert (f_there);
    if (virtual_page == f_page) begin
        a_hit: assert (hit == f_there);
        if (hit) a_says: assert (page == f_physical && rights == f_rights);
    end
    if (after_page == f_page) begin
        a_after_hit: assert (after_hit == f_there);
        if (after_hit) a_after_says: assert (after_physical == f_physical && after_execute == f_rights[2]);
    end
end

// It is not for lack of traffic that these hold.
always @(*) begin
    c_hit: cover (hit && virtual_page == f_page && f_page == 10'h2a5 && rights == 3'd3);
    c_flushed: cover (!hit && virtual_page == f_page && f_physical != 0 && !f_have);
    c_displaced: cover (f_have && !f_there);
end
`endif
