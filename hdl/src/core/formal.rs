//! Proofs of translation, for every input and any length of time (`hdl/formal/{tlb,mmu}.sv`).

use super::{Mmu, Tlb};
use crate::support::formal::{Input, Subject};
use crate::support::verilog::connected_verilog;

fn tlb() -> Subject {
    let mut subject = Subject::new(connected_verilog(Tlb::default()).expect("it is sound"));
    subject.lead_out(
        "entries",
        "entries[f_index]",
        21,
        "f_entry",
        Some(Input { name: "f_index", bits: 4, register: false }),
    );
    subject.with(&["tlb.sv"])
}

fn mmu() -> Subject {
    Subject::new(connected_verilog(Mmu::default()).expect("it is sound")).with(&["mmu.sv"])
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
fn seeded_bugs_of_the_tlb_are_seen() {
    tlb().assert_sees(&[
        ("tag = virtual_page[(32'h3)+:(6)];", "tag = virtual_page[(32'h3)+:(5)];"),
        ("valid$d = 32'h0;", "valid$d = valid$q;"),
        ("entries$write = fill;", "entries$write = 1'b1;"),
        ("valid$d = valid$q | (one << index);", "valid$d = valid$q | one;"),
        ("after_hit = valid$q[after_index]", "after_hit = valid$q[index]"),
        ("after_execute = entries$after_data[32'h14];", "after_execute = entries$after_data[32'h13];"),
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
        (
            "translated = user_fetch & page_map[32'h0];\n        end",
            "translated = user_data & page_map[32'h0];\n        end",
        ),
        // Outside RAM, or a device that is not there.
        ("chosen = (page_address & ram_mask) | ram_base;", "chosen = page_address | ram_base;"),
        ("((top == smi) & has_smi)", "(top == smi)"),
        ("(fetch | pair | ~in_device)", "(fetch | ~in_device)"),
    ]);
}
