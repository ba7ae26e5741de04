//! `testbed experiment random-loads`, reduced: its tables follow from the times, its commands make the
//! runs again; and the workflow that sweeps policies over programs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::root;

fn testbed(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).current_dir(folder).output().unwrap()
}

fn experiment(out: &Path, options: &[&str]) -> Output {
    let arguments = ["experiment", "random-loads", "--reduced", "--out", out.to_str().unwrap()];
    testbed(&[&arguments, options].concat(), &root())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn took(console: &Path) -> f64 {
    let text = fs::read_to_string(console).unwrap();
    let milliseconds = text.lines().find_map(|line| line.split_once(": took ")).unwrap().1;
    milliseconds.strip_suffix(" ms").unwrap().parse::<f64>().unwrap() / 1e3
}

#[test]
fn times_are_those_of_the_runs_and_commands_repeat_them() {
    let dir = tempfile::tempdir().unwrap();
    let output = experiment(dir.path(), &["--json", "--programs", "4", "--costs", "1,5"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = fs::read(dir.path().join("random-loads.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&file).unwrap(), found);
    let page = fs::read_to_string(dir.path().join("random-loads.html")).unwrap();
    assert!(["figure-1-1", "figure-1-2", "figure-2-1", "figure-2-2"].iter().all(|plot| page.contains(plot)));
    assert_eq!(found["programs"].as_array().unwrap().len(), 4);
    let settings = found["settings"].as_array().unwrap();
    assert_eq!(settings.iter().map(|setting| &setting["cost"]).collect::<Vec<_>>(), [1, 5]);
    for setting in settings {
        let times = setting["times"].as_array().unwrap();
        assert_eq!(times.len(), 4);
        let ratios = times.iter().map(|times| {
            let random: f64 = times["random"].as_array().unwrap().iter().map(number).sum();
            number(&times["policies"][0]) / number(&times["sequential"]).min(random / 3.0)
        });
        let hurt = ratios.filter(|ratio| *ratio > 1.05).count();
        assert_eq!(setting["hurt"], hurt, "{setting}");
        for rival in setting["rivals"].as_array().unwrap() {
            assert!(rival["wins"].as_u64().unwrap() + rival["losses"].as_u64().unwrap() <= 4, "{rival}");
        }
    }
    // By hand, in the folder, on the dearer machine too. The filestore has more programs then, so the
    // start is some milliseconds later, and a policy may decide otherwise.
    for setting in settings {
        let times = &setting["times"][2];
        for (index, expected, within) in
            [(0, &times["sequential"], 0.01), (2, &times["random"][1], 0.02), (4, &times["policies"][0], 0.4)]
        {
            let command = times["commands"][index].as_str().unwrap();
            let words: Vec<_> = command.split(' ').skip(1).chain(["--out", "again"]).collect();
            let again = testbed(&words, dir.path());
            assert!(again.status.success(), "{command}: {}", String::from_utf8_lossy(&again.stderr));
            let ratio = took(&dir.path().join("again/console.txt")) / number(expected);
            assert!((ratio - 1.0).abs() < within, "{command}: {ratio}");
        }
    }
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for wrong in [["--costs", "3"], ["--slaves", "16"], ["--seconds", "0"], ["--programs", "0"], ["--engine", "abacus"]]
    {
        let output = experiment(dir.path(), &wrong);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(wrong[1]), "{wrong:?}: {error}");
    }
}

/// Calls the workflow with a load of ten threads in `folder`, and further words.
fn workflow(folder: &Path, words: &[&str]) -> Output {
    let snakemake = root().join("target/python/bin/snakemake");
    assert!(
        snakemake.is_file(),
        "{} is missing\n  help: `cargo testbed test` installs it from PyPI",
        snakemake.display()
    );
    let loads = folder.join("loads");
    fs::create_dir_all(&loads).unwrap();
    let work: String = (2..12).map(|thread| format!("work {thread} 40\n")).collect();
    fs::write(loads.join("ten.taskgraph"), format!("taskgraph 1\nthreads 10\nphase 50\n{work}end\n")).unwrap();
    Command::new(snakemake)
        .current_dir(root())
        .args(["--snakefile", "workflows/balance/Snakefile", "--cores", "1", "--directory"])
        .arg(folder)
        .args(words)
        .args(["--config", "policies=none,diffusion", "periods=50ms", "machine=testbed6"])
        .args([format!("loads={}", loads.display()), format!("out={}", folder.join("sweep").display())])
        .arg(format!("testbed={}", env!("CARGO_BIN_EXE_testbed")))
        .output()
        .unwrap()
}

#[test]
fn the_workflow_makes_a_table_of_all_runs() {
    let dir = tempfile::tempdir().unwrap();
    let dry = workflow(dir.path(), &["--dry-run"]);
    let said = String::from_utf8_lossy(&dry.stdout).into_owned() + &String::from_utf8_lossy(&dry.stderr);
    assert!(dry.status.success() && said.contains("diffusion-50ms"), "{said}");
    assert!(!dir.path().join("sweep").exists(), "nothing is made");
    let made = workflow(dir.path(), &["--quiet", "all"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let table = fs::read_to_string(dir.path().join("sweep/table.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows.iter().map(|row| (row[0], row[1], row[2])).collect::<Vec<_>>(),
        [("ten", "none", "50"), ("ten", "diffusion", "50")]
    );
    let number = |row: usize, column: usize| rows[row][column].parse::<u64>().unwrap();
    assert_eq!(number(0, 5), 0, "{table}");
    assert!(number(1, 5) > 0 && number(1, 3) < number(0, 3), "moves help: {table}");
}
