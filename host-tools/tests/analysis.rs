//! Analyses of real runs: what they say agrees with what is measured in other ways.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use testbed_definitions::{event, syscall};
use testbed_host_tools::kernel_bench::{self as bench, datum, Case};
use testbed_trace::analysis::fact::{Doing, On, ThreadState};
use testbed_trace::analysis::measure::Distribution;
use testbed_trace::analysis::protocol::{Phase, Protocol};
use testbed_trace::analysis::{analyse, Kind, Options, Report};
use testbed_trace::capture::{verify, Capture};
use testbed_trace::order::{events, What};

const DETAIL: &str = "profile+timer+user+detail";

fn testbed(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).output().unwrap()
}

/// The capture of a run with these words on the command line.
fn run(words: &[&str], dgl: &str) -> (TempDir, Capture) {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let output = testbed(&[&["run"], words, &["--dgl", dgl, "--out", out]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let capture = Capture::open(dir.path()).unwrap();
    (dir, capture)
}

fn all(capture: &Capture) -> Report {
    analyse(capture, &Options::default()).unwrap()
}

fn phase(report: &Report, protocol: Protocol, phase: Phase, beside: bool) -> Distribution {
    let protocols = &report.phases.as_ref().unwrap().protocols;
    let found = protocols.iter().find(|found| found.protocol == protocol).expect("the protocol is there");
    let row = found.phases.iter().find(|row| (row.phase, row.beside) == (phase, beside));
    row.unwrap_or_else(|| panic!("{phase:?} is not in {found:?}")).figures
}

/// How often an event of the table is in the trace.
fn count(capture: &Capture, code: u16) -> u64 {
    let integrity = verify(capture).unwrap();
    let events = events(capture, &integrity).unwrap().map(|event| event.unwrap());
    events.filter(|event| matches!(event.what, What::Known(kind) if kind.code == code)).count() as u64
}

/// Cycle of the first event of a program with this datum.
fn cycle_of(capture: &Capture, wanted: u16) -> u64 {
    let integrity = verify(capture).unwrap();
    let mut events = events(capture, &integrity).unwrap().map(|event| event.unwrap());
    let user = |what: What| matches!(what, What::Known(kind) if kind.code == event::USER);
    let found = events.find(|event| user(event.what) && event.argument == Some(wanted)).expect("the program says so");
    found.ticks() * u64::from(capture.record.machine.tick_cycles)
}

#[test]
fn phases_are_what_the_kernel_s_benchmark_measures() {
    let (_dir, capture) = run(&["kernel-bench", "remote", "4", "--machine", "bench"], "profile+user");
    let measured = bench::remote(&Case::read(&capture).unwrap()).unwrap();
    let from_cycle = Some(cycle_of(&capture, datum::RECEIVER_WAITS));
    let report = analyse(&capture, &Options { from_cycle, ..Options::default() }).unwrap();
    let net = |wanted, beside| phase(&report, Protocol::Remote, wanted, beside).corrected_median_cycles as i64;
    assert_eq!(net(Phase::SenderRequest, false), measured.send_request);
    assert_eq!(net(Phase::ReceiverRequest, true), measured.receive_request);
    assert_eq!(net(Phase::FocusService, false), measured.focus);
    assert_eq!(net(Phase::RtrService, false), measured.rtr);
    assert_eq!(net(Phase::MsgService, false), measured.msg);
    assert_eq!(net(Phase::FocusFlight, false), measured.focus_flight);
    assert_eq!(net(Phase::RtrFlight, false), measured.rtr_flight);
    assert_eq!(net(Phase::MsgFlight, false), measured.msg_flight);

    let (_dir, capture) = run(&["kernel-bench", "migrate", "--machine", "bench"], "profile+user");
    let measured = bench::migration(&Case::read(&capture).unwrap()).unwrap();
    let report = all(&capture);
    let net = |wanted| phase(&report, Protocol::Migration, wanted, false).corrected_median_cycles as i64;
    assert_eq!(net(Phase::Packing), measured.pack);
    // Half of the moves lead home, and take a little less: of the two in the middle the analysis has
    // the shorter one, the benchmark the longer one.
    let unpacking = phase(&report, Protocol::Migration, Phase::Unpacking, false);
    let probes = unpacking.probe_cycles / unpacking.count;
    assert!(unpacking.median_cycles - probes == unpacking.corrected_median_cycles && probes > 0);
    let middles = [unpacking.median_cycles, unpacking.p90_cycles].map(|raw| (raw - probes) as i64);
    assert!(middles.contains(&measured.unpack), "{middles:?}, {measured:?}");
    assert_eq!(net(Phase::ThreadFlight), measured.flight);

    let (_dir, capture) = run(&["kernel-bench", "local", "64", "--machine", "bench"], "profile+user");
    let measured = bench::local(&Case::read(&capture).unwrap()).unwrap();
    // Half of its rounds begin with the sender, half with the receiver; the median of all is that of one half.
    let turn = Some(cycle_of(&capture, datum::RECEIVER_WAITS));
    let halves = [(None, turn), (turn, None)].map(|(from_cycle, to_cycle)| {
        let options = Options { from_cycle, to_cycle, ..Options::default() };
        let report = analyse(&capture, &options).unwrap();
        [Phase::FirstRequest, Phase::SecondRequest]
            .map(|wanted| phase(&report, Protocol::Local, wanted, false).corrected_median_cycles as i64)
    });
    assert!(halves.iter().any(|half| half[0] == measured.first), "{halves:?}, {measured:?}");
    assert!(halves.iter().any(|half| half[1] == measured.second), "{halves:?}, {measured:?}");
}

/// What must hold of every run without losses.
fn consistent(capture: &Capture) -> Report {
    let report = all(capture);
    assert_eq!((report.uncertainty.ambiguous, report.uncertainty.gaps), (0, 0));
    let time = report.range.cycles();
    assert_eq!(time, capture.record.cycles);
    for thread in &report.threads.as_ref().unwrap().threads {
        assert_eq!(thread.states.values().sum::<u64>(), thread.elapsed_cycles);
    }
    for processor in &report.cpu.as_ref().unwrap().processors {
        assert_eq!(processor.cycles.values().sum::<u64>(), time);
    }
    for queue in &report.queues.as_ref().unwrap().processors {
        assert_eq!(queue.cycles_by_length.values().sum::<u64>(), time);
    }
    // The phases of each protocol tile its episodes, and no episode is shorter than its probes.
    for protocol in &report.phases.as_ref().unwrap().protocols {
        let parts = protocol.phases.iter().filter(|row| !row.beside);
        let sum: u64 = parts.map(|row| row.figures.total_cycles).sum();
        let whole = protocol.whole.expect("one was followed to its end");
        assert_eq!((sum, protocol.omitted.total()), (whole.total_cycles, 0), "{:?}", protocol.omitted);
        assert!(whole.corrected_mean_cycles > 0.0 && whole.corrected_mean_cycles < whole.mean_cycles);
    }
    let links = report.links.as_ref().unwrap();
    assert_eq!(links.links.iter().map(|link| link.communications).sum::<u64>(), count(capture, event::COMMR));
    report
}

fn episodes(report: &Report, protocol: Protocol) -> u64 {
    let protocols = &report.phases.as_ref().unwrap().protocols;
    let found = protocols.iter().find(|found| found.protocol == protocol);
    found.and_then(|found| found.whole).map_or(0, |whole| whole.count)
}

#[test]
fn every_communication_migration_and_page_of_a_run_is_followed() {
    for words in [&["remote", "5", "2", "1"][..], &["migrate"], &["multi-phase"]] {
        let (_dir, capture) = run(words, DETAIL);
        let report = consistent(&capture);
        assert_eq!(episodes(&report, Protocol::Local), count(&capture, event::TRAP72), "{words:?}");
        assert_eq!(episodes(&report, Protocol::Remote), count(&capture, event::COMMR), "{words:?}");
        assert_eq!(episodes(&report, Protocol::Migration), count(&capture, event::UNPACKED), "{words:?}");
        assert_eq!(episodes(&report, Protocol::Page), count(&capture, event::PAGE_READY), "{words:?}");
    }
}

#[test]
fn queues_are_the_same_from_either_class_of_events() {
    let (_one, profile) = run(&["multi-phase"], DETAIL);
    let (_other, ready) = run(&["multi-phase"], "ready");
    let (profile, ready) = (all(&profile), all(&ready));
    assert!(ready.phases.is_none() && ready.not_recorded.len() == Kind::ALL.len() - 1);
    let (profile, ready) = (profile.queues.unwrap(), ready.queues.unwrap());
    assert!(ready.contradictions.is_empty());
    for (one, other) in profile.processors.iter().zip(&ready.processors) {
        // What the classes cost differs, and with it who is ahead of whom.
        let (one, other) = (one.mean.unwrap(), other.mean.unwrap());
        assert!((one - other).abs() < 0.05 * other, "{one} and {other}");
    }
}

/// Runs `analyse` or `diff` on folders.
fn shown(words: &[&str], folders: &[&Path]) -> (i32, String, String) {
    let folders: Vec<_> = folders.iter().map(|folder| folder.to_str().unwrap()).collect();
    let output = testbed(&[&words[..1], &folders, &words[1..]].concat());
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_commands_show_what_is_there_and_say_what_is_not() {
    let (one, _) = run(&["remote", "5", "2", "1"], DETAIL);
    let (other, _) = run(&["remote", "5", "2", "1", "--kernel", "tos94"], DETAIL);
    let (ready, _) = run(&["remote", "5", "2", "1"], "ready");
    let shows = |words: &[&str], code: i32, parts: &[&str]| {
        let (found, out, error) = shown(&[&["analyse"], words].concat(), &[one.path()]);
        assert_eq!(found, code, "{error}");
        for part in parts {
            assert!(out.contains(part) || error.contains(part), "`{part}` is not in\n{out}{error}");
        }
    };
    shows(&[], 0, &["phases of remote communication", "latencies", "time-lines", "ready queues", "links"]);
    shows(&["path"], 0, &["critical path of remote communication", "slow: earth.1.1 to earth.1.2, channel 1"]);
    shows(&["cpu", "--window", "10ms", "--from", "20ms", "--to", "50ms"], 0, &["windows of 10.000 ms", "20.000 ms  "]);
    shows(&["phases", "--json"], 0, &["\"median_cycles\"", "\"rtr_service\""]);
    shows(&["phase"], 3, &["no analysis `phase`", "phases, latency"]);
    shows(&["cpu", "--window", "1"], 3, &["--window: `1` has no unit", "cycles"]);
    shows(&["cpu", "--from", "10s"], 3, &["no time lies between", "--from"]);
    let (code, _, error) = shown(&["analyse", "phases"], &[ready.path()]);
    assert_eq!(code, 3);
    assert!(error.contains("`phases` needs") && error.contains("--dgl profile+timer+user+detail"), "{error}");

    let (code, out, _) = shown(&["diff"], &[one.path(), one.path()]);
    assert_eq!((code, out.contains("the same events at the same times")), (0, true), "{out}");
    let (code, out, _) = shown(&["diff"], &[one.path(), other.path()]);
    assert_eq!(code, 1);
    for part in ["the kernels differ", "first differ", "more time in b", "remote communication: focus flight"] {
        assert!(out.contains(part), "`{part}` is not in\n{out}");
    }
}

/// A shell to which nobody types.
#[test]
fn a_thread_that_waits_for_input_does_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    testbed(&["run", "sh", "--for", "200ms", "--out", out]);
    let capture = Capture::open(dir.path()).unwrap();
    let report = all(&capture);
    let thread = &report.threads.as_ref().unwrap().threads[0];
    let share = |cycles: Option<&u64>| *cycles.unwrap_or(&0) as f64 / capture.record.cycles as f64;
    let (waits, runs) = (share(thread.states.get(&ThreadState::Call)), share(thread.states.get(&ThreadState::Running)));
    assert!(waits > 0.9 && runs < 0.05, "{thread:?}");
    assert_eq!(thread.blocked[0].on, On::Call(syscall::READ_LINE as u16));
    let earth = &report.cpu.as_ref().unwrap().processors[0];
    assert!(share(earth.cycles.get(&Doing::Idle)) > 0.9, "{earth:?}");
    let (code, shown, _) = shown(&["analyse", "threads"], &[dir.path()]);
    assert!(code == 0 && shown.contains("console input 100%"), "{shown}");
    // Nor is that a whole run.
    let output = testbed(&["conform", out]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(7), "{text}");
    for part in ["the run was cut in cycle", "earth.1.1 on earth waits for console input since"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

/// The ledger of a real run: a packet more or less at any station is seen.
#[test]
fn the_packets_of_a_run_balance_to_the_last() {
    let (_dir, capture) = run(&["remote", "5", "2", "1"], DETAIL);
    let ledger = capture.record.ledger.as_ref().unwrap();
    assert_eq!(ledger.imbalances(), Vec::<String>::new());
    let broadcasts: u32 = ledger.stations.iter().filter_map(|line| line.tx_broadcasts).sum();
    assert!(broadcasts > 0 && ledger.stations.iter().all(|line| line.tx_broadcasts.is_some()));
    for station in 0..ledger.stations.len() {
        for by in [-1i32, 1] {
            let mut seeded = ledger.clone();
            let line = &mut seeded.stations[station];
            line.rx_packets = line.rx_packets.wrapping_add_signed(by);
            assert!(seeded.imbalances().iter().any(|told| told.contains(&format!("({by:+})"))), "{seeded:?}");
        }
    }
}

/// Chatter with the default classes: threads whose alternatives' time is over move before they run.
#[test]
fn threads_that_roam_conform_and_emptied_folders_do_not() {
    let (dir, _) = run(&["chatter"], "profile+timer+user");
    let out = dir.path().to_str().unwrap();
    let conform = || {
        let output = testbed(&["conform", out]);
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = conform();
    assert!(code == 0 && text.contains("\nconforms: "), "{text}");
    for name in ["mmi.raw", "trace/earth", "trace/air"] {
        std::fs::write(dir.path().join(name), "").unwrap();
    }
    let (code, text) = conform();
    assert_eq!(code, 7, "{text}");
    for part in ["incomplete: earth: of the", "incomplete: air: of the", "\nincomplete, and nothing deviates"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

/// What the program measures of its own supersteps is what their events say; conform and waits know them.
#[test]
fn supersteps_of_a_run_take_as_long_as_the_program_says() {
    const PROCESSES: usize = 7;
    const ROUNDS: usize = 40;
    let (dir, capture) = run(&["bsp-sum", "7", "40"], "profile+timer+user");
    let report = all(&capture).bsp.unwrap();
    let [group] = &report.groups[..] else { panic!("{report:?}") };
    assert_eq!((group.processes, group.incomplete.total(), report.omitted.total()), (PROCESSES, 0, 0));
    assert_eq!(group.totals.supersteps * PROCESSES as u64, count(&capture, event::SYNC));
    assert_eq!(group.totals.supersteps, group.supersteps.len() as u64);
    // The first superstep registers; then there are the rounds, the sums, and the end.
    let console = std::fs::read_to_string(dir.path().join("console.txt")).unwrap();
    let told = console.lines().find(|line| line.contains("process 0 of 7")).unwrap();
    let told: f64 = told.split(' ').rev().nth(3).unwrap().parse().unwrap();
    let through = |exchange: usize| group.supersteps[exchange].members[0].through_cycle.unwrap();
    let found = (through(ROUNDS) - through(0)) as f64 / ROUNDS as f64;
    assert!((found / told - 1.0).abs() < 0.01, "{found} by events, {told} by the program");
    // Each puts a word to each.
    let words: Vec<u32> = group.supersteps.iter().map(|step| step.sums.unwrap().h_words()).collect();
    assert_eq!(words.iter().filter(|words| **words > 0).count(), 1, "{words:?}");
    for step in &group.supersteps {
        let sums = step.sums.unwrap();
        let most = step.members.iter().map(|member| member.w_cycles.unwrap()).max().unwrap();
        // Seven processes on five processors.
        assert!(sums.w_cycles >= most && sums.w_cycles <= 2 * most && sums.w_cycles < sums.cycles, "{step:?}");
    }
    let output = testbed(&["conform", dir.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    // A program without the class says which one tells.
    let (dir, _) = run(&["bsp-sum", "2", "1"], "user");
    let output = testbed(&["analyse", dir.path().to_str().unwrap(), "bsp"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--dgl profile+timer+user"));
}
