//! Measuring: how much of something is done in a second, by several that take turns.

use std::time::{Duration, Instant};

use testbed_definitions::event;
use testbed_machine::Machine;
use testbed_runner::engines;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::load::Boot;

use super::row::{median, Row};

/// Each is measured so often, all in turn; the median counts.
pub const ROUNDS: usize = 3;
/// Cycles in which all six processors have started.
pub const START_CYCLES: u64 = 2_000_000;

/// Something that can be measured again and again: a rate, or why there is none.
pub type Subject<'a> = (String, Box<dyn FnMut() -> Result<f64, String> + 'a>);

/// How long a measurement takes, as the command line has it.
///
/// # Errors
/// It is no number of seconds from a hundredth to an hour.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.01..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "write a number of seconds from 0.01 to 3600, such as 2 or 0.5".into())
}

/// What an engine has done so far, to be compared with later.
pub type Counter = fn(&dyn Engine) -> u64;

pub fn cycles(engine: &dyn Engine) -> u64 {
    engine.cycle()
}

pub fn instructions(engine: &dyn Engine) -> u64 {
    (0..engine.machine().processors.len()).map(|processor| engine.instructions(processor)).sum()
}

pub fn boot() -> Boot {
    Boot { options: 0, dgl: event::DIAG_DEFAULT, seed: 1, start_processor: 1, ..Boot::default() }
}

pub fn open(name: &str, machine: &Machine, image: &Image, start: u64) -> Result<Box<dyn Engine>, String> {
    let mut engine = engines::open(name, machine, image, None).map_err(|error| error.to_string())?;
    engine.run_until(start).map_err(|error| error.to_string())?;
    Ok(engine)
}

/// How much is counted in a second. Runs on for about `seconds`, in growing steps so that slow
/// engines end in time and fast ones are not asked too often.
pub fn per_second(engine: &mut dyn Engine, counter: Counter, seconds: f64) -> Result<f64, String> {
    let (from, started) = (counter(engine), Instant::now());
    let mut step = 256;
    while started.elapsed() < Duration::from_secs_f64(seconds) {
        let before = Instant::now();
        engine.run_until(engine.cycle() + step).map_err(|error| error.to_string())?;
        engine.take_trace();
        engine.take_console();
        if before.elapsed() < Duration::from_secs_f64(seconds / 50.0) {
            step *= 2;
        }
    }
    Ok((counter(engine) - from) as f64 / started.elapsed().as_secs_f64())
}

/// Measures all subjects in turn, round by round; rows with ratios to the one called `peer`, if there is one.
pub fn measure(
    group: &'static str,
    unit: &'static str,
    peer: Option<&'static str>,
    mut subjects: Vec<Subject>,
) -> Vec<Row> {
    let mut rates = vec![Vec::new(); subjects.len()];
    let mut notes = vec![String::new(); subjects.len()];
    for _ in 0..ROUNDS {
        for (number, (_, rate)) in subjects.iter_mut().enumerate() {
            match rate() {
                Ok(rate) => rates[number].push(rate),
                Err(error) => notes[number] = error.lines().next().unwrap_or_default().into(),
            }
        }
    }
    let medians: Vec<_> = rates.into_iter().map(median).collect();
    let unity = subjects
        .iter()
        .zip(&medians)
        .find_map(|((name, _), rate)| if Some(name.as_str()) == peer { *rate } else { None });
    let rows = subjects.iter().zip(medians).zip(notes).map(|(((name, _), rate), note)| {
        let ratio = rate.zip(unity).map(|(rate, unity)| rate / unity);
        Row { group, name: name.clone(), unit, rate, ratio, peer, note }
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::super::row::{noted, table};
    use super::*;

    fn fixed(rate: Result<f64, &'static str>) -> Box<dyn FnMut() -> Result<f64, String>> {
        Box::new(move || rate.map_err(String::from))
    }

    #[test]
    fn ratios_are_to_the_named_peer_wherever_it_stands() {
        let subjects = vec![("a".into(), fixed(Ok(50.0))), ("b".into(), fixed(Ok(10.0))), ("c".into(), fixed(Ok(1.0)))];
        let rows = measure("group", "cycles/s", Some("b"), subjects);
        assert_eq!(rows.iter().map(|row| row.ratio).collect::<Vec<_>>(), [Some(5.0), Some(1.0), Some(0.1)]);
        assert!(table(&rows).starts_with("group (x: times the rate of b)\n"), "{}", table(&rows));
    }

    #[test]
    fn without_the_peer_there_are_rates_but_no_ratios() {
        let subjects = || vec![("a".into(), fixed(Ok(50.0))), ("b".into(), fixed(Err("b: gone\nmore")))];
        for peer in [Some("b"), None] {
            let rows = noted(measure("group", "cycles/s", peer, subjects()), "explained");
            assert_eq!((rows[0].rate, rows[0].ratio, rows[0].note.as_str()), (Some(50.0), None, "explained"));
            assert_eq!((rows[1].rate, rows[1].ratio), (None, None));
            assert!(table(&rows).contains("not measured: b: gone\n"), "{}", table(&rows));
        }
    }

    #[test]
    fn the_middle_of_the_rates_counts() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn rates_are_scaled_with_and_without_a_peer() {
        for unit in ["cycles/s", "events/s"] {
            for peer in [Some("a"), None] {
                let rows = measure("group", unit, peer, vec![("a".into(), fixed(Ok(6_173_545.3)))]);
                assert!(table(&rows).contains(&format!("6.17 M{unit}")), "{}", table(&rows));
            }
        }
    }

    #[test]
    fn no_measurement_takes_no_time_or_for_ever() {
        assert_eq!((seconds("2"), seconds("0.5")), (Ok(2.0), Ok(0.5)));
        for wrong in ["0", "-1", "nan", "inf", "1e9", "2s", ""] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
