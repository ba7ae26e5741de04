//! The cost model of bulk-synchronous programs: `testbed bsp probe`, `testbed bsp space` and `testbed
//! experiment bsp`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{json, Value};

fn testbed(arguments: &[&str], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.args(arguments).arg("--out").arg(out).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("{name} of {value}"))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("{name} of {value}"))
}

/// The parameters of three processes, from a seed, as printed and as read.
fn probe(seed: u32) -> (Vec<u8>, Value) {
    let dir = tempfile::tempdir().unwrap();
    let seed = seed.to_string();
    let output = testbed(&["bsp", "probe", "--processes", "3", "--json", "--seed", &seed], dir.path());
    assert!(output.status.success(), "{}", text(&output));
    let value = serde_json::from_slice(&output.stdout).unwrap();
    (output.stdout, value)
}

#[test]
fn the_same_seed_gives_the_same_parameters_and_another_one_nearly() {
    let ((first, parameters), (again, _), (_, other)) = (probe(1), probe(1), probe(2));
    assert_eq!(String::from_utf8_lossy(&first), String::from_utf8_lossy(&again));
    let within = |pointer: &str| {
        let [a, b] = [&parameters, &other].map(|value| value.pointer(pointer).and_then(Value::as_f64));
        let (Some(a), Some(b)) = (a, b) else { panic!("{pointer} is no number in {parameters}") };
        assert!(a > 0.0 && (b / a - 1.0).abs() < 0.01, "{pointer}: {a} and {b}");
    };
    within("/0/barrier");
    let ways = parameters.pointer("/0/ways").and_then(Value::as_array).unwrap().len();
    assert_eq!(ways, 4);
    for way in 0..ways {
        within(&format!("/0/ways/{way}/short/slope"));
        within(&format!("/0/ways/{way}/long/slope"));
    }
}

#[test]
fn errors_of_the_probe_say_what_there_is() {
    let dir = tempfile::tempdir().unwrap();
    for (arguments, said) in [
        (&["--processes", "65"][..], "1..=64"),
        (&["--engine", "none"], "verilator"),
        (&["--machine", "none"], "testbed6"),
    ] {
        let output = testbed(&[&["bsp", "probe"], arguments].concat(), dir.path());
        let text = text(&output);
        assert!(!output.status.success() && text.contains(said), "{text}");
    }
}

#[test]
fn programs_take_what_the_cost_model_says() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["experiment", "bsp", "--reduced", "--processes", "2", "--only", "bsp-inner,bsp-lu", "--json"];
    let output = testbed(&arguments, dir.path());
    assert!(output.status.success(), "{}", text(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = std::fs::read(dir.path().join("bsp.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&file).unwrap(), found);
    let page = std::fs::read_to_string(dir.path().join("bsp.html")).unwrap();
    assert!(page.contains("bsp-inner") && page.contains("bsp-lu") && page.ends_with("</html>\n"));
    let ends = &found["ends"][0];
    let [g, l, l0] = ["g", "l", "l0"].map(|name| number(ends, name));
    assert!(g > 0.0 && l0 > 0.0 && l > l0, "{ends}");
    let rows = list(&found, "rows");
    assert_eq!(rows.iter().map(|row| row["program"].as_str().unwrap()).collect::<Vec<_>>(), ["bsp-inner", "bsp-lu"]);
    for row in rows {
        let [measured, work, words, supersteps, sum, max] =
            ["measured", "work", "words", "supersteps", "sum", "max"].map(|name| number(row, name));
        assert!(
            work + g * words + supersteps * l0 - 1.0 <= sum && sum <= work + g * words + supersteps * l + 1.0,
            "{row}"
        );
        assert!(work <= max && max <= sum, "{row}");
        let by_length = number(row, "by_length");
        assert!((sum / measured - 1.0).abs() < 0.1 && (by_length / measured - 1.0).abs() < 0.1, "{row}");
    }
}

#[test]
fn a_program_that_is_not_held_against_the_model_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let output = testbed(&["experiment", "bsp", "--only", "wator"], dir.path());
    let text = text(&output);
    assert!(!output.status.success() && text.contains("`wator`") && text.contains("bsp-lu"), "{text}");
}

/// What `testbed analyse` says of a run's supersteps, from which everything can be reckoned again.
fn supersteps(run: &Path) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    let output = command.arg("analyse").arg(run).args(["bsp", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    found["bsp"]["groups"][0]["supersteps"].as_array().unwrap().clone()
}

/// The largest or the smallest value that the members of a superstep have.
fn of_members(superstep: &Value, of: impl Fn(&Value) -> f64, greater: fn(f64, f64) -> f64) -> f64 {
    list(superstep, "members").iter().map(of).reduce(greater).unwrap()
}

/// Work is that of the process with the most, words are the superstep's own, and times add up: reckoned
/// from what `testbed analyse` says, beside what the experiment has.
#[test]
fn the_experiment_takes_each_figure_from_its_own_process_and_superstep() {
    let dir = tempfile::tempdir().unwrap();
    let only = "bsp-prefix,bsp-bitonic,bsp-lu,bsp-inner";
    let arguments = ["experiment", "bsp", "--reduced", "--processes", "5", "--only", only, "--json"];
    let output = testbed(&arguments, dir.path());
    assert!(output.status.success(), "{}", text(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut kinds_of_work = BTreeSet::new();
    for row in list(&found, "rows") {
        let (program, size) = (row["program"].as_str().unwrap(), &row["size"]);
        let run = dir.path().join("runs/slaves5-cost1").join(format!("{program}-{size}-on-5-seed-1"));
        let all = supersteps(&run);
        let end = |step: &Value| of_members(step, |member| number(member, "through_cycle"), f64::max);
        let worked = |member: &Value| number(member, "sync_cycle") - number(member, "begin_cycle");
        let work: f64 = all[1..].iter().map(|step| of_members(step, worked, f64::max)).sum();
        let words = |step: &Value| {
            let of = |name: &'static str| of_members(step, move |member| number(member, name), f64::max);
            of("sent_words").max(of("received_words"))
        };
        assert_eq!(number(row, "measured"), end(&all[all.len() - 1]) - end(&all[0]), "{program}");
        assert_eq!(number(row, "work"), work, "{program}");
        assert_eq!(number(row, "words"), all[1..].iter().map(words).sum::<f64>(), "{program}");
        assert!(!list(row, "long").is_empty(), "{program}");
        for long in list(row, "long") {
            let step = &all[long["number"].as_u64().unwrap() as usize];
            assert_eq!(number(long, "work"), of_members(step, worked, f64::max), "{program}: {long}");
            assert_eq!(number(long, "words"), words(step), "{program}: {long}");
            kinds_of_work.insert((of_members(step, worked, f64::min) - number(long, "work")) as i64);
            let senders = list(step, "members").iter().filter(|member| number(member, "sent_words") != 0.0).count();
            assert_eq!(number(long, "senders"), senders as f64, "{program}: {long}");
            // What the programs are: who sends a message to whom.
            let messages = match (program, senders) {
                (_, 0) => 0.0,
                // Each to each: the comparison of all, and the sums of the inner product.
                ("bsp-inner", _) | (_, 5) if program != "bsp-bitonic" || long["number"] == all.len() as u64 - 2 => 8.0,
                ("bsp-bitonic", _) => 2.0,
                // From the owner of a column to all, and from each to those behind it.
                ("bsp-lu", 1) | ("bsp-prefix", _) => 4.0,
                other => panic!("{other:?} in {long}"),
            };
            assert_eq!(number(long, "messages"), messages, "{program}: {long}");
        }
    }
    // It makes a difference whose work is taken.
    assert!(kinds_of_work.len() > 5 && kinds_of_work.iter().all(|difference| *difference <= 0), "{kinds_of_work:?}");
}

#[test]
fn the_speed_up_is_that_of_the_lines_that_programs_print() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["experiment", "bsp", "--reduced", "--processes", "2", "--only", "bsp-inner,bsp-fft", "--json"];
    let output = testbed(&arguments, dir.path());
    assert!(output.status.success(), "{}", text(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(list(&found, "speedups").len(), 2);
    for one in list(&found, "speedups") {
        let (program, size) = (one["program"].as_str().unwrap(), &one["size"]);
        for (processes, cycles) in [(1, &one["alone"]), (2, &one["measured"])] {
            let run = format!("runs/slaves{processes}-cost1/{program}-{size}-on-{processes}-seed-1");
            let console = std::fs::read_to_string(dir.path().join(run).join("console.txt")).unwrap();
            assert!(console.contains(&format!("{program} {size} on {processes}: right, {cycles} cycles")), "{console}");
        }
        let [measured, predicted, even] = ["measured", "predicted", "even"].map(|name| number(one, name));
        assert!((predicted / measured - 1.0).abs() < 0.05, "{one}");
        assert!(number(one, "alone") / 2.0 < even && even < measured, "{one}");
    }
}

/// A file that `testbed bsp probe --json` has printed for so many processes, and what it says.
fn probed(folder: &Path, processes: &str) -> (String, Value) {
    let output = testbed(&["bsp", "probe", "--processes", processes, "--json"], &folder.join("probe"));
    assert!(output.status.success(), "{}", text(&output));
    let path = folder.join("parameters.json");
    std::fs::write(&path, &output.stdout).unwrap();
    (path.to_str().unwrap().into(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn the_space_has_what_was_measured_and_what_was_published() {
    let dir = tempfile::tempdir().unwrap();
    let (file, parameters) = probed(dir.path(), "1,3");
    let output = testbed(&["bsp", "space", &file, "--json"], dir.path());
    assert!(output.status.success(), "{}", text(&output));
    let points: Value = serde_json::from_slice(&output.stdout).unwrap();
    let points = points.as_array().unwrap();
    // One process has nobody to send to.
    let (ours, others): (Vec<&Value>, Vec<&Value>) = points.iter().partition(|point| point["ours"] == json!(true));
    assert!(ours.len() == 1 && others.len() > 10, "{points:?}");
    let three = &parameters[1];
    let [l, g, s, clock] = ["l_cycles", "g_cycles", "speed_mflops", "clock_mhz"].map(|name| number(ours[0], name));
    assert_eq!((l, &ours[0]["processes"]), (number(three, "barrier"), &three["processes"]));
    assert_eq!(g, number(&three["ways"][0]["long"], "slope"));
    assert_eq!(three["speed"][2][0], "f64");
    assert!((s - three["speed"][2][1].as_f64().unwrap() / 1e6).abs() < 1e-9 && clock == 25.0, "{}", ours[0]);
    assert!((number(ours[0], "l_flops") - l * s / clock).abs() < 1e-9, "{}", ours[0]);
    assert!(others.iter().all(|point| point["source"].as_str().unwrap().contains("https://")), "{others:?}");
    let page = std::fs::read_to_string(dir.path().join("space.html")).unwrap();
    assert!(page.contains("script-src 'unsafe-inline'; img-src data:\"") && page.contains("SGI Origin 2000"));
    let output = testbed(&["bsp", "space", &file], dir.path());
    let text = text(&output);
    assert!(output.status.success() && text.contains("Testbed") && text.contains("Pentium II cluster"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("[2] Oxford BSP toolset")), "{text}");
    assert!(text.trim_end().ends_with("space.html"), "{text}");
}

#[test]
fn files_that_are_no_probes_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (file, parameters) = probed(dir.path(), "2");
    let good = std::fs::read_to_string(&file).unwrap();
    let without = |name: &str| {
        let mut all = parameters.clone();
        all[0].as_object_mut().unwrap().remove(name);
        all.to_string()
    };
    let changed = |pointer: &str, value: Value| {
        let mut all = parameters.clone();
        *all.pointer_mut(pointer).unwrap() = value;
        all.to_string()
    };
    for (content, said) in [
        (String::new(), "is empty"),
        (" \n".into(), "is empty"),
        ("[]".into(), "no parameters of two processes"),
        (changed("/0/processes", json!(1)), "no parameters of two processes"),
        ("{\"ends\": []}".into(), "no parameters of a probe"),
        (good[..good.len() / 2].into(), "no parameters of a probe"),
        (without("barrier"), "`barrier`"),
        (changed("/0/barrier", json!(0)), "l is 0"),
        (changed("/0/ways", json!([])), "g of long messages is 0"),
        (changed("/0/ways/0/long/slope", json!(-3.5)), "g of long messages is -3.5"),
        (changed("/0/speed", json!([])), "the rate of f64 is 0"),
        (changed("/0/clock_hz", json!(0)), "the clock is 0"),
    ] {
        let bad = dir.path().join("bad.json");
        std::fs::write(&bad, &content).unwrap();
        let output = testbed(&["bsp", "space", bad.to_str().unwrap()], &dir.path().join("none"));
        let text = text(&output);
        let named = text.contains("bad.json") && text.contains(said) && text.contains("help: ");
        assert!(!output.status.success() && named, "{said} is not in: {text}");
        assert!(!dir.path().join("none").exists(), "a page was left for {content}");
    }
    let output = testbed(&["bsp", "space", "missing.json"], dir.path());
    let text = text(&output);
    assert!(!output.status.success() && text.contains("missing.json: cannot be read"), "{text}");
}
