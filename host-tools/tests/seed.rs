//! `--seed` decides all that is random, and every seed is another run.

use std::path::Path;
use std::process::Command;

fn run(arguments: &[&str], seed: &str, folder: &Path) {
    let out = folder.to_string_lossy();
    let words = [&["run"], arguments, &["--seed", seed, "--out", &out]].concat();
    let output = Command::new(env!("CARGO_BIN_EXE_testbed")).args(&words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn console(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("console.txt")).unwrap()
}

/// Where the kernel chooses a processor, 2 and 3 choose otherwise, and a seed twice the same.
#[test]
fn every_seed_is_a_run_of_its_own() {
    let root = tempfile::tempdir().unwrap();
    let folder = |seed: &str, times: u32| root.path().join(format!("{seed}-{times}"));
    for (seed, times) in [("2", 0), ("2", 1), ("3", 0)] {
        // It creates threads on any slave, which the kernel chooses.
        run(&["threads"], seed, &folder(seed, times));
    }
    let events = |path: &Path| std::fs::read(path.join("mmi.raw")).unwrap();
    let [first, again, other] = [folder("2", 0), folder("2", 1), folder("3", 0)].map(|folder| events(&folder));
    assert!(!first.is_empty() && first == again, "a seed is one run");
    assert_ne!(first, other, "seeds 2 and 3 are the same run");
}

/// A program that is given no seed takes the run's.
#[test]
fn chatter_follows_the_seed_of_the_run() {
    let root = tempfile::tempdir().unwrap();
    let folder = |name: &str| root.path().join(name);
    run(&["chatter"], "5", &folder("run"));
    run(&["chatter", "5"], "5", &folder("argument"));
    run(&["chatter", "1"], "5", &folder("another"));
    assert_eq!(console(&folder("run")), console(&folder("argument")));
    assert_ne!(console(&folder("run")), console(&folder("another")));
}
