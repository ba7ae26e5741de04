//! The counters of every kernel, told by a short-lived thread on each processor.

use core::sync::atomic::{AtomicU8, Ordering};

use libtos::process::{counter, counters};
use libtos::{
    create, exit, migrate_self, println, processor, processors, receive, send_block, stack_for, thread_id, wait, Error,
    Place,
};

/// Processors that are asked at most.
pub const PROCESSORS: usize = 8;
const STACK_PAGES: u32 = 2;
const WORDS: usize = 8;

/// All counters of all processors.
pub type Counters = [[u32; WORDS]; PROCESSORS];

/// Asks with threads `id` and up, which send on channels `channel` and up. They are created at
/// `stacks`, so that asking twice takes nothing twice.
pub struct Probe {
    id: u8,
    channel: u8,
    stacks: [u32; PROCESSORS],
}

/// The channel of the probe on processor 0, for the threads, and that thread's id; one program has one.
static CHANNEL: AtomicU8 = AtomicU8::new(0);
static FIRST: AtomicU8 = AtomicU8::new(0);

impl Probe {
    pub fn new(id: u8, channel: u8) -> Self {
        CHANNEL.store(channel, Ordering::Relaxed);
        FIRST.store(id, Ordering::Relaxed);
        Probe { id, channel, stacks: core::array::from_fn(|_| stack_for(STACK_PAGES)) }
    }

    /// The caller has no other children.
    pub fn ask(&self) -> Result<Counters, Error> {
        let mut all = Counters::default();
        for (index, words) in all.iter_mut().enumerate().take(processors() as usize) {
            create(self.id + index as u8, STACK_PAGES, index as i32, tell, self.stacks[index])?;
            let mut bytes = [0; 4 * WORDS];
            receive(self.channel + index as u8, &mut bytes)?;
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
                *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
            wait();
        }
        Ok(all)
    }
}

extern "C" fn tell() -> ! {
    let index = thread_id() - FIRST.load(Ordering::Relaxed);
    let mut bytes = [0; 4 * WORDS];
    for (place, word) in bytes.chunks_exact_mut(4).zip(counters_of(index)) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let channel = CHANNEL.load(Ordering::Relaxed) + index;
    exit((send_block(channel, &bytes) != Ok(bytes.len())) as u32)
}

/// The counters of a processor. Others may move the thread meanwhile: it goes back then.
fn counters_of(index: u8) -> [u32; WORDS] {
    loop {
        let is_there = processor() == index;
        let counters = counters();
        if is_there && processor() == index {
            return counters;
        }
        // Another try, if there is no way at the moment.
        let _ = migrate_self(Place::Processor(index));
    }
}

/// What a kernel can run out of, and must have again when all is over.
pub const KEPT: [(usize, &str); 3] =
    [(counter::FREE_PAGES, "free pages"), (counter::FREE_THREADS, "free threads"), (counter::PROCESSES, "processes")];

/// Prints every difference of what must be kept; returns how many there are.
pub fn differences(before: &Counters, after: &Counters) -> u32 {
    let mut count = 0;
    for (index, (before, after)) in before.iter().zip(after).enumerate() {
        for (counter, name) in KEPT {
            if before[counter] != after[counter] {
                println!("processor {index}: {name} were {}, are {}", before[counter], after[counter]);
                count += 1;
            }
        }
    }
    count
}
