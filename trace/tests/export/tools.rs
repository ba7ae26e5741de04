//! Python with others' packages, and the examples of the manual.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
}

/// Where `testbed test` puts packages; else whatever Python there is.
fn interpreter() -> PathBuf {
    let own = root().join("target/python/bin/python3");
    match std::env::var_os("TESTBED_PYTHON") {
        Some(path) => path.into(),
        None if own.exists() => own,
        None => "python3".into(),
    }
}

/// A Python that has `package`.
///
/// # Panics
/// There is none; the message says how to get it.
pub fn python_with(package: &str) -> PathBuf {
    let interpreter = interpreter();
    let help = format!(
        "this test needs Python with the package {package}: run `cargo testbed test`, which installs it in target/python, \
         or `pip install {package}` and set TESTBED_PYTHON to that Python"
    );
    let found = Command::new(&interpreter).args(["-c", &format!("import {package}")]).output();
    assert!(found.is_ok_and(|output| output.status.success()), "{} has none: {help}", interpreter.display());
    interpreter
}

/// Runs a script that needs `package` in `dir`; what it prints.
pub fn python(package: &str, script: &str, input: &str, dir: &Path) -> String {
    let mut child = Command::new(python_with(package))
        .args(["-c", script])
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Blocks of `docs/trace.md` in this language.
pub fn documented(language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/trace.md")).unwrap();
    let fence = format!("```{language}\n");
    let parts = text.split(&fence).skip(1);
    parts.map(|part| part.split("```").next().unwrap_or_default().to_string()).collect()
}
