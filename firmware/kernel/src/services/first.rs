//! The program that the host wants started, and when it starts.

use testbed_definitions::syscall::{Error, EXIT_STOP};

use crate::state::kernel::Kernel;
use crate::variant;

impl Kernel {
    /// Starts the host's program; or, if there is a balancer, when that is ready: threads that it
    /// creates sooner are not dealt out.
    pub fn start_or_hold(&mut self) {
        if self.is_balanced() {
            self.agent.holds_first = true;
        } else {
            self.start_first();
        }
    }

    /// The program that has waited starts, if there is one. The balancer has told how often it wants
    /// samples, which is the last thing before it begins; or it has not by the time of the first
    /// sample: so a balancer that fails keeps nobody from running.
    pub fn start_held(&mut self) {
        if variant::PAGES_GO && core::mem::take(&mut self.agent.holds_first) {
            self.start_first();
        }
    }

    fn start_first(&mut self) {
        let begun = self.invoke_first();
        self.tell_start(begun, "the program can't start: ");
    }

    /// Says why something did not start, and ends the run.
    #[inline]
    pub fn tell_start(&mut self, begun: Result<(), Error>, what: &str) {
        if let Err(error) = begun {
            self.console.put_text(what);
            if !variant::IN_LINE {
                // No room for all the meanings; this one wants a remedy.
                match error {
                    Error::NoMemory => self.console.put_text("too big for this RAM; take a machine with more"),
                    _ => self.console.put_decimal(error as u32),
                }
            } else {
                self.console.put_text(error.meaning());
            }
            self.console.put(b'\n');
            self.exit_code = Some(EXIT_STOP);
        }
    }
}
