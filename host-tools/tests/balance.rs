//! `testbed experiment balance`, reduced: its figures and tables say what has to be so.

use std::process::Command;

use serde_json::Value;

fn experiment(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(["experiment", "balance"]).args(arguments).output().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn metrics_are_measured_and_placements_run() {
    let dir = tempfile::tempdir().unwrap();
    let output = experiment(&["--reduced", "--sweep", "--json", "--out", dir.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = std::fs::read(dir.path().join("balance.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&file).unwrap(), found);
    let figures: Vec<u64> =
        found["figures"].as_array().unwrap().iter().map(|figure| figure["number"].as_u64().unwrap()).collect();
    let expected = (33..=38).chain(42..=48).chain(50..=58);
    assert_eq!(figures, expected.collect::<Vec<_>>());
    let page = std::fs::read_to_string(dir.path().join("balance.html")).unwrap();
    assert!(figures.iter().all(|number| page.contains(&format!("id=\"figure-{number}\""))));
    metrics(&found);
    programs(&found);
    policies(&found);
    bounds(&found);
    swept(&found, &page);
    let log = std::fs::read_to_string(dir.path().join("runs/compute-diffusion-50ms/balance.log")).unwrap();
    assert!(log.contains("TIM: ") && log.contains(" arrives at "), "{log}");
    let places = std::fs::read_to_string(dir.path().join("placements/pairs.static")).unwrap();
    assert_eq!(places.lines().filter(|line| line.starts_with("1-01-")).count(), 40, "{places}");
    assert!(found["runs"].as_array().unwrap().iter().all(|run| run["sound"] == true));
}

/// Table 8: what the report says of the metrics, in numbers.
fn metrics(found: &Value) {
    let row = |name: &str| {
        let rows = found["metrics"].as_array().unwrap();
        rows.iter().find(|row| row["metric"].as_str().unwrap().starts_with(name)).unwrap_or_else(|| panic!("{name}"))
    };
    let [threads, queues, short, long] = ["N-THREADS", "RQ-LENGTH", "CPU-TIME, 20 ms", "CPU-TIME, 2000 ms"].map(row);
    // 26 threads come and go once each.
    assert_eq!(threads["events"], 52);
    assert!(
        (number(&threads["phases"]) - 12.5).abs() < 3.0,
        "the number of threads tells nothing of phases: {threads}"
    );
    let events = |row: &Value| number(&row["events"]);
    assert!(events(short) > events(queues) && events(queues) > 20.0 * events(threads));
    assert!(number(&queues["kinds"]) > 60.0 && number(&short["kinds"]) > 60.0);
    assert_eq!((number(&threads["lag_ms"]), number(&queues["lag_ms"]), number(&short["lag_ms"])), (0.0, 0.0, 0.0));
    assert!(number(&long["lag_ms"]) > 500.0, "{long}");
    // What the classes take: each costs the program something, and none a hundredth of its time.
    let run = found["runs"].as_array().unwrap().iter().find(|run| run["name"] == "multi-phase-none").unwrap();
    for row in found["metrics"].as_array().unwrap() {
        let (classes, alone, later) = (&row["measured"][0], &row["measured"][1], number(&row["measured"][2]));
        let wanted = match row["metric"].as_str().unwrap() {
            name if name.starts_with("RQ") => "ready",
            name if name.starts_with("REM") => "load",
            _ => "profile",
        };
        assert_eq!((classes, alone), (&Value::from(wanted), &Value::from(wanted == "ready")), "{row}");
        assert!(later > 0.0 && later < 0.01 * number(&run["cycles"]), "{row}");
    }
    let sampled = row("REM-COMM, messages in 200 ms");
    assert!((100.0..=300.0).contains(&number(&sampled["lag_ms"])), "{sampled}");
}

/// Table 9: five processors take less than one where threads compute, and never less than the bound.
fn programs(found: &Value) {
    let rows = found["programs"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let best = &row["best"];
        assert!(number(&best["measured"]) >= number(&best["bound"]), "{row}");
        assert!(number(&best["predicted"]) >= number(&best["bound"]) * (1.0 - 1e-9), "{row}");
        assert_eq!(best["untold"], 0, "{row}");
        let random: Vec<f64> = row["random"].as_array().unwrap().iter().map(number).collect();
        assert!(random[0] <= random[1] && random[1] <= random[2] && row["seeds"] == 3, "{row}");
    }
    let compute = &rows[0];
    assert!(number(&compute["sequential"]) > 2.0 * number(&compute["best"]["measured"]), "{compute}");
    let pairs = &rows[1];
    assert!(number(&pairs["best"]["measured"]) < number(&pairs["random"][0]), "pairs belong together: {pairs}");
}

/// No run of a program is below what bounds placements that move, and the bound is not trivial.
fn bounds(found: &Value) {
    for program in found["programs"].as_array().unwrap() {
        let clock = number(&program["clock_hz"]);
        let [cycles, path, even] = ["cycles", "path", "even"].map(|key| number(&program["moving"][key]) / clock);
        assert!(cycles >= path.max(even) * (1.0 - 1e-9), "{program}");
        let random = program["random"].as_array().unwrap().iter().map(number);
        let own = random.chain(["sequential", "best_known"].map(|key| number(&program[key])));
        let policies = found["policies"].as_array().unwrap().iter().filter(|row| row["program"] == program["name"]);
        let all: Vec<f64> = own.chain(policies.map(|row| number(&row["times"]["seconds"]))).collect();
        assert!(all.len() > 10);
        assert!(all.iter().all(|seconds| *seconds >= cycles), "{cycles} s bounds {all:?}: {program}");
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(cycles > 0.1 * least, "{cycles} s says little of {least} s: {program}");
    }
}

/// Thresholds and periods: each is run, on each program, and changes something for one at least.
fn swept(found: &Value, page: &str) {
    let sweep = &found["sweep"];
    let rows = sweep["rows"].as_array().unwrap();
    assert_eq!(sweep["programs"].as_array().unwrap().len(), 5);
    assert!(rows.len() >= 10 && rows.iter().all(|row| row["seconds"].as_array().unwrap().len() == 5), "{sweep}");
    assert!(page.contains("id=\"sweep\"") && page.contains("Thresholds and periods"));
    let seconds = |policy: &str, period: u64, setting: Value| {
        let is_it = |row: &&Value| row["policy"] == policy && row["period_us"] == period && row["setting"] == setting;
        rows.iter().find(is_it).unwrap_or_else(|| panic!("{policy}, {period}, {setting}"))["seconds"].clone()
    };
    let usual = seconds("report", 50_000, Value::Null);
    assert_ne!(seconds("report", 20_000, Value::Null), usual);
    assert_ne!(seconds("report", 50_000, serde_json::json!(["queue-over", "1"])), usual);
    assert_ne!(seconds("report", 50_000, serde_json::json!(["link-percent", "0"])), usual);
}

/// Every policy on every program: the one that does nothing costs little, one that levels queues helps.
fn policies(found: &Value) {
    let rows = found["policies"].as_array().unwrap();
    // Seven policies on five programs, and the one that needs a placement on those of Table 9.
    assert_eq!(rows.len(), 7 * 5 + 4);
    let row = |program: &str, policy: &str| {
        let is_it = |row: &&Value| row["program"] == program && row["policy"] == format!("{policy}, 50 ms");
        rows.iter().find(is_it).unwrap_or_else(|| panic!("{program}, {policy}"))
    };
    let share = |row: &Value| number(&row["times"]["seconds"]) / number(&row["times"]["sequential"]);
    for program in ["compute", "pairs", "mixed", "adder", "wator"] {
        let none = row(program, "none");
        assert_eq!((&none["moves"], &none["failed"]), (&Value::from(0), &Value::from(0)), "{none}");
        assert!((0.97..1.05).contains(&share(none)), "samples cost little: {none}");
    }
    let level = row("compute", "diffusion");
    assert!(share(level) < 0.7 && level["moves"].as_u64().unwrap() >= 12, "{level}");
    // The threads of `compute` end within a period here, so that no sample shows what their moves bring:
    // those of `wator` last. In so short a run few can be judged, and when samples come decides about some.
    let lasting = row("wator", "diffusion");
    assert!(number(&lasting["hits"]) > 0.25, "{lasting}");
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let unknown = experiment(&["--engine", "abacus"]);
    assert!(!unknown.status.success());
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("abacus"));
    for wrong in [["--seeds", "0"], ["--steps", "201"], ["--rounds", "many"]] {
        let output = experiment(&wrong);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(wrong[0]), "{wrong:?}: {error}");
    }
}
