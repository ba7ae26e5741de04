//! Control of the monitors while the machine runs: event classes, and commands for the filters.
//!
//! All goes over the master: the MMI is there, and so everybody sees changes in one order. It tells
//! the others, and then whoever asked, which is told when it has reached all. Each slave emits an
//! event, so that a reader of the trace knows from where on it is so.

use testbed_definitions::event::{self, DIAG_ALL, DIAG_READY};
use testbed_definitions::filter::{register, Command, REGISTERS, RULES};
use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::mpc::{self, process as layout};
use testbed_definitions::syscall::{monitor, Error};

use crate::drivers::events;
use crate::drivers::extended::settings;
use crate::state::call::Outcome;
use crate::state::kernel::{Index, Kernel};
use crate::state::place::Who;

/// Bits of a command.
const COMMAND_BITS: u32 = 0x00ff_ffff;

/// Words come singly with the ready-queue class and in pairs without: readers of the trace, and the
/// filters, are told once, at the start.
fn check_classes(classes: u32) -> Result<(), Error> {
    let now = settings::classes();
    let fixed = if now & DIAG_READY != 0 { DIAG_ALL } else { DIAG_READY };
    let sound = classes & !DIAG_ALL == 0 && (classes ^ now) & fixed == 0;
    sound.then_some(()).ok_or(Error::FixedSetting)
}

/// Rules and the interval between totals may change; that words come in pairs may not, in the
/// middle of one.
fn check_command(word: u32, processors: u8) -> Result<(), Error> {
    let command = Command::unpack(word);
    let rule = (command.register as usize) < 4 * RULES && command.register & 3 <= register::ACTION;
    if command.smi >= processors {
        return Err(Error::BadProcessor);
    }
    let sound = word & !COMMAND_BITS == 0 && (rule || command.register == register::INTERVAL);
    sound.then_some(()).ok_or(Error::FixedSetting)
}

impl Kernel {
    /// `monitor(what, value)`. The call may wait for the master's answer.
    pub fn monitor(&mut self, index: Index, what: u32, value: u32) -> Outcome {
        let (operation, checked) = match what {
            monitor::CLASSES => return Outcome::Done(Ok(settings::classes())),
            monitor::SETTING => {
                let register = value as usize % REGISTERS;
                return Outcome::Done(Ok(settings::get(register) as u32));
            }
            monitor::MISSED => return Outcome::Done(self.collecting(self.tcb_of(index).process(), what, value)),
            monitor::SAMPLE_PERIOD if value == 0 => return Outcome::Done(Ok(self.sample_period())),
            _ if !self.tcb_of(index).process().id().is_operator() => return Outcome::Done(Err(Error::NoPermission)),
            monitor::DELIVER..=monitor::WANT_DATUM => {
                return Outcome::Done(self.collecting(self.tcb_of(index).process(), what, value))
            }
            monitor::SET_CLASSES => (layout::CLASSES, check_classes(value)),
            monitor::COMMAND => (layout::COMMAND, check_command(value, self.processors)),
            monitor::SAMPLE_PERIOD => (layout::SAMPLE_PERIOD, Self::check_period(value)),
            _ => return Outcome::Done(Err(Error::UnknownCall)),
        };
        if self.processors == 1 {
            return Outcome::Done(Err(Error::NoMonitor));
        }
        if let Err(error) = checked {
            return Outcome::Done(Err(error));
        }
        if self.me == Processor::MASTER {
            self.control_all(operation, value);
            return Outcome::Done(Ok(0));
        }
        let tcb = self.tcb_of(index);
        tcb.ask();
        let who = tcb.who(self.me);
        let words = [mpc::operation_address(operation, ProcessId::NONE), value, who.word(), who.process.bits() as u32];
        self.net.queue_token(Processor::MASTER, mpc::PROCESS, words, layout::REQUEST_BYTES);
        Outcome::Waits
    }

    /// On the master, for a thread elsewhere.
    pub fn serve_control(&mut self, operation: u8, value: u32, who: Who) {
        // What its processor knew of the classes may be out of date.
        let checked = if operation == layout::CLASSES { check_classes(value) } else { Ok(()) };
        if checked.is_ok() {
            self.control_all(operation, value);
        }
        self.reply(who, checked.map_or_else(|error| error.code() as u32, |()| 0), 0);
    }

    /// On the master: makes the change, and tells the others.
    fn control_all(&mut self, operation: u8, value: u32) {
        if operation == layout::SAMPLE_PERIOD {
            return self.set_period_of_all(value);
        }
        let told = if operation == layout::COMMAND {
            events::command(value);
            self.commanded(value);
            layout::COMMANDED
        } else {
            self.set_classes(value);
            operation
        };
        self.net.queue_token(
            Processor::ALL_OTHERS,
            mpc::PROCESS,
            [mpc::operation_address(told, ProcessId::NONE), value],
            layout::CLASSES_BYTES,
        );
    }

    /// These are the event classes now.
    pub fn set_classes(&mut self, classes: u32) {
        if classes == settings::classes() {
            return;
        }
        if self.me != Processor::MASTER {
            events::tell(event::CLASSES, classes as u16);
        }
        events::enable(classes, self.me != Processor::MASTER);
        self.tell_agent();
    }

    /// A command for the filters has taken effect.
    pub fn commanded(&mut self, word: u32) {
        let command = Command::unpack(word);
        if command.smi != 0 && command.smi != self.me.number() {
            return;
        }
        settings::note(command);
        if events::enabled(DIAG_ALL) && !events::enabled(DIAG_READY) {
            events::tell(event::FILTER, event::setting_argument(command));
        }
    }
}
