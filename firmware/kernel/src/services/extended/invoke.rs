//! Programs become processes: invoking them, here or elsewhere.

use testbed_definitions::boot::{word, ARGUMENT_BYTES, BALANCER};
use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::file::TRUSTED;
use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::process::OPERATOR;
use testbed_definitions::syscall::{invoke, Error};
use testbed_kernel_core::filestore::{padded, File, Name};
use testbed_kernel_core::input::{seats_in, with_seats, Seats, ALL_SEATS};

use crate::arch::memory;
use crate::drivers::events;
use crate::drivers::packet::Packet;
use crate::services::extended::files::{address_in, user_name};
use crate::state::boot;
use crate::state::call::Outcome;
use crate::state::effects::MOUNTS;
use crate::state::kernel::Kernel;
use crate::state::load::Source;
use crate::state::place::{Place, Who};
use crate::state::process::Process;
use crate::state::user::{read_packet, read_user};

/// The processor of an `invoke` call that means the caller's.
const HERE: u32 = 0xff;

/// What is to be invoked.
pub struct Invocation<'a> {
    pub name: Name,
    /// `syscall::invoke`.
    pub flags: u32,
    /// Where the file is, if it isn't here.
    pub source: Processor,
    /// Who is told the process's id.
    pub who: Who,
    /// The seats of the console that it has.
    pub seats: Seats,
    pub arguments: &'a [u8],
}

/// The processor with the host's files.
pub fn start_processor() -> Processor {
    Processor::new(boot::get(word::START_PROCESSOR) as u8)
}

impl Kernel {
    /// The program that the host wants started: its first file.
    pub fn invoke_first(&mut self) -> Result<(), Error> {
        let name = self.files.get(0).name;
        let arguments = boot::arguments();
        self.begin(&Invocation {
            name,
            flags: invoke::OPERATOR,
            source: self.me,
            who: Who::NOBODY,
            seats: ALL_SEATS,
            arguments,
        })
    }

    /// The program that balances the load, beside the host's.
    pub fn invoke_balancer(&mut self) -> Result<(), Error> {
        let name = padded(BALANCER.as_bytes())?;
        let flags = invoke::OPERATOR | invoke::BACKGROUND;
        let arguments = boot::balancer_arguments();
        let seats = ALL_SEATS;
        self.begin(&Invocation { name, flags, source: self.me, who: Who::NOBODY, seats, arguments })
    }

    /// `invoke(name, length, arguments, length, processor and flags)`. While its buffers have not
    /// left, it is repeated.
    pub fn invoke(&mut self, index: u16, [name, length, arguments, bytes, how]: [u32; 5]) -> Result<Outcome, Error> {
        let (flags, target) = (how & !0xff, if how & 0xff == HERE { self.me } else { Processor::new(how as u8) });
        if target.number() >= self.processors {
            return Err(Error::BadProcessor);
        }
        if flags & !(invoke::BACKGROUND | invoke::SUSPENDED | invoke::OPERATOR) != 0 {
            return Err(Error::UnknownCall);
        }
        let process = self.tcb_of(index).process();
        if flags & invoke::OPERATOR != 0 && !process.id().is_operator() {
            return Err(Error::NoPermission);
        }
        let name = padded(&user_name(process, name, length)?[..length as usize])?;
        let mut buffer = [0; ARGUMENT_BYTES];
        let buffer = buffer.get_mut(..bytes as usize).ok_or(Error::BadLength)?;
        read_user(process, arguments, buffer)?;
        let here = self.files.find(&name).is_some();
        let source = if here { self.me } else { start_processor() };
        let tcb = self.tcb_of(index);
        let seats = self.seats_of(process.id());
        let invocation = Invocation { name, flags, source, who: tcb.who(self.me), seats, arguments: buffer };
        if target != self.me && self.net.free_buffer().is_none() {
            return Ok(Outcome::Again);
        }
        tcb.ask();
        if target == self.me {
            self.begin(&invocation)?;
        } else {
            self.send_invocation(target, &invocation);
        }
        Ok(Outcome::Waits)
    }

    fn send_invocation(&mut self, to: Processor, invocation: &Invocation) {
        let Some(packet) = self.net.free_buffer() else { return };
        let words = packet as *mut u32;
        let header = [
            mpc::operation_address(layout::INVOKE, invocation.who.process),
            with_seats(invocation.flags | invocation.source.number() as u32, invocation.seats),
            invocation.who.word(),
            invocation.arguments.len() as u32,
        ];
        let bytes = invocation.arguments.len() as u32;
        // SAFETY: the buffer is the driver's, free, and has room for a packet; name and arguments
        // fit.
        unsafe {
            header.iter().enumerate().for_each(|(index, word)| words.add(index).write_volatile(*word));
            let put =
                |from: *const u8, word: usize, bytes: u32| memory::copy(from as u32, words.add(word) as u32, bytes);
            put(invocation.name.as_ptr(), layout::INVOKE_NAME, invocation.name.len() as u32);
            put(invocation.arguments.as_ptr(), layout::INVOKE_ARGUMENTS, bytes);
        }
        self.net.queue_buffer(to, mpc::PROCESS, 4 * layout::INVOKE_ARGUMENTS as u32 + bytes);
    }

    /// Another processor's thread invokes a program here.
    pub fn serve_invocation(&mut self, id: ProcessId, packet: &Packet) {
        let bytes = packet.word(layout::INVOKE_BYTES);
        if packet.header.length as u32 != 4 * layout::INVOKE_ARGUMENTS as u32 + bytes || bytes > ARGUMENT_BYTES as u32 {
            return;
        }
        let who = Who::unpack(packet.word(layout::WHO), id);
        let (mut name, mut arguments) = (Name::default(), [0; ARGUMENT_BYTES]);
        read_packet(packet, layout::INVOKE_NAME, &mut name);
        read_packet(packet, layout::INVOKE_ARGUMENTS, &mut arguments[..bytes as usize]);
        let flags = packet.word(layout::INVOKE_FLAGS);
        let arguments = &arguments[..bytes as usize];
        let (source, seats) = (Processor::new(flags as u8), seats_in(flags));
        let invocation = Invocation { name, flags: flags & 0xff00, source, who, seats, arguments };
        if let Err(error) = self.begin(&invocation) {
            self.reply(who, error.code() as u32, 0);
        }
    }

    /// Makes the process, and starts it if its file is here; otherwise that is fetched. The invoker
    /// is told later, but of an error.
    fn begin(&mut self, invocation: &Invocation) -> Result<(), Error> {
        let right = if invocation.flags & invoke::OPERATOR != 0 { OPERATOR } else { 0 };
        let by_operator = invocation.who == Who::NOBODY || invocation.who.process.is_operator();
        let process = self.take_place(right, by_operator)?;
        let begun = self.prepare(process, invocation).and_then(|()| match self.files.find(&invocation.name) {
            Some(file) => self.start_file(process, file),
            None if invocation.source == self.me => Err(Error::NoFile),
            None => {
                self.effects.note(MOUNTS);
                Ok(())
            }
        });
        if begun.is_err() {
            self.abandon(process);
        }
        begun
    }

    /// Notes what is to be done when the file is here.
    fn prepare(&mut self, process: Process, invocation: &Invocation) -> Result<(), Error> {
        let suspended = invocation.flags & invoke::SUSPENDED != 0;
        if suspended && self.processes.is_over(invocation.who.process) {
            // Nobody would let it run.
            return Err(Error::NoProcess);
        }
        self.processes.set_suspended(process.id(), suspended);
        process.set_suspended(suspended);
        self.put_arguments(process, invocation.arguments)?;
        if let Some(place) = self.place(process.id()) {
            place.invoked.invoker = invocation.who.process;
            place.invoked.seats = invocation.seats;
            place.invoked.held = suspended;
            place.invoked.background = invocation.flags & invoke::BACKGROUND != 0;
            place.set_waiter(invocation.who);
            (place.invoked.name, place.invoked.source) = (invocation.name, invocation.source);
        }
        Ok(())
    }

    /// Loads a file into a process that is prepared, and starts it.
    fn start_file(&mut self, process: Process, file: usize) -> Result<(), Error> {
        let &File { bytes, list, permissions, .. } = self.files.executable(file)?;
        self.start_process(process, &Source { bytes, address: &|offset| address_in(list, offset) })?;
        self.files.add_user(file);
        let Some(place) = self.place(process.id()) else { return Ok(()) };
        (place.invoked.file, place.invoked.trusted) = (file as u8, permissions & TRUSTED != 0);
        let (waiter, held) = (place.take_waiter(), place.invoked.held);
        if held {
            // Its thread may be moved before it runs, and has to wait there too.
            self.suspend_everywhere(process.id(), true);
        }
        self.reply(waiter, process.id().bits() as u32, 0);
        Ok(())
    }

    /// A process that has not started never will. Returns who has waited for that.
    fn abandon(&mut self, process: Process) -> Who {
        let waiter = self.place(process.id()).map_or(Who::NOBODY, Place::give_up);
        events::emit_with(DIAG_PROFILE, event::PROCESS_END, process.id().bits());
        self.remove_process(process);
        waiter
    }

    /// A file is here, or cannot be had: processes that wait for it start, or are given up.
    pub fn file_came(&mut self, name: &Name, result: Result<usize, Error>) {
        for number in 0..self.places.len() {
            let place = self.places[number];
            if !place.is_loading() || place.invoked.name != *name {
                continue;
            }
            let Some(process) = self.process(place.id()) else { continue };
            if let Err(error) = result.and_then(|file| self.start_file(process, file)) {
                let waiter = self.abandon(process);
                self.reply(waiter, error.code() as u32, 0);
            }
        }
    }
}
