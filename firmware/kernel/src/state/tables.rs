//! The kernel's tables and buffers, which it takes from RAM behind its own image, and how large
//! they are.

use testbed_definitions::boot::LARGE_RAM;
use testbed_definitions::page::PAGE_BYTES;

use crate::drivers::centrenet::Demand;
use crate::state::thread::Tcb;
use crate::variant;

/// What the kernel takes of a processor's RAM before anything else does.
#[derive(Clone, Copy)]
pub struct Tables {
    /// Centrenet's memory. Twice as many packets can wait as there are thread control blocks, which
    /// is more than blocked threads can have under way.
    pub demand: Demand,
    /// Thread control blocks.
    pub threads: u32,
}

impl Tables {
    const LARGE: Tables = Tables { demand: Demand { ring_pages: 16, buffers: 8, places: 2048 }, threads: 1024 };
    const MIDDLE: Tables = Tables { demand: Demand { ring_pages: 4, buffers: 2, places: 64 }, threads: 32 };
    const SMALL: Tables = Tables { demand: Demand { ring_pages: 4, buffers: 1, places: 16 }, threads: 8 };

    /// The tables of a processor with so many bytes of RAM.
    pub const fn of(ram_bytes: u32) -> Tables {
        match ram_bytes {
            _ if !variant::PAGES_GO => Tables::SMALL,
            ..LARGE_RAM => Tables::MIDDLE,
            _ => Tables::LARGE,
        }
    }

    /// Pages of the thread control blocks.
    pub const fn thread_pages(self) -> u32 {
        (self.threads * size_of::<Tcb>() as u32).div_ceil(PAGE_BYTES)
    }

    /// Pages of the timers' heap. The small kernel has none.
    pub const fn timer_pages(self) -> u32 {
        if !variant::PAGES_GO {
            return 0;
        }
        (self.threads * size_of::<u16>() as u32).div_ceil(PAGE_BYTES)
    }

    /// Pages of all of them. The host adds them up before it lets a machine start.
    pub const fn pages(self) -> u32 {
        let Demand { ring_pages, .. } = self.demand;
        let net = ring_pages + self.demand.pages_of_buffers() + self.demand.pages_of_places();
        net + self.thread_pages() + self.timer_pages()
    }
}
