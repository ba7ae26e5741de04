//! The steps of a script.

use core::slice::from_raw_parts_mut;
use core::sync::atomic::Ordering::Relaxed;

use libtos::console::Line;
use libtos::file::{flags, unlink, File};
use libtos::process::{await_end, invoke, kill, How};
use libtos::{
    alt, compute_us, delay_us, migrate, migrate_self, processor, receive, send_block, thread_number, wait, yield_now,
    Error, Place,
};
use testbed_definitions::syscall::{EXIT_HALT, FOREVER};

use super::message::hash;
use super::{Actor, Message, ADDED, ARENA, ARENA_BYTES, CELLS, LOCK};

/// Operations; `host-tools/tests/random/script.rs` has the same list.
const END: u32 = 0;
const SEND: u32 = 1;
const RECEIVE: u32 = 2;
const ALT: u32 = 3;
const MIGRATE: u32 = 4;
const PUSH: u32 = 5;
const DELAY: u32 = 6;
const COMPUTE: u32 = 7;
const YIELD: u32 = 8;
const DEEP: u32 = 9;
const FILE: u32 = 10;
const ADD: u32 = 11;
const SCRIBBLE: u32 = 12;
const RELEASE: u32 = 13;
const CREATE: u32 = 14;
const WAIT: u32 = 15;
const INVOKE: u32 = 16;
const KILL: u32 = 17;

/// Channels of an ALT at most.
const ALTERNATIVES: usize = 16;
/// What the byte behind a receiver's room must stay.
const GUARD: u8 = 0xa5;
/// Bit of a place: in the thread's own stack, else in what all share.
const IN_STACK: u32 = 1 << 31;

/// A word that several threads access.
fn shared(offset: u32) -> *mut u32 {
    let offset = (offset as usize % ARENA_BYTES) & !3;
    // SAFETY: inside.
    unsafe { ARENA.0.get().cast::<u8>().add(offset).cast() }
}

impl Actor {
    /// Does the next step; `false` if there is none.
    pub(super) fn step(&mut self) -> Result<bool, Error> {
        match self.next() {
            END => return Ok(false),
            SEND => self.send()?,
            RECEIVE => self.receive()?,
            ALT => self.alternative()?,
            MIGRATE => {
                let to = self.next() as u8;
                if to != processor() {
                    migrate_self(Place::Processor(to))?;
                }
            }
            PUSH => self.push(),
            DELAY => delay_us(self.next()),
            COMPUTE => compute_us(self.next()),
            YIELD => (0..self.next()).for_each(|_| yield_now()),
            DEEP => {
                let pages = self.next();
                let wrong = deep(pages, self.me as u32);
                self.check(wrong == 0, "words of deep pages", wrong);
            }
            FILE => self.file()?,
            ADD => self.add(),
            SCRIBBLE => self.scribble(),
            RELEASE => {
                let flag = shared(self.next());
                // SAFETY: a word of what is shared.
                unsafe { flag.write_volatile(1) };
            }
            CREATE => {
                let (child, processor) = (self.next(), self.next());
                self.create(child as usize, processor as i32)?;
            }
            WAIT => {
                let failed = wait();
                self.check(failed == 0, "children", failed);
            }
            INVOKE => self.invoke()?,
            KILL => self.kill()?,
            other => {
                Line::new().text("no operation ").number(other).end();
                return Err(Error::BadProgram);
            }
        }
        Ok(true)
    }

    /// The buffer that the script names next: a place, for so many bytes.
    fn buffer(&self, place: u32, bytes: usize) -> &'static mut [u8] {
        let offset = (place & !IN_STACK) as usize;
        let base = if place & IN_STACK != 0 { self.bottom } else { ARENA.0.get() as usize };
        // SAFETY: the script gives every thread its own part of both.
        unsafe { from_raw_parts_mut((base + offset) as *mut u8, bytes) }
    }

    fn message(&mut self) -> Message {
        Message { key: self.next(), bytes: self.next() as usize }
    }

    fn send(&mut self) -> Result<(), Error> {
        let channel = self.next() as u8;
        let message = self.message();
        let (taken, place) = (self.next(), self.next());
        let buffer = self.buffer(place, message.bytes);
        message.fill(buffer);
        let sent = send_block(channel, buffer)? as u32;
        self.check(sent == taken, "bytes taken", sent);
        self.check(message.is_in(buffer), "bytes in the sender's buffer", channel.into());
        Ok(())
    }

    fn receive(&mut self) -> Result<(), Error> {
        let channel = self.next() as u8;
        let message = self.message();
        let (room, place) = (self.next() as usize, self.next());
        let buffer = self.buffer(place, room + 1);
        buffer[room] = GUARD;
        let bytes = receive(channel, &mut buffer[..room])?;
        self.received(message, bytes, buffer);
        Ok(())
    }

    /// Checks what came; the last byte of the buffer is the guard.
    fn received(&mut self, message: Message, bytes: usize, buffer: &[u8]) {
        let room = buffer.len() - 1;
        self.check(bytes == message.bytes.min(room), "bytes received", bytes as u32);
        self.check(buffer[room] == GUARD, "byte behind the receiver's room", buffer[room].into());
        let bytes = &buffer[..bytes.min(room)];
        self.check(message.is_in(bytes), "bytes in the receiver's buffer", bytes.len() as u32);
        self.sum = self.sum.wrapping_add(hash(bytes));
    }

    /// Receives so many messages from each of several channels, in whatever order they come.
    fn alternative(&mut self) -> Result<(), Error> {
        let (count, timeout, room, place) = (self.next() as usize, self.next(), self.next() as usize, self.next());
        let timeout = (timeout != FOREVER).then_some(timeout);
        let mut channels = [0; ALTERNATIVES];
        // Of each channel how many are left, and where in the script its next message is.
        let mut left = [(0, 0); ALTERNATIVES];
        for index in 0..count.min(ALTERNATIVES) {
            channels[index] = self.next() as u8;
            left[index] = (self.next(), self.at);
            self.at += 2 * left[index].0 as usize;
        }
        let end = self.at;
        let buffer = self.buffer(place, room + 1);
        let mut count = count;
        while count > 0 {
            buffer[room] = GUARD;
            let (which, bytes) = match alt(&channels[..count], &mut buffer[..room], timeout) {
                Err(Error::Timeout) if timeout.is_some() => continue,
                other => other?,
            };
            self.at = left[which].1;
            let message = self.message();
            self.received(message, bytes, buffer);
            left[which] = (left[which].0 - 1, self.at);
            if left[which].0 == 0 {
                count -= 1;
                channels.swap(which, count);
                left.swap(which, count);
            }
        }
        self.at = end;
        Ok(())
    }

    /// Moves another thread if it happens to be there and ready.
    fn push(&mut self) {
        let (other, from, to) = (self.next(), self.next(), self.next());
        let number = (thread_number() & !0x3f) | (other as u16 + 1);
        let _ = migrate(number, Place::Processor(from as u8), Place::Processor(to as u8));
    }

    /// Writes a file of this processor, reads it back, and removes it.
    fn file(&mut self) -> Result<(), Error> {
        const PIECE: usize = 256;
        let message = self.message();
        let name = [b'f', b'0' + self.me as u8 / 10, b'0' + self.me as u8 % 10];
        let name = core::str::from_utf8(&name).unwrap_or("f");
        let file = File::open(name, flags::READ | flags::WRITE | flags::CREATE | flags::TRUNCATE)?;
        let mut piece = [0; PIECE];
        for at in (0..message.bytes).step_by(PIECE) {
            let part = &mut piece[..(message.bytes - at).min(PIECE)];
            Message { key: message.key ^ at as u32, ..message }.fill(part);
            file.write(at as u32, part)?;
        }
        let mut read = 0;
        for at in (0..message.bytes).step_by(PIECE) {
            let bytes = file.read(at as u32, &mut piece)?;
            let is_right = Message { key: message.key ^ at as u32, ..message }.is_in(&piece[..bytes]);
            self.check(is_right, "bytes in the file from", at as u32);
            read += bytes;
        }
        self.check(read == message.bytes, "bytes in the file", read as u32);
        unlink(name)
    }

    /// Adds to a cell that all threads add to.
    fn add(&mut self) {
        let (cell, amount, times) = (self.next() as usize % CELLS, self.next(), self.next());
        for _ in 0..times {
            LOCK.with(|| ADDED[cell].store(ADDED[cell].load(Relaxed).wrapping_add(amount), Relaxed));
        }
    }

    /// Writes to a word until somebody sets a flag.
    fn scribble(&mut self) {
        let (mine, flag, yields) = (shared(self.next()), shared(self.next()), self.next());
        let mut count = 0;
        // SAFETY: words of what is shared; the first is this thread's.
        unsafe {
            mine.write_volatile(0);
            while flag.read_volatile() == 0 {
                count += 1;
                mine.write_volatile(mine.read_volatile() + 1);
                if yields != 0 {
                    yield_now();
                }
            }
            let found = mine.read_volatile();
            self.check(found == count, "count in a word of its own", found);
        }
    }

    /// Has another process compute something.
    fn invoke(&mut self) -> Result<(), Error> {
        let (processor, seed, expected) = (self.next(), self.next(), self.next());
        let mut arguments = *b"sub\0........\0";
        for (digit, place) in arguments[4..12].iter_mut().enumerate() {
            *place = b'0' + (seed / 10u32.pow(7 - digit as u32) % 10) as u8;
        }
        let how = How { processor: Some(processor as u8), background: true, ..How::default() };
        let code = await_end(invoke("trial", &arguments, how)?)?;
        self.check(code == expected, "exit code", code);
        Ok(())
    }

    /// Ends a process that would go on for ever.
    fn kill(&mut self) -> Result<(), Error> {
        let (processor, microseconds) = (self.next(), self.next());
        let how = How { processor: Some(processor as u8), background: true, ..How::default() };
        let process = invoke("trial", b"victim\0", how)?;
        delay_us(microseconds);
        kill(process)?;
        let code = await_end(process)?;
        self.check(code == EXIT_HALT, "exit code of who was killed", code);
        Ok(())
    }
}

/// Takes so many pages of stack, and looks on the way back whether they are as they were; how many
/// words are not.
#[inline(never)]
fn deep(pages: u32, me: u32) -> u32 {
    let mut frame = [0u32; 224];
    let value = |index: usize| pages.wrapping_mul(0x85eb_ca77) ^ me << 16 ^ index as u32;
    for (index, word) in frame.iter_mut().enumerate() {
        // SAFETY: a word of the frame.
        unsafe { (word as *mut u32).write_volatile(value(index)) };
    }
    let below = if pages > 1 { deep(pages - 1, me) } else { 0 };
    // SAFETY: as above.
    let wrong = |(index, word): (usize, &u32)| unsafe { ((word as *const u32).read_volatile() != value(index)) as u32 };
    below + frame.iter().enumerate().map(wrong).sum::<u32>()
}
