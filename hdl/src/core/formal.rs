//! Proofs of instructions, of translation and of counters, for every input and any length of time
//! (`hdl/formal/{instruction,core,registers,tlb,mmu,counter}.sv`).

use super::{Core, Counter, Mmu, RegisterFile, Tlb};
use crate::support::formal::{Input, Subject};
use crate::support::verilog::connected_verilog;

fn tlb() -> Subject {
    let mut subject = Subject::new(connected_verilog(Tlb::default()).expect("it is sound"));
    subject.lead_out(
        "entries",
        "{copy_2[f_index], copy_1[f_index]}",
        42,
        "f_copies",
        Some(Input { name: "f_index", bits: 4, register: false }),
    );
    subject.with(&["tlb.sv"])
}

fn mmu() -> Subject {
    Subject::new(connected_verilog(Mmu::default()).expect("it is sound")).with(&["mmu.sv"])
}

fn registers() -> Subject {
    Subject::new(connected_verilog(RegisterFile::default()).expect("it is sound")).with(&["registers.sv"])
}

fn counter() -> Subject {
    Subject::new(connected_verilog(Counter::default()).expect("it is sound")).with(&["counter.sv"])
}

fn core() -> Subject {
    Subject::new(connected_verilog(Core::default()).expect("it is sound")).with_all(&[
        "view_core.sv",
        "instruction.sv",
        "core.sv",
    ])
}

#[test]
fn registers_give_what_was_forwarded_or_written() {
    registers().assert_proven(5);
}

#[test]
fn instructions_do_what_the_architecture_says() {
    core().assert_proven(14);
}

#[test]
fn the_tlb_says_what_was_put_in() {
    tlb().assert_proven(12);
}

#[test]
fn the_page_walker_never_grants_what_the_map_denies() {
    mmu().assert_proven(12);
}

#[test]
fn a_counter_is_a_number_of_64_bits() {
    counter().assert_proven(12);
}

#[test]
fn seeded_bugs_of_a_counter_are_seen() {
    counter().assert_sees(&[
        // A count or a carry that a write is to suppress; what was kept of the half that is written.
        ("added_low$d = value;\n            added_high$d = 32'h0;", "added_low$d = value;"),
        ("added_high$d = value;\n            added_low$d = 32'h0;", "added_high$d = value;"),
        ("kept_low$d = 32'h0;", "kept_low$d = kept_low$q;"),
        ("kept_high$d = 32'h0;", "kept_high$d = kept_high$q;"),
        // A carry where nothing is counted, or a cycle late.
        ("count & &now_low", "&now_low"),
        ("count & &now_low", "count & &kept_low$q"),
    ]);
}

#[test]
fn seeded_bugs_of_the_tlb_are_seen() {
    tlb().assert_sees(&[
        ("tag = virtual_page[(32'h3)+:(6)];", "tag = virtual_page[(32'h3)+:(5)];"),
        ("valid$d = 32'h0;", "valid$d = valid$q;"),
        ("entries$write = fill;", "entries$write = 1'b1;"),
        ("copy_2[index] <= write_data;", "copy_2[after_index] <= write_data;"),
        ("valid$d = valid$q | (one << index);", "valid$d = valid$q | one;"),
        ("after_hit = valid$q[after_index]", "after_hit = valid$q[index]"),
        ("after_execute = entries$after_data[32'h8];", "after_execute = entries$after_data[32'h7];"),
    ]);
}

#[test]
fn seeded_bugs_of_translation_are_seen() {
    mmu().assert_sees(&[
        // Another right than the access's, or none, or an entry that is not valid.
        ("right = 32'h1;", "right = 32'h0;"),
        ("right = 32'h2;", "right = 32'h1;"),
        ("walk_good = entry[32'h0] & granted;", "walk_good = granted;"),
        ("walk_good = entry[32'h0] & granted;", "walk_good = entry[32'h0];"),
        ("tlb$hit & ~allowed", "tlb$hit & allowed"),
        ("tlb$after_hit & ~tlb$after_execute", "~tlb$after_hit & ~tlb$after_execute"),
        // Another page, or the page of another.
        ("outside = |va[(32'h14)+:(12)];", "outside = |va[(32'h15)+:(11)];"),
        ("after_outside = |after[(32'h14)+:(12)];", "after_outside = 1'b0;"),
        ("tlb$new_page = entry[(32'ha)+:(12)];", "tlb$new_page = entry[(32'ha)+:(11)];"),
        ("wanted = user_fetch & page_map[32'h0];\n        end", "wanted = user_data & page_map[32'h0];\n        end"),
        // Outside RAM, or a device that is not there.
        ("chosen = (page_address & ram_mask) | ram_base;", "chosen = page_address | ram_base;"),
        ("((top == smi) & has_smi)", "(top == smi)"),
        ("(fetch | pair | ~(in_device | opened))", "(fetch | ~(in_device | opened))"),
        // The page of events is open to loads, to everybody, or with its neighbours; or it is translated.
        ("page_map[32'h1] & store & ~fetch)", "page_map[32'h1] & ~fetch)"),
        ("(wanted & page_map[32'h1] & store", "(wanted & store"),
        ("store & ~fetch) & on_event_page;", "store & ~fetch);"),
        ("mapped = wanted & ~opened", "mapped = wanted"),
    ]);
}

#[test]
fn seeded_bugs_of_the_registers_are_seen() {
    registers().assert_sees(&[
        ("wire writes = write & (write_address != 0);", "wire writes = write;"),
        ("wire forwards = forward & (forward_address != 0);", "wire forwards = forward;"),
        (
            "data_2 <= (forwards & (forward_address == address_2)) ? forward_data",
            "data_2 <= (forwards & (forward_address == address_1)) ? forward_data",
        ),
        (": (writes & (write_address == address_2)) ? write_data : copy_2[address_2];", ": copy_2[address_2];"),
        ("copy_1[write_address] <= write_data;", "copy_1[write_address] <= data_1;"),
    ]);
}

#[test]
fn seeded_bugs_of_the_core_are_seen() {
    core().assert_sees(&[
        // A trap while a load is completed; accesses that translation did not pass; a store that
        // goes on although it stalls.
        (
            "at_arrival = arrive & ~last_load & (interrupt | fetch_fault);",
            "at_arrival = arrive & (interrupt | fetch_fault);",
        ),
        ("loading = access & load & ~miss & ~fault;", "loading = access & load & ~miss;"),
        ("stored = access & store & ~miss & ~fault;", "stored = access & store & ~fault;"),
        ("passed = (stored & ~pair & ~stall) | (second & store);", "passed = (stored & ~pair) | (second & store);"),
        // The word that was read ahead is lost, or one that must not be executed is kept.
        ("next_held = (leaves & ahead) | late;", "next_held = late;"),
        ("next_ahead = ~miss & ~fault;", "next_ahead = ~miss;"),
        // Pairs: a half is not written, or not the register after it stored; the other source is lost in a walk.
        ("write_rd = (retiring | second) & writes_rd;", "write_rd = retiring & writes_rd;"),
        ("source = latched[(32'h14)+:(5)] | 32'h1;", "source = latched[(32'h14)+:(5)];"),
        (
            "registers$read_2 = state$q[32'h1] | (decoder$pair & (state$q[32'h2] | state$q[32'h7]));",
            "registers$read_2 = state$q[32'h1] | (decoder$pair & state$q[32'h2]);",
        ),
        // A carry leads away from the page of events, or is taken for a bit of the sum.
        ("there = high == below;", "there = 1'b0;"),
        ("carries = low[32'hc] ^ base[32'hc];", "carries = low[32'hc];"),
        // Decoding, comparison, causes.
        ("format_b = (((instruction[(32'h8)+:(4)])", "format_b = (((instruction[(32'h9)+:(4)])"),
        (
            "is_store = (opcode == 32'h23) & ((minor < 32'h3) | ((minor == 32'h3) & ~instruction[32'h14]));",
            "is_store = (opcode == 32'h23) & (minor < 32'h4);",
        ),
        ("holds = less ^ condition[32'h0];", "holds = less_unsigned ^ condition[32'h0];"),
        ("cause = cause | 32'h2;", "cause = cause;"),
        // Entries that are not good go into the TLB; a walk forgets what it is for.
        ("fill = walked;", "fill = receive;"),
        ("next_walk_fetch = asks | (walk_fetch & state[32'h6]);", "next_walk_fetch = asks;"),
    ]);
}
