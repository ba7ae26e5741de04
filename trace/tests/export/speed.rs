//! How fast exports are; run by hand:
//! `cargo test --release -p testbed-trace --test all export::speed -- --ignored --nocapture`.

use std::fs::File;
use std::time::Instant;

use testbed_trace::export::{export, Filter, Format, Target};

use super::events::{record, remote};

/// Seconds for which this thread has had a processor, where the system tells it: others' work does not count.
fn busy() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// Peak of the memory that this process has held, in MiB, where the system tells it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<u64> = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kib.map_or("?".into(), |kib| (kib / 1024).to_string())
}

#[test]
#[ignore = "measures for many seconds"]
fn every_format_on_a_long_trace() {
    let count = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(5_000_000usize);
    let dir = tempfile::tempdir().unwrap();
    println!("{count} events");
    for (name, format) in Format::ALL {
        let path = dir.path().join(name);
        let events = (0u64..).flat_map(|round| remote(100 * round)).take(count).map(Ok);
        let (start, before) = (Instant::now(), busy());
        let target = Target::File(Box::new(File::create(&path).unwrap()));
        let exported = export(events, &record(), &Filter::default(), format, target, true).unwrap();
        let elapsed = start.elapsed().as_secs_f64();
        let seconds = before.zip(busy()).map_or(elapsed, |(before, after)| after - before);
        let bytes = std::fs::metadata(&path).unwrap().len();
        println!(
            "{name:<9} {:>6.2} M events a second of processor time, {:>7.1} bytes an event, peak {} MiB",
            exported.shown as f64 / seconds / 1e6,
            bytes as f64 / count as f64,
            peak()
        );
        std::fs::remove_file(path).unwrap();
    }
}
