//! The UART's transmitter, receiver and registers, by arithmetic, and what sends bytes to its receiver.

use std::collections::VecDeque;

use testbed_definitions::map::uart;

/// The receiving side: bytes outside, the one on the line, and the FIFO. The far end begins a
/// character only while the FIFO has room, so nothing is lost; see "Console input" in
/// `docs/hardware.md`.
#[derive(Clone, Debug, Default)]
struct Receiver {
    outside: VecDeque<u8>,
    /// The character on the line and the cycle in which it began.
    coming: Option<(u64, u8)>,
    /// When that one arrives in the FIFO, once the receiver has seen it begin.
    arrival: Option<u64>,
    /// First cycle in which the next one may begin.
    free_from: u64,
    fifo: VecDeque<u8>,
    /// Everything before this cycle has been done.
    now: u64,
}

impl Receiver {
    /// Does what happens before cycle `until`, with a divisor that has not changed since the last call.
    fn advance(&mut self, until: u64, divisor: u16) {
        while self.next(until, divisor) {}
        self.now = self.now.max(until);
    }

    /// Whether a character begins in `cycle`, before which everything has been done.
    fn begins(&self, cycle: u64) -> bool {
        let free = self.coming.is_none() && cycle >= self.free_from;
        free && self.fifo.len() < uart::RX_FIFO && !self.outside.is_empty()
    }

    /// Does what happens next, if that is before `until`.
    fn next(&mut self, until: u64, divisor: u16) -> bool {
        let Some((begin, byte)) = self.coming else {
            let begin = self.free_from.max(self.now);
            if begin >= until || !self.begins(begin) {
                return false;
            }
            self.coming = self.outside.pop_front().map(|byte| (begin, byte));
            return true;
        };
        let Some(arrival) = self.arrival else {
            let divided = begin + u64::from(uart::RX_DIVISOR);
            if divided < until {
                let divisor = u64::from(divisor.max(1));
                self.arrival = Some(begin + u64::from(uart::RX_LATE) + u64::from(uart::RX_CYCLES) * divisor);
                self.free_from = begin + u64::from(uart::CYCLES_PER_CHARACTER) * divisor;
            }
            return divided < until;
        };
        // In the FIFO from cycle `arrival` on: it gets there in the cycle before.
        if arrival > until {
            return false;
        }
        self.fifo.push_back(byte);
        (self.coming, self.arrival) = (None, None);
        true
    }
}

/// One processor's UART. Cycles are given with every access and never go back.
#[derive(Clone, Debug)]
pub struct Uart {
    fifo: VecDeque<u8>,
    /// All strobes before this cycle have been made.
    now: u64,
    /// First cycle in which the shifter is idle.
    idle_from: u64,
    divisor: u16,
    interrupt_enable: u8,
    line_control: u8,
    modem_control: u8,
    scratch: u8,
    /// Bytes sent, with the cycles of their strobes.
    sent: Vec<(u64, u8)>,
    receiver: Receiver,
}

impl Default for Uart {
    fn default() -> Self {
        Uart {
            fifo: Default::default(),
            now: 0,
            idle_from: 0,
            divisor: 1,
            interrupt_enable: 0,
            line_control: 0,
            modem_control: 0,
            scratch: 0,
            sent: Vec::new(),
            receiver: Receiver::default(),
        }
    }
}

impl Uart {
    /// Makes all strobes before `until`, and receives what arrives.
    pub fn advance(&mut self, until: u64) {
        self.receiver.advance(until, self.divisor);
        while !self.fifo.is_empty() {
            let strobe = self.idle_from.max(self.now);
            if strobe >= until {
                break;
            }
            self.sent.extend(self.fifo.pop_front().map(|byte| (strobe, byte)));
            let characters = u64::from(self.divisor.max(1));
            self.idle_from = strobe + 1 + u64::from(uart::CYCLES_PER_CHARACTER) * characters;
            self.now = strobe + 1;
        }
        self.now = self.now.max(until);
    }

    /// The bytes sent before `until`, each with the cycle of its strobe.
    pub fn take_sent(&mut self, until: u64) -> Vec<(u64, u8)> {
        self.advance(until);
        std::mem::take(&mut self.sent)
    }

    /// Bytes for the receiver, from `cycle` on.
    pub fn give(&mut self, bytes: &[u8], cycle: u64) {
        self.advance(cycle);
        self.receiver.outside.extend(bytes);
    }

    /// Bytes given that have not begun to enter, in `cycle` at the latest.
    pub fn waiting(&mut self, cycle: u64) -> usize {
        self.advance(cycle);
        self.receiver.outside.len() - usize::from(self.receiver.begins(cycle))
    }

    /// Takes the oldest byte received; 0 if there is none.
    fn receive(&mut self, cycle: u64) -> u8 {
        let Some(&byte) = self.receiver.fifo.front() else { return 0 };
        // Whoever looks in this cycle still sees it in the FIFO.
        self.advance(cycle + 1);
        self.receiver.fifo.pop_front();
        byte
    }

    /// What a load with its strobe in `cycle` reads: the register's byte in all four lanes.
    pub fn load(&mut self, offset: u32, cycle: u64) -> u32 {
        self.advance(cycle);
        let latch = self.line_control & 0x80 != 0;
        let byte = match offset & 7 {
            uart::RBR_THR_DLL if latch => self.divisor as u8,
            uart::RBR_THR_DLL => self.receive(cycle),
            uart::IER_DLM if latch => (self.divisor >> 8) as u8,
            uart::IER_DLM => self.interrupt_enable,
            uart::IIR_FCR => 0xc1,
            uart::LCR => self.line_control,
            uart::MCR => self.modem_control,
            uart::LSR => self.line_status(cycle),
            uart::SCR => self.scratch,
            _ => 0,
        };
        u32::from(byte) * 0x0101_0101
    }

    fn line_status(&self, cycle: u64) -> u8 {
        let room = if self.fifo.len() < uart::TX_FIFO { uart::LSR_THR_EMPTY } else { 0 };
        let idle = self.fifo.is_empty() && cycle >= self.idle_from;
        let ready = if self.receiver.fifo.is_empty() { 0 } else { uart::LSR_DATA_READY };
        ready | room | if idle { uart::LSR_TX_IDLE } else { 0 }
    }

    /// A store made in `cycle`; `value` holds the byte in its lowest lane.
    pub fn store(&mut self, offset: u32, value: u32, cycle: u64) {
        self.advance(cycle);
        let full = self.fifo.len() >= uart::TX_FIFO;
        // A strobe in the cycle of the store still sees the registers without it.
        self.advance(cycle + 1);
        let latch = self.line_control & 0x80 != 0;
        let byte = value as u8;
        match offset & 7 {
            uart::RBR_THR_DLL if latch => self.divisor = self.divisor & 0xff00 | u16::from(byte),
            uart::RBR_THR_DLL if full => {}
            uart::RBR_THR_DLL => self.fifo.push_back(byte),
            uart::IER_DLM if latch => self.divisor = self.divisor & 0x00ff | u16::from(byte) << 8,
            uart::IER_DLM => self.interrupt_enable = byte,
            uart::LCR => self.line_control = byte,
            uart::MCR => self.modem_control = byte,
            uart::SCR => self.scratch = byte,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_follow_each_other_a_cycle_apart() {
        let mut uart = Uart::default();
        uart.store(uart::RBR_THR_DLL, b'a'.into(), 10);
        assert_eq!(uart.take_sent(11), []);
        uart.store(uart::RBR_THR_DLL, b'b'.into(), 13);
        assert_eq!(uart.take_sent(1000), [(11, b'a'), (11 + 161, b'b')]);
    }

    #[test]
    fn the_fifo_holds_sixteen_besides_the_shifter() {
        let mut uart = Uart::default();
        let status = |uart: &mut Uart, cycle| uart.load(uart::LSR, cycle) as u8;
        assert_eq!(status(&mut uart, 0), uart::LSR_THR_EMPTY | uart::LSR_TX_IDLE);
        for index in 0..17u64 {
            assert_eq!(status(&mut uart, 3 * index) & uart::LSR_THR_EMPTY, uart::LSR_THR_EMPTY);
            uart.store(uart::RBR_THR_DLL, index as u32, 3 * index);
        }
        assert_eq!(status(&mut uart, 51), 0);
        uart.store(uart::RBR_THR_DLL, 99, 51);
        // The first strobe was in 1; the second, in 162, is made with the FIFO still full.
        uart.store(uart::RBR_THR_DLL, 98, 162);
        uart.store(uart::RBR_THR_DLL, 17, 163);
        let bytes: Vec<u8> = uart.take_sent(100_000).into_iter().map(|(_, byte)| byte).collect();
        assert_eq!(bytes, (0..18).collect::<Vec<u8>>());
    }

    #[test]
    fn input_arrives_a_character_at_a_time_while_there_is_room() {
        let mut uart = Uart::default();
        let bytes: Vec<u8> = (1..=20).collect();
        uart.give(&bytes, 100);
        let ready = |uart: &mut Uart, cycle| uart.load(uart::LSR, cycle) as u8 & uart::LSR_DATA_READY != 0;
        assert_eq!(uart.waiting(100), 19);
        assert!(!ready(&mut uart, 254) && ready(&mut uart, 255));
        // Sixteen are there; the seventeenth begins when there is room.
        assert_eq!(uart.waiting(10_000), 4);
        assert_eq!(uart.load(uart::RBR_THR_DLL, 10_000), 0x0101_0101);
        assert_eq!(uart.waiting(10_001), 3);
        for byte in 2..=16 {
            assert_eq!(uart.load(uart::RBR_THR_DLL, 10_010 + u64::from(byte)) as u8, byte);
        }
        assert!(!ready(&mut uart, 10_001 + 154) && ready(&mut uart, 10_001 + 155));
        assert_eq!(uart.load(uart::RBR_THR_DLL, 20_000) as u8, 17);
        assert_eq!(uart.waiting(20_000), 0);
    }

    #[test]
    fn input_keeps_to_the_divisor_that_the_receiver_takes_over() {
        let mut uart = Uart::default();
        uart.give(b"ab", 0);
        // In the cycle in which the receiver sees the first character begin, the divisor is still 1.
        uart.store(uart::LCR, 0x80, 0);
        uart.store(uart::RBR_THR_DLL, 3, 2);
        uart.store(uart::LCR, 0, 4);
        assert_eq!(uart.load(uart::LSR, 154) as u8 & uart::LSR_DATA_READY, 0);
        assert_eq!(uart.load(uart::RBR_THR_DLL, 155) as u8, b'a');
        let second = 160 + 3 + 3 * 152;
        assert_eq!(uart.load(uart::RBR_THR_DLL, second - 1), 0);
        assert_eq!(uart.load(uart::RBR_THR_DLL, second) as u8, b'b');
    }

    #[test]
    fn the_divisor_stretches_characters() {
        let mut uart = Uart::default();
        uart.store(uart::LCR, 0x80, 0);
        uart.store(uart::RBR_THR_DLL, 3, 3);
        assert_eq!(uart.load(uart::RBR_THR_DLL, 6), 0x0303_0303);
        uart.store(uart::LCR, 0x03, 9);
        uart.store(uart::RBR_THR_DLL, 1, 12);
        uart.store(uart::RBR_THR_DLL, 2, 15);
        assert_eq!(uart.load(uart::LSR, 20) as u8, uart::LSR_THR_EMPTY);
        assert_eq!(uart.take_sent(10_000), [(13, 1), (13 + 1 + 480, 2)]);
    }
}
