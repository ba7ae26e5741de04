//! Scripts of `tests/shell` do on the machine in memory what they do with the host's dash and
//! coreutils.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::machine::Memory;

/// The scripts: each file has several, which begin with a line `#: NAME`.
pub fn scripts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shell");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut all = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "sh")) {
        let (text, topic) =
            (fs::read_to_string(path).unwrap(), path.file_stem().unwrap().to_string_lossy().into_owned());
        for script in text.split("#: ").skip(1) {
            let (name, body) = script.split_once('\n').unwrap();
            all.push((format!("{topic}: {name}"), body.to_string()));
        }
    }
    all
}

/// What dash makes of a script: standard output and status.
fn dash(script: &str) -> (String, u32) {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("dash")
        .args(["-c", script, "sh", "one", "two words", "three"])
        .current_dir(&folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .expect("dash has to be installed: apt-get install dash");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap() as u32)
}

#[test]
fn scripts_do_what_they_do_with_dash_and_coreutils() {
    let scripts = scripts();
    assert!(scripts.len() >= 200, "{}", scripts.len());
    let mut wrong = Vec::new();
    for (name, script) in &scripts {
        let mut memory = Memory::default();
        memory.left = Some(100_000);
        let status = memory.run(script.as_bytes(), &["one", "two words", "three"]);
        let ours = (String::from_utf8_lossy(&memory.printed).into_owned(), status);
        let theirs = dash(script);
        if ours != theirs {
            let said = String::from_utf8_lossy(&memory.complained).into_owned();
            wrong.push(format!(
                "== {name}\n{script}-- ours: {}\n{}-- dash: {}\n{}-- said:\n{said}",
                ours.1, ours.0, theirs.1, theirs.0
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), scripts.len(), wrong.join("\n"));
}
