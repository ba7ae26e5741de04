//! What a process asks for during a superstep, and the messages that the one before has brought.

use libtos::copy;
use testbed_definitions::exchange::in_area;

use crate::items::{message_bytes, Header, Kind, HEADER, PAD};
use crate::registry::{Area, Failure, REGISTRATIONS};
use crate::state::Bsp;

/// Bytes from which on data that need not be copied at once leave as they lie.
const LONG: usize = 512;

/// Whether data that need not be copied at once leave as they lie.
#[inline]
pub fn leaves_in_place(from: usize, bytes: usize) -> bool {
    bytes >= LONG && from % 4 == 0 && bytes % PAD == 0
}

/// Copies data, of which a word is what there often is.
///
/// # Safety
/// As for [`copy`].
#[inline]
pub unsafe fn copy_data(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's.
    unsafe {
        match ((from as usize | to as usize) % 4, bytes) {
            (0, 4) => (to as *mut u32).write((from as *const u32).read()),
            (0, 8) => (to as *mut [u32; 2]).write((from as *const [u32; 2]).read()),
            _ => copy(from, to, bytes),
        }
    }
}

/// What a process asks for. Addresses are this process's.
///
/// # Safety
/// Of each method: memory that is named has so many bytes.
impl Bsp {
    /// From the next superstep on, an area of this process belongs to those that the others register
    /// with the same call.
    pub fn push_reg(&mut self, start: usize, bytes: usize) {
        self.within("bsp_push_reg");
        self.asked.push();
        if let Err(failure) = self.registry.push(Area { start, bytes }) {
            self.bad_registration(failure, start);
        }
    }

    pub fn pop_reg(&mut self, start: usize) {
        self.within("bsp_pop_reg");
        match self.registry.pop(start) {
            Ok(slot) => self.asked.pop(slot),
            Err(failure) => self.bad_registration(failure, start),
        }
    }

    #[cold]
    fn bad_registration(&self, failure: Failure, start: usize) -> ! {
        match failure {
            Failure::TooMany => self.misuse(format_args!("bsp_push_reg: more than {REGISTRATIONS} registrations")),
            Failure::Unknown => self.misuse(format_args!("bsp_pop_reg: no area at {start:#x} is registered")),
        }
    }

    #[inline]
    fn slot(&self, primitive: &str, start: usize) -> u16 {
        match self.registry.slot(start) {
            Some(slot) => slot as u16,
            None if self.registry.will_be(start) => self.misuse(format_args!(
                "{primitive}: the area at {start:#x} is not registered before this superstep has ended"
            )),
            None => self.misuse(format_args!("{primitive}: no area at {start:#x} has been registered")),
        }
    }

    /// Room for an item that leaves.
    #[inline]
    fn append(&mut self, to: usize, bytes: usize) -> usize {
        match self.outbox.append(&mut self.arena, to, bytes) {
            Some(at) => at,
            None => self.out_of_memory(bytes),
        }
    }

    #[cold]
    pub(crate) fn out_of_memory(&self, bytes: usize) -> ! {
        let all = self.arena.bytes();
        self.misuse(format_args!(
            "the library has {all} bytes of memory, and no room for {bytes} more (link with --defsym=tos_bsp_bytes=N)"
        ))
    }

    /// `bsp_put`: copies from here to the area that is registered as `area` here, at process `pid`.
    ///
    /// # Safety
    /// There are so many bytes at `from`.
    pub unsafe fn put(&mut self, pid: usize, from: *const u8, area: usize, offset: usize, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { self.put_copy("bsp_put", pid, from, (area, offset), bytes) }
    }

    /// # Safety
    /// As for [`Self::put`].
    #[inline]
    unsafe fn put_copy(
        &mut self,
        primitive: &str,
        pid: usize,
        from: *const u8,
        (area, offset): (usize, usize),
        bytes: usize,
    ) {
        self.check_pid(primitive, pid);
        let slot = self.slot(primitive, area);
        let at = self.append(pid, HEADER + bytes.next_multiple_of(PAD));
        // SAFETY: there is room; the source is the caller's.
        unsafe {
            (at as *mut Header).write(Header::put(self.rank, slot, offset as u32, bytes as u32));
            copy_data(from, (at + HEADER) as *mut u8, bytes);
        }
    }

    /// `bsp_hpput`: as [`Self::put`], but what is long is read and written at any time before the next
    /// superstep begins.
    ///
    /// # Safety
    /// There are so many bytes at `from`, and they stay as they are until the superstep has ended.
    pub unsafe fn hpput(&mut self, pid: usize, from: *const u8, area: usize, offset: usize, bytes: usize) {
        let whole = bytes & !(PAD - 1);
        // A block for the header, one for the data, one for what is behind them.
        if !leaves_in_place(from as usize, whole) || !self.outbox.has_blocks(3) {
            // SAFETY: the caller's.
            return unsafe { self.put_copy("bsp_hpput", pid, from, (area, offset), bytes) };
        }
        self.check_pid("bsp_hpput", pid);
        let slot = self.slot("bsp_hpput", area);
        let at = self.append(pid, HEADER);
        // SAFETY: there is room.
        unsafe { (at as *mut Header).write(Header::put(self.rank, slot, offset as u32, whole as u32)) };
        let destination = in_area(slot as usize, offset as u32).unwrap_or(0);
        if self.outbox.append_memory(&mut self.arena, pid, (from as usize, whole), destination).is_none() {
            self.out_of_memory(bytes);
        }
        if whole != bytes {
            // SAFETY: the caller's.
            unsafe { self.put_copy("bsp_hpput", pid, from.add(whole), (area, offset + whole), bytes - whole) };
        }
    }

    /// `bsp_get`: copies to `to` what is in the area that is registered as `area` here, at process
    /// `pid`, when the superstep ends.
    ///
    /// # Safety
    /// There are so many bytes at `to`.
    pub unsafe fn get(&mut self, pid: usize, area: usize, offset: usize, to: *mut u8, bytes: usize) {
        self.ask(Kind::Get, "bsp_get", pid, (area, offset), (to as usize, bytes));
    }

    /// `bsp_hpget`: as [`Self::get`], but what is long is read and written at any time before the next
    /// superstep begins.
    ///
    /// # Safety
    /// As for [`Self::get`]; and nobody uses these bytes until then, or changes those that are read.
    pub unsafe fn hpget(&mut self, pid: usize, area: usize, offset: usize, to: *mut u8, bytes: usize) {
        self.ask(Kind::HpGet, "bsp_hpget", pid, (area, offset), (to as usize, bytes));
    }

    #[inline]
    fn ask(
        &mut self,
        kind: Kind,
        primitive: &str,
        pid: usize,
        (area, offset): (usize, usize),
        (to, bytes): (usize, usize),
    ) {
        self.check_pid(primitive, pid);
        let slot = self.slot(primitive, area);
        let at = self.append(pid, HEADER);
        self.gets = true;
        let header = Header::get(kind, self.rank, slot, offset as u32, bytes as u32, to as u32);
        // SAFETY: there is room.
        unsafe { (at as *mut Header).write(header) };
    }

    /// `bsp_send`.
    ///
    /// # Safety
    /// There is a tag at `tag`, and there are so many bytes at `from`.
    pub unsafe fn send(&mut self, pid: usize, tag: *const u8, from: *const u8, bytes: usize) {
        self.check_pid("bsp_send", pid);
        let tag_bytes = self.tag_bytes as usize;
        let at = self.append(pid, HEADER + message_bytes(tag_bytes, bytes));
        let data = at + HEADER;
        // SAFETY: there is room; the sources are the caller's.
        unsafe {
            (at as *mut Header).write(Header::message(tag_bytes as u32, bytes as u32));
            copy(tag, data as *mut u8, tag_bytes);
            copy(from, (data + tag_bytes.next_multiple_of(PAD)) as *mut u8, bytes);
        }
    }

    /// `bsp_set_tagsize`: bytes of tags from the next superstep on. The result is how many
    /// were asked for before.
    pub fn set_tagsize(&mut self, bytes: usize) -> usize {
        self.within("bsp_set_tagsize");
        self.asked.set_tag_bytes(bytes as u32);
        core::mem::replace(&mut self.next_tag_bytes, bytes as u32) as usize
    }

    /// `bsp_qsize`: messages that have not been taken, and their bytes.
    pub fn qsize(&self) -> (usize, usize) {
        self.within("bsp_qsize");
        (self.queue.messages as usize, self.queue.bytes as usize)
    }

    /// `bsp_get_tag`: the bytes of the next message, and its tag; `None` if there is no message.
    ///
    /// # Safety
    /// There is room for a tag at `tag`.
    pub unsafe fn get_tag(&self, tag: *mut u8) -> Option<usize> {
        self.within("bsp_get_tag");
        let (tag_bytes, bytes, at) = self.queue.first()?;
        if tag_bytes > 0 {
            self.not_null("bsp_get_tag", "the second argument", tag);
        }
        // SAFETY: the caller's.
        unsafe { copy(at as *const u8, tag, tag_bytes) };
        Some(bytes)
    }

    /// `bsp_move`: takes the next message, of which so many bytes are copied to `to` at most.
    ///
    /// # Safety
    /// There are so many bytes at `to`.
    pub unsafe fn take(&mut self, to: *mut u8, most: usize) {
        self.within("bsp_move");
        let Some((tag_bytes, bytes, at)) = self.queue.first() else {
            self.misuse(format_args!("bsp_move: there is no message"))
        };
        let from = at + tag_bytes.next_multiple_of(PAD);
        let taken = bytes.min(most);
        if taken > 0 {
            self.not_null("bsp_move", "the first argument", to);
        }
        // SAFETY: the caller's.
        unsafe { copy(from as *const u8, to, taken) };
        self.queue.pass(bytes);
    }

    /// `bsp_hpmove`: takes the next message: where its tag and itself are until the superstep ends,
    /// and its bytes. `None` if there is no message.
    pub fn hpmove(&mut self) -> Option<(usize, usize, usize)> {
        self.within("bsp_hpmove");
        let (tag_bytes, bytes, at) = self.queue.first()?;
        self.queue.pass(bytes);
        Some((at, at + tag_bytes.next_multiple_of(PAD), bytes))
    }
}
