//! Translation: walks, what they cost, every page fault, the TLB.

use super::assembler::*;
use super::bus::{Bus, HANDLER, START};
use super::times;
use testbed_definitions::{csr, csr::cause, map, page};

/// Offset of the page map in RAM.
const MAP: u32 = 0x8000;
/// Physical page of the user's code, and of its data.
const CODE: u32 = 0x2000 >> page::PAGE_SHIFT;
const DATA: u32 = 0x3000 >> page::PAGE_SHIFT;
const ALL: u32 = page::PTE_VALID | page::PTE_READ | page::PTE_WRITE | page::PTE_EXECUTE;

fn entry(physical: u32, bits: u32) -> u32 {
    physical << page::PTE_PAGE_SHIFT | bits
}

/// A machine that enters user mode at virtual address `at` with `map` (virtual page, entry) and `user` at the start of
/// the physical page [`CODE`].
fn machine(at: u32, map: &[(u32, u32)], user: &[u32]) -> Bus {
    let mut program = li(1, MAP | csr::PMBASE_ENABLE).to_vec();
    program.push(csrw(csr::PMBASE, 1));
    program.extend(enter_user(at, 0));
    let mut bus = Bus::new(&program, &[NOP, NOP]);
    for &(virtual_page, entry) in map {
        bus.place(map::RAM_BASE + MAP + 4 * virtual_page, &[entry]);
    }
    bus.place(map::RAM_BASE + (CODE << page::PAGE_SHIFT), user);
    bus
}

/// Cycle of the first arrival at `pc`.
fn arrival(bus: &Bus, pc: u32) -> u64 {
    bus.arrivals.iter().find(|arrival| arrival.1 == pc).expect("it arrives").0
}

#[test]
fn a_walk_costs_three_cycles_and_a_hit_none() {
    let data = page::DATA_BASE;
    let map = [(0, entry(CODE, page::PTE_VALID | page::PTE_EXECUTE)), (data >> 10, entry(DATA, ALL))];
    let user = [lui(2, data), sw(2, 2, 4), lw(3, 2, 4), lw(4, 2, 4), NOP];
    let mut bus = machine(0, &map, &user);
    bus.run_to(16);
    // `mret` ends in the F that misses, W, T, and the F that hits.
    let mret = bus.retired.iter().find(|retired| retired.instruction == MRET).expect("it returns").pc;
    assert_eq!(arrival(&bus, 0), arrival(&bus, mret) + times::CYCLES_MRET + times::CYCLES_WALK);
    let cycles: Vec<u64> = (0..4).map(|n| arrival(&bus, 4 * n + 4) - arrival(&bus, 4 * n)).collect();
    let store = times::CYCLES_STORE + times::CYCLES_WALK;
    assert_eq!(cycles, [times::CYCLES_ALU, store, times::CYCLES_LOAD, times::CYCLES_LOAD]);
    let stored = bus.retired.iter().find(|retired| retired.store && retired.pc == 4).expect("it stores");
    assert_eq!(stored.address, map::RAM_BASE + (DATA << 10) + 4);
    assert_eq!(bus.word(stored.address), data);
    let loaded: Vec<u32> = bus.retired.iter().filter(|retired| retired.load).map(|retired| retired.value).collect();
    assert_eq!(loaded, [data, data]);
}

#[test]
fn a_pair_is_translated_once_and_stores_both_registers_after_a_walk() {
    let data = page::DATA_BASE;
    let map = [(0, entry(CODE, page::PTE_VALID | page::PTE_EXECUTE)), (data >> 10, entry(DATA, ALL))];
    let user = [lui(2, data), addi(4, 0, 7), addi(5, 0, 8), sd(4, 2, 16), ld(6, 2, 16), NOP];
    let mut bus = machine(0, &map, &user);
    bus.run_to(20);
    let cycles: Vec<u64> = (3..5).map(|n| arrival(&bus, 4 * n + 4) - arrival(&bus, 4 * n)).collect();
    assert_eq!(cycles, [times::CYCLES_STORE_PAIR + times::CYCLES_WALK, times::CYCLES_LOAD_PAIR]);
    let physical = map::RAM_BASE + (DATA << 10) + 16;
    assert_eq!((bus.word(physical), bus.word(physical + 4)), (7, 8));
    let loaded: Vec<(u32, u32)> =
        bus.retired.iter().filter(|one| one.load).map(|one| (one.address, one.value)).collect();
    assert_eq!(loaded, [(physical, 7), (physical + 4, 8)]);
}

#[test]
fn every_way_to_ask_for_an_instruction_can_miss() {
    // In user mode, the last word of a page is each of these in turn; the next page has not been walked yet.
    let last = [
        (NOP, times::CYCLES_ALU + times::CYCLES_PORT_FREE),
        (jal(0, 4), times::CYCLES_JUMP),
        (lw(3, 0, 0), times::CYCLES_LOAD + times::CYCLES_NOT_AHEAD),
        (sw(0, 0, 4), times::CYCLES_STORE + times::CYCLES_NOT_AHEAD),
        (ld(4, 0, 0), times::CYCLES_LOAD_PAIR + times::CYCLES_NOT_AHEAD),
        (sd(0, 0, 8), times::CYCLES_STORE_PAIR + times::CYCLES_NOT_AHEAD),
        (muldiv(0, 1, 1, 1), times::CYCLES_MULTIPLY + times::CYCLES_PORT_FREE),
        (muldiv(4, 1, 1, 1), times::CYCLES_DIVIDE + times::CYCLES_PORT_FREE),
        (WFI, times::CYCLES_WFI),
    ];
    let physical = map::RAM_BASE + (CODE << 10);
    for (word, cost) in last {
        let pages = [(0, entry(CODE, ALL)), (1, entry(CODE + 1, ALL)), (2, entry(CODE + 2, 0))];
        let mut bus = machine(0x3f8, &pages, &[]);
        bus.place(physical + 0x3f8, &[NOP, word, NOP, jal(0, 0x400 - 8)]);
        bus.place(physical + 0x7fc, &[word]);
        bus.run_to(0x3f8);
        // Asleep until here: a line would have been taken. Only `wfi` needs it.
        if word == WFI {
            bus.run(20);
            assert_eq!(bus.arrivals.last().expect("some").1, 0x3fc);
            continue;
        }
        bus.run_to(0x404);
        assert_eq!(arrival(&bus, 0x400) - arrival(&bus, 0x3fc), cost + times::CYCLES_WALK, "{word:#x}");
        // The page after that has no entry: what was executed counts, and the fault comes on arrival.
        let trap = bus.run_to(0x800);
        assert_eq!((trap.trap, trap.cause, trap.tval), (true, cause::FETCH_PAGE, 0x800));
        let done = bus.retired[bus.retired.len() - 2];
        assert_eq!((done.pc, done.trap), (0x7fc, false));
    }
}

#[test]
fn page_faults_of_data() {
    let data = page::DATA_BASE;
    let cases = [
        (lw(3, 2, 8), ALL & !page::PTE_READ, Some(cause::LOAD_PAGE)),
        (lw(3, 2, 8), ALL & !page::PTE_VALID, Some(cause::LOAD_PAGE)),
        (lw(3, 2, 8), page::PTE_VALID | page::PTE_READ, None),
        (ld(4, 2, 8), ALL & !page::PTE_READ, Some(cause::LOAD_PAGE)),
        (ld(4, 2, 8), ALL & !page::PTE_VALID, Some(cause::LOAD_PAGE)),
        (ld(4, 2, 8), page::PTE_VALID | page::PTE_READ, None),
        (sd(4, 2, 8), ALL & !page::PTE_WRITE, Some(cause::STORE_PAGE)),
        (sd(4, 2, 8), ALL & !page::PTE_VALID, Some(cause::STORE_PAGE)),
        (sd(4, 2, 8), page::PTE_VALID | page::PTE_WRITE, None),
        (sw(3, 2, 8), ALL & !page::PTE_WRITE, Some(cause::STORE_PAGE)),
        (sw(3, 2, 8), ALL & !page::PTE_VALID, Some(cause::STORE_PAGE)),
        (sw(3, 2, 8), page::PTE_VALID | page::PTE_WRITE, None),
    ];
    for (word, bits, expected) in cases {
        let map = [(0, entry(CODE, ALL)), (data >> 10, entry(DATA, bits))];
        let mut bus = machine(0, &map, &[lui(2, data), word, NOP]);
        let retired = bus.run_to(4);
        assert_eq!(retired.trap.then_some(retired.cause), expected);
        if expected.is_some() {
            assert_eq!((retired.tval, retired.instruction), (data + 8, word));
            bus.run_to(HANDLER);
            // X that misses, W, T that traps, F, and a D before or after.
            assert_eq!(arrival(&bus, HANDLER) - arrival(&bus, 4), 5);
        }
    }
}

#[test]
fn rights_are_those_of_the_entry_that_was_filled() {
    // The first load fills the entry; the store then faults on the hit, in X.
    let data = page::DATA_BASE;
    let map = [(0, entry(CODE, ALL)), (data >> 10, entry(DATA, page::PTE_VALID | page::PTE_READ))];
    let mut bus = machine(0, &map, &[lui(2, data), lw(3, 2, 0), sw(3, 2, 0), NOP]);
    let trap = bus.run_to(8);
    assert_eq!((trap.trap, trap.cause, trap.tval), (true, cause::STORE_PAGE, data));
    bus.run_to(HANDLER);
    assert_eq!(arrival(&bus, HANDLER) - arrival(&bus, 8), times::CYCLES_TRAP);
}

#[test]
fn addresses_above_the_user_space_fault_without_a_walk() {
    let map = [(0, entry(CODE, ALL))];
    let mut bus = machine(0, &map, &[lui(2, page::VIRTUAL_BYTES), sw(3, 2, 0), NOP]);
    let trap = bus.run_to(4);
    assert_eq!((trap.cause, trap.tval), (cause::STORE_PAGE, page::VIRTUAL_BYTES));
    bus.run_to(HANDLER);
    assert_eq!(arrival(&bus, HANDLER) - arrival(&bus, 4), times::CYCLES_TRAP);
    // A device's address is as good as any other: user mode reaches no device.
    let mut bus = machine(0, &map, &[lui(2, map::UART_BASE), sw(3, 2, 0), NOP]);
    assert_eq!(bus.run_to(4).cause, cause::STORE_PAGE);
    assert!(bus.device.is_empty());
}

#[test]
fn page_faults_of_fetches() {
    // Entered at a page without the right, without an entry, and outside.
    let pages = [(1, entry(CODE, ALL & !page::PTE_EXECUTE)), (2, entry(CODE, ALL & !page::PTE_VALID))];
    for (at, walks) in [(0x400, true), (0x804, true), (page::VIRTUAL_BYTES + 8, false)] {
        let mut bus = machine(at, &pages, &[NOP]);
        let trap = bus.run_to(at);
        assert_eq!((trap.trap, trap.cause, trap.tval, trap.instruction), (true, cause::FETCH_PAGE, at, 0));
        let mret = bus.retired.iter().find(|retired| retired.instruction == MRET).expect("it returns").cycle;
        // F, then W and T if there is a walk, and D.
        let late = times::CYCLES_TO_FETCH_TRAP;
        assert_eq!(trap.cycle - mret, late + if walks { 4 } else { 2 });
        bus.run_to(HANDLER);
        // The trap, F, and the handler's D, or its X.
        assert_eq!(arrival(&bus, HANDLER) - trap.cycle, 2 + late);
    }
}

#[test]
fn pages_of_one_index_displace_each_other() {
    // Pages 512 and 520 share an entry, 512 and 513 do not.
    let data = page::DATA_BASE;
    let map =
        [(0, entry(CODE, ALL)), (512, entry(DATA, ALL)), (513, entry(DATA + 1, ALL)), (520, entry(DATA + 2, ALL))];
    let user = [
        lui(2, data),
        lui(3, data + 0x2000),
        lw(4, 2, 0),
        lw(4, 2, 0x400),
        lw(4, 2, 0),
        lw(4, 3, 0),
        lw(4, 2, 0),
        lw(4, 2, 0x400),
        NOP,
    ];
    let mut bus = machine(0, &map, &user);
    for (index, physical) in [DATA, DATA + 1, DATA + 2].into_iter().enumerate() {
        bus.place(map::RAM_BASE + (physical << 10), &[100 + index as u32]);
    }
    bus.run_to(32);
    let cycles: Vec<u64> = (2..8).map(|n| arrival(&bus, 4 * n + 4) - arrival(&bus, 4 * n)).collect();
    let (hit, miss) = (times::CYCLES_LOAD, times::CYCLES_LOAD + times::CYCLES_WALK);
    assert_eq!(cycles, [miss, miss, hit, miss, miss, hit]);
    let loaded: Vec<u32> = bus.retired.iter().filter(|retired| retired.load).map(|retired| retired.value).collect();
    assert_eq!(loaded, [100, 101, 100, 102, 100, 101]);
    assert_eq!(page::tlb_index(512), page::tlb_index(520));
}

#[test]
fn mprv_gives_data_accesses_the_rights_of_mpp() {
    let data = page::DATA_BASE;
    let mut program = li(1, MAP | csr::PMBASE_ENABLE).to_vec();
    program.push(csrw(csr::PMBASE, 1));
    program.extend(li(2, csr::MSTATUS_MPRV));
    program.extend([csrw(csr::MSTATUS, 2), lui(3, data), sw(3, 3, 0), lw(4, 3, 0)]);
    let first = program.len() - 2;
    // A write of `pmbase`, even of nothing, empties the TLB.
    program.extend([csr(6, 0, csr::PMBASE, 0), lw(4, 3, 0), csr(6, 0, csr::PMBASE, 1), lw(4, 3, 0)]);
    // With MPP = machine mode, MPRV does nothing.
    program.extend(li(2, csr::MSTATUS_MPP));
    program.extend([csr_set(csr::MSTATUS, 2), lw(4, 3, 0)]);
    let last = program.len() - 1;
    let mut bus = Bus::new(&program, &[NOP]);
    bus.place(map::RAM_BASE + MAP + (data >> 8), &[entry(DATA, ALL)]);
    let trap = bus.run_to(Bus::pc(last));
    assert_eq!((trap.trap, trap.cause, trap.tval), (true, cause::LOAD_ACCESS, data));
    let cycles = |index| arrival(&bus, Bus::pc(index + 1)) - arrival(&bus, Bus::pc(index));
    let taken = [0, 1, 3, 5].map(|offset| cycles(first + offset));
    let (load, store, walk) = (times::CYCLES_LOAD, times::CYCLES_STORE, times::CYCLES_WALK);
    assert_eq!(taken, [store + walk, load, load, load + walk]);
    assert_eq!(bus.word(map::RAM_BASE + (DATA << 10)), data);
    assert!(bus.arrivals[0].1 == START);
}

#[test]
fn physical_addresses_wrap_in_ram() {
    // Page 0xfff and a page map at the top of 4 MiB, in 64 KiB of RAM.
    let mut program = li(1, 0x003f_0000 | MAP | csr::PMBASE_ENABLE).to_vec();
    program.push(csrw(csr::PMBASE, 1));
    program.extend(enter_user(0, 0));
    let mut bus = Bus::new(&program, &[NOP]);
    bus.place(map::RAM_BASE + MAP, &[entry(0xfff, ALL)]);
    bus.place(map::RAM_BASE + 0xfc00, &[lw(1, 0, 0), NOP]);
    let loaded = bus.run_to(0);
    assert_eq!((loaded.address, loaded.value), (map::RAM_BASE + 0xfc00, lw(1, 0, 0)));
}
