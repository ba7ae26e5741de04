// What is proven of a counter: its halves together are a number of 64 bits, to which a cycle with `count` adds one, and
// of which a write changes one half and nothing else. `hdl/src/core/formal.rs` puts this at the end of the module that
// rust-hdl generates.

`ifdef FORMAL
reg [63:0] f_number = 0;
always @(posedge clock) begin
    if (write_low) f_number[31:0] <= value;
    else if (write_high) f_number[63:32] <= value;
    else f_number <= f_number + count;
end
always @(*) a_number: assert ({high, low} == f_number);

// It is not for lack of traffic that this holds: it is written, and counts on into the other half.
always @(*) c_carried: cover (high == 32'd8 && low == 32'd1);
`endif
