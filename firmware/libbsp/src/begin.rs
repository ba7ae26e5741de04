//! How the processes of a program begin and end.
//!
//! The process that calls `bsp_begin` first invokes the others: the same program, with the same
//! arguments behind one that says who they are. They don't run before the group is formed, so that
//! all processors know of it when one of them comes to the end of its first superstep.

use libtos::process::{await_end, invoke, kill, process, processes, resume, How};
use libtos::{call, file, halt, println, processor, processors, Error};
use testbed_definitions::boot::ARGUMENT_BYTES;
use testbed_definitions::file::NAME_BYTES;
use testbed_definitions::limits::GROUP_MEMBERS;
use testbed_definitions::syscall;

use crate::arena::Arena;
use crate::state::{slaves, Bsp, Phase};

/// Begins the argument of a process that another one has invoked. No argument that a user writes
/// begins with it.
const MARK: u8 = 1;
/// Numbers in that argument: process that the group belongs to, rank, how many processes.
const NUMBERS: usize = 3;

/// With what a program was started: its arguments as the kernel passes them, a NUL behind each.
#[derive(Clone, Copy)]
pub struct Start {
    pub arguments: &'static [u8],
}

impl Start {
    /// Who the process is, if another one has invoked it, and the program's own arguments.
    pub fn split(self) -> (Option<&'static [u8]>, &'static [u8]) {
        match self.arguments {
            [MARK, rest @ ..] => {
                let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
                (Some(&rest[..end]), rest.get(end + 1..).unwrap_or(&[]))
            }
            all => (None, all),
        }
    }
}

/// Whether another process of the program has invoked this one.
pub fn member_of(start: Start) -> bool {
    start.split().0.is_some()
}

/// The processor of a process: one after the other, the first process's own first.
fn place_of(rank: usize) -> u8 {
    let (first, slaves) = (processor() as usize, slaves());
    match first {
        // The program runs on the master.
        0 => (rank % processors() as usize) as u8,
        first => (1 + (first - 1 + rank) % slaves) as u8,
    }
}

/// The name of this program's file.
fn own_name() -> Option<([u8; NAME_BYTES], usize)> {
    let me = process();
    let index = processes().find(|status| status.process == me)?.file;
    let entry = file::list().find(|entry| entry.index == index)?;
    let mut name = [0; NAME_BYTES];
    let bytes = entry.name().as_bytes();
    name[..bytes.len()].copy_from_slice(bytes);
    Some((name, bytes.len()))
}

/// Writes numbers as text.
fn write_numbers(numbers: [u32; NUMBERS], text: &mut [u8]) -> usize {
    let mut written = 0;
    for number in numbers {
        for shift in (0..8).rev() {
            let digit = (number >> (4 * shift)) as u8 & 0xf;
            text[written] = if digit < 10 { b'0' + digit } else { b'a' + digit - 10 };
            written += 1;
        }
    }
    written
}

fn read_numbers(text: &[u8]) -> Option<[u32; NUMBERS]> {
    let mut numbers = [0; NUMBERS];
    for (number, digits) in numbers.iter_mut().zip(text.chunks_exact(8)) {
        *number = u32::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    (text.len() == 8 * NUMBERS).then_some(numbers)
}

impl Bsp {
    /// `bsp_begin`: there are at most `most` processes from here on, one on each processor that runs
    /// programs if it is 0.
    pub fn begin(&mut self, start: Start, most: usize) {
        if self.phase != Phase::Before {
            self.misuse(format_args!("bsp_begin a second time"));
        }
        self.arena = Arena::whole();
        match start.split() {
            (Some(member), _) => {
                let Some([group, rank, count]) = read_numbers(member) else {
                    self.misuse(format_args!("the program was started with an argument that only it gives"))
                };
                (self.group, self.rank, self.count) = (group as u16, rank as usize, count as usize);
            }
            (None, arguments) => {
                let wanted = if most == 0 { slaves() } else { most.min(GROUP_MEMBERS) };
                (self.group, self.rank) = (process(), 0);
                self.children[0] = self.group;
                if let Err(error) = self.invoke_others(arguments, wanted) {
                    self.misuse(format_args!("bsp_begin: {}", error.meaning()));
                }
            }
        }
        self.phase = Phase::Within;
        self.begun = (libtos::clock(), libtos::clock_us());
    }

    fn invoke_others(&mut self, arguments: &[u8], wanted: usize) -> Result<(), Error> {
        let (name, length) = own_name().ok_or(Error::NoFile)?;
        let name = core::str::from_utf8(&name[..length]).map_err(|_| Error::BadName)?;
        self.count = 1;
        // How many there are has to be known before any of them runs, and goes into the arguments.
        let mut count = wanted;
        while self.count < count {
            let rank = self.count;
            let mut text = [0; ARGUMENT_BYTES];
            text[0] = MARK;
            let end = 1 + write_numbers([self.group as u32, rank as u32, count as u32], &mut text[1..]) + 1;
            let bytes = end + arguments.len();
            text.get_mut(end..bytes).ok_or(Error::BadLength)?.copy_from_slice(arguments);
            let how = How { processor: Some(place_of(rank)), suspended: true, background: true, operator: false };
            match invoke(name, &text[..bytes], how) {
                Ok(process) => {
                    self.children[rank] = process;
                    self.count += 1;
                }
                // As many as there is room for: those that have been told another number begin anew.
                Err(Error::TooManyProcesses | Error::NoMemory) => {
                    self.kill_children();
                    (count, self.count) = (rank, 1);
                }
                Err(error) => return Err(error),
            }
        }
        let ids: [u32; GROUP_MEMBERS] = core::array::from_fn(|rank| self.children[rank] as u32);
        // SAFETY: the kernel only reads the list.
        call::result(unsafe { call::call3(syscall::FORM, (&raw const ids) as u32, self.count as u32, 0) })?;
        for rank in 1..self.count {
            resume(self.children[rank])?;
        }
        Ok(())
    }

    /// `bsp_end`. The first process waits until the others have ended.
    pub fn end(&mut self) {
        self.within("bsp_end");
        self.last_superstep();
        self.phase = Phase::After;
        if self.rank == 0 {
            for rank in 1..self.count {
                // It may have ended, and its place be another's.
                let _ = await_end(self.children[rank]);
            }
        }
    }

    fn kill_children(&self) {
        for rank in 1..self.count {
            // It may have ended already.
            let _ = kill(self.children[rank]);
        }
    }

    /// Ends the whole program. The others notice at the end of their superstep, at the latest.
    pub fn end_all(&self) -> ! {
        // Behind bsp_end the others have ended, and their numbers may be other processes'.
        if self.rank == 0 && self.phase != Phase::After {
            self.kill_children();
        }
        halt()
    }

    /// Another process of the program has ended, so this superstep never will.
    #[cold]
    pub(crate) fn lost(&self) -> ! {
        if self.rank == 0 {
            println!("bsp: a process has ended before bsp_end, and so does the program");
        }
        self.end_all()
    }
}
