//! How much of a small processor's RAM the kernel takes.

use std::process::Command;

use object::{Object, ObjectSection, SectionKind};
use testbed_machine::Machine;
use testbed_runner::firmware;

/// Code, constants and data with initial values, for processors with 64 KiB.
const SMALL_BYTES: u64 = 28 * 1024;

#[test]
fn the_small_kernel_is_small() {
    let built = firmware::build(&firmware::root().unwrap()).unwrap();
    let (_, bytes) = built.kernel(64 * 1024).unwrap();
    let elf = object::File::parse(&*bytes).unwrap();
    let size = |kinds: &[SectionKind]| -> u64 {
        elf.sections().filter(|section| kinds.contains(&section.kind())).map(|section| section.size()).sum()
    };
    let code = size(&[SectionKind::Text]);
    let constants = size(&[SectionKind::ReadOnlyData, SectionKind::ReadOnlyString]);
    let data = size(&[SectionKind::Data]);
    println!("code {code}, constants {constants}, data {data}");
    assert!(code > 0 && data > 0, "no sections found");
    let all = code + constants + data;
    assert!(all <= SMALL_BYTES, "{all} bytes, {SMALL_BYTES} is the limit");
}

#[test]
fn a_program_that_does_not_fit_says_what_to_do() {
    let out = tempfile::tempdir().unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_testbed"));
    let status =
        run.args(["run", "chatter", "--machine", "ulx3s-85f", "--out"]).arg(out.path()).output().unwrap().status;
    let console = std::fs::read_to_string(out.path().join("console.txt")).unwrap();
    assert_eq!(status.code(), Some(1), "{console}");
    assert!(console.contains("the program can't start: too big for this RAM; take a machine with more"), "{console}");
}

/// However large the host's files are: a machine that they leave no room for the kernel's tables is refused with the
/// numbers, and no kernel panics.
#[test]
fn files_that_leave_no_room_for_tables_are_refused() {
    let out = tempfile::tempdir().unwrap();
    let (mut started, mut refused) = (0, 0);
    for kilobytes in (0..28).step_by(3) {
        let pad = out.path().join("pad");
        std::fs::write(&pad, vec![0; kilobytes << 10]).unwrap();
        let folder = out.path().join(kilobytes.to_string());
        let mut run = Command::new(env!("CARGO_BIN_EXE_testbed"));
        run.args(["run", "remote", "1", "4", "0", "--machine", "ulx3s-85f", "--for", "200ms"]);
        let output = run.arg("--file").arg(&pad).arg("--out").arg(&folder).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let console = std::fs::read_to_string(folder.join("console.txt")).unwrap_or_default();
        assert!(!console.contains("panic"), "{kilobytes} KiB: {console}");
        if error.contains("has too little RAM") {
            assert!(error.contains("its tables") && error.contains("64 KiB"), "{error}");
            refused += 1;
        } else {
            started += 1;
        }
    }
    assert!(started > 0 && refused > 0, "{started} started, {refused} refused");
}

/// A processor that first hears of a process by a token makes its own copy of the program's data.
/// Where the program has started, more was needed than that: so there is always room, and no token
/// is lost.
#[test]
fn every_processor_has_room_for_a_program_that_has_started() {
    let root = firmware::root().unwrap();
    let built = firmware::build(&root).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [elf, out, machine] = ["fills", "out", "machine.toml"].map(|name| folder.path().join(name));
    std::fs::write(&machine, Machine { ram_bytes: 128 << 10, ..Machine::testbed6() }.to_toml()).unwrap();
    let starts = |kilobytes: u32| {
        let size = format!("-DSIZE={}", kilobytes << 10);
        let options = ["-Os", "-std=c11", &size, "-Wl,--defsym=tos_heap_bytes=0"];
        crate::common::compiler::build(&built, &root.join("firmware/c/fills.c"), &options, &elf);
        let mut run = Command::new(env!("CARGO_BIN_EXE_testbed"));
        run.arg("run").arg(&elf).args(["--for", "500ms", "--machine"]).arg(&machine).arg("--out").arg(&out);
        let output = run.output().unwrap();
        let console = std::fs::read_to_string(out.join("console.txt")).unwrap();
        let is_too_big = console.contains("too big for this RAM");
        assert_eq!(output.status.code(), Some(is_too_big.into()), "{kilobytes} KiB: {console}");
        !is_too_big
    };
    let (mut fits, mut too_big) = (1, 128);
    assert!(starts(fits) && !starts(too_big));
    while fits + 1 < too_big {
        let between = (fits + too_big) / 2;
        *if starts(between) { &mut fits } else { &mut too_big } = between;
    }
    println!("{fits} KiB fit");
}

/// A program that needs what the small kernel lacks says so at once, and does not count errors that
/// it would make. One that needs nothing of it runs.
#[test]
fn a_program_that_needs_the_large_kernel_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let [out, machine, placement] = ["out", "machine.toml", "place"].map(|name| folder.path().join(name));
    std::fs::write(&machine, Machine { ram_bytes: 128 << 10, ..Machine::testbed6() }.to_toml()).unwrap();
    std::fs::write(&placement, "place 2 1\n").unwrap();
    let run = |program: &str| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_testbed"));
        run.arg("run").args(program.split(' ')).args(["--for", "500ms", "--machine"]).arg(&machine).arg("--file");
        let status = run.arg(&placement).arg("--out").arg(&out).output().unwrap().status;
        (status.code(), std::fs::read_to_string(out.join("console.txt")).unwrap())
    };
    for (program, needed) in [
        ("synthetic 5 compute 3 random", "shared pages for threads on several processors"),
        ("synthetic 5 compute 3 here roam 500", "threads that move"),
        ("synthetic 1 compute 3 static place", "files"),
        ("taskgraph place", "files"),
        ("adder 1 2", "ALT"),
        ("wator", "shared pages"),
        ("locks", "shared pages"),
        ("philosophers", "ALT"),
        ("registers", "threads that move"),
        ("moving", "threads that move"),
        ("unrest", "threads that move"),
        ("killing", "several processes"),
        ("fuzz", "several processes"),
    ] {
        let said = format!("needs {needed}, which the small kernel lacks: take a machine with more RAM\n");
        let (code, console) = run(program);
        assert_eq!((code, console), (Some(1), format!("earth: the program {said}")), "{program}");
    }
    let (code, console) = run("synthetic 5 compute 3 here");
    assert!(code == Some(0) && console.contains("0 wrong, 0 failed"), "{console}");
}
