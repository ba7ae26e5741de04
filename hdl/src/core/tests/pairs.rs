//! `ld` and `sd`: what they move, what the retirement port shows of it, and what they refuse.

use super::assembler::*;
use super::bus::{Bus, Retirement, DATA, HANDLER, RAM_BYTES};
use super::times;
use testbed_definitions::{csr, csr::cause, map};

const LOW: u32 = 0x1234_5678;
const HIGH: u32 = 0x9abc_def0;

/// Runs `program` to its end with x1 = [`DATA`], where the pair ([`LOW`], [`HIGH`]) lies.
fn run(program: &[u32]) -> Bus {
    let mut code = li(1, DATA).to_vec();
    code.extend(program);
    code.push(NOP);
    let mut bus = Bus::new(&code, &[NOP]);
    bus.place(DATA, &[LOW, HIGH]);
    bus.run_to(Bus::pc(code.len() - 1));
    bus
}

/// What instruction `index` of [`run`]'s program retired.
fn retired(bus: &Bus, index: usize) -> Vec<Retirement> {
    bus.retired.iter().filter(|one| one.pc == Bus::pc(2 + index)).copied().collect()
}

/// The trap of `last` with x1 = `base`, after which the handler runs.
fn trap(base: u32, last: u32) -> (u32, u32) {
    let [first, second] = li(1, base);
    let mut bus = Bus::new(&[first, second, last], &[NOP]);
    let trap = bus.run_to(Bus::pc(2));
    assert!(trap.trap, "{trap:x?}");
    assert_eq!(bus.run_to(HANDLER).instruction, NOP);
    assert!(bus.device.is_empty(), "{:x?}", bus.device);
    assert!(bus.retired.iter().all(|one| !one.half), "nothing was begun");
    (trap.cause, trap.tval)
}

#[test]
fn a_pair_goes_from_memory_to_memory() {
    let bus = run(&[ld(10, 1, 0), sd(10, 1, 8), op(0, false, 3, 11, 0)]);
    assert_eq!((bus.word(DATA + 8), bus.word(DATA + 12)), (LOW, HIGH));
    let [low, high] = retired(&bus, 0)[..] else { panic!("{:x?}", retired(&bus, 0)) };
    assert_eq!((low.half, low.rd, low.value, low.address), (true, 10, LOW, DATA));
    assert_eq!((high.half, high.rd, high.value, high.address), (false, 11, HIGH, DATA + 4));
    assert!(low.load && high.load && high.cycle == low.cycle + 1);
    let [low, high] = retired(&bus, 1)[..] else { panic!("{:x?}", retired(&bus, 1)) };
    assert_eq!((low.half, low.data, low.mask, low.address), (true, LOW, 15, DATA + 8));
    assert_eq!((high.half, high.data, high.mask, high.address), (false, HIGH, 15, DATA + 12));
    assert!(low.store && high.store && high.cycle == low.cycle + 1);
    // The instruction after a load sees the second register.
    assert_eq!(retired(&bus, 2)[0].value, HIGH);
}

#[test]
fn the_address_may_be_in_the_pair() {
    // x2 = DATA is overwritten by the first half, or x11 = DATA by the second.
    for (rd, base) in [(2, 2), (10, 11)] {
        let bus = run(&[addi(base, 1, 0), ld(rd, base, 0), NOP]);
        let values: Vec<u32> = retired(&bus, 1).iter().map(|half| half.value).collect();
        assert_eq!(values, [LOW, HIGH], "x{rd} from x{base}");
    }
}

#[test]
fn x0_takes_and_gives_no_pair() {
    let bus = run(&[ld(0, 1, 0), sd(0, 1, 8), op(0, false, 3, 1, 0), addi(5, 0, 0)]);
    let loaded: Vec<_> = retired(&bus, 0).iter().map(|half| (half.rd, half.value, half.load)).collect();
    assert_eq!(loaded, [(0, 0, true); 2]);
    // x1 is neither stored nor written.
    assert_eq!((bus.word(DATA + 8), bus.word(DATA + 12)), (0, 0));
    assert_eq!((retired(&bus, 2)[0].value, retired(&bus, 3)[0].value), (DATA, 0));
}

#[test]
fn one_instruction_is_counted() {
    let bus = run(&[csrr(4, csr::MINSTRET), ld(10, 1, 0), sd(10, 1, 8), csrr(5, csr::MINSTRET)]);
    assert_eq!(retired(&bus, 3)[0].value - retired(&bus, 0)[0].value, 3);
}

#[test]
fn a_pair_is_aligned_and_in_ram() {
    for offset in [1, 2, 4, 6] {
        assert_eq!(trap(DATA, ld(2, 1, offset)), (cause::LOAD_MISALIGNED, DATA + offset as u32));
        assert_eq!(trap(DATA, sd(2, 1, offset)), (cause::STORE_MISALIGNED, DATA + offset as u32));
    }
    let devices = [map::CLINT_BASE, map::UART_BASE, map::CENTRENET_BASE, map::SMI_BASE, map::SYSTEM_BASE];
    for address in devices.into_iter().chain([0, map::RAM_BASE - 8, map::RAM_BASE + RAM_BYTES]) {
        assert_eq!(trap(address, ld(2, 1, 0)), (cause::LOAD_ACCESS, address), "{address:#x}");
        assert_eq!(trap(address, sd(2, 1, 0)), (cause::STORE_ACCESS, address), "{address:#x}");
    }
}

#[test]
fn odd_registers_are_reserved() {
    for word in [ld(1, 2, 0), ld(31, 2, 0), sd(1, 2, 0), sd(31, 2, 0)] {
        assert_eq!(trap(DATA, word), (cause::ILLEGAL, word));
    }
}

#[test]
fn at_the_end_of_ram_the_next_word_is_fetched_late() {
    let top = map::RAM_BASE + RAM_BYTES - 4;
    for pair in [ld(2, 1, 0), sd(2, 1, 0)] {
        let mut program = li(1, DATA).to_vec();
        program.extend(li(3, top));
        program.push(jalr(0, 3, 0));
        let mut bus = Bus::new(&program, &[NOP]);
        bus.place(top, &[pair]);
        let fault = bus.run_to(top.wrapping_add(4));
        assert_eq!((fault.trap, fault.cause), (true, cause::FETCH_ACCESS));
        let arrived = bus.arrivals.iter().find(|arrival| arrival.1 == top).expect("it arrives").0;
        assert_eq!(fault.cycle - arrived, times::CYCLES_LOAD_PAIR + times::CYCLES_NOT_AHEAD);
    }
}
