// What an instruction does, in the manner of riscv-formal: what retires did what RV32I, Zilsd and the privileged architecture say, as seen at the retirement
// port (docs/hardware.md). So it is the same for every core, and is proven together with what each core's own file says of its states (core.sv, pipeline.sv).
//
// The environment is wider than the machine: memory gives any word at any time. What multiplications and divisions give, and what CSRs hold, is tested, not proven.

`ifdef FORMAL
(* anyconst *) wire [31:0] f_reset_vector;
(* anyconst *) wire f_smi, f_mmi;
always @(*) assume (reset_vector == f_reset_vector && reset_vector[1:0] == 0 && ram_mask == 32'h003fffff && has_smi == f_smi && has_mmi == f_mmi);

wire [31:0] f_i = instruction$q;
wire [6:0] f_opcode = f_i[6:0];
wire [2:0] f_minor = f_i[14:12];
wire [6:0] f_upper = f_i[31:25];
reg f_begun = 0, f_second = 0;
always @(posedge clock) begin
    f_begun <= 1;
    f_second <= v_half;
end

// Any two registers, as they were written last, seen at the retirement port; an instruction is judged if they are its sources.
(* anyconst *) wire [4:0] f_r1, f_r2;
reg [31:0] f_x1 = 0, f_x2 = 0, f_x1_first = 0;
wire f_writes_1 = registers$write && registers$write_address != 0 && registers$write_address == f_r1;
wire f_writes_2 = registers$write && registers$write_address != 0 && registers$write_address == f_r2;
wire [31:0] f_x1_next = f_writes_1 ? registers$write_data : f_x1;
wire [31:0] f_x2_next = f_writes_2 ? registers$write_data : f_x2;
// Before what happens in this cycle.
wire [31:0] f_x1_before = v_written_counts ? f_x1_next : f_x1;
wire [31:0] f_x2_before = v_written_counts ? f_x2_next : f_x2;
always @(posedge clock) begin
    f_x1 <= f_x1_next;
    f_x2 <= f_x2_next;
    if (f_commits) f_x1_first <= f_x1_before;
end
// Of the register file it is known (registers.sv): it gives what was written last into the register that was asked for, also in that cycle, or
// what is forwarded to it.
reg f_read_1 = 0, f_read_2 = 0;
reg [4:0] f_asked_1 = 0, f_asked_2 = 0;
reg [31:0] f_v1 = 0, f_v2 = 0;
always @(posedge clock) begin
    if (registers$read) begin
        f_read_1 <= 1;
        f_asked_1 <= registers$address_1;
        f_v1 <= v_forward && v_forward_address == f_r1 ? v_forward_data : f_x1_next;
    end
    if (registers$read_2) begin
        f_read_2 <= 1;
        f_asked_2 <= registers$address_2;
        f_v2 <= v_forward && v_forward_address == f_r2 ? v_forward_data : f_x2_next;
    end
end
always @(*) begin
    if (f_read_1 && f_asked_1 == f_r1) assume (registers$data_1 == f_v1);
    if (f_read_2 && f_asked_2 == f_r2) assume (registers$data_2 == f_v2);
end
// The second half of a pair has the first one's address, whatever the first one loaded; a stored pair's second register is the one after rs2.
wire f_is_sd = f_opcode == 7'h23 && f_minor == 3'd3;
wire [4:0] f_rs2 = f_i[24:20] | (f_is_sd && f_second && f_i[24:20] != 0);
wire f_judged = f_i[19:15] == f_r1 && f_rs2 == f_r2;
wire [31:0] f_a = f_second ? f_x1_first : f_x1_before;
wire [31:0] f_b = f_x2_before;

// The instruction, as the manual has it.
wire [31:0] f_imm_i = {{21{f_i[31]}}, f_i[30:20]};
wire [31:0] f_imm_s = {{21{f_i[31]}}, f_i[30:25], f_i[11:7]};
wire [31:0] f_imm_b = {{20{f_i[31]}}, f_i[7], f_i[30:25], f_i[11:8], 1'b0};
wire [31:0] f_imm_j = {{12{f_i[31]}}, f_i[19:12], f_i[20], f_i[30:21], 1'b0};
wire f_load = f_opcode == 7'h03, f_store = f_opcode == 7'h23, f_branch = f_opcode == 7'h63;
wire f_op = f_opcode == 7'h33, f_op_imm = f_opcode == 7'h13, f_system = f_opcode == 7'h73;
wire f_lui = f_opcode == 7'h37, f_auipc = f_opcode == 7'h17, f_jal = f_opcode == 7'h6f, f_jalr = f_opcode == 7'h67 && f_minor == 0;
wire f_muldiv = f_op && f_upper == 7'd1;
wire f_csr = f_system && f_minor[1:0] != 0;
wire f_ecall = f_i == 32'h00000073, f_ebreak = f_i == 32'h00100073, f_mret = f_i == 32'h30200073, f_wfi = f_i == 32'h10500073;
wire f_pair = (f_load || f_store) && f_minor == 3'd3;
wire f_shifts = f_minor[1:0] == 2'd1;
wire f_legal = f_lui || f_auipc || f_jal || f_jalr || (f_branch && f_minor[2:1] != 2'd1)
    || (f_load && (f_minor <= 3'd2 || f_minor == 3'd4 || f_minor == 3'd5 || (f_minor == 3'd3 && !f_i[7])))
    || (f_store && (f_minor <= 3'd2 || (f_minor == 3'd3 && !f_i[20])))
    || (f_op_imm && (!f_shifts || f_upper == 0 || (f_upper == 7'h20 && f_minor == 3'd5)))
    || (f_op && (f_upper == 0 || f_upper == 7'd1 || (f_upper == 7'h20 && (f_minor == 0 || f_minor == 3'd5))))
    || (f_opcode == 7'h0f && f_minor[2:1] == 0) || f_csr || f_ecall || f_ebreak || f_wfi || f_mret;

wire [31:0] f_second_operand = f_op ? f_b : f_imm_i;
wire [4:0] f_amount = f_second_operand[4:0];
reg [31:0] f_computed;
always @(*) case (f_minor)
    3'd0: f_computed = f_op && f_i[30] ? f_a - f_b : f_a + f_second_operand;
    3'd1: f_computed = f_a << f_amount;
    3'd2: f_computed = $signed(f_a) < $signed(f_second_operand);
    3'd3: f_computed = f_a < f_second_operand;
    3'd4: f_computed = f_a ^ f_second_operand;
    3'd5: f_computed = f_i[30] ? $signed($signed(f_a) >>> f_amount) : f_a >> f_amount;
    3'd6: f_computed = f_a | f_second_operand;
    default: f_computed = f_a & f_second_operand;
endcase
reg f_taken;
always @(*) case (f_minor)
    3'd0: f_taken = f_a == f_b;
    3'd1: f_taken = f_a != f_b;
    3'd4: f_taken = $signed(f_a) < $signed(f_b);
    3'd5: f_taken = $signed(f_a) >= $signed(f_b);
    3'd6: f_taken = f_a < f_b;
    default: f_taken = f_a >= f_b;
endcase
wire [31:0] f_target = f_jal ? v_pc + f_imm_j : f_jalr ? (f_a + f_imm_i) & ~32'd1 : v_pc + f_imm_b;
wire f_jumps = f_jal || f_jalr || (f_branch && f_taken);
wire [31:0] f_address = f_a + (f_store ? f_imm_s : f_imm_i);
wire [31:0] f_at = f_address | {29'd0, f_pair && f_second, 2'd0};
// What translation is told of a store's address before that is added up (mmu.sv assumes it).
always @(*) if (decoder$store && !flow$fetch) a_event_page: assert (event_page$on == (mmu$va[31:10] == 22'h040081));
wire f_misaligned = f_minor[1:0] == 2'd1 ? f_address[0] : f_minor[1:0] == 2'd2 ? f_address[1:0] != 0 : f_minor[1:0] == 2'd3 ? f_address[2:0] != 0 : 1'b0;
// A load's word is at `rdata` when it retires.
wire [31:0] f_shifted = rdata >> {f_at[1:0], 3'd0};
reg [31:0] f_loaded;
always @(*) case (f_minor)
    3'd0: f_loaded = {{24{f_shifted[7]}}, f_shifted[7:0]};
    3'd1: f_loaded = {{16{f_shifted[15]}}, f_shifted[15:0]};
    3'd4: f_loaded = {24'd0, f_shifted[7:0]};
    3'd5: f_loaded = {16'd0, f_shifted[15:0]};
    default: f_loaded = rdata;
endcase
wire [3:0] f_lanes = f_minor == 3'd0 ? 4'd1 << f_at[1:0] : f_minor == 3'd1 ? 4'd3 << f_at[1:0] : 4'd15;
wire [31:0] f_bits = {{8{f_lanes[3]}}, {8{f_lanes[2]}}, {8{f_lanes[1]}}, {8{f_lanes[0]}}};

wire f_writes = f_lui || f_auipc || f_jal || f_jalr || f_load || f_op_imm || f_op || f_csr;
wire [4:0] f_rd = f_i[11:7] == 0 ? 5'd0 : f_i[11:7] | (f_pair && f_second);
wire f_translated = mmu$user_data && mmu$page_map[0];
always @(*) if (f_commits && f_judged) begin
    a_shown: assert (v_instruction == f_i);
    a_legal: assert (f_legal && !f_ecall && !f_ebreak && !(f_mret && csr_file$user));
    a_aligned: assert (!(f_jumps && f_target[1:0] != 0) && !((f_load || f_store) && f_misaligned));
    a_rd: assert (v_rd == (f_writes ? f_rd : 5'd0));
    a_half: assert (v_half == (f_pair && !f_second));
    if (v_rd != 0 && v_known) begin
        if (f_lui) a_lui: assert (v_value == {f_i[31:12], 12'd0});
        if (f_auipc) a_auipc: assert (v_value == v_pc + {f_i[31:12], 12'd0});
        if (f_jal || f_jalr) a_link: assert (v_value == v_pc + 32'd4);
        if (f_op_imm || (f_op && !f_muldiv)) a_computed: assert (v_value == f_computed);
        if (f_load) a_loaded: assert (v_value == f_loaded);
    end else if (v_rd == 0) a_no_value: assert (v_value == 0);
    a_kind: assert (v_load == f_load && v_store == f_store && v_cause == 0 && v_tval == 0);
    if (f_load || f_store) a_address: assert (v_address[9:0] == f_at[9:0] && (f_translated || v_address == f_at));
    if (f_store) begin
        a_lanes: assert (v_mask == f_lanes);
        a_stored: assert (v_data == ((f_b << (f_minor[1:0] < 2'd2 ? {f_at[1:0], 3'd0} : 5'd0)) & f_bits));
    end
end

// Where it goes on. What a trap's handler and a return's target are is for the CSR file to say.
reg f_next_known = 1;
reg [31:0] f_next = 0;
always @(posedge clock) begin
    if (!f_begun) f_next <= reset_vector;
    else if (v_valid) begin
        f_next_known <= v_trap || f_judged || !(f_jalr || f_branch);
        f_next <= v_trap ? csr_file$vector : f_mret ? csr_file$return_pc : f_jumps ? f_target : v_pc + 32'd4;
    end
end
always @(*) if ((v_valid || v_half) && f_next_known) a_next: assert (v_pc == f_next);
`endif
