//! `testbed policy`: the code that decided on the machine decides the same over the run's trace.

use std::fs;

use serde_json::Value;

use super::{runs::*, LOADS};

/// What `testbed policy` says of a run, as JSON.
fn followed(left: &Left, more: &[&str]) -> Value {
    let folder = left.folder.path().to_str().unwrap();
    let output = testbed(&[&["policy", folder], more, &["--json"]].concat());
    assert!(output.status.success(), "{more:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn count(told: &Value, name: &str) -> u64 {
    told["counts"][name].as_u64().unwrap_or_else(|| panic!("{name}: {told}"))
}

#[test]
fn a_policy_decides_over_the_trace_as_it_did_on_the_machine() {
    const POLICIES: [&str; 6] = ["random", "report", "acknowledged", "diffusion", "greedy-refine", "gain"];
    for (words, policies) in [(LOADS[0], &POLICIES[..]), (LOADS[1], &POLICIES[4..])] {
        for policy in policies {
            let left = run(&format!("{words} --balance {policy} --sample 100ms"), &[]);
            let told = followed(&left, &[]);
            let [requests, both, own_only] = ["requests", "both", "own_only"].map(|name| count(&told, name));
            println!("{words}, {policy}: {requests} requests, {both} in both, {own_only} only in the run");
            assert!(both > 0 && told["policy"] == *policy, "{told}");
            assert_eq!([count(&told, "faults"), count(&told, "samples_lost")], [0, 0], "{words}, {policy}");
            if *policy == "gain" {
                // It decides by when things come too, which the trace does not tell to the millisecond.
                assert!(both * 4 >= requests.max(both + own_only) * 3, "{words}: {told}");
            } else {
                assert_eq!((both, own_only), (requests, 0), "{words}, {policy}: {told}");
            }
        }
    }
}

#[test]
fn other_policies_are_asked_too_with_their_settings() {
    let left = run(&format!("{} --balance none --sample 100ms", LOADS[0]), &[]);
    let asked = |more: &[&str]| count(&followed(&left, more), "requests");
    assert_eq!(asked(&[]), 0, "that of the run");
    let report = asked(&["report"]);
    assert!(report > 1);
    assert_eq!(asked(&["report", "--set", "period=60s"]), 1);
    assert_eq!(asked(&["report", "--set", "queue-over=64"]), 0);
    // Eight threads on one slave: the first placement takes six of them elsewhere at once.
    assert!(asked(&["gain"]) > report);
    let places = placement(left.folder.path(), "1-01-002 2\n1-01-003 3\n");
    let told = followed(&left, &["static", "--placement", &places]);
    let text: Vec<&str> = told["lines"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(text.iter().any(|line| line.starts_with("move work from 1 to 3 as thread 1-01-003")), "{told}");
    assert!(text.contains(&"# mig #1: the run has no such request"), "{told}");
}

#[test]
fn what_can_not_be_followed_says_why() {
    let left = run(&format!("{} --balance report --sample 100ms", LOADS[0]), &[]);
    let folder = left.folder.path().to_str().unwrap();
    refused(&["policy", folder, "gian"], &["no policy is called `gian`", "`gain`"]);
    refused(&["policy", folder, "static"], &["it is not said where threads go", "--placement"]);
    refused(&["policy", folder, "gain", "--placement", "places"], &["gain has no use for it"]);
    refused(&["policy", folder, "static", "--placement", "nowhere"], &["--placement: nowhere: "]);
    let wrong = placement(left.folder.path(), "1-01-002 9\n");
    refused(&["policy", folder, "static", "--placement", &wrong], &["line 1: expected the number of a slave"]);
    refused(&["policy", folder, "report", "--set", "least=1"], &["report has link-percent"]);
    fs::write(left.folder.path().join("balance.log"), "TIM: 1\nRQL: many\n").unwrap();
    refused(&["policy", folder], &["balance.log: line 2", "delete it"]);
    let alone = run(LOADS[1], &[]);
    let folder = alone.folder.path().to_str().unwrap();
    refused(&["policy", folder], &["no balancer ran there", "name a policy"]);
    refused(&["policy", folder, "gain"], &["did not record the samples", "--balance none"]);
}
