//! This core beside others, on the same binary: `testbed bench core`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[test]
fn the_core_is_ahead_of_picorv32_at_the_same_clock() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    let output = command.current_dir(root).args(["bench", "core", "--json"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let rate = |name: &str| {
        let row = rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no row {name}"));
        row["rate"].as_f64().unwrap()
    };
    // Counted in cycles, so the same wherever it runs.
    assert!(rate("this core") > 3.1 * rate("PicoRV32, fast"), "{rows:#?}");
    assert!(rate("this core, multicycle") > 1.6 * rate("PicoRV32, fast"), "{rows:#?}");
    assert!(rate("PicoRV32, fast") > rate("PicoRV32, serial"), "{rows:#?}");
    // The peers' own figures: a wrapper that made them wait would show here.
    assert!((6.0..6.2).contains(&rate("PicoRV32, fast")) && rate("VexRiscv, caches") > 15.0, "{rows:#?}");
}

#[test]
fn an_engine_that_is_none_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    let output = command.args(["bench", "core", "--engine", "abacus"]).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("abacus") && said.contains("verilator"), "{said}");
}
