//! What slaves tell of their load, against what the programs are known to do: who ran for how long,
//! how many were ready, and who sent how much to whom.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use itertools::Itertools;
use testbed_balance::assess::Assessor;
use testbed_balance::summary::Summary;
use testbed_definitions::event::{DIAG_DEFAULT, DIAG_LOAD};
use testbed_definitions::file::READ;
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::load::{Part, ONE_READY, WHOLE};
use testbed_definitions::map::RAM_BASE;
use testbed_kernel_core::task_graph::FIRST;
use testbed_machine::Machine;
use testbed_runner::drive::drive;
use testbed_runner::files::Stored;
use testbed_runner::firmware::{self, Firmware};
use testbed_runner::image;
use testbed_runner::operator::Operator;
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image, Retirement};
use testbed_sim::load::Boot;
use testbed_trace::analysis::{analyse, Kind, Options};
use testbed_trace::capture::{verify, Capture, CaptureWriter, KernelKind, RunRecord};
use testbed_trace::order::{events, What};

use crate::common::{compiler, root};

const SLAVES: u8 = 5;
/// Cycles of the default period.
const PERIOD: u32 = 25_000_000;

/// Runs a program with class `load` and gives the summary after each whole sample to `look`, with
/// its slave. Every sample has to be whole.
fn sampled(arguments: &[&str], place: Option<&str>, mut look: impl FnMut(u8, &Summary)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.arg("run").args(arguments).args(["--dgl", "load", "--out"]).arg(&out).current_dir(root());
    if let Some(place) = place {
        let path = folder.path().join("placement");
        fs::write(&path, place).unwrap();
        command.arg("--file").arg(&path);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    take_all(&out, &mut look);
    fs::read_to_string(out.join("console.txt")).unwrap()
}

fn take_all(folder: &Path, look: &mut impl FnMut(u8, &Summary)) {
    let capture = Capture::open(folder).unwrap();
    let integrity = verify(&capture).unwrap();
    let mut assessor = Assessor::new(SLAVES);
    for event in events(&capture, &integrity).unwrap() {
        let event = event.unwrap();
        assert!(!matches!(event.what, What::Gap(_)), "{event:?}");
        let What::Known(kind) = event.what else { continue };
        let Some(part) = Part::of(kind.code, event.argument.unwrap_or(0)) else { continue };
        let is_end = matches!(part, Part::End { .. });
        let is_whole = assessor.take(event.smi, event.index, part);
        assert_eq!(is_whole, is_end, "{event:?}");
        if is_whole {
            look(event.smi, assessor.summary());
        }
    }
    for slave in assessor.summary().processors() {
        assert_eq!(assessor.summary().slave(slave).lost, 0);
    }
}

/// The id within its process.
fn id(thread: ThreadNumber) -> u8 {
    thread.id() as u8
}

/// Whether a number is another one, but for so many hundredths.
fn is_near(value: u32, truth: u32, hundredths: u32) -> bool {
    value.abs_diff(truth) <= truth * hundredths / 100
}

#[test]
fn threads_that_compute_share_their_processor() {
    let mut samples = [0; SLAVES as usize + 1];
    sampled(&["synthetic", "4", "compute", "5000ms"], None, |slave, summary| {
        samples[usize::from(slave)] += 1;
        let load = summary.slave(slave);
        // Up to half a time-slice sooner or later, and the first sample tells of less.
        assert!(load.sequence == 0 || is_near(load.period, PERIOD, 3), "{load:?}");
        if slave != 1 || load.sequence == 0 || load.ready == 0 {
            assert!(slave == 1 || load.user == 0 && load.average == 0, "{slave} {load:?}");
            return;
        }
        assert!(is_near(u32::from(load.user), WHOLE, 4), "{load:?}");
        assert!(is_near(u32::from(load.average), 4 * u32::from(ONE_READY), 6), "{load:?}");
        assert_eq!(load.sent.iter().map(|traffic| traffic.sends).sum::<u32>(), 0);
        let workers: Vec<_> = summary.threads_on(slave).filter(|thread| id(thread.thread) >= FIRST).collect();
        assert_eq!(workers.len(), 4);
        for thread in workers {
            assert!(is_near(u32::from(thread.share), WHOLE / 4, 12), "{thread:?}");
            assert!(thread.movable && thread.partners.is_empty(), "{thread:?}");
        }
    });
    assert!(samples[1..].iter().all(|&count| count == 5), "{samples:?}");
}

/// Two pairs: one on the first slave, one between the second and the third.
#[test]
fn messages_are_counted_where_they_go() {
    let places = [1, 1, 2, 3];
    let place: String = places.iter().zip(FIRST..).map(|(processor, id)| format!("place {id} {processor}\n")).collect();
    let (mut sends, mut local, mut remote) = (0u32, 0u32, 0u32);
    let console = sampled(
        &["synthetic", "2", "communicate", "40000", "8", "static", "placement"],
        Some(&place),
        |slave, summary| {
            let load = summary.slave(slave);
            for other in summary.processors().filter(|&other| other != slave) {
                let traffic = load.sent[usize::from(other)];
                let is_pair = [slave, other] == [2, 3] || [slave, other] == [3, 2];
                // Before the workers are placed the program's first thread does no more than fetch
                // pages.
                assert!(is_pair || traffic.sends == 0, "{slave} to {other}: {traffic:?}");
                assert!(is_near(traffic.bytes, 8 * traffic.sends, 1), "{traffic:?}");
                sends += traffic.sends;
            }
            for thread in summary.threads_on(slave).filter(|thread| id(thread.thread) >= FIRST) {
                for partner in &thread.partners {
                    let pair = |thread| (id(thread) - FIRST) / 2;
                    assert_eq!(pair(partner.thread), pair(thread.thread), "{thread:?}");
                    assert_ne!(partner.thread, thread.thread);
                    assert!(is_near(partner.traffic.bytes, 8 * partner.traffic.sends, 1), "{thread:?}");
                    *(if pair(thread.thread) == 0 { &mut local } else { &mut remote }) += partner.traffic.sends;
                }
            }
        },
    );
    assert!(console.contains(", 80000 messages of 8 bytes"), "{console}");
    // Of the last period, which is not over when the program is, nobody is told: that may be half
    // of what the quicker pair does. Both partners count each message.
    let least = 40_000 / 4;
    println!("{sends} sends over the link, {local} local and {remote} remote messages");
    assert!((least..=48_000).contains(&sends), "{sends}");
    assert!((least..=48_000).contains(&(local / 2)), "{local}");
    assert!((least..=48_000).contains(&(remote / 2)), "{remote}");
}

/// Five threads in step with each other, each on a slave of its own, that have one, two and three
/// partners, and so many units of work a round: with 3 those with most partners do little else than
/// communicate.
fn grid(work: u32) -> String {
    let threads = (FIRST..).take(5).map(|id| format!("work {id} {work}\n")).collect::<String>();
    format!(
        "taskgraph 1\nthreads 5\nphase 40000\n{threads}\
         link 2 3 1 0\nlink 2 4 1 0\nlink 3 5 1 0\nlink 4 5 1 0\nlink 4 6 1 0\nend\n"
    )
}

/// A program, with files that it reads and its arguments.
struct Started<'a> {
    built: &'a Firmware,
    /// The first one is the program.
    files: &'a [Stored],
    arguments: &'a [&'a str],
    /// Event classes.
    dgl: u32,
}

/// The machine on which they run.
fn machine() -> Machine {
    Machine::testbed6()
}

impl Started<'_> {
    /// Runs for so many tenths of a period and leaves in `folder` what that shows. Gives the image with
    /// which the machine started.
    fn run(&self, folder: &Path, tenths: u32) -> Image {
        let machine = machine();
        let boot = Boot {
            options: KernelKind::Default.options(),
            dgl: self.dgl,
            seed: 1,
            start_processor: 1,
            arguments: self.arguments.iter().map(|argument| argument.to_string()).collect(),
            ..Boot::default()
        };
        let image = image::of_files(&machine, self.built, self.files, &boot).unwrap();
        let record = RunRecord::new(&machine, &self.files[0].name);
        let writer = CaptureWriter::create(folder, &machine, &record).unwrap();
        let mut engine = Emulator::new(&machine, &image).unwrap();
        let limit = u64::from(PERIOD / 10 * tenths);
        drive(&mut engine, writer, record, limit, &mut Operator::nobody(), |_| ()).unwrap();
        image
    }
}

/// For how many of 65,536 cycles each slave, from the first on, executes programs in the second
/// period: by what it retires, so without anything that the kernel or a monitor says. Looks at a slave
/// for some thousand cycles at a time, at moments that nothing else chooses.
fn user_shares(image: &Image) -> Vec<u32> {
    const LOOK: u64 = 4_096;
    let mut engine = Emulator::new(&machine(), image).unwrap();
    // The first period's samples, in which a program starts, are not looked at either.
    engine.run_until(PERIOD.into()).unwrap();
    let (mut user, mut looks) = (vec![0; usize::from(SLAVES)], 0);
    while engine.cycle() < 2 * u64::from(PERIOD) {
        for (slave, user) in (1..).zip(&mut user) {
            engine.record_retirements(Some(slave));
            engine.run_until(engine.cycle() + LOOK).unwrap();
            let retired = engine.take_retirements();
            // Programs lie below RAM, where only the page map leads; the kernel lies in it.
            let took = |(before, after): (&Retirement, &Retirement)| match after.pc < RAM_BASE {
                true => after.cycle - before.cycle,
                false => 0,
            };
            *user += retired.iter().tuple_windows().map(took).sum::<u64>();
        }
        looks += 1;
        engine.record_retirements(None);
        engine.run_until(engine.cycle() + 13 * LOOK).unwrap();
        // Nobody wants it, and it would fill memory.
        engine.take_trace();
    }
    user.iter().map(|user| (user * u64::from(WHOLE) / (LOOK * looks)) as u32).collect()
}

/// A slave looks at short windows of what its threads do: what it tells of their time is what its
/// processor did, and of their messages what the whole trace shows. Windows that begin when a message
/// has come, or are over when it has been answered, show many messages and little work.
#[test]
fn windows_show_what_threads_do() {
    for work in [3, 6, 12] {
        told_of_grid_is_true(work);
    }
}

fn told_of_grid_is_true(work: u32) {
    let folder = tempfile::tempdir().unwrap();
    let built = firmware::build(&root()).unwrap();
    let places = (FIRST..).take(5).enumerate().map(|(at, id)| format!("place {id} {}\n", at + 1)).collect::<String>();
    let file = |(name, text): (&str, String)| Stored { name: name.into(), bytes: text.into_bytes(), permissions: READ };
    let [grid, placement] = [("grid", grid(work)), ("placement", places)].map(file);
    let files = [Stored::program("taskgraph", built.read("taskgraph").unwrap().1), grid, placement];
    let started = Started {
        built: &built,
        files: &files,
        arguments: &["grid", "static", "placement"],
        dgl: DIAG_LOAD | DIAG_DEFAULT,
    };
    let image = started.run(folder.path(), 81);
    let capture = Capture::open(folder.path()).unwrap();
    // What slaves tell: of each thread its share, and messages with each partner, of so many cycles.
    let (mut shares, mut messages) = (BTreeMap::<u8, Vec<u16>>::new(), BTreeMap::<(u8, u8), [u64; 2]>::new());
    take_all(folder.path(), &mut |slave, summary| {
        let load = summary.slave(slave);
        if load.sequence == 0 || load.told != load.sampled {
            return;
        }
        for thread in summary.threads_on(slave).filter(|thread| id(thread.thread) >= FIRST) {
            shares.entry(id(thread.thread)).or_default().push(thread.share);
            for partner in &thread.partners {
                let told = messages.entry((id(thread.thread), id(partner.thread))).or_default();
                *told = [told[0] + u64::from(partner.traffic.sends), told[1] + u64::from(load.span)];
            }
        }
    });
    assert_eq!((shares.len(), messages.len()), (5, 10));
    println!("work {work}");
    for ((id, told), ran) in shares.into_iter().zip(user_shares(&image)) {
        let told = told.iter().map(|&share| u32::from(share)).sum::<u32>() / told.len() as u32;
        println!("thread {id}: it ran for {ran} of {WHOLE} parts, its slave tells of {told}");
        assert!(is_near(told, ran, 15), "thread {id}");
    }
    let options = Options { kinds: vec![Kind::Links], from_cycle: Some(PERIOD.into()), ..Options::default() };
    let report = analyse(&capture, &options).unwrap();
    let cycles = report.range.to_cycle - report.range.from_cycle;
    let sent: u64 = report.links.unwrap().links.iter().map(|link| link.communications).sum();
    // Each of five links, and both ends tell of it.
    let truth = sent as f64 / 5.0 / cycles as f64;
    let mut all = 0.0;
    for (pair, [count, span]) in messages {
        let ratio = count as f64 / span as f64 / truth;
        println!("{pair:?}: {ratio:.2} times as many messages as there were");
        assert!((0.7..=1.3).contains(&ratio), "{pair:?}");
        all += ratio / 10.0;
    }
    println!("in all {all:.2} times as many");
    assert!((0.92..=1.08).contains(&all), "{all}");
}

/// Two threads of a slave that do a little and yield, over and over.
const YIELDERS: &str = "
#include <tos.h>
static volatile unsigned done;
static void yielder(void) {
    for (;;) {
        for (int i = 0; i < 20; i++) done++;
        yield_now();
    }
}
int main(void) {
    create(2, 2, 1, yielder, stack_for(2));
    create(3, 2, 1, yielder, stack_for(2));
    return wait();
}
";

/// What it takes to enter the kernel, to leave it and to count a yield is no thread's time.
#[test]
fn threads_that_yield_run_for_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let built = firmware::build(&root()).unwrap();
    let [source, elf] = ["yields.c", "yields"].map(|name| folder.path().join(name));
    fs::write(&source, YIELDERS).unwrap();
    compiler::build(&built, &source, &["-O2", "-std=c11"], &elf);
    let files = [Stored::program("yields", fs::read(elf).unwrap())];
    // With class `profile` a yield takes longer by itself.
    for dgl in [DIAG_LOAD, DIAG_LOAD | DIAG_DEFAULT] {
        let out = folder.path().join(dgl.to_string());
        let image = Started { built: &built, files: &files, arguments: &[], dgl }.run(&out, 41);
        let ran = user_shares(&image)[0];
        let mut samples = 0;
        take_all(&out, &mut |slave, summary| {
            if slave != 1 || summary.slave(slave).sequence == 0 {
                return;
            }
            let threads = summary.threads_on(slave).filter(|thread| id(thread.thread) >= FIRST);
            let told = threads.map(|thread| u32::from(thread.share)).collect_vec();
            println!("they ran for {ran} of {WHOLE} parts, their slave tells of {told:?}");
            assert_eq!(told.len(), 2);
            assert!(is_near(told.iter().sum(), ran, 10), "{told:?}");
            samples += 1;
        });
        assert!(samples >= 3, "{samples} samples");
    }
}

/// The engines agree while agents count, and on what they tell.
#[test]
fn verilator_tells_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let run = |engine: &str| {
        let out = folder.path().join(engine);
        let script = ["sample 20000;", "run", "synthetic", "6", "mixed", "180", "random"];
        let output = Command::new(env!("CARGO_BIN_EXE_testbed"))
            .args(["run", "sh"])
            .args(script)
            .args(["--file", "synthetic", "--dgl", "load+timer", "--engine", engine, "--for", "120ms", "--out"])
            .arg(&out)
            .current_dir(root())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let words = fs::read(out.join("mmi.raw")).unwrap();
        let mut samples = 0;
        take_all(&out, &mut |_, _| samples += 1);
        assert!(samples >= 5 * 4, "{samples} samples");
        words
    };
    assert!(run("emulator") == run("verilator"), "the engines differ");
}
