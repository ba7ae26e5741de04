//! Mnemonics of RV32IM, Zicsr, Zilsd and the privileged instructions of the machine.

use super::encode::*;

/// Every mnemonic that [`mnemonic`] knows: all that the core executes.
pub const MNEMONICS: &[&str] = &[
    "lui", "auipc", "jal", "jalr", "beq", "bne", "blt", "bge", "bltu", "bgeu", "lb", "lh", "lw", "lbu", "lhu", "ld",
    "sb", "sh", "sw", "sd", "addi", "slti", "sltiu", "xori", "ori", "andi", "slli", "srli", "srai", "add", "sub",
    "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and", "mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem",
    "remu", "fence", "fence.i", "ecall", "ebreak", "mret", "wfi", "csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi",
    "csrrci",
];

/// The instruction's name; `None` if the core has no such instruction.
pub fn mnemonic(word: u32) -> Option<&'static str> {
    let (funct3, funct7) = (word >> 12 & 7, word >> 25);
    let name = match word & 0x7f {
        OP_LUI => "lui",
        OP_AUIPC => "auipc",
        OP_JAL => "jal",
        OP_JALR if funct3 == 0 => "jalr",
        OP_BRANCH => ["beq", "bne", "", "", "blt", "bge", "bltu", "bgeu"][funct3 as usize],
        // Pairs begin at an even register.
        OP_LOAD if funct3 == 3 && word >> 7 & 1 == 0 => "ld",
        OP_STORE if funct3 == 3 && word >> 20 & 1 == 0 => "sd",
        OP_LOAD => ["lb", "lh", "lw", "", "lbu", "lhu", "", ""][funct3 as usize],
        OP_STORE => ["sb", "sh", "sw", "", "", "", "", ""][funct3 as usize],
        OP_IMMEDIATE => match (funct3, funct7) {
            (1, 0) => "slli",
            (5, 0) => "srli",
            (5, 0x20) => "srai",
            (1 | 5, _) => "",
            _ => ["addi", "", "slti", "sltiu", "xori", "", "ori", "andi"][funct3 as usize],
        },
        OP_REGISTER => match (funct7, funct3) {
            (0, _) => ["add", "sll", "slt", "sltu", "xor", "srl", "or", "and"][funct3 as usize],
            (0x20, 0) => "sub",
            (0x20, 5) => "sra",
            (1, _) => ["mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"][funct3 as usize],
            _ => "",
        },
        OP_FENCE => ["fence", "fence.i", "", "", "", "", "", ""][funct3 as usize],
        OP_SYSTEM => match (word, funct3) {
            (ECALL, _) => "ecall",
            (EBREAK, _) => "ebreak",
            (MRET, _) => "mret",
            (WFI, _) => "wfi",
            _ => ["", "csrrw", "csrrs", "csrrc", "", "csrrwi", "csrrsi", "csrrci"][funct3 as usize],
        },
        _ => "",
    };
    (!name.is_empty()).then_some(name)
}

/// The instruction's name, or `?`.
pub fn disassemble(word: u32) -> &'static str {
    mnemonic(word).unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_have_their_names_and_others_none() {
        for (word, name) in [
            (0xfff5_0293, "addi"),
            (0x4055_d593, "srai"),
            (0x02c5_d533, "divu"),
            (0x40c5_8533, "sub"),
            (0x3052_9073, "csrrw"),
            (WFI, "wfi"),
            (0x0085_3503, "ld"),
            (0x00a5_3823, "sd"),
            (FENCE_I, "fence.i"),
        ] {
            assert_eq!(mnemonic(word), Some(name));
            assert!(MNEMONICS.contains(&name));
        }
        for word in [0, u32::MAX, 0x4055_9593, 0x0020_0073, 0x0000_2063, 0x0085_3583, 0x00b5_3823] {
            assert_eq!(mnemonic(word), None, "{word:#x}");
        }
    }
}
