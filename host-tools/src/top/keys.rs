//! What keys do.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A part of the screen that can have the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panel {
    Processors,
    #[default]
    Threads,
    Links,
    Console,
}

impl Panel {
    pub const ALL: [Panel; 4] = [Panel::Processors, Panel::Threads, Panel::Links, Panel::Console];
}

/// What the threads are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Share,
    Communications,
    State,
    Processor,
    Thread,
}

impl Sort {
    const ALL: [Sort; 5] = [Sort::Share, Sort::Communications, Sort::State, Sort::Processor, Sort::Thread];

    /// As the title of the threads says it.
    pub fn name(self) -> &'static str {
        ["cpu", "communications", "state", "processor", "thread"][self as usize]
    }
}

/// What the user has chosen to see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ui {
    pub focus: Panel,
    pub sort: Sort,
    /// The other way round.
    pub reversed: bool,
    /// Lines passed over, by panel; of the console counted from its end.
    pub scroll: [usize; Panel::ALL.len()],
    pub help: bool,
}

/// What is to be done with the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Quit,
    Pause,
    Faster,
    Slower,
    /// The next event.
    StepEvent,
    /// A piece of the histories.
    StepPiece,
    ToEnd,
    ToStart,
}

/// Lines of a page.
const PAGE: usize = 8;

/// Keys and what they do, for the help.
pub const HELP: [(&str, &str); 11] = [
    ("space", "pause, go on"),
    ("+  -", "faster, slower; beyond 1024x: max"),
    (".", "next event, then pause"),
    ("right", "next piece of the history, then pause"),
    ("G  end", "to the end, or to the newest"),
    ("g  home", "from the start again"),
    ("Tab", "next table"),
    ("up, down, page up, page down", "scroll the table that has the focus"),
    ("s  r", "sort threads by something else; the other way round"),
    ("?", "this help"),
    ("q  Ctrl-C", "quit; a run that top has started ends too"),
];

impl Ui {
    /// Takes a key. What it says about the run is returned; the rest is done here.
    pub fn key(&mut self, key: KeyEvent) -> Option<Action> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if self.help && !matches!(key.code, KeyCode::Char('q' | 'c')) {
            self.help = false;
            return None;
        }
        match key.code {
            KeyCode::Char('c') if control => return Some(Action::Quit),
            KeyCode::Char(_) if control => {}
            KeyCode::Char('q') => return Some(Action::Quit),
            KeyCode::Char(' ') => return Some(Action::Pause),
            KeyCode::Char('+' | '=') => return Some(Action::Faster),
            KeyCode::Char('-') => return Some(Action::Slower),
            KeyCode::Char('.') => return Some(Action::StepEvent),
            KeyCode::Right => return Some(Action::StepPiece),
            KeyCode::Char('G') | KeyCode::End => return Some(Action::ToEnd),
            KeyCode::Char('g') | KeyCode::Home => return Some(Action::ToStart),
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('s') => self.sort = next(&Sort::ALL, self.sort, 1),
            KeyCode::Char('r') => self.reversed = !self.reversed,
            KeyCode::Tab => self.focus = next(&Panel::ALL, self.focus, 1),
            KeyCode::BackTab => self.focus = next(&Panel::ALL, self.focus, Panel::ALL.len() - 1),
            KeyCode::Up | KeyCode::Char('k') => self.scroll(-1),
            KeyCode::Down | KeyCode::Char('j') => self.scroll(1),
            KeyCode::PageUp => self.scroll(-(PAGE as isize)),
            KeyCode::PageDown => self.scroll(PAGE as isize),
            _ => {}
        }
        None
    }

    fn scroll(&mut self, lines: isize) {
        // The console's newest lines are its first.
        let lines = if self.focus == Panel::Console { -lines } else { lines };
        let scroll = &mut self.scroll[self.focus as usize];
        *scroll = scroll.saturating_add_signed(lines);
    }

    /// Takes back what was scrolled too far, now that it is known how many lines there are beyond those shown.
    pub fn bound(&mut self, beyond: [usize; Panel::ALL.len()]) {
        self.scroll.iter_mut().zip(beyond).for_each(|(scroll, beyond)| *scroll = (*scroll).min(beyond));
    }
}

fn next<T: Copy + PartialEq>(all: &[T], now: T, step: usize) -> T {
    let place = all.iter().position(|one| *one == now).unwrap_or(0);
    all[(place + step) % all.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(ui: &mut Ui, code: KeyCode) -> Option<Action> {
        ui.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn keys_act_on_the_run_or_on_the_screen() {
        let mut ui = Ui::default();
        assert_eq!(press(&mut ui, KeyCode::Char(' ')), Some(Action::Pause));
        assert_eq!(press(&mut ui, KeyCode::Char('q')), Some(Action::Quit));
        assert_eq!(ui.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(Action::Quit));
        assert_eq!(ui.key(KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL)), None);
        assert_eq!(ui, Ui::default());
        assert_eq!(press(&mut ui, KeyCode::Tab), None);
        assert_eq!(ui.focus, Panel::Links);
        press(&mut ui, KeyCode::BackTab);
        assert_eq!(ui.focus, Panel::Threads);
        press(&mut ui, KeyCode::PageDown);
        press(&mut ui, KeyCode::Up);
        assert_eq!(ui.scroll, [0, 7, 0, 0]);
        ui.bound([0, 3, 0, 0]);
        assert_eq!(ui.scroll, [0, 3, 0, 0]);
        (0..5).for_each(|_| assert_eq!(press(&mut ui, KeyCode::Char('s')), None));
        assert_eq!(ui.sort, Sort::Share);
    }

    #[test]
    fn any_key_ends_the_help() {
        let mut ui = Ui::default();
        press(&mut ui, KeyCode::Char('?'));
        assert!(ui.help);
        assert_eq!(press(&mut ui, KeyCode::Char(' ')), None);
        assert!(!ui.help);
        press(&mut ui, KeyCode::Char('?'));
        assert_eq!(press(&mut ui, KeyCode::Char('q')), Some(Action::Quit));
    }
}
