//! The events of a run while it writes its folder, as far as their order is proven.

use std::path::Path;

use crate::capture::{Capture, CaptureError, Damage, Holder, Part, RunRecord, Tail, Writing, HOLES};
use crate::order::{Convention, Event, Growing, HELD_MAX};

/// Pairs read at a time.
const READ: usize = 1 << 14;

/// How a run that was followed has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It came to its end: what its record says.
    Complete(Box<RunRecord>),
    /// It was ended before that; what it had written has been read.
    Killed,
    /// Another run has begun to write to the folder.
    Replaced,
    /// It is over, but so many events came within one wrap of the clock that they can only be put
    /// in order from the finished folder.
    Unordered,
}

/// Follows a folder that a run writes to.
pub struct Live {
    capture: Capture,
    holder: Holder,
    tail: Tail,
    order: Growing,
    ended: Option<Ended>,
}

impl Live {
    /// Follows a folder from the beginning of its run.
    ///
    /// # Errors
    /// It has no `run.json`, or a file can't be opened.
    pub fn open(dir: &Path) -> Result<Self, CaptureError> {
        let capture = Capture::open(dir)?;
        let smis = capture.smis().map(|smi| smi as u8);
        let order = Growing::new(smis, Convention::of(capture.record.dgl));
        let holder = Holder::of(&capture)?;
        Ok(Live { holder, tail: Tail::new(&capture)?, order, ended: None, capture })
    }

    /// What the run is, as it said when it began.
    pub fn capture(&self) -> &Capture {
        &self.capture
    }

    /// Reads what has been written since the last call, though no more than memory allows to wait.
    /// Returns whether there may be more at once. [`Live::next_event`] then has what is proven to
    /// come next.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn read(&mut self) -> Result<bool, CaptureError> {
        if self.ended.is_some() {
            if self.holder.is_replaced() {
                self.ended = Some(Ended::Replaced);
            }
            return Ok(false);
        }
        // Asked first: whatever is written before the answer is read after it.
        let writing = Writing::of(&self.capture)?;
        if self.holder.is_replaced() {
            self.end(Ended::Replaced);
            return Ok(false);
        }
        if self.order.waiting() >= HELD_MAX {
            if writing != Writing::Going {
                self.ended = Some(Ended::Unordered);
            }
            return Ok(false);
        }
        let order = &mut self.order;
        let read = self.tail.read(READ, |part| match part {
            Part::Pairs(stream, pairs) => order.feed(stream, pairs),
            Part::Hole(stream, hole) => order.hole(stream, hole),
            Part::Doubt(stream) => order.doubt(stream),
        })?;
        if read >= READ {
            return Ok(true);
        }
        match writing {
            Writing::Going => {}
            Writing::Complete(record) => self.end(Ended::Complete(record)),
            Writing::Killed => self.end(Ended::Killed),
        }
        Ok(false)
    }

    fn end(&mut self, how: Ended) {
        self.order.end();
        self.ended = Some(how);
    }

    /// The next event, if it is proven which that is.
    pub fn next_event(&mut self) -> Option<Event> {
        self.order.next()
    }

    /// How the run has ended, once all that it wrote has been read.
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// Ticks since the start up to which all events have been given out.
    pub fn reached(&self) -> u64 {
        self.order.reached()
    }

    /// Events that wait for others to come, and the SMI for which they wait.
    pub fn waiting(&self) -> (usize, Option<usize>) {
        (self.order.waiting(), self.order.farthest_behind().map(|stream| stream + 1))
    }

    /// Where the folder's two copies differ, and where pairs are missing that the hardware counted.
    pub fn damage(&self) -> Vec<Damage> {
        let mut damage = self.tail.damage().to_vec();
        if self.tail.lost() > 0 {
            let what = format!("{} pair(s) were lost on the link", self.tail.lost());
            damage.push(Damage { path: self.capture.dir.join(HOLES), offset: 0, what });
        }
        if let Some(Ended::Complete(record)) = &self.ended {
            let capture = Capture::of_run(&self.capture.dir, (**record).clone());
            for (smi, count) in capture.smis().zip(self.tail.counts()) {
                let Some(delivered) = capture.delivered(smi) else { continue };
                // A machine may be stopped between the two words of a pair; the hardware counts it with the first.
                if delivered.wrapping_sub(count as u32) > 1 {
                    let what = format!("both copies end after {count} pairs, the hardware delivered {delivered}");
                    damage.push(Damage { path: capture.stream_path(smi), offset: 4 * count, what });
                }
            }
        }
        damage
    }
}
