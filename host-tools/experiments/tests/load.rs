//! The load that a trace shows, of traces whose truth is known.

use std::collections::BTreeMap;

use proptest::prelude::*;
use testbed_definitions::{event, mpc};
use testbed_experiments::balance::metrics::{count, means, user};
use testbed_experiments::load::{Collector, Load, Stay};
use testbed_machine::Machine;
use testbed_trace::analysis::follow::Follower;
use testbed_trace::analysis::probe::Probe;
use testbed_trace::capture::RunRecord;
use testbed_trace::order::Event;
use testbed_trace::synthetic;

const EARTH: u8 = 1;
const AIR: u8 = 2;
const FIRST: u16 = event::thread_number(EARTH, 1, 1);
const SECOND: u16 = event::thread_number(EARTH, 1, 2);

/// A cycle, a processor, a code (or [`event::SCHEDULE`] for a thread that is scheduled) and a second word.
type Step = (u64, u8, u16, u16);

/// The load of a script that ends at `end`.
fn load(steps: &[Step], end: u64) -> Load {
    // Its clock ticks every cycle.
    let machine = Machine::named("bench").unwrap();
    let dgl = event::DIAG_DEFAULT | event::DIAG_DETAIL;
    let record = RunRecord { dgl, complete: true, ..RunRecord::new(&machine, "script") };
    let mut follower = Follower::new(&record, Probe::of(record.machine.core));
    let mut collector = Collector::default();
    for &(cycle, smi, code, argument) in steps {
        let event: Event = synthetic::event(cycle, smi, code, argument);
        follower.add(&event, &mut |fact| collector.take(fact));
    }
    follower.finish(end, &mut |fact| collector.take(fact));
    collector.finish()
}

fn runs(cycle: u64, here: u8, thread: u16) -> Step {
    (cycle, here, event::SCHEDULE, thread)
}

fn request(cycle: u64, here: u8, receive: bool, channel: u8) -> [Step; 2] {
    let what = event::request_argument(receive, false, false, channel);
    [(cycle, here, event::TRAP7, 0), (cycle + 3, here, event::REQUEST, what)]
}

fn packet(cycle: u64, here: u8, code: u16, other: u8, kind: u8, channel: u8) -> Step {
    (cycle, here, code, event::message_argument(other, kind, channel))
}

/// Times of a thread as (processor, from, to).
fn of(stays: &[Stay], thread: u16) -> Vec<(u8, u64, u64)> {
    let own = stays.iter().filter(|stay| stay.thread == thread);
    own.map(|stay| (stay.processor, stay.from, stay.to)).collect()
}

/// The report's Figure 5.
#[test]
fn a_local_communication() {
    let mut steps = vec![runs(50, EARTH, SECOND)];
    steps.extend(request(100, EARTH, true, 5));
    steps.extend([(140, EARTH, event::TRAP70, 0), runs(160, EARTH, FIRST)]);
    steps.extend(request(300, EARTH, false, 5));
    steps.extend([(400, EARTH, event::TRAP72, 0), runs(420, EARTH, SECOND), runs(500, EARTH, FIRST)]);
    let load = load(&steps, 600);
    assert_eq!(of(&load.stays, FIRST), [(EARTH, 160, 600)]);
    assert_eq!(of(&load.stays, SECOND), [(EARTH, 50, 600)]);
    // The second is blocked from TRAP70 to TRAP72.
    assert_eq!(of(&load.ready, SECOND), [(EARTH, 50, 140), (EARTH, 400, 600)]);
    assert_eq!(of(&load.ready, FIRST), [(EARTH, 160, 600)]);
    let [message] = load.messages[..] else { panic!("{:?}", load.messages) };
    assert_eq!((message.cycle, message.threads, message.processors), (400, (FIRST, SECOND), (EARTH, EARTH)));
    assert_eq!((message.channel, message.bytes), (Some(5), 0));
    assert_eq!(means(&count(&load.ready, EARTH), 100, 6), [0.5, 0.8, 1.0, 1.0, 2.0, 2.0]);
}

/// Figure 6: from earth to air.
#[test]
fn a_remote_communication() {
    let mut steps = vec![runs(50, AIR, SECOND)];
    steps.extend(request(100, AIR, true, 5));
    steps.extend([(140, AIR, event::TRAP70, 0), runs(160, EARTH, FIRST)]);
    steps.extend(request(300, EARTH, false, 5));
    steps.extend([
        (330, EARTH, event::TRAP70, 0),
        packet(340, EARTH, event::TX_MPC, AIR, mpc::FOCUS, 5),
        packet(390, AIR, event::RX_MPC, EARTH, mpc::FOCUS, 5),
        (410, AIR, event::RX_FOCUS, 0),
        packet(425, AIR, event::TX_MPC, EARTH, mpc::RTR, 5),
        packet(480, EARTH, event::RX_MPC, AIR, mpc::RTR, 5),
        (6_000, EARTH, event::COMMS, FIRST),
        packet(6_010, EARTH, event::TX_MPC, AIR, mpc::MSG, 5),
        runs(6_020, EARTH, FIRST),
        packet(6_100, AIR, event::RX_MPC, EARTH, mpc::MSG, 5),
        (6_150, AIR, event::COMMR, SECOND),
        runs(6_160, AIR, SECOND),
    ]);
    let load = load(&steps, 7_000);
    assert_eq!(of(&load.ready, FIRST), [(EARTH, 160, 330), (EARTH, 6_000, 7_000)]);
    assert_eq!(of(&load.ready, SECOND), [(AIR, 50, 140), (AIR, 6_150, 7_000)]);
    let [message] = load.messages[..] else { panic!("{:?}", load.messages) };
    assert_eq!((message.cycle, message.threads, message.processors), (6_000, (FIRST, SECOND), (EARTH, AIR)));
    // 5,520 cycles of service are a message of some 4,600 bytes.
    assert!((4_400..4_700).contains(&message.bytes), "{}", message.bytes);
}

#[test]
fn a_thread_that_moves_is_where_it_is_unpacked() {
    let steps = [
        runs(50, EARTH, FIRST),
        (100, EARTH, event::PACK, FIRST),
        (150, EARTH, event::PACKED, 0),
        packet(170, EARTH, event::TX_MPC, AIR, mpc::THREAD, 0),
        packet(240, AIR, event::RX_MPC, EARTH, mpc::THREAD, 0),
        (290, AIR, event::UNPACKED, FIRST),
        runs(300, AIR, FIRST),
    ];
    let load = load(&steps, 400);
    let there = of(&load.stays, FIRST);
    assert_eq!((there[0].0, there[0].1, there.last().unwrap().0, there.last().unwrap().2), (EARTH, 50, AIR, 400));
    assert_eq!(of(&load.ready, FIRST), [(EARTH, 50, 100), (AIR, 290, 400)]);
}

/// Time-slices of threads that compute, on one processor: who runs, for how long, and how long the
/// timer takes behind it.
fn slices() -> impl Strategy<Value = Vec<(u8, u64, u64)>> {
    prop::collection::vec((2..12u8, 1..400u64, 1..20u64), 1..60)
}

proptest! {
    /// What is counted from the events of a random schedule is what the schedule was.
    #[test]
    fn the_truth_of_a_schedule_is_found(processors in prop::collection::vec(slices(), 1..4)) {
        let mut steps: Vec<Step> = Vec::new();
        let mut ran = BTreeMap::<u8, Vec<(u64, u64)>>::new();
        let mut first = BTreeMap::<(u8, u8), u64>::new();
        let mut end = 0;
        for (processor, slices) in (1..).zip(&processors) {
            let mut now = u64::from(processor);
            for &(id, length, service) in slices {
                let thread = event::thread_number(processor, 1, id);
                first.entry((processor, id)).or_insert(now);
                let over = now + length;
                steps.extend([runs(now, processor, thread), (over, processor, event::TIMER, 0)]);
                steps.push((over + service, processor, event::TIMER_END, 0));
                ran.entry(processor).or_default().push((now, over));
                now = over + service + 1;
            }
            end = end.max(now);
        }
        steps.sort_by_key(|step| step.0);
        let load = load(&steps, end);
        for (&processor, spans) in &ran {
            let slot = 64;
            let slots = (end / slot) as usize;
            let overlap = |from: u64, to: u64, slot_from: u64| to.min(slot_from + slot).saturating_sub(from.max(slot_from));
            let share = |index: usize| {
                let at = index as u64 * slot;
                100.0 * spans.iter().map(|&(from, to)| overlap(from, to, at)).sum::<u64>() as f64 / slot as f64
            };
            for (index, found) in user(&load, processor, slot, slots).into_iter().enumerate() {
                prop_assert!((found - share(index)).abs() < 1e-6, "user time of slot {index} on {processor}");
            }
            // A thread is there, and ready, from its first time-slice on.
            let born: Vec<u64> = first.iter().filter(|(key, _)| key.0 == processor).map(|(_, at)| *at).collect();
            let there = |index: usize| born.iter().map(|&at| overlap(at, end, index as u64 * slot)).sum::<u64>() as f64 / slot as f64;
            for stays in [&load.stays, &load.ready] {
                for (index, found) in means(&count(stays, processor), slot, slots).into_iter().enumerate() {
                    prop_assert!((found - there(index)).abs() < 1e-6, "threads in slot {index} on {processor}");
                }
            }
        }
    }
}
