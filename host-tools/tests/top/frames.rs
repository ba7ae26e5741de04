//! What frames look like. `testbed test --overwrite` renews the files in `frames/`.

use std::fs;
use std::path::Path;

use ratatui::backend::TestBackend;
use ratatui::style::Color;
use ratatui::Terminal;
use testbed_definitions::event::{self, message_argument, request_argument, thread_number, SCHEDULE};
use testbed_definitions::load::{Part, ONE_READY};
use testbed_definitions::{mpc, process};
use testbed_host_tools::top::app::text_of;
use testbed_host_tools::top::draw::draw;
use testbed_host_tools::top::keys::{Panel, Sort, Ui};
use testbed_host_tools::top::screen::{Mode, Requests, Screen, Speed};
use testbed_machine::Machine;
use testbed_trace::balance::Counts;
use testbed_trace::capture::{BalanceRecord, KernelKind, RunRecord};
use testbed_trace::conform::Checker;
use testbed_trace::order::{Event, What};
use testbed_trace::synthetic;
use testbed_trace::watch::Watch;

/// Ticks from one exchange to the next.
const EXCHANGE: u64 = 600;

fn record(machine: &str) -> RunRecord {
    RunRecord {
        arguments: vec!["5".into(), "2".into()],
        engine: "emulator".into(),
        kernel: Some(KernelKind::Default),
        dgl: event::DIAG_DEFAULT | event::DIAG_DETAIL,
        ..RunRecord::new(&Machine::load(machine).unwrap(), "multi-phase")
    }
}

fn gap(tick: u64, smi: u8, count: Option<u32>) -> Event {
    Event {
        what: What::Gap(count),
        argument: None,
        doubtful: count.is_none(),
        ..synthetic::event(tick, smi, SCHEDULE, 0)
    }
}

fn sender(processor: u8) -> u16 {
    thread_number(1, 1, processor)
}

fn receiver(processor: u8) -> u16 {
    thread_number(1, 1, 20 + processor)
}

/// A thread asks to receive, is blocked, and the sender there goes on.
fn awaits(at: u64, from: u8, to: u8) -> Vec<(u64, u8, u16, u16)> {
    let argument = request_argument(true, false, false, 16 * from + to);
    vec![
        (at, to, SCHEDULE, receiver(to)),
        (at + 10, to, event::TRAP7, 0),
        (at + 11, to, event::REQUEST, argument),
        (at + 20, to, event::TRAP70, 0),
        (at + 22, to, SCHEDULE, sender(to)),
    ]
}

/// The report's Figure 6, and how the receiver comes to run at the end of the time-slice and asks again.
fn exchange(at: u64, from: u8, to: u8, slice: u64) -> Vec<(u64, u8, u16, u16)> {
    let channel = 16 * from + to;
    let message = |other, kind| message_argument(other, kind, channel);
    let mut steps = vec![
        (at, from, event::TRAP7, 0),
        (at + 1, from, event::REQUEST, request_argument(false, false, false, channel)),
        (at + 10, from, event::TRAP70, 0),
        (at + 15, from, event::TX_MPC, message(to, mpc::FOCUS)),
        (at + 40, to, event::RX_MPC, message(from, mpc::FOCUS)),
        (at + 50, to, event::RX_FOCUS, 0),
        (at + 55, to, event::TX_MPC, message(from, mpc::RTR)),
        (at + 80, from, event::RX_MPC, message(to, mpc::RTR)),
        (at + 95, from, event::COMMS, sender(from)),
        (at + 99, from, event::TX_MPC, message(to, mpc::MSG)),
        (at + 105, from, SCHEDULE, sender(from)),
        (at + 120, to, event::RX_MPC, message(from, mpc::MSG)),
        (at + 140, to, event::COMMR, receiver(to)),
        (at + slice, to, event::TIMER, 0),
        (at + slice + 5, to, event::TIMER_END, 0),
    ];
    steps.extend(awaits(at + slice + 8, from, to));
    steps
}

/// Exchanges from each processor to the next, up to a tick. Receivers wait now longer, now shorter.
fn traffic(slaves: u8, ticks: u64) -> Vec<Event> {
    let next = |from: u8| from % slaves + 1;
    let mut steps: Vec<_> = (1..=slaves).flat_map(|from| awaits(u64::from(from), from, next(from))).collect();
    for number in 1..ticks / EXCHANGE {
        let from = (number % u64::from(slaves)) as u8 + 1;
        let slice = 150 + 30 * u64::from(from) + 25 * (number / 40 % 9);
        steps.extend(exchange(number * EXCHANGE, from, next(from), slice.min(EXCHANGE - 50)));
    }
    let mut events: Vec<_> =
        steps.into_iter().map(|(tick, smi, code, argument)| synthetic::event(tick, smi, code, argument)).collect();
    events.sort_by_key(|event| (event.ticks(), event.smi));
    events
}

#[test]
fn the_traffic_is_what_the_protocols_allow() {
    for slaves in [2, 5, 15] {
        let names: Vec<_> = (0..=slaves).map(|number| format!("p{number}")).collect();
        let mut checker = Checker::new(&names, true);
        traffic(slaves, 100_000).iter().for_each(|event| checker.add(event));
        let found = checker.finish(None);
        assert!(found.deviations.is_empty(), "{:?}", found.deviations.first());
    }
}

/// A screen of a run of which these are the events, at this tick.
fn screen(record: RunRecord, events: &[Event], tick: u64) -> Screen {
    let mut watch = Watch::new(&record, u64::from(record.machine.clock_hz));
    events.iter().for_each(|event| watch.add(event));
    watch.advance(tick * u64::from(record.machine.tick_cycles));
    let console = (1..=30).map(|number| format!("earth: phase {number} took {} us", 1_000 + 7 * number));
    Screen {
        view: watch.view(),
        record: Some(record),
        engine_rate: Some(61.2e6),
        read_rate: Some(44_100.0),
        console: console.collect(),
        ..Screen::new(Mode::Live)
    }
}

fn running() -> Screen {
    screen(record("testbed6"), &traffic(5, 2_000_000), 2_000_000)
}

fn losing() -> Screen {
    let mut events = traffic(5, 400_000);
    events.extend([gap(250_000, 2, Some(1_234)), gap(390_000, 2, Some(70_000)), gap(395_000, 4, None)]);
    events.sort_by_key(|event| (event.ticks(), event.smi));
    let mut screen = screen(record("testbed6"), &events, 400_000);
    screen.mode = Mode::Playing;
    screen.speed = Speed::Times(0.25);
    screen.damage = vec!["trace/water: byte 4096: 0x4001 at 7, where mmi.raw has 0x4002 at 7".into()];
    screen
}

/// A sample of each slave but the last: as many threads are ready as its number, and a half on
/// average.
fn samples(slaves: u8, at: u64) -> Vec<Event> {
    let of = |slave: u8| {
        let ready = u16::from(slave);
        let head = [
            Part::Begin { sequence: 1, ready: slave },
            Part::Period { cycles: 25_000_000 },
            Part::Queue { average: ready * ONE_READY + ONE_READY / 2 },
            Part::User { share: ready << 12 },
        ];
        let parts = head.into_iter().chain([Part::End { sequence: 1, parts: head.len() as u16 }]);
        let step = move |(place, part): (u64, Part)| {
            let [code, argument] = part.words();
            synthetic::event(at + 10 * u64::from(slave) + place, slave, code & !event::MORE, argument)
        };
        (0..).zip(parts).map(step)
    };
    (1..slaves).flat_map(of).collect()
}

fn balanced(dgl: u32, requests: Requests) -> Screen {
    let balance = BalanceRecord { policy: "report".into(), sample_us: 1_000_000, settings: vec!["period=2s".into()] };
    let record = RunRecord { dgl, balance: Some(balance), ..record("testbed6") };
    Screen { requests: Some(requests), ..screen(record, &samples(5, 1_000_000), 1_500_000) }
}

fn terminal(screen: &Screen, (width, height): (u16, u16)) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| _ = draw(frame, screen)).unwrap();
    terminal
}

/// The frame is as the file says.
#[track_caller]
fn looks(name: &str, screen: &Screen, size: (u16, u16)) {
    let text = text_of(&terminal(screen, size));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/top/frames").join(name);
    if std::env::var_os("TESTBED_OVERWRITE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name}: `testbed test --overwrite` renews it\n{text}");
}

const NARROW: (u16, u16) = (60, 20);
const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (140, 45);

#[test]
fn a_run_that_goes_on() {
    looks("running-80x24.txt", &running(), SMALL);
    looks("running-140x45.txt", &running(), LARGE);
}

#[test]
fn a_run_that_is_balanced() {
    let counts = Counts { requests: 1_234, moved: 1_195, standing: 5, expired: 30, refused: 2, unanswered: 1, open: 1 };
    let screen = balanced(event::DIAG_LOAD, Requests::Known(counts));
    looks("balanced-80x24.txt", &screen, SMALL);
    // No number is cut in the smallest window; with other classes all columns are there.
    let all = event::DIAG_LOAD | event::DIAG_DEFAULT;
    for (screen, size) in [(&screen, (60, 14)), (&balanced(all, Requests::Known(counts)), LARGE)] {
        let text = text_of(&terminal(screen, size));
        for part in "report period=2s: 1,234 requests|1,195 moved|5 standing|30 expired|2 refused|1 open".split('|') {
            assert!(text.contains(part), "{part}, {size:?}\n{text}");
        }
        if size != LARGE {
            continue;
        }
        let water = text.lines().find(|line| line.starts_with("water")).unwrap();
        assert!(water.contains("  4.5  25.0") && text.contains("user%"), "{water}");
        // One that has sent no sample.
        assert!(text.lines().any(|line| line.starts_with("space") && line.contains("    -     -")), "{text}");
    }
    // What only other classes tell has no columns.
    let small = text_of(&terminal(&screen, SMALL));
    assert!(small.contains("load%") && !small.contains("user%"), "{small}");
    let text = |requests| text_of(&terminal(&balanced(event::DIAG_LOAD, requests), SMALL));
    assert!(text(Requests::NoLog).contains("Balancer report period=2s: no log yet"));
    let why = "line 1, column 6: expected a number, found `soon`";
    let unreadable = text(Requests::Unreadable(why.into()));
    assert!(unreadable.contains("its log can't be read") && unreadable.contains(why), "{unreadable}");
}

/// Supersteps of a process on each slave, a thousand ticks each.
fn supersteps(slaves: u8, count: u64) -> Vec<Event> {
    let of = |number: u64, slave: u8| {
        let owner = process::id(1, 1, 1);
        let at = number * 1_000 + 5 * u64::from(slave);
        let step = |tick, code, argument| synthetic::event(at + tick, slave, code, argument);
        [
            step(500, event::SYNC, event::member_argument(owner, slave - 1)),
            step(501, event::SENT, 16 * u16::from(slave)),
            step(700, event::THROUGH, thread_number(slave, 1, 1)),
            step(701, event::RECEIVED, 48),
            step(710, SCHEDULE, thread_number(slave, 1, 1)),
        ]
    };
    let born =
        (1..=slaves).map(|slave| synthetic::event(u64::from(slave), slave, SCHEDULE, thread_number(slave, 1, 1)));
    let all = (0..count).flat_map(|number| (1..=slaves).flat_map(move |slave| of(number, slave)));
    let mut events: Vec<_> = born.chain(all).collect();
    events.sort_by_key(|event| (event.ticks(), event.smi));
    events
}

#[test]
fn a_run_of_supersteps() {
    let record = RunRecord { dgl: event::DIAG_PROFILE | event::DIAG_USER, ..record("testbed6") };
    let screen = screen(record, &supersteps(5, 900), 900_000);
    looks("supersteps-80x24.txt", &screen, SMALL);
    let text = text_of(&terminal(&screen, (60, 14)));
    for part in ["Supersteps of earth.1, 5 processes: 89", "/s", "% work", "the last: w 19,", "by process 4"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_run_with_losses_and_damage() {
    looks("losses-80x24.txt", &losing(), SMALL);
    looks("losses-140x45.txt", &losing(), LARGE);
}

#[test]
fn losses_of_every_kind_are_whole_in_the_smallest_window() {
    let mut screen = losing();
    let uncertain = &mut screen.view.uncertainty;
    (uncertain.ambiguous, uncertain.doubtful, uncertain.deviations) = (1_234_567, 89_012, 3_456);
    for size in [(60, 14), NARROW, SMALL] {
        let text = text_of(&terminal(&screen, size));
        for part in [
            "71,234 events",
            "in 3 gaps",
            "1,234,567 whose",
            "89,012 that",
            "3,456 against the protocols",
            "DAMAGED",
            "quit",
        ] {
            assert!(text.contains(part), "{part}, {size:?}\n{text}");
        }
    }
    looks("every-loss-60x14.txt", &screen, (60, 14));
}

#[test]
fn fifteen_processors_leave_room_for_the_rest() {
    let events = traffic(15, 400_000);
    let machine = tempfile::NamedTempFile::new().unwrap();
    let names: Vec<_> = (0..16).map(|number| format!("\"p{number}\"")).collect();
    let text = format!("name = \"full\"\nprocessors = [{}]\nram = \"1 MiB\"\nclock = \"25 MHz\"\n", names.join(", "));
    fs::write(machine.path(), text).unwrap();
    let mut screen = screen(record(machine.path().to_str().unwrap()), &events, 400_000);
    screen.ui = Ui { focus: Panel::Processors, scroll: [4, 0, 0, 0], ..Ui::default() };
    looks("fifteen-80x24.txt", &screen, SMALL);
}

#[test]
fn threads_are_sorted_and_scrolled() {
    let mut screen = running();
    screen.ui = Ui { sort: Sort::Thread, reversed: true, scroll: [0, 2, 0, 5], ..Ui::default() };
    screen.mode = Mode::Paused;
    screen.last_event = Some("1998.00 us  air  RX_MPC FOCUS from earth, channel 18".into());
    looks("scrolled-80x24.txt", &screen, SMALL);
}

#[test]
fn what_is_not_a_run_yet_or_not_recorded() {
    let mut starting = Screen::new(Mode::Starting("   Compiling kernel v0.1.0".into()));
    looks("starting-80x24.txt", &starting, SMALL);
    starting.ui.help = true;
    looks("help-80x24.txt", &starting, SMALL);
    let empty = RunRecord { dgl: 0, ..record("testbed6") };
    let mut nothing = screen(empty, &[], 10_000);
    nothing.mode = Mode::Ended("exit code 0 on earth".into());
    looks("nothing-80x24.txt", &nothing, SMALL);
    looks("too-small.txt", &running(), (50, 10));
}

#[test]
fn a_narrow_window_has_fewer_columns() {
    let mut screen = running();
    let lines =
        |screen: &Screen| -> Vec<String> { text_of(&terminal(screen, NARROW)).lines().map(String::from).collect() };
    let threads = lines(&screen);
    let header: Vec<_> = threads[2].split_whitespace().collect();
    assert_eq!(header, ["processor", "ready", "running", "user%", "idle%", "events/s", "gaps", "lost"]);
    let shows = |lines: &[String], word: &str| lines.iter().any(|line| line.contains(word));
    assert!(shows(&threads, ">Threads by cpu (Tab for links): ") && !shows(&threads, "pkt/s"), "{threads:#?}");
    assert!(shows(&threads, "? help"), "{threads:#?}");
    screen.ui.focus = Panel::Links;
    let links = lines(&screen);
    assert!(shows(&links, ">Links: ") && shows(&links, "pkt/s") && !shows(&links, "Threads"), "{links:#?}");
}

/// The words of a processor's row, without the histories.
fn row(screen: &Screen, size: (u16, u16), name: &str) -> Vec<String> {
    let text = text_of(&terminal(screen, size));
    let line = text.lines().skip(3).find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}\n{text}"));
    let is_history = |word: &&str| !word.is_ascii() || word.chars().all(|c| c == '_');
    line.split_whitespace().filter(|word| !is_history(word)).map(String::from).collect()
}

/// A number of which digits are cut would be another number.
#[test]
fn no_width_cuts_a_number() {
    for screen in [running(), losing()] {
        for name in ["earth", "air", "fire", "water", "space"] {
            let all = row(&screen, (200, 45), name);
            for width in 60..200 {
                let words = row(&screen, (width, 45), name);
                assert!(
                    words.len() > 5
                        && words
                            .iter()
                            .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
                            .all(|word| all.contains(word)),
                    "{width}: {words:?} {all:?}"
                );
            }
        }
    }
}

#[test]
fn every_size_can_be_drawn() {
    let (running, mut help) = (running(), losing());
    help.ui.help = true;
    for width in (1..200).step_by(7) {
        for height in 1..60 {
            terminal(&running, (width, height));
            terminal(&help, (width, height));
        }
    }
}

/// Colours say nothing that letters don't: they may be left out, and are when they are not wanted.
#[test]
fn without_colours_nothing_is_missing() {
    let mut screen = losing();
    let colours = |screen: &Screen| -> usize {
        let terminal = terminal(screen, LARGE);
        let cells = &terminal.backend().buffer().content;
        assert!(cells.iter().all(|cell| cell.bg == Color::Reset), "the terminal's own background stays");
        cells.iter().filter(|cell| cell.fg != Color::Reset).count()
    };
    assert_eq!(colours(&screen), 0);
    let plain = text_of(&terminal(&screen, LARGE));
    screen.colours = true;
    assert!(colours(&screen) > 0);
    assert_eq!(text_of(&terminal(&screen, LARGE)), plain);
}
