//! What the kernel tells of itself, and of other processes to programs that are trusted.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::limits::{FILES, PROCESSES};
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::syscall::status::{self, counter};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{READ, WRITE};

use crate::arch::memory;
use crate::services::extended::BYTES_A_CALL;
use crate::state::kernel::Kernel;
use crate::state::process::Process;
use crate::state::registry::PROCESSES_KNOWN;
use crate::state::thread::State;
use crate::state::user::{user_range, write_user};

/// Words of a record.
pub const fn record_words(what: u32) -> Option<usize> {
    match what {
        status::PROCESSES => Some(status::PROCESS_WORDS),
        status::THREADS => Some(status::THREAD_WORDS),
        status::COUNTERS => Some(status::COUNTER_WORDS),
        status::FILES => Some(status::FILE_WORDS),
        status::STREAMS => Some(status::STREAM_WORDS),
        _ => None,
    }
}

impl Kernel {
    /// `status(what, first record, buffer, records at most)`.
    pub fn status(&self, process: Process, what: u32, first: u32, (buffer, most): (u32, u32)) -> Result<u32, Error> {
        let words = record_words(what).ok_or(Error::UnknownCall)?;
        let (mut seen, mut written) = (0, 0);
        let records = match what {
            status::PROCESSES => PROCESSES,
            status::THREADS => self.tcbs.len(),
            status::COUNTERS | status::STREAMS => 1,
            _ => FILES,
        };
        for index in 0..records {
            if written == most {
                break;
            }
            let mut record = [0; status::FILE_WORDS];
            let is_there = match what {
                status::PROCESSES => self.process_record(index, &mut record),
                status::THREADS => self.thread_record(index, &mut record),
                status::COUNTERS => self.counter_record(&mut record),
                status::STREAMS => {
                    record[..status::STREAM_WORDS].copy_from_slice(&self.streams.record(process.id()));
                    true
                }
                _ => self.file_record(index).map(|words| record = words).is_some(),
            };
            if !is_there {
                continue;
            }
            seen += 1;
            if seen <= first {
                continue;
            }
            // No more records than there are can be written, so this does not overflow.
            let offset = written * 4 * words as u32;
            write_user(process, buffer.checked_add(offset).ok_or(Error::BadPointer)?, &record[..words])?;
            written += 1;
        }
        Ok(written)
    }

    fn process_record(&self, index: usize, record: &mut [u32]) -> bool {
        let place = &self.places[index];
        let Some(process) = self.process(place.id()).filter(|_| !place.is_free()) else { return false };
        let threads = process.threads().count();
        let flag = |holds: bool, bit: u32| if holds { bit } else { 0 };
        let state = flag(place.invoked.background, status::BACKGROUND)
            | flag(process.is_suspended(), status::SUSPENDED)
            | flag(place.invoked.sits, status::SITS);
        record[..4].copy_from_slice(&[process.id().bits() as u32, state, threads as u32, place.invoked.file as u32]);
        true
    }

    fn thread_record(&self, index: usize, record: &mut [u32]) -> bool {
        let tcb = &self.tcbs[index];
        if tcb.state() == State::Free {
            return false;
        }
        record[..4].copy_from_slice(&[
            tcb.number().bits() as u32,
            tcb.state() as u32,
            tcb.channel().number() as u32,
            tcb.context().pc(),
        ]);
        true
    }

    fn counter_record(&self, record: &mut [u32]) -> bool {
        record[..status::COUNTER_WORDS].copy_from_slice(&self.counters);
        record[counter::FREE_PAGES] = self.pages.count();
        record[counter::FREE_THREADS] = self.free.len() as u32;
        record[counter::PROCESSES] =
            (0..PROCESSES_KNOWN).filter(|&index| self.processes.at(index).is_some()).count() as u32;
        true
    }

    /// `peek(process, address, buffer, bytes)`: only what is on this processor, and only by
    /// programs that are trusted.
    pub fn peek(&mut self, process: Process, id: u32, address: u32, (buffer, bytes): (u32, u32)) -> Result<u32, Error> {
        if !self.place(process.id()).is_some_and(|place| place.invoked.trusted) {
            return Err(Error::NoPermission);
        }
        let other =
            self.process(ProcessId::from_bits(id as u16)).filter(|_| id <= u16::MAX as u32).ok_or(Error::NoProcess)?;
        if bytes > VIRTUAL_BYTES {
            return Err(Error::BadLength);
        }
        let bytes = bytes.min(BYTES_A_CALL);
        user_range(process, buffer, bytes, WRITE)?;
        user_range(other, address, bytes, READ).map_err(|_| Error::NotHere)?;
        memory::copy_pieces((other.map(), address), (process.map(), buffer), bytes).ok_or(Error::NotHere)?;
        Ok(bytes)
    }
}
