//! Times that are told in the same way of every core, and what is seen in them.

use super::assembler::*;
use super::bus::{Bus, DATA, HANDLER};
use super::times as timing;
use testbed_definitions::{csr, map};

/// Cycles that each instruction of `program` takes, from where it begins to where the next one does.
pub fn cycles(program: &[u32]) -> Vec<u64> {
    let mut code = program.to_vec();
    code.push(NOP);
    let mut bus = Bus::new(&code, &[NOP]);
    bus.run_to(Bus::pc(program.len()));
    // The three instructions of the set-up come first.
    bus.arrivals.windows(2).skip(3).take(program.len()).map(|pair| pair[1].0 - pair[0].0).collect()
}

#[test]
fn loads_stores_multiply_and_divide() {
    let mut program = li(1, DATA).to_vec();
    program.extend([sw(1, 1, 0), lw(2, 1, 0), store(0, 1, 1, 3), load(4, 2, 1, 3), store(1, 1, 1, 2)]);
    program.extend((0..8).map(|funct3| muldiv(funct3, 3, 1, 2)));
    let mut expected = vec![timing::CYCLES_ALU; 2];
    let (load, store) = (timing::CYCLES_LOAD, timing::CYCLES_STORE);
    expected.extend([store, load, store, load, store]);
    expected.extend([timing::CYCLES_MULTIPLY; 4]);
    expected.extend([timing::CYCLES_DIVIDE; 4]);
    program.extend([ld(2, 1, 0), sd(2, 1, 8), ld(2, 1, 8), NOP]);
    let (load, store) = (timing::CYCLES_LOAD_PAIR, timing::CYCLES_STORE_PAIR);
    expected.extend([load, store, load, timing::CYCLES_ALU]);
    assert_eq!(cycles(&program), expected);
}

#[test]
fn a_loaded_value_is_there_for_the_next_instruction() {
    let mut program = li(1, DATA).to_vec();
    program.extend([sw(1, 1, 0), lw(2, 1, 0), addi(3, 2, 1), lw(2, 1, 0), sw(2, 2, 4), lw(4, 1, 4), lw(4, 4, 0)]);
    program.extend([lw(0, 1, 0), op(0, false, 5, 0, 0), NOP]);
    let mut bus = Bus::new(&program, &[NOP]);
    bus.run_to(Bus::pc(program.len() - 1));
    let value = |index| bus.retired.iter().find(|retired| retired.pc == Bus::pc(index)).expect("it retires").value;
    assert_eq!([3, 4, 7, 8, 10].map(value), [DATA, DATA + 1, DATA, DATA, 0]);
    assert_eq!(bus.word(DATA + 4), DATA);
    // It retires in the last cycle before the next one's X.
    let load = bus.retired.iter().find(|retired| retired.load).expect("one").cycle;
    assert!(bus.arrivals.contains(&(load + timing::FROM_LOAD_TO_ARRIVAL, Bus::pc(4))));
}

#[test]
fn a_store_does_not_reach_the_word_that_was_read_ahead() {
    // Stores `addi x5, x0, 2` over the next instruction, and over the one after it.
    let new = addi(5, 0, 2);
    for (place, expected) in [(6, 1), (7, 2)] {
        let mut program = li(1, Bus::pc(0)).to_vec();
        program.extend(li(2, new));
        program.extend([NOP, sw(2, 1, 4 * place), addi(5, 0, 1), addi(5, 0, 1), NOP]);
        if place == 6 {
            program[7] = NOP;
        }
        let mut bus = Bus::new(&program, &[NOP]);
        bus.run_to(Bus::pc(8));
        let last = bus.retired.iter().rfind(|retired| retired.rd == 5).expect("x5 is written");
        assert_eq!(last.value, expected, "stored over instruction {place}");
        assert_eq!(bus.word(Bus::pc(place as usize)), new);
    }
}

#[test]
fn a_stalled_store_repeats_x_and_nothing_else() {
    let mut program = li(1, map::SMI_BASE).to_vec();
    program.extend([sw(1, 1, 0), NOP, NOP]);
    let free = {
        let mut bus = Bus::new(&program, &[NOP]);
        bus.run_to(Bus::pc(4));
        bus
    };
    let stalled = |until| {
        let mut bus = Bus::new(&program, &[NOP]);
        bus.stall_until = until;
        bus.run_to(Bus::pc(4));
        bus
    };
    // `stall` before the store's X does nothing.
    let at = free.device[0].0;
    assert_eq!(stalled(at).retired, free.retired);
    for extra in 1..6 {
        let bus = stalled(at + extra);
        assert_eq!(bus.device, vec![(at + extra, map::SMI_BASE, Some(map::SMI_BASE))]);
        assert_eq!(bus.retired.len(), free.retired.len());
        for (late, early) in bus.retired.iter().zip(&free.retired) {
            let delay = if early.cycle < at { 0 } else { extra };
            assert_eq!(*late, super::bus::Retirement { cycle: early.cycle + delay, ..*early });
        }
    }
}

#[test]
fn trap_and_return() {
    let program = [ECALL];
    let mut handler = li(1, Bus::pc(1)).to_vec();
    handler.extend([csrw(csr::MEPC, 1), csrr(2, csr::MSTATUS), MRET]);
    let mut bus = Bus::new(&program, &handler);
    // `ecall` was made in machine mode, so that is where `mret` goes; pc(1) holds 0, which is illegal.
    let last = bus.run_to(Bus::pc(1));
    assert_eq!((last.trap, last.cause), (true, csr::cause::ILLEGAL));
    let at = |pc| bus.arrivals.iter().find(|arrival| arrival.1 == pc).expect("it was reached").0;
    assert_eq!(at(HANDLER) - at(Bus::pc(0)), timing::CYCLES_TRAP);
    assert_eq!(at(Bus::pc(1)) - at(HANDLER + 16), timing::CYCLES_MRET);
    let status = bus.retired.iter().find(|retired| retired.pc == HANDLER + 12).expect("it was reached");
    assert_eq!(status.value, csr::MSTATUS_MPP);
}
