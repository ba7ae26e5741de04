//! All that a frame shows.

use testbed_trace::balance::Counts;
use testbed_trace::capture::RunRecord;
use testbed_trace::watch::View;

use super::keys::Ui;

/// How fast machine time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// So many times as fast as on the machine.
    Times(f64),
    /// As fast as events can be read; of a run that goes on, its newest.
    Max,
}

impl Speed {
    /// The slowest and the fastest that keys choose, but for [`Speed::Max`].
    const LEAST: f64 = 1.0 / 1024.0;
    const MOST: f64 = 1024.0;

    /// Twice as fast.
    pub fn faster(self) -> Self {
        match self {
            Speed::Times(times) if times < Self::MOST => Speed::Times(times * 2.0),
            _ => Speed::Max,
        }
    }

    /// Half as fast.
    pub fn slower(self) -> Self {
        match self {
            Speed::Times(times) => Speed::Times((times / 2.0).max(Self::LEAST)),
            Speed::Max => Speed::Times(Self::MOST),
        }
    }
}

impl std::str::FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let times = text.strip_suffix('x').unwrap_or(text).parse::<f64>();
        match (text, times) {
            ("max", _) => Ok(Speed::Max),
            (_, Ok(times)) if times.is_finite() && times > 0.0 => Ok(Speed::Times(times)),
            _ => Err(format!("`{text}` is no speed; write how many times as fast as the machine, as in 0.5, or max")),
        }
    }
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match *self {
            Speed::Max => f.write_str("max"),
            Speed::Times(times) if times < 1.0 && (1.0 / times).fract() == 0.0 => write!(f, "1/{}x", 1.0 / times),
            Speed::Times(times) => write!(f, "{times}x"),
        }
    }
}

/// What is going on.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// The run is being started; the last thing that it said.
    Starting(String),
    /// The capture is compared with its second copy.
    Checking,
    /// The run goes on, and its newest is shown.
    Live,
    /// The run goes on, or is over; machine time passes at the speed that was chosen.
    Playing,
    Paused,
    /// All has been shown: how the run ended.
    Ended(String),
}

/// What is known of requests until the moment that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requests {
    /// The balancer's log has not come out of the machine yet.
    NoLog,
    /// The log can't be read.
    Unreadable(String),
    Known(Counts),
}

/// A frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    /// What runs; nothing before it has begun.
    pub record: Option<RunRecord>,
    pub view: View,
    pub mode: Mode,
    pub speed: Speed,
    /// Machine cycles per second, as the run goes on or has gone on.
    pub engine_rate: Option<f64>,
    /// Events read per second of our own time.
    pub read_rate: Option<f64>,
    /// Events that have come and wait for others before their order is proven, and for whose.
    pub waiting: Option<(usize, String)>,
    /// Where the capture is not what was written.
    pub damage: Vec<String>,
    /// What the balancer's log tells; `None` of a run without balancer.
    pub requests: Option<Requests>,
    /// The last event, in words, if events are stepped through.
    pub last_event: Option<String>,
    /// The last lines of the console.
    pub console: Vec<String>,
    pub ui: Ui,
    /// Whether colours may be used.
    pub colours: bool,
}

impl Screen {
    /// Before anything has begun.
    pub fn new(mode: Mode) -> Self {
        Screen {
            record: None,
            view: View::default(),
            mode,
            speed: Speed::Max,
            engine_rate: None,
            read_rate: None,
            waiting: None,
            damage: Vec::new(),
            requests: None,
            last_event: None,
            console: Vec::new(),
            ui: Ui::default(),
            colours: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_read_and_shown() {
        let shown = |text: &str| text.parse::<Speed>().map(|speed| speed.to_string());
        assert_eq!(shown("1"), Ok("1x".into()));
        assert_eq!(shown("0.25"), Ok("1/4x".into()));
        assert_eq!(shown("2.5x"), Ok("2.5x".into()));
        assert_eq!(shown("max"), Ok("max".into()));
        for wrong in ["0", "-1", "inf", "fast", ""] {
            assert!(shown(wrong).is_err_and(|error| error.contains("no speed")), "{wrong}");
        }
    }

    #[test]
    fn speeds_double_and_halve_between_bounds() {
        assert_eq!(Speed::Times(1.0).faster().slower(), Speed::Times(1.0));
        assert_eq!(Speed::Times(1024.0).faster(), Speed::Max);
        assert_eq!(Speed::Max.slower(), Speed::Times(1024.0));
        assert_eq!(Speed::Times(1.0 / 1024.0).slower(), Speed::Times(1.0 / 1024.0));
    }
}
