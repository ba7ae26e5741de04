//! What a trace tells of each superstep of a run's only program: how long it took, what it computed,
//! and what its processes had for each other.
//!
//! A superstep lasts from the last THROUGH of the one before to its own last THROUGH: so their times
//! add up to the program's. Its work is the longest time of a process up to its SYNC, and its end
//! lasts from the last SYNC to the last THROUGH. With whom a process exchanges follows from the
//! packets of the group that its processor hands to the bus.

use std::collections::{BTreeMap, BTreeSet};

use testbed_definitions::event::{self, TX_MPC};
use testbed_definitions::mpc;
use testbed_trace::analysis::bsp::superstep::{Member, Superstep};
use testbed_trace::analysis::{analyse, Kind, Options};
use testbed_trace::capture::{verify, Capture, CONSOLE};
use testbed_trace::order::{events, What};

use crate::error::ExperimentError;

/// The station of a packet for all others, as far as an event's four bits tell it.
const ALL: u8 = 0xf;

/// A superstep of which the trace tells all. Times are in cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// From 0, where processes are started; that one is left out.
    pub number: u64,
    /// From the last THROUGH of the superstep before to the last THROUGH.
    pub cycles: u64,
    /// The longest time of a process from its THROUGH to its SYNC.
    pub work: u64,
    /// From the last THROUGH of the superstep before to the last SYNC: less than the work if the
    /// process with the most of it has begun ahead of others.
    pub computing: u64,
    /// The most words that a process sends, and receives; those for itself count too.
    pub sent: u32,
    pub received: u32,
    /// The most words that a process sends and receives together.
    pub moved: u32,
    /// The most messages that a process sends and receives together. All that a process has for
    /// another one in a superstep is one message.
    pub messages: u32,
    /// Processes that have words, and all.
    pub senders: u32,
    pub processes: u32,
    /// How often a process had too little room, and said so to all.
    pub rooms: u32,
    /// How long before the last one the processes came to their SYNC, longest first, and whether
    /// they had words.
    pub ahead: Vec<(u64, bool)>,
}

impl Step {
    /// h of the cost model.
    pub fn words(&self) -> u32 {
        self.sent.max(self.received)
    }

    /// From the last SYNC to the last THROUGH.
    pub fn end(&self) -> u64 {
        self.cycles - self.computing
    }
}

/// All supersteps of a run but the first, and how many of them the trace does not show whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    pub whole: Vec<Step>,
    pub incomplete: usize,
}

/// The packets of a group that processors hand to the bus.
#[derive(Debug, Default)]
struct Packets {
    /// By processor: each with its cycle and destination.
    by_processor: BTreeMap<u8, Vec<(u64, u8)>>,
    /// Whether there is a processor whose station looks like [`ALL`].
    is_full: bool,
}

/// Reads the supersteps of a run's only program.
///
/// # Errors
/// The capture can't be read, or it shows no group of processes, or several.
pub fn steps(capture: &Capture) -> Result<Steps, ExperimentError> {
    let failed = |what: String| ExperimentError::Failed {
        folder: capture.dir.clone(),
        what,
        console: capture.dir.join(CONSOLE),
    };
    let options = Options { kinds: vec![Kind::Bsp], ..Options::default() };
    let report = analyse(capture, &options).map_err(|error| failed(error.to_string()))?;
    let groups = report.bsp.map(|bsp| bsp.groups).unwrap_or_default();
    let [group] = &groups[..] else {
        return Err(failed(format!("its trace shows {} groups of processes, not one", groups.len())));
    };
    if group.beyond != 0 {
        return Err(failed(format!("its trace shows {} supersteps too many", group.beyond)));
    }
    let packets = packets(capture).map_err(|error| failed(error.to_string()))?;
    let all = &group.supersteps;
    let mut steps = Steps::default();
    for (index, superstep) in all.iter().enumerate().skip(1) {
        match step(superstep, all.get(index + 1), &packets) {
            Some(step) => steps.whole.push(step),
            None => steps.incomplete += 1,
        }
    }
    Ok(steps)
}

fn packets(capture: &Capture) -> Result<Packets, Box<dyn std::error::Error>> {
    let tick = u64::from(capture.record.machine.tick_cycles);
    let is_full = capture.record.machine.processors.len() > usize::from(ALL);
    let mut packets = Packets { is_full, ..Packets::default() };
    for event in events(capture, &verify(capture)?)? {
        let event = event?;
        let is_packet = matches!(event.what, What::Known(kind) if kind.code == TX_MPC);
        if let (true, Some(argument)) = (is_packet, event.argument) {
            let (destination, kind, _) = event::message_fields(argument);
            if kind == mpc::SUPERSTEP {
                packets.by_processor.entry(event.smi).or_default().push((event.ticks() * tick, destination));
            }
        }
    }
    Ok(packets)
}

/// To whom a member sends, and how often it says more than once that it has come: between its SYNC
/// and its next one, behind the broadcast that says so first. On a machine with sixteen processors a
/// later one looks like a packet to the last processor, and counts as that.
fn destinations(member: &Member, next: Option<u64>, packets: &Packets) -> (BTreeSet<u8>, u32) {
    let own = packets.by_processor.get(&member.processor).map_or(&[][..], Vec::as_slice);
    let within = own.iter().filter(|(cycle, _)| *cycle >= member.sync_cycle && next.is_none_or(|next| *cycle < next));
    let behind = within.map(|(_, destination)| *destination).skip_while(|destination| *destination != ALL).skip(1);
    let is_station = packets.is_full && member.processor != ALL;
    let (again, to): (Vec<u8>, Vec<u8>) = behind.partition(|destination| *destination == ALL && !is_station);
    (to.into_iter().collect(), again.len() as u32)
}

/// A superstep, with the one behind it; `None` if the trace does not tell all of it.
fn step(superstep: &Superstep, next: Option<&Superstep>, packets: &Packets) -> Option<Step> {
    let sums = superstep.sums.filter(|sums| !sums.words_untold)?;
    let members = &superstep.members;
    let begun = members.iter().filter_map(|member| member.begin_cycle).max()?;
    let last = members.iter().map(|member| member.sync_cycle).max()?;
    let mut step = Step {
        number: superstep.exchange,
        cycles: superstep.end_cycle()?.checked_sub(begun)?,
        work: members.iter().filter_map(|member| Some(member.sync_cycle - member.begin_cycle?)).max()?,
        computing: last.checked_sub(begun)?,
        sent: sums.hs_words,
        received: sums.hr_words,
        processes: members.len() as u32,
        ..Step::default()
    };
    let mut messages: BTreeMap<u8, u32> = BTreeMap::new();
    for member in members {
        let sent = member.sent_words.unwrap_or(0);
        step.moved = step.moved.max(sent + member.received_words.unwrap_or(0));
        step.senders += u32::from(sent != 0);
        step.ahead.push((last - member.sync_cycle, sent != 0));
        let again = next.and_then(|next| next.members.iter().find(|other| other.rank == member.rank));
        let (to, rooms) = destinations(member, again.map(|again| again.sync_cycle), packets);
        step.rooms += rooms;
        *messages.entry(member.processor).or_default() += to.len() as u32;
        to.into_iter().for_each(|processor| *messages.entry(processor).or_default() += 1);
    }
    step.messages = messages.into_values().max().unwrap_or(0);
    step.ahead.sort_by(|one, other| other.cmp(one));
    Some(step)
}
