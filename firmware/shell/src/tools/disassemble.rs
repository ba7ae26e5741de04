//! `dis`: instructions of RV32IM, Zicsr and the machine's privileged ones, as text.

use alloc::vec::Vec;

use testbed_definitions::syscall::open;
use testbed_kernel_core::elf::{Elf, Segment};

use super::context::{place_of, Context, Done, Stop};
use crate::number;

const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];
/// Instructions that are shown unless told otherwise.
const COUNT: u64 = 24;

struct Text(Vec<u8>);

impl Text {
    fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }
    fn register(&mut self, number: u32) -> &mut Self {
        self.text(NAMES[number as usize & 31])
    }
    fn number(&mut self, value: i32) -> &mut Self {
        number::decimal(&mut self.0, value.into());
        self
    }
    fn hexadecimal(&mut self, value: u32) -> &mut Self {
        self.text("0x");
        number::digits(&mut self.0, value.into(), 16);
        self
    }
}

/// The text of an instruction at an address; `None` if it is none that the processors have.
pub fn disassemble(word: u32, address: u32) -> Option<Vec<u8>> {
    let (rd, rs1, rs2) = (word >> 7 & 31, word >> 15 & 31, word >> 20 & 31);
    let (funct3, funct7) = ((word >> 12 & 7) as usize, word >> 25);
    let immediate = word as i32 >> 20;
    let mut text = Text(Vec::new());
    match word & 0x7f {
        0x37 | 0x17 => {
            let name = if word & 0x7f == 0x37 { "lui" } else { "auipc" };
            text.text(name).text(" ").register(rd).text(",").hexadecimal(word >> 12);
        }
        0x6f => {
            let offset = (word as i32 >> 31 << 20) as u32 | word & 0xff000 | word >> 9 & 0x800 | word >> 20 & 0x7fe;
            text.text("jal ").register(rd).text(",").hexadecimal(address.wrapping_add(offset));
        }
        0x67 if funct3 == 0 => {
            text.text("jalr ").register(rd).text(",").number(immediate).text("(").register(rs1).text(")");
        }
        0x63 => {
            let name = some(["beq", "bne", "", "", "blt", "bge", "bltu", "bgeu"][funct3])?;
            let offset = (word as i32 >> 31 << 12) as u32 | (word << 4 & 0x800) | word >> 20 & 0x7e0 | word >> 7 & 0x1e;
            text.text(name).text(" ").register(rs1).text(",").register(rs2).text(",");
            text.hexadecimal(address.wrapping_add(offset));
        }
        0x03 => {
            let pair = if rd % 2 == 0 { "ld" } else { "" };
            let name = some(["lb", "lh", "lw", pair, "lbu", "lhu", "", ""][funct3])?;
            text.text(name).text(" ").register(rd).text(",").number(immediate).text("(").register(rs1).text(")");
        }
        0x23 => {
            let pair = if rs2 % 2 == 0 { "sd" } else { "" };
            let name = some(["sb", "sh", "sw", pair, "", "", "", ""][funct3])?;
            let offset = word as i32 >> 25 << 5 | rd as i32;
            text.text(name).text(" ").register(rs2).text(",").number(offset).text("(").register(rs1).text(")");
        }
        0x13 => {
            let shift = matches!(funct3, 1 | 5);
            let name = match (funct3, funct7) {
                (1, 0) => "slli",
                (5, 0) => "srli",
                (5, 0x20) => "srai",
                (1 | 5, _) => "",
                _ => ["addi", "", "slti", "sltiu", "xori", "", "ori", "andi"][funct3],
            };
            text.text(some(name)?).text(" ").register(rd).text(",").register(rs1).text(",");
            match shift {
                true => text.hexadecimal(rs2),
                false => text.number(immediate),
            };
        }
        0x33 => {
            let name = match (funct7, funct3) {
                (0, _) => ["add", "sll", "slt", "sltu", "xor", "srl", "or", "and"][funct3],
                (0x20, 0) => "sub",
                (0x20, 5) => "sra",
                (1, _) => ["mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"][funct3],
                _ => "",
            };
            text.text(some(name)?).text(" ").register(rd).text(",").register(rs1).text(",").register(rs2);
        }
        0x0f => {
            text.text(some(["fence", "fence.i", "", "", "", "", "", ""][funct3])?);
        }
        0x73 => system(word, funct3, (rd, rs1), &mut text)?,
        _ => return None,
    }
    Some(text.0)
}

fn system(word: u32, funct3: usize, (rd, rs1): (u32, u32), text: &mut Text) -> Option<()> {
    let name = match word {
        0x0000_0073 => "ecall",
        0x0010_0073 => "ebreak",
        0x3020_0073 => "mret",
        0x1050_0073 => "wfi",
        _ => {
            let name = some(["", "csrrw", "csrrs", "csrrc", "", "csrrwi", "csrrsi", "csrrci"][funct3])?;
            text.text(name).text(" ").register(rd).text(",").hexadecimal(word >> 20).text(",");
            if funct3 > 4 {
                text.number(rs1 as i32);
            } else {
                text.register(rs1);
            }
            return Some(());
        }
    };
    text.text(name);
    Some(())
}

fn some(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

pub(super) fn dis(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (name, rest) = words.split_first().ok_or(Stop::Usage)?;
    let numbers: Option<Vec<u64>> = rest.iter().map(|word| number::parse(word)).collect();
    let (start, count) = match numbers.ok_or(Stop::Usage)?[..] {
        [] => (None, COUNT),
        [start] => (Some(start), COUNT),
        [start, count] => (Some(start), count),
        _ => return Err(Stop::Usage),
    };
    let (place, own) = place_of(context.system, name);
    let file = match context.system.open(place, own, open::READ) {
        Ok(file) => file,
        Err(error) => return context.stop(name, error.meaning(), 1),
    };
    let mut head = alloc::vec![0; 1024];
    let bytes = context.system.read_at(file, 0, &mut head)?;
    let Some(elf) = Elf::parse(&head[..bytes], file.bytes) else {
        return context.stop(name, "this is no program", 1);
    };
    let code: Vec<Segment> = elf.segments().flatten().filter(|segment| segment.executable).collect();
    let start = start.unwrap_or(elf.entry.into()) & !3;
    for index in 0..count {
        let Ok(address) = u32::try_from(start + 4 * index) else { break };
        let inside = |segment: &&Segment| {
            address.checked_sub(segment.address).is_some_and(|offset| offset.saturating_add(4) <= segment.size)
        };
        let Some(segment) = code.iter().find(inside) else {
            return match index {
                0 => context.stop(name, "there is no code at this address", 1),
                _ => Ok(0),
            };
        };
        let mut bytes = [0; 4];
        let offset = segment.offset.saturating_add(address - segment.address);
        context.system.read_at(file, offset, &mut bytes)?;
        let word = u32::from_le_bytes(bytes);
        let mut line = Vec::new();
        number::hexadecimal(&mut line, address, 5);
        line.extend_from_slice(b": ");
        number::hexadecimal(&mut line, word, 8);
        line.extend_from_slice(b"  ");
        line.extend(disassemble(word, address).unwrap_or_else(|| b"?".to_vec()));
        line.push(b'\n');
        context.put(&line)?;
    }
    Ok(0)
}
