//! Reads a folder as far as it is there, at some speed.
//!
//! [`testbed_trace::live`] follows a run that goes on; one that is over is verified and then played.

use std::path::{Path, PathBuf};
use std::sync::mpsc::TryRecvError;
use std::time::{Duration, Instant};

use testbed_trace::capture::{Capture, CaptureError, Holder, Integrity, RunRecord};
use testbed_trace::live::Ended;
use testbed_trace::order::{events, Event};
use testbed_trace::report::{Picture, Rolling};

use super::log::FollowedLog;
pub use super::options::Options;
use super::rates::Rates;
use super::screen::{Mode, Screen, Speed};
use super::source::{ending, Source};
use super::wording::{inside, spelled};

/// Events taken between two looks at the clock.
const BATCH: usize = 1_024;

/// What can be had of a source now.
enum Next {
    Event(Event),
    /// Nothing before this machine cycle, as far as the source goes now.
    Until(u64),
}

/// Plays or follows a folder.
pub struct Player {
    dir: PathBuf,
    window: u64,
    span: Option<u64>,
    /// Runs that the folder has had before this one, since it was opened.
    runs: u64,
    record: RunRecord,
    source: Source,
    picture: Picture,
    speed: Speed,
    paused: bool,
    /// Machine cycle up to which events are to be shown; nothing bounds it at [`Speed::Max`].
    target: f64,
    /// An event that lies beyond the target.
    pending: Option<Event>,
    /// Go on at once until this cycle, whatever the speed.
    jump: Option<u64>,
    stepped: Option<Event>,
    ended: Option<String>,
    damage: Vec<String>,
    log: FollowedLog,
    rates: Rates,
}

impl Player {
    /// Opens a folder.
    ///
    /// # Errors
    /// It has no `run.json`, or a file can't be read.
    pub fn open(dir: &Path, options: &Options) -> Result<Self, CaptureError> {
        let (source, record) = Source::open(dir, Instant::now())?;
        let window = options.window.unwrap_or_else(|| u64::from(record.machine.clock_hz));
        let goes_on = matches!(source, Source::Opening(_) | Source::Live(_));
        let speed = options.speed.unwrap_or(if goes_on { Speed::Max } else { Speed::Times(1.0) });
        Ok(Player {
            dir: dir.into(),
            window,
            picture: Picture::new(&record, window, options.span),
            span: options.span,
            runs: 0,
            record,
            source,
            speed,
            paused: false,
            target: 0.0,
            pending: None,
            jump: options.from,
            stepped: None,
            ended: None,
            damage: Vec::new(),
            log: FollowedLog::default(),
            rates: Rates::default(),
        })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What runs, as it is known now.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// What a page shows of it.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// How many runs the folder has had before this one since it was opened.
    pub fn number(&self) -> u64 {
        self.runs
    }

    /// Draws the last `span` cycles: where the newest is followed, from now on; otherwise, or if all
    /// of the run is to be drawn, the folder is read again.
    ///
    /// # Errors
    /// As [`Player::open`].
    pub fn draw(&mut self, span: u64) -> Result<(), CaptureError> {
        self.span = Some(span);
        if matches!(self.source, Source::Live(_)) && self.ended.is_none() && span != Rolling::ALL {
            self.picture.draw_last(&self.record, span);
            return Ok(());
        }
        self.reopen(self.options())?;
        self.hurry();
        Ok(())
    }

    /// Whether everything has been shown, and nothing more comes.
    pub fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether a place that was asked for has not been reached yet.
    pub fn is_jumping(&self) -> bool {
        self.jump.is_some() || matches!(self.source, Source::Checking(..) | Source::Opening(_))
    }

    pub fn pause(&mut self) {
        self.paused = !self.paused;
        self.stepped = None;
    }

    pub fn set_speed(&mut self, change: impl FnOnce(Speed) -> Speed) {
        self.speed = change(self.speed);
        self.target = self.picture.watch().now() as f64;
    }

    /// Goes on at once to the end, or to the newest.
    pub fn to_end(&mut self) {
        self.paused = false;
        match self.source {
            Source::Live(_) => self.speed = Speed::Max,
            _ => self.jump = Some(u64::MAX),
        }
    }

    /// For a single frame: goes on at once to what was asked for, else to the newest or to the end.
    pub fn hurry(&mut self) {
        if self.jump.is_none() {
            match self.source {
                Source::Live(_) | Source::Opening(_) => self.speed = Speed::Max,
                Source::Checking(..) | Source::Whole(..) => self.jump = Some(u64::MAX),
            }
        }
    }

    /// Plays it again from its start.
    ///
    /// # Errors
    /// As [`Player::open`].
    pub fn restart(&mut self) -> Result<(), CaptureError> {
        let speed = match self.speed {
            Speed::Max => Speed::Times(1.0),
            speed => speed,
        };
        self.reopen(Options { speed: Some(speed), from: None, ..self.options() })
    }

    fn reopen(&mut self, options: Options) -> Result<(), CaptureError> {
        *self = Player { paused: self.paused, runs: self.runs, ..Player::open(&self.dir, &options)? };
        Ok(())
    }

    /// What another run in the folder is shown with.
    fn options(&self) -> Options {
        Options { speed: None, window: Some(self.window), from: None, span: self.span }
    }

    /// Pauses behind the next event.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn step_event(&mut self) -> Result<(), CaptureError> {
        self.paused = true;
        self.look()?;
        match self.next()? {
            Next::Event(event) => {
                self.picture.take(&event);
                self.stepped = Some(event);
                self.target = self.picture.watch().now() as f64;
            }
            Next::Until(cycle) => self.arrive(cycle),
        }
        Ok(())
    }

    /// Pauses behind the next piece of the histories.
    pub fn step_piece(&mut self) {
        self.paused = true;
        self.stepped = None;
        self.jump = Some(self.picture.watch().now() + self.picture.watch().piece_cycles());
    }

    /// Takes the events of the time that passes, for at most `budget`; `true` if there are more now.
    ///
    /// # Errors
    /// A file can't be read, or the folder is gone.
    pub fn pass(&mut self, time: Duration, budget: Duration) -> Result<bool, CaptureError> {
        let begun = Instant::now();
        self.log.look(&self.dir, &self.record);
        if !self.look()? {
            return Ok(false);
        }
        let clock_hz = f64::from(self.record.machine.clock_hz);
        let limit = match (self.jump, self.speed) {
            (Some(cycle), _) => cycle,
            (None, _) if self.paused => return Ok(false),
            (None, Speed::Max) => u64::MAX,
            (None, Speed::Times(times)) => {
                self.target += time.as_secs_f64() * times * clock_hz;
                self.target as u64
            }
        };
        loop {
            match self.batch(limit)? {
                Some(reached) => {
                    self.arrive(reached.min(limit));
                    if self.jump.is_some_and(|jump| reached >= jump || self.ended.is_some()) {
                        self.jump = None;
                        self.target = self.picture.watch().now() as f64;
                    }
                    // Of a run that goes on time can't pass faster than there.
                    self.target = self.target.min(reached as f64);
                    self.note();
                    return Ok(false);
                }
                None if begun.elapsed() >= budget => {
                    self.note();
                    return Ok(true);
                }
                None => {}
            }
        }
    }

    /// Takes some events up to a cycle. Returns the cycle up to which there are no more.
    fn batch(&mut self, limit: u64) -> Result<Option<u64>, CaptureError> {
        for _ in 0..BATCH {
            match self.next()? {
                Next::Event(event) if event.is_certain() && self.picture.watch().cycle(&event) > limit => {
                    self.pending = Some(event);
                    return Ok(Some(limit));
                }
                Next::Event(event) => self.picture.take(&event),
                Next::Until(cycle) => return Ok(Some(cycle)),
            }
        }
        Ok(None)
    }

    /// All events up to this cycle have been taken.
    fn arrive(&mut self, cycle: u64) {
        if cycle != u64::MAX {
            self.picture.advance(cycle);
        }
    }

    fn next(&mut self) -> Result<Next, CaptureError> {
        if let Some(event) = self.pending.take() {
            return Ok(Next::Event(event));
        }
        let next = match &mut self.source {
            Source::Whole(ordered, _) => ordered.next().transpose()?,
            Source::Live(live) => loop {
                if let Some(event) = live.next_event() {
                    break Some(event);
                }
                if !live.read()? {
                    break live.next_event();
                }
            },
            Source::Opening(_) | Source::Checking(..) => return Ok(Next::Until(self.picture.watch().now())),
        };
        if let Some(event) = next {
            return Ok(Next::Event(event));
        }
        let tick = u64::from(self.record.machine.tick_cycles);
        if let Source::Live(live) = &self.source {
            self.damage = live.damage().iter().map(|damage| inside(&self.dir, damage)).collect();
            match live.ended() {
                None => return Ok(Next::Until(live.reached() * tick)),
                Some(Ended::Replaced) => {
                    self.follow_next()?;
                    return Ok(Next::Until(0));
                }
                Some(Ended::Unordered) => {
                    let from = Some(self.picture.watch().now());
                    self.reopen(Options { speed: Some(self.speed), from, ..self.options() })?;
                    return Ok(Next::Until(0));
                }
                Some(Ended::Complete(record)) => self.record = (**record).clone(),
                Some(Ended::Killed) => {}
            }
        }
        self.ended = Some(ending(&self.record));
        let end = if self.record.complete { self.record.cycles } else { self.picture.watch().now() };
        Ok(Next::Until(end.max(self.picture.watch().now())))
    }

    /// The source is brought as far as it can be; `false` if there are no events to be had yet.
    fn look(&mut self) -> Result<bool, CaptureError> {
        match &mut self.source {
            Source::Opening(since) => {
                let since = *since;
                (self.source, self.record) = Source::open(&self.dir, since)?;
                Ok(matches!(self.source, Source::Live(_)))
            }
            Source::Checking(answer, _) => {
                let integrity = match answer.try_recv() {
                    Ok(integrity) => integrity?,
                    Err(TryRecvError::Empty) => return Ok(false),
                    Err(TryRecvError::Disconnected) => Integrity::default(),
                };
                self.damage = integrity.torn.iter().map(|torn| inside(&self.dir, torn)).collect();
                self.damage.extend(integrity.damage.iter().map(|damage| inside(&self.dir, damage)));
                let capture = Capture::of_run(&self.dir, self.record.clone());
                let ordered = events(&capture, &integrity)?;
                // The folder is watched from before it was verified.
                if let Source::Checking(_, holder) =
                    std::mem::replace(&mut self.source, Source::Opening(Instant::now()))
                {
                    self.source = Source::Whole(ordered, holder);
                }
                Ok(true)
            }
            Source::Whole(_, holder) => {
                if holder.as_ref().is_some_and(Holder::is_replaced) {
                    self.follow_next()?;
                    return Ok(false);
                }
                Ok(true)
            }
            Source::Live(_) => Ok(true),
        }
    }

    /// Another run has begun to write to the folder: it is followed.
    fn follow_next(&mut self) -> Result<(), CaptureError> {
        *self = Player { runs: self.runs + 1, ..Player::open(&self.dir, &self.options())? };
        Ok(())
    }

    fn note(&mut self) {
        let watch = self.picture.watch();
        self.rates.note(Instant::now(), watch.now(), watch.events());
    }

    /// Fills in all that a frame shows of the run.
    pub fn show(&self, screen: &mut Screen) {
        screen.view = self.picture.watch().view();
        screen.mode = self.mode();
        screen.speed = self.speed;
        let rates = self.rates.per_second();
        let is_live = matches!(self.source, Source::Live(_)) && self.ended.is_none();
        screen.engine_rate = match self.record.complete && self.record.wall_seconds > 0.0 {
            true => Some(self.record.cycles as f64 / self.record.wall_seconds),
            false => rates.map(|(cycles, _)| cycles).filter(|_| is_live && screen.mode == Mode::Live),
        };
        screen.read_rate = rates.map(|(_, events)| events).filter(|_| !self.paused && self.ended.is_none());
        screen.waiting = match &self.source {
            Source::Live(live) if self.ended.is_none() => match live.waiting() {
                (0, _) | (_, None) => None,
                (count, Some(smi)) => {
                    Some((count, self.record.machine.processors.get(smi).cloned().unwrap_or_default()))
                }
            },
            _ => None,
        };
        screen.damage.clone_from(&self.damage);
        screen.requests = self.log.requests(&self.record, self.picture.watch().now());
        screen.last_event = self.stepped.map(|event| spelled(&event, &self.record));
        screen.record = Some(self.record.clone());
    }

    fn mode(&self) -> Mode {
        match (&self.source, &self.ended) {
            (Source::Opening(_), _) => Mode::Starting("the run has begun".into()),
            (Source::Checking(..), _) => Mode::Checking,
            (_, Some(ended)) => Mode::Ended(ended.clone()),
            _ if self.paused => Mode::Paused,
            (Source::Live(_), _) if self.speed == Speed::Max => Mode::Live,
            _ => Mode::Playing,
        }
    }
}
