//! The programs that the host wants started, and when they start.

use testbed_definitions::syscall::{Error, EXIT_STOP};

use crate::state::kernel::Kernel;
use crate::variant;

impl Kernel {
    /// Starts the host's program, and the balancer, if they are to start here. The program waits until
    /// the balancer is ready: threads that it creates sooner are not dealt out.
    pub fn start_program(&mut self) {
        if self.is_start() || self.is_balancing() {
            self.take_host_files();
        }
        if self.is_start() && self.is_balanced() {
            self.agent.holds_first = true;
        } else if self.is_start() {
            self.start_first();
        }
        if self.is_balancing() {
            // The program runs without it.
            let begun = self.invoke_balancer();
            self.has_started(begun, "the balancer can't start: ");
        }
    }

    /// The program that has waited starts, if there is one: the balancer is ready, or it is not by the
    /// time of the first sample. So a balancer that fails keeps nobody from running.
    pub fn start_held(&mut self) {
        if variant::PAGES_GO && core::mem::take(&mut self.agent.holds_first) {
            self.start_first();
        }
    }

    fn start_first(&mut self) {
        let begun = self.invoke_first();
        if !self.has_started(begun, "the program can't start: ") {
            self.exit_code = Some(EXIT_STOP);
        }
    }

    /// Whether something has started; if it has not, the console says why.
    #[inline]
    fn has_started(&mut self, begun: Result<(), Error>, what: &str) -> bool {
        let Err(error) = begun else { return true };
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
        false
    }
}
