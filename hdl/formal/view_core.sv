// What instruction.sv calls what happens in a cycle, on the first core: its retirement port shows it in that very cycle.

`ifdef FORMAL
wire v_valid = retire_valid, v_trap = retire_trap, v_half = retire_half, v_load = retire_load, v_store = retire_store;
wire [31:0] v_pc = retire_pc, v_instruction = retire_instruction, v_value = retire_value, v_cause = retire_cause, v_tval = retire_tval;
wire [31:0] v_address = retire_address, v_data = retire_data;
wire [4:0] v_rd = retire_rd;
wire [3:0] v_mask = retire_mask;
// An instruction's end, or the first half of a pair.
wire f_ends = v_valid && !v_trap;
wire f_commits = f_ends || v_half;
// The value is known.
wire v_known = 1;
// A register's value, before this cycle's instruction, is what was written before this cycle.
wire v_written_counts = 0;
// What reads of registers see beside what is written: nothing.
wire v_forward = 0;
wire [4:0] v_forward_address = 0;
wire [31:0] v_forward_data = 0;
always @(*) begin
    a_written: assert ((registers$write && registers$write_address != 0) == (f_commits && v_rd != 0));
    if (f_commits && v_rd != 0) a_register: assert (registers$write_address == v_rd && registers$write_data == v_value);
end
`endif
