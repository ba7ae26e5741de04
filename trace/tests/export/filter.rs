//! What filters let pass, and what they say of wishes that can't be met.

use proptest::prelude::*;
use testbed_definitions::event::{COMMS, TRAP7, TRAP70, TX_MPC};
use testbed_trace::export::{Choice, Filter, Format};
use testbed_trace::order::{Epoch, Event, What};

use super::events::{any_events, gap, known, record, remote, text, thread, written_of, SLAVES};

fn lines(events: &[Event], choice: &Choice) -> Vec<String> {
    let (bytes, _) = written_of(events, Format::Text, choice);
    String::from_utf8(bytes).unwrap().lines().map(String::from).collect()
}

/// Lines of these events alone.
fn of(events: &[Event], wanted: impl Fn(&Event) -> bool) -> Vec<String> {
    let events: Vec<_> = events.iter().copied().filter(wanted).collect();
    text(&events, Format::Text).lines().map(String::from).collect()
}

fn is_gap(event: &Event) -> bool {
    matches!(event.what, What::Gap(_))
}

fn high(event: &Event) -> Option<u64> {
    match event.epoch {
        Epoch::Certain(_) => Some(event.ticks()),
        Epoch::Ambiguous { high, .. } => high.map(|high| high << 16 | u64::from(event.time)),
    }
}

proptest! {
    #[test]
    fn processors_names_and_certainty(events in any_events(), smi in 1..=SLAVES) {
        let name = &record().machine.processors[usize::from(smi)];
        let choice = Choice { processor: Some(name), ..Choice::default() };
        prop_assert_eq!(lines(&events, &choice), of(&events, |event| event.smi == smi));
        let choice = Choice { event: Some("comms, SCHEDULE"), ..Choice::default() };
        let wanted = |event: &Event| ["COMMS", "SCHEDULE"].contains(&event.what.name()) || is_gap(event);
        prop_assert_eq!(lines(&events, &choice), of(&events, wanted));
        let choice = Choice { certain: true, ..Choice::default() };
        prop_assert_eq!(lines(&events, &choice), of(&events, Event::is_certain));
        let (_, exported) = written_of(&events, Format::Text, &choice);
        prop_assert_eq!(exported.shown + exported.unproven, events.len() as u64);
    }

    /// An event that may lie in the slice is in it. A file that is not whole is read to its end.
    #[test]
    fn slices_of_time(events in any_events(), from in 0u64..300_000, length in 1u64..300_000) {
        let to = from + length;
        let (from_text, to_text) = (format!("{from}us"), format!("{to}us"));
        let choice = Choice { from: Some(&from_text), to: Some(&to_text), ..Choice::default() };
        let filter = Filter::new(&choice, &record()).unwrap();
        for event in &events {
            let may = event.ticks() < to && high(event).is_none_or(|high| high >= from);
            prop_assert_eq!(filter.in_scope(event), may);
        }
    }

    /// Every format takes every filter, and has the events that text has.
    #[test]
    fn filters_mean_the_same_for_all_formats(events in any_events()) {
        let choice = Choice { from: Some("1ms"), processor: Some("earth,air"), certain: true, ..Choice::default() };
        let shown = lines(&events, &choice).len() as u64;
        for (name, format) in Format::ALL {
            let (_, exported) = written_of(&events, format, &choice);
            prop_assert_eq!(exported.shown, shown, "{}", name);
        }
    }
}

#[test]
fn reading_stops_where_the_slice_ends() {
    let events = super::events::story(10_000);
    let (bytes, exported) = written_of(&events, Format::Csv, &Choice { to: Some("1ms"), ..Choice::default() });
    assert_eq!((exported.read, exported.shown), (210, 210));
    assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 211);
}

#[test]
fn a_thread_is_what_names_it_and_what_happens_while_it_runs() {
    let mut events = remote(0);
    events.push(gap(99, 3, 5));
    let (sender, seen) = (thread(1, 1), |choice: &Choice| lines(&events, choice));
    let by_number = sender.to_string();
    let by_name = seen(&Choice { thread: Some("earth.1.1"), ..Choice::default() });
    assert_eq!(by_name, seen(&Choice { thread: Some(&by_number), ..Choice::default() }));
    let names: Vec<_> = by_name.iter().map(|line| line.split_whitespace().nth(3).unwrap()).collect();
    assert_eq!(names, ["SCHEDULE", "TRAP7", "TX_MPC", "TRAP70", "COMMS", "SCHEDULE", "TIMER", "GAP"]);
    let (_, exported) = written_of(&events, Format::Text, &Choice { thread: Some("space.1.1"), ..Choice::default() });
    assert!(!exported.thread_seen);
}

#[test]
fn losses_pass_filters_of_names() {
    let events =
        [known(1, 1, TRAP7, 0), gap(2, 1, 9), known(3, 2, TRAP70, 0), known(4, 2, COMMS, 1), known(5, 2, TX_MPC, 0)];
    let choice = Choice { event: Some("TX_MPC"), ..Choice::default() };
    let shown = lines(&events, &choice);
    assert!(shown.len() == 2 && shown[0].contains("9 discarded"), "{shown:?}");
    let choice = Choice { event: Some("TX_MPC"), processor: Some("air"), ..Choice::default() };
    assert_eq!(lines(&events, &choice).len(), 1);
}

fn refused(choice: Choice, parts: &[&str]) {
    let message = Filter::new(&choice, &record()).unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn wishes_that_cannot_be_met_are_explained() {
    let none = Choice::default;
    refused(
        Choice { processor: Some("earth,mars"), ..none() },
        &["--processor mars", "earth, air, fire, water, space"],
    );
    refused(Choice { processor: Some("master"), ..none() }, &["no monitor", "earth"]);
    refused(Choice { event: Some("COMS"), ..none() }, &["--event COMS", "COMMS", "SCHEDULE", "GAP"]);
    refused(Choice { from: Some("5"), ..none() }, &["--from 5", "no unit", "1.5ms"]);
    refused(Choice { to: Some("-1us"), ..none() }, &["--to -1us", "1.5ms"]);
    refused(Choice { from: Some("2ms"), to: Some("2ms"), ..none() }, &["--to 2ms", "--from 2ms"]);
    refused(Choice { from: Some("99999999999999999s"), ..none() }, &["too large"]);
    refused(Choice { thread: Some("earth.1.64"), ..none() }, &["--thread earth.1.64", "earth.1.1"]);
    refused(Choice { thread: Some("70000"), ..none() }, &["--thread 70000"]);
}
