// What is proven of the register file: for any register, a port gives what is forwarded to it in the cycle in which it
// is asked for, else what was written into it last, also in that cycle, and 0 for x0. `hdl/src/core/formal.rs` puts
// this at the end of the module that rust-hdl generates.

`ifdef FORMAL
(* anyconst *) wire [4:0] f_register;
reg [31:0] f_value = 0;
wire f_writes = write && write_address == f_register && f_register != 0;
wire f_forwards = forward && forward_address == f_register && f_register != 0;
wire [31:0] f_next = f_writes ? write_data : f_value;
wire [31:0] f_seen = f_forwards ? forward_data : f_next;
reg f_asked_1 = 0, f_asked_2 = 0;
reg [31:0] f_given_1 = 0, f_given_2 = 0;
always @(posedge clock) begin
    f_value <= f_next;
    if (read) begin
        f_asked_1 <= address_1 == f_register;
        f_given_1 <= f_seen;
    end
    if (read_2) begin
        f_asked_2 <= address_2 == f_register;
        f_given_2 <= f_seen;
    end
end
always @(*) begin
    if (f_asked_1) a_first: assert (data_1 == f_given_1);
    if (f_asked_2) a_second: assert (data_2 == f_given_2);
    // Why: both memories hold it.
    a_held: assert (copy_1[f_register] == f_value && copy_2[f_register] == f_value);
    if (f_register == 0) a_zero: assert (f_value == 0);
end

// It is not for lack of traffic that these hold.
always @(*) begin
    c_kept: cover (f_asked_1 && f_given_1 == 32'd7 && f_register == 5'd31);
    c_forwarded: cover (f_asked_2 && f_given_2 != f_value && f_register == 5'd3);
end
`endif
