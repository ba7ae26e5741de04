//! Programs that do at random all that a program can do, and whose output isn't known to the
//! letter: threads that migrate while every byte is checked, and processes that call, load, store
//! and jump at random. `testbed test --long` gives them ten minutes of machine time and a million
//! calls.

use std::fs;
use std::process::Command;

/// Runs a program on the emulator; exit code 0 says that the ledger balances too. Returns its console.
fn console(words: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_testbed"))
        .arg("run")
        .args(words.split_whitespace())
        .args(["--for", "1000s", "--dgl", "none", "--out"])
        .arg(folder.path())
        .output()
        .unwrap();
    let console = fs::read_to_string(folder.path().join("console.txt")).unwrap_or_default();
    assert!(output.status.success(), "{words}\n{console}\n{}", String::from_utf8_lossy(&output.stderr));
    console
}

/// The number ahead of `word`.
fn number(console: &str, word: &str) -> u64 {
    let words: Vec<&str> = console.split_whitespace().collect();
    let place = words.iter().position(|found| found.trim_end_matches([',', ';']) == word);
    let place = place.unwrap_or_else(|| panic!("no `{word}` in\n{console}"));
    words[place - 1].parse().unwrap_or_else(|_| panic!("no number ahead of `{word}` in\n{console}"))
}

fn chatter(seed: u32) {
    let (seconds, least) = if crate::common::is_long() { (600, 10_000) } else { (3, 100) };
    let console = console(&format!("leaks chatter {seed} 64 20 {seconds} --file chatter"));
    assert!(number(&console, "moves") >= least, "{console}");
    assert_eq!(number(&console, "wrong"), 0, "{console}");
    assert_eq!(number(&console, "leaks"), 0, "{console}");
}

#[test]
fn chatter_with_seed_1() {
    chatter(1);
}
#[test]
fn chatter_with_seed_2() {
    chatter(2);
}
#[test]
fn chatter_with_seed_3() {
    chatter(3);
}

#[test]
fn fuzz() {
    let calls = if crate::common::is_long() { 1_000_000 } else { 20_000 };
    let console = console(&format!("leaks fuzz 1 {calls} --file fuzz"));
    assert!(number(&console, "calls") >= calls, "{console}");
    assert_eq!(number(&console, "leaks"), 0, "{console}");
}
