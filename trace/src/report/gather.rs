//! What a page shows besides the analysis, and what is left out so that it stays small.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use testbed_definitions::event::{awaited, DIAG_DETAIL, DIAG_LOAD, DIAG_PROFILE, DIAG_READY, DIAG_TIMER, DIAG_USER};

use super::lane::NOTHING;
use super::timeline::{Collector, Timeline, LENGTH_UNKNOWN};
use super::{Class, Loss, Words};
use crate::analysis::bsp::BspReport;
use crate::analysis::fact::{Doing, On, ThreadState};
use crate::analysis::follow::Follower;
use crate::analysis::measure::Range;
use crate::analysis::probe::Probe;
use crate::analysis::{AnalysisError, Report};
use crate::balance::part;
use crate::capture::{Capture, CaptureError, Integrity, CONSOLE};
use crate::order::{events, What};
use crate::summary::{thread_text, Summary};

/// Bytes of the console that a page shows, from its beginning.
const CONSOLE_BYTES: u64 = 16_384;
/// Rows of lists that can grow with a program, at most.
const ROWS_MAX: usize = 300;

/// Rows of processes by superstep, at most.
const MEMBERS_MAX: usize = 3_000;

/// What a second look at the events shows.
pub struct Seen {
    pub timeline: Timeline,
    pub counts: BTreeMap<String, Vec<u64>>,
    pub losses: Vec<Loss>,
    pub losses_count: u64,
    /// The slaves' samples.
    pub load: part::Collector,
}

/// Collects lanes (if `follow`), counts and losses of a part of the run, which ends at `end`.
pub fn look(
    capture: &Capture,
    integrity: &Integrity,
    follow: bool,
    range: Range,
    end: u64,
) -> Result<Seen, AnalysisError> {
    let record = &capture.record;
    let mut follower = Follower::new(record, Probe::of(record.machine.core));
    let mut collector = Collector::new(range, u64::from(record.machine.tick_cycles));
    let mut load = part::Collector::new(record);
    let (mut summary, mut losses, mut losses_count) = (Summary::default(), Vec::new(), 0);
    for event in events(capture, integrity)? {
        let event = event?;
        let (cycle, certain) = (follower.cycle(&event), event.epoch.is_certain());
        if certain && cycle >= range.to_cycle && range.to_cycle < end {
            break;
        }
        if follow {
            follower.add(&event, &mut |fact| collector.take(fact));
        }
        load.add(cycle, &event, range);
        if certain && !range.contains(cycle) {
            continue;
        }
        summary.add(&event);
        let discarded = match event.what {
            What::Gap(count) => count,
            _ if !certain => None,
            _ => continue,
        };
        losses_count += 1;
        if losses.len() < ROWS_MAX {
            losses.push(Loss { processor: event.smi, cycle, discarded, ambiguous: !certain });
        }
    }
    if follow {
        follower.finish(range.to_cycle, &mut |fact| collector.take(fact));
    }
    let counts = summary.counts.into_iter().map(|(name, counts)| (name.to_string(), counts)).collect();
    Ok(Seen { timeline: collector.finish(&record.machine.processors), counts, losses, losses_count, load })
}

/// What the time-line does not show, in sentences.
pub fn told(seen: &Seen) -> Vec<String> {
    let Timeline { packet_stride, packet_count, packets, threads_left_out, .. } = &seen.timeline;
    let mut told = Vec::new();
    if *packet_stride > 1 {
        let shown = packets.len();
        told.push(format!("Time-line: one packet in {packet_stride} is drawn, {shown} of {packet_count}."));
    }
    if *threads_left_out > 0 {
        told.push(format!(
            "Time-line: {threads_left_out} threads, which came after the first {}, have no row.",
            seen.timeline.threads.len()
        ));
    }
    if seen.losses_count > seen.losses.len() as u64 {
        told.push(format!("Losses: the first {} of {} are listed.", seen.losses.len(), seen.losses_count));
    }
    told
}

/// Shortens the lists of an analysis that can grow with a program, to what took most time; says so.
pub fn cut(report: &mut Report) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(latency) = report.latency.as_mut().filter(|latency| latency.channels.len() > ROWS_MAX) {
        let count = latency.channels.len();
        latency.channels.sort_by_key(|channel| std::cmp::Reverse(channel.ready.total_cycles));
        latency.channels.truncate(ROWS_MAX);
        told.push(format!(
            "Latencies by channel: the {ROWS_MAX} of {count} with the longest waits together are listed."
        ));
    }
    told.extend(report.bsp.as_mut().and_then(cut_supersteps));
    if let Some(threads) = &mut report.threads {
        if threads.threads.len() > ROWS_MAX {
            let count = threads.threads.len();
            threads.threads.sort_by_key(|thread| {
                std::cmp::Reverse(thread.states.get(&ThreadState::Running).copied().unwrap_or(0))
            });
            threads.threads.truncate(ROWS_MAX);
            told.push(format!("Threads: the {ROWS_MAX} of {count} that ran longest are listed."));
        }
        // A thread may be blocked on any of 65,536 pages.
        const MOST: usize = 24;
        let long = threads.threads.iter_mut().filter(|thread| thread.blocked.len() > MOST);
        let shortened = long.map(|thread| thread.blocked.truncate(MOST)).count();
        if shortened > 0 {
            told.push(format!(
                "Threads: of {shortened} with many channels and pages only the {MOST} on which each was blocked longest are listed."
            ));
        }
    }
    told
}

/// Keeps the first supersteps of all groups, as many as have so many rows of processes; says so.
fn cut_supersteps(bsp: &mut BspReport) -> Option<String> {
    let (mut rows, mut count, mut kept) = (0, 0, 0);
    for group in &mut bsp.groups {
        count += group.supersteps.len();
        group.supersteps.retain(|step| {
            rows += step.members.len();
            rows <= MEMBERS_MAX
        });
        kept += group.supersteps.len();
    }
    (kept < count).then(|| format!("Supersteps: the first {kept} of {count} are listed; the sums are of all."))
}

/// The beginning of what was printed, and a sentence if there is more.
pub fn console(capture: &Capture) -> Result<(String, Option<String>), CaptureError> {
    let path = capture.dir.join(CONSOLE);
    let read = || -> std::io::Result<(Vec<u8>, u64)> {
        let (file, mut bytes) = (capture.files().open(&path)?, Vec::new());
        let length = file.length()?;
        file.take(CONSOLE_BYTES).read_to_end(&mut bytes)?;
        Ok((bytes, length))
    };
    let (bytes, length) = match read() {
        // A run that was killed early has none.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((String::new(), None)),
        Err(source) => return Err(CaptureError::Io { doing: "read", path, source }),
        Ok(read) => read,
    };
    let more = (length > CONSOLE_BYTES)
        .then(|| format!("Console: the first {CONSOLE_BYTES} of {length} bytes are shown; all are in {CONSOLE}."));
    Ok((String::from_utf8_lossy(&bytes).into_owned(), more))
}

/// The classes of events, in the words of who reads a page.
pub fn classes(dgl: u32) -> Vec<Class> {
    let class =
        |name: &str, bit: u32, tells: &str| Class { name: name.into(), recorded: dgl & bit != 0, tells: tells.into() };
    vec![
        class("profile", DIAG_PROFILE, "threads, requests, messages, migrations and pages; most figures come from it"),
        class("timer", DIAG_TIMER, "the ends of time-slices; without it they look like calls that no event tells of"),
        class("user", DIAG_USER, "what programs emit themselves"),
        class(
            "detail",
            DIAG_DETAIL,
            "the channel and direction of each request; without it they are known only where a release tells them",
        ),
        class(
            "load",
            DIAG_LOAD,
            "what each slave tells of its load at every sample period; the part “Load and moves” comes from it",
        ),
        class("ready", DIAG_READY, "each joining and leaving of a ready queue; it excludes the class profile"),
    ]
}

/// Names of all threads of which the analysis speaks.
pub fn threads(report: Option<&Report>, processors: &[String]) -> BTreeMap<u16, String> {
    let Some(report) = report else { return BTreeMap::new() };
    let mut numbers: BTreeSet<u16> =
        report.threads.iter().flat_map(|threads| &threads.threads).map(|thread| thread.thread).collect();
    let paths = report.path.iter().flat_map(|path| &path.protocols).flat_map(|protocol| &protocol.slowest);
    numbers.extend(paths.flat_map(|path| [path.threads.0, path.threads.1]));
    numbers.into_iter().map(|number| (number, thread_text(number, processors))).collect()
}

/// The names of what the analysis and the lanes hold.
pub fn words(report: Option<&Report>) -> Words {
    let protocols =
        report.and_then(|report| report.phases.as_ref()).map(|phases| &phases.protocols[..]).unwrap_or_default();
    let paths = report.and_then(|report| report.path.as_ref()).map(|path| &path.protocols[..]).unwrap_or_default();
    let latency = report.and_then(|report| report.latency.as_ref());
    let services = latency.into_iter().flat_map(|latency| {
        latency.services.iter().map(|row| row.service).chain(latency.channels.iter().map(|row| row.service))
    });
    let phases = protocols
        .iter()
        .flat_map(|protocol| protocol.phases.iter().map(|row| row.phase))
        .chain(paths.iter().flat_map(|path| path.phases.iter().map(|row| row.phase)))
        .map(|phase| (phase, (phase.describe().0.to_string(), phase.describe().1.to_string())));
    let threads = report.and_then(|report| report.threads.as_ref()).map(|threads| &threads.threads[..]);
    let blocked = threads.unwrap_or_default().iter().flat_map(|thread| &thread.blocked);
    let calls = blocked.filter_map(|blocked| match blocked.on {
        On::Call(call) => Some((call, awaited(call).to_string())),
        _ => None,
    });
    let both = protocols.iter().map(|protocol| protocol.protocol).chain(paths.iter().map(|path| path.protocol));
    Words {
        doing: Doing::ALL.map(|doing| doing.name().to_string()).into(),
        states: ThreadState::ALL.map(|state| state.name().to_string()).into(),
        protocols: both.map(|protocol| (protocol, protocol.name().to_string())).collect(),
        services: services.map(|service| (service, service.name().to_string())).collect(),
        phases: phases.collect(),
        calls: calls.collect(),
        nothing: NOTHING,
        length_unknown: LENGTH_UNKNOWN,
    }
}
