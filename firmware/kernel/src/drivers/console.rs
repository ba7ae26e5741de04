//! The console: a ring of bytes that trickles into the UART's FIFO, so that nobody waits for a slow
//! line.

use testbed_definitions::map::{uart, UART_BASE};
use testbed_kernel_core::ring::Ring;
use testbed_kernel_core::text;

/// Bytes that wait for the line.
const RING_BYTES: usize = 1024;
/// Cycles after which the FIFO has room again: half of it, at the divisor after reset.
const REFILL_CYCLES: u64 = (uart::CYCLES_PER_CHARACTER as u64) * uart::TX_FIFO as u64 / 2;

pub struct Console {
    ring: Ring<RING_BYTES>,
}

fn register(offset: u32) -> *mut u8 {
    (UART_BASE + offset) as *mut u8
}

fn status() -> u8 {
    // SAFETY: the UART is there on every processor; reading LSR is harmless.
    unsafe { register(uart::LSR).read_volatile() }
}

/// Gives the UART a byte if it takes one.
fn transmit(byte: u8) -> bool {
    let ready = status() & uart::LSR_THR_EMPTY != 0;
    if ready {
        // SAFETY: as above; THR has room.
        unsafe { register(uart::RBR_THR_DLL).write_volatile(byte) };
    }
    ready
}

/// A byte that the UART has received.
pub fn receive() -> Option<u8> {
    // SAFETY: as above; RBR has a byte.
    (status() & uart::LSR_DATA_READY != 0).then(|| unsafe { register(uart::RBR_THR_DLL).read_volatile() })
}

impl Console {
    pub const fn new() -> Self {
        Console { ring: Ring::new() }
    }

    /// Bytes it takes without waiting.
    pub fn room(&self) -> usize {
        self.ring.room()
    }

    /// Queues a byte; waits only if the ring is full.
    pub fn put(&mut self, byte: u8) {
        while !self.ring.push(byte) {
            self.fill();
        }
    }
    pub fn put_text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.put(byte));
    }
    pub fn put_hexadecimal(&mut self, value: u32) {
        text::hexadecimal(value, |byte| self.put(byte));
    }
    pub fn put_decimal(&mut self, value: u32) {
        text::decimal(value, |byte| self.put(byte));
    }

    /// Moves what fits from the ring to the UART.
    pub fn fill(&mut self) {
        while !self.ring.is_empty() && status() & uart::LSR_THR_EMPTY != 0 {
            if let Some(byte) = self.ring.pop() {
                transmit(byte);
            }
        }
    }

    /// Whether bytes wait in the ring.
    pub fn is_waiting(&self) -> bool {
        !self.ring.is_empty()
    }

    /// When to fill again, if bytes wait.
    pub fn due(&self, now: u64) -> Option<u64> {
        self.is_waiting().then_some(now + REFILL_CYCLES)
    }

    /// Whether the last byte has left the machine.
    pub fn is_silent(&self) -> bool {
        self.ring.is_empty() && status() & uart::LSR_TX_IDLE != 0
    }
}

/// Prints past everything else and waits for the line; for a kernel that is about to stop.
pub struct Emergency;

impl Emergency {
    pub fn put(byte: u8) {
        while !transmit(byte) {}
    }
    pub fn put_text(text: &str) {
        text.bytes().for_each(Self::put);
    }
    pub fn put_hexadecimal(value: u32) {
        text::hexadecimal(value, Self::put);
    }
    pub fn put_decimal(value: u32) {
        text::decimal(value, Self::put);
    }
    /// Waits until the last byte has left.
    pub fn finish() {
        while status() & uart::LSR_TX_IDLE == 0 {}
    }
}
