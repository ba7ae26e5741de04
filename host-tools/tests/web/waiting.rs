//! Who waits for whom is told in a page as it is told here, also while the run goes on.

use std::process::Command;

use serde_json::json;

use super::machine::{kit, run, testbed6};

/// A text without the lines that a page can't know, which are those of the sources.
fn without_places(text: &str) -> Vec<&str> {
    let is_place = |line: &&str| ["at ", "from "].iter().any(|word| line.trim_start().starts_with(word));
    text.lines().filter(|line| !is_place(line)).collect()
}

#[test]
fn a_page_tells_who_waits_as_it_is_told_here() {
    let kit = kit();
    for (case, verdict) in [("two", "deadlock in"), ("half", "partial deadlock in"), ("delay", "no deadlock in")] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_str().unwrap();
        let testbed = |arguments: &[&str]| {
            let output = Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        testbed(&["run", "stuck", case, "--cycles", "6000000", "--out", out]);
        let here = testbed(&["analyse", out, "waits"]);
        let wishes = json!({ "machine": testbed6(), "program": "stuck", "arguments": [case], "cycles": 6_000_000 });
        let mut page = run(&kit, &wishes).unwrap();
        page.advance(6_000_000).unwrap();
        assert_eq!(page.state().stopped, None);
        let live = page.waits().unwrap();
        page.advance(u64::MAX).unwrap();
        assert_eq!(page.state().stopped, Some("limit"));
        let ended = page.waits().unwrap();
        assert_eq!(without_places(&here), without_places(&ended), "{case}");
        assert_eq!(without_places(&live), without_places(&ended), "{case}");
        assert!(here.contains(verdict), "{here}");
        assert!(!page.file("threads.json").unwrap().is_empty());
    }
    // A program that is over leaves nobody who waits.
    let mut page = run(&kit, &json!({ "machine": testbed6(), "program": "hello" })).unwrap();
    page.advance(u64::MAX).unwrap();
    assert!(page.waits().unwrap().contains("over"), "{}", page.waits().unwrap());
    assert!(page.file("threads.json").is_err());
}
