//! Pages that the TLB forgets, and what lies at the end of a page.

use super::{go_on_at, image, same, Mode, AFTER_FAULT, COUNT, OTHER_PAGE, PAIR, PART, RESULT, ROUNDS, SCRATCH, SUM};
use testbed_definitions::{csr, map, page};
use testbed_sim::engine::Image;
use testbed_sim::lockstep::encode::*;
use testbed_sim::lockstep::program;

/// A loop in a page that the TLB forgets in each round, as a load needs its place, and perhaps learns of
/// again by another one; with a jump behind that, or not before the loop's own.
fn forgets_its_page(learns: bool, jumps: bool) -> Image {
    let base = Mode::User.code();
    let mut code = Assembly::new(base);
    let (again, on) = (code.label(), code.label());
    code.li(OTHER_PAGE, base + 8 * page::PAGE_BYTES).li(T0, base).li(COUNT, ROUNDS).li(RESULT, Mode::User.data());
    code.push(addi(SUM, ZERO, 0)).place(again).push(addi(SUM, SUM, 1)).push(lw(SCRATCH, OTHER_PAGE, 0)).push(NOP);
    if learns {
        code.push(lw(SCRATCH, T0, 0)).push(NOP);
    }
    if jumps {
        code.jal(ZERO, on).push(NOP);
    }
    code.place(on).push(addi(PART, PART, 1)).push(sw(PART, RESULT, 8)).push(addi(COUNT, COUNT, -1));
    code.branch(1, COUNT, ZERO, again).push(sw(SUM, RESULT, 0)).push(ECALL);
    image(Mode::User, base, None, (base, code))
}

#[test]
fn a_page_that_the_tlb_forgets_is_looked_up_again_where_a_fetch_begins_anew() {
    for (learns, jumps) in [(false, false), (false, true), (true, false), (true, true)] {
        same(&format!("learns: {learns}, jumps: {jumps}"), &forgets_its_page(learns, jumps), ROUNDS);
    }
}

/// What there is behind the last word of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Behind {
    Known,
    /// The TLB has had to forget the page itself, which goes on all the same.
    KnownBehindForgotten,
    /// A page that the TLB has had to forget.
    Forgotten,
    Unmapped,
    /// In machine mode: the end of RAM.
    Nothing,
}

/// An instruction at the last word of a page: whether the next word is read ahead decides how long it
/// takes, on the first core if it is a load or store.
fn at_the_end(instruction: u32, behind: Behind) -> Image {
    let mode = if behind == Behind::Nothing { Mode::Machine } else { Mode::User };
    let base = match mode {
        Mode::Machine => map::RAM_BASE + program::RAM_BYTES - page::PAGE_BYTES,
        Mode::User => mode.code(),
    };
    let mut code = Assembly::new(base);
    let (again, begin) = (code.label(), code.label());
    code.jal(ZERO, begin);
    let tail = code.here();
    code.push(addi(COUNT, COUNT, -1)).branch(1, COUNT, ZERO, again).push(sw(SUM, RESULT, 0)).push(ECALL);
    code.place(begin).li(COUNT, ROUNDS).li(RESULT, mode.data()).li(AFTER_FAULT, tail).push(addi(SUM, ZERO, 0));
    // Of the eight pages of code that the TLB tells apart by their lowest bits.
    let ahead = if behind == Behind::Forgotten { 9 } else { 8 };
    code.li(OTHER_PAGE, base + ahead * page::PAGE_BYTES);
    code.place(again).push(addi(SUM, SUM, 1));
    match behind {
        Behind::Forgotten => {
            code.push(lw(SCRATCH, OTHER_PAGE, 0));
            go_on_at(&mut code, base + page::PAGE_BYTES - 4);
        }
        Behind::KnownBehindForgotten => {
            go_on_at(&mut code, base + page::PAGE_BYTES - 16);
            code.push(lw(SCRATCH, OTHER_PAGE, 0)).push(addi(SCRATCH, SCRATCH, 1)).push(addi(SCRATCH, SCRATCH, 1));
        }
        _ => go_on_at(&mut code, base + page::PAGE_BYTES - 4),
    }
    code.push(instruction);
    if behind != Behind::Nothing {
        code.push(jump(ZERO, tail.wrapping_sub(code.here()) as i32));
    }
    let unmapped = (behind == Behind::Unmapped).then_some(base / page::PAGE_BYTES + 1);
    image(mode, base, unmapped, (base, code))
}

#[test]
fn what_lies_at_the_last_word_of_a_page_takes_as_long_as_the_next_page_says() {
    let instructions = [
        ("lw", lw(SCRATCH, RESULT, 16)),
        ("lb", immediate(OP_LOAD, 0, SCRATCH, RESULT, 17)),
        ("lhu", immediate(OP_LOAD, 5, SCRATCH, RESULT, 18)),
        ("ld", ld(PAIR, RESULT, 16)),
        ("sw", sw(SUM, RESULT, 20)),
        ("sb", store(0, RESULT, SUM, 21)),
        ("sh", store(1, RESULT, SUM, 22)),
        ("sd", sd(PAIR, RESULT, 24)),
        ("add", add(PART, PART, SUM)),
        ("mul", register(OP_REGISTER, 0, 1, PART, SUM, SUM)),
        ("div", register(OP_REGISTER, 4, 1, PART, SUM, SUM)),
        ("bne", branch(1, ZERO, ZERO, 8)),
        ("csrr", csrr(PART, csr::TIME)),
        ("fence.i", FENCE_I),
    ];
    for (name, instruction) in instructions {
        let known = [Behind::Known, Behind::KnownBehindForgotten];
        for behind in known.into_iter().chain([Behind::Forgotten, Behind::Unmapped, Behind::Nothing]) {
            same(&format!("{name}, {behind:?}"), &at_the_end(instruction, behind), ROUNDS);
        }
    }
}
