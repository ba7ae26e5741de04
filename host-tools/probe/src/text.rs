//! Estimates as a table for a reader and as CSV.

use std::fmt::Write;

use crate::estimate::{Bandwidth, Direction, Estimate};
use crate::statistics::independence::Verdict;
use crate::statistics::proportion::Bounded;

/// What follows if losses are not independent.
const FAILED: &str = "Where losses come in bursts or keep apart (p below 0.01) they are not independent, as the\n\
                      model of lossy supersteps assumes: what it predicts there is not to be trusted.";

/// All estimates, peer by peer, and what is to be said of them.
pub fn table(estimates: &[Estimate]) -> String {
    let mut text = String::new();
    for of_host in estimates.chunk_by(|one, other| one.host == other.host) {
        let _ = writeln!(text, "{}", of_host[0].host);
        text += "  bytes   lost there, %          lost back, %           round trip, ms           p99, ms   MB/s there  MB/s back\n";
        for estimate in of_host {
            text += &row(estimate);
        }
        for estimate in of_host {
            text += &disorder(estimate);
        }
        for estimate in of_host {
            text += &dependence(estimate);
        }
    }
    if estimates.iter().any(Estimate::is_dependent) {
        let _ = writeln!(text, "\n{FAILED}");
    }
    text
}

fn row(estimate: &Estimate) -> String {
    let times = estimate.round_trip;
    let round_trip = times.map_or("-".into(), |times| between(times.median.map(|seconds| seconds * 1e3), 3));
    let p99 = times.map_or("-".into(), |times| format!("{:.3}", times.p99.value * 1e3));
    let back = estimate.backward.as_ref().map_or("-".into(), loss);
    format!(
        "  {:>5}   {:<21}  {:<21}  {:<23}  {:>7}  {:>11}  {:>9}\n",
        estimate.packet_bytes,
        loss(&estimate.forward),
        back,
        round_trip,
        p99,
        megabytes(estimate.forward_bandwidth),
        megabytes(estimate.backward_bandwidth),
    )
}

fn loss(direction: &Direction) -> String {
    between(direction.loss.map(|share| share * 100.0), 2)
}

/// A figure and its bounds.
fn between(figure: Bounded, digits: usize) -> String {
    format!("{:.digits$} ({:.digits$} to {:.digits$})", figure.value, figure.low, figure.high)
}

fn megabytes(bandwidth: Option<Bandwidth>) -> String {
    bandwidth
        .map_or("-".into(), |found| format!("{}{:.2}", if found.at_least { ">" } else { "" }, found.rate.value / 1e6))
}

/// Packets that came twice or behind later ones.
fn disorder(estimate: &Estimate) -> String {
    let mut text = String::new();
    for (name, direction) in estimate.directions() {
        if direction.duplicates + direction.reordered > 0 {
            let Direction { duplicates, reordered, sent, .. } = direction;
            let _ = writeln!(
                text,
                "  {} bytes, {name}: of {sent} packets {duplicates} came twice and {reordered} behind a later one",
                estimate.packet_bytes
            );
        }
    }
    text
}

/// What the test of independence says, where it says something.
fn dependence(estimate: &Estimate) -> String {
    let mut text = String::new();
    for (name, direction) in estimate.directions() {
        let found = direction.independence;
        let what = match found.verdict {
            Verdict::Independent | Verdict::TooFew => continue,
            Verdict::Bursts => "losses come in bursts",
            Verdict::Regular => "losses keep apart from each other",
        };
        let _ = writeln!(
            text,
            "  {} bytes, {name}: {what}, of {:.2} packets where independent ones had {:.2}: {} runs, not {:.1} \
             (p = {:.1e})",
            estimate.packet_bytes,
            found.burst_packets.unwrap_or(0.0),
            found.independent_burst_packets,
            found.runs,
            found.expected_runs,
            found.probability,
        );
    }
    text
}

/// A line for each peer, size and direction.
pub fn csv(estimates: &[Estimate]) -> String {
    let mut text = String::from(
        "host,packet_bytes,direction,sent,lost,loss,loss_low,loss_high,duplicates,reordered,verdict,probability,\
         burst_packets,bandwidth_bytes_per_second,bandwidth_low,bandwidth_high,bandwidth_is_at_least,\
         round_trip_seconds,round_trip_low,round_trip_high,round_trip_p95,round_trip_p99\n",
    );
    for estimate in estimates {
        for (name, direction) in estimate.directions() {
            let bandwidth = if name == "there" { estimate.forward_bandwidth } else { estimate.backward_bandwidth };
            let Direction { sent, lost, loss, duplicates, reordered, independence } = direction;
            let verdict = match independence.verdict {
                Verdict::Independent => "independent",
                Verdict::Bursts => "bursts",
                Verdict::Regular => "regular",
                Verdict::TooFew => "too few",
            };
            let optional = |figure: Option<f64>| figure.map_or(String::new(), |figure| figure.to_string());
            let rate = |of: fn(Bounded) -> f64| optional(bandwidth.map(|found| of(found.rate)));
            let times = |of: fn(&crate::estimate::RoundTrip) -> f64| optional(estimate.round_trip.as_ref().map(of));
            let cells = [
                quoted(&estimate.host),
                estimate.packet_bytes.to_string(),
                name.into(),
                sent.to_string(),
                lost.to_string(),
                loss.value.to_string(),
                loss.low.to_string(),
                loss.high.to_string(),
                duplicates.to_string(),
                reordered.to_string(),
                verdict.into(),
                independence.probability.to_string(),
                optional(independence.burst_packets),
                rate(|one| one.value),
                rate(|one| one.low),
                rate(|one| one.high),
                bandwidth.map_or(String::new(), |found| found.at_least.to_string()),
                times(|one| one.median.value),
                times(|one| one.median.low),
                times(|one| one.median.high),
                times(|one| one.p95.value),
                times(|one| one.p99.value),
            ];
            text += &(cells.join(",") + "\n");
        }
    }
    text
}

/// A cell that may hold commas or quotes.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}
