//! Files that others made: what is no input is refused in time, with the file, the remedy and the exit code of inputs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{record, Scripted};
use testbed_definitions::monitor::Pair;
use testbed_machine::Machine;
use testbed_runner::drive::drive;
use testbed_runner::operator::Operator;
use testbed_trace::capture::CaptureWriter;

/// How long a refusal may take, on a computer that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `testbed`, which must be over in time with exit code 3 and all of `parts` on standard error.
#[track_caller]
fn refuses(arguments: &[&str], parts: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    let mut child = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{arguments:?}: {error}");
    // What is wrong with the ELF file of `exec` is said with the remedy behind a semicolon.
    let help = if arguments[0] == "exec" { "give" } else { "\n  help: " };
    for part in parts.iter().chain(&[help]) {
        assert!(error.contains(part), "{arguments:?}: `{part}` is not in:\n{error}");
    }
}

/// A folder with some pairs of earth.
fn folder(dir: &Path) {
    let machine = Machine::testbed6();
    let mut engine = Scripted::new(machine.clone());
    for number in 0..30 {
        engine.pair(25 * u64::from(number), 1, Pair { time: number, datum: 7 });
    }
    let writer = CaptureWriter::create(dir, &machine, &record(&machine)).unwrap();
    drive(&mut engine, writer, record(&machine), 1_000, &mut Operator::nobody(), |_| {}).unwrap();
}

#[test]
fn files_without_an_end_are_refused() {
    let zero = "/dev/zero";
    refuses(&["run", "hello", "--file", zero], &["cannot read /dev/zero", "it has more than 67108864 bytes"]);
    refuses(&["run", zero], &["cannot read /dev/zero", "it has more than"]);
    refuses(&["run", "hello", "--input", zero], &["--input: cannot read /dev/zero", "it has more than"]);
    refuses(&["run", "hello", "--replay", zero], &["cannot read /dev/zero", "it has more than"]);
    refuses(&["run", "hello", "--machine", zero], &["/dev/zero", "it has more than 65536 bytes"]);
    refuses(&["exec", zero], &["/dev/zero: it has more than", "give an ELF file"]);
    refuses(&["synth", "--board", "hx8k-evn", "--program", zero], &["/dev/zero: it has more than"]);
    refuses(&["trace", "--raw", zero], &["cannot open /dev/zero", "a device or a pipe"]);
    refuses(&["trace", "--wave", zero], &["/dev/zero: this is no VCD file", "$enddefinitions"]);
    refuses(&["trace", "--raw", "/"], &["cannot open /: it is a folder"]);
    refuses(&["run", "hello", "--file", "/"], &["cannot read /"]);
}

/// Parts of a folder may be links to anything.
#[test]
fn parts_of_a_folder_without_an_end_are_refused() {
    for (part, parts) in [
        ("mmi.raw", &["mmi.raw: it is a device"][..]),
        ("trace/air", &["trace/air: it is a device"]),
        ("trace/.earth.sums", &[".earth.sums: it is a device"]),
        ("holes", &["holes: it is a device"]),
        ("run.json", &["run.json: it has more than 1048576 bytes"]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        folder(dir.path());
        // Sums are looked at where the copies differ.
        let raw = dir.path().join("mmi.raw");
        fs::write(&raw, &fs::read(&raw).unwrap()[8..]).unwrap();
        let path = dir.path().join(part);
        let _ = fs::remove_file(&path);
        symlink("/dev/zero", &path).unwrap();
        refuses(&["trace", dir.path().to_str().unwrap()], parts);
    }
    let dir = tempfile::tempdir().unwrap();
    symlink("/dev/zero", dir.path().join("metadata")).unwrap();
    refuses(&["trace", "--ctf", dir.path().to_str().unwrap()], &["metadata: it has more than"]);
}

#[test]
fn text_that_is_none_is_placed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("input");
    fs::write(&path, b"0 ls\\n\n65536 \xff\n").unwrap();
    let path = path.to_str().unwrap();
    refuses(&["run", "sh", "--replay", path], &[path, "byte 13, in line 2, is not UTF-8", "that `testbed run` left"]);
    refuses(&["run", "sh", "--machine", path], &[path, "byte 13, in line 2, is not UTF-8", "a readable TOML file"]);
}

/// Before anything is built or run.
#[test]
fn what_is_no_program_is_not_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let readme = root.join("README.md");
    let readme = readme.to_str().unwrap();
    refuses(&["run", readme], &[readme, "no RISC-V program", "riscv32im-unknown-none-elf"]);
    refuses(&["run", "/bin/sh"], &["no RISC-V program"]);
    refuses(&["run", "hello", "--file", "/bin/sh"], &["no RISC-V program"]);
    let header = root.join("fuzz/corpus/elf/a-header-and-no-segments");
    refuses(&["run", header.to_str().unwrap()], &["no program that the kernel can start", "entry point 0x80000000"]);
    refuses(&["exec", readme], &[readme, "not an ELF file"]);
    let dir = tempfile::tempdir().unwrap();
    let large = dir.path().join("large.txt");
    fs::write(&large, vec![b' '; 512 * 1024 + 1]).unwrap();
    refuses(&["run", "hello", "--file", large.to_str().unwrap()], &["large.txt has 524289 bytes", "split it"]);
}

#[test]
fn every_command_refuses_a_record_that_no_run_leaves() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path());
    let path = dir.path().join("run.json");
    let good = fs::read_to_string(&path).unwrap();
    let mut record: serde_json::Value = serde_json::from_str(&good).unwrap();
    let mut forty = record.clone();
    forty["machine"]["processors"] = (0..40).map(|number| format!("p{number}")).collect();
    record["cycles"] = u64::MAX.into();
    let name = dir.path().to_str().unwrap();
    for (record, key) in [(forty, "run.json: machine.processors: 40 processors"), (record, "run.json: cycles: ")] {
        fs::write(&path, record.to_string()).unwrap();
        for arguments in [
            &["trace", name][..],
            &["analyse", name],
            &["report", name],
            &["diff", name, name],
            &["compare", name, name],
            &["conform", name],
            &["top", name, "--once"],
            &["query", "19", name],
        ] {
            refuses(arguments, &[key, "not as `testbed run` writes it"]);
        }
    }
}
