//! The graph of a run's measured program, from its trace.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use testbed_definitions::limits::TIME_SLICE_US;
use testbed_trace::analysis::protocol::{Phase, Protocol};

use super::graph::{groups, Edge, Graph, Group, Node};
use super::moving::{Meeting, Program};
use crate::load::{Stay, LOCAL_BYTE, LOCAL_SERVICE};
use crate::observed::{id_of, process_of, Observed};

/// Stages of a run, at most.
const STAGES_MOST: u64 = 24;
/// Threads that have this part of the work, in one group, advance together.
const MOST_OF_IT: f64 = 0.9;

/// Cycles by which a time in which a thread ran may be longer than what the thread itself did: the
/// switch to it and the words of the events at both ends.
const AROUND: u64 = 150;

/// What is known of a channel.
#[derive(Clone, Copy, Debug, Default)]
struct Channel {
    receiver: u16,
    /// Messages that were followed, their bytes, and those of the shortest.
    messages: u64,
    bytes: u64,
    least: u64,
}

impl Channel {
    /// Bytes of a message on average.
    fn mean(&self) -> u64 {
        self.bytes / self.messages.max(1)
    }
}

/// The channels of a process, by what these runs show. Whoever receives by an alternative from a
/// sender on the same processor is not told, so runs with threads elsewhere are needed too.
fn channels<'a>(process: u16, runs: impl Iterator<Item = &'a Observed>) -> BTreeMap<u8, Channel> {
    let mut channels = BTreeMap::<u8, Channel>::new();
    for message in runs.flat_map(|run| &run.load.messages).filter(|message| process_of(message.threads.0) == process) {
        let Some(channel) = message.channel else { continue };
        let known = channels.entry(channel).or_default();
        known.receiver = message.threads.1;
        known.least = if known.messages == 0 { message.bytes } else { known.least.min(message.bytes) };
        (known.messages, known.bytes) = (known.messages + 1, known.bytes + message.bytes);
    }
    channels
}

/// The graph of a run, which should have all threads on one processor, where those that could go on at
/// a time are all ready. `others` are runs of the same with threads elsewhere.
pub fn traced(observed: &Observed, others: &[Observed]) -> Graph {
    let process = observed.subject().process;
    let ran: Vec<&Stay> = observed.load.ran.iter().filter(|stay| process_of(stay.thread) == process).collect();
    let mut wholes = BTreeMap::<u16, u64>::new();
    ran.iter().for_each(|stay| *wholes.entry(stay.thread).or_default() += stay.to - stay.from);
    let threads: Vec<u16> = wholes.keys().copied().collect();
    let (sends, untold) = sends(observed, process, &threads, &channels(process, others.iter().chain([observed])));
    let groups = groups(threads.len(), sends.iter().map(|send| send.ends));
    let stages = Stages::of(observed, &groups, &wholes.into_values().collect::<Vec<_>>());
    let nodes = nodes(&threads, &ran, &stages);
    let (edges, costs) = edges(&sends, &stages, services(observed, process, &nodes));
    let ends = ends(&nodes, &ran, &sends, &costs);
    let groups = groups.into_iter().map(|own| {
        let within = edges.iter().filter(|edge| own.contains(&edge.ends.0)).map(|edge| edge.local);
        let whole: f64 = own.iter().map(|&node| nodes[node].whole()).chain(within).sum();
        let longest = own.iter().map(|&node| ends[node]).fold(0.0, f64::max);
        Group { parallel: if longest > 0.0 { (whole / longest).max(1.0) } else { 1.0 }, nodes: own }
    });
    let groups = groups.collect();
    let mut graph = Graph::grouped(nodes, edges, groups);
    graph.untold = untold;
    graph
}

/// What the run's threads did between their messages, for [`super::moving`].
pub fn rendezvous(observed: &Observed, others: &[Observed]) -> Program {
    let process = observed.subject().process;
    let ran: Vec<&Stay> = observed.load.ran.iter().filter(|stay| process_of(stay.thread) == process).collect();
    let threads: Vec<u16> = ran.iter().map(|stay| stay.thread).collect::<BTreeSet<_>>().into_iter().collect();
    let (sends, untold) = sends(observed, process, &threads, &channels(process, others.iter().chain([observed])));
    let mut works = Works::new(&threads, &ran);
    let meeting = |Told { cycle, ends, least, .. }: &Told| Meeting {
        ends: *ends,
        works: (works.until(ends.0, *cycle), works.until(ends.1, *cycle)),
        cost: LOCAL_SERVICE + *least as f64 * LOCAL_BYTE,
    };
    let meetings = sends.iter().map(meeting).collect();
    let rest = (0..threads.len()).map(|thread| works.until(thread, u64::MAX)).collect();
    Program { meetings, asking: asking(observed), rest, untold }
}

/// Cycles of the shortest request within a processor whose partner was not there.
fn asking(observed: &Observed) -> f64 {
    let local = observed.episodes.iter().filter(|episode| episode.protocol == Protocol::Local);
    let stages = local.flat_map(|episode| episode.stages.iter().chain(&episode.beside));
    let first = stages.filter(|stage| stage.phase == Phase::FirstRequest).map(|stage| stage.span.corrected());
    first.min().unwrap_or(0) as f64
}

/// Times in which threads ran, as they are used up.
struct Works {
    spans: Vec<VecDeque<(u64, u64)>>,
}

impl Works {
    fn new(threads: &[u16], ran: &[&Stay]) -> Self {
        let mut spans = vec![VecDeque::new(); threads.len()];
        for stay in ran {
            if let Ok(place) = threads.binary_search(&stay.thread) {
                let from = (stay.from + AROUND).min(stay.to);
                spans[place].push_back((from, stay.to));
            }
        }
        Works { spans }
    }

    /// Cycles for which a thread ran until this one, since it was last asked for.
    fn until(&mut self, thread: usize, until: u64) -> f64 {
        let mut work = 0;
        while let Some(span) = self.spans[thread].front_mut().filter(|span| span.0 < until) {
            let to = span.1.min(until);
            work += to - span.0;
            span.0 = to;
            if span.0 == span.1 {
                self.spans[thread].pop_front();
            } else {
                break;
            }
        }
        work as f64
    }
}

/// The messages whose ends are known, in order, and how many others there are.
fn sends(observed: &Observed, process: u16, threads: &[u16], channels: &BTreeMap<u8, Channel>) -> (Vec<Told>, u64) {
    let place = |thread: u16| threads.binary_search(&thread).ok();
    let (mut sends, mut untold) = (Vec::new(), 0);
    for send in observed.sends.iter().filter(|send| process_of(send.thread) == process) {
        let known = channels.get(&send.channel);
        match known
            .and_then(|known| place(send.thread).zip(place(known.receiver)).zip(Some((known.mean(), known.least))))
        {
            Some((ends, (bytes, least))) => sends.push(Told { cycle: send.ready, ends, bytes, least }),
            None => untold += 1,
        }
    }
    sends.sort_by_key(|send| send.cycle);
    (sends, untold)
}

fn nodes(threads: &[u16], ran: &[&Stay], stages: &Stages) -> Vec<Node> {
    let node = |&thread: &u16| {
        // The first thread has started the others, where the program was invoked.
        let fixed = (id_of(thread) == 1).then_some(0);
        let mut work = vec![0.0; stages.count];
        let own = ran.iter().filter(|stay| stay.thread == thread);
        own.for_each(|stay| stages.spread(&mut work, stay.from, stay.to));
        Node { thread, work, fixed }
    };
    threads.iter().map(node).collect()
}

/// Cycles of a message, by its ends.
type Costs = BTreeMap<(usize, usize), f64>;

/// The edges of these messages, for which the kernel took so many cycles in all, and what each took.
fn edges(sends: &[Told], stages: &Stages, services: f64) -> (Vec<Edge>, Costs) {
    let mut sums = BTreeMap::<(usize, usize), (u64, u64, Vec<f64>)>::new();
    for Told { cycle, ends: (one, other), bytes, .. } in sends {
        let ends = (*one.min(other), *one.max(other));
        let sum = sums.entry(ends).or_insert_with(|| (0, 0, vec![0.0; stages.count]));
        (sum.0, sum.1) = (sum.0 + 1, sum.1 + bytes);
        sum.2[stages.at(*cycle)] += 1.0;
    }
    let edge = |(ends, (count, bytes, counts)): (&(usize, usize), &(u64, u64, Vec<f64>))| Edge {
        shares: counts.iter().map(|own| own / *count as f64).collect(),
        ..Edge::new(*ends, *count, *bytes)
    };
    let mut edges: Vec<Edge> = sums.iter().map(edge).collect();
    let more = services / edges.iter().map(|edge| edge.local).sum::<f64>();
    edges.iter_mut().filter(|_| more > 1.0).for_each(|edge| edge.grow(more));
    let costs = edges.iter().zip(sums.values()).map(|(edge, sum)| (edge.ends, edge.local / sum.0 as f64));
    let costs = costs.collect();
    (edges, costs)
}

/// A run in equal stages: in each, threads that work most need not be those that do in another.
struct Stages {
    stage: u64,
    count: usize,
}

impl Stages {
    /// A single stage, unless most is done by threads that advance together. Then a stage is long
    /// enough for a time-slice of each, so that it has a part of all that is done at a time.
    fn of(observed: &Observed, groups: &[Vec<usize>], works: &[u64]) -> Self {
        let whole: u64 = works.iter().sum();
        let most = groups.iter().map(|own| own.iter().map(|&node| works[node]).sum()).max().unwrap_or(0u64);
        let slice = u64::from(observed.record.machine.clock_hz) * u64::from(TIME_SLICE_US) / 1_000_000;
        let round = 2 * slice * works.len() as u64;
        let cycles = observed.record.cycles;
        let count = match most as f64 >= MOST_OF_IT * whole as f64 {
            true => (cycles / round.max(1)).clamp(1, STAGES_MOST),
            false => 1,
        };
        Stages { stage: cycles / count + 1, count: count as usize }
    }

    fn at(&self, cycle: u64) -> usize {
        ((cycle / self.stage) as usize).min(self.count - 1)
    }

    /// Gives each stage its part of a span.
    fn spread(&self, values: &mut [f64], from: u64, to: u64) {
        for (stage, value) in (0..).zip(values) {
            *value += to.min((stage + 1) * self.stage).saturating_sub(from.max(stage * self.stage)) as f64;
        }
    }
}

/// A message whose ends are known, as places in [`Graph::nodes`].
#[derive(Clone, Copy, Debug)]
struct Told {
    /// When its sender was ready again.
    cycle: u64,
    ends: (usize, usize),
    /// Those of a message of its channel on average, and of the shortest.
    bytes: u64,
    least: u64,
}

/// Cycles in which threads of a process were ready and none of them ran: what the kernel did for them.
/// Only where all of them are on one processor.
fn services(observed: &Observed, process: u16, nodes: &[Node]) -> f64 {
    let mut changes = BTreeMap::<u64, i64>::new();
    for stay in observed.load.ready.iter().filter(|stay| process_of(stay.thread) == process) {
        *changes.entry(stay.from).or_default() += 1;
        *changes.entry(stay.to).or_default() -= 1;
    }
    let (mut now, mut since, mut any) = (0, 0, 0);
    for (cycle, change) in changes {
        any += if now > 0 { cycle - since } else { 0 };
        (now, since) = (now + change, cycle);
    }
    any as f64 - nodes.iter().map(Node::whole).sum::<f64>()
}

/// When each node would end if it never waited for a processor, only for its partners: in the order of
/// the run's messages, each of which takes what `costs` says of its two ends.
fn ends(nodes: &[Node], ran: &[&Stay], sends: &[Told], costs: &Costs) -> Vec<f64> {
    let mut spans: Vec<VecDeque<(u64, u64)>> = vec![Default::default(); nodes.len()];
    for stay in ran {
        if let Some(place) = nodes.iter().position(|node| node.thread == stay.thread) {
            spans[place].push_back((stay.from, stay.to));
        }
    }
    let mut ends = vec![0.0; nodes.len()];
    // A node does what it did until a cycle.
    let mut work = |ends: &mut Vec<f64>, node: usize, until: u64| {
        while let Some(span) = spans[node].front_mut().filter(|span| span.0 < until) {
            let to = span.1.min(until);
            ends[node] += (to - span.0) as f64;
            span.0 = to;
            if span.0 == span.1 {
                spans[node].pop_front();
            }
        }
    };
    for Told { cycle, ends: (one, other), .. } in sends {
        work(&mut ends, *one, *cycle);
        work(&mut ends, *other, *cycle);
        let cost = costs.get(&(*one.min(other), *one.max(other))).copied().unwrap_or(0.0);
        let met = ends[*one].max(ends[*other]) + cost;
        (ends[*one], ends[*other]) = (met, met);
    }
    (0..nodes.len()).for_each(|node| work(&mut ends, node, u64::MAX));
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_once_and_less_than_was_seen() {
        let stay = |thread, from, to| Stay { thread, processor: 1, from, to };
        let ran = [stay(7, 0, 1_000), stay(9, 0, 100), stay(7, 2_000, 3_000)];
        let mut works = Works::new(&[7, 9], &ran.iter().collect::<Vec<_>>());
        let around = AROUND as f64;
        assert_eq!(works.until(0, 400), 400.0 - around);
        assert_eq!(works.until(0, 1_500), 600.0);
        assert_eq!(works.until(0, u64::MAX), 1_000.0 - around);
        assert_eq!((works.until(0, u64::MAX), works.until(1, u64::MAX)), (0.0, 0.0));
    }

    #[test]
    fn threads_that_wait_for_each_other_end_when_the_last_can() {
        let node = |thread| Node { thread, work: vec![0.0], fixed: None };
        let stay = |thread, from, to| Stay { thread, processor: 1, from, to };
        let nodes = [node(1), node(2), node(3)];
        // Thread 1 works, tells 2 and 3 one after the other, and these work: 2 and 3 at the same time.
        let ran = [stay(1, 0, 100), stay(2, 120, 220), stay(3, 220, 320), stay(1, 320, 330)];
        let told = |cycle, one, other| Told { cycle, ends: (one, other), bytes: 0, least: 0 };
        let sends = [told(105, 0, 1), told(110, 0, 2)];
        let costs = BTreeMap::from([((0, 1), 5.0), ((0, 2), 5.0)]);
        assert_eq!(ends(&nodes, &ran.iter().collect::<Vec<_>>(), &sends, &costs), [120.0, 205.0, 210.0]);
    }
}
