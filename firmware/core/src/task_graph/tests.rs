//! What is written is read again; what is wrong is named; no graph stands still.

extern crate std;

use std::boxed::Box;
use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::vec::Vec;

use proptest::prelude::*;
use testbed_definitions::packet::STATIONS_MAX;

use super::generate::generate;
use super::line::Lines;
use super::parse::Reader;
use super::placement::Placement;
use super::*;

/// Reads a file for the largest machine.
fn parse(text: &[u8]) -> Result<Box<Graph>, String> {
    parse_for(STATIONS_MAX as u8, text)
}

/// Reads a file for a machine with so many processors.
fn parse_for(processors: u8, text: &[u8]) -> Result<Box<Graph>, String> {
    let mut graph = Box::new(Graph::EMPTY);
    let mut reader = Reader::new(&mut graph, processors);
    let mut lines = Lines::default();
    let mut taken = Ok(());
    for &byte in text {
        lines.put(byte, |line| {
            if taken.is_ok() {
                taken = reader.line(line).map_err(|fault| fault.to_string());
            }
        });
    }
    lines.end(|line| {
        if taken.is_ok() {
            taken = reader.line(line).map_err(|fault| fault.to_string());
        }
    });
    taken?;
    reader.end().map_err(|fault| fault.to_string())?;
    Ok(graph)
}

fn generated(seed: u32, units: u32) -> Box<Graph> {
    let mut graph = Box::new(Graph::EMPTY);
    generate(seed, units, &mut graph);
    graph
}

/// The messages that concern a thread, in its order: line and number.
fn order(graph: &Graph, thread: u8) -> Vec<(u16, u32)> {
    let mut all = Vec::new();
    for phase in graph.phases() {
        let own: Vec<_> = graph.links(phase).filter(|(_, link)| link.from == thread || link.to == thread).collect();
        let most = own.iter().map(|(_, link)| link.messages).max().unwrap_or(0);
        for round in 0..phase.rounds {
            for message in 0..most {
                let links = own.iter().filter(|(_, link)| link.messages > message);
                all.extend(links.map(|(line, link)| (*line, round * u32::from(link.messages) + u32::from(message))));
            }
        }
    }
    all
}

/// Passes on messages whose both partners are at them, until there is none.
fn is_over_when_nothing_moves(graph: &Graph) -> bool {
    let orders: BTreeMap<u8, Vec<_>> = graph.threads().map(|thread| (thread, order(graph, thread))).collect();
    let mut done: BTreeMap<u8, usize> = graph.threads().map(|thread| (thread, 0)).collect();
    loop {
        let mut moved = false;
        for thread in graph.threads() {
            while let Some(message) = orders[&thread].get(done[&thread]) {
                let link = graph.all_links()[usize::from(message.0)];
                let other = if link.from == thread { link.to } else { link.from };
                if orders[&other].get(done[&other]) != Some(message) {
                    break;
                }
                *done.get_mut(&thread).unwrap() += 1;
                *done.get_mut(&other).unwrap() += 1;
                moved = true;
            }
        }
        if !moved {
            return graph.threads().all(|thread| done[&thread] == orders[&thread].len());
        }
    }
}

/// A graph in all its parts: any places, phases, works and links.
fn graphs() -> impl Strategy<Value = Box<Graph>> {
    let link = (0..THREADS as u8, 0..THREADS as u8, 1..=5u16, 0..=MESSAGE_BYTES as u16);
    let work = proptest::collection::vec(0..=WORK, THREADS);
    let phase = (1..=3u32, work, proptest::collection::vec(link, 0..40));
    let places = proptest::collection::vec(proptest::option::of(0..16u8), THREADS);
    (2..=THREADS as u8, places, proptest::collection::vec(phase, 1..=6)).prop_map(|(threads, places, phases)| {
        let mut graph = Box::new(Graph::EMPTY);
        graph.threads = threads;
        graph.places[..usize::from(threads)].copy_from_slice(&places[..usize::from(threads)]);
        for (index, (rounds, work, links)) in phases.into_iter().enumerate() {
            (graph.phases[index].rounds, graph.phases[index].first) = (rounds, graph.links_used);
            graph.phases_used += 1;
            graph.phases[index].work[..usize::from(threads)].copy_from_slice(&work[..usize::from(threads)]);
            for (from, to, messages, bytes) in links {
                // Those that a graph can't have are refused.
                let _ = graph.add_link(index, FIRST + from % threads, FIRST + to % threads, messages, bytes);
            }
        }
        graph
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read_again(graph in graphs()) {
        prop_assert_eq!(parse(graph.to_string().as_bytes()), Ok(graph));
    }

    #[test]
    fn no_graph_stands_still(graph in graphs()) {
        prop_assert!(is_over_when_nothing_moves(&graph));
    }

    /// A file that is cut is not taken, wherever the cut is but behind `end`.
    #[test]
    fn a_file_is_read_whole_or_not_at_all(seed in any::<u32>(), cut in any::<prop::sample::Index>()) {
        let text = generated(seed, 1000).to_string();
        let cut = cut.index(text.len() - "\n".len());
        prop_assert!(parse(&text.as_bytes()[..cut]).is_err());
    }

    #[test]
    fn any_bytes_are_read_or_refused_with_a_line(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let refused = parse(&[b"taskgraph 1\n", &bytes[..]].concat());
        prop_assert!(refused.is_ok() || refused.unwrap_err().starts_with("line "));
    }
}

#[test]
fn generated_graphs_are_all_that_graphs_can_be() {
    let (mut threads, mut phases, mut links) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..400 {
        let graph = generated(seed, 20_000);
        assert_eq!(graph, generated(seed, 20_000), "a seed is a graph");
        assert_eq!(parse(graph.to_string().as_bytes()).as_ref(), Ok(&graph), "seed {seed}");
        let cost: u64 =
            (0..graph.phases().len()).map(|phase| graph.cost(phase) * u64::from(graph.phases[phase].rounds)).sum();
        assert!((10_000..30_000).contains(&cost), "seed {seed} costs {cost}");
        threads.push(graph.threads);
        phases.push(graph.phases_used);
        links.push(graph.links_used);
    }
    assert!((5..=60).all(|count| threads.contains(&count)), "{threads:?}");
    assert!((1..=6).all(|count| phases.contains(&count)), "{phases:?}");
    assert!(links.contains(&0) && links.iter().any(|&count| count > 100), "{links:?}");
    for seed in 0..40 {
        assert!(is_over_when_nothing_moves(&generated(seed, 3000)), "seed {seed}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_a_remedy() {
    let body = |lines: &str| std::format!("taskgraph 1\nthreads 3\n{lines}\nend\n");
    let refused = |text: &str| parse(text.as_bytes()).unwrap_err();
    let cases = [
        (String::new(), "line 1: no task graph: write `taskgraph 1` first"),
        ("taskgraph 2\n".into(), "line 1: no task graph: write `taskgraph 1` first"),
        ("taskgraph 1\nthreads 3\nphase 1\n".into(), "line 4: the file ends too early: write `end` last"),
        ("taskgraph 1\nend\n".into(), "line 2: threads are not known yet: write `threads COUNT` before"),
        ("taskgraph 1\nthreads 62\n".into(), "line 2: `62` is no number of threads: write 1 to 61"),
        (body("threads 3"), "line 3: a second line `threads`: leave one out"),
        (body(""), "line 4: no phase: write `phase ROUNDS` and what is done in it"),
        (body("phase 0"), "line 3: `0` is no number of rounds: write 1 to 1000000"),
        (body("phase +1"), "line 3: `+1` is no number of rounds: write 1 to 1000000"),
        (body("phase 1 2"), "line 3: not written as it must be: `phase ROUNDS`"),
        (body("phase 1\nwork 5 1"), "line 4: no thread 5: the line `threads` says how many, from 2 on"),
        (body("phase 1\nwork 2 1\nwork 2 2"), "line 5: thread 2 has a `work` already: leave one out"),
        (body("work 2 1"), "line 3: outside a phase: write `phase ROUNDS` before"),
        (body("phase 1\nlink 2 2 1 1"), "line 4: a thread can't send to itself: name two threads"),
        (
            body("phase 1\nlink 2 3 1 1\nlink 2 3 1 2"),
            "line 5: this phase has such a link already: add up their messages",
        ),
        (body("phase 1\nlink 2 3 1 5000"), "line 4: `5000` is no number of bytes: write 0 to 4096"),
        (body("place 3 16"), "line 3: `16` is no number of a processor: write 0 to 15"),
        (body("place 5 1"), "line 3: no thread 5: the line `threads` says how many, from 2 on"),
        (body("place 2 1\nplace 2 2"), "line 4: thread 2 has a `place` already: leave one out"),
        (body("phase 1\nplace 2 1"), "line 4: places come before the first phase: move the line up"),
        (body("walk 2 1"), "line 3: no statement `walk`: there are threads, place, phase, work, link and end"),
        (body("phase 1") + "phase 1\n", "line 5: something behind `end`: move `end` to the last line"),
        (body("phase 1000000\nwork 2 1000000"), "line 4: too many units of work in all: 4294967295 at most"),
        (body(&"x".repeat(101)), "line 3: longer than 100 bytes: put comments on lines of their own"),
    ];
    for (text, expected) in &cases {
        assert_eq!(refused(text), *expected, "{text}");
    }
    assert_eq!(parse(b"taskgraph 1\n\xff\n").unwrap_err(), "line 2: not UTF-8: write plain text");
    let refused = parse_for(6, body("place 2 5\nplace 3 9").as_bytes()).unwrap_err();
    assert_eq!(refused, "line 4: `9` is no number of a processor: write 0 to 5");
    let comments = "taskgraph 1 # name\n\n  threads 3 # of all\nphase 2#\n work 2 7\nend # no newline";
    assert_eq!(parse(comments.as_bytes()).unwrap().outcome(2, 1).units, 14);
}

#[test]
fn placements_place_every_thread() {
    let read_for = |processors: u8, text: &str| {
        let mut placement = Placement::new(2, processors);
        for line in text.lines() {
            placement.line(Some(line.as_bytes())).map_err(|fault| fault.to_string())?;
        }
        placement.end().map_err(|fault| fault.to_string())
    };
    let read = |text: &str| read_for(16, text);
    let places = read("# mine\nplace 3 5\n\nplace 2 0\n").unwrap();
    assert_eq!(places[..3], [Some(0), Some(5), None]);
    assert_eq!(read("place 2 1").unwrap_err(), "line 2: thread 3 has no place: write `place 3 PROCESSOR`");
    assert_eq!(read("place 4 1").unwrap_err(), "line 1: `4` is no number of a thread: write 2 to 3");
    assert_eq!(read("place 2 16").unwrap_err(), "line 1: `16` is no number of a processor: write 0 to 15");
    let refused = read_for(6, "place 2 5\nplace 3 6").unwrap_err();
    assert_eq!(refused, "line 2: `6` is no number of a processor: write 0 to 5");
    assert_eq!(read("put 2 1").unwrap_err(), "line 1: not written as it must be: `place THREAD PROCESSOR`");
    assert_eq!(read("place 2 1\nplace 2 1").unwrap_err(), "line 2: thread 2 has a `place` already: leave one out");
}

#[test]
fn a_message_is_its_key() {
    let mut message = [0; 10];
    fill(&mut message, 77);
    assert!(is_made_of(&message, 77) && !is_made_of(&message, 78));
    for place in 0..message.len() {
        message[place] ^= 1;
        assert!(!is_made_of(&message, 77), "byte {place}");
        message[place] ^= 1;
    }
}
