//! What happens if processes have asked for different things that all have to ask for in the same
//! way.
//!
//! At the end of a superstep each process tells a small number that depends on what it has asked
//! for and in which order. If these differ, the processes tell the first one more, which says who
//! has asked for what, and the program ends.

use crate::asked::Asked;
use crate::items::{message_bytes, Header, Items, Kind, HEADER};
use crate::state::Bsp;

impl Bsp {
    /// Processes have asked for different things: the first one says for which, and all end.
    #[cold]
    pub(crate) fn disagree(&mut self) -> ! {
        const BYTES: usize = size_of::<Asked>();
        self.arena.forget_come();
        let at = match self.outbox.append(&mut self.arena, 0, HEADER + message_bytes(0, BYTES)) {
            Some(at) => at,
            None => self.out_of_memory(BYTES),
        };
        // SAFETY: there is room.
        unsafe {
            (at as *mut Header).write(Header::message(0, BYTES as u32));
            ((at + HEADER) as *mut Asked).write(self.asked);
        }
        let come = self.exchange(0);
        if self.rank != 0 {
            // The first one says why, and nobody can go on before it has.
            self.end_all()
        }
        // SAFETY: each process has put an item there, in the order of their ranks.
        let items = unsafe { Items::new(come.start, come.start + come.bytes) };
        for (rank, (_, data)) in items.filter(|(header, _)| header.kind() == Kind::Message).enumerate() {
            // SAFETY: by the rule above that is what is there.
            let other = unsafe { (data as *const Asked).read() };
            if other != self.asked {
                self.say_difference(rank, other)
            }
        }
        self.misuse(format_args!("the processes call bsp_push_reg, bsp_pop_reg or bsp_set_tagsize differently"))
    }

    fn say_difference(&self, rank: usize, other: Asked) -> ! {
        let mine = self.asked;
        for (primitive, mine, other) in [
            ("bsp_push_reg", mine.pushes, other.pushes),
            ("bsp_pop_reg", mine.pops, other.pops),
            ("bsp_set_tagsize", mine.tag_calls, other.tag_calls),
        ] {
            if mine != other {
                self.misuse(format_args!(
                    "calls of {primitive} in this superstep: {mine} here, but {other} in process {rank}"
                ))
            }
        }
        if mine.tag_bytes != other.tag_bytes {
            let (mine, other) = (mine.tag_bytes, other.tag_bytes);
            self.misuse(format_args!("bsp_set_tagsize: {mine} bytes here, but {other} in process {rank}"))
        }
        self.misuse(format_args!(
            "bsp_push_reg and bsp_pop_reg: process {rank} has called them in another order than this one, \
             or has ended another registration"
        ))
    }
}
