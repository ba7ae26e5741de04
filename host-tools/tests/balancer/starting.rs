//! The program starts when the balancer is ready, or does without one that fails.

use std::fs;

use testbed_balance::log::Entry;
use testbed_balance::request::Answer;

use super::runs::{run, testbed, Left};
use crate::common::root;

/// Milliseconds after which the program created its first thread.
fn created_ms(left: &Left) -> u64 {
    let output = testbed(&["trace", left.folder.path().to_str().unwrap(), "--event", "CREATE"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let first = text.lines().next().filter(|line| line.contains(" earth.1.2"));
    let first = first.unwrap_or_else(|| panic!("no thread was created:\n{text}"));
    first.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1000
}

/// `synthetic` has nothing to read, so it would create its threads long before the balancer is
/// ready; all have to be dealt out none the less.
#[test]
fn a_program_starts_when_the_balancer_is_ready() {
    let dealt = run("synthetic 5 compute 20 --balance gain --dgl load+profile", &[]);
    let stands = dealt.entries().into_iter().filter_map(|entry| match entry {
        Entry::Answer { answer: Some(Answer::Stands), time, .. } => Some(time),
        _ => None,
    });
    let stands: Vec<_> = stands.take(5).collect();
    assert_eq!(stands.len(), 5, "{}", dealt.log);
    let created = created_ms(&dealt);
    assert!(stands.iter().all(|&time| time <= created), "{stands:?}, and created at {created} ms");
    // And not much later.
    assert!(created < 50, "{created} ms");
    // One that asks for nothing at first is waited for, too.
    let created = created_ms(&run("synthetic 5 compute 20 --balance none --dgl load+profile", &[]));
    assert!((10..50).contains(&created), "{created} ms");
}

#[test]
fn a_program_starts_without_a_balancer_that_fails() {
    // A program that is no balancer.
    let words = "synthetic 4 compute 20 --balance gain --dgl load+profile --file hello=balancer";
    for more in [&[][..], &["--kernel", "tos94"]] {
        let without = run(words, more);
        assert!(without.console.contains("hello from processor 0"), "{}", without.console);
        assert!(without.said.contains("it did not begin, which the console tells"), "{}", without.said);
        assert!(without.console.contains("synthetic: 0 wrong, 0 failed"), "{}", without.console);
        // When the first sample was due.
        let created = created_ms(&without);
        assert!((1000..1100).contains(&created), "{created} ms");
    }
}

/// The filestore leaves the master too little memory; whoever balances nothing keeps nobody from running.
#[test]
fn a_program_starts_without_a_balancer_that_finds_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let testbed6 = fs::read_to_string(root().join("machines/testbed6.toml")).unwrap();
    let (machine, file) = (path("machine.toml"), path("file"));
    fs::write(&machine, testbed6.replace("4 MiB", "2 MiB")).unwrap();
    let [first, second] = ["first", "second"].map(|name| format!("{file}={name}"));
    fs::write(&file, vec![1; 300 << 10]).unwrap();
    let more = ["--machine", &machine, "--file", &first, "--file", &second];
    let without = run("synthetic 4 compute 20 --balance gain", &more);
    assert!(without.console.contains("master: the balancer can't start: out of memory"), "{}", without.console);
    assert!(without.console.contains("synthetic: 0 wrong, 0 failed"), "{}", without.console);
}
