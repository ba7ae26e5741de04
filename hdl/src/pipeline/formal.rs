//! Proofs of the pipelined core's instructions, for every input and any length of time
//! (`hdl/formal/{instruction,pipeline}.sv`). Its register file, TLB and translation are those of the first core.

use super::Pipeline;
use crate::support::formal::Subject;
use crate::support::verilog::connected_verilog;

fn pipeline() -> Subject {
    Subject::new(connected_verilog(Pipeline::default()).expect("it is sound"))
        .with_all(&["instruction.sv", "pipeline.sv"])
}

#[test]
fn instructions_do_what_the_architecture_says() {
    pipeline().assert_proven(14);
}

#[test]
fn seeded_bugs_of_the_pipeline_are_seen() {
    pipeline().assert_sees(&[
        // The next instruction goes on behind a jump, or with a word that must not be executed.
        ("ends = (goes_on & ~leaps) | last_load | last_step;", "ends = goes_on | last_load | last_step;"),
        ("next_ahead = ~miss & ~fault;", "next_ahead = ~miss;"),
        ("leaps = decoder$link | (decoder$branch & ~flow$falls)", "leaps = decoder$link"),
        // The word that was read ahead is lost, or another is taken for it.
        ("next_held = passed & ahead;", "next_held = passed & ~ahead;"),
        ("if (held$q | state$q[32'h3] | state$q[32'h4])", "if (held$q | state$q[32'h4])"),
        ("next_fetch$d = unread + 32'h4;", "next_fetch$d = unread;"),
        // An interrupt breaks into a store that stalls, or is passed by; the fault of a fetch is lost
        // in D.
        ("interrupted = interrupt & ~again;", "interrupted = interrupt;"),
        ("passed_over = interrupted | fetch_fault;", "passed_over = fetch_fault;"),
        ("refused | (arrive & fetch_fault);", "refused;"),
        // A store is made in spite of a fault, or although it stalls.
        ("stored = access & store & ~miss & ~fault;", "stored = access & store & ~fault;"),
        ("passed = (stored & ~pair & ~stall) | (second & store);", "passed = (stored & ~pair) | (second & store);"),
        // A device is told of what translation sends to RAM, or refuses; or of less than there is.
        ("plain = access & ~pair & ~translated;", "plain = access & ~pair;"),
        ("device_write = plain & store;", "device_write = plain & store & ~again;"),
        // A word is decoded, or its registers are read, while those of the instruction are needed.
        ("(state$q[32'h2] & ~memory & ~decoder$muldiv)", "(state$q[32'h2] & ~memory)"),
        ("reads = takes_word | (state$q[32'h2] & ~memory)", "reads = takes_word | state$q[32'h2]"),
        // Pairs: the first source is not read anew after a walk, the first half is not written.
        ("(state$q[32'h2] | state$q[32'h7]);", "state$q[32'h2];"),
        ("write_rd = (ended | second) & writes_rd;", "write_rd = ended & writes_rd;"),
    ]);
}
