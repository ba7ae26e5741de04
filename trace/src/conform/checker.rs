//! Takes events in order and holds them against the state machines.

mod look;
mod messages;
mod releases;

use std::collections::{HashMap, HashSet, VecDeque};

use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::{event, packet};

use super::channel::Channels;
use super::packets::{Packet, Packets, Served};
use super::service::{Service, Step};
use super::steps::{Move, Steps};
use super::thread::{Happening, Request, State, Thread};
use super::{Conformance, Deviation, DEVIATIONS_MAX};
use crate::follow::Turn;
use crate::order::{Event, What};
use crate::summary::{processor_text, thread_text};

/// Destination of a broadcast, as the four bits in an event show it.
const ALL: u8 = packet::BROADCAST & 0xf;

/// What is known of a processor.
#[derive(Debug, Default)]
struct Processor {
    service: Service,
    /// Where the service of a message began, with the event's number.
    since: Option<(Event, u64)>,
    running: Option<u16>,
    /// Partners that a TRAP72 here has released without a name, by process: at least and at most so
    /// many who have not run yet.
    unnamed: HashMap<u16, (u64, u64)>,
    /// Threads packed here, and not handed to Centrenet yet; those in the order of PACK whose PACKED is due.
    packing: VecDeque<u16>,
    /// The thread whose packet is being served.
    arriving: Option<u16>,
    packed: VecDeque<u16>,
    /// Threads and ends that have come may have brought tokens.
    brought_tokens: bool,
    /// Nothing is known of it: it has no monitor, or events were lost.
    dark: bool,
    /// Events follow a loss: the end of a service whose beginning was lost is none's fault.
    resuming: bool,
}

/// The check of one trace.
#[derive(Debug)]
pub struct Checker {
    names: Vec<String>,
    processors: Vec<Processor>,
    threads: HashMap<u16, Thread>,
    packets: Packets,
    channels: Channels,
    /// Threads under way, by sender and receiver.
    flying: HashMap<(u8, u8), VecDeque<u16>>,
    /// Class `detail` is there.
    detail: bool,
    /// Channels of which an end was on a processor without a whole trace, and whether threads have
    /// been there: nobody knows what they did.
    hidden_channels: HashSet<u8>,
    hidden_threads: bool,
    /// Processes whose threads were seen, and have not ended.
    processes: HashSet<u16>,
    number: u64,
    found: Conformance,
    steps: Steps,
}

const LOST: &str = "processors of which events were lost: from there on only parts of their services";
const CHANGED: &str = "processors whose event classes were changed: from there on only parts of their services";

/// Home and place of a thread's process.
fn process_of(thread: u16) -> u16 {
    ThreadNumber::from_bits(thread).process()
}

impl Checker {
    /// For a machine of these processors, the first of which has no monitor. `detail`: requests tell their channels.
    pub fn new(names: &[String], detail: bool) -> Self {
        let processor = |number| Processor { dark: number == 0, ..Processor::default() };
        Checker {
            names: names.to_vec(),
            processors: (0..names.len()).map(processor).collect(),
            threads: HashMap::new(),
            packets: Packets::default(),
            channels: Channels::default(),
            flying: HashMap::new(),
            detail,
            hidden_channels: HashSet::new(),
            hidden_threads: false,
            processes: HashSet::new(),
            number: 0,
            found: Conformance::default(),
            steps: Steps::default(),
        }
    }

    fn name(&self, processor: u8) -> String {
        processor_text(processor, &self.names)
    }

    fn thread(&self, number: u16) -> String {
        thread_text(number, &self.names)
    }

    /// Something that can't be checked.
    pub fn note(&mut self, what: impl Into<String>) {
        *self.found.unchecked.entry(what.into()).or_default() += 1;
    }

    fn deviation(&mut self, event: &Event, what: impl Into<String>, expected: impl Into<String>) {
        self.steps.deviates = true;
        if self.found.deviations.len() >= DEVIATIONS_MAX {
            return self.note("deviations beyond the first");
        }
        let (what, expected) = (what.into(), expected.into());
        self.found.deviations.push(Deviation { number: self.number, event: *event, what, expected });
    }

    /// Takes the next event of the ordered trace.
    pub fn add(&mut self, event: &Event) {
        self.found.events += 1;
        self.steps.clear();
        if (event.smi as usize) < self.processors.len() {
            match event.what {
                What::Gap(count) => {
                    self.found.discarded += u64::from(count.unwrap_or(1));
                    self.lose(event.smi, LOST);
                }
                _ if event.changes_classes() => self.lose(event.smi, CHANGED),
                _ if event.doubtful => {
                    self.steps.misread = true;
                    self.note("events that may be misread after a loss");
                }
                _ if event.lacks_argument() => self.lose(event.smi, LOST),
                What::Known(kind) => self.known(event, kind.code, event.argument.unwrap_or(0)),
                What::Schedule(thread) => self.schedule(event, thread),
                What::Total { .. } => {}
                What::Unknown(_) => self.note("events of unknown kinds"),
                What::Joins(_) | What::Leaves(_) => self.note("events of the ready-queue class"),
            }
        }
        self.number += 1;
    }

    /// Events of `me` are missing: what was known of it, its threads and its packets is not any more.
    fn lose(&mut self, me: u8, why: &str) {
        self.steps.lost = true;
        self.note(why);
        self.threads.retain(|_, thread| thread.at != me);
        let touching = self.flying.iter().filter(|((from, to), _)| *from == me || *to == me);
        touching.flat_map(|(_, threads)| threads).for_each(|number| {
            self.threads.remove(number);
        });
        self.packets.forget(me);
        self.flying.retain(|&(from, to), _| from != me && to != me);
        self.processors[me as usize] = Processor { dark: true, resuming: true, ..Processor::default() };
    }

    /// Some processor is dark, so threads and ends may have passed through it.
    fn any_loss(&self) -> bool {
        self.processors.iter().skip(1).any(|processor| processor.dark)
    }

    fn here(&mut self, event: &Event) -> &mut Processor {
        &mut self.processors[event.smi as usize]
    }

    /// Moves the processor's service on; returns the service that the event belongs to.
    fn serve(&mut self, event: &Event, code: Option<u16>) -> Service {
        let (service, resuming) = (self.here(event).service, self.here(event).resuming);
        match service.step(code) {
            Step::Within => {}
            Step::Ends | Step::Ended => self.here(event).service = Service::None,
            Step::Unfinished => {
                self.deviation(event, format!("{} in the middle of a service", event.what.name()), service.expected());
                self.here(event).service = Service::None;
            }
            Step::Stray if resuming => self.note("ends of services whose beginnings were lost"),
            Step::Stray => {
                self.deviation(event, format!("{} ends nothing", event.what.name()), service.expected());
            }
        }
        self.here(event).resuming &= !matches!(code, None | Some(event::RX_MPC | event::TRAP7));
        service
    }

    /// A thread's state moves on, if it is where the event says.
    fn happens(&mut self, event: &Event, number: u16, happening: Happening) {
        let mut thread = match self.threads.get(&number) {
            Some(thread) => *thread,
            None => {
                self.found.threads += 1;
                Thread { at: event.smi, ..Thread::default() }
            }
        };
        self.processes.insert(process_of(number));
        let moves = matches!(happening, Happening::Arrives | Happening::Unpacked);
        if thread.state == State::Unknown || moves && happening == Happening::Arrives {
            thread.at = event.smi;
        }
        let what = format!("{} of thread {}", event.what.name(), self.thread(number));
        if thread.at != event.smi {
            self.deviation(event, what.clone(), format!("it on {}, where it is", self.name(thread.at)));
            thread = Thread { at: event.smi, ..Thread::default() };
        }
        let before = thread.state;
        thread.since = Some((*event, self.number));
        thread.call = event.argument.filter(|_| happening == Happening::Calls);
        match before.after(happening) {
            Ok(next) => thread.state = next,
            Err(expected) => {
                self.deviation(event, what, expected);
                thread.state = State::Unknown.after(happening).unwrap_or_default();
            }
        }
        self.steps.threads.push(Move { number, happening, before });
        self.threads.insert(number, thread);
    }

    fn schedule(&mut self, event: &Event, number: u16) {
        self.serve(event, None);
        self.released_untold(event, number);
        self.turn(event);
        self.happens(event, number, Happening::Scheduled);
    }

    /// Moves on who runs; returns who did before the event.
    fn turn(&mut self, event: &Event) -> Option<u16> {
        let running = &mut self.here(event).running;
        let before = *running;
        *running = Turn::of(event).after(before);
        before
    }

    /// Something happens to the thread that runs, or has run until this event.
    fn running(&mut self, event: &Event, ran: Option<u16>, happening: Happening) {
        match ran {
            Some(number) => self.happens(event, number, happening),
            None if self.processors[event.smi as usize].dark => {}
            None => self.deviation(event, format!("{} with no thread running", event.what.name()), "SCHEDULE first"),
        }
    }

    fn known(&mut self, event: &Event, code: u16, argument: u16) {
        let service = self.serve(event, Some(code));
        let ran = self.turn(event);
        match code {
            event::TRAP7 => {
                self.found.requests += 1;
                self.here(event).service = Service::Request;
                self.running(event, ran, Happening::Requests);
                if let Some(number) = ran {
                    self.threads.entry(number).or_default().request = None;
                }
            }
            event::REQUEST => self.request(ran, argument),
            event::TRAP70 => self.running(event, ran, Happening::Blocks),
            event::TRAP72 => self.copied(event, ran),
            event::WAIT => self.running(event, ran, Happening::Waits),
            event::BLOCKED => self.running(event, ran, Happening::Calls),
            event::SYNC => self.running(event, ran, Happening::Synchronizes),
            event::THROUGH => self.happens(event, argument, Happening::GetsThrough),
            event::PAGE_FAULT => {
                self.found.faults += 1;
                self.here(event).service = Service::Fault;
                self.running(event, ran, Happening::Faults);
            }
            event::PAGE_BLOCKED => self.running(event, ran, Happening::PageBlocks),
            event::PAGE_READY => {
                // Within the thread's own fault: the home is here, and has answered at once.
                if service == Service::Fault && ran == Some(argument) {
                    self.happens(event, argument, Happening::PageBlocks);
                    *self.here(event) =
                        Processor { service: Service::None, running: None, ..std::mem::take(self.here(event)) };
                }
                self.happens(event, argument, Happening::PageComes);
            }
            event::TX_MPC => self.sent(event, argument),
            event::RX_MPC => self.served(event, argument),
            event::COMMS => self.sender_released(event, argument, service),
            event::COMMR => self.receiver_released(event, argument, service),
            event::PACK => {
                self.here(event).packing.push_back(argument);
                self.released_untold(event, argument);
                self.happens(event, argument, Happening::Packs);
            }
            event::PACKED => self.packed(event),
            event::UNPACKED => {
                self.found.migrations += 1;
                self.here(event).brought_tokens = true;
                self.here(event).arriving = None;
                self.happens(event, argument, Happening::Unpacked);
            }
            event::RX_END => {
                // Its process is over, or it waits for a control block. Until it is unpacked it can do nothing.
                if let Some(number) = self.here(event).arriving.take() {
                    self.threads.remove(&number);
                }
            }
            event::EXIT => {
                self.here(event).packing.retain(|packing| *packing != argument);
                if self.threads.get(&argument).is_some_and(|thread| thread.state == State::Blocked) {
                    self.was_unnamed(event, argument, false);
                }
                self.happens(event, argument, Happening::Ends);
            }
            event::PROCESS_END => self.process_ends(argument),
            _ => {}
        }
    }

    fn request(&mut self, running: Option<u16>, argument: u16) {
        let Some(number) = running else { return };
        let request =
            Request { receive: argument & 1 << 15 != 0, alternative: argument & 1 << 14 != 0, channel: argument as u8 };
        self.threads.entry(number).or_default().request = Some(request);
    }

    fn packed(&mut self, event: &Event) {
        match self.here(event).packing.pop_front() {
            Some(number) => {
                self.here(event).packed.push_back(number);
                self.happens(event, number, Happening::IsPacked);
            }
            None if self.processors[event.smi as usize].dark => {}
            None => self.deviation(event, "PACKED with no thread being packed", "PACK first"),
        }
    }

    fn process_ends(&mut self, process: u16) {
        // Home and place are in the same bits as in a thread's number.
        let index = process & 0xff;
        let gone: Vec<_> = self.threads.keys().copied().filter(|number| process_of(*number) == index).collect();
        for number in &gone {
            self.threads.remove(number);
        }
        self.flying.values_mut().for_each(|threads| threads.retain(|number| process_of(*number) != index));
        for processor in &mut self.processors {
            processor.unnamed.remove(&index);
        }
        self.channels.forget_process(index);
        self.processes.remove(&index);
    }
}
