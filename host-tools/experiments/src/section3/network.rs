//! Figures 18 and 23: which threads talk to which, and where events pass.

use std::collections::BTreeMap;

use testbed_trace::analysis::protocol::Protocol;
use testbed_trace::ledger::{Ledger, SmiLine};

use crate::model::{Channel, Network, Station};
use crate::observed::{id_of, process_of, Observed};
use crate::plot::number::count;

/// Threads of the measured program and the channels over which they have communicated, from the trace alone.
pub fn network(observed: &Observed) -> Network {
    let process = observed.subject().process;
    let mut counts: BTreeMap<(u8, u16, u16, bool), u64> = BTreeMap::new();
    let mut places: BTreeMap<u16, usize> = BTreeMap::new();
    for episode in &observed.episodes {
        let (from, to) = episode.threads;
        let remote = match episode.protocol {
            Protocol::Local => false,
            Protocol::Remote => true,
            _ => continue,
        };
        let (Some(channel), Some(last)) = (episode.channel, episode.stages.last()) else { continue };
        if process_of(from) != process || process_of(to) != process {
            continue;
        }
        *counts.entry((channel, from, to, remote)).or_default() += 1;
        // The last stage of all is on the receiver's processor; that of its own request or answer on the sender's.
        places.insert(to, last.processor.into());
        let sender =
            episode.stages.iter().find(|stage| !stage.phase.awaits()).map_or(last.processor, |one| one.processor);
        places.insert(from, sender.into());
    }
    let numbers: Vec<u16> = places.keys().copied().collect();
    let place = |thread: u16| numbers.binary_search(&thread).unwrap_or(0);
    Network {
        processors: observed.record.machine.processors.clone(),
        threads: places.iter().map(|(thread, processor)| (id_of(*thread).to_string(), *processor)).collect(),
        channels: counts
            .iter()
            .map(|(&(number, from, to, remote), &count)| Channel {
                number,
                from: place(from),
                to: place(to),
                count,
                remote,
            })
            .collect(),
    }
}

/// Where the events of a run passed, by the monitors' own counters.
pub fn pathway(observed: &Observed, ledger: &Ledger, logger: Option<f64>) -> Vec<Station> {
    let seconds = observed.record.cycles as f64 / f64::from(observed.record.machine.clock_hz);
    let machine = &observed.record.machine;
    let sum = |of: fn(&SmiLine) -> u32| ledger.smis.iter().map(|smi| u64::from(of(smi))).sum::<u64>();
    let station =
        |name: &str, figures: String, report: &str| Station { name: name.into(), figures, report: report.into() };
    let port = f64::from(machine.clock_hz) / f64::from(machine.poll_cycles);
    vec![
        station(
            "kernels of the slaves",
            format!("{} stores in {seconds:.1} s", count(sum(|smi| smi.emitted))),
            "18,000 events a second and slave at most (1.5 % of 1.2 MIPS)",
        ),
        station(
            "SMI of each slave",
            format!(
                "{} pairs queued at most, {} discarded",
                count(machine.smi_queue.into()),
                count(sum(|smi| smi.dropped))
            ),
            "1,024 pairs queued; one event every 2 cycles",
        ),
        station(
            "MMI",
            format!(
                "{} pairs collected, wrap markers included; {} a second can be",
                count(sum(|smi| smi.delivered)),
                count(port as u64)
            ),
            "28,000 a second and slave",
        ),
        station("trace port", "all that the MMI collects, without the master".into(), "none"),
        station(
            "ordered trace",
            format!("{} events, all of certain time", count(observed.events)),
            "sorted by software afterwards",
        ),
        station(
            "beside the port: logger",
            logger.map_or("not measured here".into(), |rate| {
                format!(
                    "{} pairs a second without loss in the sweep of overflow, all slaves together",
                    count(rate as u64)
                )
            }),
            "1,129 pairs a second in all",
        ),
    ]
}
