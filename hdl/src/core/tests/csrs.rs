//! Counters and status, as programs see them.

use super::assembler::*;
use super::bus::{Bus, HANDLER};
use super::times;
use testbed_definitions::csr;

/// What the CSR instruction at `index` of `program` read.
fn read_at(program: &[u32], index: usize) -> u32 {
    let mut bus = Bus::new(program, &[NOP]);
    let retired = bus.run_to(Bus::pc(index));
    assert!(!retired.trap, "{retired:x?}");
    retired.value
}

#[test]
fn mcycle_counts_from_cycle_zero() {
    let mut bus =
        Bus::new(&[csrr(1, csr::MCYCLE), csrr(2, csr::CYCLE), csrr(3, csr::TIME), csrr(4, csr::TIMEH)], &[NOP]);
    for index in 0..3 {
        let retired = bus.run_to(Bus::pc(index));
        assert_eq!(u64::from(retired.value), retired.cycle);
    }
    assert_eq!(bus.run_to(Bus::pc(3)).value, 0x77);
}

#[test]
fn a_write_to_half_a_counter_suppresses_that_count() {
    // Two cycles lie between an instruction's and the next but `gap`: the value shows in the cycle
    // after the write, and counts once.
    let gap = 2 / times::CYCLES_ALU as usize - 1;
    let apart = |first: u32, others: &[u32]| {
        let mut program = vec![addi(1, 0, first as i32)];
        for &word in others {
            program.push(word);
            program.extend(vec![NOP; gap]);
        }
        program
    };
    let place = |index: usize| 1 + index * (1 + gap);
    let program = apart(100, &[csrw(csr::MCYCLE, 1), csrr(2, csr::MCYCLE)]);
    assert_eq!(read_at(&program, place(1)), 101);
    // All ones become 0 and carry; the high half is read two cycles later.
    let program = apart(u32::MAX, &[csrw(csr::MCYCLE, 1), csrr(2, csr::MCYCLEH), csrr(3, csr::MCYCLE)]);
    assert_eq!((read_at(&program, place(1)), read_at(&program, place(2))), (1, 2));
    // Writing the high half keeps the low one: the X of the write is in the same cycle in both.
    let program = [addi(1, 0, 7), csrw(csr::MCYCLEH, 1), csrr(2, csr::MCYCLE), csrr(3, csr::MCYCLEH)];
    let plain = [addi(1, 0, 7), NOP, csrr(2, csr::MCYCLE)];
    assert_eq!(read_at(&program, 2), read_at(&plain, 2) - 1);
    assert_eq!(read_at(&program, 3), 7);
}

#[test]
fn minstret_counts_what_retired_before() {
    assert_eq!(read_at(&[csrr(1, csr::MINSTRET)], 0), 3);
    assert_eq!(read_at(&[NOP, muldiv(4, 1, 1, 1), csrr(1, csr::INSTRET)], 2), 5);
    assert_eq!(read_at(&[addi(1, 0, 50), csrw(csr::MINSTRET, 1), csrr(1, csr::MINSTRET)], 2), 50);
    let program = [addi(1, 0, -1), csrw(csr::MINSTRET, 1), NOP, csrr(1, csr::MINSTRETH), csrr(1, csr::MINSTRET)];
    assert_eq!((read_at(&program, 3), read_at(&program, 4)), (1, 1));
    // A trap does not count, the handler's first instruction sees the number before it.
    let mut bus = Bus::new(&[ECALL], &[csrr(1, csr::MINSTRET)]);
    assert_eq!(bus.run_to(HANDLER).value, 3);
}

#[test]
fn fields_that_can_be_written() {
    let ones = |number| read_at(&[addi(1, 0, -1), csrw(number, 1), csrr(2, number)], 2);
    let status = csr::MSTATUS_MIE | csr::MSTATUS_MPIE | csr::MSTATUS_MPP | csr::MSTATUS_MPRV;
    let expected = [
        (csr::MSTATUS, status),
        (csr::MISA, csr::MISA_VALUE),
        (csr::MIE, csr::INTERRUPT_EXTERNAL | csr::INTERRUPT_SOFTWARE | csr::INTERRUPT_TIMER),
        (csr::MTVEC, !3),
        (csr::MCOUNTEREN, 7),
        (csr::MENVCFG, 0),
        (csr::MENVCFGH, 0),
        (csr::MSTATUSH, 0),
        (csr::MCOUNTINHIBIT, 0),
        (csr::MHPMEVENT3, 0),
        (csr::MHPMEVENT31, 0),
        (csr::MSCRATCH, !0),
        (csr::MEPC, !3),
        (csr::MCAUSE, csr::MCAUSE_MASK),
        (csr::MTVAL, !0),
        (csr::MIP, 0),
        (csr::TSELECT, 0),
        (csr::TDATA3, 0),
        (csr::PMBASE, csr::PMBASE_MASK),
        (csr::MHPMCOUNTER3, 0),
        (csr::MHPMCOUNTER31, 0),
        (csr::MHPMCOUNTER3H, 0),
        (csr::MHPMCOUNTER31H, 0),
    ];
    for (number, value) in expected {
        assert_eq!(ones(number), value, "{number:#x}");
    }
    let constant = [
        (csr::MVENDORID, 0),
        (csr::MARCHID, 0),
        (csr::MIMPID, csr::MIMPID_VALUE),
        (csr::MHARTID, 5),
        (csr::MCONFIGPTR, 0),
        (0xc03, 0),
        (0xc9f, 0),
    ];
    for (number, value) in constant {
        assert_eq!(read_at(&[csrr(1, number)], 0), value, "{number:#x}");
    }
}

#[test]
fn mpp_of_one_or_two_means_user() {
    for pattern in [1, 2] {
        let program = [lui(1, pattern << 11), addi(1, 1, 0), csrw(csr::MSTATUS, 1), csrr(2, csr::MSTATUS)];
        let mut program = program.to_vec();
        program.splice(0..2, li(1, pattern << 11));
        assert_eq!(read_at(&program, 3), 0, "{pattern}");
    }
}

#[test]
fn set_clear_and_immediates() {
    let program = [
        csr(5, 0, csr::MSCRATCH, 0x1f),
        csr(6, 1, csr::MSCRATCH, 0),
        csr(7, 2, csr::MSCRATCH, 0x15),
        addi(3, 0, 0x700),
        csr(2, 4, csr::MSCRATCH, 3),
        csr(3, 5, csr::MSCRATCH, 3),
        csr(1, 6, csr::MSCRATCH, 0),
        csrr(7, csr::MSCRATCH),
    ];
    let read: Vec<u32> = [1, 2, 4, 5, 6, 7].map(|index| read_at(&program, index)).into();
    assert_eq!(read, [0x1f, 0x1f, 0x0a, 0x70a, 0x0a, 0]);
}

#[test]
fn what_user_mode_may() {
    let tries = |enable: i32, word| {
        let mut program = vec![addi(1, 0, enable), csrw(csr::MCOUNTEREN, 1)];
        let user = Bus::pc(2 + 10);
        program.extend(enter_user(user, 0));
        assert_eq!(program.len(), 12, "the user's code follows");
        program.push(word);
        let mut bus = Bus::new(&program, &[csrr(1, csr::MSTATUS)]);
        let retired = bus.run_to(user);
        if retired.trap {
            assert_eq!((retired.cause, retired.tval), (csr::cause::ILLEGAL, word));
            assert_eq!(bus.run_to(HANDLER).value & csr::MSTATUS_MPP, 0, "it came from user mode");
        }
        !retired.trap
    };
    for (bit, low, high) in [(0, csr::CYCLE, csr::CYCLEH), (1, csr::TIME, csr::TIMEH), (2, csr::INSTRET, csr::INSTRETH)]
    {
        for number in [low, high] {
            assert!(tries(1 << bit, csrr(1, number)), "{number:#x}");
            assert!(!tries(7 & !(1 << bit), csrr(1, number)), "{number:#x}");
        }
    }
    for word in [csrr(1, csr::MSTATUS), csrr(1, csr::PMBASE), csrr(1, csr::MHARTID), csrr(1, 0xc03), MRET] {
        assert!(!tries(7, word), "{word:#x}");
    }
    assert!(tries(0, WFI));
}
