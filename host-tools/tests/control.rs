//! What a program changes of the monitors while it runs is what the trace has from there on: no
//! event of a class that is off, no more data than let through, totals that are the truth, and
//! nothing misread.

use testbed_definitions::event::{CLASSES, FILTER, USER};
use testbed_trace::order::What;

use crate::ordered;

/// As in the program: data emitted while no class is enabled, while class user is, while they are
/// dropped, while they are counted, and afterwards.
const PARTS: [u16; 5] = [50, 40, 30, 20, 10];

/// Runs `control` and returns the kinds and arguments of the first slave's events, that of a total being the count.
fn run(options: &[&str]) -> Vec<(What, u32)> {
    let folder = tempfile::tempdir().unwrap();
    let (_, events) = ordered::run(&[&["control", "--for", "2s"], options].concat(), folder.path());
    events
        .iter()
        .filter(|event| event.smi == 1)
        .inspect(|event| assert!(event.is_certain() && !matches!(event.what, What::Unknown(_)), "{event:?}"))
        .map(|event| (event.what, event.value().unwrap_or(0)))
        .collect()
}

fn is(what: What, code: u16) -> bool {
    matches!(what, What::Known(kind) if kind.code == code)
}

/// Data of each part, and what the totals say in all.
fn count(events: &[(What, u32)]) -> ([u16; 5], u32) {
    let (mut parts, mut totals) = ([0; 5], 0);
    for (what, value) in events {
        match what {
            What::Total { rule, .. } => {
                assert_eq!(*rule, 0);
                totals += value;
            }
            what if is(*what, USER) => parts[*value as usize >> 8] += 1,
            _ => {}
        }
    }
    (parts, totals)
}

#[test]
fn the_trace_has_what_was_enabled_and_let_through_and_totals_are_the_truth() {
    for kernel in ["default", "tos94"] {
        let events = run(&["--kernel", kernel]);
        let (parts, totals) = count(&events);
        assert_eq!(parts, [0, PARTS[1], 0, 0, PARTS[4]], "{kernel}");
        assert_eq!(totals, u32::from(PARTS[3]), "{kernel}");
        // With no class there is nothing at all until classes change again.
        let silent = events.iter().position(|&event| is(event.0, CLASSES) && event.1 == 0).unwrap();
        assert!(silent > 0 && is(events[silent + 1].0, CLASSES), "{kernel}: {:?}", events[silent + 1]);
        // Every change is told: two rules of four settings, the interval, one taken back.
        assert_eq!(events.iter().filter(|event| is(event.0, FILTER)).count(), 10, "{kernel}");
        let classes: Vec<u32> = events.iter().filter(|event| is(event.0, CLASSES)).map(|event| event.1).collect();
        assert_eq!(classes, [0, 8, 13, 5, 8], "{kernel}");
    }
}

#[test]
fn classes_can_be_turned_on_in_a_run_that_began_without_any() {
    let (parts, totals) = count(&run(&["--dgl", "none"]));
    assert_eq!((parts, totals), ([0, PARTS[1], 0, 0, PARTS[4]], u32::from(PARTS[3])));
}
