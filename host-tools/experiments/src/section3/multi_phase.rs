//! What the queries ask of `multi-phase`: Figures 19 to 22.

use itertools::Itertools;
use testbed_trace::analysis::windows::WINDOWS_MAX;

use crate::observed::{id_of, ObserveError, Observed, Send};
use crate::query::Answer;
use crate::subject::Subject;

/// Windows of Figure 20, and of the means of Figure 19, a second.
const WINDOWS_A_SECOND: u64 = 20;

fn window(observed: &Observed) -> u64 {
    u64::from(observed.record.machine.clock_hz) / WINDOWS_A_SECOND
}

/// Windows of the whole run.
fn windows(observed: &Observed) -> Result<usize, ObserveError> {
    match observed.record.cycles.div_ceil(window(observed)) {
        count @ ..=WINDOWS_MAX => Ok(count as usize),
        count => {
            let what =
                format!("the run lasts {count} windows of 50 ms, more than the {WINDOWS_MAX} that a figure can show");
            Err(ObserveError::Unsound { dir: observed.dir.clone(), what })
        }
    }
}

/// Mean length of each slave's ready queue in windows.
pub(crate) fn ready_queues(observed: &Observed, _: &Subject) -> Result<Answer, ObserveError> {
    let (window, end) = (window(observed), observed.record.cycles);
    let count = windows(observed)?;
    let mut answer = Vec::new();
    for (processor, name) in SLAVES {
        let mut sums = vec![0u64; count];
        let mut last = (0, 0u64);
        let own = observed.lengths.iter().filter(|length| length.processor == processor);
        // A record may say that the run ended before its last event.
        let ends = own.map(|length| (length.cycle.min(end), u64::from(length.length))).chain([(end, 0)]);
        for (cycle, length) in ends {
            let (mut from, held) = last;
            while from < cycle {
                let index = from / window;
                let to = cycle.min((index + 1) * window);
                sums[index as usize] += held * (to - from);
                from = to;
            }
            last = (cycle, length);
        }
        let mean = |(index, sum): (usize, &u64)| ((index as u64 * window) as f64, *sum as f64 / window as f64);
        answer.push((name, sums.iter().enumerate().map(mean).collect()));
    }
    Ok(answer)
}

/// The default machine's slaves.
const SLAVES: [(u8, &str); 5] = [(1, "earth"), (2, "air"), (3, "fire"), (4, "water"), (5, "space")];

/// Sends in order of their calls.
fn sends(observed: &Observed) -> Vec<Send> {
    observed.sends.iter().copied().sorted_by_key(|send| (send.called, send.thread)).collect()
}

pub(crate) fn send_requests(observed: &Observed, _: &Subject) -> Result<Answer, ObserveError> {
    let window = window(observed);
    let mut counts = vec![0u64; windows(observed)?];
    for send in &observed.sends {
        if let Some(count) = counts.get_mut((send.called / window) as usize) {
            *count += 1;
        }
    }
    let point = |(index, count): (usize, &u64)| ((index as u64 * window) as f64, *count as f64);
    Ok(vec![("send requests", counts.iter().enumerate().map(point).collect())])
}

/// Latency of each send of threads other than the one that keeps the phases, until the sender is ready again.
pub(crate) fn send_latencies(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let own = sends(observed).into_iter().filter(|send| !is_conductor(send.thread, subject));
    Ok(vec![("sends", own.map(|send| (send.called as f64, (send.ready - send.called) as f64)).collect())])
}

/// Thread 1 of `multi-phase` releases the others into each phase and out of it.
fn is_conductor(thread: u16, subject: &Subject) -> bool {
    thread == subject.process + 1 && id_of(thread) == 1
}

/// Barrier messages that thread 1 of `multi-phase` sends before a phase, and again behind it.
const BARRIER: usize = 5;

/// From when to when each phase of `multi-phase` lasted, in cycles.
///
/// # Errors
/// The trace does not show all phases.
pub fn phases(observed: &Observed, subject: &Subject) -> Result<Vec<(u64, u64)>, ObserveError> {
    let barriers: Vec<_> = sends(observed).into_iter().filter(|send| is_conductor(send.thread, subject)).collect();
    // Threads that thread 1 does not wait for go on after its last message, while it computes: a
    // phase lasts until the next one begins.
    let starts: Vec<u64> = barriers.chunks_exact(2 * BARRIER).map(|two| two[0].called).collect();
    let ends = starts.iter().skip(1).copied().chain([observed.record.cycles]);
    let phases: Vec<_> = starts.iter().copied().zip(ends).collect();
    match phases.len() {
        8 => Ok(phases),
        found => {
            let (dir, program) = (observed.dir.clone(), "multi-phase's phases".into());
            Err(ObserveError::Count { dir, program, found, expected: 8 })
        }
    }
}

/// Latencies of the sends in a phase (1 to 8) of `multi-phase`, ascending, in cycles; those of thread 1 are left out.
///
/// # Errors
/// The trace does not show all phases.
pub fn latencies_of_phase(observed: &Observed, subject: &Subject, phase: usize) -> Result<Vec<u64>, ObserveError> {
    let (from, to) = phases(observed, subject)?[phase - 1];
    let inside = |send: &&Send| (from..to).contains(&send.called) && !is_conductor(send.thread, subject);
    let sends = observed.sends.iter().filter(inside);
    Ok(sends.map(|send| send.ready - send.called).sorted_unstable().collect())
}

/// Steps of a distribution in a factor of two.
const STEPS: f64 = 4.0;

/// Distributions of the latencies of phases 6 (local) and 8 (remote), long messages both, in steps
/// that grow by equal factors.
pub(crate) fn distributions(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let of = |phase: usize| {
        let latencies = latencies_of_phase(observed, subject, phase)?.into_iter();
        let step = |latency: u64| ((latency.max(1) as f64).log2() * STEPS).floor() as i64;
        let counts = latencies.map(step).counts();
        let edge = |step: i64| (step as f64 / STEPS).exp2();
        let steps = counts.keys().minmax().into_option().map_or(0..0, |(first, last)| *first..last + 2);
        Ok::<_, ObserveError>(steps.map(|step| (edge(step), counts.get(&step).copied().unwrap_or(0) as f64)).collect())
    };
    Ok(vec![("phase 6, local", of(6)?), ("phase 8, remote", of(8)?)])
}
