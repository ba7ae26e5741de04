//! Console input: threads that read it here, and on the master the UART, which only the master's
//! line leads to.
//!
//! The UART has no interrupt and needs none: its sender waits while it is full. So the master looks
//! at it by the timer, and only while somebody wants input. A reader makes its call again when
//! something is there, as one that waits for a page does; so what has come for a reader that is
//! gone is the next one's. Keys go to threads that await another process and have asked for them.

use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::syscall::{self, read, Error};
use testbed_kernel_core::input::{
    seats_in, with_seats, Given, Piece, Seats, ALL_SEATS, INBOX_BYTES, KEYS, NO_KEYS, RENEW,
};
use testbed_kernel_core::page_map::WRITE;

use crate::arch::{hw, memory};
use crate::drivers::console;
use crate::drivers::packet::Packet;
use crate::state::call::Outcome;
use crate::state::extended::input::SOON;
use crate::state::kernel::{Index, Kernel};
use crate::state::user::{read_packet, user_range};

/// Cycles between two looks without any, at most.
const LATE: u32 = 16 * SOON;

/// Bytes that one call reads at most.
pub const BYTES_A_LINE: u32 = INBOX_BYTES as u32;

impl Kernel {
    /// The seats that a process has, as far as they are known here: on its home.
    pub fn seats_of(&mut self, id: ProcessId) -> Seats {
        self.place(id).map_or(ALL_SEATS, |place| place.invoked.seats)
    }

    /// `read_line(buffer, bytes, stream)`. If the thread has to wait, it makes the call again.
    pub fn read_line(&mut self, index: Index, buffer: u32, bytes: u32, stream: u32) -> Outcome {
        if self.streams.is_led() && stream != read::CONSOLE {
            if let Some(outcome) = self.read_led(index, buffer, bytes) {
                return outcome;
            }
        }
        let process = self.tcb_of(index).process();
        let bytes = bytes.min(BYTES_A_LINE);
        if bytes == 0 {
            return Outcome::Done(Err(Error::BadLength));
        }
        if let Err(error) = user_range(process, buffer, bytes, WRITE) {
            return Outcome::Done(Err(error));
        }
        let seats = self.seats_of(process.id());
        if !self.input.is_for(seats) {
            self.tcb_of(index).read();
            self.input.readers.push_back(self.tcbs, index);
            self.serve_next_reader();
            return Outcome::Waits;
        }
        let mut line = [0; INBOX_BYTES];
        let count = self.input.inbox.read(&mut line[..bytes as usize]) as u32;
        // SAFETY: the bytes are the kernel's.
        let copied = unsafe { memory::copy_to_user(line.as_ptr() as u32, process.map(), buffer, count) };
        self.serve_readers();
        Outcome::Done(copied.map(|()| count).ok_or(Error::BadPointer))
    }

    /// The thread reads no more: its process ends.
    pub fn end_reading(&mut self, index: Index) {
        self.input.readers.remove(self.tcbs, index);
    }

    /// Something has changed for the threads that wait: the first that can run does if something is
    /// there; otherwise the master is asked. Whoever was to read before may not come.
    pub fn serve_readers(&mut self) {
        self.input.is_promised = false;
        self.serve_next_reader();
    }

    fn serve_next_reader(&mut self) {
        if self.input.readers.is_empty() {
            if self.input.inbox.cancel() {
                self.want_input(0, 0);
            }
            return;
        }
        let seats = self.seats_of_readers();
        if let Some(room) = self.input.inbox.ask() {
            self.input.asked = seats;
            return self.want_input(room, seats);
        }
        if self.input.inbox.is_ready() {
            if !self.input.is_promised {
                self.wake_reader();
            }
        } else if seats != self.input.asked {
            self.input.asked = seats;
            self.want_input(RENEW, seats);
        }
    }

    fn seats_of_readers(&mut self) -> Seats {
        let mut all = 0;
        for _ in 0..self.input.readers.len() {
            let Some(index) = self.input.readers.pop_front(self.tcbs) else { break };
            all |= self.seats_of(self.tcb_of(index).process().id());
            self.input.readers.push_back(self.tcbs, index);
        }
        all
    }

    /// Makes a thread ready that may read what is there. If none has the seat, whoever it was for is
    /// gone, and the next one has it.
    fn wake_reader(&mut self) {
        for seats in [self.input.seats, ALL_SEATS] {
            for _ in 0..self.input.readers.len() {
                let Some(index) = self.input.readers.pop_front(self.tcbs) else { return };
                let process = self.tcb_of(index).process();
                if !process.is_suspended() && self.seats_of(process.id()) & seats != 0 {
                    (self.input.seats, self.input.is_promised) = (seats, true);
                    return self.make_ready(index);
                }
                self.input.readers.push_back(self.tcbs, index);
            }
        }
    }

    /// Tells the master how many bytes are wanted here, or with 0 that none are any more; or what
    /// else [`KEYS`] and its like say.
    pub fn want_input(&mut self, room: u16, seats: Seats) {
        if self.me == Processor::MASTER {
            return self.input_wanted(Processor::MASTER, room, seats);
        }
        let words = [mpc::operation_address(layout::WANT_INPUT, ProcessId::NONE), with_seats(room as u32, seats)];
        self.net.queue_token(Processor::MASTER, mpc::PROCESS, words, layout::WANT_INPUT_BYTES);
    }

    /// On the master: what [`Self::want_input`] says.
    fn input_wanted(&mut self, processor: Processor, room: u16, seats: Seats) {
        if let Some(answer) = self.input.switch.want(processor, room, seats) {
            self.pass(&answer);
        }
        if self.input.switch.is_wanted() {
            (self.input.look_at, self.input.pause) = (hw::now(), SOON);
            self.look_for_input();
        }
    }

    /// Looks at the UART if it is time.
    #[inline]
    pub fn serve_input(&mut self) {
        if self.input.is_wanted() {
            self.look_for_input();
        }
    }

    #[inline(never)]
    fn look_for_input(&mut self) {
        let now = hw::now();
        if now >= self.input.look_at {
            self.input.pause = (2 * self.input.pause).min(LATE);
            self.input.look_at = now + self.input.pause as u64;
            while self.net.has_room() {
                let Some(given) = self.input.switch.next(console::receive) else { break };
                self.input.pause = SOON;
                self.input.look_at = now + SOON as u64;
                self.pass(&given);
            }
        }
        if self.input.is_wanted() {
            self.want_timer(self.input.look_at);
        }
    }

    fn pass(&mut self, given: &Given) {
        match given {
            Given::Piece(piece) => self.pass_input(piece),
            Given::Key { to, key, seats } => self.pass_key(*to, *key, *seats),
            Given::Said(said) => self.say_where(*said),
        }
    }

    fn pass_input(&mut self, piece: &Piece) {
        if piece.to == self.me {
            return self.take_input(piece);
        }
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let flags = flag(piece.last, layout::INPUT_LAST) | flag(piece.end, layout::INPUT_END);
        let mut words = [0; mpc::TOKEN_WORDS];
        words[layout::ADDRESS] = mpc::operation_address(layout::INPUT, ProcessId::NONE);
        words[layout::VALUE] = with_seats(piece.count as u32 | flags, piece.seats);
        for (word, bytes) in words[layout::INPUT_DATA..].iter_mut().zip(piece.bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        self.net.queue_token(piece.to, mpc::PROCESS, words, layout::INPUT_PACKET_BYTES);
    }

    /// Threads that await processes of this processor want keys, or none does any more.
    pub fn want_keys(&mut self) {
        let seats = self.seats_for_keys();
        self.want_input(if seats != 0 { KEYS } else { NO_KEYS }, seats);
    }

    fn seats_for_keys(&self) -> Seats {
        self.places.iter().fold(0, |all, place| all | place.invoked.keys)
    }

    /// A process that was awaited has ended: whoever did so wants keys no more.
    pub fn end_keys(&mut self, id: ProcessId) {
        if self.place(id).is_some_and(|place| core::mem::take(&mut place.invoked.keys) != 0) {
            self.want_keys();
        }
    }

    fn pass_key(&mut self, to: Processor, key: u8, seats: Seats) {
        if to == self.me {
            return self.take_key(key, seats);
        }
        let mut words = [0; mpc::TOKEN_WORDS];
        words[layout::ADDRESS] = mpc::operation_address(layout::INPUT, ProcessId::NONE);
        words[layout::VALUE] = with_seats(key as u32 | layout::INPUT_KEY, seats);
        self.net.queue_token(to, mpc::PROCESS, words, layout::INPUT_PACKET_BYTES);
    }

    /// A key has come: it ends the waiting of all that want keys here at this seat.
    fn take_key(&mut self, key: u8, seats: Seats) {
        for place in 0..self.places.len() {
            let place = &mut self.places[place];
            if place.invoked.keys & seats != 0 {
                place.invoked.keys = 0;
                let waiter = place.take_waiter();
                self.reply(waiter, syscall::PRESSED, key as u32);
            }
        }
        // The master has taken it that nobody here wants any more.
        if self.seats_for_keys() != 0 {
            self.want_keys();
        }
    }

    fn take_input(&mut self, piece: &Piece) {
        self.input.seats = piece.seats;
        self.input.inbox.put(piece.bytes(), piece.last, piece.end);
        self.serve_readers();
    }

    /// A processor wants input.
    pub fn serve_want_input(&mut self, packet: &Packet) {
        let value = packet.word(layout::VALUE);
        self.input_wanted(packet.source(), value as u16, seats_in(value));
    }

    /// The master sends some.
    pub fn serve_input_piece(&mut self, packet: &Packet) {
        let how = packet.word(layout::VALUE);
        if how & layout::INPUT_KEY != 0 {
            return self.take_key(how as u8, seats_in(how));
        }
        let count = (how as u8).min(layout::INPUT_BYTES as u8);
        let mut bytes = [0; layout::INPUT_BYTES];
        read_packet(packet, layout::INPUT_DATA, &mut bytes);
        let (last, end) = (how & layout::INPUT_LAST != 0, how & layout::INPUT_END != 0);
        self.take_input(&Piece { to: self.me, bytes, count, last, end, seats: seats_in(how) });
    }
}
