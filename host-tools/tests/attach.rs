//! A board on a serial line, which the emulator stands for at the other end of a pseudo-terminal.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serial2::{KeepSettings, SerialPort};
use testbed_definitions::event;
use testbed_definitions::link::FRAME_BYTES;
use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_machine::Machine;
use testbed_runner::engines;
use testbed_runner::files::{filestore, Source, Stored, Wanted};
use testbed_runner::firmware;
use testbed_sim::load::{image, Boot};
use testbed_trace::capture::{Capture, Transmitter, CONSOLE, MMI_RAW};
use testbed_trace::synthetic::Random;

use crate::common::root;

mod board;

use board::*;

#[test]
fn a_sound_line_leaves_the_folder_of_a_run() {
    let (dir, line, console) = (tempfile::tempdir().unwrap(), Line::new(), Line::new());
    let attached =
        Attached::new(&line.path, dir.path(), &["--console", console.path.to_str().unwrap(), "--program", "remote"]);
    let mut attached = attached;

    let machine = Machine::testbed6();
    let built = firmware::build(&firmware::root().unwrap()).unwrap();
    let programs = firmware::programs(&root()).unwrap();
    let source = Source::new("remote", &programs);
    let stored = filestore(&machine, &root(), &built, &Wanted { name: source.name(), source }, &[]).unwrap();
    let stored: Vec<_> = stored.iter().map(Stored::as_file).collect();
    let (path, kernel) = built.kernel(machine.ram_bytes).unwrap();
    let arguments = ["5", "2", "1"].map(String::from).to_vec();
    let boot = Boot { options: 0, dgl: event::DIAG_DEFAULT, seed: 1, start_processor: 1, arguments, ..Boot::default() };
    let image = image(&machine, (&path.display().to_string(), &kernel), &stored, &boot).unwrap();
    let mut engine = engines::open("emulator", &machine, &image, None).unwrap();
    let cycles = Capture::open(Reference::remote().dir.path()).unwrap().record.cycles;
    let (mut transmitter, mut stamp, mut sent, mut said) = (Transmitter::new(), None, 0, Vec::new());
    while engine.cycle() < cycles {
        let until = engine.cycle() + 8_192;
        engine.run_until(until.min(cycles)).unwrap();
        let mut bytes = Vec::new();
        for word in engine.take_trace() {
            let word = MmiWord::unpack(word.word);
            match stamp.take() {
                None => stamp = Some(word.value),
                Some(time) => {
                    transmitter.pair(word.smi, Pair { time, datum: word.value }, &mut bytes);
                    sent += 1;
                }
            }
        }
        transmitter.idle(&mut bytes);
        line.send(&bytes);
        let bytes: Vec<u8> = engine.take_console().into_iter().map(|byte| byte.byte).collect();
        console.send(&bytes);
        said.extend(bytes);
    }
    attached.await_all(sent);
    let (exit, said_last) = attached.stop();
    assert_eq!(exit, Some(0), "{said_last}");
    assert!(said_last.contains(&format!("pairs: {sent} (")), "{said_last}");
    assert!(said_last.contains("lost: 0 pairs in 0 holes; 0 reconnects"), "{said_last}");

    let run = Reference::remote().dir.path();
    assert_eq!(sent, Reference::remote().pairs.len());
    assert!(fs::read(dir.path().join(MMI_RAW)).unwrap() == fs::read(run.join(MMI_RAW)).unwrap());
    assert!(fs::read(dir.path().join(".mmi.raw.sums")).unwrap() == fs::read(run.join(".mmi.raw.sums")).unwrap());
    assert!(files(&dir.path().join("trace")) == files(&run.join("trace")), "trace/ differs");
    assert_eq!(csv(dir.path()), csv(run));
    let shown = fs::read_to_string(dir.path().join(CONSOLE)).unwrap();
    let said = String::from_utf8_lossy(&said).replace('\r', "");
    assert_eq!(shown, said.lines().map(|line| format!("master: {line}\n")).collect::<String>());
    let record = Capture::open(dir.path()).unwrap().record;
    assert!(record.complete && record.ledger.is_none() && record.cycles > 0 && record.cycles <= cycles, "{record:?}");
    assert_eq!((record.engine.as_str(), record.program.as_str()), ("attached", "remote"));
    let analysis = testbed(&["analyse", dir.path().to_str().unwrap(), "latency"]).output().unwrap();
    assert!(analysis.status.success(), "{}", text(&analysis));
}

/// Noise bytes, dropped bytes and flipped bits, each once in so many bytes.
fn damaged(line: &[u8], seed: u64, every: u32) -> Vec<u8> {
    let (mut random, mut out) = (Random::new(seed), Vec::new());
    for &byte in line {
        if random.once_in(every) {
            (0..random.below(20)).for_each(|_| out.push(random.bits() as u8));
        }
        match () {
            () if random.once_in(every) => {}
            () if random.once_in(every) => out.push(byte ^ 1 << random.below(8)),
            () => out.push(byte),
        }
    }
    out
}

#[test]
fn what_a_damaged_line_brings_is_true_and_the_rest_is_counted() {
    let reference = Reference::crossing();
    let sound = reference.line();
    for (seed, every) in [(1, 20_000), (2, 5_000), (3, 1_000), (4, 300)] {
        let (dir, line) = (tempfile::tempdir().unwrap(), Line::new());
        let mut attached = Attached::new(&line.path, dir.path(), &["--program", "crossing"]);
        let damaged = damaged(&sound, seed, every);
        line.send(&damaged);
        line.send(&reference.quiet());
        attached.await_all(reference.pairs.len());
        let (exit, said) = attached.stop();
        let (certain, all) = assert_certain(dir.path(), reference);
        let (kept, gone) = (pairs(dir.path()), lost(dir.path()));
        println!("1 in {every}: {} bytes, {} sent; {kept} pairs kept, {gone} lost; {certain} of {all} events certain\n{said}", damaged.len(), reference.pairs.len());
        assert_eq!(kept + gone, reference.pairs.len() as u64);
        assert_eq!(exit, Some(if gone > 0 { 1 } else { 0 }), "{said}");
        assert!(gone > 0 && certain > 0, "{said}");
        let shown = testbed(&["trace", dir.path().to_str().unwrap()]).output().unwrap();
        assert_eq!(shown.status.code(), Some(1));
        assert!(text(&shown).contains("lost on the link"), "{}", String::from_utf8_lossy(&shown.stderr));
    }
}

#[test]
fn a_port_that_comes_back_goes_on_behind_a_hole() {
    let reference = Reference::crossing();
    let (dir, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let name = place.path().join("board");
    let sound = reference.line();
    let mut line = Line::new();
    symlink(&line.path, &name).unwrap();
    let mut attached = Attached::new(&name, dir.path(), &["--program", "crossing"]);
    // Pulled out in the middle of a frame, twice; what is sent meanwhile nobody hears.
    let part = sound.len() / 5;
    for (from, to, heard) in
        [(0, part, true), (part, part + 1_000, false), (part + 1_000, 3 * part, true), (3 * part, 4 * part, false)]
    {
        if heard {
            line.send(&sound[from + 3..to + 3]);
            continue;
        }
        drop(line);
        attached.hear("waiting for it to come back");
        fs::remove_file(&name).unwrap();
        line = Line::new();
        symlink(&line.path, &name).unwrap();
        attached.hear("is back");
    }
    line.send(&sound[4 * part + 3..]);
    line.send(&reference.quiet());
    attached.await_all(reference.pairs.len());
    let (exit, said) = attached.stop();
    let (certain, all) = assert_certain(dir.path(), reference);
    println!(
        "reconnects: {} bytes, {} sent; {} pairs kept, {} lost; {certain} of {all} events certain\n{said}",
        sound.len(),
        reference.pairs.len(),
        pairs(dir.path()),
        lost(dir.path())
    );
    assert_eq!(exit, Some(1), "{said}");
    assert!(said.contains("2 reconnects"), "{said}");
    assert_eq!(pairs(dir.path()) + lost(dir.path()), reference.pairs.len() as u64);
    assert!(lost(dir.path()) >= ((part - 1_000) / FRAME_BYTES) as u64 && certain > 0, "{said}");
}

#[test]
fn who_is_killed_leaves_a_prefix() {
    let reference = Reference::crossing();
    let (dir, line) = (tempfile::tempdir().unwrap(), Line::new());
    let mut attached = Attached::new(&line.path, dir.path(), &[]);
    line.send(&damaged(&reference.line(), 5, 5_000));
    line.send(&reference.quiet());
    attached.await_all(reference.pairs.len());
    attached.signal("KILL");
    attached.end();
    assert!(!Capture::open(dir.path()).unwrap().record.complete);
    let (certain, _) = assert_certain(dir.path(), reference);
    assert!(certain > 0);
}

#[test]
fn it_ends_with_the_port_the_time_or_the_boards_next_run() {
    let reference = Reference::remote();
    let (dir, line) = (tempfile::tempdir().unwrap(), Line::new());
    let mut attached = Attached::new(&line.path, &dir.path().join("once"), &["--once"]);
    line.send(&reference.line());
    attached.await_all(reference.pairs.len());
    drop(line);
    let (exit, said) = attached.end();
    assert_eq!(exit, Some(0), "{said}");
    assert!(said.contains("the port has gone"), "{said}");

    let line = Line::new();
    let attached = Attached::new(&line.path, &dir.path().join("time"), &["--for", "200ms"]);
    let (exit, said) = attached.end();
    assert_eq!(exit, Some(1), "{said}");
    assert!(said.contains("the time given is over") && said.contains("no frame came"), "{said}");

    let line = Line::new();
    let attached = Attached::new(&line.path, &dir.path().join("again"), &[]);
    line.send(&[reference.line(), reference.line()].concat());
    let (exit, said) = attached.end();
    assert_eq!(exit, Some(1), "{said}");
    assert!(said.contains("begun anew") && said.contains("lost: 0 pairs"), "{said}");
    assert_eq!(csv(&dir.path().join("again")), csv(reference.dir.path()));
}

#[test]
fn ports_that_cannot_be_used_are_named_with_the_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |port: &Path, more: &[&str], code: i32, what: &str, help: &str| {
        let out = dir.path().join("out");
        let arguments =
            [&["attach", "--port", port.to_str().unwrap(), "--out", out.to_str().unwrap(), "--for", "5s"], more]
                .concat();
        let output = testbed(&arguments).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(what) && said.contains(help), "{said}");
        assert!(!out.join("run.json").exists());
    };
    refused(Path::new("/dev/ttyNone"), &[], 3, "/dev/ttyNone: there is no such port", "/dev/ttyUSB");
    refused(&root().join("Cargo.toml"), &[], 3, "this is no serial port", "give a tty");
    refused(Path::new("/dev/null"), &[], 3, "this is no serial port", "give a tty");
    refused(dir.path(), &[], 3, "this is no serial port", "give a tty");
    let line = Line::new();
    refused(&line.path, &["--console", "/dev/ttyNone"], 3, "/dev/ttyNone: there is no such port", "dmesg");
    refused(&line.path, &["--machine", "none"], 3, "none", "help");
    refused(&line.path, &["--baud", "0"], 2, "--baud", "0");
    let attached = Attached::new(&line.path, &dir.path().join("first"), &[]);
    refused(&line.path, &[], 5, "another program uses it", "fuser -v");
    assert_eq!(attached.stop().0, Some(1));
    // It is free again.
    drop(SerialPort::open(&line.path, KeepSettings).unwrap());
    // Nothing came, so nothing is replaced.
    assert_eq!(Attached::new(&line.path, &dir.path().join("first"), &[]).stop().0, Some(1));
}

#[test]
fn an_earlier_capture_is_kept_unless_it_may_be_replaced() {
    let reference = Reference::remote();
    let (dir, line) = (tempfile::tempdir().unwrap(), Line::new());
    let mut attached = Attached::new(&line.path, dir.path(), &[]);
    line.send(&reference.line());
    attached.await_all(reference.pairs.len());
    assert_eq!(attached.stop().0, Some(0));
    let before = csv(dir.path());
    let out = dir.path().to_str().unwrap();
    let output = testbed(&["attach", "--port", line.path.to_str().unwrap(), "--out", out, "--for", "1s"]).output();
    let output = output.unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("holds what a board sent") && said.contains("--overwrite"), "{said}");
    // Nor does a run replace it.
    let output = testbed(&["run", "hello", "--out", out]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert_eq!(csv(dir.path()), before);
    let (_, said) = Attached::new(&line.path, dir.path(), &["--overwrite", "--for", "200ms"]).end();
    assert!(said.contains("no frame came") && csv(dir.path()) != before, "{said}");
}
