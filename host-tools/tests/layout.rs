//! How the tests lie: a file that no binary takes in would be lost silently.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::root;

/// Names of the test binaries that cargo builds of the folder `tests` of a package.
pub fn binaries(tests: &Path) -> BTreeSet<String> {
    let manifest = fs::read_to_string(tests.with_file_name("Cargo.toml")).unwrap_or_default();
    let manifest: toml::Table = toml::from_str(&manifest).unwrap_or_else(|error| panic!("{error}"));
    let found_by_itself = manifest.get("package").and_then(|package| package.get("autotests")).is_none();
    let named = manifest.get("test").and_then(toml::Value::as_array).into_iter().flatten();
    let named = named.filter_map(|test| Some(test.get("name")?.as_str()?.into()));
    named.chain(files(tests).into_iter().filter(|_| found_by_itself)).collect()
}

/// Names of the files and of the modules that are folders in `tests`.
fn files(tests: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(tests).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_module = |path: &Path| {
        let in_folder = ["mod.rs", "main.rs"].iter().any(|file| path.join(file).is_file());
        in_folder || path.extension().is_some_and(|extension| extension == "rs")
    };
    let name = |path: PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    entries.filter(|path| is_module(path)).map(name).collect()
}

/// Files of `tests` that are no binary and no module of one.
fn forgotten(tests: &Path) -> Vec<String> {
    let binaries = binaries(tests);
    let texts: String =
        binaries.iter().filter_map(|name| fs::read_to_string(tests.join(format!("{name}.rs"))).ok()).collect();
    let modules: BTreeSet<_> = texts.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
    files(tests).into_iter().filter(|name| !binaries.contains(name) && !modules.contains(name.as_str())).collect()
}

#[test]
fn every_file_of_tests_is_compiled_into_a_binary() {
    let folder = tempfile::tempdir().unwrap();
    let tests = folder.path().join("tests");
    fs::create_dir_all(tests.join("folder")).unwrap();
    let manifest = "[package]\nautotests = false\n[[test]]\nname = \"all\"\n[[test]]\nname = \"alone\"\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    for name in ["all.rs", "alone.rs", "one.rs", "folder/mod.rs"] {
        fs::write(tests.join(name), "").unwrap();
    }
    assert_eq!(forgotten(&tests), ["folder", "one"]);
    fs::write(tests.join("all.rs"), "mod folder;\nmod one;\n").unwrap();
    assert!(forgotten(&tests).is_empty());

    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let workspace: toml::Table = toml::from_str(&workspace).unwrap();
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let mut seen = 0;
    for member in members {
        let tests = root().join(member.as_str().unwrap()).join("tests");
        seen += files(&tests).len();
        assert!(forgotten(&tests).is_empty(), "{}: in no binary: {:?}", tests.display(), forgotten(&tests));
    }
    assert!(seen > 50, "{seen} files of tests");
}

/// What the program may take, as a file: it is copied to other computers.
const PROGRAM_BYTES: u64 = 60_000_000;

#[test]
fn the_program_is_not_too_large() {
    let bytes = fs::metadata(env!("CARGO_BIN_EXE_testbed")).unwrap().len();
    assert!((1_000_000..PROGRAM_BYTES).contains(&bytes), "{bytes} bytes");
}
