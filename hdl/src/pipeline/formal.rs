//! Proofs of the pipelined core's instructions and of its words ahead, for every input and any length
//! of time (`hdl/formal/{instruction,pipeline,ahead}.sv`). Its registers, TLB and translation are those of
//! the first core.

use super::{Ahead, Pipeline};
use crate::support::formal::Subject;
use crate::support::verilog::connected_verilog;

fn pipeline() -> Subject {
    Subject::new(connected_verilog(Pipeline::default()).expect("it is sound")).with_all(&[
        "view_pipeline.sv",
        "instruction.sv",
        "pipeline.sv",
    ])
}

fn ahead() -> Subject {
    let mut subject = Subject::new(connected_verilog(Ahead::default()).expect("it is sound"));
    let kept = "{next$q, came$q, has_one$q, has_two$q, turn$q ? place_1$q : place_0$q, turn$q ? place_0$q : place_1$q}";
    subject.lead_out("bank_0", kept, 74, "f_bank_0", None);
    subject.lead_out("bank_1", kept, 74, "f_bank_1", None);
    // What DMA may take is told of six cycles.
    subject.with(&["ahead.sv"]).from_depth(8)
}

#[test]
fn instructions_do_what_the_architecture_says() {
    pipeline().assert_proven(16);
}

#[test]
fn there_is_always_a_word_ahead_and_it_is_the_next_one() {
    ahead().assert_proven(16);
}

#[test]
fn seeded_bugs_of_the_pipeline_are_seen() {
    pipeline().assert_sees(&[
        // The next instruction goes on behind a jump, or behind the end of a page.
        ("sequel = ended & ~jumps & ~mret & ~wfi;", "sequel = ended & ~mret & ~wfi;"),
        (
            "jumps = state$q[32'h2] & (decoder$link | (decoder$branch & ~flow$falls))",
            "jumps = state$q[32'h2] & decoder$link",
        ),
        ("breaks = (pc$q[(32'h2)+:(8)] == 32'hff) |", "breaks = (pc$q[(32'h2)+:(8)] == 32'hfe) |"),
        // A result is not waited for, or another's; it is forwarded to another, or not written.
        (
            "waits = is_late & decoder$writes_rd & ahead$names;",
            "waits = is_late & decoder$writes_rd & ahead$names & state$q[32'h2];",
        ),
        ("is_late = decoder$load | multiplies;", "is_late = decoder$load;"),
        (
            "registers$forward_address = instruction$q[(32'h7)+:(5)];",
            "registers$forward_address = instruction$q[(32'hf)+:(5)];",
        ),
        ("wrote$d = commits & writes_rd;", "wrote$d = retire & writes_rd;"),
        // A word is decoded, or its registers are read, while those of the instruction are needed; or
        // it is not.
        ("(memory & (pair | miss)) | (store & stall) | divide;", "(memory & (pair | miss)) | divide;"),
        ("(memory & (pair | miss)) | (store & stall) | divide;", "(memory & (pair | miss | stall)) | divide;"),
        ("(memory & (pair | miss)) | (store & stall) | divide;", "(memory & miss) | (store & stall) | divide;"),
        // The word that is taken is that of another half.
        ("ahead$odd = pc$q[32'h2] ^ ~state$q[32'h1];", "ahead$odd = pc$q[32'h2];"),
        // An interrupt breaks into a store that stalls, or is passed by; the fault of a fetch is lost
        // in D.
        ("interrupted = interrupt & ~again;", "interrupted = interrupt;"),
        ("passed_over = interrupted | fetch_fault;", "passed_over = fetch_fault;"),
        ("refused | (arrive & fetch_fault);", "refused;"),
        // A word whose fetch was refused is looked at, so the trap tells its address and not the pc.
        (
            "looked_at = (state$q & ~(1 << (32'h2)) | ((state$q[32'h2] & ~fetch_fault$q) << (32'h2)));",
            "looked_at = state$q;",
        ),
        // A carry leads away from the page of events, or is taken for a bit of the sum.
        ("there = high == below;", "there = 1'b0;"),
        ("carries = low[32'hc] ^ base[32'hc];", "carries = low[32'hc];"),
        // A store is made in spite of a fault, or goes on although it stalls.
        ("stored = access & store & ~miss & ~fault;", "stored = access & store & ~fault;"),
        ("passed = (stored & ~pair & ~stall) |", "passed = (stored & ~pair) |"),
        // A device is told of what translation sends to RAM, or refuses; of less than there is; or twice in a
        // row.
        ("plain = access & ~pair & ~translated;", "plain = access & ~pair;"),
        ("device_write = plain & store;", "device_write = plain & store & ~again;"),
        ("late = waits | (plain & device);", "late = waits;"),
        // Pairs: the first source is not read anew after a walk; the second half is no other register's.
        (
            "again_pair = decoder$pair & (state$q[32'h2] | state$q[32'h7]);",
            "again_pair = decoder$pair & state$q[32'h2];",
        ),
        ("destination = instruction$q[(32'h7)+:(5)] | 32'h1;", "destination = instruction$q[(32'h7)+:(5)];"),
    ]);
}

#[test]
fn seeded_bugs_of_the_words_ahead_are_seen() {
    ahead().assert_sees(&[
        // The first words are not the target's, or those after it.
        ("row_0 = row + ((from$q[(32'h2)+:(1)]) & 7'h7f);", "row_0 = row;"),
        ("second_row = row + 32'h1;", "second_row = row;"),
        ("bank_1$take = take & odd;", "bank_1$take = take;"),
        ("stale = overwritten;", "stale = is_stale$q;"),
        // What a word names that comes in this cycle is not told, or told of another one.
        ("(bank_0$arrives & coming_0$yes)", "(bank_1$arrives & coming_0$yes)"),
        ("coming_1$word = fetched_1;", "coming_1$word = code_1;"),
        ("names = staying$yes |", "names ="),
    ]);
    ahead().assert_sees_in_each(
        3,
        &[
            ("(word[(32'h2)+:(3)] != 32'h3)", "(word[(32'h2)+:(3)] != 32'h1)"),
            ("has_second = word[32'h5] & ~word[32'h2]", "has_second = word[32'h5]"),
            ("& ~(word[32'h6] & word[32'h4])", "& ~word[32'h6]"),
            ("word[(32'h14)+:(5)] == register", "word[(32'h15)+:(4)] == register"),
        ],
    );
    ahead().assert_sees_in_each(
        2,
        &[
            ("rows = 32'h2;", "rows = 32'h1;"),
            ("rows = ((asks) & 7'h7f);", "rows = 32'h1;"),
            ("came$d = asks & ~start;", "came$d = asks;"),
            (
                "asks = free & ~fresh & ~has_two$q & ~(has_one$q & comes);",
                "asks = ~fresh & ~has_two$q & ~(has_one$q & comes);",
            ),
            (
                "asks = free & ~fresh & ~has_two$q & ~(has_one$q & comes);",
                "asks = free & ~fresh & ~has_two$q & ~has_one$q;",
            ),
            ("asks = free & ~fresh & ~has_two$q & ~(has_one$q & comes);", "asks = free & ~fresh & ~has_two$q;"),
            ("if (wanted & has_one$q) begin", "if (has_one$q) begin"),
            ("arrives = wanted & ~has_one$q;", "arrives = wanted;"),
            ("arrives = wanted & ~has_one$q;", "arrives = ~has_one$q;"),
            ("into = turn$q ^ has_one$q;", "into = turn$q;"),
            ("turn$d = turn$q ^ take;", "turn$d = turn$q;"),
            ("has_one$d = comes & ~take;", "has_one$d = comes;"),
        ],
    );
}
