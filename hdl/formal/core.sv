// Why the core does what instruction.sv says, for any program, memory, interrupts and stalls: its states, its traps, its port. `hdl/src/core/formal.rs` puts
// both at the end of the module that rust-hdl generates.

`ifdef FORMAL
// Why: the state says what kind of instruction is held, with its decoding, its sources and its address.
wire f_loads_and_arrives = state$q == 9'b000001010;
wire f_held = state$q[2] || state$q[3] || state$q[4] || state$q[5] || state$q[8] || ((state$q[6] || state$q[7]) && !walk_fetch$q);
always @(*) begin
    a_state: assert (f_loads_and_arrives || (state$q & (state$q - 9'd1)) == 0);
    a_starts: assert ((state$q == 0) == !f_begun);
    if (f_begun) a_whole: assert (pc$q[1:0] == 0 && csr_file$vector[1:0] == 0 && csr_file$return_pc[1:0] == 0);
    if (f_begun && f_next_known) begin
        if (f_loads_and_arrives) a_pc_ahead: assert (pc_before$q == f_next && pc$q == f_next + 32'd4);
        else a_pc: assert (pc$q == f_next);
    end
    if (f_held) begin
        a_decoded: assert (decoder$illegal == !f_legal && decoder$load == (f_load && f_legal) && decoder$store == (f_store && f_legal)
            && decoder$pair == (f_pair && f_legal) && decoder$muldiv == f_muldiv && decoder$branch == (f_branch && f_legal) && decoder$jal == f_jal
            && decoder$jalr == f_jalr && decoder$link == (f_jal || f_jalr) && decoder$lui == f_lui && decoder$auipc == f_auipc && decoder$csr == f_csr
            && decoder$ecall == f_ecall && decoder$ebreak == f_ebreak && decoder$mret == f_mret && decoder$wfi == f_wfi
            && decoder$register_op == (f_op && !f_muldiv && f_legal)
            && decoder$writes_rd == (f_legal && f_writes && f_i[11:7] != 0));
        if (f_op_imm || (f_op && !f_muldiv) || f_branch) a_subtracts: assert (!f_legal || decoder$subtracts == (f_minor != 0 || (f_i[30] && f_i[5])));
        a_immediate: assert (decoder$immediate == (f_lui || f_auipc ? {f_i[31:12], 12'd0} : f_store ? f_imm_s : f_branch ? f_imm_b : f_jal ? f_imm_j : f_imm_i) || !f_legal);
        a_source: assert (f_read_1 && f_read_2 && f_asked_1 == f_i[19:15]);
        if (state$q[2] || state$q[4]) a_other: assert (f_asked_2 == f_i[24:20]);
        if (!(state$q[3] && f_pair) && f_asked_1 == f_r1) a_value: assert (f_v1 == f_x1);
        if (!(state$q[3] && f_pair) && f_asked_2 == f_r2) a_other_value: assert (f_v2 == f_x2);
    end
    if (state$q[3]) a_loads: assert (f_load && f_legal && f_second == f_pair);
    if (state$q[4]) a_multiplies: assert (f_muldiv && !f_second);
    if (state$q[8]) a_pairs: assert (f_pair && f_legal && f_second == f_store);
    if (f_held && !state$q[2] && !state$q[4] && !state$q[5] && f_judged) a_was_aligned: assert (!f_misaligned);
    if (state$q[2]) a_first: assert (!f_second);
    if ((state$q[6] || state$q[7]) && !walk_fetch$q) a_walks: assert ((f_load || f_store) && f_legal && !f_second);
end

// A trap has its reason, and everything that has a reason traps. Interrupts and faults of a fetch show no instruction.
wire f_raised = retire_valid && retire_trap && state$q[2];
always @(*) begin
    if (retire_valid && retire_trap) a_quiet: assert (retire_rd == 0 && !retire_load && !retire_store && !retire_half);
    if (f_raised && f_judged && !f_csr) begin
        if (!f_legal || (f_mret && csr_file$user)) a_illegal: assert (retire_cause == 32'd2 && retire_tval == f_i);
        else if (f_ecall) a_ecall: assert (retire_cause == (csr_file$user ? 32'd8 : 32'd11) && retire_tval == 0);
        else if (f_ebreak) a_ebreak: assert (retire_cause == 32'd3 && retire_tval == retire_pc);
        else if (f_load || f_store) begin
            if (f_misaligned) a_misaligned: assert (retire_cause == (f_store ? 32'd6 : 32'd4) && retire_tval == f_address);
            else a_fault: assert ((retire_cause == (f_store ? 32'd7 : 32'd5) || retire_cause == (f_store ? 32'd15 : 32'd13)) && retire_tval == f_address);
        end else a_jump: assert (f_jumps && f_target[1:0] != 0 && retire_cause == 0 && retire_tval == f_target);
    end
    if (f_raised && f_csr) a_csr: assert (retire_cause == 32'd2 && retire_tval == f_i);
    if (retire_valid && retire_trap && state$q[1]) a_arrival: assert (retire_instruction == 0 && (retire_cause[31] || retire_cause == 32'd1 || retire_cause == 32'd12));
end

// Loads from devices are not in consecutive cycles, nor are stores but those of one instruction; and the devices' port is the port.
reg f_device_read = 0, f_device_wrote = 0;
reg [31:0] f_device_before = 0;
always @(posedge clock) begin
    f_device_read <= device_read && !device_address[31];
    f_device_wrote <= device_write && !device_address[31] && !stall;
    f_device_before <= device_address;
end
always @(*) begin
    a_apart: assert (!(f_device_read && device_read && !device_address[31]));
    a_stores_apart: assert (!(f_device_wrote && device_write && !device_address[31])
                            || (device_address == (f_device_before | 32'd4) && !f_device_before[2]));
    a_device: assert (device_read == read && device_write == write && device_address == address);
end

// Memory is written by stores that retire, as they retire, and by nothing else; what translation or the map of devices refuses never gets there.
always @(*) begin
    a_only_stores: assert (write == (retire_store || (write && stall && state$q[2])));
    if (retire_store) a_port: assert (address == retire_address && mask == retire_mask && (wdata & f_bits) == (retire_data & f_bits) || !f_judged);
    if (write && state$q[2]) a_passed: assert (!mmu$miss && !mmu$page_fault && !mmu$access_fault);
end
reg [31:0] f_address_before = 0;
always @(posedge clock) f_address_before <= retire_address;
always @(*) if (f_second && f_ends) a_same_eight: assert (retire_address == (f_address_before | 32'd4) && !f_address_before[2]);

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

// One address, untranslated: what is executed there is what memory has there, unless the core itself has written to it.
(* anyconst *) wire [31:0] f_where;
(* anyconst *) wire [31:0] f_what;
reg f_overwritten = 0, f_reads = 0;
wire f_here = address[31:2] == f_where[31:2];
always @(posedge clock) begin
    f_reads <= read && f_here;
    if (write && f_here) f_overwritten <= 1;
end
wire f_plain = !(mmu$user_fetch && mmu$page_map[0]);
wire f_reads_ahead = state$q[2] || state$q[8] || ((state$q[6] || state$q[7]) && !walk_fetch$q);
always @(*) if (!f_overwritten) begin
    if (f_reads) assume (rdata == f_what);
    if (f_commits && f_plain && retire_pc == f_where) a_fetched: assert (f_i == f_what);
    // Why: it comes from the port, or was read ahead and kept.
    if (f_begun && f_plain) begin
        if (state$q[1] && pc$q == f_where) a_arrives: assert (held$q ? following$q == f_what : f_reads || fetch_fault$q);
        if (f_held && !state$q[5] && !state$q[1] && pc$q == f_where) a_held: assert (f_i == f_what);
        if (f_loads_and_arrives && pc_before$q == f_where) a_held_too: assert (f_i == f_what);
        if (f_reads_ahead && ahead$q && pc$q + 32'd4 == f_where) a_ahead: assert (fresh$q ? f_reads : following$q == f_what);
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
    if (retire_valid) f_waits <= 0;
    else if (!state$q[4] && !state$q[5] && !(write && stall && state$q[2])) f_waits <= f_waits + 1;
end
always @(*) begin
    if (f_filled && mmu$va[31:10] == f_va[31:10]) assume (!mmu$miss || mmu$falls);
    a_goes_on: assert (f_waits <= 5'd11);
    if (state$q[0]) a_f: assert (f_waits <= (f_retries ? 5'd4 : 5'd1));
    if (state$q[6]) a_w: assert (f_waits <= (walk_fetch$q ? 5'd2 : 5'd7));
    if (state$q[7]) a_t: assert (f_waits <= (walk_fetch$q ? 5'd3 : 5'd8));
    if (state$q[1] && !state$q[3]) a_d: assert (f_waits <= 5'd5);
    if (state$q[2]) a_x: assert (f_waits <= (f_retries ? 5'd9 : 5'd6));
    if (state$q[4]) a_m: assert (f_waits <= 5'd7);
    if (state$q[5]) a_s: assert (f_waits == 0);
    if (state$q[8]) a_p: assert (f_waits <= 5'd10);
    if (state$q == 0) a_r: assert (f_waits == 0);
end

// It is not for lack of traffic that these hold.
always @(*) begin
    c_branch: cover (f_ends && f_judged && f_branch && f_taken && f_a == 32'hdead);
    c_user: cover (f_ends && f_judged && csr_file$user && f_op && retire_rd == 5'd7);
    c_pair: cover (f_ends && f_judged && f_second && f_load && f_i[11:7] == f_i[19:15]);
    c_sd: cover (f_ends && f_judged && f_is_sd && f_b == 32'hbeef);
    c_interrupt: cover (retire_valid && retire_trap && retire_cause[31]);
end
`endif
