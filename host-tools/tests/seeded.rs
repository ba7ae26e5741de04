//! The faults of `tests/faults.toml`: each can still be seeded, and its test sees it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;
use testbed_runner::firmware;

use crate::common::root;
use crate::layout;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    fault: Vec<Fault>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    what: String,
    file: PathBuf,
    old: String,
    new: String,
    test: Test,
}

/// Package, test binary and name.
#[derive(Clone, Deserialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Test(String, String, String);

fn faults() -> Vec<Fault> {
    let path = root().join("tests/faults.toml");
    let list: List = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    list.fault
}

impl Fault {
    /// The file's text with the fault in it.
    fn seeded(&self, text: &str) -> String {
        let Fault { what, file, old, new, .. } = self;
        assert_eq!(
            text.matches(old.as_str()).count(),
            1,
            "{what}: {}: times that this is there: {old}",
            file.display()
        );
        text.replace(old.as_str(), new)
    }
}

impl Test {
    /// Whether the sources have such a test; a case of `programs` is a file.
    fn exists(&self) -> bool {
        let Test(package, binary, name) = self;
        if binary == "programs" {
            let case = name.strip_suffix("::emulator").unwrap_or(name);
            return root().join(format!("tests/programs/{case}.expected")).is_file();
        }
        let crate_name = package.strip_prefix("testbed-").unwrap_or(package);
        // Crates of the command line's lie in its folder, and those that the machine shares in the firmware's.
        let folders = ["", "host-tools", "firmware"].map(|folder| root().join(folder).join(crate_name));
        let Some(folder) = folders.iter().map(|folder| folder.join("tests")).find(|tests| tests.is_dir()) else {
            return false;
        };
        // In the binary `all`, a test is called as its module and its function.
        let (module, function) = match binary.as_str() {
            "all" => name.rsplit_once("::").unwrap_or((name, "")),
            other => (other, name.as_str()),
        };
        let file = module.replace("::", "/");
        let is_binary = layout::binaries(&folder).contains(binary);
        let texts = [format!("{file}.rs"), format!("{file}/mod.rs")].map(|path| fs::read_to_string(folder.join(path)));
        is_binary && texts.into_iter().flatten().any(|text| text.contains(&format!("fn {function}()")))
    }

    /// Runs it in the workspace at `root`.
    fn run(&self, root: &Path) -> Output {
        let Test(package, binary, name) = self;
        Command::new("cargo")
            .args(["test", "--release", "--package", package, "--test", binary, "--", "--exact", name])
            .current_dir(root)
            .env("CARGO_TARGET_DIR", root.join("target"))
            .env_remove("TESTBED_OVERWRITE")
            // A fault may be one of the firmware.
            .env_remove(firmware::WAY)
            .output()
            .unwrap()
    }
}

#[test]
fn every_fault_of_the_list_can_be_seeded_and_has_its_test() {
    let faults = faults();
    assert!(!faults.is_empty());
    for fault in faults {
        let text = fs::read_to_string(root().join(&fault.file));
        let text = text.unwrap_or_else(|error| panic!("{}: {}: {error}", fault.what, fault.file.display()));
        assert_ne!(fault.seeded(&text), text, "{}: the fault changes nothing", fault.what);
        assert!(fault.test.exists(), "{}: there is no test {:?}", fault.what, fault.test);
    }
}

/// Copies what git knows of the checkout to `to`; files that are there already and the same keep
/// their times, so that nothing is built without need.
fn copy_sources(to: &Path) {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().unwrap();
    assert!(listed.status.success(), "this test needs a checkout of git: {}", String::from_utf8_lossy(&listed.stderr));
    for name in listed.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let name = Path::new(std::str::from_utf8(name).unwrap());
        let (from, to) = (root().join(name), to.join(name));
        // A file that has been removed and not committed.
        let Ok(bytes) = fs::read(&from) else { continue };
        if fs::read(&to).is_ok_and(|there| there == bytes) {
            continue;
        }
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(&to, bytes).unwrap();
    }
}

#[test]
#[ignore = "builds everything once more, and parts of it for each fault; `cargo testbed test --long` runs it"]
fn every_fault_of_the_list_is_seen_by_its_test() {
    let (faults, copy) = (faults(), root().join("target/faults"));
    copy_sources(&copy);
    let text =
        |output: &Output| String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned();
    for test in faults.iter().map(|fault| &fault.test).collect::<BTreeSet<_>>() {
        let output = test.run(&copy);
        assert!(text(&output).contains("1 passed"), "{test:?} without a fault: {}", text(&output));
    }
    let mut unseen = Vec::new();
    for fault in &faults {
        let path = copy.join(&fault.file);
        let sound = fs::read_to_string(&path).unwrap();
        fs::write(&path, fault.seeded(&sound)).unwrap();
        let output = fault.test.run(&copy);
        fs::write(&path, sound).unwrap();
        match text(&output) {
            // A fault that does not build has not been tried.
            text if text.contains("1 failed") => println!("{}: seen", fault.what),
            text => unseen.push(format!("{}: {:?} does not see it\n{text}", fault.what, fault.test)),
        }
    }
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
}
