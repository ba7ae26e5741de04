//! Cycles of every class of instruction against `definitions::timing`.

use super::assembler::*;
use super::bus::{Bus, DATA, HANDLER, RAM_BYTES};
use super::classes::cycles;
use testbed_definitions::{csr, map, timing};

#[test]
fn the_first_instruction_arrives_when_it_should() {
    let mut bus = Bus::new(&[NOP], &[NOP]);
    bus.run(10);
    assert_eq!(bus.arrivals[0], (timing::FIRST_ARRIVAL, map::RAM_BASE));
    assert_eq!(bus.retired[0].cycle, timing::FIRST_ARRIVAL + 1);
}

#[test]
fn two_cycles_for_what_computes_and_jumps() {
    let mut program = vec![lui(1, 0x1000), auipc(2, 0), FENCE, FENCE_I, csrr(3, csr::MCYCLE), csrw(csr::MSCRATCH, 3)];
    program.extend((0..8).map(|funct3| op(funct3, false, 4, 1, 2)));
    program.extend([op(0, true, 4, 1, 2), op(5, true, 4, 1, 2), jal(1, 4), auipc(5, 0), jalr(1, 5, 8)]);
    // Equal registers: taken for beq, bge, bgeu, not for bne, blt, bltu.
    program.extend([0, 1, 4, 5, 6, 7].map(|funct3| branch(funct3, 1, 1, 4)));
    assert_eq!(cycles(&program), vec![timing::CYCLES_ALU; program.len()]);
}

#[test]
fn at_the_end_of_ram_nothing_is_read_ahead() {
    let top = map::RAM_BASE + RAM_BYTES - 4;
    let mut program = li(1, top).to_vec();
    program.push(jalr(0, 1, 0));
    let mut bus = Bus::new(&program, &[NOP]);
    bus.place(top, &[lw(2, 1, 0)]);
    let fault = bus.run_to(top.wrapping_add(4));
    assert_eq!((fault.trap, fault.cause), (true, csr::cause::FETCH_ACCESS));
    let arrived = bus.arrivals.iter().find(|arrival| arrival.1 == top).expect("it arrives").0;
    assert_eq!(fault.cycle - arrived, timing::CYCLES_LOAD + timing::CYCLES_NOT_AHEAD);
    assert!(bus.device.is_empty());
}

#[test]
fn an_interrupt_waits_for_both_halves_of_a_pair() {
    let mut program = vec![addi(1, 0, csr::INTERRUPT_TIMER as i32), csrw(csr::MIE, 1)];
    program.extend(li(2, DATA));
    program.extend([csr(6, 0, csr::MSTATUS, 8), NOP, 0, addi(4, 9, 7), NOP]);
    for pair in [ld(8, 2, 0), sd(8, 2, 0)] {
        program[6] = pair;
        let loads = pair == ld(8, 2, 0);
        let run = |rises: u64| {
            let mut bus = Bus::new(&program, &[NOP, NOP]);
            bus.place(DATA, &[35, 36]);
            while bus.cycle < 60 {
                bus.core.irq_timer.next = bus.cycle >= rises;
                bus.step();
            }
            bus
        };
        let arrives = run(1000).arrivals.iter().find(|arrival| arrival.1 == Bus::pc(6)).expect("it arrives").0;
        // From the cycle after its arrival on, the line is too late for the pair itself.
        for rises in arrives..arrives + 3 {
            let bus = run(rises);
            let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
            // The load is completed in the next arrival, which then comes again.
            let expected = arrives + 3 + u64::from(loads);
            assert_eq!((trap.cycle, trap.pc), (expected, Bus::pc(7)), "line up in cycle {rises}");
            let halves: Vec<bool> = bus.retired.iter().filter(|one| one.pc == Bus::pc(6)).map(|one| one.half).collect();
            assert_eq!(halves, [true, false]);
        }
        let bus = run(arrives - 1);
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
    // The line is in `mip` a cycle later: on arrival of the addition, while the load completes;
    // then on a late second look.
    let bus = run(load - 1);
    let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
    assert_eq!((trap.cycle, trap.pc), (load + 1, Bus::pc(7)));
    assert_eq!(
        bus.retired.iter().find(|retired| retired.load).map(|retired| (retired.cycle, retired.value)),
        Some((load, 35))
    );
    // A cycle later is too late for that arrival.
    let bus = run(load);
    let trap = bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
    assert_eq!((trap.cycle, trap.pc), (load + 2, Bus::pc(8)));
    let sum = bus.retired.iter().find(|retired| retired.pc == Bus::pc(7)).expect("it is executed");
    assert_eq!(sum.value, 42);
}

#[test]
fn wfi_sleeps_until_an_enabled_line_shows_in_mip() {
    // The interrupt is enabled in `mie` but not taken, since MIE is 0.
    let program = [addi(1, 0, csr::INTERRUPT_SOFTWARE as i32), csrw(csr::MIE, 1), WFI, NOP];
    for rises in [0, 14, 15, 16, 17, 30] {
        let mut bus = Bus::new(&program, &[NOP]);
        while bus.cycle < 60 {
            bus.core.irq_software.next = bus.cycle >= rises;
            bus.step();
        }
        let at = |pc| bus.arrivals.iter().find(|arrival| arrival.1 == pc).expect("it was reached").0;
        let (sleeps, wakes) = (at(Bus::pc(2)), at(Bus::pc(3)));
        // The line is in `mip` the cycle after; S, one cycle at least, puts the pc on the port in that very cycle.
        assert_eq!(wakes, (sleeps + 2).max(rises + 1) + 1, "line up in cycle {rises}");
        let retired = bus.retired.iter().find(|retired| retired.pc == Bus::pc(2)).expect("it was reached");
        assert_eq!((retired.cycle, retired.trap), (sleeps + 1, false));
        assert_eq!(timing::CYCLES_WFI, 3);
    }
}

#[test]
fn an_interrupt_is_taken_on_arrival() {
    let mut program = vec![addi(1, 0, csr::INTERRUPT_TIMER as i32), csrw(csr::MIE, 1), csr(6, 0, csr::MSTATUS, 8)];
    program.extend([NOP; 10]);
    for rises in [0, 18, 19, 20] {
        let mut bus = Bus::new(&program, &[NOP, NOP]);
        while bus.cycle < 60 {
            bus.core.irq_timer.next = bus.cycle >= rises;
            bus.step();
        }
        let trap = *bus.retired.iter().find(|retired| retired.trap).expect("it is taken");
        let cause = csr::MCAUSE_INTERRUPT | csr::cause::TIMER;
        assert_eq!((trap.cause, trap.tval, trap.instruction, trap.rd), (cause, 0, 0, 0));
        let enabled = bus.arrivals.iter().find(|arrival| arrival.1 == Bus::pc(3)).expect("it arrives").0;
        // The first arrival with the line in `mip`, not before MIE is set.
        let expected = bus.arrivals.iter().find(|arrival| arrival.0 > rises && arrival.0 >= enabled).expect("one");
        assert_eq!((trap.cycle, trap.pc), *expected);
        let handler = bus.arrivals.iter().find(|arrival| arrival.1 == HANDLER).expect("it is reached").0;
        assert_eq!(handler - trap.cycle, timing::CYCLES_TRAP_ON_ARRIVAL);
    }
}
