//! Checks that take minutes, and what is known of them: a check of the same design with the same tools
//! is not made again (see [`testbed_hdl::support::proven`]).

use std::fs;
use std::path::Path;
use std::process::Command;

use testbed_hdl::support::proven::{Question, Verdict};

/// What a tool says of its version; `None` if it is not there, which the check then tells.
fn version((program, option): (&str, &str)) -> Option<String> {
    let output = Command::new(program).arg(option).output().ok()?;
    // Each on the stream that it likes.
    Some([output.stdout, output.stderr].iter().map(|text| String::from_utf8_lossy(text)).collect())
}

/// The files in a folder of the project and those below it, in order, as one text.
pub fn sources(folder: &str) -> String {
    let mut text = String::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder), &mut text);
    text
}

fn collect(path: &Path, text: &mut String) {
    if path.is_file() {
        text.push_str(&fs::read_to_string(path).unwrap());
        return;
    }
    let mut entries: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.iter().for_each(|entry| collect(entry, text));
}

/// Makes the check, which panics where something is wrong, unless `parts`, of which it is a
/// function, have passed it with these tools.
pub fn check(tools: &[(&str, &str)], parts: &[&str], check: impl FnOnce()) {
    let versions: Option<Vec<_>> = tools.iter().map(|tool| version(*tool)).collect();
    let ask = || {
        check();
        Verdict::Passed
    };
    let verdict = match versions {
        Some(versions) => Question::new(&versions.concat(), parts).answer(ask),
        None => ask(),
    };
    assert_eq!(verdict, Verdict::Passed);
}
