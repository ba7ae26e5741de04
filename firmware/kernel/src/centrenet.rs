//! The Centrenet driver: a queue of packets to transmit, in front of the station's own, and the receive ring.
//!
//! Tokens carry their few words in the queue itself; data has buffers of a packet each, used in turn. A packet's place and
//! buffer are free again once the station has taken it to its own memory, which is known from how many it still holds.

use core::sync::atomic::{compiler_fence, Ordering};
use testbed_definitions::map::centrenet as register;
use testbed_definitions::map::CENTRENET_BASE as BASE;
use testbed_definitions::packet::{Header, PAYLOAD_BYTES_MAX};
use testbed_definitions::page::PAGE_BYTES;

use crate::hw;

/// Packets that wait, at most. More than there can be tokens of blocked threads, so that nobody waits for room here.
const QUEUE: usize = 256;
/// Words of payload a queued packet has room for without a buffer.
pub const TOKEN_WORDS: usize = 4;
/// Pages of a data buffer.
const BUFFER_PAGES: u32 = (PAYLOAD_BYTES_MAX as u32).div_ceil(PAGE_BYTES);
const BUFFER_BYTES: u32 = BUFFER_PAGES * PAGE_BYTES;

#[derive(Clone, Copy)]
struct Place {
    header: u32,
    /// 0: the payload is in `words`.
    buffer: u32,
    words: [u32; TOKEN_WORDS],
}

pub struct Centrenet {
    places: [Place; QUEUE],
    /// Free-running counts of packets queued here, passed to the station, and known to have left it.
    queued: u32,
    issued: u32,
    done: u32,
    /// Data buffers: where, how many, and free-running counts of those taken and free again.
    buffers: u32,
    buffer_count: u32,
    buffers_taken: u32,
    buffers_done: u32,
    /// The receive ring: where, its size in words less one, and the next word to read.
    ring: u32,
    ring_mask: u32,
    head: u32,
}

/// Memory that the driver needs, by the RAM there is: pages of the receive ring, data buffers. Powers of two.
pub const fn demand(ram_bytes: u32) -> (u32, u32) {
    if ram_bytes >= 1 << 20 {
        (16, 8)
    } else {
        (4, 2)
    }
}
/// Pages of `buffers` data buffers.
pub const fn buffer_pages(buffers: u32) -> u32 {
    buffers * BUFFER_PAGES
}

impl Centrenet {
    pub const fn new() -> Self {
        Centrenet {
            places: [Place { header: 0, buffer: 0, words: [0; TOKEN_WORDS] }; QUEUE],
            queued: 0,
            issued: 0,
            done: 0,
            buffers: 0,
            buffer_count: 0,
            buffers_taken: 0,
            buffers_done: 0,
            ring: 0,
            ring_mask: 0,
            head: 0,
        }
    }

    /// Starts the station with memory that is the driver's from now on. `ring_pages` and `buffer_count` are
    /// powers of two.
    pub fn start(&mut self, ring: u32, ring_pages: u32, buffers: u32, buffer_count: u32) {
        (self.ring, self.buffers, self.buffer_count) = (ring, buffers, buffer_count);
        self.ring_mask = ring_pages * PAGE_BYTES / 4 - 1;
        hw::write(BASE, register::RX_BASE, ring);
        hw::write(BASE, register::RX_MASK, self.ring_mask);
        self.head = hw::read(BASE, register::RX_TAIL);
        hw::write(BASE, register::RX_HEAD, self.head);
        hw::write(BASE, register::CONTROL, register::CONTROL_RECEIVE | register::CONTROL_INTERRUPT);
    }

    /// Whether a token can be queued.
    pub fn has_room(&self) -> bool {
        (self.queued.wrapping_sub(self.done) as usize) < QUEUE - 4
    }

    /// Queues a packet of at most [`TOKEN_WORDS`] words; the caller has asked [`Self::has_room`] for up to four tokens.
    pub fn queue_token(&mut self, destination: u8, kind: u8, words: [u32; TOKEN_WORDS], bytes: usize) {
        self.queue(Place { header: header(destination, kind, bytes as u32), buffer: 0, words });
    }

    /// The address of a free data buffer.
    pub fn free_buffer(&self) -> Option<u32> {
        let free = self.buffers_taken.wrapping_sub(self.buffers_done) < self.buffer_count && self.has_room();
        free.then(|| self.next_buffer())
    }

    /// Queues the packet that is in [`Self::free_buffer`].
    pub fn queue_buffer(&mut self, destination: u8, kind: u8, bytes: u32) {
        let buffer = self.next_buffer();
        self.buffers_taken = self.buffers_taken.wrapping_add(1);
        self.queue(Place { header: header(destination, kind, bytes), buffer, words: [0; TOKEN_WORDS] });
    }

    fn next_buffer(&self) -> u32 {
        self.buffers + (self.buffers_taken & (self.buffer_count - 1)) * BUFFER_BYTES
    }

    fn queue(&mut self, place: Place) {
        self.places[self.queued as usize % QUEUE] = place;
        self.queued = self.queued.wrapping_add(1);
    }

    /// Finds out which packets have left, so that their places and buffers are free again.
    pub fn retire(&mut self) {
        if self.done == self.issued {
            return;
        }
        let status = hw::read(BASE, register::STATUS);
        let waiting = register::TX_QUEUE as u32 - (status & register::STATUS_TX_FREE_MASK);
        let held = waiting + (status & register::STATUS_TX_IDLE == 0) as u32;
        while self.issued.wrapping_sub(self.done) > held {
            if self.places[self.done as usize % QUEUE].buffer != 0 {
                self.buffers_done = self.buffers_done.wrapping_add(1);
            }
            self.done = self.done.wrapping_add(1);
        }
    }

    /// Passes the next packet to the station, if there is one and it takes it. Returns its header and first word.
    pub fn issue(&mut self) -> Option<(Header, u32)> {
        if !self.can_issue() {
            return None;
        }
        let place = &self.places[self.issued as usize % QUEUE];
        let payload = if place.buffer != 0 { place.buffer } else { place.words.as_ptr() as u32 };
        // SAFETY: the payload is a buffer or the place's own words.
        let first = unsafe { (payload as *const u32).read_volatile() };
        // The station reads memory: everything must have been stored.
        compiler_fence(Ordering::SeqCst);
        hw::write(BASE, register::TX_ADDRESS, payload);
        hw::write(BASE, register::TX_COMMAND, place.header);
        self.issued = self.issued.wrapping_add(1);
        Some((Header::unpack(place.header), first))
    }

    /// Whether a packet waits and the station takes it.
    pub fn can_issue(&self) -> bool {
        self.issued != self.queued && hw::read(BASE, register::STATUS) & register::STATUS_TX_FREE_MASK != 0
    }

    /// Whether packets wait here that the station does not take yet.
    pub fn is_waiting(&self) -> bool {
        self.issued != self.queued
    }

    /// Whether everything has left this processor.
    pub fn is_quiet(&self) -> bool {
        !self.is_waiting() && hw::read(BASE, register::STATUS) & register::STATUS_TX_IDLE != 0
    }

    /// The oldest packet received, if any. [`Self::release`] it when it has been served.
    pub fn receive(&self) -> Option<Packet> {
        if hw::read(BASE, register::RX_TAIL) == self.head {
            return None;
        }
        let start = self.ring + (self.head & self.ring_mask) * 4;
        // SAFETY: the address is in the ring. Volatile, since the station wrote it.
        let header = unsafe { (start as *const u32).read_volatile() };
        Some(Packet { ring: self.ring, mask: self.ring_mask, head: self.head, header: Header::unpack(header) })
    }

    /// Gives the packet's words in the ring back.
    pub fn release(&mut self, packet: &Packet) {
        self.head = (self.head + 1 + packet.header.payload_words() as u32) & 0xffff;
        hw::write(BASE, register::RX_HEAD, self.head);
    }
}

fn header(destination: u8, kind: u8, bytes: u32) -> u32 {
    Header { destination, kind, length: bytes as u16, source: 0 }.pack()
}

/// A packet in the receive ring.
pub struct Packet {
    ring: u32,
    mask: u32,
    head: u32,
    pub header: Header,
}

impl Packet {
    fn address(&self, index: u32) -> u32 {
        self.ring + ((self.head + 1 + index) & self.mask) * 4
    }
    /// Word `index` of the payload.
    pub fn word(&self, index: usize) -> u32 {
        // SAFETY: the address is in the ring. Volatile, since the station wrote it.
        unsafe { (self.address(index as u32) as *const u32).read_volatile() }
    }
    /// The payload from word `index` on, `bytes` bytes, as one or two pieces of memory: address and bytes.
    pub fn pieces(&self, index: usize, bytes: u32) -> [(u32, u32); 2] {
        let start = self.address(index as u32);
        let first = bytes.min(self.ring + (self.mask + 1) * 4 - start);
        [(start, first), (self.ring, bytes - first)]
    }
}
