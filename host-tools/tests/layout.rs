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

/// Lines of a file of Rust, at most: a longer one has more than one thought.
const LINES: usize = 400;

/// Files that are longer, and why.
const LONGER: [(&str, &str); 4] = [
    ("hdl/src/centrenet/transmitter.rs", BLOCK),
    ("hdl/src/monitor/mmi.rs", BLOCK),
    ("hdl/src/monitor/smi.rs", BLOCK),
    ("hdl/src/pipeline/mod.rs", BLOCK),
];
const BLOCK: &str =
    "rust-hdl wants each register of a block in its struct and its constructor, and its logic in one function";

/// The files of Rust in a folder, but for what builds leave.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && name != "target" && name != "out" {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// Files with more than [`LINES`] lines, without those of `longer`; and of those the ones that are no
/// longer so long.
fn too_long(root: &Path, longer: &[(&str, &str)]) -> Vec<String> {
    let mut files = Vec::new();
    sources(root, &mut files);
    let lines = |path: &Path| fs::read_to_string(path).unwrap().lines().count();
    let is_known = |path: &Path| longer.iter().any(|(known, _)| root.join(known) == path);
    let grown = files.iter().filter(|path| lines(path) > LINES && !is_known(path));
    let mut found: Vec<_> = grown.map(|path| format!("{} has {} lines", path.display(), lines(path))).collect();
    let excused = longer.iter().filter(|(known, _)| !root.join(known).is_file() || lines(&root.join(known)) <= LINES);
    found.extend(excused.map(|(known, _)| format!("{known} needs no exception")));
    found
}

#[test]
fn files_have_one_thought() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("a/target")).unwrap();
    for (name, lines) in [("a/short.rs", LINES), ("a/long.rs", LINES + 1), ("a/known.rs", 999), ("a/target/b.rs", 999)]
    {
        fs::write(folder.path().join(name), "\n".repeat(lines)).unwrap();
    }
    let known = [("a/known.rs", ""), ("a/short.rs", "")];
    let expected = [
        format!("{} has {} lines", folder.path().join("a/long.rs").display(), LINES + 1),
        "a/short.rs needs no exception".into(),
    ];
    assert_eq!(too_long(folder.path(), &known), expected);

    let found = too_long(&root(), &LONGER);
    assert!(found.is_empty(), "{}\n  help: split them, or give a reason in LONGER", found.join("\n"));
}
