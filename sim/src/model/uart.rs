//! The UART's transmitter and registers, by arithmetic. Its receiver's line idles, so nothing is ever received.

use testbed_definitions::map::uart;

/// One processor's UART. Cycles are given with every access and never go back.
#[derive(Clone, Debug)]
pub struct Uart {
    fifo: std::collections::VecDeque<u8>,
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
        }
    }
}

impl Uart {
    /// Makes all strobes before `until`.
    pub fn advance(&mut self, until: u64) {
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

    /// What a load with its strobe in `cycle` reads: the register's byte in all four lanes.
    pub fn load(&mut self, offset: u32, cycle: u64) -> u32 {
        self.advance(cycle);
        let latch = self.line_control & 0x80 != 0;
        let byte = match offset & 7 {
            uart::RBR_THR_DLL if latch => self.divisor as u8,
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
        room | if idle { uart::LSR_TX_IDLE } else { 0 }
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
