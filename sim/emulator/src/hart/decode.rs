//! Instruction words, decoded once and kept in a cache beside RAM.

use super::csr::{plain, PLAIN};
use super::times::names_source;
use testbed_definitions::csr::{TIME, TIMEH};

/// What an instruction does. `Undecoded` is what the cache holds for words not yet seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[rustfmt::skip]
pub(in crate::hart) enum Op {
    Undecoded,
    Lui, Auipc, Jal, Jalr,
    Beq, Bne, Blt, Bge, Bltu, Bgeu,
    Lb, Lh, Lw, Lbu, Lhu, Ld,
    Sb, Sh, Sw, Sd,
    Addi, Slti, Sltiu, Xori, Ori, Andi, Slli, Srli, Srai,
    Add, Sub, Sll, Slt, Sltu, Xor, Srl, Sra, Or, And,
    Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu,
    Fence, FenceI,
    // CSRs that only hold something, numbered by `rs1` and `rs2`: read and swapped. The time or,
    // with `imm`, its high half. Only the cache holds these forms.
    CsrRead, CsrSwap, Time,
    // What only the exact step executes.
    Csr, Ecall, Ebreak, Mret, Wfi, Illegal,
    MisalignedTarget,
    // Translated code begins here; `imm` says whose. Only the cache holds it.
    Enter,
}

/// A decoded instruction, eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(8))]
pub(in crate::hart) struct Decoded {
    pub op: Op,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    /// Immediate; for shifts the amount, for CSR instructions the whole word.
    pub imm: u32,
}

/// The register that the cache names instead of x0 as a destination, for a pair the first of two.
/// Nobody reads them.
pub(in crate::hart) const SINK: u8 = 32;
/// The first of the two that the cache names instead of x0 where a pair is stored. Nobody writes
/// them.
pub(in crate::hart) const ZEROS: u8 = 34;

impl Decoded {
    pub const UNDECODED: Decoded = Decoded { op: Op::Undecoded, rd: 0, rs1: 0, rs2: 0, imm: 0 };

    /// A CSR instruction that has no effect beside that on a register and a CSR that only holds
    /// something; nothing of another.
    fn simple_csr(self) -> Option<Decoded> {
        let (number, reads) = ((self.imm >> 20) as u16, self.imm & 0x2000 != 0 && self.rs1 == 0);
        let swaps = self.imm >> 12 & 7 == 1;
        let form = |op, rs1, rs2, imm| Some(Decoded { op, rs1, rs2, imm, ..self });
        match (plain(number), number) {
            (Some(plain), _) if reads => form(Op::CsrRead, plain as u8, 0, 0),
            (Some(plain), _) if swaps => form(Op::CsrSwap, self.rs1, plain as u8, PLAIN[plain].1),
            (None, TIME | TIMEH) if reads => form(Op::Time, 0, 0, u32::from(number == TIMEH)),
            _ => None,
        }
    }

    /// The register that the instruction, not in the form that the cache holds, writes later than
    /// others do on the pipelined core: what is loaded last, or a product.
    pub fn late_register(self) -> Option<u8> {
        let register = if self.op == Op::Ld { self.rd | 1 } else { self.rd };
        let is_late = is_load(self.op) || is_multiplication(self.op);
        (is_late && self.rd != 0).then_some(register)
    }

    /// Whether the pipelined core has `next`, the word behind the instruction, wait for that register.
    pub fn is_waited_for_by(self, next: u32) -> bool {
        self.late_register().is_some_and(|register| names_source(next, register.into()))
    }

    /// The form that the cache holds: x0 as destination replaced by [`SINK`], as a pair's source by
    /// [`ZEROS`], displacements of branches and `jal` in words, those that would be misaligned left
    /// to the exact step, CSR instructions without other effects told from the rest. That the next
    /// instruction waits is yet to be noted ([`Decoded::before`]).
    pub fn cached(self) -> Decoded {
        let rd = if self.rd == 0 { SINK } else { self.rd };
        match self.op {
            Op::Jal | Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu if self.imm & 2 != 0 => {
                Decoded { op: Op::MisalignedTarget, ..self }
            }
            Op::Jal | Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => {
                Decoded { rd, imm: (self.imm as i32 >> 2) as u32, ..self }
            }
            Op::Sd if self.rs2 == 0 => Decoded { rs2: ZEROS, ..self },
            Op::Csr => self.simple_csr().map_or(Decoded { rd, ..self }, |simple| Decoded { rd, ..simple }),
            op if is_load(op) => Decoded { rd, rs2: 0, ..self },
            _ => Decoded { rd, ..self },
        }
    }

    /// The form that the cache holds of an instruction before one that does or does not wait for what
    /// it writes late, on the pipelined core: a load has 1 as `rs2`, a multiplication as `imm`.
    pub fn before(self, waits: bool) -> Decoded {
        match self.op {
            op if is_load(op) => Decoded { rs2: waits.into(), ..self },
            op if is_multiplication(op) => Decoded { imm: waits.into(), ..self },
            _ => self,
        }
    }

    /// Whether the form that the cache holds depends on the next word: surely not, or perhaps.
    pub fn depends_on_next(self) -> bool {
        is_load(self.op) || is_multiplication(self.op) || self.op == Op::Enter
    }
}

fn is_load(op: Op) -> bool {
    matches!(op, Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu | Op::Ld)
}

fn is_multiplication(op: Op) -> bool {
    matches!(op, Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu)
}

/// Decodes one word; anything that the core does not know is [`Op::Illegal`].
pub(in crate::hart) fn decode(word: u32) -> Decoded {
    let funct3 = word >> 12 & 7;
    let (op, imm) = match word & 0x7f {
        0x37 => (Op::Lui, word & 0xffff_f000),
        0x17 => (Op::Auipc, word & 0xffff_f000),
        0x6f => (Op::Jal, immediate_j(word)),
        0x67 if funct3 == 0 => (Op::Jalr, immediate_i(word)),
        0x63 => (branch(funct3), immediate_b(word)),
        0x03 => (load(funct3, word >> 7 & 1), immediate_i(word)),
        0x23 => (store(funct3, word >> 20 & 1), immediate_s(word)),
        0x13 => immediate_op(word, funct3),
        0x33 => (register_op(word >> 25, funct3), 0),
        0x0f if funct3 == 0 => (Op::Fence, 0),
        0x0f if funct3 == 1 => (Op::FenceI, 0),
        0x73 if funct3 & 3 != 0 => (Op::Csr, word),
        0x73 => (system(word), 0),
        _ => (Op::Illegal, 0),
    };
    Decoded { op, rd: (word >> 7 & 31) as u8, rs1: (word >> 15 & 31) as u8, rs2: (word >> 20 & 31) as u8, imm }
}

fn branch(funct3: u32) -> Op {
    [Op::Beq, Op::Bne, Op::Illegal, Op::Illegal, Op::Blt, Op::Bge, Op::Bltu, Op::Bgeu][funct3 as usize]
}

/// `odd`: the lowest bit of the register's number. A pair begins at an even one.
fn load(funct3: u32, odd: u32) -> Op {
    let pair = if odd == 0 { Op::Ld } else { Op::Illegal };
    [Op::Lb, Op::Lh, Op::Lw, pair, Op::Lbu, Op::Lhu, Op::Illegal, Op::Illegal][funct3 as usize]
}

fn store(funct3: u32, odd: u32) -> Op {
    match funct3 {
        0 => Op::Sb,
        1 => Op::Sh,
        2 => Op::Sw,
        3 if odd == 0 => Op::Sd,
        _ => Op::Illegal,
    }
}

fn immediate_op(word: u32, funct3: u32) -> (Op, u32) {
    let amount = word >> 20 & 31;
    match (funct3, word >> 25) {
        (0, _) => (Op::Addi, immediate_i(word)),
        (2, _) => (Op::Slti, immediate_i(word)),
        (3, _) => (Op::Sltiu, immediate_i(word)),
        (4, _) => (Op::Xori, immediate_i(word)),
        (6, _) => (Op::Ori, immediate_i(word)),
        (7, _) => (Op::Andi, immediate_i(word)),
        (1, 0) => (Op::Slli, amount),
        (5, 0) => (Op::Srli, amount),
        (5, 0x20) => (Op::Srai, amount),
        _ => (Op::Illegal, 0),
    }
}

#[rustfmt::skip]
fn register_op(funct7: u32, funct3: u32) -> Op {
    let row = match funct7 {
        0 => [Op::Add, Op::Sll, Op::Slt, Op::Sltu, Op::Xor, Op::Srl, Op::Or, Op::And],
        1 => [Op::Mul, Op::Mulh, Op::Mulhsu, Op::Mulhu, Op::Div, Op::Divu, Op::Rem, Op::Remu],
        0x20 => [Op::Sub, Op::Illegal, Op::Illegal, Op::Illegal, Op::Illegal, Op::Sra, Op::Illegal, Op::Illegal],
        _ => [Op::Illegal; 8],
    };
    row[funct3 as usize]
}

fn system(word: u32) -> Op {
    match word {
        0x0000_0073 => Op::Ecall,
        0x0010_0073 => Op::Ebreak,
        0x3020_0073 => Op::Mret,
        0x1050_0073 => Op::Wfi,
        _ => Op::Illegal,
    }
}

fn immediate_i(word: u32) -> u32 {
    (word as i32 >> 20) as u32
}

fn immediate_s(word: u32) -> u32 {
    (word as i32 >> 25 << 5) as u32 | word >> 7 & 31
}

fn immediate_b(word: u32) -> u32 {
    (word as i32 >> 31 << 12) as u32 | word << 4 & 0x800 | word >> 20 & 0x7e0 | word >> 7 & 0x1e
}

fn immediate_j(word: u32) -> u32 {
    (word as i32 >> 31 << 20) as u32 | word & 0xf_f000 | word >> 9 & 0x800 | word >> 20 & 0x7fe
}
