//! Files that go to and fro between a page and its machine while that runs, and what a balancer in
//! a page is given and leaves.

use std::fs;

use serde_json::json;
use testbed_page::run::Run;

use super::machine::{kit, native, run, testbed6};

/// Bytes of all values.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| (at * at / 7 + at) as u8).collect()
}

/// Lets the machine answer what was typed, in chunks as a page asks for them.
fn settle(run: &mut Run) {
    let until = run.cycle() + 40_000_000;
    while run.cycle() < until && run.state().stopped.is_none() {
        run.advance(run.cycle() + 500_000).unwrap();
    }
}

/// What earth has printed that a page shows, in one text.
fn shown(run: &mut Run) -> String {
    let bytes = run.take_console().into_iter().filter(|(processor, _)| *processor == 1).map(|(_, byte)| byte);
    String::from_utf8(bytes.collect()).unwrap()
}

#[test]
fn files_go_to_and_fro_while_a_run_goes_on_and_are_typed_again_here() {
    let mut kit = kit();
    kit.put("file", "data", bytes(20_000)).unwrap();
    let mut run = run(&kit, &json!({ "machine": testbed6(), "program": "sh" })).unwrap();
    run.advance(3_000_000).unwrap();
    // The second file comes when the run has begun, and what stands behind a command waits for it.
    kit.put("file", "list", b"pear\napple\n".to_vec()).unwrap();
    run.give(b"put data\ncmp data data && get data back\nput list fire:fruit; on fire sort fruit\nget none\n");
    settle(&mut run);
    assert_eq!(run.kept(), [("back".to_string(), 20_000)]);
    assert!(run.file("back").unwrap() == bytes(20_000));
    let printed = shown(&mut run);
    assert!(printed.contains("none: no such file") && !printed.contains('\x05'), "{printed:?}");
    kit.put("file", "never", b"typed".to_vec()).unwrap();
    run.give(b"put nowhere\nget data run.json\nget data a/b\nX=nev; put ${X}er\nstty size\nget list\n");
    settle(&mut run);
    let printed = shown(&mut run);
    for said in [
        "this page has no file nowhere",
        "run.json is one of the run's own files",
        "a/b can't be a file's name",
        "was not typed at this console",
        "no rows and columns",
    ] {
        assert!(printed.contains(said), "{said}: {printed}");
    }
    assert_eq!(run.state().input_waiting, 0);
    run.give(b"\x04");
    run.advance(u64::MAX).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let (input, dir) = (folder.path().join("input"), folder.path().join("run"));
    fs::write(&input, run.file("input").unwrap()).unwrap();
    native(&["sh", "--replay", input.to_str().unwrap()], &dir);
    for name in ["mmi.raw", "console.txt", "console.log", "input"] {
        assert!(run.file(name).unwrap() == fs::read(dir.join(name)).unwrap(), "{name}");
    }
}

#[test]
fn a_page_takes_only_so_many_files_of_a_run() {
    let kit = kit();
    let mut run = run(&kit, &json!({ "machine": testbed6(), "program": "sh" })).unwrap();
    run.advance(3_000_000).unwrap();
    run.give(b"echo x > f\n");
    for number in 0..=256 {
        run.give(format!("get f f{number}\n").as_bytes());
    }
    run.give(b"get f f7\n\x04");
    run.advance(2_000_000_000).unwrap();
    let printed = shown(&mut run);
    assert_eq!(run.state().stopped, Some("exit"), "{} {printed}", run.state().input_waiting);
    assert_eq!(run.kept().len(), 256);
    assert!(printed.contains("256 files of this run already"), "{printed}");
    assert!(printed.ends_with("f7, under The trace\n$ end of input\n"), "{printed}");
}

#[test]
fn a_placement_in_a_page_does_what_it_does_here() {
    let places = "# two of them\n1-01-004 2\n1-01-005 3 # far\n";
    let folder = tempfile::tempdir().unwrap();
    let (path, dir) = (folder.path().join("places"), folder.path().join("run"));
    fs::write(&path, places).unwrap();
    let program = ["synthetic", "4", "compute", "700ms"];
    let options = ["--balance", "static", "--placement", path.to_str().unwrap(), "--sample", "50ms"];
    native(&[&program[..], &options[..], &["--cycles", "20000000"]].concat(), &dir);
    let mut wishes = json!({ "machine": testbed6(), "program": program[0], "arguments": program[1..],
        "balance": { "policy": "static", "sample_us": 50_000 }, "placement": places, "cycles": 20_000_000 });
    let mut page = run(&kit(), &wishes).unwrap();
    page.advance(10_000_000).unwrap();
    let half = page.file("balance.log").unwrap();
    page.advance(u64::MAX).unwrap();
    let log = page.file("balance.log").unwrap();
    assert!(!half.is_empty() && half.len() < log.len() && log.starts_with(&half));
    assert!(String::from_utf8(log.clone()).unwrap().contains("1-01-004"));
    assert!(log == fs::read(dir.join("balance.log")).unwrap());
    assert!(page.file("mmi.raw").unwrap() == fs::read(dir.join("mmi.raw")).unwrap());
    let report = String::from_utf8(page.file("report.html").unwrap()).unwrap();
    assert!(report.contains("static"), "the report of a run that was balanced tells of it");

    for (placement, words) in [
        (json!(null), "it is not said where threads go"),
        (json!("1-00-003 7"), "line 1: expected the number of a slave"),
        (json!("x".repeat(9000)), "more than 8192 bytes"),
    ] {
        wishes["placement"] = placement;
        let error = run(&kit(), &wishes).err().unwrap();
        assert!(error.contains(words) && error.contains("help:"), "{error}");
    }
    wishes["placement"] = json!("1-00-003 2");
    wishes["balance"]["policy"] = json!("gain");
    assert!(run(&kit(), &wishes).err().unwrap().contains("leave it out"));
    wishes["balance"] = json!({ "policy": "report", "sample_us": 50_000, "settings": ["gain=1"] });
    wishes["placement"] = json!(null);
    assert!(run(&kit(), &wishes).is_err());
}
