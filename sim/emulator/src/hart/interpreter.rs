//! The interpreter, the fast loop: instructions that touch nothing but registers, RAM, and CSRs that
//! only hold something or tell the time.

use super::alu::{extract, operate, taken};
use super::decode::{decode, Decoded, Op};
use super::memory::{forget, Memory, CODE_SHIFT};
use super::state::Hart;
use super::times::{Times, PAGE_WORDS};
use super::tlb::{READ, WRITE};
use super::translator::installed::CYCLES_LEAST;
use crate::model::centrenet::Hazards;
use std::cell::Cell;
use testbed_definitions::map::RAM_BASE;

/// How the loop runs: by itself,
const PLAIN: u8 = 0;
/// noting what stores overwrite ([`Memory::noting`]),
const AHEAD: u8 = 1;
/// or with DMA near; or both.
const NEAR: u8 = 2;

impl Hart {
    /// Executes instructions that arrive before cycle `limit`, up to the first that needs
    /// [`Hart::step`] or is translated: it leaves the stretch, is not decoded, misses the TLB, traps, reaches a
    /// device or a CSR, or is a load or store at the stretch's end.
    ///
    /// The caller knows that no interrupt is taken before `limit`, and what DMA may touch until
    /// then: that is left to the step as well.
    pub(in crate::hart) fn interpret(&mut self, limit: u64, hazards: Option<&Hazards>) {
        match self.times.overlaps {
            false => self.interpret_on::<false>(limit, hazards),
            true => self.interpret_on::<true>(limit, hazards),
        }
    }

    fn interpret_on<const OVERLAPS: bool>(&mut self, limit: u64, hazards: Option<&Hazards>) {
        match hazards {
            Some(hazards) if self.memory.noting => self.interpret_in::<OVERLAPS, { AHEAD | NEAR }>(limit, hazards),
            Some(hazards) => self.interpret_in::<OVERLAPS, NEAR>(limit, hazards),
            None if self.memory.noting => self.interpret_in::<OVERLAPS, AHEAD>(limit, &Hazards::default()),
            None => self.interpret_in::<OVERLAPS, PLAIN>(limit, &Hazards::default()),
        }
    }

    #[inline(never)]
    fn interpret_in<const OVERLAPS: bool, const MODE: u8>(&mut self, limit: u64, hazards: &Hazards) {
        let times = const { Times::that(OVERLAPS) };
        let Hart { registers, memory, tlb, stretch, mode, installations, csrs, clint, .. } = self;
        let mode = *mode;
        let Memory { words, decoded, has_code, translated, stale, overwritten, .. } = memory;
        let words = &mut words[..];
        let (decoded, has_code) = (&decoded[..], &has_code[..]);
        let code = &decoded[stretch.first as usize..stretch.end() as usize];
        let base = stretch.base;
        let mut at = self.pc.wrapping_sub(base) / 4;
        let mut arrival = self.arrival;
        let mut complete = self.complete;
        // Arrival of the instruction executed last.
        let mut latest = 0;
        let mut executed = 0u64;
        let is_near = |word: u32| hazards.contains(4 * word);
        let comes = |word: u32| hazards.receive.contains(&(4 * word));

        while arrival < limit {
            let Some(instruction) = code.get(at as usize) else { break };
            // The word after an instruction may be read ahead, or say how long that takes.
            if MODE & NEAR != 0 && (comes(stretch.first + at) || comes(stretch.first + at + 1)) {
                break;
            }
            let mut instruction = instruction.get();
            if instruction.op == Op::Enter {
                // Translated code goes on here, unless it has just not, or that does not pay.
                if MODE & NEAR == 0 && executed > 0 && arrival + CYCLES_LEAST <= limit {
                    break;
                }
                instruction = installations.under(instruction.imm);
            }
            let Decoded { op, rd, rs1, rs2, imm } = instruction;
            let (here, begun) = (at, arrival);
            macro_rules! reg {
                ($number:expr) => {
                    registers[$number as usize]
                };
            }
            macro_rules! alu {
                ($op:expr, $b:expr, $cycles:expr) => {{
                    reg!(rd) = operate($op, reg!(rs1), $b);
                    at = at.wrapping_add(1);
                    arrival += $cycles;
                }};
            }
            // For who asks between instructions; the pipelined core shows most a cycle after X.
            macro_rules! completes {
                ($cycles:expr, $first:expr) => {
                    complete = if OVERLAPS { begun + $cycles + 2 } else { arrival + $first };
                };
            }
            // What is added if the next instruction waits for this one, as the decoded form says.
            macro_rules! late {
                ($waits:expr) => {
                    if OVERLAPS {
                        times.late * u64::from($waits)
                    } else {
                        0
                    }
                };
            }
            macro_rules! long {
                ($op:expr, $cycles:expr, $late:expr) => {{
                    alu!($op, reg!(rs2), $cycles + $late);
                    completes!($cycles, 0);
                }};
            }
            macro_rules! branch {
                ($op:expr) => {{
                    let (step, cycles) =
                        if taken($op, reg!(rs1), reg!(rs2)) { (imm, times.jump) } else { (1, times.alu) };
                    at = at.wrapping_add(step);
                    arrival += cycles;
                }};
            }
            macro_rules! address {
                ($right:expr, $aligned:expr) => {{
                    let address = reg!(rs1).wrapping_add(imm);
                    let offset = if mode.translating {
                        let Some(offset) = tlb.hit(address, $right) else { break };
                        offset
                    } else {
                        address.wrapping_sub(RAM_BASE)
                    };
                    if !offset.is_multiple_of($aligned + 1) {
                        break;
                    }
                    offset
                }};
            }
            // Whether the first core cannot read the next word ahead of a load or store: the exact step
            // knows what comes behind the stretch.
            macro_rules! ends {
                () => {
                    !OVERLAPS && at + 1 >= stretch.words
                };
            }
            // Whether a store of one word or two is to what was fetched before: on the first core the
            // next word, on the pipelined one any of this page.
            macro_rules! was_fetched {
                ($index:expr, $words:expr) => {{
                    let place = stretch.first + at;
                    match OVERLAPS {
                        true => ($index as u32 ^ place) < PAGE_WORDS,
                        false => ($index as u32 ^ (place + 1)) < $words,
                    }
                }};
            }
            macro_rules! load {
                ($op:expr, $aligned:expr) => {{
                    let offset = address!(READ, $aligned);
                    let Some(&word) = words.get((offset / 4) as usize) else { break };
                    if ends!() || MODE & NEAR != 0 && comes(offset / 4) {
                        break;
                    }
                    reg!(rd) = extract($op, word, offset);
                    arrival += times.load + late!(rs2);
                    at = at.wrapping_add(1);
                    completes!(times.load, 1);
                }};
            }
            macro_rules! store {
                ($aligned:expr, $lanes:expr) => {{
                    let offset = address!(WRITE, $aligned);
                    let index = (offset / 4) as usize;
                    let Some(word) = words.get_mut(index) else { break };
                    if ends!() || MODE & NEAR != 0 && is_near(index as u32) {
                        break;
                    }
                    if has_code.get(index >> CODE_SHIFT).is_some_and(Cell::get) {
                        if was_fetched!(index, 1) {
                            break;
                        }
                        forget(decoded, translated, stale, index);
                    }
                    if MODE & AHEAD != 0 {
                        overwritten.push((index as u32, *word));
                    }
                    let shift = 8 * (offset & 3);
                    *word = *word & !($lanes << shift) | (reg!(rs2) & $lanes) << shift;
                    at = at.wrapping_add(1);
                    arrival += times.store;
                }};
            }
            // What both instructions of a pair have to ask. A second half that would lie beyond the
            // window is left to the exact step.
            macro_rules! pair {
                ($right:expr) => {{
                    let offset = address!($right, 7);
                    let index = (offset / 4) as usize;
                    if index >= words.len() || ends!() || arrival + 1 >= limit {
                        break;
                    }
                    if MODE & NEAR != 0 && (is_near(index as u32) || is_near(index as u32 + 1)) {
                        break;
                    }
                    index
                }};
            }
            match op {
                Op::Lui => {
                    reg!(rd) = imm;
                    at = at.wrapping_add(1);
                    arrival += times.alu;
                }
                Op::Auipc => {
                    reg!(rd) = base.wrapping_add(at.wrapping_mul(4)).wrapping_add(imm);
                    at = at.wrapping_add(1);
                    arrival += times.alu;
                }
                Op::Jal => {
                    reg!(rd) = base.wrapping_add(at.wrapping_mul(4)).wrapping_add(4);
                    at = at.wrapping_add(imm);
                    arrival += times.jump;
                }
                Op::Jalr => {
                    let target = reg!(rs1).wrapping_add(imm) & !1;
                    if target & 2 != 0 {
                        break;
                    }
                    reg!(rd) = base.wrapping_add(at.wrapping_mul(4)).wrapping_add(4);
                    at = target.wrapping_sub(base) / 4;
                    arrival += times.jump;
                }
                Op::Beq => branch!(Op::Beq),
                Op::Bne => branch!(Op::Bne),
                Op::Blt => branch!(Op::Blt),
                Op::Bge => branch!(Op::Bge),
                Op::Bltu => branch!(Op::Bltu),
                Op::Bgeu => branch!(Op::Bgeu),
                Op::Lb => load!(Op::Lb, 0),
                Op::Lh => load!(Op::Lh, 1),
                Op::Lw => load!(Op::Lw, 3),
                Op::Lbu => load!(Op::Lbu, 0),
                Op::Lhu => load!(Op::Lhu, 1),
                Op::Sb => store!(0, 0xffu32),
                Op::Sh => store!(1, 0xffffu32),
                Op::Sw => store!(3, 0xffff_ffffu32),
                Op::Ld => {
                    let index = pair!(READ);
                    reg!(rd) = words[index];
                    reg!(rd | 1) = words[index + 1];
                    arrival += times.load_pair + late!(rs2);
                    at = at.wrapping_add(1);
                    completes!(times.load_pair, 1);
                }
                Op::Sd => {
                    let index = pair!(WRITE);
                    if has_code.get(index >> CODE_SHIFT).is_some_and(Cell::get) {
                        if was_fetched!(index, 2) {
                            break;
                        }
                        forget(decoded, translated, stale, index);
                        forget(decoded, translated, stale, index + 1);
                    }
                    if MODE & AHEAD != 0 {
                        overwritten.extend([(index as u32, words[index]), (index as u32 + 1, words[index + 1])]);
                    }
                    words[index] = reg!(rs2);
                    words[index + 1] = reg!(rs2 | 1);
                    at = at.wrapping_add(1);
                    arrival += times.store_pair;
                    if OVERLAPS {
                        completes!(times.store_pair, 0);
                    }
                }
                Op::Addi => alu!(Op::Addi, imm, times.alu),
                Op::Slti => alu!(Op::Slti, imm, times.alu),
                Op::Sltiu => alu!(Op::Sltiu, imm, times.alu),
                Op::Xori => alu!(Op::Xori, imm, times.alu),
                Op::Ori => alu!(Op::Ori, imm, times.alu),
                Op::Andi => alu!(Op::Andi, imm, times.alu),
                Op::Slli => alu!(Op::Slli, imm, times.alu),
                Op::Srli => alu!(Op::Srli, imm, times.alu),
                Op::Srai => alu!(Op::Srai, imm, times.alu),
                Op::Add => alu!(Op::Add, reg!(rs2), times.alu),
                Op::Sub => alu!(Op::Sub, reg!(rs2), times.alu),
                Op::Sll => alu!(Op::Sll, reg!(rs2), times.alu),
                Op::Slt => alu!(Op::Slt, reg!(rs2), times.alu),
                Op::Sltu => alu!(Op::Sltu, reg!(rs2), times.alu),
                Op::Xor => alu!(Op::Xor, reg!(rs2), times.alu),
                Op::Srl => alu!(Op::Srl, reg!(rs2), times.alu),
                Op::Sra => alu!(Op::Sra, reg!(rs2), times.alu),
                Op::Or => alu!(Op::Or, reg!(rs2), times.alu),
                Op::And => alu!(Op::And, reg!(rs2), times.alu),
                Op::Mul => long!(Op::Mul, times.multiply, late!(imm)),
                Op::Mulh => long!(Op::Mulh, times.multiply, late!(imm)),
                Op::Mulhsu => long!(Op::Mulhsu, times.multiply, late!(imm)),
                Op::Mulhu => long!(Op::Mulhu, times.multiply, late!(imm)),
                Op::Div => long!(Op::Div, times.divide, 0),
                Op::Divu => long!(Op::Divu, times.divide, 0),
                Op::Rem => long!(Op::Rem, times.divide, 0),
                Op::Remu => long!(Op::Remu, times.divide, 0),
                Op::Fence => {
                    at = at.wrapping_add(1);
                    arrival += times.alu;
                }
                Op::FenceI => {
                    at = at.wrapping_add(1);
                    arrival += times.alu + times.anew;
                }
                Op::CsrRead if mode.machine => {
                    reg!(rd) = csrs.plain[usize::from(rs1) % csrs.plain.len()];
                    at = at.wrapping_add(1);
                    arrival += times.alu;
                }
                Op::CsrSwap if mode.machine => {
                    let place = usize::from(rs2) % csrs.plain.len();
                    reg!(rd) = std::mem::replace(&mut csrs.plain[place], reg!(rs1) & imm);
                    at = at.wrapping_add(1);
                    arrival += times.alu;
                }
                Op::Time if mode.times => {
                    // It is read a cycle after the instruction's arrival.
                    reg!(rd) = (clint.time(arrival + 1) >> (32 * imm)) as u32;
                    at = at.wrapping_add(1);
                    arrival += times.alu;
                }
                Op::Undecoded
                | Op::Enter
                | Op::CsrRead
                | Op::CsrSwap
                | Op::Time
                | Op::Csr
                | Op::Ecall
                | Op::Ebreak
                | Op::Mret
                | Op::Wfi
                | Op::Illegal
                | Op::MisalignedTarget => break,
            }
            executed += 1;
            if OVERLAPS {
                latest = begun;
                if at & (PAGE_WORDS - 1) == 0 && here.wrapping_add(1) == at {
                    arrival += behind_page(words[(stretch.first + here) as usize], registers);
                }
            }
        }

        self.pc = base.wrapping_add(at.wrapping_mul(4));
        self.arrival = arrival;
        self.complete = if OVERLAPS && executed > 0 { complete.max(latest + times.alu + 2) } else { complete };
        self.retired += executed;
    }
}

/// What the last instruction of a page, just executed, takes more on the pipelined core because the word
/// behind it, at which execution is now, is fetched anew.
// Seldom needed, so nothing is kept for it.
#[cold]
#[inline(never)]
fn behind_page(word: u32, registers: &[u32; 256]) -> u64 {
    let Decoded { op, rs1, rs2, .. } = decode(word);
    let goes_on = match op {
        // `fence.i` fetches anew wherever it is.
        Op::Jal | Op::Jalr | Op::FenceI => false,
        Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => {
            !taken(op, registers[rs1 as usize], registers[rs2 as usize])
        }
        _ => true,
    };
    u64::from(goes_on) * Times::that(true).anew
}
