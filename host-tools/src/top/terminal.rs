//! The terminal, given back whatever happens.

use std::io::{self, stdout, Stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode, EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::Terminal;

use testbed_runner::signals::stop_flag;

/// The terminal while `top` has it: raw, and on its second screen. It is given back when this goes, also in a panic.
pub struct Taken {
    pub terminal: Terminal<CrosstermBackend<Stdout>>,
    stop: Arc<AtomicBool>,
}

impl Taken {
    /// Takes the terminal.
    ///
    /// # Errors
    /// There is none, or it does not answer.
    pub fn take() -> io::Result<Self> {
        restore_on_panic();
        let stop = stop_flag()?;
        enable_raw_mode()?;
        let entered = execute!(stdout(), EnterAlternateScreen);
        let terminal = entered.and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match terminal {
            Ok(terminal) => Ok(Taken { terminal, stop }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Whether a signal asks for the end.
    pub fn is_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back. That can be done twice; what fails can't be helped here.
fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), LeaveAlternateScreen, Show);
}

/// What a panic says is to be read on the first screen.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
        }));
    });
}
