//! What is written for readers and for other commands.

use testbed_probe::estimate::{estimates, Estimate};
use testbed_probe::network::Network as File;
use testbed_probe::plan::Plan;
use testbed_probe::record::Line;
use testbed_probe::text;

use crate::support::ms;
use crate::support::path::{Loss, Traits};
use crate::support::simulated::Network;

/// Two peers, one of which loses in bursts.
fn found() -> Vec<Estimate> {
    let plan = Plan::new(vec!["one:1".into(), "two:2".into()], &[64, 1_472, 8_192], 1_000, 1 << 20).unwrap();
    let lines: Vec<Line> = plan
        .parts()
        .into_iter()
        .map(|part| {
            let slow = |loss| Traits { bytes_per_second: Some(2e6), ..Traits::new(loss, ms(10)) };
            let there =
                if part.host == "one:1" { Loss::Bernoulli(0.1) } else { Loss::Gilbert { enter: 0.03, stay: 0.7 } };
            let mut network = Network::new(slow(there), slow(Loss::Bernoulli(0.05)), part.packet_bytes.into());
            let tally = network.measure(plan.part(&part)).unwrap();
            Line { part, tally }
        })
        .collect();
    estimates(&plan.hosts, &lines)
}

#[test]
fn the_file_for_other_commands_has_its_keys_and_bounds() {
    let found = found();
    let size = File::usual_size(&found).unwrap();
    assert_eq!(size, 1_472);
    let file = File::of(&found, size, true).unwrap();
    let text = file.toml().unwrap();
    let table: toml::Table = toml::from_str(&text).unwrap();
    let number = |key: &str| table[key].as_float().unwrap_or_else(|| panic!("{key} in {text}"));
    let bandwidth = number("bandwidth_bytes_per_second");
    assert!((bandwidth / 2e6 - 1.0).abs() < 0.05, "{text}");
    assert_eq!(number("alpha_seconds"), 1_472.0 / bandwidth);
    assert_eq!(number("beta_seconds"), number("round_trip_seconds"));
    assert!((number("round_trip_seconds") / (0.020 + 2.0 * 1_472.0 / 2e6) - 1.0).abs() < 0.05, "{text}");
    assert_eq!(table["packet_bytes"].as_integer(), Some(1_472));
    assert!((0.03..0.12).contains(&number("loss")), "{text}");
    for key in ["loss", "alpha", "beta", "round_trip", "bandwidth"] {
        let keys: Vec<&String> = table.keys().filter(|name| name.starts_with(key)).collect();
        let bounds = keys.iter().find(|name| name.contains("bounds")).unwrap_or_else(|| panic!("{key}: {keys:?}"));
        let figure = keys.iter().find(|name| !name.contains("bounds") && table[name.as_str()].is_float()).unwrap();
        let bounds: Vec<f64> = table[bounds.as_str()].clone().try_into().unwrap();
        let [low, high] = bounds[..] else { panic!("{key}: {bounds:?}") };
        assert!(low <= number(figure) && number(figure) <= high && low > 0.0, "{key}: {low} to {high}");
    }
    assert_eq!(table["losses_are_independent"].as_bool(), Some(false), "one of both peers has bursts");
    assert_eq!(table["size"].as_array().unwrap().len(), 6);
    assert_eq!(File::of(&found, 65, true), None);
    let alone = File::of(&found[..3], size, false).unwrap();
    assert!(alone.losses_are_independent && !alone.complete && alone.peers == 1, "{alone:?}");
}

#[test]
fn the_text_says_when_the_model_s_assumption_fails() {
    let found = found();
    let text = text::table(&found);
    let (one, two) = text.split_at(text.find("two:2").unwrap());
    assert!(!one.contains("bursts") && two.contains("losses come in bursts"), "{text}");
    assert_eq!(text.matches("not to be trusted").count(), 1, "{text}");
    let csv = text::csv(&found);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * found.len());
    let cells = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == cells), "{csv}");
    assert!(csv.contains(",bursts,") && csv.contains(",independent,"), "{csv}");
}
