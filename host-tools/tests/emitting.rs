//! What programs emit by a store is in the trace as their own, from the thread that ran, whatever
//! they store, and nothing else comes of it.

use std::collections::BTreeMap;

use testbed_definitions::event::USER;
use testbed_trace::order::What;

use crate::ordered::run;

/// As in the program.
const EVENTS: u32 = 40;
/// What the first thread stores at last: what looks like a scheduled thread, like the code of an
/// event of two words, and a byte. The marker's datum comes to nothing.
const HARMLESS: [u16; 3] = [0x4001, 0x8001, 0x4141];

/// Of each thread, by its id, the data that it has emitted on each processor.
fn emitted(kernel: &str) -> BTreeMap<(u16, u8), Vec<u16>> {
    let folder = tempfile::tempdir().unwrap();
    let (_, events) = run(&["emit", "--kernel", kernel], folder.path());
    let mut running = BTreeMap::new();
    let mut data: BTreeMap<_, Vec<u16>> = BTreeMap::new();
    for event in events {
        assert!(event.is_certain() && !matches!(event.what, What::Unknown(_)), "{kernel}: {event:?}");
        match event.what {
            What::Schedule(thread) => drop(running.insert(event.smi, thread & 0x3f)),
            What::Known(kind) if kind.code == USER => {
                let datum = event.argument.unwrap();
                data.entry((running[&event.smi], event.smi)).or_default().push(datum);
            }
            _ => {}
        }
    }
    data
}

#[test]
fn events_of_programs_are_those_of_the_thread_that_ran() {
    for kernel in ["default", "tos94"] {
        let mut data = emitted(kernel);
        let firsts = data.remove(&(1, 1)).unwrap();
        assert_eq!(firsts[1..], HARMLESS, "{kernel}");
        assert_eq!(firsts[0], 0x0100, "{kernel}");
        // Thread 2 begins on the master, where nothing is emitted; the last one goes on there.
        let mut expected = BTreeMap::new();
        for id in 2..8u16 {
            let own = |half: u16| (0..EVENTS as u16).map(|number| id << 8 | half | number).collect::<Vec<_>>();
            let place = (id - 2) as u8;
            for (at, half) in [(place, 0), ((place + 1) % 6, 0x80)] {
                if at != 0 {
                    expected.insert((id, at), own(half));
                }
            }
        }
        assert_eq!(data, expected, "{kernel}");
    }
}
