// What is proven of translation (docs/hardware.md, "Translation"): the page walker never grants what the map denies. `hdl/src/core/formal.rs` puts
// this at the end of the module that rust-hdl generates.

`ifdef FORMAL
// Of the control it is known (core.sv): an entry is put into the TLB only if it is good for the access that asked.
always @(*) assume (!fill || walk_good);
// The cores say of a store's address whether it is on the page of events (core.sv, pipeline.sv).
always @(*) assume (!store || fetch || on_event_page == (va[31:10] == 22'h040081));
// RAM is a power of two of pages.
always @(*) assume ((ram_mask & (ram_mask + 32'd1)) == 0 && ram_mask[9:0] == 10'h3ff && !ram_mask[31]);

// The entry of any one page, as it was read last since the last flush.
(* anyconst *) wire [9:0] f_page;
reg f_have = 0;
reg [31:0] f_map = 0;
always @(posedge clock) begin
    if (flush) f_have <= 0;
    else if (fill && va[19:10] == f_page) begin
        f_have <= 1;
        f_map <= entry;
    end
end
// It goes into the TLB as it was read. Of the TLB it is known (tlb.sv) that it says what was put in.
always @(*) begin
    a_asked: assert (tlb$virtual_page == va[19:10] && tlb$after_page == after[19:10] && tlb$fill == fill && tlb$flush == flush);
    a_put: assert (tlb$new_page == entry[21:10] && tlb$new_rights == entry[3:1]);
end
always @(*) begin
    if (tlb$hit && tlb$virtual_page == f_page) assume (f_have && tlb$page == f_map[21:10] && tlb$rights == f_map[3:1]);
    if (tlb$after_hit && tlb$after_page == f_page) assume (f_have && tlb$after_physical == f_map[21:10] && tlb$after_execute == f_map[3]);
end

wire [31:0] f_va = falls ? after : va;
wire f_fetch = fetch || falls;
// Stores to one page, that of events of programs, go to the device where pmbase opens it.
wire f_opened = page_map[1:0] == 2'b11 && user_data && store && !f_fetch && f_va[31:10] == 22'h040081;
wire f_translated = page_map[0] && (f_fetch ? user_fetch : user_data) && !f_opened;
always @(*) if (!falls) a_translated: assert (translated == f_translated);
wire f_right = f_fetch ? f_map[3] : store ? f_map[2] : f_map[1];
wire f_passes = !miss && !page_fault && !access_fault;
wire [31:0] f_page_at = ({10'd0, f_map[21:10], f_va[9:0]} & ram_mask) | ram_base;
wire [31:0] f_entry_at = (((page_map & 32'h003ff000) | {20'd0, va[19:10], 2'd0}) & ram_mask) | ram_base;
always @(*) if (!walk) begin
    if (f_translated && f_passes) begin
        // Outside a process's 1 MiB nothing is granted,
        a_inside: assert (f_va[31:20] == 0);
        // inside it what the map's entry grants: a valid entry, the access's own right, its page, and RAM always.
        if (f_va[19:10] == f_page) a_granted: assert (f_have && f_map[0] && f_right && address == f_page_at);
        a_in_ram: assert ((address & ~ram_mask) == ram_base);
    end
    // What the map denies is a page fault, not a walk without end or another access.
    if (f_translated) a_one: assert (!access_fault && !(miss && page_fault));
    if (f_translated && f_va[31:20] != 0) a_outside: assert (page_fault);
    // What is opened is that page and nothing else, for words and parts of them.
    if (f_opened) a_opened: assert (!miss && !page_fault && access_fault == pair && address == f_va);
    if (page_map[0] && !f_fetch && user_data && f_va[31:20] != 0 && !f_opened) a_closed: assert (page_fault);
    // Without translation an access goes where there is something, a fetch into RAM.
    if (!f_translated) begin
        a_plain: assert (!miss && !page_fault && (access_fault || address == f_va));
        if (f_passes && f_fetch) a_fetches_ram: assert ((f_va & ~ram_mask) == ram_base);
        if (f_passes && pair) a_pair_in_ram: assert ((f_va & ~ram_mask) == ram_base);
        if (f_passes) a_there: assert ((f_va & ~ram_mask) == ram_base || f_va[31:16] == clint || f_va[31:16] == uart
            || f_opened || f_va[31:16] == centrenet || f_va[31:16] == identity || (f_va[31:16] == smi && has_smi) || (f_va[31:16] == mmi && has_mmi));
    end
end
// A walk reads the entry of the page that was asked for, and judges by the access's own right.
always @(*) begin
    if (walk && !falls) a_walk: assert (address == f_entry_at);
    a_judges: assert (walk_good == (entry[0] && (fetch ? entry[3] : store ? entry[2] : entry[1])));
    if (fill) a_valid: assert (entry[0]);
    if (f_have) a_kept_valid: assert (f_map[0]);
end

// It is not for lack of traffic that these hold.
always @(*) begin
    c_store: cover (f_translated && f_passes && store && !f_fetch && !walk && f_va[19:10] == f_page && f_page != 0);
    c_ahead: cover (f_translated && f_passes && falls && !walk && f_va[19:10] == f_page);
    c_opened: cover (f_opened && !falls && !pair && !has_smi);
    c_denied: cover (page_fault && f_have && f_va[19:10] == f_page && f_va[31:20] == 0);
end
`endif
