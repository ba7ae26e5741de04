//! How a member of a group comes to the end of an exchange.

use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_kernel_core::queue::NONE;
use testbed_protocol::superstep::Rank;

use crate::drivers::events;
use crate::state::effects::LEAVING;
use crate::state::extended::groups::GroupRecord;
use crate::state::kernel::Kernel;
use crate::state::thread::State;

/// Bytes as words, as events tell them.
pub fn words_told(bytes: u32) -> u16 {
    event::words_argument(bytes.div_ceil(4))
}

impl Kernel {
    /// A member that is here goes on if it has received all, and all that it has sent has left.
    pub fn look_if_through(&mut self, mut group: GroupRecord, rank: Rank) {
        let local = group.local(rank);
        let (index, has_sent) = (local.index, local.has_sent() && !(local.in_place && self.net.holds_memory()));
        if has_sent && group.group().has_all(rank) && self.tcb_of(index).state() == State::Synchronizing {
            self.through(group, rank);
        }
    }

    /// Memory of members has been leaving: if all of it has left, those go on that have waited for
    /// that.
    pub fn look_at_leaving(&mut self) {
        if self.net.holds_memory() {
            return;
        }
        self.effects.done(LEAVING);
        for mut group in self.groups.iter() {
            for rank in 0..group.members() {
                if group.local(rank).index != NONE && group.group().exchanges(rank) {
                    self.look_if_through(group, rank);
                }
            }
        }
    }

    pub fn through(&mut self, mut group: GroupRecord, rank: Rank) {
        let agreed = group.group().agreed();
        let (index, bytes) = group.local(rank).leave();
        if self.groups.rounds.is_some() {
            self.stop_timer(index);
        }
        let tcb = self.tcb_of(index);
        tcb.context().answer_also(bytes);
        events::emit_with(DIAG_PROFILE, event::THROUGH, tcb.number().bits());
        events::emit_with(DIAG_PROFILE, event::RECEIVED, words_told(bytes));
        self.finish(index, Ok(agreed.any as u32 | (agreed.all as u32) << 8));
    }
}
