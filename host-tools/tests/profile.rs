//! `testbed experiment profile` with its reduced runs: the figures are all there, are made of sound
//! traces, and are the same on another engine, after a kill, and from the workflow.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

fn testbed(out: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.args(["experiment", "profile", "--reduced", "--out"]).arg(out).args(options);
    command
}

/// Runs it to its end, and returns what it printed.
fn run(out: &Path, options: &[&str]) -> String {
    let output = testbed(out, options).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Points of all figures, by file.
fn points(out: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(out.join("figures")).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap()))
        .collect()
}

/// Keys of finished runs, with when they were written.
fn finished(out: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let Ok(entries) = fs::read_dir(out.join("runs")) else { return BTreeMap::new() };
    let keys =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    keys.map(|path| (path.clone(), fs::metadata(path).unwrap().modified().unwrap())).collect()
}

#[test]
fn all_figures_are_there_and_finished_runs_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let found: Value = serde_json::from_str(&run(dir.path(), &["--json"])).unwrap();
    let file = fs::read_to_string(dir.path().join("profile.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&file).unwrap(), found);
    let numbers: Vec<_> =
        found["figures"].as_array().unwrap().iter().map(|figure| figure["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (9..=27).collect::<Vec<_>>());
    for figure in found["figures"].as_array().unwrap() {
        for text in ["title", "query", "explanation", "report"] {
            assert!(!figure[text].as_str().unwrap().is_empty(), "{figure}");
        }
    }
    let services = found["services"].as_array().unwrap();
    // Four services on two kernels, quiet and busy.
    assert_eq!(services.len(), 16);
    assert!(services.iter().all(|service| service["cycles"]["intercept"].as_f64().unwrap() > 100.0));
    assert_eq!(found["runs"].as_array().unwrap().len(), 14);
    let page = fs::read_to_string(dir.path().join("profile.html")).unwrap();
    assert!((9..=27).all(|number| page.contains(&format!("Figure {number}"))));

    let (before, points_before) = (finished(dir.path()), points(dir.path()));
    assert_eq!(before.len(), 14);
    // One run is missing, one is of something else, one was made by another build: these are made again.
    fs::remove_file(dir.path().join("runs/remote-tos94-quiet.key.json")).unwrap();
    let other = dir.path().join("runs/local-default-quiet.key.json");
    fs::write(&other, fs::read_to_string(&other).unwrap().replace("\"seed\": 1", "\"seed\": 2")).unwrap();
    let older = dir.path().join("runs/migrate-default-quiet.key.json");
    fs::write(&older, fs::read_to_string(&older).unwrap().replace("\"testbed\": \"", "\"testbed\": \"0")).unwrap();
    run(dir.path(), &[]);
    let after = finished(dir.path());
    let again: Vec<_> =
        after.iter().filter(|(path, time)| before.get(*path) != Some(time)).map(|(path, _)| path).collect();
    assert_eq!(again.len(), 3, "{again:?}");
    assert_eq!(points(dir.path()), points_before);
}

#[test]
fn a_call_that_was_killed_goes_on_where_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (cut, whole) = (dir.path().join("cut"), dir.path().join("whole"));
    let mut child = testbed(&cut, &["--jobs", "1"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while finished(&cut).len() < 3 {
        assert!(started.elapsed() < Duration::from_secs(300) && child.try_wait().unwrap().is_none(), "it made no runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = finished(&cut);
    assert!(before.len() < 14, "it was killed too late to show anything");
    run(&cut, &[]);
    let after = finished(&cut);
    assert!(before.iter().all(|(path, time)| after.get(path) == Some(time)));
    run(&whole, &[]);
    assert_eq!(points(&cut), points(&whole));
}

/// A short run of each protocol.
#[test]
fn verilator_gives_the_same_points_of_some_runs() {
    let dir = tempfile::tempdir().unwrap();
    let engines = ["emulator", "verilator"];
    for (name, queries) in [
        ("local-default-quiet", &["local-send-service", "local-services-corrected"][..]),
        ("remote-tos94-quiet", &["message-services", "message-flights", "remote-delays"]),
        ("migrate-default-quiet", &["migration-phases", "page-phases"]),
    ] {
        for query in queries {
            let answers = engines.map(|engine| {
                let out = dir.path().join(engine);
                run(&out, &["--engine", engine, "--only", name]);
                let asked = Command::new(env!("CARGO_BIN_EXE_testbed"))
                    .args(["query", query])
                    .arg(out.join("runs").join(name))
                    .output()
                    .unwrap();
                assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
                asked.stdout
            });
            assert!(answers[0].len() > 100 && answers[0] == answers[1], "{name}: {query} differs");
        }
    }
}

/// Every point of every figure, byte for byte.
#[test]
#[ignore = "takes many minutes; `cargo testbed test --long` runs it"]
fn verilator_gives_the_same_points_of_all_figures() {
    let dir = tempfile::tempdir().unwrap();
    let (emulated, verilated) = (dir.path().join("emulator"), dir.path().join("verilator"));
    run(&emulated, &[]);
    run(&verilated, &["--engine", "verilator"]);
    let (one, other) = (points(&emulated), points(&verilated));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, text) in &one {
        assert!(text.lines().count() > 1, "{name} is empty");
        assert!(text == &other[name], "{name} differs");
    }
}

#[test]
fn single_runs_and_queries() {
    let dir = tempfile::tempdir().unwrap();
    let names = run(dir.path(), &["--list"]);
    assert_eq!(names.lines().count(), 14);
    run(dir.path(), &["--only", "local-default-quiet"]);
    let folder = dir.path().join("runs/local-default-quiet");
    let query = |words: &[&str]| Command::new(env!("CARGO_BIN_EXE_testbed")).arg("query").args(words).output().unwrap();
    let folder = folder.to_str().unwrap();
    let by_name = query(&["local-send-latency", folder]);
    let by_number = query(&["24", folder]);
    assert!(by_name.status.success() && by_name.stdout == by_number.stdout);
    // Ten lengths, two messages each, and the names of the columns.
    assert_eq!(String::from_utf8_lossy(&by_name.stdout).lines().count(), 21);
    for (words, what) in [
        (["9x", folder], "there is no query `9x`"),
        (["page-phases", folder], "the run is of `local`; `page-phases` is asked of `migrate`"),
    ] {
        let refused = query(&words);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(3) && error.contains(what) && error.contains("help:"), "{error}");
    }
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = testbed(&file, &[]).output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(5) && error.contains("file/runs: cannot be written") && error.contains("help:")
    );
    let refused = testbed(dir.path(), &["--only", "nobody"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--reduced --list"));
}

/// The Snakemake workflow makes the same figures.
#[test]
fn the_workflow_gives_the_same_points() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let snakemake = root.join("target/python/bin/snakemake");
    assert!(
        snakemake.is_file(),
        "{} is missing\n  help: `cargo testbed test` installs it from PyPI",
        snakemake.display()
    );
    let dir = tempfile::tempdir().unwrap();
    let (direct, flow) = (dir.path().join("direct"), dir.path().join("flow"));
    run(&direct, &[]);
    let output = Command::new(snakemake)
        .current_dir(root)
        .args(["--snakefile", "workflows/profile/Snakefile", "--cores", "2", "--quiet", "all", "--directory"])
        .arg(dir.path())
        .args(["--config", "reduced=true"])
        .args([format!("out={}", flow.display()), format!("testbed={}", env!("CARGO_BIN_EXE_testbed"))])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(points(&flow), points(&direct));
    assert!(flow.join("profile.html").is_file());
}
