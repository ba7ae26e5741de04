//! Placements that `static` obeys, and those that are refused.

use super::fails;
use super::runs::{placement, refused, run, PLACEMENT};

#[test]
fn threads_go_where_the_placement_says() {
    let files = tempfile::tempdir().unwrap();
    let places = placement(files.path(), PLACEMENT);
    let balanced = run("synthetic 8 compute 300 --balance static --sample 100ms --placement", &[&places]);
    let wanted = PLACEMENT.lines().skip(1).map(|line| line.split(' ').collect::<Vec<_>>());
    let mut wanted: Vec<_> = wanted.map(|words| (words[0].to_owned(), words[1].parse().unwrap())).collect();
    let mut moves = balanced.moves();
    wanted.sort();
    moves.sort();
    assert_eq!(moves, wanted, "{}", balanced.log);
    assert!(!balanced.said.contains("not asked for"), "{}", balanced.said);
    // Threads that are never seen are told.
    let places = placement(files.path(), &format!("{PLACEMENT}\n1-00-003 2\n"));
    let balanced = run("synthetic 8 compute 300 --balance static --sample 100ms --placement", &[&places]);
    assert!(balanced.said.contains("1 of the placement's threads were not asked for (1-00-003)"), "{}", balanced.said);
}

#[test]
fn a_placement_that_makes_no_sense_is_refused_before_the_run_and_by_policy() {
    let files = tempfile::tempdir().unwrap();
    let recorded = run("synthetic 4 compute 20 --balance none --sample 20ms", &[]);
    let long = format!("{}1-01-004 2\n", "# a remark\n".repeat(1000));
    for (text, wanted) in [
        ("1-01-004 2\n1-01-005 9\n", "line 2: expected the number of a slave"),
        ("1-01-004 2\n# and\n1-01-004 3\n", "line 3: the thread has a place already, in line 1"),
        (&long, "11011 bytes, of which a balancer reads 8192"),
    ] {
        let places = placement(files.path(), text);
        let wanted = [wanted, "as `1-01-003 2`", "a slave from 1 to 5"];
        fails(&["run", "hello", "--balance", "static", "--placement", &places], &wanted);
        refused(&["policy", recorded.folder.path().to_str().unwrap(), "static", "--placement", &places], &wanted);
    }
}

#[test]
fn a_run_that_is_over_before_its_first_samples_says_so() {
    let short = run("synthetic 4 compute 20 --balance report", &[]);
    assert!(
        short.said.contains("before its first samples, which are 1 s apart\n  help: give a shorter --sample"),
        "{}",
        short.said
    );
    refused(&["policy", short.folder.path().to_str().unwrap()], &["before its first samples", "a shorter --sample"]);
}
