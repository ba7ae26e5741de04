//! Console input: who gets it. The master's [`Switch`] passes it to the processors that want some,
//! a line at a time, in the order in which they asked; a processor's [`Inbox`] keeps it for the
//! threads that read there. Keys (Ctrl-C, Ctrl-Z) are no input while a processor wants them: it gets
//! them at once, also where nobody reads.
//!
//! Several shells share the console by *seats*, one on each processor. A shell that sits down takes
//! its processor's seat, and what it invokes has the same seat, wherever it runs. The console is at
//! the seat that was last sat down at, and only its processes get input and keys. Ctrl-] and a
//! processor's number lead the console to another seat. What is left at a seat where nobody sits any
//! more gets input wherever the console is.

use testbed_definitions::ids::Processor;
use testbed_definitions::mpc::process::{INPUT_BYTES, SEATS_SHIFT};
use testbed_definitions::packet::STATIONS_MAX;
use testbed_definitions::syscall::{END_OF_INPUT, INTERRUPT, PAUSE, SWITCH};

mod inbox;

pub use inbox::{Inbox, INBOX_BYTES};

/// What a processor says instead of the room that it has: it wants keys, or none any more.
pub const KEYS: u16 = u16::MAX;
pub const NO_KEYS: u16 = KEYS - 1;
/// A shell sits down at its seat and has the console there; or has its seat for later; or its seat
/// is empty from now on.
pub const SIT: u16 = KEYS - 2;
pub const RESERVE: u16 = KEYS - 3;
pub const LEAVE: u16 = KEYS - 4;
/// Others wait for the input that it has asked for.
pub const RENEW: u16 = KEYS - 5;
const _: () = assert!(INBOX_BYTES < RENEW as usize);

/// Seats as bits, the processor's number each.
pub type Seats = u16;
/// Who has no seat gets input wherever the console is.
pub const ALL_SEATS: Seats = Seats::MAX;
const _: () = assert!(STATIONS_MAX <= Seats::BITS as usize);

/// The seat of a processor.
pub const fn seat(processor: Processor) -> Seats {
    1 << (processor.number() as u32 % Seats::BITS)
}

/// A packet's word with seats in it.
pub const fn with_seats(word: u32, seats: Seats) -> u32 {
    word | (seats as u32) << SEATS_SHIFT
}

/// The seats in a packet's word.
pub const fn seats_in(word: u32) -> Seats {
    (word >> SEATS_SHIFT) as Seats
}

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
    /// Where the console is.
    pub seats: Seats,
}

impl Piece {
    const fn empty(to: Processor) -> Self {
        Piece { to, bytes: [0; INPUT_BYTES], count: 0, last: true, end: false, seats: ALL_SEATS }
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
        seats: Seats,
    },
    /// What whoever sits at the console has to be told.
    Said(Said),
}

/// What has become of the console.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// It is at another seat, as Ctrl-] has wanted.
    Switched,
    /// Nobody sits at that processor's seat; the console stays where it is.
    NoSeat(u8),
    /// No number came behind Ctrl-].
    NoNumber,
    /// Nobody sits any more where it was, and it is at the seat before.
    Back { from: Processor, to: Processor },
}

/// A processor that wants input or keys.
#[derive(Clone, Copy)]
struct Asker {
    processor: Processor,
    seats: Seats,
    /// How many bytes it has room for.
    room: u16,
    /// It has part of a line.
    begun: bool,
}

impl Asker {
    const NOBODY: Asker = Asker { processor: Processor::MASTER, seats: 0, room: 0, begun: false };
}

/// On the master: processors that want input. Each asks once and then waits for its last piece.
pub struct Switch {
    /// In the order in which they asked.
    waiting: [Asker; STATIONS_MAX],
    count: usize,
    /// Whether somebody waits for what comes next: asked in every round of the kernel.
    wanted: bool,
    /// The processor that gets the next line, [`Processor::NOWHERE`] if none wants it.
    pub turn: Processor,
    ended: bool,
    /// Processors that want keys, the last one to ask at the end, who gets the next one.
    keys: [Asker; STATIONS_MAX],
    key_count: usize,
    /// A byte that was looked at for a key while nobody read, and a key that ended a piece.
    held: Option<u8>,
    key: Option<u8>,
    /// Seats that somebody sits at, the console at the last.
    seats: [Processor; STATIONS_MAX],
    seat_count: usize,
    /// Ctrl-] has come, and not yet what belongs behind it.
    switching: bool,
}

impl Switch {
    pub const fn new() -> Self {
        Switch {
            waiting: [Asker::NOBODY; STATIONS_MAX],
            count: 0,
            wanted: false,
            turn: Processor::NOWHERE,
            ended: false,
            keys: [Asker::NOBODY; STATIONS_MAX],
            key_count: 0,
            held: None,
            key: None,
            seats: [Processor::MASTER; STATIONS_MAX],
            seat_count: 0,
            switching: false,
        }
    }

    /// Whether somebody waits for what comes next. A key behind bytes that nobody reads waits with
    /// them.
    pub const fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// Where the console is: everywhere at its end, else at one seat, and at all that nobody sits at,
    /// so that what a shell has left behind reads too.
    fn console(&self) -> Seats {
        let Some((&console, others)) = self.seats[..self.seat_count].split_last() else { return ALL_SEATS };
        match self.ended {
            true => ALL_SEATS,
            false => seat(console) | !others.iter().fold(0, |taken, &processor| taken | seat(processor)),
        }
    }

    /// The processor that gets the next bytes: who has part of a line goes on first.
    fn reader(&self) -> Option<usize> {
        let (console, waiting) = (self.console(), &self.waiting[..self.count]);
        let begun = waiting.iter().position(|asker| asker.begun && asker.seats & console != 0);
        begun.or_else(|| waiting.iter().position(|asker| asker.seats & console != 0))
    }

    /// The processor that gets the next key.
    fn keyer(&self) -> Option<usize> {
        let console = self.console();
        self.keys[..self.key_count].iter().rposition(|asker| asker.seats & console != 0)
    }

    /// Whether a byte would be looked at though nobody reads: for a key, or to go to another seat.
    /// A key that was looked at before anybody wanted keys is one as soon as somebody does.
    fn looks_ahead(&self) -> bool {
        let wants_key = self.keyer().is_some();
        self.held.map_or(wants_key || self.seat_count > 1, |byte| wants_key && is_key(byte))
    }

    fn note(&mut self) {
        let reader = self.reader();
        self.turn = reader.map_or(Processor::NOWHERE, |place| self.waiting[place].processor);
        self.wanted = reader.is_some() || self.switching || self.looks_ahead();
    }

    /// The next thing that the line gives to a processor.
    pub fn next(&mut self, mut receive: impl FnMut() -> Option<u8>) -> Option<Given> {
        let given = self.take(&mut receive);
        self.note();
        given
    }

    fn take(&mut self, receive: &mut dyn FnMut() -> Option<u8>) -> Option<Given> {
        if self.key.is_none() && !self.switching {
            if let Some(piece) = self.piece(receive) {
                return Some(Given::Piece(piece));
            }
            if self.reader().is_none() && self.looks_ahead() {
                let byte = self.held.take().or_else(&mut *receive)?;
                if !self.is_taken(byte) {
                    self.held = Some(byte);
                }
            }
        }
        if self.switching {
            return self.switch(receive()?).map(Given::Said);
        }
        let (key, place) = (self.key.take()?, self.keyer()?);
        let Asker { processor: to, .. } = remove(&mut self.keys, &mut self.key_count, place);
        Some(Given::Key { to, key, seats: self.console() })
    }

    /// Whether a byte is no input, and notes what it is.
    fn is_taken(&mut self, byte: u8) -> bool {
        let is_key = is_key(byte) && self.keyer().is_some();
        let is_switch = byte == SWITCH && self.seat_count > 0;
        if is_key {
            self.key = Some(byte);
        }
        self.switching |= is_switch;
        is_key || is_switch
    }

    /// What follows Ctrl-].
    fn switch(&mut self, byte: u8) -> Option<Said> {
        self.switching = false;
        self.ended |= byte == END_OF_INPUT;
        let number = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            _ => return Some(Said::NoNumber),
        };
        let processor = Processor::new(number);
        if !self.seats[..self.seat_count].contains(&processor) {
            return Some(Said::NoSeat(number));
        }
        self.sit(processor);
        Some(Said::Switched)
    }

    fn sit(&mut self, processor: Processor) {
        self.stand_up(processor);
        if let Some(place) = self.seats.get_mut(self.seat_count) {
            *place = processor;
            self.seat_count += 1;
        }
    }

    /// The seat is the last to which the console goes back.
    fn reserve(&mut self, processor: Processor) {
        let count = self.seat_count;
        if count < STATIONS_MAX && !self.seats[..count].contains(&processor) {
            self.seats.copy_within(..count, 1);
            self.seats[0] = processor;
            self.seat_count += 1;
        }
    }

    fn stand_up(&mut self, processor: Processor) {
        if let Some(place) = self.seats[..self.seat_count].iter().position(|&sits| sits == processor) {
            remove(&mut self.seats, &mut self.seat_count, place);
        }
    }

    /// A processor wants up to `room` bytes for these seats; 0: none any more, which is answered
    /// unless it has had part of a line and gets the rest, or its last piece is on its way. Or it says
    /// [`KEYS`] or one of the constants below it.
    pub fn want(&mut self, processor: Processor, room: u16, seats: Seats) -> Option<Given> {
        let answer = match room {
            KEYS | NO_KEYS => {
                self.want_keys(Asker { processor, seats, ..Asker::NOBODY }, room == KEYS);
                None
            }
            SIT => {
                self.sit(processor);
                None
            }
            RESERVE => {
                self.reserve(processor);
                None
            }
            LEAVE => self.leave(processor).map(Given::Said),
            _ => self.wish(processor, room, seats).map(Given::Piece),
        };
        self.note();
        answer
    }

    /// A processor wants keys, or none any more.
    fn want_keys(&mut self, asker: Asker, wanted: bool) {
        let asked = &self.keys[..self.key_count];
        if let Some(place) = asked.iter().position(|asked| asked.processor == asker.processor) {
            remove(&mut self.keys, &mut self.key_count, place);
        }
        if let Some(place) = self.keys.get_mut(self.key_count).filter(|_| wanted) {
            *place = asker;
            self.key_count += 1;
        }
    }

    fn leave(&mut self, from: Processor) -> Option<Said> {
        let before = self.seats[..self.seat_count].last().copied();
        self.stand_up(from);
        let to = self.seats[..self.seat_count].last().copied()?;
        (before == Some(from) && !self.ended).then_some(Said::Back { from, to })
    }

    fn wish(&mut self, processor: Processor, room: u16, seats: Seats) -> Option<Piece> {
        let place = self.waiting[..self.count].iter().position(|asker| asker.processor == processor);
        match (place, room) {
            (Some(place), RENEW) => {
                self.waiting[place].seats = seats;
                None
            }
            (Some(place), 0) if self.waiting[place].begun => None,
            (Some(place), 0) => {
                remove(&mut self.waiting, &mut self.count, place);
                Some(Piece::empty(processor))
            }
            (None, 1..RENEW) if self.count < STATIONS_MAX => {
                self.waiting[self.count] = Asker { processor, seats, room, begun: false };
                self.count += 1;
                None
            }
            _ => None,
        }
    }

    /// Takes bytes from the line as far as there are any, for the processor whose turn it is.
    fn piece(&mut self, receive: &mut dyn FnMut() -> Option<u8>) -> Option<Piece> {
        let place = self.reader()?;
        let Asker { processor: to, room, .. } = self.waiting[place];
        let mut piece = Piece { last: false, seats: self.console(), ..Piece::empty(to) };
        let most = INPUT_BYTES.min(room as usize);
        while !self.ended && !piece.last && (piece.count as usize) < most {
            match self.held.take().or_else(&mut *receive) {
                None => break,
                Some(byte) if self.is_taken(byte) => break,
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
        let asker = &mut self.waiting[place];
        asker.room = room - piece.count as u16;
        asker.begun = true;
        if piece.last {
            remove(&mut self.waiting, &mut self.count, place);
        }
        Some(piece)
    }
}

/// Takes out what stands in a place of a list; what is behind it moves up.
fn remove<T: Copy>(list: &mut [T; STATIONS_MAX], count: &mut usize, place: usize) -> T {
    let removed = list[place];
    list.copy_within(place + 1..*count, place);
    *count -= 1;
    removed
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

#[cfg(test)]
mod tests;
