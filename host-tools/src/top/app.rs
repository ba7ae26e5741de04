//! The run, the keys and the frames together.

use std::io;
use std::time::{Duration, Instant};

use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::Terminal;
use testbed_trace::capture::{CaptureError, CONSOLE};

use super::child::Started;
use super::console::tail;
use super::draw::draw;
use super::keys::Action;
use super::player::{Options, Player};
use super::screen::{Mode, Screen, Speed};
use super::terminal::Taken;

/// Between two frames.
const FRAME: Duration = Duration::from_millis(100);
/// How long events are read before keys are looked at.
const BUDGET: Duration = Duration::from_millis(40);
/// Between two looks at a run of which there is nothing new. As often the console is read.
const LOOK: Duration = Duration::from_millis(20);
const CONSOLE_EVERY: Duration = Duration::from_millis(300);

/// Why `top` ends early.
#[derive(Debug, thiserror::Error)]
pub enum TopError {
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error("cannot use the terminal: {0}\n  help: use --once for one frame as text")]
    Terminal(#[from] io::Error),
    #[error("cannot write the frame: {0}")]
    Output(#[source] io::Error),
    /// A run that was to be followed has ended without beginning.
    #[error("the run did not begin")]
    NotBegun,
}

/// What is watched.
pub enum Watched {
    Run(Box<Player>),
    /// A run that has been started, and of which there is no folder yet.
    Coming(std::path::PathBuf, Options),
}

/// Everything.
pub struct App {
    watched: Watched,
    started: Option<Started>,
    frame: Screen,
    console_read: Option<Instant>,
}

impl App {
    /// `started`: the run that was started for it.
    pub fn new(watched: Watched, started: Option<Started>) -> Self {
        let mut frame = Screen::new(Mode::Starting(String::new()));
        // The convention of no-color.org: set, and not empty.
        frame.colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        App { watched, started, frame, console_read: None }
    }

    /// The run that was started, to be asked how it ended.
    pub fn into_started(self) -> Option<Started> {
        self.started
    }

    /// Shows it until the user has seen enough.
    ///
    /// # Errors
    /// The capture can't be read, or the terminal fails.
    pub fn run(&mut self) -> Result<(), TopError> {
        let mut taken = Taken::take()?;
        let (mut last, mut drawn) = (Instant::now(), None::<Instant>);
        while !taken.is_to_stop() {
            let now = Instant::now();
            let busy = self.pass(now - std::mem::replace(&mut last, now))?;
            if drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME) {
                self.prepare();
                let mut beyond = Default::default();
                taken.terminal.draw(|frame| beyond = draw(frame, &self.frame))?;
                self.frame.ui.bound(beyond);
                drawn = Some(Instant::now());
            }
            let patience = if busy { Duration::ZERO } else { LOOK };
            if event::poll(patience)? {
                drawn = None;
                if self.take(&event::read()?)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// One frame of this size as text, of what there is, or of the moment that the options name.
    ///
    /// # Errors
    /// The capture can't be read.
    pub fn once(&mut self, (width, height): (u16, u16)) -> Result<String, TopError> {
        loop {
            let busy = self.pass(Duration::ZERO)?;
            if let Watched::Run(player) = &self.watched {
                if !busy && !player.is_jumping() {
                    break;
                }
            }
            if !busy {
                std::thread::sleep(LOOK);
            }
        }
        self.prepare();
        let mut terminal = Terminal::new(TestBackend::new(width, height)).map_err(io::Error::other)?;
        terminal.draw(|frame| _ = draw(frame, &self.frame)).map_err(io::Error::other)?;
        Ok(text_of(&terminal))
    }

    /// Our own time passes. Returns whether there is more to be read at once.
    fn pass(&mut self, time: Duration) -> Result<bool, TopError> {
        if let Watched::Coming(dir, options) = &self.watched {
            let Some(started) = &mut self.started else { return Err(TopError::NotBegun) };
            // Asked first: what has ended may have begun just before.
            let ended = started.has_ended()?;
            if started.has_begun() {
                self.watched = Watched::Run(Box::new(Player::open(dir, options)?));
            } else if ended {
                return Err(TopError::NotBegun);
            }
        }
        match &mut self.watched {
            Watched::Run(player) => Ok(player.pass(time, BUDGET)?),
            Watched::Coming(..) => Ok(false),
        }
    }

    /// Brings the frame up to date.
    fn prepare(&mut self) {
        match &self.watched {
            Watched::Run(player) => {
                player.show(&mut self.frame);
                if self.console_read.is_none_or(|read| read.elapsed() >= CONSOLE_EVERY) {
                    self.console_read = Some(Instant::now());
                    self.frame.console = tail(&player.dir().join(CONSOLE));
                }
            }
            Watched::Coming(..) => {
                let words = self.started.as_ref().map(Started::last_words).unwrap_or_default();
                self.frame.mode = Mode::Starting(words);
            }
        }
    }

    /// Takes what the user does; `true` at the end.
    fn take(&mut self, event: &Event) -> Result<bool, TopError> {
        let Event::Key(key) = event else { return Ok(false) };
        if key.kind == KeyEventKind::Release {
            return Ok(false);
        }
        let Some(action) = self.frame.ui.key(*key) else { return Ok(false) };
        if action == Action::Quit {
            return Ok(true);
        }
        let Watched::Run(player) = &mut self.watched else { return Ok(false) };
        match action {
            Action::Quit => {}
            Action::Pause => player.pause(),
            Action::Faster => player.set_speed(Speed::faster),
            Action::Slower => player.set_speed(Speed::slower),
            Action::StepEvent => player.step_event()?,
            Action::StepPiece => player.step_piece(),
            Action::ToEnd => player.to_end(),
            Action::ToStart => player.restart()?,
        }
        Ok(false)
    }
}

/// The letters of a frame, without blanks at the ends of lines.
pub fn text_of(terminal: &Terminal<TestBackend>) -> String {
    let buffer = terminal.backend().buffer();
    let width = usize::from(buffer.area.width).max(1);
    let line = |cells: &[ratatui::buffer::Cell]| -> String {
        let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        format!("{}\n", line.trim_end())
    };
    buffer.content.chunks(width).map(line).collect()
}
