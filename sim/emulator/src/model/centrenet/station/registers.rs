//! The registers as software reads and writes them.

use testbed_definitions::map::centrenet as register;
use testbed_definitions::packet::{Header, PAYLOAD_BYTES_MAX};

use super::{Descriptor, Station};

/// What software can set of CONTROL.
const CONTROL_BITS: u32 = register::CONTROL_RECEIVE | register::CONTROL_INTERRUPT | register::CONTROL_CONFIRM;

impl Station {
    /// Whether there is something in the ring.
    pub fn has_packet(&self) -> bool {
        self.head != self.tail
    }

    fn status(&mut self) -> u32 {
        let mut status = (register::TX_QUEUE - self.queue.len()) as u32;
        if self.queue.is_empty() && self.idle_since.is_some() {
            status |= register::STATUS_TX_IDLE;
        }
        if self.has_packet() {
            status |= register::STATUS_RX_READY;
        }
        if self.is_off() {
            status |= register::STATUS_RX_OFF;
        }
        status
    }

    /// See [`Network::load`](super::super::Network::load).
    pub fn load(&mut self, offset: u32, cycle: u64) -> u32 {
        self.sync(cycle);
        match offset & !3 {
            register::ID => self.number as u32 | (self.stations as u32) << 8,
            register::CONTROL => self.control,
            register::STATUS => self.status(),
            register::TX_ADDRESS => self.tx_address,
            register::RX_BASE => self.rx_base,
            register::RX_MASK => self.rx_mask.into(),
            register::RX_HEAD => self.head.into(),
            register::RX_TAIL => self.tail.into(),
            register::TX_PACKETS => self.counters.tx_packets,
            register::TX_DROPPED => self.counters.tx_dropped,
            register::TX_CORRUPTED => self.counters.tx_corrupted,
            register::TX_NO_STATION => self.counters.tx_no_station,
            register::TX_REFUSED => self.counters.tx_refused,
            register::TX_RETRIES => self.counters.tx_retries,
            register::RX_PACKETS => self.counters.rx_packets,
            register::RX_CRC_ERRORS => self.counters.rx_crc_errors,
            register::TX_BROADCASTS => self.counters.tx_broadcasts,
            register::TX_RESENT => self.counters.tx_resent,
            register::FAULT_DROP => self.fault_drop,
            register::FAULT_CORRUPT => self.fault_corrupt,
            register::FAULT_SEED => self.lfsr,
            _ => 0,
        }
    }

    /// See [`Network::store`](super::super::Network::store).
    pub fn store(&mut self, offset: u32, value: u32, cycle: u64) {
        self.sync(cycle);
        let full = self.queue.len() == register::TX_QUEUE;
        let off = self.is_off();
        // The engine's pop in this very cycle still sees the old values.
        self.sync(cycle + 1);
        match offset & !3 {
            register::CONTROL => {
                self.control = value & CONTROL_BITS;
                self.exported_enable.store(cycle, value & register::CONTROL_RECEIVE != 0);
            }
            register::TX_ADDRESS => self.tx_address = value & !3,
            register::TX_COMMAND => {
                if full || usize::from(Header::unpack(value).length) > PAYLOAD_BYTES_MAX {
                    self.counters.tx_refused = self.counters.tx_refused.wrapping_add(1);
                } else {
                    self.queue.push_back(Descriptor { stored: cycle, address: self.tx_address, header: value });
                }
            }
            register::RX_BASE if off => self.rx_base = value & !3,
            register::RX_MASK if off => self.rx_mask = (value & 0x7fff) as u16,
            register::RX_HEAD => {
                self.head = value as u16;
                self.exported_head.store(cycle, self.head);
            }
            register::FAULT_DROP => self.fault_drop = value & 0x1_ffff,
            register::FAULT_CORRUPT => self.fault_corrupt = value & 0x1_ffff,
            register::FAULT_SEED => self.lfsr = value.max(1),
            _ => {}
        }
        self.update_line(cycle + 1);
    }
}
