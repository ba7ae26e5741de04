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
    assert_eq!(cycles(&program), expected);
}

#[test]
fn no_neighbour_costs_anything() {
    // Each class before each, with a register that the first writes and the second reads.
    let classes = [
        (addi(2, 1, 0), timing::CYCLES_ALU),
        (lw(2, 1, 0), timing::CYCLES_LOAD),
        (sw(2, 1, 0), timing::CYCLES_STORE),
        (ld(2, 1, 0), timing::CYCLES_LOAD_PAIR),
        (sd(2, 1, 0), timing::CYCLES_STORE_PAIR),
        (muldiv(0, 2, 1, 2), timing::CYCLES_MULTIPLY),
        (muldiv(5, 2, 1, 2), timing::CYCLES_DIVIDE),
        (branch(0, 2, 2, 4), timing::CYCLES_JUMP),
        (branch(1, 2, 2, 4), timing::CYCLES_ALU),
        (csrr(2, csr::MSCRATCH), timing::CYCLES_ALU),
    ];
    for (first, cost) in classes {
        for (second, more) in classes {
            let mut program = li(1, DATA).to_vec();
            program.extend([NOP, first, second, NOP]);
            assert_eq!(cycles(&program)[3..5], [cost, more], "{first:#x} before {second:#x}");
        }
    }
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
fn at_the_end_of_ram_nothing_is_read_ahead() {
    let top = map::RAM_BASE + RAM_BYTES - 4;
    for (last, cost) in [(lw(2, 1, 0), timing::CYCLES_LOAD), (NOP, timing::CYCLES_ALU)] {
        let mut program = li(1, top).to_vec();
        program.push(jalr(0, 1, 0));
        let mut bus = Bus::new(&program, &[NOP]);
        bus.place(top, &[last]);
        let fault = bus.run_to(top.wrapping_add(4));
        assert_eq!((fault.trap, fault.cause), (true, csr::cause::FETCH_ACCESS));
        let began = bus.arrivals.iter().find(|arrival| arrival.1 == top).expect("it is there").0;
        assert_eq!(fault.cycle - began, cost + timing::CYCLES_NOT_AHEAD);
        assert!(bus.device.is_empty());
    }
}

#[test]
fn an_interrupt_waits_for_both_halves_of_a_pair() {
    let mut program = vec![addi(1, 0, csr::INTERRUPT_TIMER as i32), csrw(csr::MIE, 1)];
    program.extend(li(2, DATA));
    program.extend([csr(6, 0, csr::MSTATUS, 8), NOP, 0, addi(4, 9, 7), NOP]);
    for pair in [ld(8, 2, 0), sd(8, 2, 0)] {
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
        for rises in begins..begins + 3 {
            let bus = run(rises);
            let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
            assert_eq!((trap.cycle, trap.pc), (begins + 3, Bus::pc(7)), "line up in cycle {rises}");
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
    // The line is in `mip` a cycle later: while the load completes, or in the addition's X.
    for rises in [load - 1, load] {
        let bus = run(rises);
        let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
        assert_eq!((trap.cycle, trap.pc), (load + 1, Bus::pc(7)));
        let loaded = bus.retired.iter().find(|retired| retired.load).map(|retired| (retired.cycle, retired.value));
        assert_eq!(loaded, Some((load, 35)));
    }
    // A cycle later is too late for that X.
    let bus = run(load + 1);
    let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
    assert_eq!((trap.cycle, trap.pc), (load + 2, Bus::pc(8)));
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
    assert_eq!((trap.cycle, trap.pc), (begins + 5 + timing::CYCLES_STORE, Bus::pc(6)));
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
