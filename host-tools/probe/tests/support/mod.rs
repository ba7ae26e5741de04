//! A network of our own, whose truth is known: paths that lose, delay, duplicate and reorder by
//! seed, and a client and a server that talk over them in simulated time.

pub mod path;
pub mod simulated;

use testbed_probe::body::Series;
use testbed_probe::client::settings::{Part, Patience};
use testbed_probe::key::Key;

use std::time::Duration;

pub fn key() -> Key {
    Key::of_token("a token of the tests, long enough").unwrap()
}

pub fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A part with probes a millisecond apart.
pub fn part(bytes: u16, probes: u16, trains: u8) -> Part {
    let series = Series { bytes, probes, trains, train_packets: 16 };
    Part { series, interval: ms(1), train_interval: ms(100), patience: Patience::default() }
}
