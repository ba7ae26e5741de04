//! Every exception: cause, `mtval`, what is left undone; priorities.

use super::assembler::*;
use super::bus::{Bus, Retirement, DATA, HANDLER};
use testbed_definitions::{csr, csr::cause, map};

/// Runs `program`, the last instruction of which must trap, and returns that trap.
fn trap_of(program: &[u32]) -> Retirement {
    let mut bus = Bus::new(program, &[NOP]);
    let trap = bus.run_to(Bus::pc(program.len() - 1));
    assert!(trap.trap, "{trap:x?}");
    // Nothing of the instruction is seen, and the handler comes next.
    assert_eq!((trap.rd, trap.value, trap.load, trap.store, trap.mask), (0, 0, false, false, 0));
    assert_eq!(bus.run_to(HANDLER).instruction, NOP);
    assert!(bus.device.is_empty(), "{:x?}", bus.device);
    trap
}

/// Cause and value of the trap of `last` with x1 = `base`.
fn with_base(base: u32, last: u32) -> (u32, u32) {
    let [first, second] = li(1, base);
    let trap = trap_of(&[first, second, last]);
    (trap.cause, trap.tval)
}

#[test]
fn illegal_instructions() {
    let words = [
        0,
        0xffff_ffff,
        0x0000_0001,
        MRET & !0x3000_0000,
        ECALL | 1 << 7,
        EBREAK | 1 << 15,
        WFI | 1 << 21,
        // Unassigned functions.
        op(1, true, 1, 2, 3),
        r(0x33, 0, 2, 1, 2, 3),
        i(0x13, 1, 1, 2, 0x400),
        i(0x13, 5, 1, 2, 0x20),
        load(3, 1, 2, 0),
        load(6, 1, 2, 0),
        load(7, 1, 2, 0),
        store(3, 1, 2, 0),
        branch(2, 1, 2, 8),
        branch(3, 1, 2, 8),
        jalr(1, 2, 0) | 1 << 12,
        FENCE | 2 << 12,
        csr(4, 1, csr::MSTATUS, 0),
        // CSRs: unknown, unknown, supervisor's, read-only ones.
        csrr(1, 0x7ff),
        csrr(1, 0xb01),
        csrr(1, 0x100),
        csrw(csr::CYCLE, 0),
        csr_set(csr::MHARTID, 1),
    ];
    for word in words {
        let trap = trap_of(&[word]);
        assert_eq!((trap.cause, trap.tval, trap.instruction), (cause::ILLEGAL, word, word), "{word:#x}");
    }
}

#[test]
fn environment() {
    let trap = trap_of(&[ECALL]);
    assert_eq!((trap.cause, trap.tval), (cause::ECALL_M, 0));
    let trap = trap_of(&[NOP, EBREAK]);
    assert_eq!((trap.cause, trap.tval), (cause::BREAKPOINT, Bus::pc(1)));
}

#[test]
fn misaligned_targets_leave_rd() {
    let trap = trap_of(&[jal(1, 6)]);
    assert_eq!((trap.cause, trap.tval), (cause::FETCH_MISALIGNED, Bus::pc(0) + 6));
    let trap = trap_of(&[branch(0, 0, 0, -6)]);
    assert_eq!((trap.cause, trap.tval), (cause::FETCH_MISALIGNED, Bus::pc(0) - 6));
    // Bit 0 is cleared first.
    assert_eq!(with_base(DATA, jalr(2, 1, 3)), (cause::FETCH_MISALIGNED, DATA + 2));
    // A branch that is not taken has no target.
    let mut bus = Bus::new(&[branch(1, 0, 0, 6), NOP], &[NOP]);
    assert!(!bus.run_to(Bus::pc(1)).trap);
}

#[test]
fn misaligned_data_goes_before_everything() {
    for offset in [1, 2, 3] {
        assert_eq!(with_base(DATA, lw(2, 1, offset)), (cause::LOAD_MISALIGNED, DATA + offset as u32));
        assert_eq!(with_base(DATA, sw(2, 1, offset)), (cause::STORE_MISALIGNED, DATA + offset as u32));
    }
    assert_eq!(with_base(DATA, load(1, 2, 1, 1)), (cause::LOAD_MISALIGNED, DATA + 1));
    assert_eq!(with_base(DATA, store(1, 2, 1, 3)), (cause::STORE_MISALIGNED, DATA + 3));
    // Not an access fault, though there is nothing.
    assert_eq!(with_base(0, lw(2, 1, 2)), (cause::LOAD_MISALIGNED, 2));
}

#[test]
fn access_faults() {
    let nowhere =
        [0, 0x0201_0000, 0x1000_0000 - 4, map::MMI_BASE, 0x1005_0000, map::RAM_BASE - 4, map::RAM_BASE + 0x1_0000];
    for address in nowhere {
        assert_eq!(with_base(address, load(0, 2, 1, 0)), (cause::LOAD_ACCESS, address), "{address:#x}");
        assert_eq!(with_base(address, store(0, 2, 1, 0)), (cause::STORE_ACCESS, address), "{address:#x}");
    }
}

#[test]
fn devices_that_are_there() {
    let devices = [map::CLINT_BASE, map::UART_BASE, map::CENTRENET_BASE, map::SMI_BASE, map::SYSTEM_BASE];
    for base in devices {
        let mut program = li(1, base).to_vec();
        program.extend([addi(2, 0, 0x5a), store(0, 2, 1, 6), load(5, 3, 1, 4), NOP]);
        let mut bus = Bus::new(&program, &[NOP]);
        bus.run_to(Bus::pc(5));
        let [write, read] = bus.device[..] else { panic!("{:x?}", bus.device) };
        assert_eq!((write.1, write.2), (base + 6, Some(0x5a5a_5a5a)));
        assert_eq!((read.1, read.2), (base + 4, None));
        let loaded = bus.retired.iter().find(|retired| retired.load).expect("it loads");
        assert_eq!((loaded.value, loaded.address, loaded.data, loaded.mask), (0xd0d0, base + 4, 0, 0));
        let stored = bus.retired.iter().find(|retired| retired.store).expect("it stores");
        assert_eq!((stored.address, stored.data, stored.mask), (base + 6, 0x5a_0000, 4));
    }
}

#[test]
fn a_fetch_outside_ram_traps_when_it_arrives() {
    for target in [0, map::UART_BASE, map::RAM_BASE + 0x1_0000] {
        let mut program = li(1, target).to_vec();
        program.push(jalr(2, 1, 0));
        let mut bus = Bus::new(&program, &[NOP]);
        let trap = bus.run_to(target);
        assert_eq!((trap.trap, trap.cause, trap.tval, trap.instruction), (true, cause::FETCH_ACCESS, target, 0));
        assert_eq!(bus.retired[bus.retired.len() - 2].value, Bus::pc(3), "the jump itself is done");
        assert!(bus.device.is_empty());
    }
}

#[test]
fn interrupts_have_priorities_and_go_before_fetch_faults() {
    let lines = csr::INTERRUPT_EXTERNAL | csr::INTERRUPT_SOFTWARE | csr::INTERRUPT_TIMER;
    let cases = [(7, cause::EXTERNAL), (3, cause::SOFTWARE), (1, cause::TIMER), (5, cause::EXTERNAL)];
    for (raised, expected) in cases {
        let mut program = li(1, lines).to_vec();
        program.extend([csrw(csr::MIE, 1), lui(1, 0), csr(6, 0, csr::MSTATUS, 8), jalr(0, 1, 0)]);
        let mut bus = Bus::new(&program, &[csrr(3, csr::MEPC), csrr(4, csr::MIP), csrr(5, csr::MSTATUS)]);
        // The lines rise so that the first arrival that sees them is that of the faulting fetch.
        while bus.arrivals.last().is_none_or(|arrival| arrival.1 != Bus::pc(5)) {
            bus.step();
        }
        bus.core.irq_timer.next = raised & 1 == 1;
        bus.core.irq_software.next = raised & 2 == 2;
        bus.core.irq_external.next = raised & 4 == 4;
        let trap = bus.run_to(0);
        assert_eq!((trap.cause, trap.tval), (csr::MCAUSE_INTERRUPT | expected, 0));
        assert_eq!(bus.run_to(HANDLER).value, 0, "mepc");
        let pending = (raised & 1) << 7 | (raised & 2) << 2 | (raised & 4) << 9;
        assert_eq!(bus.run_to(HANDLER + 4).value, pending, "mip");
        assert_eq!(bus.run_to(HANDLER + 8).value, csr::MSTATUS_MPP | csr::MSTATUS_MPIE, "mstatus");
    }
}
