//! DMA bursts: the load of a packet to send, and the writes of one that arrives.

use super::burst::{Burst, DmaMemory, Hazards, Load};
use super::station::Station;
use std::ops::Range;

/// `words` from `address` on, in a RAM of `ram_mask + 1` bytes; all of it if they wrap.
pub fn span(address: u32, words: u32, ram_mask: u32) -> Range<u32> {
    let start = address & ram_mask & !3;
    if words == 0 {
        return 0..0;
    }
    match start + words * 4 {
        end if end <= ram_mask + 1 => start..end,
        _ => 0..ram_mask + 1,
    }
}

fn hull(a: Range<u32>, b: Range<u32>) -> Range<u32> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b,
        (_, true) => a,
        _ => a.start.min(b.start)..a.end.max(b.end),
    }
}

impl Station {
    /// Carries out reads of cycles before `reads` and writes of cycles before `writes`, in order of cycle.
    pub fn run_dma(&mut self, reads: u64, writes: u64, memory: &mut impl DmaMemory) {
        loop {
            let read = self.next_read();
            let write = self.bursts.front().map_or(u64::MAX, Burst::next_cycle);
            if read < write && read < reads {
                self.read_words(reads.min(write), memory);
            } else if write < read && write < writes {
                let (number, ram_mask) = (self.number, self.ram_mask);
                let burst = self.bursts.front_mut().expect("it has a next cycle");
                burst.write(writes.min(read), number, ram_mask, memory);
                if burst.is_done() {
                    self.bursts.pop_front();
                }
            } else {
                break;
            }
        }
    }

    /// See [`super::Network::dma_from`].
    pub fn dma_from(&mut self) -> u64 {
        let write = self.bursts.front().map_or(u64::MAX, Burst::next_cycle);
        // The first word of the next packet is issued in the cycle after its pop.
        self.next_read().min(write).min(self.pop_from().saturating_add(2))
    }

    /// The cycle in which the load's next word is on port B.
    fn next_read(&mut self) -> u64 {
        let Some(load) = self.offer.as_mut().map(|offer| &mut offer.load).filter(|load| load.left > 0) else {
            return u64::MAX;
        };
        for &(from, to) in &self.blocked {
            if (from..=to).contains(&load.cycle) {
                load.cycle = to + 1;
            }
        }
        load.cycle + 1
    }

    /// Reads words up to the next block, those of cycles before `end`. The next one is before `end` and not blocked.
    fn read_words(&mut self, end: u64, memory: &mut impl DmaMemory) {
        let offer = self.offer.as_mut().expect("it has a load");
        let load = &mut offer.load;
        let block = self.blocked.iter().map(|&(from, _)| from).find(|&from| from > load.cycle).unwrap_or(u64::MAX);
        let room = block.min(end - 1) - load.cycle;
        let count = room.min(u64::from(load.left)) as u32;
        for _ in 0..count {
            offer.words.push(memory.read(self.number, load.address & self.ram_mask));
            load.address = load.address.wrapping_add(4);
        }
        load.left -= count;
        load.cycle += u64::from(count);
    }

    /// The first cycle in which all of the load has been issued, as far as receptions are known.
    pub fn load_end(&self, load: &Load) -> u64 {
        let (mut cycle, mut left) = (load.cycle, u64::from(load.left));
        for &(from, to) in self.blocked.iter().filter(|&&(_, to)| to >= load.cycle) {
            let open = from.saturating_sub(cycle);
            if left <= open {
                break;
            }
            left -= open;
            cycle = cycle.max(to + 1);
        }
        cycle + left
    }

    /// See [`super::Network::has_dma`].
    #[inline]
    pub fn has_dma(&self) -> bool {
        let loads = self.offer.as_ref().is_some_and(|offer| offer.load.left > 0);
        loads || !self.bursts.is_empty() || !self.queue.is_empty()
    }

    /// See [`super::Network::hazards`].
    pub fn hazards(&self) -> Hazards {
        let mut hazards = Hazards::default();
        if let Some(offer) = &self.offer {
            hazards.transmit = span(offer.load.address, offer.load.left, self.ram_mask);
        }
        for descriptor in &self.queue {
            let queued = span(descriptor.address, descriptor.words(), self.ram_mask);
            hazards.transmit = hull(hazards.transmit, queued);
        }
        for burst in &self.bursts {
            hazards.receive = hull(hazards.receive, self.burst_span(burst));
        }
        hazards
    }

    fn burst_span(&self, burst: &Burst) -> Range<u32> {
        let size = u32::from(burst.mask) + 1;
        let position = u32::from(burst.start & burst.mask);
        let words = burst.words() as u32;
        if size.is_power_of_two() && position + words <= size {
            span(burst.base.wrapping_add(position * 4), words, self.ram_mask)
        } else {
            span(burst.base, size, self.ram_mask)
        }
    }
}
