//! Cycles of every class of instruction against `definitions::timing::pipelined`, and what is seen in
//! which of them.

use super::assembler::*;
use super::bus::{Bus, DATA, HANDLER, RAM_BYTES};
use super::classes::cycles;
use testbed_definitions::timing::pipelined as timing;
use testbed_definitions::{csr, map};

#[test]
fn the_first_instruction_begins_when_it_should() {
    let mut bus = Bus::new(&[NOP], &[NOP]);
    bus.run(10);
    assert_eq!(bus.arrivals[0], (timing::FIRST_X, map::RAM_BASE));
    assert_eq!(bus.retired[0].cycle, timing::FIRST_X);
}

#[test]
fn one_cycle_for_what_computes_and_two_for_what_jumps() {
    let mut program = vec![lui(1, 0x1000), auipc(2, 0), FENCE, csrr(3, csr::MCYCLE), csrw(csr::MSCRATCH, 3)];
    program.extend((0..8).map(|funct3| op(funct3, false, 4, 1, 2)));
    program.extend([op(0, true, 4, 1, 2), op(5, true, 4, 1, 2)]);
    // Equal registers: not taken for bne, blt, bltu, taken for beq, bge, bgeu.
    program.extend([1, 4, 6].map(|funct3| branch(funct3, 1, 1, 4)));
    assert_eq!(cycles(&program), vec![timing::CYCLES_ALU; program.len()]);
    let mut program = vec![jal(1, 4)];
    program.extend([0, 5, 7].map(|funct3| branch(funct3, 1, 1, 4)));
    program.extend([FENCE_I, auipc(5, 0), jalr(1, 5, 8), FENCE_I, jal(0, 4)]);
    let mut expected = vec![timing::CYCLES_JUMP; program.len()];
    expected[5] = timing::CYCLES_ALU;
    (expected[4], expected[7]) = (timing::CYCLES_ALU + timing::CYCLES_ANEW, timing::CYCLES_ALU + timing::CYCLES_ANEW);
    assert_eq!(cycles(&program), expected);
}

#[test]
fn a_neighbour_costs_what_it_waits() {
    // Each class before each, with a register that the first writes late, if it does, and the second
    // reads, if it does: x2, and x3 of a pair that is loaded.
    let classes = |late| {
        [
            (addi(late, late, 0), timing::CYCLES_ALU, false),
            (lw(late, 1, 0), timing::CYCLES_LOAD, true),
            (sw(late, 1, 0), timing::CYCLES_STORE, false),
            (ld(2, 1, 0), timing::CYCLES_LOAD_PAIR, late == 3),
            (sd(2, 1, 0), timing::CYCLES_STORE_PAIR, false),
            (muldiv(0, late, 1, late), timing::CYCLES_MULTIPLY, true),
            (muldiv(5, late, 1, late), timing::CYCLES_DIVIDE, false),
            (branch(0, late, late, 4), timing::CYCLES_JUMP, false),
            (branch(1, late, late, 4), timing::CYCLES_ALU, false),
            (csrr(late, csr::MSCRATCH), timing::CYCLES_ALU, false),
            (lui(1, DATA), timing::CYCLES_ALU, false),
        ]
    };
    for (late, free) in [(2, 0), (3, 0), (2, 1), (3, 1)] {
        for (first, cost, is_late) in classes(late) {
            for (second, more, _) in classes(late) {
                let mut program = li(1, DATA).to_vec();
                program.extend([NOP, first]);
                // With an instruction between them there is nothing to wait for.
                program.extend(vec![NOP; free]);
                program.extend([second, NOP]);
                let (opcode, rs1, rs2) = (second & 0x7f, second >> 15 & 31, second >> 20 & 31);
                let reads = rs1 == late && opcode != 0x37 || rs2 == late && matches!(opcode, 0x23 | 0x33 | 0x63);
                let waits = if is_late && reads && free == 0 { timing::CYCLES_LATE } else { 0 };
                let taken = cycles(&program);
                assert_eq!(taken[3], cost + waits, "{first:#x} before {second:#x}");
                assert_eq!(taken[4 + free], more, "{second:#x} behind {first:#x}");
            }
        }
    }
}

#[test]
fn devices_are_not_accessed_in_consecutive_cycles() {
    let mut program = li(1, map::UART_BASE).to_vec();
    program.extend([sw(0, 1, 0), sw(0, 1, 0), lw(2, 1, 4), addi(3, 2, 0), NOP]);
    let (store, load) = (timing::CYCLES_STORE + timing::CYCLES_LATE, timing::CYCLES_LOAD + timing::CYCLES_LATE);
    assert_eq!(cycles(&program)[2..6], [store, store, load, timing::CYCLES_ALU]);
}

#[test]
fn behind_a_page_and_a_store_to_it_words_are_fetched_anew() {
    // The last word of the page, then one behind a store to this page, and behind one to another.
    let place = |index: usize| (Bus::pc(index) & 1023) / 4;
    let last = (0..).find(|&index| place(index) == 255).expect("there is one");
    for (word, cost) in
        [(NOP, timing::CYCLES_ALU), (lw(3, 1, 0), timing::CYCLES_LOAD), (muldiv(4, 2, 1, 1), timing::CYCLES_DIVIDE)]
    {
        let mut program = vec![NOP; last];
        program.splice(..2, li(1, DATA));
        program.extend([word, addi(4, 3, 0), NOP]);
        let taken = cycles(&program);
        assert_eq!(taken[last], cost + timing::CYCLES_ANEW);
        assert!(taken[2..last].iter().all(|&cycles| cycles == timing::CYCLES_ALU));
    }
    for (base, more) in [(Bus::pc(0), timing::CYCLES_ANEW), (DATA, 0)] {
        for (store, cost) in [(sw(0, 1, 0x200), timing::CYCLES_STORE), (sd(0, 1, 0x200), timing::CYCLES_STORE_PAIR)] {
            let mut program = li(1, base & !7).to_vec();
            program.extend([NOP, store, addi(2, 0, 1), NOP, NOP]);
            assert_eq!(cycles(&program)[3..6], [cost, timing::CYCLES_ALU + more, timing::CYCLES_ALU]);
            // A jump goes its own way.
            let mut program = li(1, base & !7).to_vec();
            program.extend([NOP, store, jal(0, 4), NOP, NOP]);
            assert_eq!(cycles(&program)[3..6], [cost, timing::CYCLES_JUMP, timing::CYCLES_ALU]);
        }
    }
}

#[test]
fn dma_is_not_felt() {
    // Straight on, in short loops, and from odd and even targets.
    let mut program = li(1, DATA).to_vec();
    program.extend([addi(2, 0, 40), addi(2, 2, -1), jal(0, 8), NOP, sw(2, 1, 0), lw(3, 1, 0), jal(0, 12), NOP, NOP]);
    program.extend([NOP; 9]);
    program.extend([branch(1, 2, 0, -4 * 17), NOP]);
    let run = |dma: fn(u64) -> Option<bool>| {
        let mut bus = Bus::new(&program, &[NOP]);
        bus.dma = dma;
        bus.run_to(Bus::pc(program.len() - 1));
        bus.retired
    };
    let quiet = run(|_| None);
    assert!(quiet.len() > 500);
    let same = |dma: fn(u64) -> Option<bool>| {
        for (retired, expected) in run(dma).iter().zip(&quiet) {
            assert_eq!(retired, expected);
        }
    };
    // A word a cycle, in either order; and loads that receptions of a header alone break into, as often
    // as they can: each time one bank is taken twice.
    same(|cycle| Some(cycle % 2 == 0));
    same(|cycle| Some(cycle % 2 == 1));
    same(|cycle| [Some(true), Some(true), None, None, Some(true), Some(false)][cycle as usize % 6]);
    same(|cycle| [Some(false), Some(false), None, None, Some(false), Some(true)][cycle as usize % 6]);
}

#[test]
fn a_result_is_there_for_the_next_instruction() {
    let mut program = li(1, 6).to_vec();
    program.extend([
        addi(2, 1, 1),
        muldiv(0, 3, 2, 1),
        muldiv(4, 4, 3, 2),
        op(0, false, 5, 4, 3),
        csr(1, 6, csr::MSCRATCH, 5),
    ]);
    program.extend([csrr(7, csr::MSCRATCH), op(0, true, 8, 7, 2), NOP]);
    let mut bus = Bus::new(&program, &[NOP]);
    bus.run_to(Bus::pc(program.len() - 1));
    let values: Vec<u32> = bus.retired.iter().skip(5).map(|retired| retired.value).collect();
    assert_eq!(values, [7, 42, 6, 48, 0, 48, 41, 0]);
}

#[test]
fn a_store_reaches_the_next_word_behind_fence_i_and_the_second_behind_a_store() {
    let new = addi(5, 0, 2);
    for (between, place) in [(FENCE_I, 7), (sw(0, 3, 0), 7), (NOP, 7)] {
        let mut program = li(1, Bus::pc(0)).to_vec();
        program.extend(li(2, new));
        program.extend([auipc(3, 0x1000), sw(2, 1, 4 * place), between, addi(5, 0, 1), NOP]);
        let mut bus = Bus::new(&program, &[NOP]);
        bus.run_to(Bus::pc(8));
        let last = bus.retired.iter().rfind(|retired| retired.rd == 5).expect("x5 is written");
        assert_eq!(last.value, 2, "behind {between:#x}");
    }
}

#[test]
fn at_the_end_of_ram_the_next_fetch_fails() {
    let top = map::RAM_BASE + RAM_BYTES - 4;
    for (last, cost) in [(lw(2, 1, 0), timing::CYCLES_LOAD), (NOP, timing::CYCLES_ALU)] {
        let mut program = li(1, top).to_vec();
        program.push(jalr(0, 1, 0));
        let mut bus = Bus::new(&program, &[NOP]);
        bus.place(top, &[last]);
        let fault = bus.run_to(top.wrapping_add(4));
        assert_eq!((fault.trap, fault.cause), (true, csr::cause::FETCH_ACCESS));
        let began = bus.arrivals.iter().find(|arrival| arrival.1 == top).expect("it is there").0;
        assert_eq!(fault.cycle - began, cost + timing::CYCLES_ANEW);
        assert!(bus.device.is_empty());
    }
}

#[test]
fn an_interrupt_waits_for_both_halves_of_a_pair() {
    let mut program = vec![addi(1, 0, csr::INTERRUPT_TIMER as i32), csrw(csr::MIE, 1)];
    program.extend(li(2, DATA));
    program.extend([csr(6, 0, csr::MSTATUS, 8), NOP, 0, addi(4, 9, 7), NOP]);
    // What is loaded last is waited for.
    let (loads, stores) = (timing::CYCLES_LOAD_PAIR + timing::CYCLES_LATE, timing::CYCLES_STORE_PAIR);
    for (pair, cost) in [(ld(8, 2, 0), loads), (sd(8, 2, 0), stores)] {
        program[6] = pair;
        let run = |rises: u64| {
            let mut bus = Bus::new(&program, &[NOP, NOP]);
            bus.place(DATA, &[35, 36]);
            while bus.cycle < 60 {
                bus.core.irq_timer.next = bus.cycle >= rises;
                bus.step();
            }
            bus
        };
        let begins = run(1000).arrivals.iter().find(|arrival| arrival.1 == Bus::pc(6)).expect("it begins").0;
        // The line is in `mip` a cycle later, from here on too late for the pair itself.
        for rises in begins..begins + cost {
            let bus = run(rises);
            let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
            assert_eq!((trap.cycle, trap.pc), (begins + cost, Bus::pc(7)), "line up in cycle {rises}");
            let halves: Vec<bool> = bus.retired.iter().filter(|one| one.pc == Bus::pc(6)).map(|one| one.half).collect();
            assert_eq!(halves, [true, false]);
        }
        let bus = run(begins - 1);
        assert!(bus.retired.iter().all(|one| one.trap || one.pc != Bus::pc(6)), "it has not begun");
    }
}

#[test]
fn an_interrupt_waits_for_a_load_to_complete() {
    let mut program = vec![addi(1, 0, csr::INTERRUPT_TIMER as i32), csrw(csr::MIE, 1)];
    program.extend(li(2, DATA));
    program.extend([csr(6, 0, csr::MSTATUS, 8), NOP, lw(3, 2, 0), addi(4, 3, 7), NOP]);
    let run = |rises: u64| {
        let mut bus = Bus::new(&program, &[NOP, NOP]);
        bus.place(DATA, &[35]);
        while bus.cycle < 60 {
            bus.core.irq_timer.next = bus.cycle >= rises;
            bus.step();
        }
        bus
    };
    let load = run(1000).retired.iter().find(|retired| retired.load).expect("it loads").cycle;
    // The line is in `mip` a cycle later: while the load completes, or in the addition's X, which waits.
    for rises in [load, load + 1] {
        let bus = run(rises);
        let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
        assert_eq!((trap.cycle, trap.pc), (load + 2, Bus::pc(7)));
        let loaded = bus.retired.iter().find(|retired| retired.load).map(|retired| (retired.cycle, retired.value));
        assert_eq!(loaded, Some((load, 35)));
    }
    // A cycle later is too late for that X.
    let bus = run(load + 2);
    let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
    assert_eq!((trap.cycle, trap.pc), (load + 3, Bus::pc(8)));
    let sum = bus.retired.iter().find(|retired| retired.pc == Bus::pc(7)).expect("it is executed");
    assert_eq!(sum.value, 42);
}

#[test]
fn an_interrupt_waits_for_a_stalled_store() {
    let mut program = vec![addi(1, 0, csr::INTERRUPT_TIMER as i32), csrw(csr::MIE, 1)];
    program.extend(li(1, map::SMI_BASE));
    program.extend([csr(6, 0, csr::MSTATUS, 8), sw(1, 1, 0), NOP, NOP]);
    let run = |stall_until, rises| {
        let mut bus = Bus::new(&program, &[NOP, NOP]);
        bus.stall_until = stall_until;
        while bus.cycle < 40 {
            bus.core.irq_timer.next = bus.cycle >= rises;
            bus.step();
        }
        bus
    };
    let begins = run(0, 1000).device[0].0;
    let bus = run(begins + 5, begins + 1);
    assert_eq!(bus.device, vec![(begins + 5, map::SMI_BASE, Some(map::SMI_BASE))]);
    let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
    assert_eq!((trap.cycle, trap.pc), (begins + 5 + timing::CYCLES_STORE + timing::CYCLES_LATE, Bus::pc(6)));
    // In the store's first X it would have been taken.
    let bus = run(begins + 5, begins - 1);
    assert!(bus.device.is_empty());
}

#[test]
fn wfi_sleeps_until_an_enabled_line_shows_in_mip() {
    // The interrupt is enabled in `mie` but not taken, since MIE is 0.
    let program = [addi(1, 0, csr::INTERRUPT_SOFTWARE as i32), csrw(csr::MIE, 1), WFI, NOP];
    for rises in [0, 8, 9, 10, 11, 12, 30] {
        let mut bus = Bus::new(&program, &[NOP]);
        while bus.cycle < 60 {
            bus.core.irq_software.next = bus.cycle >= rises;
            bus.step();
        }
        let at = |pc| bus.arrivals.iter().find(|arrival| arrival.1 == pc).expect("it was reached").0;
        let (sleeps, wakes) = (at(Bus::pc(2)), at(Bus::pc(3)));
        // The line is in `mip` the cycle after; S, one cycle at least, puts the pc on the port in that very cycle.
        assert_eq!(wakes, (sleeps + 1).max(rises + 1) + 2, "line up in cycle {rises}");
        let retired = bus.retired.iter().find(|retired| retired.pc == Bus::pc(2)).expect("it was reached");
        assert_eq!((retired.cycle, retired.trap), (sleeps, false));
        assert_eq!(timing::CYCLES_WFI, 3);
    }
}

#[test]
fn an_interrupt_is_taken_in_x() {
    let mut program = vec![addi(1, 0, csr::INTERRUPT_TIMER as i32), csrw(csr::MIE, 1), csr(6, 0, csr::MSTATUS, 8)];
    program.extend([NOP; 10]);
    for rises in [0, 9, 10, 11, 12] {
        let mut bus = Bus::new(&program, &[NOP, NOP]);
        while bus.cycle < 60 {
            bus.core.irq_timer.next = bus.cycle >= rises;
            bus.step();
        }
        let trap = *bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
        let cause = csr::MCAUSE_INTERRUPT | csr::cause::TIMER;
        assert_eq!((trap.cause, trap.tval, trap.instruction, trap.rd), (cause, 0, 0, 0));
        let enabled = bus.arrivals.iter().find(|arrival| arrival.1 == Bus::pc(3)).expect("it arrives").0;
        // The first X with the line in `mip`, not before MIE is set.
        let expected = bus.arrivals.iter().find(|arrival| arrival.0 > rises && arrival.0 >= enabled).expect("one");
        assert_eq!((trap.cycle, trap.pc), *expected);
        let handler = bus.arrivals.iter().find(|arrival| arrival.1 == HANDLER).expect("it is reached").0;
        assert_eq!(handler - trap.cycle, timing::CYCLES_TRAP);
    }
}
