//! Structure: lint, native against Verilog, synthesis.

use super::composition::MonitorBench;
use super::*;
use crate::support::differential::compare;
use crate::support::fitting::assert_fits;
use crate::support::lint::assert_clean;
use crate::support::random::Random;
use crate::support::synthesis::Family;
use crate::{differential, step};
use rust_hdl::prelude::*;
use testbed_definitions::map::{mmi, smi};
use testbed_definitions::monitor::{MMI_QUEUE, PORT_QUEUE, SMI_QUEUE};

fn config(queue: u32, poll_cycles: u32, tick_cycles: u32) -> MmiConfig {
    MmiConfig { processors: 4, queue, poll_cycles, tick_cycles, control: mmi::CONTROL_RESET }
}

fn of(processors: usize) -> MmiConfig {
    MmiConfig { processors, ..config(MMI_QUEUE as u32, 2, 25) }
}

#[test]
fn blocks_are_lint_clean() {
    assert_clean(GlobalClock::default());
    assert_clean(Filter::default());
    assert_clean(Smi::new(SMI_QUEUE as u32));
    assert_clean(Mmi::new(of(1)));
    assert_clean(Mmi::new(of(6)));
    assert_clean(Mmi::new(of(16)));
    assert_clean(TracePort::new(PORT_QUEUE as u32));
    assert_clean(Link::new(40));
    assert_clean(Age::new(3));
    assert_clean(MonitorBench::new(8, config(8, 2, 1), (8, 3)));
}

#[test]
fn global_clock_native_equals_verilog() {
    differential! {
        block: GlobalClock = GlobalClock::default(),
        inputs: [tick_cycles],
        outputs: [stamp, wraps, wrapped, ticked],
        cycles: 70_000,
        seed: 1,
        stimulus: |block, random, cycle| {
            // Mostly ticks of one cycle, so that the clock wraps.
            if cycle.is_multiple_of(64) {
                block.tick_cycles.next = if random.chance(1, 50) { random.below(40) } else { random.below(2) }.to_bits();
            }
        }
    }
}

#[test]
fn smi_native_equals_verilog() {
    differential! {
        block: Smi = Smi::new(4),
        inputs: [strobe, select, address, read, write, wdata, stamp, wraps, wrapped, ticked, bus_select, bus_datum, bus_take,
            bus_command, bus_number, bus_value],
        outputs: [rdata, stall, bus_ready, bus_data, bus_key],
        cycles: 20_000,
        seed: 2,
        stimulus: |block, random, cycle| {
            block.strobe.next = cycle % 4 == 3;
            // A store that stalls is mostly repeated.
            if !(block.stall.val() && random.chance(15, 16)) {
                block.select.next = random.chance(3, 4);
                let user = u64::from(smi::USER_EVENT);
                let near = random.below(12) * 4 + random.below(4);
                block.address.next = random.one_of(&[0, 0, user, user, near, user + near]).to_bits();
                block.read.next = random.chance(1, 2);
                block.write.next = random.chance(1, 2);
                let high = random.one_of(&[0xaa, 0xab, 0, 0x40, 0xff]);
                block.wdata.next = (high << 8 | random.below(256)).to_bits();
            }
            block.stamp.next = random.bits();
            block.wraps.next = random.bits();
            block.wrapped.next = random.chance(1, 12);
            block.bus_select.next = random.chance(1, 2);
            block.bus_datum.next = random.chance(1, 2);
            block.bus_take.next = block.bus_ready.val() && random.chance(1, 1 + (cycle / 1000) % 16);
            block.ticked.next = random.chance(1, 3);
            // Masks of few bits, so that rules fit.
            let few = random.next_u64() & random.next_u64() & random.next_u64();
            block.bus_command.next = random.chance(1, 4);
            block.bus_number.next = random.bits();
            block.bus_value.next = (if random.chance(1, 2) { few & 0xffff } else { random.below(20) }).to_bits();
        }
    }
}

/// Sets one device port of [`MonitorBench`] at random: mostly accesses to `often`, else to any register.
macro_rules! random_access {
    ($random:ident, $often:expr, $values:expr, $select:expr, $address:expr, $read:expr, $write:expr, $wdata:expr) => {
        $select.next = $random.chance(1, 2);
        $address.next = if $random.chance(2, 3) { $often } else { $random.below(24) as u32 * 4 }.to_bits();
        let read = $random.chance(1, 2);
        $read.next = read;
        $write.next = !read;
        $wdata.next = $values.to_bits();
    };
}

#[test]
fn composition_native_equals_verilog() {
    let bench = MonitorBench::new(8, config(8, 2, 1), (8, 3));
    let ports = bench.ports();
    let stimulus = |block: &mut MonitorBench, random: &mut Random, cycle: u64| {
        block.strobe.next = cycle % 32 == 31;
        for i in 0..3 {
            random_access!(
                random,
                smi::EVENT,
                random.next_u64() & 0xffff,
                block.smi_select[i],
                block.smi_address[i],
                block.smi_read[i],
                block.smi_write[i],
                block.smi_wdata[i]
            );
        }
        random_access!(
            random,
            mmi::DATA,
            if random.chance(1, 2) { random.below(32) } else { random.next_u64() & 0xffff_ffff },
            block.mmi_select,
            block.mmi_address,
            block.mmi_read,
            block.mmi_write,
            block.mmi_wdata
        );
    };
    if let Err(error) = compare(bench, &ports, 3_000, 3, stimulus) {
        panic!("{error}");
    }
}

/// Steps an MMI whose SMIs are all ready all the time, with entry 0 as well; the SMI numbers at the trace port.
fn traced<const N: usize>(cycles: u64) -> Vec<u64> {
    let mut mmi = Mmi::new(of(N));
    mmi.connect_all();
    let mut numbers = vec![];
    for cycle in 0..cycles {
        mmi.strobe.next = cycle % 32 == 31;
        mmi.port_room.next = true;
        for i in 0..N {
            mmi.bus_ready[i].next = true;
        }
        step!(mmi).unwrap();
        if mmi.trace_valid.val() {
            numbers.push(mmi.trace_word.val().to_u64() >> 16);
        }
    }
    numbers
}

#[test]
fn smis_are_polled_in_turn_and_the_master_never() {
    assert!(traced::<1>(200).is_empty());
    assert_eq!(traced::<2>(7), [1; 7]);
    assert_eq!(traced::<4>(8), [1, 1, 2, 2, 3, 3, 1, 1]);
    let all = traced::<16>(64);
    assert_eq!(all[..3], [1, 1, 2]);
    assert_eq!(all[28..32], [15, 15, 1, 1]);
}

#[test]
fn synthesis_finds_no_latch_and_both_queues_in_block_ram() {
    // 32 Kibit and 10 Kibit: two and one of ECP5's 18 Kibit, eight and three or more of iCE40's 4 Kibit.
    assert_fits(Smi::new(SMI_QUEUE as u32), Family::Ecp5, 2, None);
    assert_fits(Mmi::new(of(6)), Family::Ecp5, 1, None);
    assert_fits(GlobalClock::default(), Family::Ecp5, 0, None);
    assert_fits(TracePort::new(PORT_QUEUE as u32), Family::Ecp5, 1, None);
    // An MMI that never finds anything needs no queue.
    assert_fits(Mmi::new(of(1)), Family::Ecp5, 0, None);
    assert_fits(Smi::new(SMI_QUEUE as u32), Family::Ice40, 8, None);
    assert_fits(Mmi::new(of(6)), Family::Ice40, 3, None);
}
