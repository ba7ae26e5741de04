//! The modes of the terminal at standard input while the machine's console has it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::termios::{tcgetattr, tcgetwinsize, tcsetattr, LocalModes, OptionalActions, Termios};

/// What takes back that pasted text comes in brackets, which an editor has asked for that is left
/// in the middle of a line.
const NO_BRACKETS: &[u8] = b"\x1b[?2004l";

/// The terminal's modes as they were, which it gets back in the end.
pub struct Modes {
    before: Termios,
}

impl Modes {
    /// What is typed ahead is not shown before somebody reads it, and comes a key at a time; Ctrl-C
    /// and its like stay signals.
    ///
    /// # Errors
    /// Standard input is no terminal.
    pub fn take() -> io::Result<Modes> {
        let before = tcgetattr(io::stdin())?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
        tcsetattr(io::stdin(), OptionalActions::Now, &modes)?;
        Ok(Modes { before })
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &self.before);
        let mut out = io::stdout();
        let _ = out.write_all(NO_BRACKETS).and_then(|()| out.flush());
    }
}

/// Rows and columns of the terminal at standard input.
pub fn window() -> Option<(u16, u16)> {
    let window = tcgetwinsize(io::stdin()).ok()?;
    (window.ws_row > 0 && window.ws_col > 0).then_some((window.ws_row, window.ws_col))
}

/// Whether lines can be edited in this kind of terminal, as `TERM` names it.
pub fn is_capable(kind: Option<&str>) -> bool {
    !matches!(kind, None | Some("" | "dumb" | "cons25" | "emacs"))
}

/// Where lines of earlier runs are kept, in a folder that is made if need be: of this person's
/// state, as the XDG specification has it. `None`: there is no such place.
pub fn history() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let folder = history_folder(set("XDG_STATE_HOME").as_deref(), set("HOME").as_deref())?;
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

fn history_folder(state: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
    let state = state.map(PathBuf::from).or_else(|| Some(home?.join(".local/state")))?;
    Some(state.join("testbed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_where_a_person_s_state_is() {
        let folder =
            |state: Option<&str>, home: Option<&str>| history_folder(state.map(Path::new), home.map(Path::new));
        assert_eq!(folder(Some("/s"), Some("/h")), Some("/s/testbed".into()));
        assert_eq!(folder(None, Some("/h")), Some("/h/.local/state/testbed".into()));
        assert_eq!(folder(None, None), None);
    }

    #[test]
    fn terminals_that_can_t_place_the_cursor_are_known() {
        assert!(is_capable(Some("xterm-256color")) && is_capable(Some("linux")));
        assert!(!is_capable(Some("dumb")) && !is_capable(None));
    }
}
