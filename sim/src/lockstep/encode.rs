//! A small RV32 encoder: one function a format, and a buffer with labels.

use testbed_definitions::csr;

pub const ZERO: u8 = 0;
pub const RA: u8 = 1;
pub const T0: u8 = 5;
pub const T1: u8 = 6;
pub const T2: u8 = 7;
pub const A0: u8 = 10;
pub const A1: u8 = 11;
pub const A2: u8 = 12;
pub const T3: u8 = 28;
pub const T4: u8 = 29;

pub const OP_LUI: u32 = 0x37;
pub const OP_AUIPC: u32 = 0x17;
pub const OP_JAL: u32 = 0x6f;
pub const OP_JALR: u32 = 0x67;
pub const OP_BRANCH: u32 = 0x63;
pub const OP_LOAD: u32 = 0x03;
pub const OP_STORE: u32 = 0x23;
pub const OP_IMMEDIATE: u32 = 0x13;
pub const OP_REGISTER: u32 = 0x33;
pub const OP_FENCE: u32 = 0x0f;
pub const OP_SYSTEM: u32 = 0x73;

pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const MRET: u32 = 0x3020_0073;
pub const WFI: u32 = 0x1050_0073;
pub const FENCE: u32 = 0x0ff0_000f;
pub const FENCE_I: u32 = 0x0000_100f;
pub const NOP: u32 = 0x0000_0013;

/// R format.
pub const fn register(opcode: u32, funct3: u32, funct7: u32, rd: u8, rs1: u8, rs2: u8) -> u32 {
    opcode | (rd as u32) << 7 | funct3 << 12 | (rs1 as u32) << 15 | (rs2 as u32) << 20 | funct7 << 25
}

/// I format; the lowest 12 bits of `immediate` count.
pub const fn immediate(opcode: u32, funct3: u32, rd: u8, rs1: u8, immediate: i32) -> u32 {
    opcode | (rd as u32) << 7 | funct3 << 12 | (rs1 as u32) << 15 | (immediate as u32) << 20
}

/// S format; the lowest 12 bits of `immediate` count.
pub const fn store(funct3: u32, rs1: u8, rs2: u8, immediate: i32) -> u32 {
    let bits = immediate as u32;
    OP_STORE | (bits & 0x1f) << 7 | funct3 << 12 | (rs1 as u32) << 15 | (rs2 as u32) << 20 | (bits >> 5 & 0x7f) << 25
}

/// B format; `offset` in bytes, even, 13 bits.
pub const fn branch(funct3: u32, rs1: u8, rs2: u8, offset: i32) -> u32 {
    let bits = offset as u32;
    OP_BRANCH
        | (bits >> 11 & 1) << 7
        | (bits >> 1 & 0xf) << 8
        | funct3 << 12
        | (rs1 as u32) << 15
        | (rs2 as u32) << 20
        | (bits >> 5 & 0x3f) << 25
        | (bits >> 12 & 1) << 31
}

/// U format; `value`'s upper 20 bits count.
pub const fn upper(opcode: u32, rd: u8, value: u32) -> u32 {
    opcode | (rd as u32) << 7 | (value & 0xffff_f000)
}

/// J format; `offset` in bytes, even, 21 bits.
pub const fn jump(rd: u8, offset: i32) -> u32 {
    let bits = offset as u32;
    OP_JAL
        | (rd as u32) << 7
        | (bits & 0x000f_f000)
        | (bits >> 11 & 1) << 20
        | (bits >> 1 & 0x3ff) << 21
        | (bits >> 20 & 1) << 31
}

pub const fn addi(rd: u8, rs1: u8, value: i32) -> u32 {
    immediate(OP_IMMEDIATE, 0, rd, rs1, value)
}
pub const fn add(rd: u8, rs1: u8, rs2: u8) -> u32 {
    register(OP_REGISTER, 0, 0, rd, rs1, rs2)
}
pub const fn lw(rd: u8, rs1: u8, offset: i32) -> u32 {
    immediate(OP_LOAD, 2, rd, rs1, offset)
}
pub const fn sw(rs2: u8, rs1: u8, offset: i32) -> u32 {
    store(2, rs1, rs2, offset)
}
pub const fn ld(rd: u8, rs1: u8, offset: i32) -> u32 {
    immediate(OP_LOAD, 3, rd, rs1, offset)
}
pub const fn sd(rs2: u8, rs1: u8, offset: i32) -> u32 {
    store(3, rs1, rs2, offset)
}
pub const fn jalr(rd: u8, rs1: u8, offset: i32) -> u32 {
    immediate(OP_JALR, 0, rd, rs1, offset)
}

/// A CSR instruction; `funct3` 1 to 3 with a register, 5 to 7 with an immediate in `rs1`.
pub const fn csr(funct3: u32, rd: u8, rs1: u8, number: u16) -> u32 {
    immediate(OP_SYSTEM, funct3, rd, rs1, number as i32)
}
pub const fn csrw(number: u16, rs1: u8) -> u32 {
    csr(1, ZERO, rs1, number)
}
pub const fn csrr(rd: u8, number: u16) -> u32 {
    csr(2, rd, ZERO, number)
}

/// A place in an [`Assembly`] that jumps name before or after it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

enum Fixup {
    Branch,
    Jump,
}

/// Instructions in a row from an address, with labels.
pub struct Assembly {
    base: u32,
    words: Vec<u32>,
    labels: Vec<Option<u32>>,
    fixups: Vec<(usize, Label, Fixup)>,
}

impl Assembly {
    pub fn new(base: u32) -> Self {
        Assembly { base, words: Vec::new(), labels: Vec::new(), fixups: Vec::new() }
    }
    /// Address of the next instruction.
    pub fn here(&self) -> u32 {
        self.base + 4 * self.words.len() as u32
    }
    pub fn push(&mut self, word: u32) -> &mut Self {
        self.words.push(word);
        self
    }
    pub fn extend(&mut self, words: &[u32]) -> &mut Self {
        self.words.extend_from_slice(words);
        self
    }
    /// Replaces the instruction at `address`, which has been emitted.
    pub fn patch(&mut self, address: u32, word: u32) {
        let index = (address - self.base) / 4;
        self.words[index as usize] = word;
    }
    /// Loads a constant: `lui` and `addi`, always both.
    pub fn li(&mut self, rd: u8, value: u32) -> &mut Self {
        let upper_part = value.wrapping_add(0x800);
        self.push(upper(OP_LUI, rd, upper_part)).push(addi(rd, rd, (value & 0xfff) as i32))
    }
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }
    /// Puts `label` here.
    pub fn place(&mut self, label: Label) -> &mut Self {
        self.labels[label.0] = Some(self.here());
        self
    }
    pub fn branch(&mut self, funct3: u32, rs1: u8, rs2: u8, to: Label) -> &mut Self {
        self.fixups.push((self.words.len(), to, Fixup::Branch));
        self.push(branch(funct3, rs1, rs2, 0))
    }
    pub fn jal(&mut self, rd: u8, to: Label) -> &mut Self {
        self.fixups.push((self.words.len(), to, Fixup::Jump));
        self.push(jump(rd, 0))
    }
    /// The words with all labels resolved.
    ///
    /// # Panics
    /// A label was used and not placed, or is out of a branch's reach: a mistake in the program that assembles.
    pub fn finish(mut self) -> Vec<u32> {
        for (index, label, kind) in &self.fixups {
            let target = self.labels[label.0].expect("label is placed");
            let offset = target.wrapping_sub(self.base + 4 * *index as u32) as i32;
            match kind {
                Fixup::Branch => {
                    assert!((-4096..4096).contains(&offset), "branch reaches its label");
                    self.words[*index] |= branch(0, 0, 0, offset);
                }
                Fixup::Jump => self.words[*index] |= jump(0, offset),
            }
        }
        self.words
    }
    /// As [`Assembly::finish`], in bytes.
    pub fn finish_bytes(self) -> Vec<u8> {
        self.finish().into_iter().flat_map(u32::to_le_bytes).collect()
    }
}

/// Every CSR of the machine by number, for tests that sweep them.
pub const CSRS: &[u16] = &[
    csr::MSTATUS,
    csr::MISA,
    csr::MIE,
    csr::MTVEC,
    csr::MCOUNTEREN,
    csr::MENVCFG,
    csr::MSTATUSH,
    csr::MENVCFGH,
    csr::MCOUNTINHIBIT,
    csr::MHPMEVENT3,
    csr::MHPMEVENT31,
    csr::MSCRATCH,
    csr::MEPC,
    csr::MCAUSE,
    csr::MTVAL,
    csr::MIP,
    csr::TSELECT,
    csr::TDATA3,
    csr::PMBASE,
    csr::MCYCLE,
    csr::MINSTRET,
    csr::MHPMCOUNTER3,
    csr::MHPMCOUNTER31,
    csr::MCYCLEH,
    csr::MINSTRETH,
    csr::MHPMCOUNTER3H,
    csr::MHPMCOUNTER31H,
    csr::CYCLE,
    csr::TIME,
    csr::INSTRET,
    csr::CYCLEH,
    csr::TIMEH,
    csr::INSTRETH,
    csr::MVENDORID,
    csr::MARCHID,
    csr::MIMPID,
    csr::MHARTID,
    csr::MCONFIGPTR,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_match_those_of_the_gnu_assembler() {
        assert_eq!(addi(T0, A0, -1), 0xfff5_0293);
        assert_eq!(add(A0, A1, A2), 0x00c5_8533);
        assert_eq!(sw(A1, A0, -4), 0xfeb5_2e23);
        assert_eq!(lw(A1, A0, 2047), 0x7ff5_2583);
        // As `ld` and `sd` of RV64, whose encodings these are.
        assert_eq!(ld(A0, A0, 8), 0x0085_3503);
        assert_eq!(sd(A0, A0, 16), 0x00a5_3823);
        assert_eq!(branch(1, A0, ZERO, -8), 0xfe05_1ce3);
        assert_eq!(branch(0, A0, A1, 16), 0x00b5_0863);
        assert_eq!(jump(RA, -4), 0xffdf_f0ef);
        assert_eq!(jump(ZERO, 0x1000), 0x0000_106f);
        assert_eq!(upper(OP_LUI, T1, 0x8000_0fff), 0x8000_0337);
        assert_eq!(csrw(csr::MTVEC, T0), 0x3052_9073);
    }

    #[test]
    fn labels_resolve_in_both_directions() {
        let mut program = Assembly::new(0x8000_0000);
        let (back, forward) = (program.label(), program.label());
        program.place(back).branch(1, A0, ZERO, forward).jal(ZERO, back).place(forward);
        assert_eq!(program.finish(), [branch(1, A0, ZERO, 8), jump(ZERO, -4)]);
    }

    #[test]
    fn constants_with_a_negative_low_part() {
        let mut program = Assembly::new(0);
        program.li(A0, 0x1234_5fff);
        assert_eq!(program.finish(), [upper(OP_LUI, A0, 0x1234_6000), addi(A0, A0, -1)]);
    }
}
