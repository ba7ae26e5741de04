//! The whole core against its Verilog, on random instructions that a script feeds it whatever the address.

use std::collections::{BTreeSet, VecDeque};

use super::assembler as a;
use super::{ports, Core, Feed, STATES, STREAM_SEED};
use crate::core::state;
use crate::support::differential::compare;
use crate::support::random::Random;
use testbed_definitions::csr;

const CYCLES: usize = 40_000;

/// A CSR number that exists, mostly.
pub fn csr_number(random: &mut Random) -> u16 {
    if random.chance(1, 6) {
        return random.below(4096) as u16;
    }
    random.one_of(&[
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
        csr::MHPMCOUNTER31H,
        csr::MCYCLEH,
        csr::MINSTRETH,
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
    ])
}

/// A random word that is an instruction more often than not.
pub fn instruction(random: &mut Random) -> u32 {
    let word = random.next_u32();
    let (rd, rs1, rs2) = (word >> 7 & 31, word >> 15 & 31, word >> 20 & 31);
    let (funct3, immediate) = (word >> 12 & 7, word as i32 >> 20);
    match random.below(20) {
        0..=2 => a::op(funct3, matches!(funct3, 0 | 5) && word >> 31 == 1, rd, rs1, rs2),
        3 | 4 => match funct3 {
            1 => a::i(0x13, 1, rd, rs1, immediate & 31),
            5 => a::i(0x13, 5, rd, rs1, immediate & 0x41f),
            _ => a::i(0x13, funct3, rd, rs1, immediate),
        },
        5 => a::muldiv(funct3, rd, rs1, rs2),
        6 | 7 => a::load(random.one_of(&[0, 1, 2, 3, 4, 5]), rd, rs1, immediate),
        8 | 9 => a::store(random.one_of(&[0, 1, 2, 3]), rs2, rs1, immediate),
        10 | 11 => a::branch(random.one_of(&[0, 1, 4, 5, 6, 7]), rs1, rs2, immediate & !1),
        12 => a::jal(rd, (word as i32 >> 12) & !1),
        13 => a::jalr(rd, rs1, immediate),
        14 => random.one_of(&[a::lui(rd, word), a::auipc(rd, word)]),
        15 | 16 => a::csr(random.one_of(&[1, 2, 3, 5, 6, 7]), rd, csr_number(random), rs1),
        17 => random.one_of(&[a::ECALL, a::EBREAK, a::MRET, a::WFI, a::FENCE, a::FENCE_I]),
        // One bit off a known word, or anything with the right low bits, or anything.
        18 => random.one_of(&[a::ECALL, a::MRET, a::WFI, word | 3]) ^ (1 << random.below(32)),
        _ => word,
    }
}

/// How many instructions are laid where a jump may land.
const LANDING: usize = 8;

/// Instructions that belong together.
fn phrase(random: &mut Random) -> Vec<u32> {
    let word = random.next_u32();
    let register = 1 + random.below(31) as u32;
    match random.below(12) {
        // An address that is good: in RAM, in the user's space, a device.
        0..=2 => {
            let base = random.one_of(&[0x8000_0000, 0x8000_4000, 0, 0x8_0000, 0x1001_0000, 0x0200_0000]);
            let mut code = a::li(register, base | word & 0x3ffc).to_vec();
            let pair = register & 30;
            code.push(random.one_of(&[
                a::lw(3, register, 4),
                a::sw(3, register, 8),
                a::jalr(3, register, 0),
                a::ld(pair, register, 8),
                a::sd(pair, register, 16),
            ]));
            code
        }
        3 => {
            let mut code = a::enter_user(word & 0xf_fffc, random.one_of(&[0, csr::MSTATUS_MPIE, csr::MSTATUS_MPRV]));
            // Where it lands, among words that come in lines, is not known.
            code.extend([a::ECALL; LANDING].iter().take_while(|_| word >> 31 == 1));
            code
        }
        4 => {
            let mut code = a::li(29, word & csr::PMBASE_MASK | csr::PMBASE_ENABLE).to_vec();
            code.push(a::csrw(csr::PMBASE, 29));
            code
        }
        // Loads and stores with the user's rights.
        5 => {
            let mut code = a::li(29, csr::MSTATUS_MPRV).to_vec();
            code.push(a::csr_set(csr::MSTATUS, 29));
            code
        }
        6 => {
            let mut code = a::li(29, csr::INTERRUPT_SOFTWARE | csr::INTERRUPT_TIMER | csr::INTERRUPT_EXTERNAL).to_vec();
            code.extend([a::csr_set(csr::MIE, 29), a::csr(5, 0, csr::MSTATUS, 8)]);
            code
        }
        _ => vec![instruction(random)],
    }
}

/// Feeds the core: what arrives, or is read ahead, is the next word of the script, in T it is a
/// page-map entry, else anything.
pub struct Script {
    words: VecDeque<u32>,
    /// Sources of interrupts that are high.
    lines: [bool; 3],
}

impl Script {
    fn new() -> Self {
        // A handler that can be fetched, or the first trap is the last thing that happens.
        let mut words = VecDeque::from(a::li(1, 0x8000_1000).to_vec());
        words.push_back(a::csrw(csr::MTVEC, 1));
        Script { words, lines: [false; 3] }
    }

    /// The next word, which stays the next one.
    pub fn peek(&mut self, random: &mut Random) -> u32 {
        loop {
            match self.words.front() {
                // The vector stays.
                Some(word) if word & 0x7f == 0x73 && word >> 20 == u32::from(csr::MTVEC) && word >> 15 & 31 != 1 => {
                    self.words.pop_front();
                }
                Some(word) => return *word,
                None => self.words.extend(phrase(random)),
            }
        }
    }

    pub fn next(&mut self, random: &mut Random) -> u32 {
        let word = self.peek(random);
        self.words.pop_front();
        word
    }

    fn drive(&mut self, core: &mut Core, feed: &mut Feed, random: &mut Random) {
        let now = core.state.q.val();
        let rdata = if let Some(word) = feed.word(core, self, random) {
            word
        } else if now.get_bit(state::T as usize) && random.chance(7, 8) {
            random.next_u32() | random.one_of(&[0xf, 0xf, 0xb, 0x9, 0x3])
        } else {
            random.next_u32()
        };
        core.rdata.next = u64::from(rdata).into();
        let asleep = now.get_bit(state::S as usize);
        for line in &mut self.lines {
            *line ^= random.chance(1, if asleep { 10 } else { 150 });
        }
        [core.irq_timer.next, core.irq_software.next, core.irq_external.next] = self.lines;
        core.stall.next = random.chance(1, 4);
        core.mtime_low.next = random.bits();
        core.mtime_high.next = random.bits();
        core.reset_vector.next = 0x8000_0000u64.into();
        core.ram_mask.next = 0x3f_ffff.into();
        core.hart_id.next = 3.into();
        core.has_smi.next = true;
        core.has_mmi.next = false;
        feed.note(core, self, random);
    }
}

/// What a run has reached, so that the test knows what it compared.
#[derive(Default)]
struct Reached {
    states: BTreeSet<usize>,
    /// Pairs loaded and stored.
    pairs: BTreeSet<bool>,
    causes: BTreeSet<u32>,
    retired: u64,
    opcodes: BTreeSet<u32>,
}

impl Reached {
    fn note(&mut self, core: &Core) {
        self.states.extend((0..9).filter(|bit| core.state.q.val().get_bit(*bit)));
        if core.retire_half.val() {
            self.pairs.insert(core.retire_store.val());
        }
        if core.retire_valid.val() {
            if core.retire_trap.val() {
                self.causes.insert(core.retire_cause.val().to_u32());
            } else {
                self.retired += 1;
                self.opcodes.insert(core.retire_instruction.val().to_u32() & 0x7f);
            }
        }
    }
}

#[test]
fn core() {
    let block = Core::default();
    let (mut script, mut feed) = (Script::new(), Feed::default());
    let mut reached = Reached::default();
    let seed = std::env::var("TESTBED_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(STREAM_SEED);
    let result = compare(block, &ports(), CYCLES, seed, |core, random, _| {
        reached.note(core);
        script.drive(core, &mut feed, random);
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    println!("seed {seed}: {} retired, opcodes {:x?}, causes {:x?}", reached.retired, reached.opcodes, reached.causes);
    assert_eq!(reached.states.len(), STATES, "states {:?}", reached.states);
    assert_eq!(reached.pairs.len(), 2, "pairs stored: {:?}", reached.pairs);
    let causes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 15, 0x8000_0003, 0x8000_0007, 0x8000_000b];
    assert_eq!(reached.causes, BTreeSet::from(causes));
    let opcodes = [0x03, 0x0f, 0x13, 0x17, 0x23, 0x33, 0x37, 0x63, 0x67, 0x6f, 0x73];
    assert_eq!(reached.opcodes, BTreeSet::from(opcodes));
}
