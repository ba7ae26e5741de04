//! What registers hold in machine code, as far as it is certain: constants, and values that come
//! from one word of memory. So a load or store can be shown to be of one address, wherever the
//! compiler has put the instructions that make the address.
//!
//! The states go along all ways through the code until nothing changes any more; where ways meet
//! that differ in a register, it is unknown. It is unknown too where code may be entered from
//! elsewhere: at symbols, at addresses that the constants or data hold (tables of jumps), and where
//! no known way leads. A call keeps what the calling convention says.

use testbed_sim::lockstep::encode::{
    MRET, OP_AUIPC, OP_BRANCH, OP_IMMEDIATE, OP_JAL, OP_JALR, OP_LOAD, OP_LUI, OP_REGISTER, OP_STORE, OP_SYSTEM,
};

/// Bytes of an instruction: there are no compressed ones.
pub const INSTRUCTION: u32 = 4;

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Unknown,
    Constant(u32),
    /// What was loaded from the word that is watched.
    Watched,
    /// Some bits of that.
    Masked,
}

/// The values of x0 to x31.
type State = [Value; 32];
const UNKNOWN: State = {
    let mut state = [Value::Unknown; 32];
    state[0] = Value::Constant(0);
    state
};

/// The register that a call returns by.
const RETURN: usize = 1;

/// sp, gp, tp and s0 to s11: what a call keeps.
const KEPT: u32 = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 8 | 1 << 9 | 0x3ff << 18;

/// An instruction's fields.
#[derive(Clone, Copy)]
struct Word(u32);

impl Word {
    fn opcode(self) -> u32 {
        self.0 & 0x7f
    }
    fn rd(self) -> usize {
        (self.0 >> 7 & 31) as usize
    }
    fn funct3(self) -> u32 {
        self.0 >> 12 & 7
    }
    fn rs1(self) -> usize {
        (self.0 >> 15 & 31) as usize
    }
    fn rs2(self) -> usize {
        (self.0 >> 20 & 31) as usize
    }
    fn upper(self) -> u32 {
        self.0 & 0xffff_f000
    }
    fn immediate(self) -> u32 {
        (self.0 as i32 >> 20) as u32
    }
    fn store_offset(self) -> u32 {
        (self.0 as i32 >> 25 << 5) as u32 | self.0 >> 7 & 31
    }
    fn branch_offset(self) -> u32 {
        let bits = self.0;
        (bits as i32 >> 31 << 12) as u32 | bits << 4 & 0x800 | bits >> 20 & 0x7e0 | bits >> 7 & 0x1e
    }
    fn jump_offset(self) -> u32 {
        let bits = self.0;
        (bits as i32 >> 31 << 20) as u32 | bits & 0xf_f000 | bits >> 9 & 0x800 | bits >> 20 & 0x7fe
    }
}

/// What one instruction does, if it is of those that are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// A load or store, of any width, of this known address.
    Load(u32),
    Store(u32),
    /// Takes bits out of the watched word.
    Mask,
    /// Branches by the watched word, or bits of it.
    Branch,
}

/// Code at its address, and where it may be entered from elsewhere.
pub struct Code<'a> {
    pub base: u32,
    pub words: &'a [u32],
    pub entries: &'a [u32],
    /// What else stands in constants and data that looks like an address of code: where a jump by a
    /// table may go to within its function.
    pub tables: &'a [u32],
    /// The address of the word that is watched.
    pub watched: Option<u32>,
}

impl Code<'_> {
    /// Address and use of every instruction that is of a kind looked for, in order.
    pub fn uses(&self) -> Vec<(u32, Use)> {
        let states = self.states();
        let used = |(index, state)| {
            let used = self.use_of(Word(self.words[index]), state)?;
            Some((self.base + INSTRUCTION * index as u32, used))
        };
        states.iter().enumerate().filter_map(used).collect()
    }

    fn use_of(&self, word: Word, state: &State) -> Option<Use> {
        let at = |offset: u32| match state[word.rs1()] {
            Value::Constant(base) => Some(base.wrapping_add(offset)),
            _ => None,
        };
        let is_watched = |register: usize| matches!(state[register], Value::Watched | Value::Masked);
        match word.opcode() {
            OP_LOAD => at(word.immediate()).map(Use::Load),
            OP_STORE => at(word.store_offset()).map(Use::Store),
            OP_IMMEDIATE if state[word.rs1()] == Value::Watched => Some(Use::Mask),
            OP_REGISTER if is_watched(word.rs1()) || is_watched(word.rs2()) => Some(Use::Mask),
            OP_BRANCH if is_watched(word.rs1()) || is_watched(word.rs2()) => Some(Use::Branch),
            _ => None,
        }
    }

    /// The state before each instruction.
    fn states(&self) -> Vec<State> {
        let mut states = vec![None; self.words.len()];
        for &entry in self.entries {
            if let Some(index) = self.index(entry) {
                states[index] = Some(UNKNOWN);
            }
        }
        let entries: Vec<_> = (0..states.len()).filter(|&index| states[index].is_some()).collect();
        self.spread(&mut states, entries);
        for index in 0..states.len() {
            if states[index].is_none() {
                states[index] = Some(UNKNOWN);
                self.spread(&mut states, vec![index]);
            }
        }
        states.into_iter().map(|state| state.unwrap_or(UNKNOWN)).collect()
    }

    /// Takes the states of the instructions in `work` on to all that follow.
    fn spread(&self, states: &mut [Option<State>], mut work: Vec<usize>) {
        while let Some(index) = work.pop() {
            let Some(before) = states[index] else { continue };
            let after = self.after(index, &before);
            for next in self.next(index).into_iter().flatten().chain(self.by_table(index)) {
                let joined = states[next].map_or(after, |old| merged(&old, &after));
                if states[next] != Some(joined) {
                    states[next] = Some(joined);
                    work.push(next);
                }
            }
        }
    }

    /// The instruction at `address`.
    fn index(&self, address: u32) -> Option<usize> {
        let index = (address.wrapping_sub(self.base) / INSTRUCTION) as usize;
        (address >= self.base && address % INSTRUCTION == 0 && index < self.words.len()).then_some(index)
    }

    /// The instructions that may follow within the function.
    fn next(&self, index: usize) -> [Option<usize>; 2] {
        let word = Word(self.words[index]);
        let to = |offset: u32| self.index((self.base + INSTRUCTION * index as u32).wrapping_add(offset));
        let following = to(INSTRUCTION);
        match word.opcode() {
            OP_BRANCH => [following, to(word.branch_offset())],
            OP_JAL if word.rd() == 0 => [to(word.jump_offset()), None],
            OP_JALR if word.rd() == 0 => [None, None],
            OP_SYSTEM if word.0 == MRET => [None, None],
            _ => [following, None],
        }
    }

    /// The instructions that follow a jump by a table.
    fn by_table(&self, index: usize) -> Vec<usize> {
        let word = Word(self.words[index]);
        if word.opcode() != OP_JALR || word.rd() != 0 || word.rs1() == RETURN {
            return Vec::new();
        }
        let address = self.base + INSTRUCTION * index as u32;
        let start = self.entries.iter().copied().filter(|entry| *entry <= address).max().unwrap_or(self.base);
        let end = self.entries.iter().copied().filter(|entry| *entry > address).min().unwrap_or(u32::MAX);
        let inside = |to: &&u32| (start + 1..end).contains(*to);
        self.tables.iter().filter(inside).filter_map(|to| self.index(*to)).collect()
    }

    fn after(&self, index: usize, before: &State) -> State {
        let word = Word(self.words[index]);
        let mut state = *before;
        let value = match (word.opcode(), before[word.rs1()]) {
            (OP_BRANCH | OP_STORE, _) => return state,
            (OP_JAL | OP_JALR, _) if word.rd() != 0 => {
                let kept = |register: usize| register == 0 || KEPT >> register & 1 != 0;
                return std::array::from_fn(|register| if kept(register) { state[register] } else { Value::Unknown });
            }
            (OP_LUI, _) => Value::Constant(word.upper()),
            (OP_AUIPC, _) => Value::Constant((self.base + INSTRUCTION * index as u32).wrapping_add(word.upper())),
            (OP_IMMEDIATE, Value::Constant(base)) if word.funct3() == 0 => {
                Value::Constant(base.wrapping_add(word.immediate()))
            }
            (OP_IMMEDIATE, value @ Value::Watched) if word.funct3() == 0 && word.immediate() == 0 => value,
            (OP_IMMEDIATE, Value::Watched) => Value::Masked,
            (OP_LOAD, Value::Constant(base)) if Some(base.wrapping_add(word.immediate())) == self.watched => {
                Value::Watched
            }
            _ => Value::Unknown,
        };
        if word.rd() != 0 {
            state[word.rd()] = value;
        }
        state
    }
}

/// What holds on both ways.
fn merged(one: &State, other: &State) -> State {
    std::array::from_fn(|register| if one[register] == other[register] { one[register] } else { Value::Unknown })
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed_sim::lockstep::encode::{addi, branch, immediate, jalr, jump, lw, store, upper, A0, A1, A2, RA};

    const BASE: u32 = 0x8000_0000;
    const WATCHED: u32 = 0x8000_1004;
    const EVENT: u32 = 0x1002_0000;

    fn uses(words: &[u32], entries: &[u32]) -> Vec<(u32, Use)> {
        Code { base: BASE, words, entries, tables: &[], watched: Some(WATCHED) }.uses()
    }

    /// `sh` of A1.
    fn half(base: u8) -> u32 {
        store(1, base, A1, 0)
    }

    #[test]
    fn a_jump_by_a_table_keeps_what_is_known() {
        let words = [upper(OP_LUI, A0, EVENT), jalr(0, A2, 0), half(A0), jalr(0, RA, 0), half(A0)];
        let found = |tables: &[u32]| {
            let code = Code { base: BASE, words: &words, entries: &[BASE, BASE + 16], tables, watched: None };
            code.uses().into_iter().map(|(address, _)| address - BASE).collect::<Vec<_>>()
        };
        assert!(found(&[]).is_empty());
        // The last instruction is another function's.
        assert_eq!(found(&[BASE + 8, BASE + 16]), [8]);
    }

    #[test]
    fn a_test_and_what_it_emits_are_found() {
        let words = [
            upper(OP_LUI, A0, WATCHED),
            lw(A0, A0, 4),
            immediate(OP_IMMEDIATE, 7, A0, A0, 1),
            branch(0, A0, 0, 12),
            upper(OP_LUI, A0, EVENT),
            half(A0),
            half(A0),
        ];
        let found = uses(&words, &[BASE]);
        // The last store is reached on two ways, of which one leaves something else in the register.
        let expected = [
            (BASE + 4, Use::Load(WATCHED)),
            (BASE + 8, Use::Mask),
            (BASE + 12, Use::Branch),
            (BASE + 20, Use::Store(EVENT)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn ways_that_agree_keep_what_is_known() {
        let words = [upper(OP_LUI, A0, EVENT), branch(0, A2, 0, 8), addi(A2, A2, 1), half(A0)];
        assert_eq!(uses(&words, &[BASE]), [(BASE + 12, Use::Store(EVENT))]);
        // Entered in the middle, nothing is known.
        assert_eq!(uses(&words, &[BASE, BASE + 12]), []);
        // A way back from further on counts too.
        let words = [upper(OP_LUI, A0, EVENT), half(A0), addi(A0, A0, 4), jump(0, -8)];
        assert_eq!(uses(&words, &[BASE]), []);
    }

    #[test]
    fn calls_take_what_they_may_change() {
        const S1: u8 = 9;
        let words = [upper(OP_LUI, A0, EVENT), upper(OP_LUI, S1, EVENT), jalr(RA, RA, 0), half(A0), half(S1)];
        assert_eq!(uses(&words, &[BASE]), [(BASE + 16, Use::Store(EVENT))]);
    }

    #[test]
    fn code_that_only_a_computed_jump_reaches_is_looked_at() {
        let words = [jalr(0, A0, 0), upper(OP_LUI, A0, EVENT), half(A0), branch(1, A1, 0, -8)];
        assert_eq!(uses(&words, &[BASE]), [(BASE + 8, Use::Store(EVENT))]);
    }
}
