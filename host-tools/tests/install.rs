//! `testbed` where no checkout is, and in a copy of one.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use object::{Object, ObjectSegment};
use testbed_runner::firmware;

use crate::common::root;

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}{}", show(&output.stdout), show(&output.stderr));
    output
}

/// A copy of what the firmware is built from, with what says that it is a checkout.
fn copied(to: &Path) {
    let parts = ["firmware", "definitions", "Cargo.toml", "host-tools/Cargo.toml"];
    let listed = succeeds(Command::new("git").args(["ls-files", "-z"]).args(parts).current_dir(root()));
    for name in listed.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let name = std::str::from_utf8(name).unwrap();
        // A file that has been removed and not committed.
        let Ok(bytes) = fs::read(root().join(name)) else { continue };
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

#[test]
#[ignore = "builds the firmware once more; `cargo testbed test --long` runs it"]
fn a_copied_checkout_builds_its_own_firmware() {
    let (copy, empty) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copied(copy.path());
    let hello = copy.path().join("firmware/programs/src/bin/hello.rs");
    let text = fs::read_to_string(&hello).unwrap();
    assert!(text.contains("hello from processor"));
    fs::write(&hello, text.replace("hello from processor", "greetings from the copy, processor")).unwrap();
    let program = copy.path().join("target/release/testbed");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_testbed"), &program).unwrap();
    let mut run = Command::new(&program);
    run.args(["run", "hello", "--out", "out"]).current_dir(empty.path()).env_remove(firmware::WAY);
    succeeds(&mut run);
    let console = fs::read_to_string(empty.path().join("out/console.txt")).unwrap();
    assert!(console.contains("greetings from the copy, processor 1 of 6"), "{console}");
    check_same_programs(copy.path());
}

/// What was built in a copy is what was built here, but for `hello`: figures in the documents hold
/// wherever the checkout is.
#[track_caller]
fn check_same_programs(copy: &Path) {
    let here = firmware::build(&root()).unwrap();
    let folder = here.folder.strip_prefix(root()).unwrap();
    let names = firmware::programs(&root()).unwrap();
    let names = names.iter().map(String::as_str).filter(|name| *name != "hello");
    for name in names.chain(["kernel"]) {
        let [here, there] = [root(), copy.to_path_buf()].map(|root| contents(&root.join(folder).join(name)));
        assert!(here == there, "{name} is another one in a copy of the checkout");
    }
}

/// The sections that are loaded.
fn contents(path: &Path) -> Vec<(u64, Vec<u8>)> {
    let bytes = fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let loaded = file.segments().map(|segment| (segment.address(), segment.data().unwrap().to_vec()));
    loaded.collect()
}

#[test]
#[ignore = "builds the program and the firmware once more; `cargo testbed test --long` runs it"]
fn an_installed_program_runs_in_an_empty_folder() {
    let [place, cache, empty] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let mut install = Command::new("cargo");
    install.args(["install", "--locked", "--path", "host-tools", "--root"]).arg(place.path());
    succeeds(install.current_dir(root()));
    let mut run = Command::new(place.path().join("bin/testbed"));
    run.args(["run", "remote"]).current_dir(empty.path()).env("TESTBED_CACHE", cache.path());
    succeeds(run.env_remove(firmware::WAY));
    assert!(empty.path().join("out/remote/run.json").is_file());
    // With its own sources, and not with those of the checkout that it was built in.
    let folders: Vec<_> = fs::read_dir(cache.path()).unwrap().flatten().map(|entry| entry.path()).collect();
    let built = folders.iter().any(|folder| folder.join("target/firmware").is_dir());
    assert!(built, "{folders:?}");
}

/// What the program carries is said folder by folder, and a crate must not be forgotten.
#[test]
fn every_crate_of_the_firmware_is_carried() {
    let manifest = fs::read_to_string(root().join("firmware/Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&manifest).unwrap();
    let carried = fs::read_to_string(root().join("host-tools/src/sources.rs")).unwrap();
    let names = ["members", "exclude"].map(|list| manifest["workspace"][list].as_array().unwrap());
    let names: Vec<_> = names.into_iter().flatten().map(|name| name.as_str().unwrap()).collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        let is_there = ["\"", "/src\""].iter().any(|end| carried.contains(&format!("(\"firmware/{name}{end}")));
        assert!(is_there, "firmware/{name} is not in host-tools/src/sources.rs");
    }
}
