//! What a run of `logger` with `overflow` shows: at which rate pairs came, what was lost, and
//! whether what was lost was counted. The report's section 3.3.7.

use std::collections::BTreeMap;
use std::fs;

use nom::bytes::complete::{tag, take_until};
use nom::character::complete::{hex_digit1, multispace0, u64};
use nom::combinator::{eof, map_res};
use nom::sequence::{delimited, preceded, terminated};
use nom::Parser;
use testbed_definitions::event::USER;
use testbed_kernel_core::hash::{mixed, EMPTY};

use testbed_trace::capture::{verify, Capture, CaptureError, CONSOLE};
use testbed_trace::order::{events, What};

/// Pairs of words that an event of `overflow` is: its code and its datum.
pub const PAIRS_AN_EVENT: u64 = 2;
/// Pairs a second, from all slaves, that the report's logger sustained (33,900 in 30,012 ms).
pub const REPORT_LOGGED: f64 = 1_129.0;
/// Pairs a second from one SMI that the report's MMI collects: one each 36 us.
pub const REPORT_COLLECTED: f64 = 1e6 / 36.0;

/// Markers that may have come before the logger began, at most: one each wrap of the clock.
const BEFORE: usize = 1_024;

/// Why a run doesn't tell.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error("{}: {source}", path.display())]
    Io { path: std::path::PathBuf, source: std::io::Error },
    #[error("{processor} lost {lost} words, but its gap markers tell of {marked}\n  help: this is a fault of the machine; the run is in {}", folder.display())]
    Uncounted { processor: String, lost: u64, marked: u64, folder: std::path::PathBuf },
    #[error("what the logger had of {processor} ({pairs} pairs) is not what the trace port showed\n  help: this is a fault of the machine; the run is in {}", folder.display())]
    OtherWords { processor: String, pairs: u64, folder: std::path::PathBuf },
    #[error("the run in {} did not come to its end\n  help: look at its console.txt", .0.display())]
    Unfinished(std::path::PathBuf),
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Trial {
    /// Microseconds that `overflow` computes between two events.
    pub interval_us: u32,
    /// Pairs a second of one slave, on average, while all emit.
    pub per_slave: f64,
    /// Pairs a second of all slaves together.
    pub in_all: f64,
    /// Words that the monitors discarded, by their counters; gap markers tell of as many.
    pub lost: u64,
    /// Events that did not get through whole, as `overflow` was told.
    pub refused: u64,
    /// Pairs that the logger had; 0 without it. If it missed none they are those of the port, in its order.
    pub logged: u64,
    /// Pairs that it missed, by the MMI's counter; the port had them too.
    pub missed: u64,
}

impl Trial {
    /// Whether everything got through.
    pub fn is_free(&self) -> bool {
        self.lost == 0 && self.refused == 0
    }

    /// Reads a finished run. The gap markers must tell what the counters lost, and the logger's
    /// words must be those of the port.
    ///
    /// # Errors
    /// They are not, or the run can't be read or has not come to its end.
    pub fn read(capture: &Capture, interval_us: u32) -> Result<Self, TrialError> {
        let folder = || capture.dir.clone();
        let ledger = capture.record.ledger.as_ref().ok_or_else(|| TrialError::Unfinished(folder()))?;
        if capture.record.exits.first().is_none_or(|exit| exit.code != 0) {
            return Err(TrialError::Unfinished(folder()));
        }
        let mut marked = vec![0; ledger.smis.len() + 1];
        // Ticks of the first and the last event, and how many.
        let mut emitted: BTreeMap<u8, (u64, u64, u64)> = BTreeMap::new();
        for event in events(capture, &verify(capture)?)? {
            let event = event?;
            match event.what {
                What::Gap(count) => marked[usize::from(event.smi)] += u64::from(count.unwrap_or(0)),
                What::Known(kind) if kind.code == USER => {
                    let seen = emitted.entry(event.smi).or_insert((event.ticks(), 0, 0));
                    (seen.1, seen.2) = (event.ticks(), seen.2 + 1);
                }
                _ => {}
            }
        }
        for (line, &marked) in ledger.smis.iter().zip(&marked[1..]) {
            let lost = u64::from(line.dropped);
            if lost != marked {
                return Err(TrialError::Uncounted {
                    processor: line.processor.clone(),
                    lost,
                    marked,
                    folder: folder(),
                });
            }
        }
        let console = capture.dir.join(CONSOLE);
        let console = fs::read(&console).map_err(|source| TrialError::Io { path: console, source })?;
        let console = String::from_utf8_lossy(&console);
        let (logged, missed) = logged(capture, &console)?;
        let second = f64::from(capture.record.machine.clock_hz) / f64::from(capture.record.machine.tick_cycles);
        let rate = |&(first, last, count): &(u64, u64, u64)| {
            (PAIRS_AN_EVENT * (count - 1)) as f64 * second / (last - first).max(1) as f64
        };
        let in_all: f64 = emitted.values().map(rate).sum();
        Ok(Trial {
            interval_us,
            per_slave: in_all / emitted.len().max(1) as f64,
            in_all,
            lost: marked.iter().sum(),
            refused: console.lines().filter_map(refused_line).sum(),
            logged,
            missed,
        })
    }
}

/// Pairs that the logger had and missed. Those of a processor are the same as at the trace port, or
/// with the missed ones as many.
fn logged(capture: &Capture, console: &str) -> Result<(u64, u64), TrialError> {
    let read = |path: std::path::PathBuf| fs::read(&path).map_err(|source| TrialError::Io { path, source });
    let missed = console.lines().find_map(missed_line);
    let (mut sum, mut shown) = (0, 0);
    for (smi, pairs, hash) in console.lines().filter_map(log_line) {
        let stream = read(capture.stream_path(smi))?;
        let words: Vec<u16> = stream.chunks_exact(2).map(|half| u16::from_le_bytes([half[0], half[1]])).collect();
        let length = 2 * pairs as usize;
        // It begins when it is ready; markers may have come before.
        let is_there = || {
            let mut parts = words.windows(length.max(1)).step_by(2).take(BEFORE);
            parts.any(|part| part.iter().fold(EMPTY, |hash, half| mixed(hash, *half)) == hash)
        };
        if missed.is_none() && !is_there() {
            return Err(other_words(capture, &capture.record.machine.processors[smi], pairs));
        }
        (sum, shown) = (sum + pairs, shown + words.len() as u64 / 2);
    }
    let missed = missed.unwrap_or(0);
    if sum > 0 && !(shown.saturating_sub(BEFORE as u64)..=shown).contains(&(sum + missed)) {
        return Err(other_words(capture, "all slaves", sum + missed));
    }
    Ok((sum, missed))
}

fn other_words(capture: &Capture, processor: &str, pairs: u64) -> TrialError {
    TrialError::OtherWords { processor: processor.into(), pairs, folder: capture.dir.clone() }
}

/// What `found` reads behind these words in a line; a processor's name may stand before them.
fn behind<'a, T>(
    line: &'a str,
    words: &'static str,
    found: impl Parser<&'a str, Output = T, Error = nom::error::Error<&'a str>>,
) -> Option<T> {
    let (_, value) = preceded((take_until(words), tag(words)), found).parse(line).ok()?;
    Some(value)
}

/// The last number in a line such as `overflow: 727 events in 200 ms, 12207 refused`.
fn refused_line(line: &str) -> Option<u64> {
    let before = (u64, tag(" events in "), u64, tag(" ms, "));
    behind(line, "overflow: ", delimited(before, u64, (tag(" refused"), eof)))
}

/// The number in a line such as `logger: missed 17 pairs`.
fn missed_line(line: &str) -> Option<u64> {
    behind(line, "logger: missed ", terminated(u64, tag(" pairs")))
}

/// SMI, pairs and hash of a line such as `logger: slave 1: 3273 pairs, hash 5a503e21`.
fn log_line(line: &str) -> Option<(usize, u64, u32)> {
    let smi = map_res(terminated(u64, tag(": ")), usize::try_from);
    let hash = map_res(terminated(hex_digit1, (multispace0, eof)), |digits| u32::from_str_radix(digits, 16));
    behind(line, "logger: slave ", (smi, terminated(u64, tag(" pairs, hash ")), hash))
}

/// The smallest interval, in us, with which nothing is lost, and what the run with it showed, if
/// there is one up to `most`. `trial` makes the run with an interval; intervals beside the result
/// have been tried.
///
/// # Errors
/// Those of `trial`.
pub fn search<E>(most: u32, mut trial: impl FnMut(u32) -> Result<Trial, E>) -> Result<Option<Trial>, E> {
    // With nothing between events it may never lose any; otherwise `lossy` loses and `free` doesn't.
    let first = trial(0)?;
    if first.is_free() {
        return Ok(Some(first));
    }
    let (mut lossy, mut free) = (0, None::<Trial>);
    let mut next = 1;
    while free.as_ref().is_none_or(|free| free.interval_us > lossy + 1) {
        if next > most {
            return Ok(None);
        }
        let found = trial(next)?;
        match found.is_free() {
            true => free = Some(found),
            false => lossy = next,
        }
        next = free.as_ref().map_or(2 * next, |free| (lossy + free.interval_us) / 2);
    }
    Ok(free)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(interval_us: u32, threshold: u32) -> Trial {
        Trial { interval_us, lost: u64::from(interval_us < threshold), ..Trial::default() }
    }

    #[test]
    fn the_smallest_interval_without_loss_is_found() {
        for threshold in 0..200 {
            let mut tried = Vec::new();
            let found = search(256, |interval| {
                tried.push(interval);
                Ok::<_, ()>(trial(interval, threshold))
            });
            assert_eq!(found.unwrap().unwrap().interval_us, threshold);
            assert!(threshold == 0 || tried.contains(&(threshold - 1)), "{threshold}: {tried:?}");
            assert!(tried.len() <= 18, "{threshold}: {tried:?}");
        }
        assert_eq!(search(100, |interval| Ok::<_, ()>(trial(interval, 101))).unwrap(), None);
        assert_eq!(search(100, |_| Err::<Trial, _>("no")), Err("no"));
    }

    #[test]
    fn the_loggers_lines_are_read() {
        let line = "master: logger: slave 3: 17 pairs, hash 964dbbfd";
        assert_eq!(log_line(line), Some((3, 17, 0x964d_bbfd)));
        assert_eq!(missed_line("master: logger: missed 3456 pairs"), Some(3_456));
        assert_eq!(refused_line("earth: overflow: 727 events in 200 ms, 12207 refused"), Some(12_207));
        assert_eq!(refused_line("earth: send event fails: monitoring bus full"), None);
        assert_eq!((missed_line(line), log_line("master: logger: missed 3456 pairs")), (None, None));
        for other in [
            "earth: overflow: 3 events in 200 ms, 0 refused",
            "logger: slave x: 1 pairs, hash 0",
            "logger: thread id in use",
        ] {
            assert_eq!(log_line(other), None);
        }
    }
}
