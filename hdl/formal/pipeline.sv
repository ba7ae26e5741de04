// Why the pipelined core does what instruction.sv says, as core.sv has it of the first one. `hdl/src/pipeline/formal.rs` puts both at the end of the module
// that rust-hdl generates.

`ifdef FORMAL
// Why: the state says what kind of instruction is held, with its decoding, its sources and its address.
wire f_walks_data = (state$q[6] || state$q[7]) && !walk_fetch$q;
wire f_held = state$q[2] || state$q[4] || state$q[8] || f_walks_data;
always @(*) begin
    a_state: assert ((state$q & (state$q - 9'd1)) == 0 && !state$q[3]);
    a_starts: assert ((state$q == 0) == !f_begun);
    if (f_begun) a_whole: assert (pc$q[1:0] == 0 && csr_file$vector[1:0] == 0 && csr_file$return_pc[1:0] == 0);
    if (f_begun && f_next_known) a_pc: assert (pc$q == f_next);
    if (f_held && !state$q[2]) a_fetched_well: assert (!fetch_fault$q);
    if (again$q) a_again: assert (state$q[2] && !fetch_fault$q && (f_load || f_store) && f_legal);
    if (f_held) begin
        a_decoded: assert (decoder$illegal == !f_legal && decoder$load == (f_load && f_legal) && decoder$store == (f_store && f_legal)
            && decoder$pair == (f_pair && f_legal) && decoder$muldiv == f_muldiv && decoder$branch == (f_branch && f_legal) && decoder$jal == f_jal
            && decoder$jalr == f_jalr && decoder$link == (f_jal || f_jalr) && decoder$lui == f_lui && decoder$auipc == f_auipc && decoder$csr == f_csr
            && decoder$ecall == f_ecall && decoder$ebreak == f_ebreak && decoder$mret == f_mret && decoder$wfi == f_wfi
            && decoder$register_op == (f_op && !f_muldiv && f_legal)
            && decoder$writes_rd == (f_legal && f_writes && f_i[11:7] != 0));
        if (f_op_imm || (f_op && !f_muldiv) || f_branch) a_subtracts: assert (!f_legal || decoder$subtracts == (f_minor != 0 || (f_i[30] && f_i[5])));
        a_immediate: assert (decoder$immediate == (f_lui || f_auipc ? {f_i[31:12], 12'd0} : f_store ? f_imm_s : f_branch ? f_imm_b : f_jal ? f_imm_j : f_imm_i) || !f_legal);
        // In M the operands are kept elsewhere.
        if (!state$q[4]) a_source: assert (f_read_1 && f_read_2 && f_asked_1 == f_i[19:15]);
        if (state$q[2]) a_other: assert (f_asked_2 == f_i[24:20]);
        // What does not name a register does not wait for it.
        if (f_asked_1 == f_r1 && f_i[4:2] != 3'd3 && f_i[4:2] != 3'd5) a_value: assert (f_v1 == (state$q[8] ? f_x1_first : f_x1_before));
        if (f_asked_2 == f_r2 && (f_op || f_branch || f_store)) a_other_value: assert (f_v2 == f_x2_before);
    end
    if (state$q[4]) a_divides: assert (f_muldiv && f_i[14] && !f_second);
    if (state$q[8]) a_pairs: assert (f_pair && f_legal && f_second);
    if (f_held && !state$q[2] && !state$q[4] && f_judged) a_was_aligned: assert (!f_misaligned);
    if (state$q[2]) a_first: assert (!f_second);
    if (f_walks_data) a_walks: assert ((f_load || f_store) && f_legal && !f_second);
end

// A trap has its reason, and everything that has a reason traps. Interrupts and faults of a fetch show no instruction, and go before what it could cause; an
// interrupt not where a walk or a stall has been waited for.
wire f_interrupted = state$q[2] && csr_file$interrupt && !again$q;
wire f_unseen = f_interrupted || (state$q[2] && fetch_fault$q);
wire f_raised = v_valid && v_trap && state$q[2] && !f_unseen;
always @(*) begin
    if (v_valid && v_trap) a_quiet: assert (v_rd == 0 && !v_load && !v_store && !v_half);
    if (f_raised && f_judged && !f_csr) begin
        if (!f_legal || (f_mret && csr_file$user)) a_illegal: assert (v_cause == 32'd2 && v_tval == f_i);
        else if (f_ecall) a_ecall: assert (v_cause == (csr_file$user ? 32'd8 : 32'd11) && v_tval == 0);
        else if (f_ebreak) a_ebreak: assert (v_cause == 32'd3 && v_tval == v_pc);
        else if (f_load || f_store) begin
            if (f_misaligned) a_misaligned: assert (v_cause == (f_store ? 32'd6 : 32'd4) && v_tval == f_address);
            else a_fault: assert ((v_cause == (f_store ? 32'd7 : 32'd5) || v_cause == (f_store ? 32'd15 : 32'd13)) && v_tval == f_address);
        end else a_jump: assert (f_jumps && f_target[1:0] != 0 && v_cause == 0 && v_tval == f_target);
    end
    if (f_raised && f_csr) a_csr: assert (v_cause == 32'd2 && v_tval == f_i);
    if (f_unseen) begin
        a_unseen: assert (v_valid && v_trap && v_instruction == 0 && !write && v_tval == (f_interrupted ? 32'd0 : pc$q));
        a_unseen_cause: assert (f_interrupted ? v_cause[31] : v_cause == (fetch_denied$q ? 32'd1 : 32'd12));
    end
    if (v_valid && v_trap) a_trap_where: assert (state$q[2] || state$q[7]);
end

// What is forwarded is what is written in the next cycle.
reg f_forwarded = 0;
reg [4:0] f_forwarded_to = 0;
reg [31:0] f_forwarded_value = 0;
always @(posedge clock) begin
    f_forwarded <= v_forward && v_valid && !v_trap;
    f_forwarded_to <= v_forward_address;
    f_forwarded_value <= v_forward_data;
end
always @(*) if (f_forwarded) a_forwarded: assert (registers$write && registers$write_address == f_forwarded_to && registers$write_data == f_forwarded_value);

// Memory is written by stores as they are done, and by nothing else; what translation or the map of devices refuses never gets there.
always @(*) begin
    a_only_stores: assert (write == (v_store || (write && stall && state$q[2])));
    if (write && state$q[2]) a_passed: assert (!mmu$miss && !mmu$page_fault && !mmu$access_fault);
end
// The devices' port says sooner what the port says, where there is a device, and nothing else there.
wire [15:0] f_place = device_address[31:16];
wire f_device = f_place == 16'h0200 || f_place == 16'h1000 || f_place == 16'h1001 || f_place == 16'h1004
    || (f_place == 16'h1002 && has_smi) || (f_place == 16'h1003 && has_mmi);
wire f_same_access = read == device_read && write == device_write && address == device_address;
always @(*) begin
    if ((device_read || device_write) && f_device) a_device: assert (f_same_access);
    // A store to the page of programs' events that no SMI is behind comes to nobody.
    if ((read || write) && !address[31]) a_no_other: assert (f_same_access && (f_device || (write && f_place == 16'h1002)));
end
// Loads from devices are not in consecutive cycles, nor are stores but those of one instruction.
reg f_device_read = 0, f_device_wrote = 0;
reg [31:0] f_device_before = 0;
always @(posedge clock) begin
    f_device_read <= device_read && f_device;
    f_device_wrote <= device_write && f_device && !stall;
    f_device_before <= device_address;
end
always @(*) begin
    a_apart: assert (!(f_device_read && device_read && f_device));
    a_stores_apart: assert (!(f_device_wrote && device_write && f_device)
                            || (device_address == (f_device_before | 32'd4) && !f_device_before[2]));
end
reg [31:0] f_address_before = 0;
always @(posedge clock) f_address_before <= v_address;
always @(*) if (f_second && f_ends) a_same_eight: assert (v_address == (f_address_before | 32'd4) && !f_address_before[2]);

// An entry of the page map is judged, and kept, for the very access that asked for it.
reg f_walked = 0;
reg [31:0] f_va = 0;
reg f_fetches = 0, f_stores = 0;
always @(posedge clock) begin
    f_walked <= state$q[6];
    f_va <= mmu$va;
    f_fetches <= mmu$fetch;
    f_stores <= mmu$store;
end
always @(*) begin
    if (state$q[7]) a_walk: assert (f_walked && mmu$va == f_va && mmu$fetch == f_fetches && (mmu$fetch || mmu$store == f_stores));
    if (mmu$fill) a_fill: assert (state$q[7] && mmu$walk_good);
end

// Words come in order from where a fetch began, as ahead.sv has it: there is one for whoever takes it, and it is what memory has at `f_physical`.
reg f_live = 0;
reg [31:0] f_physical = 0;
always @(posedge clock) begin
    if (control$starts) f_live <= 1;
    if (control$starts) f_physical <= {ahead$address[31:2], 2'd0};
    else if (control$takes) f_physical <= {f_physical[31:10], f_physical[9:2] + 8'd1, 2'd0};
end
// What the next word names, as ahead.sv has it, too.
wire f_names_rs1 = ahead$word[4:2] != 3 && ahead$word[4:2] != 5 && ahead$word[19:15] == destination;
wire f_names_rs2 = ahead$word[5] && !ahead$word[2] && !(ahead$word[6] && ahead$word[4]) && ahead$word[24:20] == destination;
always @(*) if (f_live && !control$starts && !ahead$fresh && ahead$odd == f_physical[2] && destination != 0)
    assume (ahead$names == (f_names_rs1 || f_names_rs2));
// One address, untranslated: what is executed there is what memory has there, unless the core itself has written to it.
(* anyconst *) wire [31:0] f_where;
(* anyconst *) wire [31:0] f_what;
reg f_overwritten = 0;
always @(posedge clock) if (write && address[31:2] == f_where[31:2]) f_overwritten <= 1;
wire f_plain = !(mmu$user_fetch && mmu$page_map[0]);
wire f_streams = f_begun && !fetch_fault$q && (state$q[1] || f_held);
wire [31:0] f_next_pc = state$q[1] ? pc$q : pc$q + 32'd4;
always @(*) begin
    if (control$takes && !fetch_fault$q) a_takes: assert (f_live && !control$starts && ahead$odd == f_physical[2]);
    if (ahead$fresh) a_fresh: assert (state$q[1] && address == ahead$second_address && read && !control$starts);
    if (f_streams) begin
        a_stream: assert (f_live && f_physical[9:2] == f_next_pc[9:2]);
        if (f_plain) a_page: assert (f_physical[31:10] == pc$q[31:10]);
    end
    if (!f_overwritten) begin
        if (control$takes && f_streams && f_physical[31:2] == f_where[31:2]) assume (ahead$word == f_what);
        if (f_plain && f_held && !fetch_fault$q && pc$q == f_where) a_held: assert (f_i == f_what);
        if (f_commits && f_plain && v_pc == f_where) a_fetched: assert (f_i == f_what);
    end
end

// It goes on: besides sleep, stalls and the steps of a multiplication or division, an instruction takes eleven cycles at most, with two walks.
// Of the TLB it is known (tlb.sv) that what a walk has put in is there in the next cycle.
reg f_retries = 0;
reg f_filled = 0;
reg [4:0] f_waits = 0;
always @(posedge clock) begin
    f_filled <= mmu$fill && !mmu$flush;
    f_retries <= (state$q[7] && mmu$fill) || (f_retries && write && stall);
    if (v_valid) f_waits <= 0;
    else if (!state$q[4] && !state$q[5] && !(write && stall && state$q[2])) f_waits <= f_waits + 1;
end
always @(*) begin
    if (f_filled && mmu$va[31:10] == f_va[31:10]) assume (!mmu$miss || mmu$falls);
    a_goes_on: assert (f_waits <= 5'd11);
    if (state$q[0]) a_f: assert (f_waits <= (f_retries ? 5'd4 : 5'd1));
    if (state$q[6]) a_w: assert (f_waits <= (walk_fetch$q ? 5'd2 : 5'd7));
    if (state$q[7]) a_t: assert (f_waits <= (walk_fetch$q ? 5'd3 : 5'd8));
    if (state$q[1]) a_d: assert (f_waits <= 5'd5);
    if (state$q[2]) a_x: assert (f_waits <= (f_retries ? 5'd9 : 5'd6));
    if (state$q[4]) a_m: assert (f_waits <= 5'd7);
    if (state$q[5]) a_s: assert (f_waits == 0);
    if (state$q[8]) a_p: assert (f_waits <= 5'd10);
    if (state$q == 0) a_r: assert (f_waits == 0);
end

// It is not for lack of traffic that these hold.
always @(*) begin
    c_branch: cover (f_ends && f_judged && f_branch && f_taken && f_a == 32'hdead);
    c_user: cover (f_ends && f_judged && csr_file$user && f_op && v_rd == 5'd7);
    c_pair: cover (f_ends && f_judged && f_second && f_load && f_i[11:7] == f_i[19:15]);
    c_sd: cover (f_ends && f_judged && f_is_sd && f_b == 32'hbeef);
    c_interrupt: cover (v_valid && v_trap && v_cause[31]);
end
`endif
