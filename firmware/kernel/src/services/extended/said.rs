//! What the master says of the console, on its own.

use testbed_kernel_core::input::Said;

use crate::state::kernel::Kernel;

impl Kernel {
    /// On the master: says what has become of the console.
    #[cold]
    pub fn say_where(&mut self, said: Said) {
        let console = &mut self.console;
        match said {
            Said::Switched => {}
            Said::NoNumber => console.put_text("console: behind Ctrl-] comes the number of a processor\n"),
            Said::NoSeat(number) => {
                console.put_text("console: no shell sits on processor ");
                console.put_decimal(number as u32);
                console.put_text("; `on` starts one\n");
            }
            Said::Back { from, to } => {
                console.put_text("console: no shell sits on processor ");
                console.put_decimal(from.number() as u32);
                console.put_text(" any more; back to processor ");
                console.put_decimal(to.number() as u32);
                console.put(b'\n');
            }
        }
    }
}
