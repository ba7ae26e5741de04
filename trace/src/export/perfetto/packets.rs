//! Packets of a Perfetto trace: tracks and names are described before they are first used.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufWriter, Write};

use prost::Message;

use super::schema::{
    kind, sequence, CounterDescriptor, DebugAnnotation, InternedData, InternedName, ProcessDescriptor,
    ThreadDescriptor, TracePacket, TrackDescriptor, TrackEvent, PACKET,
};
use crate::export::BUFFER;

/// All packets are of one sequence.
const SEQUENCE: u32 = 1;

/// A row of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Track {
    /// A processor.
    Process(u8),
    /// A thread on a processor.
    Thread(u8, u16),
    /// What a processor's kernel does.
    Kernel(u8),
    /// Events of a processor of which time or decoding are not proven.
    Unproven(u8),
    Ready(u8),
    Lost(u8),
    /// Packets under way from one processor to another.
    Link(u8, u8),
}

impl Track {
    fn processor(self) -> u8 {
        match self {
            Track::Process(smi) | Track::Kernel(smi) | Track::Unproven(smi) | Track::Ready(smi) | Track::Lost(smi) => {
                smi
            }
            Track::Thread(smi, _) | Track::Link(smi, _) => smi,
        }
    }

    /// A number of its own, not 0: kind, processor, which.
    pub fn uuid(self) -> u64 {
        let (kind, which) = match self {
            Track::Process(_) => (1, 0),
            Track::Thread(_, thread) => (2, thread),
            Track::Kernel(_) => (3, 0),
            Track::Unproven(_) => (4, 0),
            Track::Ready(_) => (5, 0),
            Track::Lost(_) => (6, 0),
            Track::Link(_, to) => (7, to.into()),
        };
        kind << 32 | u64::from(self.processor()) << 16 | u64::from(which)
    }

    /// Thread ids are unique in the whole trace; ids of processes are smaller.
    fn tid(self) -> i64 {
        let number = match self {
            Track::Thread(_, thread) => thread,
            // No thread has it.
            _ => 0,
        };
        i64::from(self.processor()) << 16 | i64::from(number)
    }
}

/// Names of annotations; their numbers are their places, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Note {
    Number = 1,
    Value,
    Detail,
    EndSeen,
    EpochLow,
    EpochHigh,
    Doubtful,
    Certain,
}

const NOTES: [(Note, &str); 8] = [
    (Note::Number, "number"),
    (Note::Value, "value"),
    (Note::Detail, "detail"),
    (Note::EndSeen, "end_seen"),
    (Note::EpochLow, "epoch_low"),
    (Note::EpochHigh, "epoch_high"),
    (Note::Doubtful, "doubtful"),
    (Note::Certain, "certain"),
];

impl Note {
    fn empty(self) -> DebugAnnotation {
        DebugAnnotation { name_iid: Some(self as u64), ..DebugAnnotation::default() }
    }

    pub fn number(self, value: u64) -> DebugAnnotation {
        DebugAnnotation { uint_value: Some(value), ..self.empty() }
    }

    pub fn text(self, value: &str) -> DebugAnnotation {
        DebugAnnotation { string_value: Some(value.into()), ..self.empty() }
    }

    pub fn flag(self, value: bool) -> DebugAnnotation {
        DebugAnnotation { bool_value: Some(value), ..self.empty() }
    }
}

/// Writes packets.
pub struct Packets {
    out: BufWriter<Box<dyn Write + Send>>,
    described: HashSet<Track>,
    names: HashMap<String, u64>,
    buffer: Vec<u8>,
}

impl Packets {
    pub fn new(out: Box<dyn Write + Send>) -> io::Result<Self> {
        let mut packets = Packets {
            out: BufWriter::with_capacity(BUFFER, out),
            described: HashSet::new(),
            names: HashMap::new(),
            buffer: Vec::new(),
        };
        let name = |(note, name): (Note, &str)| InternedName { iid: Some(note as u64), name: Some(name.into()) };
        let interned = InternedData { debug_annotation_names: NOTES.map(name).into(), ..InternedData::default() };
        packets.write(TracePacket {
            sequence_flags: Some(sequence::INCREMENTAL_STATE_CLEARED),
            interned_data: Some(interned),
            ..TracePacket::default()
        })?;
        Ok(packets)
    }

    fn write(&mut self, packet: TracePacket) -> io::Result<()> {
        self.buffer.clear();
        self.buffer.push(PACKET);
        let packet = TracePacket { trusted_packet_sequence_id: Some(SEQUENCE), ..packet };
        packet.encode_length_delimited(&mut self.buffer).expect("a Vec takes everything");
        self.out.write_all(&self.buffer)
    }

    /// Describes a track, and the processor that it belongs to, unless that has been done. `name`
    /// makes its name and the processor's.
    pub fn describe(&mut self, track: Track, name: &dyn Fn(Track) -> String) -> io::Result<()> {
        if !self.described.insert(track) {
            return Ok(());
        }
        let process = Track::Process(track.processor());
        if track != process {
            self.describe(process, name)?;
        }
        let pid = Some(i32::from(track.processor()));
        let text = Some(name(track));
        let mut descriptor = TrackDescriptor { uuid: Some(track.uuid()), ..TrackDescriptor::default() };
        descriptor.parent_uuid = (track != process).then_some(process.uuid());
        match track {
            Track::Process(_) => descriptor.process = Some(ProcessDescriptor { pid, process_name: text }),
            Track::Thread(..) | Track::Kernel(_) => {
                descriptor.thread = Some(ThreadDescriptor { pid, tid: Some(track.tid()), thread_name: text });
            }
            Track::Unproven(_) => descriptor.name = text,
            Track::Ready(_) | Track::Lost(_) | Track::Link(..) => {
                let unit = match track {
                    Track::Ready(_) => "threads",
                    Track::Lost(_) => "events",
                    _ => "packets",
                };
                descriptor.name = text;
                descriptor.counter = Some(CounterDescriptor { unit_name: Some(unit.into()) });
            }
        }
        self.write(TracePacket { track_descriptor: Some(descriptor), ..TracePacket::default() })
    }

    /// Writes an event at `ns` on a described track, under `name` if it is no end and no counter.
    pub fn event(&mut self, ns: u64, track: Track, name: Option<&str>, mut event: TrackEvent) -> io::Result<()> {
        let mut interned = None;
        event.track_uuid = Some(track.uuid());
        if let Some(name) = name {
            let known = self.names.get(name).copied();
            event.name_iid = known.or(Some(self.names.len() as u64 + 1));
            if known.is_none() {
                self.names.insert(name.into(), self.names.len() as u64 + 1);
                let name = InternedName { iid: event.name_iid, name: Some(name.into()) };
                interned = Some(InternedData { event_names: vec![name], ..InternedData::default() });
            }
        }
        self.write(TracePacket {
            timestamp: Some(ns),
            track_event: Some(event),
            interned_data: interned,
            sequence_flags: Some(sequence::NEEDS_INCREMENTAL_STATE),
            ..TracePacket::default()
        })
    }

    /// Writes a counter's new value.
    pub fn count(&mut self, ns: u64, track: Track, value: u64) -> io::Result<()> {
        let event = TrackEvent {
            r#type: Some(kind::COUNTER),
            counter_value: Some(value.min(i64::MAX as u64) as i64),
            ..TrackEvent::default()
        };
        self.event(ns, track, None, event)
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
