// What is proven of the words ahead: from where a fetch begins on they come in order, within the page, and there is always one. `hdl/src/pipeline/formal.rs`
// puts this at the end of the module that rust-hdl generates, and defines `f_bank_0` and `f_bank_1`: what each bank keeps.
//
// The environment is wider than the machine: fetches begin at any time, words are taken or not, and DMA takes a bank in any cycle, but never the same one in
// three together, nor in more than three of any six (it takes every second word, and one more where a reception breaks into a load: docs/centrenet.md).

`ifdef FORMAL
reg f_live = 0;
reg [31:0] f_physical = 0;
reg [4:0] f_busy_0 = 0, f_busy_1 = 0;
wire [5:0] f_busy_now_0 = {f_busy_0, !free_0}, f_busy_now_1 = {f_busy_1, !free_1};
wire [2:0] f_count_0 = f_busy_now_0[0] + f_busy_now_0[1] + f_busy_now_0[2] + f_busy_now_0[3] + f_busy_now_0[4] + f_busy_now_0[5];
wire [2:0] f_count_1 = f_busy_now_1[0] + f_busy_now_1[1] + f_busy_now_1[2] + f_busy_now_1[3] + f_busy_now_1[4] + f_busy_now_1[5];
// Port A reads what a fetch begins with, and in the cycle after it what follows.
wire [31:0] f_port = fresh ? second_address : address;
wire [31:0] f_port_next = {f_port[31:10], f_port[9:2] + 8'd1, 2'd0};
always @(posedge clock) begin
    f_busy_0 <= f_busy_now_0[4:0];
    f_busy_1 <= f_busy_now_1[4:0];
    if (start) begin
        f_live <= 1;
        f_physical <= {address[31:2], 2'd0};
    end else if (take) f_physical <= {f_physical[31:10], f_physical[9:2] + 8'd1, 2'd0};
end
always @(*) begin
    assume (f_count_0 <= 3 && f_busy_now_0[2:0] != 3'b111 && f_count_1 <= 3 && f_busy_now_1[2:0] != 3'b111);
    assume (!take || (f_live && !start && odd == f_physical[2]));
    // Of the core it is known (pipeline.sv) that no fetch begins right behind another.
    assume (!(start && fresh));
end

// What the banks keep.
wire [6:0] f_row_0 = f_physical[9:3] + f_physical[2], f_row_1 = f_physical[9:3];
wire [6:0] f_next_0 = f_bank_0[73:67], f_next_1 = f_bank_1[73:67];
wire f_came_0 = f_bank_0[66], f_came_1 = f_bank_1[66];
wire [1:0] f_kept_0 = f_bank_0[65] + f_bank_0[64], f_kept_1 = f_bank_1[65] + f_bank_1[64];
wire f_comes_0 = fresh || is_second$q || f_came_0, f_comes_1 = fresh || is_second$q || f_came_1;
always @(*) if (f_live) begin
    a_available: assert (!take || (odd ? f_kept_1 != 0 || f_comes_1 : f_kept_0 != 0 || f_comes_0));
    a_order: assert ((f_bank_0[65] || !f_bank_0[64]) && (f_bank_1[65] || !f_bank_1[64]));
    if (fresh) a_fresh: assert (f_kept_0 == 0 && f_kept_1 == 0 && !f_came_0 && !f_came_1 && from$q[31:2] == f_physical[31:2] && !is_second$q);
    else begin
        a_page: assert (page$q == f_physical[31:10]);
        a_rows: assert (f_next_0 == f_row_0 + f_kept_0 + f_comes_0 && f_next_1 == f_row_1 + f_kept_1 + f_comes_1);
        a_addresses: assert (ahead_0 == {f_physical[31:10], f_next_0, 3'd0} && ahead_1 == {f_physical[31:10], f_next_1, 3'd4});
    end
    if (is_second$q) a_second: assert (!f_came_0 && !f_came_1 && f_kept_0 <= 1 && f_kept_1 <= 1 && (f_physical[2] ? f_kept_1 : f_kept_0) == 1);
end

// What a word names as a source. In a fetch's first cycle, and of x0, nobody asks.
wire f_names_rs1 = word[4:2] != 3 && word[4:2] != 5 && word[19:15] == register;
wire f_names_rs2 = word[5] && !word[2] && !(word[6] && word[4]) && word[24:20] == register;
always @(*) if (f_live && !start && !fresh && odd == f_physical[2] && register != 0) a_names: assert (names == (f_names_rs1 || f_names_rs2));

// Any one word, where memory has it.
(* anyconst *) wire [31:0] f_where;
(* anyconst *) wire [31:0] f_what;
wire f_bank = f_where[2];
reg f_code_here = 0, f_ahead_here = 0;
always @(posedge clock) begin
    f_code_here <= (start || fresh) && (f_port[31:2] == f_where[31:2] || f_port_next[31:2] == f_where[31:2]);
    f_ahead_here <= f_bank ? free_1 && ahead_1[31:2] == f_where[31:2] : free_0 && ahead_0[31:2] == f_where[31:2];
end
wire [6:0] f_row = f_bank ? f_row_1 : f_row_0;
wire [1:0] f_kept = f_bank ? f_kept_1 : f_kept_0;
wire f_came = f_bank ? f_came_1 : f_came_0;
wire [73:0] f_keeps = f_bank ? f_bank_1 : f_bank_0;
wire f_on_page = f_physical[31:10] == f_where[31:10];
wire [6:0] f_coming = f_row + f_kept;
always @(*) begin
    if (f_code_here) assume ((f_bank ? code_1 : code_0) == f_what);
    if (f_ahead_here) assume ((f_bank ? fetched_1 : fetched_0) == f_what);
    if (f_live && take && f_physical[31:2] == f_where[31:2]) a_taken: assert (word == f_what);
    // Why: it is kept, or comes from where it is.
    if (f_live && f_on_page) begin
        if (!fresh && f_kept != 0 && f_row == f_where[9:3]) a_oldest: assert (f_keeps[63:32] == f_what);
        if (!fresh && f_kept == 2 && f_row + 7'd1 == f_where[9:3]) a_other: assert (f_keeps[31:0] == f_what);
        if ((fresh || is_second$q) && f_coming == f_where[9:3]) a_code: assert (f_code_here);
        if (!fresh && !is_second$q && f_came && f_coming == f_where[9:3]) a_ahead: assert (f_ahead_here);
    end
end

// A store to the page of these words is noted until the next start.
reg f_wrote = 0, f_overwritten = 0;
always @(posedge clock) begin
    f_wrote <= wrote;
    f_overwritten <= stale && !start;
end
always @(*) a_stale: assert (stale == (f_overwritten || (f_wrote && written_page == page$q)));

// It is not for lack of traffic that these hold.
always @(*) begin
    c_taken: cover (f_live && take && f_came && f_kept == 0 && f_physical[31:2] == f_where[31:2]);
    c_names: cover (f_live && take && !fresh && f_came && f_kept == 0 && names && f_names_rs2);
    c_stale: cover (f_live && stale && take);
end
`endif
