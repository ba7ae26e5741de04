//! `testbed experiment overflow` with short runs: it finds rates without loss, and where there is
//! loss, all of it is counted.

use std::process::Command;

use serde_json::Value;

#[test]
fn rates_without_loss_are_found_and_losses_counted() {
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_testbed"))
        .args(["experiment", "overflow", "--for", "30ms", "--json", "--out"])
        .arg(dir.path())
        .output()
        .unwrap();
    // It fails unless gap markers tell what the counters lost, and the logger had what the port showed.
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = std::fs::read(dir.path().join("overflow.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&file).unwrap(), found);
    let found = found.as_array().unwrap();
    let setting = |machine: &str, by: &str, slaves: u64| {
        let is_it = |one: &&Value| {
            one["machine"] == machine && one["order"] == "turns" && one["by"] == by && one["slaves"] == slaves
        };
        found.iter().find(is_it).unwrap_or_else(|| panic!("{machine}, {by}, {slaves}"))
    };
    for one in found {
        assert_eq!((&one["free"]["lost"], &one["free"]["refused"]), (&Value::from(0), &Value::from(0)), "{one}");
        let logged = one["free"]["logged"].as_u64().unwrap();
        assert_eq!(logged > 0, one["by"] != "port", "{one}");
        // A logger that may miss something holds up nobody, and does miss some.
        let fastest = &one["fastest"];
        assert_eq!(fastest["missed"].as_u64().unwrap() > 100, one["by"] == "both", "{one}");
        assert!(one["by"] != "both" || fastest["lost"] == 0, "{one}");
    }
    for slaves in [1, 5] {
        // The report's bus is too slow for what programs can emit, with a logger or without; ours is not.
        for by in ["logger", "port"] {
            assert!(setting("report1991", by, slaves)["fastest"]["lost"].as_u64().unwrap() > 1_000);
        }
        let port = setting("testbed6", "port", slaves);
        assert_eq!((&port["free"]["interval_us"], &port["fastest"]["lost"]), (&Value::from(0), &Value::from(0)));
    }
    let in_all = |one: &Value| one["free"]["in_all"].as_f64().unwrap();
    assert!(in_all(setting("testbed6", "port", 5)) > 4.0 * in_all(setting("testbed6", "port", 1)));
}

#[test]
fn a_time_that_is_none_is_refused() {
    for time in ["0s", "5", "many", "2h", "1000000s"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
        let output = command.args(["experiment", "overflow", "--for", time]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{time}: {error}");
        assert!(error.contains("--for") && error.contains("help: write a time"), "{time}: {error}");
    }
}
