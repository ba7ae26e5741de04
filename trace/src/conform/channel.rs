//! Channels: who may answer, transmit and be released, and how often each end has communicated.
//!
//! Messages name a channel but no process, so permissions are counted over all processes that use its number.

use std::collections::HashMap;

use testbed_definitions::mpc;

/// Everything that is counted.
#[derive(Debug, Default)]
pub struct Channels {
    /// By processor and channel: tokens that came and have not been answered.
    tokens: HashMap<(u8, u8), u64>,
    /// By sender's processor, receiver's and channel: an *rtr* has come, and no new token has left since.
    open: HashMap<(u8, u8, u8), bool>,
    /// By processor: *rtr* and *refuse* that came, and have not released a sender.
    releases: HashMap<u8, u64>,
    /// By processor: page messages that came less pages that left.
    pages: HashMap<u8, u64>,
    /// By process (home and place) and channel: communications of the sending and of the receiving end.
    counts: HashMap<(u16, u8), (u64, u64)>,
}

impl Channels {
    /// A message begins to be served on `me`.
    pub fn served(&mut self, me: u8, from: u8, kind: u8, channel: u8) {
        match kind {
            mpc::FOCUS | mpc::ADVERT => *self.tokens.entry((me, channel)).or_default() += 1,
            mpc::RTR => {
                self.open.insert((me, from, channel), true);
                *self.releases.entry(me).or_default() += 1;
            }
            mpc::REFUSE => *self.releases.entry(me).or_default() += 1,
            mpc::PAGE => *self.pages.entry(me).or_default() += 1,
            _ => {}
        }
    }

    /// A message leaves `me`; `false` if nothing permits it. `sole`: the channel's number is one process's only.
    pub fn sent(&mut self, me: u8, to: u8, kind: u8, channel: u8, sole: bool) -> bool {
        match kind {
            mpc::FOCUS | mpc::ADVERT if sole => {
                let mine = self.open.iter_mut().filter(|((from, _, number), _)| (*from, *number) == (me, channel));
                mine.for_each(|(_, open)| *open = false);
                true
            }
            mpc::RTR => take(self.tokens.entry((me, channel)).or_default()),
            mpc::MSG => self.open.get(&(me, to, channel)).copied().unwrap_or(false),
            mpc::PAGE_DATA => take(self.pages.entry(me).or_default()),
            _ => true,
        }
    }

    /// A sender on `me` is released; `false` if neither *rtr* nor *refuse* has come for it.
    pub fn release_sender(&mut self, me: u8) -> bool {
        take(self.releases.entry(me).or_default())
    }

    /// One end has communicated. `Err` if the ends can't have: each waits for the other before the next.
    pub fn count(&mut self, process: u16, channel: u8, sends: u64, receives: u64) -> Result<(), (u64, u64)> {
        let counts = self.counts.entry((process, channel)).or_default();
        *counts = (counts.0 + sends, counts.1 + receives);
        let found = *counts;
        if found.0 < found.1 || found.0 > found.1 + 1 {
            // So that one miss is told once.
            *counts = (found.0.max(found.1), found.0.max(found.1));
            return Err(found);
        }
        Ok(())
    }

    /// Its next process has other channels.
    pub fn forget_process(&mut self, process: u16) {
        self.counts.retain(|(of, _), _| *of != process);
    }
}

fn take(count: &mut u64) -> bool {
    let some = *count > 0;
    *count = count.saturating_sub(1);
    some
}
