//! Constrained-random programs for one core: all of RV32IM, CSRs, traps, both modes, page maps, interrupts.
//!
//! A program is a handful of random *episodes*. Each has a record that says where it starts, in
//! which mode, with which page map and interrupts. Whatever traps enters one handler, which repairs
//! what it can (skips the instruction, clears or re-arms the interrupt) and otherwise goes to the
//! next episode; so a program runs for as long as one likes, and never the same twice, since
//! registers and memory stay as they are.
//!
//! ```text
//! +0x0000  start-up            +0x1000  page map A       +0x3000  episodes' code (pages 12 to 19)
//! +0x0200  trap handler        +0x2000  page map B       +0x5000  data (pages 20 to 63)
//! +0x0800  handler's state, then the episodes' records
//! ```

use testbed_definitions::{csr, map, page};

use super::block::BlockGenerator;
use super::encode::*;
pub use super::layout::RAM_BYTES;
use super::layout::{set_timer, Mode, CODE, CODE_BYTES, DATA, EPISODES, PAGE_MAPS};
use super::random::Random;
use crate::engine::Image;

const HANDLER: u32 = map::RAM_BASE + 0x200;
const STATE: u32 = map::RAM_BASE + 0x800;

/// Offsets in the handler's state.
const COUNT: i32 = 0;
const SEED: i32 = 4;
const EPISODE: i32 = 8;
const RECORDS: i32 = 32;

const RECORD_BYTES: u32 = 32;

struct Episode {
    pc: u32,
    mstatus: u32,
    pmbase: u32,
    mie: u32,
    mcounteren: u32,
    timer: u32,
    msip: u32,
}

/// The program of `seed`.
pub fn generate(seed: u64) -> Image {
    let mut random = Random::new(seed);
    let maps = [page_map(&mut random), page_map(&mut random)];
    let mut code = Assembly::new(map::RAM_BASE + CODE);
    let episodes: Vec<Episode> = (0..EPISODES).map(|_| episode(&mut random, &maps, &mut code)).collect();
    let data: Vec<u8> = (0..(RAM_BYTES - DATA) / 4).flat_map(|_| random.value().to_le_bytes()).collect();

    let mut state = vec![0, random.next_u32(), 0];
    state.resize(RECORDS as usize / 4, 0);
    for e in &episodes {
        state.extend([e.pc, e.mstatus, e.pmbase, e.mie, e.mcounteren, e.timer, e.msip, 0]);
    }
    let segments = vec![
        (map::RAM_BASE, start_up(&mut random)),
        (HANDLER, handler(&mut random)),
        (STATE, to_bytes(&state)),
        (map::RAM_BASE + PAGE_MAPS[0], to_bytes(&maps[0])),
        (map::RAM_BASE + PAGE_MAPS[1], to_bytes(&maps[1])),
        (map::RAM_BASE + CODE, code.finish_bytes()),
        (map::RAM_BASE + DATA, data),
    ];
    Image { segments, entry: map::RAM_BASE }
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Half code, half data. Code pages that differ in bits above 2 show the same physical page, so that they fight for a
/// place in the TLB and code runs on from one page to the next.
fn page_map(random: &mut Random) -> Vec<u32> {
    (0..page::VIRTUAL_PAGES)
        .map(|virtual_page| {
            let code = virtual_page < page::VIRTUAL_PAGES / 2;
            let physical = match random.percent(80) {
                true if code => (CODE >> page::PAGE_SHIFT) + virtual_page % 8,
                _ => random.range(CODE >> page::PAGE_SHIFT, RAM_BYTES >> page::PAGE_SHIFT),
            };
            let mut entry = physical << page::PTE_PAGE_SHIFT | random.below(64) << page::PTE_SOFTWARE_SHIFT;
            let likely = |yes: bool| if yes { 90 } else { 40 };
            for (bit, percent) in [
                (page::PTE_VALID, 85),
                (page::PTE_READ, 75),
                (page::PTE_WRITE, likely(!code)),
                (page::PTE_EXECUTE, likely(code)),
            ] {
                entry |= if random.percent(percent) { bit } else { 0 };
            }
            // Bits above the physical page are ignored.
            entry | random.below(1024) << 22
        })
        .collect()
}

fn episode(random: &mut Random, maps: &[Vec<u32>; 2], code: &mut Assembly) -> Episode {
    let mode = match random.below(10) {
        0..=2 => Mode::Machine,
        3 => Mode::MachineTranslatedData,
        4..=5 => Mode::User,
        _ => Mode::UserTranslated,
    };
    let which = random.below(2) as usize;
    let physical = code.here() - map::RAM_BASE;
    // Virtual addresses of code are its offset plus a multiple of the eight pages that repeat.
    let first_page = (physical - CODE) >> page::PAGE_SHIFT;
    let mut alias = random.below(64);
    for _ in 0..8 {
        let entry = maps[which][(alias * 8 + first_page) as usize];
        let good = entry & page::PTE_VALID != 0 && entry & page::PTE_EXECUTE != 0;
        if good && entry >> page::PTE_PAGE_SHIFT & 0x3f == physical >> page::PAGE_SHIFT {
            break;
        }
        alias = random.below(64);
    }
    let offset = if mode == Mode::UserTranslated { (alias * CODE_BYTES).wrapping_sub(map::RAM_BASE + CODE) } else { 0 };
    let pc = code.here().wrapping_add(offset);
    BlockGenerator { random, code, mode, offset, maps }.emit();

    let machine = if mode.is_user() { 0 } else { csr::MSTATUS_MPP };
    let mprv = if mode == Mode::MachineTranslatedData { csr::MSTATUS_MPRV } else { 0 };
    let mpie = if random.percent(50) { csr::MSTATUS_MPIE } else { 0 };
    let paged = mode.data_translated() || (mode == Mode::Machine && random.percent(50));
    let software = if random.percent(70) { csr::INTERRUPT_SOFTWARE } else { 0 };
    let external = if random.percent(30) { csr::INTERRUPT_EXTERNAL } else { 0 };
    let opens = if random.percent(50) { csr::PMBASE_EVENT } else { 0 };
    Episode {
        pc,
        mstatus: machine | mprv | mpie,
        pmbase: PAGE_MAPS[which] | u32::from(paged) | opens | (random.next_u32() & !csr::PMBASE_MASK),
        mie: csr::INTERRUPT_TIMER | software | external,
        mcounteren: random.below(8),
        timer: 20 + random.below(600),
        msip: u32::from(random.percent(15)),
    }
}

/// Sets the trap vector, fills the registers, and traps to enter the first episode.
fn start_up(random: &mut Random) -> Vec<u8> {
    let mut code = Assembly::new(map::RAM_BASE);
    code.li(T0, HANDLER).push(csrw(csr::MTVEC, T0));
    for register in 1..32 {
        code.li(register, random.value());
    }
    code.push(ECALL);
    code.finish_bytes()
}

/// Exceptions after which the next instruction can run.
const SKIPPED: u32 = 1 << csr::cause::ILLEGAL
    | 1 << csr::cause::BREAKPOINT
    | 1 << csr::cause::LOAD_MISALIGNED
    | 1 << csr::cause::LOAD_ACCESS
    | 1 << csr::cause::STORE_MISALIGNED
    | 1 << csr::cause::STORE_ACCESS
    | 1 << csr::cause::LOAD_PAGE
    | 1 << csr::cause::STORE_PAGE;

/// The trap handler. It uses four registers (chosen at random) and does not preserve them: episodes
/// have to live with that.
fn handler(random: &mut Random) -> Vec<u8> {
    let mut free: Vec<u8> = (1..32).collect();
    let mut take = || free.remove(random.below(free.len() as u32) as usize);
    let (s, a, b, c) = (take(), take(), take(), take());
    let mut code = Assembly::new(HANDLER);
    let (exception, software, count, next) = (code.label(), code.label(), code.label(), code.label());
    code.li(s, STATE).push(csrr(a, csr::MCAUSE)).branch(5, a, ZERO, exception);
    // An interrupt: silence it, count it, go on.
    code.push(immediate(OP_IMMEDIATE, 1, a, a, 1));
    code.push(addi(b, ZERO, 2 * csr::cause::SOFTWARE as i32)).branch(0, a, b, software);
    code.push(lw(b, s, SEED)).li(c, 1_664_525).push(register(OP_REGISTER, 0, 1, b, b, c));
    code.push(addi(b, b, 1013)).push(sw(b, s, SEED));
    code.push(immediate(OP_IMMEDIATE, 5, b, b, 23)).push(addi(b, b, 40));
    set_timer(&mut code, a, b, c);
    code.jal(ZERO, count);
    code.place(software).li(c, map::CLINT_BASE + map::clint::MSIP).push(sw(ZERO, c, 0));
    code.place(count).push(lw(b, s, COUNT)).push(addi(b, b, 1)).push(sw(b, s, COUNT));
    code.push(immediate(OP_IMMEDIATE, 7, b, b, 15)).branch(0, b, ZERO, next).push(MRET);
    // An exception: skip the instruction if that can help, every sixteenth time go on with the next episode.
    code.place(exception).li(b, SKIPPED).push(register(OP_REGISTER, 5, 0, b, b, a));
    code.push(immediate(OP_IMMEDIATE, 7, b, b, 1)).branch(0, b, ZERO, next);
    code.push(csrr(a, csr::MEPC)).push(addi(a, a, 4)).push(csrw(csr::MEPC, a)).jal(ZERO, count);
    // The next episode. mstatus comes last: MPRV would translate the loads from the record.
    code.place(next).push(lw(a, s, EPISODE)).push(addi(a, a, RECORD_BYTES as i32));
    code.push(immediate(OP_IMMEDIATE, 7, a, a, (RECORD_BYTES * EPISODES - 1) as i32)).push(sw(a, s, EPISODE));
    code.push(add(s, s, a));
    let fields = [(csr::MEPC, 0), (csr::PMBASE, 8), (csr::MIE, 12), (csr::MCOUNTEREN, 16)];
    for (number, offset) in fields {
        code.push(lw(a, s, RECORDS + offset)).push(csrw(number, a));
    }
    code.push(lw(b, s, RECORDS + 20));
    set_timer(&mut code, a, b, c);
    code.push(lw(a, s, RECORDS + 24)).li(c, map::CLINT_BASE + map::clint::MSIP).push(sw(a, c, 0));
    code.push(lw(a, s, RECORDS + 4)).push(csrw(csr::MSTATUS, a)).push(MRET);
    code.finish_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_program_and_its_parts_do_not_overlap() {
        for seed in 0..50 {
            let image = generate(seed);
            assert_eq!(image.segments, generate(seed).segments, "seed {seed}");
            for pair in image.segments.windows(2) {
                let end = pair[0].0 + pair[0].1.len() as u32;
                assert!(end <= pair[1].0, "seed {seed}: {end:#x} > {:#x}", pair[1].0);
            }
            let (start, bytes) = image.segments.last().expect("segments");
            assert_eq!(start + bytes.len() as u32, map::RAM_BASE + RAM_BYTES);
        }
        assert_ne!(generate(1).segments, generate(2).segments);
    }
}
