//! The run that a page is about: its folder is followed; if it is ours it is started, typed at and
//! ended.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use testbed_trace::balance::Counts;
use testbed_trace::capture::{RunRecord, MMI_RAW};
use testbed_trace::report::{Rolling, Shown, State};

use super::ask::{Ask, Known, Reply};
use super::files;
use super::printed::since;
use crate::top::app::TopError;
use crate::top::child::Started;
use crate::top::player::{Options, Player};
use crate::top::screen::{Mode, Requests, Screen};
use crate::web::page::base64;

/// How long events are read before a page is answered.
const BUDGET: Duration = Duration::from_millis(40);

/// What is followed.
enum Watched {
    Run(Box<Player>),
    /// A run that has been started, and of which there is no folder yet.
    Coming,
}

/// A run, and what a page is told of it.
pub struct Followed {
    dir: PathBuf,
    options: Options,
    watched: Watched,
    started: Option<Started>,
    /// Why nothing can be typed; `None` if it can.
    no_typing: Option<String>,
    screen: Screen,
    /// How often the drawing has been begun anew, and whether it is of all of the run.
    drawings: u64,
    draws_all: bool,
}

/// What a page is told.
#[derive(Serialize)]
struct Told<'a> {
    /// `starting`, `checking`, `live`, `reading` or `over`, and how that is said.
    mode: &'static str,
    said: String,
    /// Which run this is; a page that shows another begins anew.
    run: String,
    record: Option<&'a RunRecord>,
    state: Option<State>,
    /// `None` if the page has it already.
    shown: Option<Shown>,
    drawn: String,
    /// Pairs of processor and byte, in base 64, and the place behind them.
    pairs: String,
    printed: u64,
    more: bool,
    damage: &'a [String],
    /// Events that wait for others before their order is proven, and for whose.
    waiting: Option<&'a (usize, String)>,
    requests: Option<Counts>,
    /// Why no requests of the balancer are told.
    no_requests: Option<String>,
    no_typing: Option<&'a str>,
    can_end: bool,
    /// Files that can be taken away.
    files: Vec<&'static str>,
    /// Whether all of the run is drawn.
    draws_all: bool,
}

impl Followed {
    /// A folder, of a run that goes on or is over.
    ///
    /// # Errors
    /// It has no run, or can't be read.
    pub fn folder(dir: PathBuf, window: Option<u64>) -> Result<Self, TopError> {
        let second = u64::from(RunRecord::read(&dir)?.machine.clock_hz);
        let open = |span| Player::open(&dir, &Options { window, span: Some(span), ..Options::default() });
        let (mut player, mut screen) = (open(second)?, Screen::new(Mode::Checking));
        player.show(&mut screen);
        let is_over = screen.mode == Mode::Checking;
        if is_over {
            player = open(Rolling::ALL)?;
        }
        let why = "The run is not this server's, so its console is not either.";
        let mut followed = Followed::new(dir, Options::default(), None, Some(why.into()));
        (followed.watched, followed.draws_all) = (Watched::Run(Box::new(player)), is_over);
        Ok(followed)
    }

    /// A run that has been started and will write to `dir`. `no_typing`: why it can't be typed at.
    pub fn started(started: Started, dir: PathBuf, options: Options, no_typing: Option<String>) -> Self {
        Followed::new(dir, options, Some(started), no_typing)
    }

    fn new(dir: PathBuf, options: Options, started: Option<Started>, no_typing: Option<String>) -> Self {
        let screen = Screen::new(Mode::Starting(String::new()));
        Followed { dir, options, watched: Watched::Coming, started, no_typing, screen, drawings: 0, draws_all: false }
    }

    /// The run that was started, to be waited for.
    pub fn into_started(self) -> Option<Started> {
        self.started
    }

    /// Asks the run to end, if it is ours.
    ///
    /// # Errors
    /// The system refuses.
    pub fn ask_to_end(&mut self) -> Result<(), TopError> {
        Ok(self.started.as_mut().map_or(Ok(()), Started::ask_to_end)?)
    }

    /// There is a folder to be followed.
    pub fn has_begun(&self) -> bool {
        !matches!(self.watched, Watched::Coming)
    }

    /// Reads on for a moment. Returns whether there is more to be read at once.
    ///
    /// # Errors
    /// The folder can't be read, or the run has ended without beginning.
    pub fn pass(&mut self) -> Result<bool, TopError> {
        if let Watched::Coming = self.watched {
            let Some(started) = &mut self.started else { return Err(TopError::NotBegun) };
            // Asked first: what has ended may have begun just before.
            let ended = started.has_ended()?;
            if started.has_begun() {
                self.watched = Watched::Run(Box::new(Player::open(&self.dir, &self.options)?));
            } else if ended {
                return Err(TopError::NotBegun);
            }
        }
        match &mut self.watched {
            Watched::Run(player) => {
                // A run may be over when its folder is first seen, also one that takes another's place.
                player.hurry();
                Ok(player.pass(Duration::ZERO, BUDGET)?)
            }
            Watched::Coming => Ok(false),
        }
    }

    /// What a page gets that asks for this.
    ///
    /// # Errors
    /// The folder can't be read.
    pub fn answer(&mut self, ask: Ask) -> Result<Reply, TopError> {
        match ask {
            Ask::State(known) => self.tell(&known),
            Ask::Page => Ok(Reply::Done),
            Ask::File(_) => Ok(match self.watched {
                Watched::Run(_) => Reply::Folder(self.dir.clone()),
                Watched::Coming => not_begun(),
            }),
            Ask::Give(bytes) => Ok(match (self.why_no_typing(), &self.started) {
                (Some(why), _) => Reply::Refused(why.into()),
                (None, Some(started)) => {
                    started.give(bytes);
                    Reply::Done
                }
                (None, None) => not_ours(),
            }),
            Ask::End if self.started.is_none() => Ok(not_ours()),
            Ask::End => {
                self.ask_to_end()?;
                Ok(Reply::Done)
            }
            Ask::Draw(last) => self.draw(last),
        }
    }

    fn draw(&mut self, last: Option<u64>) -> Result<Reply, TopError> {
        let Watched::Run(player) = &mut self.watched else {
            return Ok(not_begun());
        };
        let clock_hz = u64::from(player.record().machine.clock_hz);
        let span = last.map_or(Rolling::ALL, |milliseconds| milliseconds.saturating_mul(clock_hz) / 1_000);
        player.draw(span)?;
        self.drawings += 1;
        self.draws_all = last.is_none();
        Ok(Reply::Done)
    }

    fn why_no_typing(&self) -> Option<&str> {
        match self.screen.mode {
            Mode::Ended(_) => Some("The run is over."),
            _ => self.no_typing.as_deref(),
        }
    }

    fn tell(&mut self, known: &Known) -> Result<Reply, TopError> {
        let Watched::Run(player) = &self.watched else {
            let said = self.started.as_ref().map(Started::last_words).unwrap_or_default();
            self.screen.mode = Mode::Starting(said);
            let told = Told { can_end: true, ..self.told(String::new(), &Known::default()) };
            return Ok(Reply::Json(serde_json::to_vec(&told).map_err(std::io::Error::other)?));
        };
        player.show(&mut self.screen);
        let record = player.record();
        let run = format!("{}.{}", std::process::id(), player.number());
        // Of another run, the page has nothing.
        let known = if known.run.as_ref() == Some(&run) { known.clone() } else { Known::default() };
        let news = since(&self.dir, &record.machine.processors, known.printed);
        let watch = player.picture().watch();
        let drawn = format!("{}-{}-{}", self.drawings, watch.now(), watch.events());
        let is_new = known.drawn.as_ref() != Some(&drawn);
        let told = Told {
            state: Some(self.state(player)),
            shown: is_new.then(|| player.picture().shown()).flatten(),
            drawn,
            pairs: base64(&news.pairs),
            printed: news.next,
            more: news.more,
            record: Some(record),
            files: files::there(&self.dir),
            ..self.told(run, &known)
        };
        Ok(Reply::Json(serde_json::to_vec(&told).map_err(std::io::Error::other)?))
    }

    /// What is told whether the run has begun or not.
    fn told(&self, run: String, known: &Known) -> Told<'_> {
        let (mode, said) = match &self.screen.mode {
            Mode::Starting(said) => ("starting", said.clone()),
            Mode::Checking => ("checking", "its two copies are compared".into()),
            Mode::Live => ("live", String::new()),
            Mode::Playing | Mode::Paused => ("reading", String::new()),
            Mode::Ended(how) => ("over", how.clone()),
        };
        let (requests, no_requests) = match &self.screen.requests {
            Some(Requests::Known(counts)) => (Some(*counts), None),
            Some(Requests::Unreadable(why)) => (None, Some(why.clone())),
            Some(Requests::NoLog) => (None, Some("its log has not come out of the machine yet".into())),
            None => (None, None),
        };
        Told {
            mode,
            said,
            run,
            record: None,
            state: None,
            shown: None,
            drawn: String::new(),
            pairs: String::new(),
            printed: known.printed,
            more: false,
            damage: &self.screen.damage,
            waiting: self.screen.waiting.as_ref(),
            requests,
            no_requests,
            no_typing: self.why_no_typing(),
            can_end: self.started.is_some() && mode != "over",
            files: Vec::new(),
            draws_all: self.draws_all,
        }
    }

    /// How far the run is, as its folder tells.
    fn state(&self, player: &Player) -> State {
        let (record, view) = (player.record(), &self.screen.view);
        let (moves, moved) = player.picture().moves();
        let filtered =
            record.ledger.as_ref().map_or(0, |ledger| ledger.smis.iter().map(|smi| u64::from(smi.filtered)).sum());
        let state = State {
            cycle: view.now,
            stopped: matches!(self.screen.mode, Mode::Ended(_)).then_some("over"),
            exits: record.exits.iter().map(|exit| (exit.processor.clone(), exit.cycle, exit.code)).collect(),
            moves,
            moved,
            dropped: view.processors.iter().map(|processor| processor.lost).sum(),
            filtered,
            bytes: std::fs::metadata(self.dir.join(MMI_RAW)).map_or(0, |file| file.len()),
            ..State::default()
        };
        state.with(view, &record.machine.processors)
    }
}

fn not_begun() -> Reply {
    Reply::Refused("the run has not begun yet".into())
}

fn not_ours() -> Reply {
    Reply::Refused("the run is not this server's to end".into())
}
