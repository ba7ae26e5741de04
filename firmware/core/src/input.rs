//! Console input: who gets it. The master's [`Switch`] passes it to the processors that want some,
//! a line at a time, in the order in which they asked; a processor's [`Inbox`] keeps it for the
//! threads that read there. Keys (Ctrl-C, Ctrl-Z) are no input while a processor wants them: it gets
//! them at once, also where nobody reads.

use testbed_definitions::ids::Processor;
use testbed_definitions::mpc::process::INPUT_BYTES;
use testbed_definitions::packet::STATIONS_MAX;
use testbed_definitions::syscall::{END_OF_INPUT, INTERRUPT, PAUSE};

use crate::ring::Ring;

/// Bytes that a processor keeps; longer lines are read in pieces.
pub const INBOX_BYTES: usize = 256;

/// What a processor says instead of the room that it has: it wants keys, or none any more.
pub const KEYS: u16 = u16::MAX;
pub const NO_KEYS: u16 = KEYS - 1;
const _: () = assert!(INBOX_BYTES < NO_KEYS as usize);

/// Input for a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub to: Processor,
    pub bytes: [u8; INPUT_BYTES],
    pub count: u8,
    /// The processor gets no more before it asks again.
    pub last: bool,
    /// Nobody gets any more, ever.
    pub end: bool,
}

impl Piece {
    const fn empty(to: Processor) -> Self {
        Piece { to, bytes: [0; INPUT_BYTES], count: 0, last: true, end: false }
    }

    /// The bytes that it has.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.count as usize).unwrap_or_default()
    }
}

/// What the master has for a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    Piece(Piece),
    /// The processor wants keys no more, before it asks again.
    Key {
        to: Processor,
        key: u8,
    },
}

/// On the master: processors that want input. Each asks once and then waits for its last piece.
pub struct Switch {
    /// In the order in which they asked, and how many bytes each has room for.
    waiting: [(Processor, u16); STATIONS_MAX],
    count: usize,
    /// Whether somebody waits for what comes next: asked in every round of the kernel.
    wanted: bool,
    /// The first one has part of a line.
    begun: bool,
    ended: bool,
    /// Processors that want keys, the last one to ask at the end, who gets the next one.
    keys: [Processor; STATIONS_MAX],
    key_count: usize,
    /// A byte that was looked at for a key while nobody read, and a key that ended a piece.
    held: Option<u8>,
    key: Option<u8>,
}

impl Switch {
    pub const fn new() -> Self {
        Switch {
            waiting: [(Processor::MASTER, 0); STATIONS_MAX],
            count: 0,
            wanted: false,
            begun: false,
            ended: false,
            keys: [Processor::MASTER; STATIONS_MAX],
            key_count: 0,
            held: None,
            key: None,
        }
    }

    /// Whether somebody waits for what comes next. A key behind bytes that nobody reads waits with
    /// them.
    pub const fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// Whether a key would be taken though nobody reads.
    const fn wants_key(&self) -> bool {
        self.key_count > 0 && self.held.is_none()
    }

    fn note(&mut self) {
        self.wanted = self.count > 0 || self.wants_key();
    }

    /// A processor wants keys, or none any more.
    fn want_keys(&mut self, processor: Processor, wanted: bool) {
        let asked = &mut self.keys[..self.key_count];
        if let Some(place) = asked.iter().position(|&asked| asked == processor) {
            asked.copy_within(place + 1.., place);
            self.key_count -= 1;
        }
        if wanted && self.key_count < STATIONS_MAX {
            self.keys[self.key_count] = processor;
            self.key_count += 1;
        }
    }

    /// The next thing that the line gives to a processor.
    pub fn next(&mut self, receive: impl FnMut() -> Option<u8>) -> Option<Given> {
        let given = self.take(receive);
        self.note();
        given
    }

    fn take(&mut self, mut receive: impl FnMut() -> Option<u8>) -> Option<Given> {
        if self.key.is_none() {
            if let Some(piece) = self.piece(&mut receive) {
                return Some(Given::Piece(piece));
            }
            if self.count == 0 && self.wants_key() {
                let byte = receive()?;
                *(if is_key(byte) { &mut self.key } else { &mut self.held }) = Some(byte);
            }
        }
        let (key, to) = (self.key.take()?, self.key_count.checked_sub(1)?);
        self.key_count = to;
        Some(Given::Key { to: self.keys[to], key })
    }

    /// A processor wants up to `room` bytes; 0: none any more, which is answered unless it has had
    /// part of a line and gets the rest, or its last piece is on its way. Or it says [`KEYS`] or
    /// [`NO_KEYS`].
    pub fn want(&mut self, processor: Processor, room: u16) -> Option<Piece> {
        let answer = self.wish(processor, room);
        self.note();
        answer
    }

    fn wish(&mut self, processor: Processor, room: u16) -> Option<Piece> {
        if matches!(room, KEYS | NO_KEYS) {
            self.want_keys(processor, room == KEYS);
            return None;
        }
        let place = self.waiting[..self.count].iter().position(|waits| waits.0 == processor);
        match (place, room) {
            (Some(0), 0) if self.begun => None,
            (Some(place), 0) => {
                self.remove(place);
                Some(Piece::empty(processor))
            }
            (None, 1..) if self.count < STATIONS_MAX => {
                self.waiting[self.count] = (processor, room);
                self.count += 1;
                None
            }
            _ => None,
        }
    }

    fn remove(&mut self, place: usize) {
        self.waiting.copy_within(place + 1..self.count, place);
        self.count -= 1;
    }

    /// Takes bytes from the line as far as there are any, for the processor whose turn it is.
    fn piece(&mut self, mut receive: impl FnMut() -> Option<u8>) -> Option<Piece> {
        let (to, room) = *self.waiting[..self.count].first()?;
        let mut piece = Piece { last: false, ..Piece::empty(to) };
        let most = INPUT_BYTES.min(room as usize);
        while !self.ended && !piece.last && (piece.count as usize) < most {
            match self.held.take().or_else(&mut receive) {
                None => break,
                Some(key) if is_key(key) && self.key_count > 0 => {
                    self.key = Some(key);
                    break;
                }
                Some(END_OF_INPUT) => self.ended = true,
                Some(byte) => {
                    piece.bytes[piece.count as usize] = byte;
                    piece.count += 1;
                    piece.last = byte == b'\n' || piece.count as u16 == room;
                }
            }
        }
        piece.end = self.ended;
        piece.last |= self.ended;
        if piece.count == 0 && !piece.last {
            return None;
        }
        self.waiting[0].1 = room - piece.count as u16;
        self.begun = !piece.last;
        if piece.last {
            self.remove(0);
        }
        Some(piece)
    }
}

/// Whether a byte is a key.
const fn is_key(byte: u8) -> bool {
    matches!(byte, INTERRUPT | PAUSE)
}

impl Default for Switch {
    fn default() -> Self {
        Switch::new()
    }
}

/// On every processor: what has come and has not been read.
pub struct Inbox {
    ring: Ring<INBOX_BYTES>,
    newlines: u16,
    /// The master has been asked and has not sent the last piece; and has been told that nobody
    /// wants it any more.
    asked: bool,
    cancelled: bool,
    ended: bool,
}

impl Inbox {
    pub const fn new() -> Self {
        Inbox { ring: Ring::new(), newlines: 0, asked: false, cancelled: false, ended: false }
    }

    /// Takes a piece; the room was promised when the master was asked.
    pub fn put(&mut self, bytes: &[u8], last: bool, end: bool) {
        for &byte in bytes {
            if self.ring.push(byte) {
                self.newlines += (byte == b'\n') as u16;
            }
        }
        if last {
            (self.asked, self.cancelled) = (false, false);
        }
        self.ended |= end;
    }

    /// Whether a reader need not wait: a line is there, or as much of one as there is room for, or
    /// no more comes.
    pub const fn is_ready(&self) -> bool {
        self.newlines > 0 || self.ring.room() == 0 || self.ended
    }

    /// Takes bytes up to a newline, that included, or as many as `buffer` has room for. The number
    /// is 0 at the end of input only, if there is room.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        for (index, place) in buffer.iter_mut().enumerate() {
            let Some(byte) = self.ring.pop() else { return index };
            *place = byte;
            if byte == b'\n' {
                self.newlines -= 1;
                return index + 1;
            }
        }
        buffer.len()
    }

    /// Somebody waits: how many bytes to ask the master for, if it is to be asked.
    pub fn ask(&mut self) -> Option<u16> {
        if self.asked || self.is_ready() {
            return None;
        }
        self.asked = true;
        Some(self.ring.room() as u16)
    }

    /// Nobody waits any more: whether to tell the master.
    pub fn cancel(&mut self) -> bool {
        let tell = self.asked && !self.cancelled;
        self.cancelled |= tell;
        tell
    }
}

impl Default for Inbox {
    fn default() -> Self {
        Inbox::new()
    }
}

#[cfg(test)]
mod tests;
