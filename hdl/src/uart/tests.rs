use super::*;
use crate::support::fitting::assert_fits;
use crate::support::lint::assert_clean;
use crate::support::random::Random;
use crate::support::synthesis::Family;
use crate::{differential, settle_low, step};

fn connected() -> Uart {
    let mut block = Uart::default();
    block.connect_all();
    block.rx.next = true;
    block
}

/// Strobes seen, with their cycles, counted from the first step.
#[derive(Default)]
struct Bench {
    cycle: u64,
    sent: Vec<(u64, u8)>,
    line: Vec<bool>,
}

impl Bench {
    fn cycle(&mut self, block: &mut Uart) {
        settle_low!(*block).unwrap();
        if block.tx_valid.val() {
            self.sent.push((self.cycle, block.tx_data.val().index() as u8));
        }
        self.line.push(block.tx.val());
        step!(*block).unwrap();
        self.cycle += 1;
        block.select.next = false;
        block.write.next = false;
        block.read.next = false;
    }

    fn cycles(&mut self, block: &mut Uart, count: u64) {
        for _ in 0..count {
            self.cycle(block);
        }
    }

    fn store(&mut self, block: &mut Uart, offset: u32, byte: u8) {
        block.select.next = true;
        block.write.next = true;
        block.address.next = offset.to_bits();
        block.wdata.next = (u32::from(byte) * 0x0101_0101).to_bits();
        self.cycle(block);
    }

    fn load(&mut self, block: &mut Uart, offset: u32) -> u8 {
        block.select.next = true;
        block.read.next = true;
        block.address.next = offset.to_bits();
        self.cycle(block);
        let word = block.rdata.val().index() as u32;
        assert_eq!(word, (word & 0xff) * 0x0101_0101);
        word as u8
    }

    /// Drives a character of ten bits on `rx`, at divisor 1.
    fn receive(&mut self, block: &mut Uart, byte: u8, stop: bool) {
        let bits = (0..8).map(|bit| byte >> bit & 1 == 1);
        for bit in std::iter::once(false).chain(bits).chain([stop]) {
            block.rx.next = bit;
            self.cycles(block, 16);
        }
        block.rx.next = true;
        self.cycles(block, 4);
    }
}

#[test]
fn characters_follow_each_other_a_cycle_apart() {
    let (mut block, mut bench) = (connected(), Bench::default());
    bench.cycles(&mut block, 10);
    bench.store(&mut block, uart::RBR_THR_DLL, b'a');
    bench.cycles(&mut block, 2);
    bench.store(&mut block, uart::RBR_THR_DLL, b'b');
    bench.cycles(&mut block, 400);
    assert_eq!(bench.sent, [(11, b'a'), (11 + 161, b'b')]);
    // Start bit, eight data bits from the low one, stop bit, from the cycle after the strobe.
    let bits: Vec<bool> = (0..10).map(|bit| bench.line[12 + 16 * bit + 8]).collect();
    let sent = (0..8).map(|bit| b'a' >> bit & 1 == 1);
    let wanted: Vec<bool> = std::iter::once(false).chain(sent).chain([true]).collect();
    assert_eq!(bits, wanted);
    assert!(bench.line[..12].iter().all(|&high| high) && !bench.line[12]);
}

#[test]
fn the_transmit_fifo_holds_sixteen_besides_the_shifter() {
    let (mut block, mut bench) = (connected(), Bench::default());
    let both = uart::LSR_THR_EMPTY | uart::LSR_TX_IDLE;
    assert_eq!(bench.load(&mut block, uart::LSR), both);
    for byte in 0..17 {
        bench.store(&mut block, uart::RBR_THR_DLL, byte);
    }
    assert_eq!(bench.load(&mut block, uart::LSR), 0);
    bench.store(&mut block, uart::RBR_THR_DLL, 99);
    bench.cycles(&mut block, 18 * 161);
    let bytes: Vec<u8> = bench.sent.iter().map(|sent| sent.1).collect();
    assert_eq!(bytes, (0..17).collect::<Vec<u8>>());
    assert_eq!(bench.load(&mut block, uart::LSR), both);
}

#[test]
fn the_divisor_stretches_characters_and_zero_is_one() {
    let (mut block, mut bench) = (connected(), Bench::default());
    bench.store(&mut block, uart::LCR, 0x80);
    assert_eq!(bench.load(&mut block, uart::RBR_THR_DLL), 1);
    bench.store(&mut block, uart::RBR_THR_DLL, 3);
    assert_eq!(bench.load(&mut block, uart::RBR_THR_DLL), 3);
    bench.store(&mut block, uart::IER_DLM, 1);
    assert_eq!(bench.load(&mut block, uart::IER_DLM), 1);
    bench.store(&mut block, uart::IER_DLM, 0);
    bench.store(&mut block, uart::LCR, 0x03);
    bench.store(&mut block, uart::RBR_THR_DLL, 1);
    bench.store(&mut block, uart::RBR_THR_DLL, 2);
    bench.cycles(&mut block, 500);
    assert_eq!(bench.sent[1].0 - bench.sent[0].0, 481);
    bench.store(&mut block, uart::LCR, 0x80);
    bench.store(&mut block, uart::RBR_THR_DLL, 0);
    bench.store(&mut block, uart::LCR, 0x03);
    bench.cycles(&mut block, 500);
    bench.store(&mut block, uart::RBR_THR_DLL, 3);
    bench.store(&mut block, uart::RBR_THR_DLL, 4);
    bench.cycles(&mut block, 200);
    assert_eq!(bench.sent[3].0 - bench.sent[2].0, 161);
}

#[test]
fn other_registers_keep_or_identify() {
    let (mut block, mut bench) = (connected(), Bench::default());
    for (offset, byte) in [(uart::IER_DLM, 0x0f), (uart::LCR, 0x1b), (uart::MCR, 0x0b), (uart::SCR, 0x5a)] {
        bench.store(&mut block, offset, byte);
        assert_eq!(bench.load(&mut block, offset), byte);
    }
    bench.store(&mut block, uart::IIR_FCR, 7);
    assert_eq!(bench.load(&mut block, uart::IIR_FCR), 0xc1);
    assert_eq!(bench.load(&mut block, uart::MSR), 0);
}

#[test]
fn bytes_are_received_in_order() {
    let (mut block, mut bench) = (connected(), Bench::default());
    assert_eq!(bench.load(&mut block, uart::RBR_THR_DLL), 0);
    for byte in [0x00, 0xff, 0xa5, 0x01, 0x80] {
        bench.receive(&mut block, byte, true);
    }
    for byte in [0x00, 0xff, 0xa5, 0x01, 0x80] {
        assert_eq!(bench.load(&mut block, uart::LSR) & uart::LSR_DATA_READY, uart::LSR_DATA_READY);
        assert_eq!(bench.load(&mut block, uart::RBR_THR_DLL), byte);
    }
    assert_eq!(bench.load(&mut block, uart::LSR) & uart::LSR_DATA_READY, 0);
}

#[test]
fn glitches_and_bytes_without_stop_bit_are_not_received() {
    let (mut block, mut bench) = (connected(), Bench::default());
    block.rx.next = false;
    bench.cycles(&mut block, 5);
    block.rx.next = true;
    bench.cycles(&mut block, 200);
    bench.receive(&mut block, 0x55, false);
    bench.cycles(&mut block, 200);
    assert_eq!(bench.load(&mut block, uart::LSR) & uart::LSR_DATA_READY, 0);
    bench.receive(&mut block, 0x66, true);
    assert_eq!(bench.load(&mut block, uart::RBR_THR_DLL), 0x66);
}

#[test]
fn an_overrun_keeps_the_first_sixteen_and_is_reported_once() {
    let (mut block, mut bench) = (connected(), Bench::default());
    for byte in 0..16 {
        bench.receive(&mut block, byte, true);
    }
    assert_eq!(bench.load(&mut block, uart::LSR) & uart::LSR_OVERRUN, 0);
    bench.receive(&mut block, 16, true);
    assert_eq!(bench.load(&mut block, uart::LSR) & uart::LSR_OVERRUN, uart::LSR_OVERRUN);
    assert_eq!(bench.load(&mut block, uart::LSR) & uart::LSR_OVERRUN, 0);
    for byte in 0..16 {
        assert_eq!(bench.load(&mut block, uart::RBR_THR_DLL), byte);
    }
    assert_eq!(bench.load(&mut block, uart::LSR) & uart::LSR_DATA_READY, 0);
}

#[test]
fn room_is_signalled_until_the_sixteenth_byte_and_again_when_one_is_taken() {
    let (mut block, mut bench) = (connected(), Bench::default());
    for byte in 0..16 {
        bench.cycles(&mut block, 1);
        assert!(block.rts.val(), "before byte {byte}");
        bench.receive(&mut block, byte, true);
    }
    bench.cycles(&mut block, 1);
    assert!(!block.rts.val());
    bench.load(&mut block, uart::RBR_THR_DLL);
    bench.cycles(&mut block, 1);
    assert!(block.rts.val());
}

/// The table of `docs/hardware.md`, which the engines follow when they feed the line.
#[test]
fn a_character_is_in_the_fifo_155_cycles_after_it_begins_and_the_next_may_follow_after_160() {
    let (mut block, mut bench) = (connected(), Bench::default());
    let bits: Vec<bool> = [0x5au8, 0x00, 0xff].into_iter().flat_map(frame).collect();
    let mut filled = vec![];
    bench.cycles(&mut block, 1);
    for cycle in 0..3 * 160 {
        block.rx.next = bits[cycle / 16];
        settle_low!(block).unwrap();
        if block.receiver.arrived.val() {
            filled.push(cycle + 1);
        }
        step!(block).unwrap();
    }
    assert_eq!(filled, [155, 315, 475]);
    assert_eq!([0, 1, 2].map(|_| bench.load(&mut block, uart::RBR_THR_DLL)), [0x5a, 0x00, 0xff]);
}

/// Start bit, data bits from the low one, stop bit.
fn frame(byte: u8) -> Vec<bool> {
    let bits = (0..8).map(|bit| byte >> bit & 1 == 1);
    std::iter::once(false).chain(bits).chain([true]).collect()
}

#[test]
fn verilog_agrees() {
    // The line carries random characters; the registers are hit at random, with small divisors.
    let mut line = Random::new(52);
    let mut frame: Vec<bool> = vec![];
    differential! {
        block: Uart = Uart::default(),
        inputs: [select, address, read, write, wdata, rx],
        outputs: [rdata, tx, tx_valid, tx_data, rts],
        cycles: 20_000,
        seed: 51,
        stimulus: |block, random, _cycle| {
            block.select.next = random.chance(1, 8);
            block.read.next = random.chance(1, 2);
            block.write.next = random.chance(1, 2);
            block.address.next = random.below(16).to_bits();
            // LCR's latch bit is rarely set, so that most stores to the first register send.
            let bytes = [0u32, 1, 2, 3, 0x55, 0xff, 0x7f, 0x80];
            block.wdata.next = random.one_of(&bytes).to_bits();
            if block.address.next == uart::IER_DLM as u64 {
                block.write.next = false;
            }
            if frame.is_empty() {
                let byte = line.next_u32() as u8;
                for bit in 0..10u32 {
                    let high = bit == 9 || bit > 0 && byte >> (bit - 1) & 1 == 1;
                    frame.extend([high; 16]);
                }
                frame.extend(std::iter::repeat_n(true, line.below(40) as usize));
                frame.reverse();
            }
            block.rx.next = frame.pop() == Some(true);
        }
    }
}

#[test]
fn lint_is_clean() {
    assert_clean(Uart::default());
}

#[test]
fn it_synthesises() {
    // The FIFOs are in LUT RAM where there is some.
    for (family, block_rams) in [(Family::Ice40, 2), (Family::Ecp5, 0)] {
        assert_fits(Uart::default(), family, block_rams, None);
    }
}
