//! Perfetto's protobuf traces, for its UI and trace_processor.
//!
//! | Perfetto | here |
//! |---|---|
//! | process | processor |
//! | thread | thread on that processor, with a slice while it runs; `kernel`: the kernel, with a slice a service, and all other events |
//! | flow | a packet, from TX_MPC to RX_MPC |
//! | counter | threads ready, events lost, packets under way to another processor |
//! | track `unproven` | events of which time or decoding are not proven, at the lower bound, with both bounds |

mod packets;
mod schema;

use std::collections::HashMap;
use std::io::{self, Write};

use testbed_definitions::event;

use self::packets::{Note, Packets, Track};
use self::schema::{kind, DebugAnnotation, TrackEvent};
use super::words::epoch_high;
use super::{ExportError, Filter, Message, Pass, Sink, State, Step, Words};
use crate::capture::RunRecord;
use crate::conform::service::Service;
use crate::order::{Event, What};
use crate::summary::{message_name, thread_name};

/// A slice that has begun on a kernel's track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Service,
    Timer,
}

/// What has begun on a processor's tracks and not ended.
#[derive(Debug, Default)]
struct Begun {
    running: Option<u16>,
    kernel: Vec<Open>,
}

/// Writes a Perfetto trace.
pub struct Perfetto<'a> {
    words: Words<'a>,
    filter: &'a Filter,
    packets: Packets,
    begun: Vec<Begun>,
    /// What counters show.
    counts: HashMap<Track, u64>,
    /// The slice of time has begun.
    started: bool,
    /// Time of the last event, nanoseconds.
    now: u64,
}

impl<'a> Perfetto<'a> {
    pub fn new(record: &'a RunRecord, filter: &'a Filter, out: Box<dyn Write + Send>) -> io::Result<Self> {
        let begun = record.machine.processors.iter().map(|_| Begun::default()).collect();
        let (words, packets) = (Words::new(record), Packets::new(out)?);
        let mut own = Perfetto { words, filter, packets, begun, counts: HashMap::new(), started: false, now: 0 };
        for smi in 1..own.begun.len() as u8 {
            own.describe(Track::Process(smi))?;
        }
        Ok(own)
    }

    fn describe(&mut self, track: Track) -> io::Result<()> {
        let words = &self.words;
        self.packets.describe(track, &|track| match track {
            Track::Process(smi) => words.processor(smi).into(),
            Track::Thread(_, thread) => thread_name(thread, words.record),
            Track::Kernel(_) => "kernel".into(),
            Track::Unproven(_) => "unproven".into(),
            Track::Ready(_) => "ready threads".into(),
            Track::Lost(_) => "events lost".into(),
            Track::Link(_, to) => format!("under way to {}", words.processor(to)),
        })
    }

    fn nanoseconds(&self, ticks: u64) -> u64 {
        u64::try_from(self.words.picoseconds(ticks) / 1_000).unwrap_or(u64::MAX)
    }

    fn write(&mut self, ns: u64, track: Track, kind: i32, name: Option<&str>, event: TrackEvent) -> io::Result<()> {
        self.describe(track)?;
        self.packets.event(ns, track, name, TrackEvent { r#type: Some(kind), ..event })
    }

    /// Number, value and meaning of an event.
    fn notes(&mut self, event: &Event, step: &Step) -> Vec<DebugAnnotation> {
        let mut notes = vec![Note::Number.number(step.number)];
        notes.extend(event.value().map(|value| Note::Value.number(value.into())));
        match self.words.detail(event) {
            "" => {}
            detail => notes.push(Note::Detail.text(detail)),
        }
        notes
    }

    fn count(&mut self, ns: u64, track: Track, value: u64) -> io::Result<()> {
        if self.counts.insert(track, value).unwrap_or(0) == value {
            return Ok(());
        }
        self.describe(track)?;
        self.packets.count(ns, track, value)
    }

    /// The time slice begins: threads that run are seen to run from here on.
    fn start(&mut self, event: &Event, step: &Step, state: &State) -> io::Result<()> {
        let from = self.nanoseconds(self.filter.from());
        for smi in 1..self.begun.len() as u8 {
            let running = if smi == event.smi { step.before } else { state.running(smi) };
            if let Some(thread) = running.filter(|thread| self.filter.carries(smi, *thread)) {
                self.begun[usize::from(smi)].running = Some(thread);
                let track = Track::Thread(smi, thread);
                self.write(from, track, kind::SLICE_BEGIN, Some("running"), TrackEvent::default())?;
            }
        }
        Ok(())
    }

    /// Ends the innermost slice of this kind on the kernel's track, and what was begun within it.
    fn end(&mut self, ns: u64, smi: u8, which: Open, seen: bool) -> io::Result<()> {
        let Some(place) = self.begun[usize::from(smi)].kernel.iter().rposition(|open| *open == which) else {
            return Ok(());
        };
        let within = self.begun[usize::from(smi)].kernel.split_off(place);
        for open in within.iter().rev() {
            let seen = seen && *open == which;
            let debug_annotations = if seen { Vec::new() } else { vec![Note::EndSeen.flag(false)] };
            let event = TrackEvent { debug_annotations, ..TrackEvent::default() };
            self.write(ns, Track::Kernel(smi), kind::SLICE_END, None, event)?;
        }
        Ok(())
    }

    /// Ends all slices of a processor.
    fn end_all(&mut self, ns: u64, smi: u8) -> io::Result<()> {
        while let Some(open) = self.begun[usize::from(smi)].kernel.first().copied() {
            self.end(ns, smi, open, false)?;
        }
        if let Some(thread) = self.begun[usize::from(smi)].running.take() {
            self.write(ns, Track::Thread(smi, thread), kind::SLICE_END, None, TrackEvent::default())?;
        }
        Ok(())
    }
}

/// What follows from events.
impl Perfetto<'_> {
    /// An event without proof begins and ends nothing.
    fn unproven(&mut self, ns: u64, event: &Event, step: &Step) -> io::Result<()> {
        let mut debug_annotations = self.notes(event, step);
        debug_annotations.push(Note::Certain.flag(false));
        debug_annotations.push(Note::Doubtful.flag(event.doubtful));
        debug_annotations.push(Note::EpochLow.number(event.epoch.low()));
        debug_annotations.extend(epoch_high(event).map(|high| Note::EpochHigh.number(high)));
        let name = format!("{} ?", event.what.name());
        let instant = TrackEvent { debug_annotations, ..TrackEvent::default() };
        self.write(ns, Track::Unproven(event.smi), kind::INSTANT, Some(&name), instant)
    }

    /// What a proven event shows on its kernel's track, or its thread's.
    fn proven(&mut self, ns: u64, event: &Event, step: &Step, state: &State, shown: bool) -> io::Result<()> {
        let smi = event.smi;
        let code = match event.what {
            What::Schedule(_) => return self.schedule(ns, event, step, shown),
            What::Known(kind) => kind.code,
            _ => 0,
        };
        let timer = match code {
            event::TIMER => Some("timer".to_string()),
            _ => None,
        };
        let begins = timer.clone().or_else(|| step.begins.then(|| self.service_name(event, state)));
        if let (Some(seen), true) = (step.ends, begins.is_some()) {
            self.end(ns, smi, Open::Service, seen)?;
        }
        if shown {
            let mut drawn = TrackEvent { debug_annotations: self.notes(event, step), ..TrackEvent::default() };
            self.flows(&mut drawn, smi, step);
            match &begins {
                Some(name) => {
                    let open = if timer.is_some() { Open::Timer } else { Open::Service };
                    self.begun[usize::from(smi)].kernel.push(open);
                    self.write(ns, Track::Kernel(smi), kind::SLICE_BEGIN, Some(name), drawn)?;
                }
                None => {
                    let own = step.running.filter(|_| code == event::USER).map(|thread| Track::Thread(smi, thread));
                    let track = own.unwrap_or(Track::Kernel(smi));
                    self.write(ns, track, kind::INSTANT, Some(event.what.name()), drawn)?;
                }
            }
        }
        match (code, step.ends) {
            (event::TIMER_END, _) => self.end(ns, smi, Open::Timer, true)?,
            (_, Some(seen)) if begins.is_none() => self.end(ns, smi, Open::Service, seen)?,
            _ => {}
        }
        self.run(ns, smi, state.running(smi))
    }

    fn schedule(&mut self, ns: u64, event: &Event, step: &Step, shown: bool) -> io::Result<()> {
        self.end_all(ns, event.smi)?;
        if let (true, What::Schedule(thread)) = (shown, event.what) {
            let begin = TrackEvent { debug_annotations: self.notes(event, step), ..TrackEvent::default() };
            self.begun[usize::from(event.smi)].running = Some(thread);
            self.write(ns, Track::Thread(event.smi, thread), kind::SLICE_BEGIN, Some("running"), begin)?;
        }
        Ok(())
    }

    /// Ends the slice of a thread that does not run any more.
    fn run(&mut self, ns: u64, smi: u8, running: Option<u16>) -> io::Result<()> {
        match self.begun[usize::from(smi)].running {
            Some(thread) if running != Some(thread) => {
                self.begun[usize::from(smi)].running = None;
                self.write(ns, Track::Thread(smi, thread), kind::SLICE_END, None, TrackEvent::default())
            }
            _ => Ok(()),
        }
    }

    fn service_name(&self, event: &Event, state: &State) -> String {
        match state.service(event.smi) {
            Service::Message { kind, .. } => {
                let (from, _, _) = event::message_fields(event.argument.unwrap_or(0));
                format!("{} from {}", message_name(kind), self.words.processor(from))
            }
            Service::Fault => "page fault".into(),
            Service::Request | Service::None => "request".into(),
        }
    }

    /// A flow's number is that of its TX_MPC and the receiver.
    fn flows(&self, drawn: &mut TrackEvent, smi: u8, step: &Step) {
        match step.message {
            Message::Sent(bits) => {
                let receivers = (0..16).filter(|to| bits >> to & 1 != 0);
                drawn.flow_ids.extend(receivers.map(|to| step.number << 4 | to));
            }
            Message::Served { number, sent, .. } if self.filter.in_scope(&sent) => {
                drawn.terminating_flow_ids.push(number << 4 | u64::from(smi));
            }
            _ => {}
        }
    }

    fn counters(&mut self, ns: u64, event: &Event, step: &Step, state: &State) -> io::Result<()> {
        let smi = event.smi;
        self.count(ns, Track::Ready(smi), state.ready(smi) as u64)?;
        if let Some(lost) = state.lost(smi) {
            self.count(ns, Track::Lost(smi), lost)?;
        }
        let links: Vec<_> = match step.message {
            Message::Sent(bits) => (0..16).filter(|to| bits >> to & 1 != 0).map(|to| (smi, to)).collect(),
            Message::Served { from, .. } => vec![(from, smi)],
            // Where events were lost, links are not followed any more.
            Message::None if !event.epoch.is_certain() || matches!(event.what, What::Gap(_)) => {
                (1..16).flat_map(|other| [(smi, other), (other, smi)]).collect()
            }
            Message::None => Vec::new(),
        };
        links
            .into_iter()
            .try_for_each(|(from, to)| self.count(ns, Track::Link(from, to), state.under_way(from, to) as u64))
    }
}

impl Sink for Perfetto<'_> {
    fn event(&mut self, event: &Event, step: &Step, state: &State, pass: Pass) -> Result<(), ExportError> {
        if pass == Pass::Outside || usize::from(event.smi) >= self.begun.len() {
            return Ok(());
        }
        if !std::mem::replace(&mut self.started, true) {
            self.start(event, step, state)?;
        }
        let ns = self.nanoseconds(event.ticks());
        self.now = self.now.max(ns);
        let shown = pass == Pass::Shown;
        if matches!(event.what, What::Gap(_)) || !event.epoch.is_certain() {
            self.end_all(ns, event.smi)?;
        }
        match event.is_certain() {
            true => self.proven(ns, event, step, state, shown)?,
            false if shown => self.unproven(ns, event, step)?,
            false => {}
        }
        Ok(self.counters(ns, event, step, state)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        let end = self.filter.to().map_or(self.now, |to| self.nanoseconds(to));
        for smi in 1..self.begun.len() as u8 {
            self.end_all(end, smi)?;
        }
        Ok(self.packets.finish()?)
    }
}
