//! The end of a superstep.
//!
//! All items for a process travel in one row, which the kernel puts behind those of the processes
//! before. If anybody wants to read, a second exchange brings what has been read. Reads see memory
//! as the superstep has left it; what they have read is written first, then what was put, in order
//! of the processes that have put it. So the same program always does the same.

use libtos::call;
use libtos::Error;
use testbed_definitions::exchange as record;
use testbed_definitions::ids::ProcessId;
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::syscall;

use crate::asked::Asked;
use crate::items::{Header, Items, Kind, HEADER, PAD};
use crate::queue::Queue;
use crate::state::Bsp;
use crate::transfer::{copy_data, leaves_in_place};

/// What processes say of themselves when a superstep ends.
const READS: u8 = 1 << 0;
const ENDS: u8 = 1 << 1;
/// From this bit on: [`Asked::sign`].
const ASKED: u32 = 2;

/// Room for what comes, to begin with: two pages with the words ahead. The kernel looks at all of
/// its pages each time.
const FIRST_ROOM: u32 = 2 * PAGE_BYTES - 4 * record::AHEAD_WORDS as u32;

/// What an exchange has brought.
pub(crate) struct Come {
    pub start: usize,
    pub bytes: usize,
    any: u8,
    all: u8,
}

impl Bsp {
    /// `bsp_sync`.
    pub fn sync(&mut self) {
        self.within("bsp_sync");
        self.end_superstep(if self.gets { READS } else { 0 }, "bsp_sync");
    }

    /// The last superstep. Who is through with it ends, and the group with the first one: so if
    /// anybody has something for others, all wait until everybody has it.
    pub(crate) fn last_superstep(&mut self) {
        let moves = self.gets || !self.outbox.is_empty();
        if self.end_superstep(if moves { ENDS | READS } else { ENDS }, "bsp_end") {
            self.exchange(0);
        }
    }

    /// Whether anybody wants to read.
    fn end_superstep(&mut self, signs: u8, primitive: &str) -> bool {
        self.queue = Queue::EMPTY;
        self.arena.forget_come();
        let come = self.exchange(signs | self.asked.sign() << ASKED);
        if come.any & ENDS != come.all & ENDS {
            self.misuse(format_args!(
                "{primitive}, while another process calls {}",
                match signs & ENDS {
                    0 => "bsp_end",
                    _ => "bsp_sync",
                }
            ));
        }
        if come.any >> ASKED != come.all >> ASKED {
            self.disagree();
        }
        self.arena.keep(come.bytes);
        if come.any & READS != 0 {
            self.gets = false;
            self.read_for_others(&come);
            let replies = self.exchange(0);
            // SAFETY: the others have put items there.
            let items = unsafe { Items::new(replies.start, replies.start + replies.bytes) };
            for (header, data) in items.filter(|(header, _)| !header.is_deposited()) {
                // SAFETY: this process has said that there is room for so much.
                unsafe { copy_data(data as *const u8, header.to as *mut u8, header.bytes as usize) };
            }
        }
        self.take_in(&come);
        self.registry.superstep();
        self.asked = Asked::NOTHING;
        self.tag_bytes = self.next_tag_bytes;
        come.any & READS != 0
    }

    /// Writes what was put, and finds the messages.
    fn take_in(&mut self, come: &Come) {
        let end = come.start + come.bytes;
        let (mut messages, mut bytes) = (0, 0);
        // SAFETY: the others have put items there.
        for (header, data) in unsafe { Items::new(come.start, end) } {
            match header.kind() {
                Kind::Put if header.is_deposited() => {}
                Kind::Put => {
                    let to = self.place("puts to", &header);
                    // SAFETY: the area is registered, and has room.
                    unsafe { copy_data(data as *const u8, to as *mut u8, header.bytes as usize) };
                }
                Kind::Message => (messages, bytes) = (messages + 1, bytes + header.bytes),
                Kind::Get | Kind::HpGet | Kind::Reply => {}
            }
        }
        // SAFETY: as above; they stay there until the next superstep ends.
        self.queue = unsafe { Queue::new(come.start, end, (messages, bytes)) };
    }

    /// Puts into the outbox what others want to read.
    fn read_for_others(&mut self, come: &Come) {
        // SAFETY: the others have put items there.
        for (header, _) in unsafe { Items::new(come.start, come.start + come.bytes) } {
            if !matches!(header.kind(), Kind::Get | Kind::HpGet) {
                continue;
            }
            let (from, bytes) = (self.place("gets", &header), header.bytes as usize);
            if leaves_in_place(from, bytes) && self.outbox.has_blocks(2) {
                self.reply_in_place(&header, from);
                continue;
            }
            let size = HEADER + bytes.next_multiple_of(PAD);
            let Some(at) = self.outbox.append(&mut self.arena, header.rank as usize, size) else {
                self.out_of_memory(size)
            };
            // SAFETY: there is room; the area is registered, and has so many bytes.
            unsafe {
                (at as *mut Header).write(Header::reply(header.to, header.bytes));
                copy_data(from as *const u8, (at + HEADER) as *mut u8, bytes);
            }
        }
    }

    /// What another process wants to read leaves as it lies here: nothing is written before all of
    /// it has left, but for what others read by `bsp_hpget`.
    fn reply_in_place(&mut self, header: &Header, from: usize) {
        let (to, bytes) = (header.rank as usize, header.bytes as usize);
        let destination = match header.kind() {
            Kind::HpGet => record::at_address(header.to).unwrap_or(0),
            _ => 0,
        };
        let Some(at) = self.outbox.append(&mut self.arena, to, HEADER) else { self.out_of_memory(HEADER) };
        // SAFETY: there is room.
        unsafe { (at as *mut Header).write(Header::reply(header.to, header.bytes)) };
        if self.outbox.append_memory(&mut self.arena, to, (from, bytes), destination).is_none() {
            self.out_of_memory(HEADER);
        }
    }

    /// Where in this process's memory another one writes or reads.
    #[inline]
    fn place(&self, does: &str, header: &Header) -> usize {
        let area = self.registry.area(header.slot as usize);
        let end = header.offset as usize + header.bytes as usize;
        match area {
            Some(area) if end <= area.bytes => area.start + header.offset as usize,
            _ => {
                let (at, bytes) = area.map_or((0, 0), |area| (area.start, area.bytes));
                self.misuse(format_args!(
                    "process {} {does} bytes {} to {end} of the area that is {at:#x} here, and has {bytes} bytes",
                    header.rank, header.offset
                ))
            }
        }
    }

    /// Writes ahead of the room what the kernel may want to know.
    fn tell_areas(&self, room: usize) {
        let (list, count) = self.registry.list();
        let ahead = (room - 4 * record::AHEAD_WORDS) as *mut u32;
        // SAFETY: the arena's.
        unsafe {
            ahead.add(record::AREAS).write(list as u32);
            ahead.add(record::AREA_COUNT).write(count as u32);
        }
    }

    /// Sends what is in the outbox, and waits for what the others send.
    pub(crate) fn exchange(&mut self, signs: u8) -> Come {
        let Some((table, segments)) = self.outbox.segments(&mut self.arena, self.rank, self.count) else {
            self.out_of_memory(0)
        };
        let (start, most) = self.arena.room();
        self.tell_areas(start);
        let member = record::member(ProcessId::from_bits(self.group), 0, self.rank as u8);
        let mut room = self.room.max(FIRST_ROOM).min(most as u32);
        let mut said = record::said(signs, segments);
        loop {
            let arguments = [member, said, start as u32, room, table as u32];
            // SAFETY: the kernel writes to the room, which is the arena's and holds nothing.
            let (result, bytes) = unsafe { call::call(syscall::EXCHANGE, arguments) };
            match call::result(result) {
                Ok(result) => {
                    let (any, all) = record::signs(result);
                    if segments != 0 {
                        self.outbox.clear(self.count);
                        self.arena.forget_taken();
                    }
                    return Come { start, bytes: bytes as usize, any, all };
                }
                Err(Error::BadLength) if bytes as usize <= most => {
                    self.room = bytes.next_multiple_of(1_024).min(most as u32);
                    room = self.room;
                    said |= record::ENLARGED;
                }
                Err(Error::BadLength) => self.out_of_memory(bytes as usize),
                Err(Error::Killed | Error::NoProcess) => self.lost(),
                Err(error) => self.misuse(format_args!("the processes cannot exchange: {}", error.meaning())),
            }
        }
    }
}
