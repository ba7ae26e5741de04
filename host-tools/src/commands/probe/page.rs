//! The page with plots like the paper's Figures 1 to 3: loss, bandwidth and round trips by packet size.

use testbed_experiments::model::{Axis, Panel, Series, Style};
use testbed_experiments::page::{self, PageError};
use testbed_probe::estimate::{Bandwidth, Estimate};

const TITLE: &str = "A network by packet size";

/// The page.
///
/// # Errors
/// A value that can't be shown.
pub fn html(found: &[Estimate]) -> Result<String, PageError> {
    let megabytes = |bandwidth: Option<Bandwidth>| bandwidth.map(|found| found.rate.value / 1e6);
    let figures = [
        page::plots(
            ("loss", "Packet loss", "Packets that did not arrive, each way; of packets back, of those that arrived."),
            &[
                panel(found, "there", "lost, %", |one| Some(100.0 * one.forward.loss.value)),
                panel(found, "back", "lost, %", |one| one.backward.as_ref().map(|back| 100.0 * back.loss.value)),
            ],
        )?,
        page::plots(
            ("bandwidth", "Bandwidth", "The median of trains of packets without pause, in 1,000,000 bytes a second."),
            &[
                panel(found, "there", "MB/s", |one| megabytes(one.forward_bandwidth)),
                panel(found, "back", "MB/s", |one| megabytes(one.backward_bandwidth)),
            ],
        )?,
        page::plots(
            ("round-trip", "Round trip", "From sending a packet to its return, which has as many bytes."),
            &[
                panel(found, "median", "ms", |one| one.round_trip.map(|times| 1e3 * times.median.value)),
                panel(found, "99 of 100 are shorter", "ms", |one| one.round_trip.map(|times| 1e3 * times.p99.value)),
            ],
        )?,
    ];
    let foot = format!(
        "<footer><p>Made by <code>testbed probe</code>, version {}. The same as data is in \
         <code>network.toml</code>.</p></footer>\n",
        env!("CARGO_PKG_VERSION")
    );
    let parts = [
        format!("<header>\n<h1>{TITLE}</h1>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n"),
        figures.concat(),
        "</main>\n".into(),
        foot,
    ];
    Ok(page::html(TITLE, "", &parts))
}

/// A figure by packet size: a dot for each peer, a line through the means.
fn panel(found: &[Estimate], title: &str, label: &str, of: impl Fn(&Estimate) -> Option<f64>) -> Panel {
    let mut peers: Vec<(f64, f64)> =
        found.iter().filter_map(|one| Some((f64::from(one.packet_bytes), of(one)?))).collect();
    peers.sort_by(|one, other| one.0.total_cmp(&other.0));
    let means = peers.chunk_by(|one, other| one.0 == other.0).map(|of_size| {
        let sum: f64 = of_size.iter().map(|(_, value)| value).sum();
        (of_size[0].0, sum / of_size.len() as f64)
    });
    let mean = Series { name: "mean of peers".into(), style: Style::Line, points: means.collect() };
    Panel {
        title: title.into(),
        x: Axis { label: "bytes of a packet".into(), log: true },
        y: Axis { label: label.into(), log: false },
        series: vec![mean, Series { name: "a peer".into(), style: Style::Dots, points: peers }],
        lines: vec![],
        fits: vec![],
    }
}
