// What is proven of a Centrenet node's bus (docs/centrenet.md): it is fair and can't be stuck. `hdl/src/centrenet/formal.rs` puts this at the
// end of the module that rust-hdl generates.
//
// The environment is wider than the machine: stations ask, answer and send as they like, headers of any length too.

`ifdef FORMAL
// Every packet ends: in each cycle that the bus is not idle, what is left of the transaction gets less.
reg [10:0] f_rank;
always @(*) begin
    f_rank = 0;
    case (state$q)
        State$Header: f_rank = 11'd1029;
        State$Answer: f_rank = 11'd1027;
        State$Verdict: f_rank = 11'd1026;
        State$Start: f_rank = 11'd1025;
        State$Stream: f_rank = 11'd1 + left$q;
        default: f_rank = 0;
    endcase
end
reg [10:0] f_before = 0;
reg f_busy = 0;
always @(posedge clock) begin
    f_before <= f_rank;
    f_busy <= state$q != State$Idle;
end
always @(*) begin
    a_state: assert (state$q <= State$Stream);
    if (f_busy) a_ends: assert (f_rank < f_before);
    // An idle bus that is asked grants at once, to one that asked, and to one only.
    if (state$q == State$Idle && requests != 0) a_grants: assert (granted$d && (lowest & requests) == lowest && lowest != 0 && (lowest & (lowest - 16'd1)) == 0);
    else a_no_other: assert (!granted$d);
end

// While a station waits, no other is granted twice: of N stations it waits for N - 1 packets at most.
(* anyconst *) wire [3:0] f_station;
wire [15:0] f_mine = 16'd1 << f_station;
wire f_asks = (requests & f_mine) != 0;
wire f_decides = state$q == State$Idle && requests != 0;
// Those that were granted while it waits.
reg [15:0] f_passed = 0;
always @(posedge clock) begin
    if (!f_asks || (f_decides && lowest == f_mine)) f_passed <= 0;
    else if (f_decides) f_passed <= f_passed | lowest;
end
wire [15:0] f_upto = owner$q | (owner$q - 16'd1);
wire [15:0] f_below_mine = f_mine - 16'd1;
always @(*) begin
    if (f_decides && f_asks && lowest != f_mine) a_fair: assert ((f_passed & lowest) == 0);
    // Why: the turn goes upwards, so it has passed those between, and only those.
    a_turn: assert ((owner$q == 0 && above$q == 0) || (owner$q != 0 && (owner$q & (owner$q - 16'd1)) == 0 && above$q == ~f_upto));
    if (f_passed != 0) begin
        a_last: assert ((f_passed & owner$q) == owner$q && owner$q != 0 && owner$q != f_mine);
        if ((above$q & f_mine) != 0) a_above: assert ((f_passed & f_below_mine & ~f_upto) == 0);
        else a_under: assert ((f_passed & (f_below_mine | f_mine | above$q)) == 0);
    end
end

// It is not for lack of traffic that these hold.
always @(*) begin
    c_all: cover (f_passed == 16'b1101 && f_decides && lowest == 16'b0010);
    c_stream: cover (state$q == State$Stream && left$q == 0 && f_busy);
end
`endif
