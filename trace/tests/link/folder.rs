//! The same into a folder: what a reader calls certain was so, whatever is lost.

use std::fs;
use std::path::Path;

use testbed_machine::Machine;
use testbed_trace::capture::{verify, Capture, CaptureWriter, RunRecord, ATTACHED, HOLES};
use testbed_trace::live::Live;
use testbed_trace::order::{events, Epoch, Event, What};
use testbed_trace::synthetic::{mmi_words, Mix, Mmi, Smi};

use super::*;

const MIX: Mix = Mix { ticks: 3_000, silence_every: 300, silence_wraps: 600, loss_every: 60, long_every: 4 };
const HARM: Damage = Damage { flipped: 4_000, dropped: 8_000, inserted: 8_000, replaced: 8_000, cut: 60_000 };

fn models(seed: u64, events: u64) -> Vec<Smi> {
    (1..=SMIS).map(|smi| Smi::new(smi as u8, MIX, seed, events)).collect()
}

/// Of each SMI, in order, what really happened.
fn truth(seed: u64, events: u64) -> Vec<Vec<Event>> {
    models(seed, events).into_iter().map(|model| model.filter_map(|pair| pair.event).collect()).collect()
}

/// Second words may be lost, which shows.
fn same(one: &Event, other: &Event) -> bool {
    let what = match (one.what, other.what) {
        (What::Gap(None), What::Gap(_)) => true,
        (one, other) => one == other,
    };
    what && (one.argument.is_none() || one.argument == other.argument)
        && (one.epoch, one.time, one.smi) == (other.epoch, other.time, other.smi)
}

/// Certain events are the truth's, in its order. Returns how many there are.
fn assert_certain(events: &[Event], truth: &[Vec<Event>]) -> usize {
    let mut rest: Vec<_> = truth.iter().map(|events| events.iter()).collect();
    let certain = events.iter().filter(|event| event.is_certain());
    let check = |event: &Event| {
        let found = rest[usize::from(event.smi) - 1].any(|other| same(event, other));
        assert!(found, "{event:?} never happened, or not in this order");
    };
    certain.inspect(|_| ()).map(check).count()
}

/// Writes a folder from a damaged line. Returns what was lost.
fn attach(dir: &Path, seed: u64, events: u64, harm: Damage, mut look: impl FnMut()) -> LinkFigures {
    let mut random = Random::new(seed);
    let sent: Vec<Sent> =
        Mmi::new(models(seed, events)).map(|(smi, pair)| (smi, Pair::unpack(pair.pair))).collect();
    let mut line = line(&mut random, &sent, 20);
    line = damaged(&mut random, &line, harm);
    line.extend(quiet(sent.len()));
    let machine = Machine::testbed6();
    let record = RunRecord { engine: ATTACHED.into(), ..RunRecord::new(&machine, "synthetic") };
    let mut writer = CaptureWriter::create(dir, &machine, &record).unwrap();
    let mut receiver = Receiver::new(SMIS);
    for part in line.chunks(3_000) {
        let mut received = Vec::new();
        receiver.push(part, &mut |one| received.push(one));
        for one in received {
            match one {
                Received::Hole(missing) => writer.hole(missing).unwrap(),
                Received::Pair { smi, pair } => {
                    writer.words(mmi_words(smi, pair.pack()).map(|word| (0, word))).unwrap();
                }
                Received::Restart => panic!("nothing began anew"),
            }
        }
        look();
    }
    writer.finish(&RunRecord { complete: true, ..record }).unwrap();
    receiver.figures()
}

fn read(capture: &Capture) -> Vec<Event> {
    let integrity = verify(capture).unwrap();
    events(capture, &integrity).unwrap().map(Result::unwrap).collect()
}

#[test]
fn what_is_certain_was_so() {
    let machine = Machine::testbed6();
    for seed in 0..if std::env::var_os("TESTBED_LONG").is_some() { 1_000 } else { 10 } {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let truth = truth(seed, 2_000);
        let figures = attach(dir.path(), seed, 2_000, HARM, || ());
        let capture = Capture::open(dir.path()).unwrap();
        let whole = read(&capture);
        let certain = assert_certain(&whole, &truth);
        assert!(figures.holes > 5 && certain > 10, "{certain} certain, {figures:?}");
        let damage = verify(&capture).unwrap().damage;
        assert_eq!(damage.len() as u64, figures.holes, "{damage:?}");
        assert!(damage.iter().all(|damage| damage.what.contains("lost on the link")), "{damage:?}");

        // One copy, where it stands, says the same.
        let dgl = capture.record.dgl;
        let raw = Capture::of_mmi(&dir.path().join("mmi.raw"), &machine, dgl);
        assert_eq!(read(&raw), whole);
        assert_eq!(read(&Capture::of_ctf(&dir.path().join("trace")).unwrap()), whole);
        // Elsewhere, without the list of holes, it must not be believed behind the first.
        for name in ["mmi.raw", ".mmi.raw.sums"] {
            fs::copy(dir.path().join(name), elsewhere.path().join(name)).unwrap();
        }
        let alone = read(&Capture::of_mmi(&elsewhere.path().join("mmi.raw"), &machine, dgl));
        assert!(assert_certain(&alone, &truth) < certain);

        // A list that is not whole is no better than none.
        let list = fs::read_to_string(dir.path().join(HOLES)).unwrap();
        let lines: Vec<&str> = list.split_inclusive('\n').collect();
        let middle = lines.len() / 2;
        let altered = lines[middle].split_once(' ').map(|(_, counts)| format!("1000000 {counts}")).unwrap();
        let without = |range: std::ops::Range<usize>| {
            lines.iter().enumerate().filter(|(number, _)| !range.contains(number)).map(|(_, line)| *line).collect()
        };
        let wrong: [String; 4] = [
            without(0..1),
            without(middle..lines.len()),
            without(middle..middle + 1),
            lines
                .iter()
                .enumerate()
                .map(|(number, line)| if number == middle { &altered } else { *line })
                .collect(),
        ];
        for (number, list) in wrong.into_iter().enumerate() {
            fs::write(dir.path().join(HOLES), list).unwrap();
            let believed = assert_certain(&read(&capture), &truth);
            // Behind the middle nothing may have been certain anyhow.
            assert!(believed < certain || number > 0 && believed == certain, "{number}: {believed} of {certain}");
            assert!(!verify(&capture).unwrap().damage.is_empty());
        }
        fs::remove_file(dir.path().join(HOLES)).unwrap();
        assert!(assert_certain(&read(&capture), &truth) < certain);
    }
}

#[test]
fn without_holes_it_is_a_folder_like_any_other() {
    let none = Damage { flipped: 0, dropped: 0, inserted: 0, replaced: 0, cut: 0 };
    let dir = tempfile::tempdir().unwrap();
    attach(dir.path(), 9, 1_000, none, || ());
    let capture = Capture::open(dir.path()).unwrap();
    assert!(verify(&capture).unwrap().is_whole() && !dir.path().join(HOLES).exists());
    let events = read(&capture);
    let certain = assert_certain(&events, &truth(9, 1_000));
    // Silences of more than 256 wraps leave some open.
    assert!(
        certain > 1_000 && events.iter().all(|event| !event.doubtful || event.what.name() != "GAP"),
        "{certain}"
    );
    assert_eq!(capture.record.last_epoch(), None);
}

/// A folder that is followed while it is written is not believed more.
#[test]
fn who_follows_sees_the_holes() {
    let dir = tempfile::tempdir().unwrap();
    let (mut live, mut found) = (None, Vec::new());
    let path = dir.path().to_path_buf();
    let figures = attach(dir.path(), 11, 3_000, HARM, || {
        let live = live.get_or_insert_with(|| Live::open(&path).unwrap());
        live.read().unwrap();
        found.extend(std::iter::from_fn(|| live.next_event()));
    });
    let mut live = live.unwrap();
    while live.read().unwrap() {}
    found.extend(std::iter::from_fn(|| live.next_event()));
    let certain = assert_certain(&found, &truth(11, 3_000));
    assert!(certain > 100 && figures.holes > 5, "{certain} certain, {figures:?}");
    assert!(found.iter().any(|event| matches!(event.epoch, Epoch::Ambiguous { .. })));
    assert_eq!(live.damage().len(), 1, "{:?}", live.damage());
}
