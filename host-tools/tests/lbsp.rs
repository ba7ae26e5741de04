//! `testbed lbsp` and `testbed experiment lbsp`: what they print in all forms, and errors with their
//! remedies. The formulas are held to arbitrary precision and to simulations in the crate's own tests.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

fn testbed(words: &str) -> Output {
    // `_` is a blank within a word.
    let words = words.split_whitespace().map(|word| word.replace('_', " "));
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(words).output().unwrap()
}

#[track_caller]
fn prints(words: &str) -> String {
    let output = testbed(words);
    assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn json(words: &str) -> Value {
    serde_json::from_str(&prints(&format!("{words} --json"))).unwrap()
}

/// The number in a line of text that begins with a word, behind it.
#[track_caller]
fn value(text: &str, name: &str) -> f64 {
    let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{text}"));
    line.split_whitespace().last().unwrap().parse().unwrap()
}

const COMMANDS: [&str; 14] = [
    "speedup",
    "speedup --algorithm broadcast",
    "best",
    "best --algorithm fft --nodes 2^15",
    "simulate --trials 50",
    "simulate --trials 50 --nodes 8 --resend all",
    "simulate --trials 50 --algorithm all-gather --nodes 16",
    "figure 7",
    "figure 9",
    "figure 12",
    "table 1",
    "table 2",
    "slips",
    "figure 10 --losses 1%,2% --nodes 64",
];

#[test]
fn all_forms_of_output_can_be_read() {
    for command in COMMANDS {
        let text = prints(&format!("lbsp {command}"));
        assert!(text.lines().count() > 3 && !text.contains("NaN"), "{command}: {text}");
        assert!(!json(&format!("lbsp {command}")).is_null());
        let csv = prints(&format!("lbsp {command} --csv"));
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let columns = reader.headers().unwrap().len();
        assert!(columns > 3, "{command}: {csv}");
        let rows = reader.records().map(|row| row.unwrap_or_else(|error| panic!("{command}: {error}")));
        assert!(rows.filter(|row| row.len() == columns).count() > 0, "{command}: {csv}");
    }
}

#[test]
fn a_superstep_is_as_fast_as_the_paper_says() {
    let all =
        json("lbsp speedup --nodes 2^17 --packets n --copies 6 --loss 0.045 --packet 64_KiB --bandwidth 17.5MB/s");
    // Table II's rho of the bitonic sort.
    assert!((all["ways"][0]["rounds"].as_f64().unwrap() - 1.0021744).abs() < 1e-6, "{all}");
    let way = |index: usize, key: &str| all["ways"][index][key].as_f64().unwrap();
    let seconds = 36_000.0 / 131_072.0 + way(0, "rounds") * way(0, "round_seconds");
    assert!((way(0, "seconds") / seconds - 1.0).abs() < 1e-12 && way(0, "speedup") > way(1, "speedup"));
    let matrix = "lbsp speedup --algorithm matrix --nodes 2^16 --copies 7 --loss 4.5% --beta 69ms";
    let text = prints(matrix);
    assert_eq!((value(&text, "speed-up"), value(&text, "alone, s")), (4740.61, 140_735.0), "{text}");
}

#[test]
fn what_no_number_holds_has_a_logarithm() {
    let all = json("lbsp speedup --nodes 2^30 --packets n^2 --loss 90%");
    let way = &all["ways"][1];
    assert!(way["rounds"].is_null() && way["speedup"] == 0.0, "{way}");
    assert!(way["ln_speedup"].as_f64().unwrap() < -1e17, "{way}");
}

#[test]
fn simulations_agree_and_are_repeatable() {
    let command = "lbsp simulate --packets n_log_n --nodes 32 --loss 20% --trials 3000";
    let all = json(command);
    assert_eq!((&all["agrees"], &all["trials"]), (&Value::Bool(true), &Value::from(3_000)));
    assert_eq!(json(command), all);
    assert_ne!(json(&format!("{command} --seed 2")), all);
}

#[test]
fn the_experiment_leaves_a_page_and_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/lbsp");
    let words = format!("experiment lbsp --out {}", out.display());
    let text = prints(&words);
    assert!(text.contains("Table II") && text.contains("Slips of the paper") && text.contains("lbsp.html"), "{text}");
    let page = fs::read_to_string(out.join("lbsp.html")).unwrap();
    assert_eq!(page.matches("class=\"plot\"").count(), 36);
    let data: Value = serde_json::from_str(&fs::read_to_string(out.join("lbsp.json")).unwrap()).unwrap();
    assert_eq!((data["figures"].as_array().unwrap().len(), json(&words)), (6, data));
}

#[test]
fn wrong_options_are_refused_with_their_remedy() {
    for (words, status, said) in [
        ("speedup --packets n^3", 2, "there are 1, \"log n\""),
        ("speedup --algorithm sort", 2, "there are matrix, bitonic"),
        ("speedup --loss 100%", 2, "less than 1"),
        ("speedup --nodes 0", 2, "no whole number from 1 to 2^53"),
        ("speedup --work 10", 2, "has no unit"),
        ("speedup --work 0s", 2, "more than no time"),
        ("speedup --alpha 1ms --bandwidth 1MB/s", 2, "cannot be used with"),
        ("speedup --algorithm fft --packets n", 2, "cannot be used with"),
        ("speedup --size 4", 2, "--algorithm"),
        ("speedup --copies 65", 2, "not in 1..=64"),
        ("figure 6", 2, "not in 7..=12"),
        ("table 3", 2, "not in 1..=2"),
        ("table 1 --json --csv", 2, "cannot be used with"),
        ("speedup --from /no/such/file", 3, "help: give a network.toml"),
        ("speedup --algorithm bitonic --size 8 --nodes 16", 3, "help: give at most 8"),
        ("figure 7 --losses 1%,2%,3%,4%,5%,6%", 3, "help: give at most 5"),
        ("simulate --nodes 2^30 --packets n^2", 3, "help: give fewer trials"),
        ("simulate --resend all --loss 99%", 3, "help: give fewer trials"),
    ] {
        let output = testbed(&format!("lbsp {words}"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{words}: {error}");
        assert!(error.contains(said), "{words}: {error}");
    }
}
