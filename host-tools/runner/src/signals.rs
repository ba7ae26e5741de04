//! Signals that end a program, taken in order to end well.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};

/// A flag that Ctrl-C, `kill` and a terminal that goes away set from now on, instead of ending this
/// program. If the last is ignored, as `nohup` has it, it stays so, where the system tells. (Shells
/// ignore Ctrl-C for what they start in the background; who sends it there means it.)
///
/// # Errors
/// The system's.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let ignored = std::fs::read_to_string("/proc/self/status").map_or(0, |status| ignored(&status));
    let stays = ignored >> (SIGHUP - 1) & 1 == 1;
    for signal in [SIGINT, SIGTERM].into_iter().chain((!stays).then_some(SIGHUP)) {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// The same, and whoever sends a second one means it: it ends this program at once, with the code of Ctrl-C.
///
/// # Errors
/// The system's.
pub fn stop_flag_once() -> io::Result<Arc<AtomicBool>> {
    // First of all: a signal that comes in between is not lost.
    let stop = stop_flag()?;
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order, so that the first one finds the flag unset.
        signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&again))?;
        signal_hook::flag::register(signal, Arc::clone(&again))?;
    }
    Ok(stop)
}

/// Keys of a terminal that are signals as long as nobody edits a line there: Ctrl-C, Ctrl-Z and
/// Ctrl-\.
pub struct Keys {
    interrupt: Arc<AtomicBool>,
    suspend: Arc<AtomicBool>,
    quit: Arc<AtomicBool>,
    /// Not a key, but a signal that ends the run.
    end: Arc<AtomicBool>,
}

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Interrupt,
    Suspend,
    Quit,
}

impl Keys {
    /// Takes the keys from now on.
    ///
    /// # Errors
    /// The system's.
    pub fn take() -> io::Result<Keys> {
        let [interrupt, suspend, quit, end] = std::array::from_fn(|_| Arc::<AtomicBool>::default());
        let flags = [(SIGINT, &interrupt), (SIGTSTP, &suspend), (SIGQUIT, &quit), (SIGTERM, &end), (SIGHUP, &end)];
        for (signal, flag) in flags {
            signal_hook::flag::register(signal, Arc::clone(flag))?;
        }
        Ok(Keys { interrupt, suspend, quit, end })
    }

    /// Whether somebody has ended the run with `kill`, or the terminal has gone.
    pub fn ends(&self) -> bool {
        self.end.load(Ordering::Relaxed)
    }

    /// Whether there is one.
    pub fn is_pressed(&self) -> bool {
        [&self.quit, &self.interrupt, &self.suspend].into_iter().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// A key that was pressed since the last time.
    pub fn pressed(&self) -> Option<Key> {
        let all = [(&self.quit, Key::Quit), (&self.interrupt, Key::Interrupt), (&self.suspend, Key::Suspend)];
        all.into_iter().find(|(flag, _)| flag.swap(false, Ordering::Relaxed)).map(|(_, key)| key)
    }
}

/// The exit code of a program that Ctrl-C has ended, as shells have it.
pub const INTERRUPTED: i32 = 130;

/// The mask of ignored signals, the first in bit 0, from what Linux says of a process.
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_known() {
        assert_eq!(ignored("Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n"), 0x1001);
        assert_eq!(ignored("Name:\tx\n"), 0);
    }
}
