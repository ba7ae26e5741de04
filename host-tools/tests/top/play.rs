//! Folders of all kinds are played and followed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use testbed_host_tools::top::player::{Options, Player};
use testbed_host_tools::top::screen::{Mode, Requests, Screen, Speed};
use testbed_machine::Machine;
use testbed_trace::balance::Counts;
use testbed_trace::capture::{verify, BalanceRecord, Capture, CaptureError, CaptureWriter, RunRecord, BALANCE};
use testbed_trace::order::events;
use testbed_trace::synthetic::{self, mmi_words, Mix, Mmi, Smi};

const BUDGET: Duration = Duration::from_millis(50);

fn mix() -> Mix {
    Mix { ticks: 200, silence_every: 0, silence_wraps: 0, loss_every: 0, long_every: 5 }
}

fn folder(events: u64) -> (tempfile::TempDir, RunRecord) {
    let dir = tempfile::tempdir().unwrap();
    let record = synthetic::capture(dir.path(), &Machine::testbed6(), mix(), 1, events).unwrap();
    (dir, record)
}

fn open(dir: &Path, options: Options) -> Player {
    let mut player = Player::open(dir, &options).unwrap();
    let begun = Instant::now();
    // The capture is verified beside.
    while player.pass(Duration::ZERO, BUDGET).unwrap() || player.is_jumping() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it takes too long");
        std::thread::sleep(Duration::from_millis(1));
    }
    player
}

fn shown(player: &Player) -> Screen {
    let mut screen = Screen::new(Mode::Checking);
    player.show(&mut screen);
    screen
}

fn count(dir: &Path) -> u64 {
    let capture = Capture::open(dir).unwrap();
    let integrity = verify(&capture).unwrap();
    events(&capture, &integrity).unwrap().map(|event| _ = event.unwrap()).count() as u64
}

#[test]
fn a_run_that_is_over_is_played_at_its_own_speed() {
    let (dir, record) = folder(2_000);
    let mut player = open(dir.path(), Options::default());
    assert_eq!((shown(&player).mode, shown(&player).view.now), (Mode::Playing, 0));
    for _ in 0..10 {
        player.pass(Duration::from_millis(4), BUDGET).unwrap();
    }
    let hz = u64::from(record.machine.clock_hz);
    assert_eq!(shown(&player).view.now, 40 * hz / 1_000);
    let capture = Capture::open(dir.path()).unwrap();
    let all = events(&capture, &verify(&capture).unwrap()).unwrap().map(Result::unwrap);
    let before = all.filter(|event| event.ticks() * 25 <= 40 * hz / 1_000).count() as u64;
    assert_eq!(shown(&player).view.events, before);
    player.set_speed(Speed::faster);
    player.pass(Duration::from_millis(10), BUDGET).unwrap();
    assert_eq!(shown(&player).view.now, 60 * hz / 1_000);
    player.pause();
    player.pass(Duration::from_secs(1), BUDGET).unwrap();
    assert_eq!((shown(&player).view.now, shown(&player).mode), (60 * hz / 1_000, Mode::Paused));
    player.pause();
    while player.pass(Duration::from_secs(1), BUDGET).unwrap() || !player.is_over() {}
    let end = shown(&player);
    assert_eq!((end.view.now, end.view.events), (record.cycles, count(dir.path())));
    assert_eq!(end.mode, Mode::Ended("the time given is over".into()));
}

#[test]
fn steps_go_from_event_to_event_and_from_piece_to_piece() {
    let (dir, _) = folder(200);
    let mut player = open(dir.path(), Options::default());
    for number in 1..20 {
        player.step_event().unwrap();
        let screen = shown(&player);
        assert_eq!((screen.view.events, &screen.mode), (number, &Mode::Paused));
        assert!(screen.last_event.is_some_and(|event| event.contains(" us  ")));
    }
    let before = shown(&player).view;
    player.step_piece();
    player.pass(Duration::ZERO, BUDGET).unwrap();
    let after = shown(&player);
    assert_eq!((after.view.now, after.mode), (before.now + before.piece_cycles, Mode::Paused));
    player.restart().unwrap();
    assert_eq!(shown(&player).view.events, 0);
}

/// Requests are those until the moment that is shown; the log is read again when it has grown.
#[test]
fn requests_are_those_of_the_log_so_far() {
    let (dir, mut record) = folder(2_000);
    record.balance = Some(BalanceRecord { policy: "gain".into(), sample_us: 1_000, settings: Vec::new() });
    record.write(dir.path()).unwrap();
    let hz = u64::from(record.machine.clock_hz);
    let ask = |number: u32, at: u64| format!("TIM: {at}\nmove work from 1 to 2 to shorten its queue (mig #{number})\n");
    let log = dir.path().join(BALANCE);
    let at = |milliseconds: u64| {
        let player = open(dir.path(), Options { from: Some(milliseconds * hz / 1_000), ..Options::default() });
        shown(&player).requests.unwrap()
    };
    assert_eq!(at(1), Requests::NoLog);
    fs::write(&log, ask(1, 2) + "mig #1: 1-01-002 arrives at 2, time 4\n" + &ask(2, 5)).unwrap();
    let known = |requests, moved, open| Requests::Known(Counts { requests, moved, open, ..Counts::default() });
    let found = [1, 2, 4, 5].map(at);
    assert_eq!(found, [known(0, 0, 0), known(1, 0, 1), known(1, 1, 0), known(2, 1, 1)]);
    let mut player = open(dir.path(), Options { from: Some(6 * hz / 1_000), ..Options::default() });
    assert_eq!(shown(&player).requests, Some(known(2, 1, 1)));
    let text = fs::read_to_string(&log).unwrap() + "mig #2: expires at 1, time 6\nmig #3: exp";
    fs::write(&log, &text).unwrap();
    player.pass(Duration::ZERO, BUDGET).unwrap();
    let all = Counts { requests: 2, moved: 1, expired: 1, ..Counts::default() };
    assert_eq!(shown(&player).requests, Some(Requests::Known(all)), "a line without its end is left out");
    fs::write(&log, text + "lodes\n").unwrap();
    player.pass(Duration::ZERO, BUDGET).unwrap();
    let Some(Requests::Unreadable(why)) = shown(&player).requests else { panic!("it makes no sense") };
    assert!(why.starts_with("line 7, column 9"), "{why}");
}

#[test]
fn the_end_and_other_times_are_reached_at_once() {
    let (dir, record) = folder(2_000);
    let at = record.cycles / 3;
    let mut player = open(dir.path(), Options { from: Some(at), ..Options::default() });
    assert_eq!(shown(&player).view.now, at);
    player.to_end();
    while player.pass(Duration::ZERO, BUDGET).unwrap() || player.is_jumping() {}
    assert!(player.is_over());
    let end = shown(&player);
    assert_eq!((end.view.now, end.view.events), (record.cycles, count(dir.path())));
    // The same figures whatever the way there.
    let direct = open(dir.path(), Options { from: Some(u64::MAX), ..Options::default() });
    assert_eq!(shown(&direct).view, end.view);
    // Beyond the end there is nothing.
    let beyond = open(dir.path(), Options { from: Some(record.cycles * 2), ..Options::default() });
    assert_eq!(shown(&beyond).view, end.view);
}

#[test]
fn a_run_that_goes_on_is_followed_and_the_next_one_too() {
    let dir = tempfile::tempdir().unwrap();
    let machine = Machine::testbed6();
    let record = RunRecord { engine: "none".into(), ..RunRecord::new(&machine, "synthetic") };
    let begin = || CaptureWriter::create(dir.path(), &machine, &record).unwrap();
    let mut mmi = Mmi::new((1..6).map(|smi| Smi::new(smi, mix(), 3, 4_000)).collect());
    let mut write = |writer: &mut CaptureWriter, pairs| {
        let some: Vec<_> = mmi.by_ref().take(pairs).collect();
        writer.words(some.iter().flat_map(|(smi, pair)| mmi_words(*smi, pair.pair)).map(|word| (0, word))).unwrap();
    };
    let mut writer = begin();
    let mut player = open(dir.path(), Options::default());
    assert_eq!((shown(&player).mode, player.is_over()), (Mode::Live, false));
    write(&mut writer, 10_000);
    while player.pass(Duration::ZERO, BUDGET).unwrap() {}
    let first = shown(&player);
    // The newest waits for the others' next wrap markers.
    assert!(first.view.events > 3_000 && first.waiting.is_some(), "{:?} {:?}", first.view.events, first.waiting);
    player.pause();
    write(&mut writer, 5_000);
    player.pass(Duration::ZERO, BUDGET).unwrap();
    assert_eq!(shown(&player).view.events, first.view.events);
    player.pause();
    drop(writer);
    while player.pass(Duration::ZERO, BUDGET).unwrap() {}
    let killed = shown(&player);
    assert_eq!(killed.mode, Mode::Ended("the run was ended before it was over".into()));
    assert_eq!(killed.view.events, count(dir.path()));
    let mut writer = begin();
    write(&mut writer, 1_000);
    player.pass(Duration::ZERO, BUDGET).unwrap();
    player.pass(Duration::ZERO, BUDGET).unwrap();
    let next = shown(&player);
    assert!(next.mode == Mode::Live && next.view.events < 1_000, "{:?} {}", next.mode, next.view.events);
}

#[test]
fn a_damaged_capture_is_shown_with_its_damage() {
    let (dir, _) = folder(2_000);
    let path = dir.path().join("trace/fire");
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(5_000);
    fs::write(&path, bytes).unwrap();
    let mmi = dir.path().join("mmi.raw");
    let mut bytes = fs::read(&mmi).unwrap();
    bytes[60_000] ^= 1;
    fs::write(&mmi, bytes).unwrap();
    let player = open(dir.path(), Options { from: Some(u64::MAX), ..Options::default() });
    let screen = shown(&player);
    assert!(screen.damage.iter().any(|damage| damage.contains("trace/fire")), "{:?}", screen.damage);
    assert!(player.is_over() && screen.view.events > 5_000);
    let unproven: u64 = screen.view.processors.iter().map(|processor| processor.unproven).sum();
    assert!(unproven > 0);
}

#[test]
fn folders_that_can_t_be_shown() {
    let dir = tempfile::tempdir().unwrap();
    let error = |dir: &Path| Player::open(dir, &Options::default()).err();
    assert!(matches!(error(&dir.path().join("none")), Some(CaptureError::NoRun(_))));
    assert!(matches!(error(dir.path()), Some(CaptureError::NoRun(_))));
    fs::write(dir.path().join("run.json"), "{}").unwrap();
    assert!(matches!(error(dir.path()), Some(CaptureError::Record { .. })));
}

#[test]
fn of_a_capture_without_its_trace_the_mmi_s_words_are_shown() {
    let (dir, _) = folder(2_000);
    let all = count(dir.path());
    fs::remove_dir_all(dir.path().join("trace")).unwrap();
    let player = open(dir.path(), Options { from: Some(u64::MAX), ..Options::default() });
    let screen = shown(&player);
    assert_eq!(screen.view.events, all);
    assert!(screen.damage.iter().any(|damage| damage.contains("missing")), "{:?}", screen.damage);
}
