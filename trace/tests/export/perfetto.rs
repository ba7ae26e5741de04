//! Perfetto traces, decoded with a decoder of its own: keys and lengths as protobuf's encoding
//! says, field numbers from the published schema once more. The schema itself, as it comes in the
//! Python package `perfetto`, is asked too.

mod page;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::prelude::*;
use testbed_trace::export::{Choice, Format};
use testbed_trace::order::Event;

use super::events::{any_events, gap, remote, story, thread, write_file, written, written_of};
use super::tools::python;

/// A field's value in protobuf's encoding.
#[derive(Clone, Debug)]
enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Fields of a message by number, in order.
struct Fields<'a>(Vec<(u64, Wire<'a>)>);

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for place in 0.. {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

impl<'a> Fields<'a> {
    fn of(mut bytes: &'a [u8]) -> Self {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let value = match key & 7 {
                0 => Wire::Number(varint(&mut bytes)),
                1 => {
                    let (number, rest) = bytes.split_at(8);
                    bytes = rest;
                    Wire::Number(u64::from_le_bytes(number.try_into().unwrap()))
                }
                2 => {
                    let length = varint(&mut bytes) as usize;
                    let (own, rest) = bytes.split_at(length);
                    bytes = rest;
                    Wire::Bytes(own)
                }
                other => panic!("wire type {other}"),
            };
            fields.push((key >> 3, value));
        }
        Fields(fields)
    }

    fn numbers(&self, field: u64) -> Vec<u64> {
        let own = self.0.iter().filter(|(number, _)| *number == field);
        own.map(|(_, value)| if let Wire::Number(number) = value { *number } else { panic!("{field}: {value:?}") })
            .collect()
    }

    fn number(&self, field: u64) -> Option<u64> {
        self.numbers(field).pop()
    }

    fn messages(&self, field: u64) -> Vec<Fields<'a>> {
        let own = self.0.iter().filter(|(number, _)| *number == field);
        own.map(
            |(_, value)| if let Wire::Bytes(bytes) = value { Fields::of(bytes) } else { panic!("{field}: {value:?}") },
        )
        .collect()
    }

    fn text(&self, field: u64) -> Option<String> {
        self.0.iter().find(|(number, _)| *number == field).map(|(_, value)| match value {
            Wire::Bytes(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            Wire::Number(_) => panic!("{field} is no text"),
        })
    }
}

const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

/// An event of the picture.
#[derive(Clone, Debug, Default, PartialEq)]
struct Drawn {
    ns: u64,
    kind: u64,
    track: u64,
    name: Option<String>,
    count: Option<u64>,
    notes: BTreeMap<String, String>,
    flows: Vec<u64>,
    ends: Vec<u64>,
}

/// A track: its parent, and what it is.
#[derive(Clone, Debug, PartialEq)]
struct Track {
    parent: Option<u64>,
    name: String,
    ids: Option<(u64, u64)>,
    is_counter: bool,
}

#[derive(Default)]
struct Picture {
    tracks: HashMap<u64, Track>,
    drawn: Vec<Drawn>,
}

impl Picture {
    /// Takes a whole file apart; every event's track and names must have been described before.
    fn of(bytes: &[u8]) -> Self {
        let mut picture = Picture::default();
        let (mut names, mut notes) = (HashMap::new(), HashMap::new());
        for packet in Fields::of(bytes).messages(1) {
            assert_eq!(packet.number(10), Some(1), "one sequence");
            for interned in packet.messages(12) {
                for (field, table) in [(2, &mut names), (3, &mut notes)] {
                    for entry in interned.messages(field) {
                        assert!(table.insert(entry.number(1).unwrap(), entry.text(2).unwrap()).is_none());
                    }
                }
            }
            for descriptor in packet.messages(60) {
                let process = descriptor.messages(3).pop();
                let thread = descriptor.messages(4).pop();
                let is_counter = !descriptor.messages(8).is_empty();
                let name = match (&process, &thread) {
                    (Some(process), _) => process.text(6),
                    (_, Some(thread)) => thread.text(5),
                    _ => descriptor.text(2),
                };
                let ids = thread.map(|thread| (thread.number(1).unwrap(), thread.number(2).unwrap()));
                let track = Track { parent: descriptor.number(5), name: name.unwrap(), ids, is_counter };
                assert!(track.parent.is_none_or(|parent| picture.tracks.contains_key(&parent)));
                assert!(picture.tracks.insert(descriptor.number(1).unwrap(), track).is_none());
            }
            for event in packet.messages(11) {
                assert_eq!(packet.number(13), Some(2), "names are of this sequence");
                let note = |note: Fields| {
                    let value = note.text(6).unwrap_or_else(|| note.number(3).or(note.number(2)).unwrap().to_string());
                    (notes[&note.number(1).unwrap()].clone(), value)
                };
                let track = event.number(11).unwrap();
                assert!(picture.tracks.contains_key(&track));
                picture.drawn.push(Drawn {
                    ns: packet.number(8).unwrap(),
                    kind: event.number(9).unwrap(),
                    track,
                    name: event.number(10).map(|iid| names[&iid].clone()),
                    count: event.number(30),
                    notes: event.messages(4).into_iter().map(note).collect(),
                    flows: event.numbers(47),
                    ends: event.numbers(48),
                });
            }
        }
        picture
    }

    fn track(&self, process: &str, name: &str) -> u64 {
        let is_process = |uuid: &u64| self.tracks[uuid].name == process;
        let found =
            self.tracks.iter().find(|(_, track)| track.name == name && track.parent.as_ref().is_some_and(is_process));
        *found.unwrap_or_else(|| panic!("no track {name} of {process} in {:?}", self.tracks)).0
    }

    fn on(&self, process: &str, name: &str) -> Vec<&Drawn> {
        let track = self.track(process, name);
        self.drawn.iter().filter(|drawn| drawn.track == track).collect()
    }

    /// Slices of each track nest and end.
    fn is_balanced(&self) -> bool {
        let mut depth: HashMap<u64, i64> = HashMap::new();
        let mut sound = true;
        for drawn in &self.drawn {
            let depth = depth.entry(drawn.track).or_default();
            *depth += i64::from(drawn.kind == BEGIN) - i64::from(drawn.kind == END);
            sound &= *depth >= 0;
        }
        sound && depth.values().all(|depth| *depth == 0)
    }
}

fn check(events: &[Event]) {
    let picture = Picture::of(&written(events, Format::Perfetto));
    let mut numbers = BTreeSet::new();
    for drawn in picture.drawn.iter().filter(|drawn| matches!(drawn.kind, BEGIN | INSTANT)) {
        let number: usize = drawn.notes["number"].parse().unwrap();
        let event = &events[number];
        assert!(numbers.insert(number), "{number} is drawn once");
        assert_eq!(drawn.ns, 1_000 * event.ticks());
        assert_eq!(drawn.notes.get("value").cloned(), event.value().map(|value| value.to_string()));
        let unproven = picture.tracks[&drawn.track].name == "unproven";
        assert_eq!(unproven, !event.is_certain());
        if unproven {
            assert_eq!(drawn.name, Some(format!("{} ?", event.what.name())));
            assert_eq!(drawn.notes["epoch_low"], event.epoch.low().to_string());
            assert_eq!(drawn.notes["doubtful"], u8::from(event.doubtful).to_string());
            let high = match event.epoch {
                testbed_trace::order::Epoch::Certain(epoch) => Some(epoch),
                testbed_trace::order::Epoch::Ambiguous { high, .. } => high,
            };
            assert_eq!(drawn.notes.get("epoch_high").cloned(), high.map(|high| high.to_string()));
        }
    }
    assert_eq!(numbers.len(), events.len(), "every event is drawn");
    assert!(picture.is_balanced());
    let begun: BTreeSet<_> = picture.drawn.iter().flat_map(|drawn| &drawn.flows).collect();
    assert!(picture.drawn.iter().flat_map(|drawn| &drawn.ends).all(|flow| begun.contains(flow)));
}

proptest! {
    #[test]
    fn every_event_is_drawn_once(events in any_events()) {
        check(&events);
    }
}

#[test]
fn a_communication_is_slices_flows_and_counters() {
    let events = remote(0);
    let picture = Picture::of(&written(&events, Format::Perfetto));
    // The sender runs until TRAP70, and again until the timer; the sixteenth bits of ids say the processor.
    let running: Vec<_> = picture.on("earth", "earth.1.1").iter().map(|drawn| (drawn.ns / 1_000, drawn.kind)).collect();
    assert_eq!(running, [(0, BEGIN), (6, END), (40, BEGIN), (70, END)]);
    let ids = picture.tracks[&picture.track("earth", "earth.1.1")].ids;
    assert_eq!(ids, Some((1, 1 << 16 | u64::from(thread(1, 1)))));
    let kernel: Vec<_> =
        picture.on("air", "kernel").iter().map(|drawn| (drawn.ns / 1_000, drawn.kind, drawn.name.clone())).collect();
    let named = |name: &str| Some(name.to_string());
    assert_eq!(
        kernel,
        [
            (10, BEGIN, named("focus from earth")),
            (12, INSTANT, named("RX_FOCUS")),
            (12, END, None),
            (20, BEGIN, named("request")),
            (21, INSTANT, named("TX_MPC")),
            (22, INSTANT, named("TRAP70")),
            (22, END, None),
            (45, BEGIN, named("msg from earth")),
            (47, INSTANT, named("COMMR")),
            (47, END, None),
        ]
    );
    let arrows = |drawn: &Drawn| (drawn.flows.clone(), drawn.ends.clone());
    let flows: Vec<_> =
        picture.drawn.iter().map(arrows).filter(|(begun, ended)| !begun.is_empty() || !ended.is_empty()).collect();
    // Focus and msg to air, rtr to earth: each begins at its event's number and receiver, and ends at its service.
    let flow = |number: u64, to: u64| number << 4 | to;
    let pair = |flow: u64| [(vec![flow], vec![]), (vec![], vec![flow])];
    assert_eq!(flows, [pair(flow(3, 2)), pair(flow(8, 1)), pair(flow(11, 2))].concat());
    let counted = |process, name| {
        picture.on(process, name).iter().map(|drawn| (drawn.ns / 1_000, drawn.count.unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(counted("earth", "under way to air"), [(6, 1), (10, 0), (32, 1), (45, 0)]);
    assert_eq!(counted("air", "ready threads"), [(47, 1), (50, 0)]);
    assert!(picture.drawn.iter().all(|drawn| (drawn.kind == COUNTER) == picture.tracks[&drawn.track].is_counter));
    let user: Vec<_> = picture.on("air", "air.1.1").into_iter().filter(|drawn| drawn.name == named("USER")).collect();
    assert_eq!(user.len(), 2, "a program's event stands with its thread");
}

#[test]
fn a_loss_ends_what_has_begun_and_is_counted() {
    let mut events = remote(0);
    events.truncate(4);
    events.push(gap(9, 1, 1234));
    let picture = Picture::of(&written(&events, Format::Perfetto));
    let kernel = picture.on("earth", "kernel");
    let unseen: Vec<_> =
        kernel.iter().filter(|drawn| drawn.notes.contains_key("end_seen")).map(|drawn| drawn.ns).collect();
    assert_eq!(unseen, [9_000]);
    let gap = kernel.iter().find(|drawn| drawn.name.as_deref() == Some("GAP")).unwrap();
    assert_eq!(gap.notes["value"], "1234");
    assert_eq!(picture.on("earth", "events lost")[0].count, Some(1234));
    assert_eq!(picture.on("earth", "under way to air").last().unwrap().count, Some(0));
    assert!(picture.is_balanced());
}

#[test]
fn a_slice_of_time_begins_with_what_runs_already() {
    let choice = Choice { from: Some("3us"), to: Some("5us"), ..Choice::default() };
    let picture = Picture::of(&written_of(&remote(0), Format::Perfetto, &choice).0);
    // Nothing happens in these two microseconds, so there is nothing to tell by.
    assert!(picture.drawn.is_empty());
    let choice = Choice { from: Some("3us"), to: Some("6us"), ..Choice::default() };
    let picture = Picture::of(&written_of(&remote(0), Format::Perfetto, &choice).0);
    for (process, name) in [("earth", "earth.1.1"), ("air", "air.1.1")] {
        let running: Vec<_> = picture.on(process, name).iter().map(|drawn| (drawn.ns, drawn.kind)).collect();
        assert_eq!(running, [(3_000, BEGIN), (6_000, END)]);
    }
}

/// The published schema knows every field, and reads the same names, tracks and times.
#[test]
fn the_published_schema_reads_the_trace() {
    let dir = tempfile::tempdir().unwrap();
    let mut events = story(2_100);
    events.push(gap(events.last().unwrap().ticks() + 1, 1, 12));
    write_file(&events, Format::Perfetto, &dir.path().join("trace"));
    let script = r#"
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
from google.protobuf.unknown_fields import UnknownFieldSet
trace = schema.Trace()
trace.ParseFromString(open('trace', 'rb').read())
def walk(message):
    assert len(UnknownFieldSet(message)) == 0, message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            repeated = getattr(field, 'is_repeated', None)
            if repeated is None: repeated = field.label == field.LABEL_REPEATED
            for one in (value if repeated else [value]): walk(one)
names, flows = {}, 0
for packet in trace.packet:
    walk(packet)
    for name in packet.interned_data.event_names: names[name.iid] = name.name
    if packet.HasField('track_descriptor'):
        track = packet.track_descriptor
        kind = 'process' if track.HasField('process') else 'thread' if track.HasField('thread') else 'counter' if track.HasField('counter') else 'track'
        print('track', kind, track.process.process_name or track.thread.thread_name or track.name, sep='|')
    if packet.HasField('track_event'):
        event = packet.track_event
        flows += len(event.terminating_flow_ids)
        print('event', schema.TrackEvent.Type.Name(event.type), packet.timestamp, names.get(event.name_iid, ''), sep='|')
print('flows', flows, sep='|')
"#;
    let read = python("perfetto", script, "", dir.path());
    let picture = Picture::of(&std::fs::read(dir.path().join("trace")).unwrap());
    let kinds = ["", "TYPE_SLICE_BEGIN", "TYPE_SLICE_END", "TYPE_INSTANT", "TYPE_COUNTER"];
    let name = |drawn: &Drawn| drawn.name.clone().unwrap_or_default();
    let own: Vec<_> = picture
        .drawn
        .iter()
        .map(|drawn| format!("event|{}|{}|{}", kinds[drawn.kind as usize], drawn.ns, name(drawn)))
        .collect();
    let theirs: Vec<_> = read.lines().filter(|line| line.starts_with("event")).collect();
    assert_eq!(theirs, own);
    for track in
        ["track|process|earth", "track|thread|air.1.1", "track|thread|kernel", "track|counter|under way to air"]
    {
        assert!(read.lines().any(|line| line == track), "{track}");
    }
    let served = picture.drawn.iter().map(|drawn| drawn.ends.len()).sum::<usize>();
    assert!(served > 100 && read.lines().any(|line| line == format!("flows|{served}")));
}
