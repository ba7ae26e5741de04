//! The random code of one episode.

use testbed_definitions::{csr, map, page};

use super::encode::*;
use super::layout::{set_timer, Mode, CODE, CODE_BYTES, DATA, EPISODES, PAGE_MAPS, RAM_BYTES};
use super::random::Random;

/// Emits one episode's code at the end of `code`.
pub(super) struct BlockGenerator<'a> {
    pub random: &'a mut Random,
    pub code: &'a mut Assembly,
    pub mode: Mode,
    /// What to add to a physical code address to get the one that the episode runs at.
    pub offset: u32,
    pub maps: &'a [Vec<u32>; 2],
}

/// Bytes of code an episode may have, so that all fit.
const BYTES_MAX: u32 = CODE_BYTES / EPISODES - 64;

impl BlockGenerator<'_> {
    /// Emits the episode, closed by an `ecall`.
    pub fn emit(&mut self) {
        let length = self.random.range(60, BYTES_MAX);
        let end = self.code.here() + length;
        while self.code.here() < end {
            self.item();
        }
        self.code.push(ECALL);
    }

    fn item(&mut self) {
        match self.random.below(100) {
            0..=21 => self.register_operation(),
            22..=33 => self.immediate_operation(),
            34..=37 => self.upper(),
            38..=42 => {
                let (rd, value) = (self.any_register(), self.random.value());
                self.code.li(rd, value);
            }
            43..=58 => self.fresh_access(),
            59..=60 => self.stale_access(),
            61..=68 => self.branch(),
            69..=72 => self.jump(),
            73..=75 => self.counted_loop(),
            76..=87 => self.csr(),
            88..=89 => self.self_modify(),
            90..=91 => self.device(),
            92..=93 => self.sleep(),
            94 => self.soft_interrupt(),
            95..=96 => self.page_map_change(),
            _ => self.special(),
        }
    }

    fn any_register(&mut self) -> u8 {
        self.random.below(32) as u8
    }
    fn register_but_zero(&mut self) -> u8 {
        self.random.range(1, 32) as u8
    }

    fn register_operation(&mut self) {
        let (rd, rs1, rs2) = (self.any_register(), self.any_register(), self.any_register());
        // Base operations, `sub`/`sra`, multiply and divide.
        let funct3 = self.random.below(8);
        let funct7 = match self.random.below(5) {
            0..=1 => 1,
            2 if funct3 == 0 || funct3 == 5 => 0x20,
            _ => 0,
        };
        self.code.push(register(OP_REGISTER, funct3, funct7, rd, rs1, rs2));
    }

    fn immediate_operation(&mut self) {
        let (rd, rs1) = (self.any_register(), self.any_register());
        let funct3 = self.random.below(8);
        let value = match funct3 {
            1 => self.random.below(32),
            5 => self.random.below(32) | self.random.below(2) << 10,
            _ => self.random.value(),
        };
        self.code.push(immediate(OP_IMMEDIATE, funct3, rd, rs1, (value & 0xfff) as i32));
    }

    fn upper(&mut self) {
        let (opcode, rd, value) = (self.random.pick(&[OP_LUI, OP_AUIPC]), self.any_register(), self.random.next_u32());
        self.code.push(upper(opcode, rd, value));
    }

    /// A load or store whose base register was just set.
    fn fresh_access(&mut self) {
        let address = if self.mode.data_translated() { self.virtual_address() } else { self.physical_address() };
        self.access_at(address);
    }

    fn access_at(&mut self, address: u32) {
        let base = self.register_but_zero();
        let funct3 = self.random.pick(&[0, 1, 2, 2, 3, 3, 4, 5]);
        let aligned = address & !((1 << (funct3 & 3)) - 1);
        let address = if self.random.percent(90) { aligned } else { address };
        self.code.push(upper(OP_LUI, base, address.wrapping_add(0x800)));
        self.access(funct3, base, (address & 0xfff) as i32);
    }

    fn access(&mut self, funct3: u32, base: u8, offset: i32) {
        let mut other = self.any_register();
        if funct3 == 3 && self.random.percent(95) {
            // Pairs begin at an even register; sometimes the address is in one of the two.
            other = if self.random.percent(20) { base & 30 } else { other & 30 };
        }
        let word = if self.random.percent(50) {
            immediate(OP_LOAD, funct3, other, base, offset)
        } else {
            store(funct3 & 3, base, other, offset)
        };
        self.code.push(word);
    }

    /// A load or store with whatever is in a register.
    fn stale_access(&mut self) {
        let (funct3, base, offset) =
            (self.random.pick(&[0, 1, 2, 3, 4, 5]), self.any_register(), self.random.below(4096) as i32);
        self.access(funct3, base, offset);
    }

    fn physical_address(&mut self) -> u32 {
        let random = &mut *self.random;
        match random.below(20) {
            0 => map::RAM_BASE + PAGE_MAPS[0] + random.below(0x2000),
            1 => map::RAM_BASE + RAM_BYTES - 8 + random.below(16),
            2 => random.next_u32(),
            _ => map::RAM_BASE + DATA + random.below(RAM_BYTES - DATA),
        }
    }

    /// Few pages are used often, so that the TLB hits; they share its places, so that it also misses.
    fn virtual_address(&mut self) -> u32 {
        let random = &mut *self.random;
        let virtual_page = match random.below(20) {
            0 => random.below(page::VIRTUAL_PAGES),
            1 => page::VIRTUAL_PAGES + random.below(8),
            2 => return random.next_u32(),
            3 if random.percent(50) => return map::EVENT_PAGE - 8 + random.below(page::PAGE_BYTES + 16),
            3 => random.below(24),
            _ => page::VIRTUAL_PAGES / 2 + random.below(3) + 8 * random.below(3),
        };
        virtual_page << page::PAGE_SHIFT | random.below(page::PAGE_BYTES)
    }

    /// Forward over a few instructions; seldom to where no instruction can be.
    fn branch(&mut self) {
        let (funct3, rs1, rs2) = (self.random.pick(&[0, 1, 4, 5, 6, 7]), self.any_register(), self.any_register());
        if self.random.percent(6) {
            self.code.push(branch(funct3, rs1, rs2, 6));
            return;
        }
        let label = self.code.label();
        self.code.branch(funct3, rs1, rs2, label);
        for _ in 0..self.random.below(4) {
            self.register_operation();
        }
        self.code.place(label);
    }

    fn jump(&mut self) {
        let rd = self.any_register();
        let skipped = self.random.below(4);
        if self.random.percent(50) {
            let stray = if self.random.percent(6) { 2 } else { 0 };
            self.code.push(jump(rd, 4 + 4 * skipped as i32 + stray));
        } else {
            // Bit 0 of the sum is ignored, bit 1 must not be set.
            let stray = self.random.pick(&[0, 0, 0, 0, 0, 1, 1, 2, 3]);
            let base = self.register_but_zero();
            self.code.push(upper(OP_AUIPC, base, 0)).push(jalr(rd, base, 8 + 4 * skipped as i32 + stray));
        }
        for _ in 0..skipped {
            self.immediate_operation();
        }
    }

    fn counted_loop(&mut self) {
        let counter = self.register_but_zero();
        let again = self.code.label();
        let rounds = self.random.range(1, 6) as i32;
        self.code.push(addi(counter, ZERO, rounds)).place(again);
        for _ in 0..self.random.range(1, 4) {
            let (rd, rs1, rs2) = (self.any_register(), self.any_register(), self.any_register());
            let (funct3, funct7) = (self.random.below(8), self.random.below(2));
            if rd != counter {
                self.code.push(register(OP_REGISTER, funct3, funct7, rd, rs1, rs2));
            }
        }
        self.code.push(addi(counter, counter, -1)).branch(1, counter, ZERO, again);
    }

    fn csr(&mut self) {
        let funct3 = self.random.pick(&[1, 2, 3, 5, 6, 7]);
        let (rd, mut rs1) = (self.any_register(), self.any_register());
        let number = if self.random.percent(8) { self.random.below(4096) as u16 } else { self.random.pick(CSRS) };
        // The handler must stay reachable: only bits that cannot be written may change in its address.
        let (funct3, rs1) = match number {
            csr::MTVEC => {
                rs1 &= 3;
                (6 | (funct3 & 1), rs1)
            }
            _ => (funct3, if self.random.percent(25) { ZERO } else { rs1 }),
        };
        self.code.push(csr(funct3, rd, rs1, number));
    }

    /// Stores an instruction over one that comes a little later, with or without `fence.i`.
    fn self_modify(&mut self) {
        let (value, base) = (self.register_but_zero(), self.register_but_zero());
        if value == base {
            return;
        }
        let (rd, rs1, rs2) = (self.any_register(), self.any_register(), self.any_register());
        let word = register(OP_REGISTER, self.random.below(8), 0, rd, rs1, rs2);
        let fenced = self.random.percent(50);
        // li, lui, sw, perhaps fence.i, then the place itself.
        let target = self.code.here() + 4 * (4 + u32::from(fenced));
        let seen = match self.mode {
            Mode::UserTranslated => target.wrapping_add(self.offset),
            Mode::MachineTranslatedData => target.wrapping_sub(map::RAM_BASE + CODE),
            _ => target,
        };
        self.code.li(value, word).push(upper(OP_LUI, base, seen.wrapping_add(0x800)));
        self.code.push(sw(value, base, (seen & 0xfff) as i32));
        if fenced {
            self.code.push(FENCE_I);
        }
        self.code.push(NOP);
    }

    fn device(&mut self) {
        let random = &mut *self.random;
        let address = match random.below(6) {
            0 => map::CLINT_BASE + random.pick(&[map::clint::MSIP, map::clint::MTIME_LOW, map::clint::MTIME_HIGH]),
            1 => map::CLINT_BASE + map::clint::MTIMECMP_LOW,
            2 => map::SYSTEM_BASE + 4 * random.below(4),
            _ => map::UART_BASE + random.below(8),
        };
        self.access_at(address);
    }

    /// Arms the timer, enables it, and sleeps; in U-mode the handler has armed it.
    fn sleep(&mut self) {
        if self.mode == Mode::Machine {
            let delay = self.random.range(1, 200) as i32;
            self.code.push(addi(A1, ZERO, delay));
            set_timer(self.code, A0, A1, A2);
            self.code.li(A0, csr::INTERRUPT_TIMER).push(csr(2, ZERO, A0, csr::MIE));
        }
        self.code.push(WFI);
    }

    fn soft_interrupt(&mut self) {
        let (base, value) = (self.register_but_zero(), self.any_register());
        self.code.push(upper(OP_LUI, base, map::CLINT_BASE)).push(sw(value, base, map::clint::MSIP as i32));
    }

    /// Changes an entry in memory, and empties the TLB or leaves the old entry in it.
    fn page_map_change(&mut self) {
        let which = self.random.below(2) as usize;
        let index = match self.random.percent(60) {
            true => page::VIRTUAL_PAGES / 2 + self.random.below(24),
            false => self.random.below(page::VIRTUAL_PAGES),
        };
        let entry = self.maps[which][index as usize] ^ 1 << self.random.below(4);
        let address = map::RAM_BASE + PAGE_MAPS[which] + 4 * index;
        self.code.li(A0, entry).push(upper(OP_LUI, A1, address.wrapping_add(0x800)));
        self.code.push(sw(A0, A1, (address & 0xfff) as i32));
        if self.random.percent(40) {
            self.code.push(csr(2, A2, ZERO, csr::PMBASE)).push(csrw(csr::PMBASE, A2));
        }
    }

    fn special(&mut self) {
        let word = match self.random.below(12) {
            0 => EBREAK,
            1 => MRET,
            2 => FENCE,
            3 => FENCE_I,
            // Anything at all, and the neighbourhood of what is legal.
            4 => self.random.next_u32(),
            5 => self.random.next_u32() & !3,
            6 => {
                let (a, b, c) = (self.any_register(), self.any_register(), self.any_register());
                register(OP_REGISTER, self.random.below(8), self.random.below(128), a, b, c)
            }
            7 => immediate(OP_IMMEDIATE, self.random.pick(&[1, 5]), 1, 2, self.random.below(4096) as i32),
            8 => immediate(OP_LOAD, self.random.pick(&[3, 6, 7]), 1, 2, 0),
            9 => immediate(OP_SYSTEM, self.random.below(8), 0, 0, self.random.below(4096) as i32),
            10 => branch(self.random.pick(&[2, 3]), 1, 2, 8),
            _ => self.random.pick(&[0, u32::MAX, 0x1020_0073, 0x1000_0073, 0x0020_0073, 0x7b20_0073]),
        };
        self.code.push(word);
    }
}
