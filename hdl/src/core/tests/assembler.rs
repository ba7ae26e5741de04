//! Encoders of the instructions that the tests use. Registers are numbers, offsets bytes.

use testbed_definitions::csr;

pub const NOP: u32 = 0x0000_0013;
pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const MRET: u32 = 0x3020_0073;
pub const WFI: u32 = 0x1050_0073;
pub const FENCE: u32 = 0x0ff0_000f;
pub const FENCE_I: u32 = 0x0000_100f;

/// Register-register format.
pub fn r(opcode: u32, funct3: u32, funct7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// Immediate format.
pub fn i(opcode: u32, funct3: u32, rd: u32, rs1: u32, immediate: i32) -> u32 {
    (immediate as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// Arithmetic of registers, without multiply and divide; `alternate`: `sub`, `sra`.
pub fn op(funct3: u32, alternate: bool, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x33, funct3, u32::from(alternate) << 5, rd, rs1, rs2)
}

pub fn muldiv(funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x33, funct3, 1, rd, rs1, rs2)
}

pub fn addi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i(0x13, 0, rd, rs1, immediate)
}

pub fn lui(rd: u32, value: u32) -> u32 {
    value & 0xffff_f000 | rd << 7 | 0x37
}

pub fn auipc(rd: u32, value: u32) -> u32 {
    value & 0xffff_f000 | rd << 7 | 0x17
}

/// Both instructions that load a constant.
pub fn li(rd: u32, value: u32) -> [u32; 2] {
    let low = (value << 20) as i32 >> 20;
    [lui(rd, value.wrapping_sub(low as u32)), addi(rd, rd, low)]
}

pub fn load(funct3: u32, rd: u32, rs1: u32, offset: i32) -> u32 {
    i(0x03, funct3, rd, rs1, offset)
}

pub fn lw(rd: u32, rs1: u32, offset: i32) -> u32 {
    load(2, rd, rs1, offset)
}

pub fn store(funct3: u32, rs2: u32, rs1: u32, offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (offset & 0x1f) << 7 | 0x23
}

pub fn sw(rs2: u32, rs1: u32, offset: i32) -> u32 {
    store(2, rs2, rs1, offset)
}

pub fn branch(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let o = offset as u32;
    let high = (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25;
    let low = (o >> 1 & 0xf) << 8 | (o >> 11 & 1) << 7;
    high | rs2 << 20 | rs1 << 15 | funct3 << 12 | low | 0x63
}

pub fn jal(rd: u32, offset: i32) -> u32 {
    let o = offset as u32;
    (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 | (o & 0xf_f000) | rd << 7 | 0x6f
}

pub fn jalr(rd: u32, rs1: u32, offset: i32) -> u32 {
    i(0x67, 0, rd, rs1, offset)
}

/// Loads the pair of registers of which `rd` is the even one.
pub fn ld(rd: u32, rs1: u32, offset: i32) -> u32 {
    load(3, rd, rs1, offset)
}

pub fn sd(rs2: u32, rs1: u32, offset: i32) -> u32 {
    store(3, rs2, rs1, offset)
}

/// CSR instruction: `funct3` 1 to 3 with a register, 5 to 7 with a small immediate in place of it.
pub fn csr(funct3: u32, rd: u32, number: u16, source: u32) -> u32 {
    u32::from(number) << 20 | source << 15 | funct3 << 12 | rd << 7 | 0x73
}

pub fn csrr(rd: u32, number: u16) -> u32 {
    csr(2, rd, number, 0)
}

pub fn csrw(number: u16, rs1: u32) -> u32 {
    csr(1, 0, number, rs1)
}

/// Enters user mode at `pc`, using x31 and x30; `mstatus` is or-ed with `bits`.
pub fn enter_user(pc: u32, bits: u32) -> Vec<u32> {
    let mut code = li(31, pc).to_vec();
    code.push(csrw(csr::MEPC, 31));
    code.extend(li(31, csr::MSTATUS_MPP));
    code.push(csr_clear(csr::MSTATUS, 31));
    code.extend(li(30, bits));
    code.push(csr_set(csr::MSTATUS, 30));
    code.push(MRET);
    code
}

pub fn csr_set(number: u16, rs1: u32) -> u32 {
    csr(2, 0, number, rs1)
}

pub fn csr_clear(number: u16, rs1: u32) -> u32 {
    csr(3, 0, number, rs1)
}
