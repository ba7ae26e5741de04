//! How a client paces a part, how long it waits, and why it may not come to an end.

use std::time::Duration;

use crate::body::Series;

/// How often something that has no answer is sent again, and how far apart.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    pub tries: u32,
    pub pause: Duration,
    /// How long stragglers are waited for if no round trip is known, and at least and at most else.
    pub tail: (Duration, Duration),
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            tries: 20,
            pause: Duration::from_millis(250),
            tail: (Duration::from_millis(300), Duration::from_secs(3)),
        }
    }
}

/// A part as the client sends it.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub series: Series,
    /// From one probe to the next.
    pub interval: Duration,
    /// From one train to the next.
    pub train_interval: Duration,
    pub patience: Patience,
}

/// Why a part has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nobody answered.
    #[error("nobody answers")]
    Silent,
    #[error("the server has as many sessions as it takes")]
    Busy,
    #[error("the server answered at first, and then said nothing of what had arrived")]
    NoReport,
}
