// What instruction.sv calls what happens in a cycle, on the pipelined core: it is known in the instruction's last cycle, but for what is loaded or
// multiplied. The register is written in the next one, and the retirement port shows it there.

`ifdef FORMAL
wire v_done = control$retire || control$half;
wire v_valid = control$retire || control$trap, v_trap = control$trap, v_half = control$half;
wire v_load = v_done && decoder$load, v_store = v_done && decoder$store;
wire [31:0] v_pc = pc$q, v_instruction = control$unseen ? 32'd0 : instruction$q, v_cause = control$trap ? {control$trap_cause[4], 27'd0, control$trap_cause[3:0]} : 32'd0;
wire [31:0] v_tval = control$trap ? results$trap_value : 32'd0;
wire [4:0] v_rd = v_done && decoder$writes_rd ? destination : 5'd0;
wire v_late = decoder$load || (decoder$muldiv && !instruction$q[14]);
wire v_known = !v_late;
wire [31:0] v_value = v_rd != 0 ? results$value : 32'd0;
wire [31:0] v_address = v_load || v_store ? mmu$address : 32'd0;
wire [3:0] v_mask = v_store ? lanes$mask : 4'd0;
wire [31:0] v_data = v_store ? lanes$store_data & {{8{v_mask[3]}}, {8{v_mask[2]}}, {8{v_mask[1]}}, {8{v_mask[0]}}} : 32'd0;
// An instruction's end, or the first half of a pair.
wire f_ends = v_valid && !v_trap;
wire f_commits = f_ends || v_half;
// What is written in this cycle is of the instruction before.
wire v_written_counts = 1;
wire v_forward = registers$forward && registers$forward_address != 0;
wire [4:0] v_forward_address = registers$forward_address;
wire [31:0] v_forward_data = registers$forward_data;

// The cycle after: the port shows it, and the register is written. A load's word is at `rdata`.
reg w_valid = 0, w_trap = 0, w_half = 0, w_load = 0, w_store = 0, w_late = 0, w_loads = 0;
reg [31:0] w_pc = 0, w_instruction = 0, w_cause = 0, w_tval = 0, w_value = 0, w_address = 0, w_data = 0;
reg [4:0] w_rd = 0;
reg [3:0] w_mask = 0;
always @(posedge clock) begin
    {w_valid, w_trap, w_half, w_load, w_store, w_late, w_loads} <= {v_valid, v_trap, v_half, v_load, v_store, v_late, decoder$load};
    {w_pc, w_instruction, w_cause, w_tval} <= {v_pc, v_instruction, v_cause, v_tval};
    {w_value, w_address, w_data, w_mask, w_rd} <= {v_value, v_address, v_data, v_mask, v_rd};
end
wire w_any = w_valid || w_half;
wire [31:0] w_shifted = rdata >> {w_address[1:0], 3'd0};
reg [31:0] w_loaded;
always @(*) case (w_instruction[14:12])
    3'd0: w_loaded = {{24{w_shifted[7]}}, w_shifted[7:0]};
    3'd1: w_loaded = {{16{w_shifted[15]}}, w_shifted[15:0]};
    3'd4: w_loaded = {24'd0, w_shifted[7:0]};
    3'd5: w_loaded = {16'd0, w_shifted[15:0]};
    default: w_loaded = rdata;
endcase
always @(*) begin
    a_port: assert (retire_valid == w_valid && retire_trap == w_trap && retire_half == w_half && retire_load == w_load && retire_store == w_store);
    if (w_any) begin
        a_port_where: assert (retire_pc == w_pc && retire_instruction == w_instruction && retire_rd == w_rd);
        a_port_trap: assert (retire_cause == w_cause && retire_tval == w_tval);
        a_port_access: assert (retire_address == w_address && retire_mask == w_mask && retire_data == w_data);
        a_port_value: assert (w_rd == 0 ? retire_value == 0 : w_loads ? retire_value == w_loaded : w_late || retire_value == w_value);
    end
    a_written: assert ((registers$write && registers$write_address != 0) == (w_any && !w_trap && w_rd != 0));
    if (registers$write && registers$write_address != 0) a_register: assert (registers$write_address == w_rd && registers$write_data == retire_value);
end
`endif
