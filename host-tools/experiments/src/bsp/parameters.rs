//! The parameters of the BSP model, from measurements.
//!
//! With h words a process, in messages of one word, a superstep takes `g h + l`; both are the line
//! through the measured relations, as bspbench has it (Bisseling, "Parallel Scientific Computation",
//! section 1.5). In long messages it takes `g_long h + l`, and where messages have k words `g(k) =
//! g_long (1 + n_half / k)` (Hockney's half-performance length).

use serde::{Deserialize, Serialize};
use testbed_definitions::packet::PAYLOAD_WORDS_MAX;
use testbed_machine::Machine;

use super::lines::Line;
use crate::fit::line as fit;
use crate::model::Fit;

/// Words of relations from which on the line is taken: below, what packets cost rules.
const LEAST_WORDS: u32 = 32;
/// Words of long messages.
const LEAST_LONG: u32 = 512;

/// How words can go from one process to another.
pub const WAYS: [&str; 4] = ["put", "hpput", "get", "hpget"];
/// What the program `exchange` calls its way.
const CHANNELS: &str = "channels";
/// Kinds of numbers.
pub const KINDS: [&str; 3] = ["u32", "f32", "f64"];

/// What a superstep costs for one number of processes, in machine cycles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parameters {
    pub machine: String,
    pub clock_hz: u32,
    pub processes: u32,
    pub slaves: u32,
    /// Operations a second, by kind of number.
    pub speed: Vec<(String, f64)>,
    /// Cycles of a superstep in which nothing is done.
    pub barrier: u32,
    pub ways: Vec<Way>,
    /// The same long messages by channels, without a barrier; not with several processes on a
    /// processor.
    pub channels: Option<Fit>,
    /// Cycles a word that the bus alone takes for long messages when every process sends as much to
    /// the others.
    pub bus: f64,
}

/// What the transfer of words costs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Way {
    pub name: String,
    /// Messages of one word: slope g, intercept l.
    pub short: Fit,
    /// Long messages.
    pub long: Fit,
    /// Words of a message that takes twice as long a word as the longest.
    pub half: f64,
}

/// Words of payload and cycles of a packet on the bus (`docs/centrenet.md`).
fn bus_cycles_a_word() -> f64 {
    /// From one packet's header to the next one's, besides its words.
    const BETWEEN: f64 = 6.0;
    let words = PAYLOAD_WORDS_MAX as f64;
    (words + BETWEEN) / words
}

impl Parameters {
    /// What the measurements of a run say; `None` if some are missing.
    pub fn of(lines: &[Line], machine: &Machine) -> Option<Parameters> {
        let speed = |kind: &str| {
            let of_kind = lines.iter().find_map(|line| match line {
                Line::Operations { kind: name, count, cycles } if name == kind => Some((*count, *cycles)),
                _ => None,
            });
            let (count, cycles) = of_kind.filter(|(_, cycles)| *cycles != 0)?;
            Some((kind.to_string(), f64::from(count) * f64::from(machine.clock_hz) / f64::from(cycles)))
        };
        let (processes, barrier) = lines.iter().find_map(|line| match line {
            Line::Barrier { processes, cycles } => Some((*processes, *cycles)),
            _ => None,
        })?;
        let ways = if processes == 1 { Some(vec![]) } else { WAYS.iter().map(|way| Way::of(way, lines)).collect() };
        let slaves = (machine.processors.len() as u32 - 1).max(1);
        // Processes on one processor need no bus.
        let elsewhere = f64::from(processes - processes.div_ceil(slaves)) / f64::from((processes - 1).max(1));
        Some(Parameters {
            machine: machine.name.clone(),
            clock_hz: machine.clock_hz,
            processes,
            slaves,
            speed: KINDS.iter().map(|kind| speed(kind)).collect::<Option<_>>()?,
            barrier,
            ways: ways?,
            channels: fit(CHANNELS, &long(&relations(lines, CHANNELS))),
            bus: bus_cycles_a_word() * f64::from(processes) * elsewhere,
        })
    }

    /// A way by its name.
    pub fn way(&self, name: &str) -> Option<&Way> {
        self.ways.iter().find(|way| way.name == name)
    }
}

/// A measured relation: words, words of a message, cycles.
type Relation = (u32, u32, u32);

fn relations(lines: &[Line], wanted: &str) -> Vec<Relation> {
    let of_way = lines.iter().filter_map(|line| match line {
        Line::Relation { way, words, size, cycles, .. } if way == wanted => Some((*words, *size, *cycles)),
        _ => None,
    });
    of_way.collect()
}

/// Cycles over words, of the relations that are wanted by words and by words of a message.
fn points(relations: &[Relation], wanted: impl Fn(u32, u32) -> bool) -> Vec<(f64, f64)> {
    let chosen = relations.iter().filter(|(words, size, _)| wanted(*words, *size));
    chosen.map(|(words, _, cycles)| (f64::from(*words), f64::from(*cycles))).collect()
}

/// Those in one long message.
fn long(relations: &[Relation]) -> Vec<(f64, f64)> {
    points(relations, |words, size| size == words && words >= LEAST_LONG)
}

impl Way {
    fn of(name: &str, lines: &[Line]) -> Option<Way> {
        let all = relations(lines, name);
        let short = fit(name, &points(&all, |words, size| size == 1 && words >= LEAST_WORDS))?;
        let long = fit(name, &long(&all))?;
        // g(k) over 1 / k, at the largest relation of short messages.
        let largest = all.iter().filter(|(words, size, _)| size < words).map(|(words, ..)| *words).max()?;
        let of_size = all.iter().filter(|(words, _, _)| *words == largest);
        let rates: Vec<(f64, f64)> = of_size
            .map(|(words, size, cycles)| {
                (1.0 / f64::from(*size), (f64::from(*cycles) - long.intercept) / f64::from(*words))
            })
            .collect();
        let half = fit(name, &rates)?.slope / long.slope;
        Some(Way { name: name.into(), short, long, half })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measurements of a machine that is the model.
    fn measured(g: f64, long: f64, l: f64) -> Vec<Line> {
        let mut lines = vec![Line::Barrier { processes: 5, cycles: 4_000 }];
        lines.extend(KINDS.map(|kind| Line::Operations { kind: kind.into(), count: 1_000, cycles: 50_000 }));
        for way in WAYS {
            for power in 0..13 {
                let words = 1 << power;
                let mut add = |size: u32| {
                    let a_word = long + (g - long) / f64::from(size);
                    let cycles = (l + a_word * f64::from(words)).round() as u32;
                    lines.push(Line::Relation { way: way.into(), processes: 5, words, size, cycles });
                };
                if words <= 1_024 {
                    add(1);
                }
                if words > 1 {
                    add(words);
                }
                if words == 1_024 {
                    (1..10).for_each(|size| add(1 << size));
                }
            }
        }
        lines
    }

    #[test]
    fn a_machine_that_is_the_model_has_its_parameters() {
        let found = Parameters::of(&measured(500.0, 20.0, 9_000.0), &Machine::testbed6()).unwrap();
        assert_eq!((found.processes, found.barrier, found.slaves), (5, 4_000, 5));
        assert_eq!(found.speed[2], ("f64".into(), 500_000.0));
        let way = found.way("hpput").unwrap();
        let near = |value: f64, wanted: f64| assert!((value / wanted - 1.0).abs() < 0.03, "{value}, not {wanted}");
        near(way.short.slope, 500.0);
        near(way.short.intercept, 9_000.0);
        near(way.long.slope, 20.0);
        near(way.half, 24.0);
        near(found.bus, 5.0 * 516.0 / 510.0);
        assert!(found.channels.is_none());
    }

    #[test]
    fn channels_are_measured_where_they_are() {
        let mut lines = measured(500.0, 20.0, 9_000.0);
        lines.extend([512, 1_024, 2_048].map(|words| Line::Relation {
            way: CHANNELS.into(),
            processes: 5,
            words,
            size: words,
            cycles: 100 + 14 * words,
        }));
        let channels = Parameters::of(&lines, &Machine::testbed6()).unwrap().channels.unwrap();
        assert!((channels.slope - 14.0).abs() < 1e-9 && (channels.intercept - 100.0).abs() < 1e-6);
    }

    #[test]
    fn what_is_missing_is_noticed() {
        let mut lines = measured(500.0, 20.0, 9_000.0);
        lines.retain(|line| !matches!(line, Line::Relation { way, .. } if way == "get"));
        assert!(Parameters::of(&lines, &Machine::testbed6()).is_none());
        assert!(Parameters::of(&[], &Machine::testbed6()).is_none());
    }
}
