//! The programs whose load can be balanced: what they compute is what the host computes without
//! threads, wherever these start, and while they are moved about at random.

pub mod run;

use run::Run;
use testbed_kernel_core::adder;
use testbed_kernel_core::task_graph::generate::generate;
use testbed_kernel_core::task_graph::Graph;
use testbed_kernel_core::wator::ocean::Ocean;
use testbed_kernel_core::wator::Now;

/// Where threads start, and whether they are moved.
const WAYS: [&str; 4] = ["here", "random", "random roam 2000", "here roam 700"];

/// Lines that do not depend on the machine.
fn results(console: &str) -> String {
    console.lines().filter(|line| !line.contains(": took ")).map(|line| format!("{line}\n")).collect()
}

/// How long it took.
fn took_ms(console: &str) -> u32 {
    let took = console.lines().find_map(|line| line.split_once(": took ")).unwrap().1;
    took.split(' ').next().unwrap().parse().unwrap()
}

/// How often a thread was moved.
fn moves(console: &str) -> u32 {
    let line = console.lines().find(|line| line.contains(": took ")).unwrap_or_default();
    let words: Vec<_> = line.split(' ').collect();
    words.iter().position(|word| *word == "moves").map_or(0, |place| words[place - 1].parse().unwrap())
}

/// What `wator` prints, from the sequential ocean.
fn ocean(seed: u32, steps: u32, regions: u32, thought: u32) -> String {
    let mut ocean = Ocean::new(seed);
    let mut text = String::new();
    for step in 1..=steps {
        ocean.step(Now { seed, step, thought });
        let (fish, sharks) = ocean.population();
        text += &format!("step {step}: {fish} fish, {sharks} sharks\n");
    }
    text + &format!("wator: {steps} steps, {regions} regions, 0 failed\n")
}

/// Any seed, processors, regions, places, kernels and memories: the same ocean.
#[test]
fn wator_is_the_sequential_ocean() {
    let count = if crate::common::is_long() { 300 } else { 24 };
    let mut moved = 0;
    for number in 0..count {
        let (steps, regions, thought) = (1 + number % 4, 1 + number * 17 % 42, 1 + number % 9);
        let processors = [6, 1, 2, 16, 3, 6, 11][number as usize % 7];
        let way = WAYS[number as usize % WAYS.len()];
        let run = Run::new(processors, &format!("wator {steps} {regions} {thought} {way}")).varied(number);
        let console = run.succeed();
        assert_eq!(results(&console), ocean(number, steps, regions, thought), "{run:?}");
        moved += moves(&console);
    }
    assert!(moved > count, "{moved} moves");
}

/// The report's 100 steps.
#[test]
fn wator_is_the_sequential_ocean_for_100_steps() {
    let ways: &[&str] = if crate::common::is_long() { &WAYS } else { &WAYS[2..3] };
    for way in ways {
        let console = Run::new(6, &format!("wator 100 20 64 {way}")).succeed();
        assert_eq!(results(&console), ocean(1, 100, 20, 64), "{way}");
    }
}

/// What `taskgraph` prints, from the graph alone.
fn sums(graph: &Graph, seed: u32) -> String {
    let outcomes: Vec<_> = graph.threads().map(|thread| graph.outcome(thread, seed)).collect();
    let units: u32 = outcomes.iter().map(|outcome| outcome.units).sum();
    let messages: u32 = outcomes.iter().map(|outcome| outcome.messages).sum();
    let bytes = outcomes.iter().fold(0u32, |all, outcome| all.wrapping_add(outcome.bytes));
    let sum = outcomes.iter().fold(0u32, |all, outcome| all.wrapping_add(outcome.sum ^ outcome.number));
    let (threads, phases, links) = (outcomes.len(), graph.phases().len(), graph.all_links().len());
    format!(
        "taskgraph: {threads} threads, {phases} phases, {links} links\n\
         taskgraph: {units} units, {messages} messages, {bytes} bytes, sum {sum:#010x}\n\
         taskgraph: 0 wrong, 0 failed\n"
    )
}

fn graph(seed: u32, units: u32) -> Box<Graph> {
    let mut graph = Box::new(Graph::EMPTY);
    generate(seed, units, &mut graph);
    graph
}

/// Random graphs on all kinds of machines, threads anywhere and on the move.
#[test]
fn task_graphs_do_what_their_files_say() {
    let (count, units) = if crate::common::is_long() { (1000, 20_000) } else { (60, 3000) };
    let mut moved = 0;
    for number in 0..count {
        let graph = graph(number, units);
        let processors = [6, 16, 1, 2, 4][number as usize % 5];
        let words = format!("taskgraph graph {}", WAYS[number as usize / 2 % WAYS.len()]);
        let run = Run::new(processors, &words).varied(number).with_file("graph", &graph.to_string());
        let console = run.succeed();
        assert_eq!(results(&console), sums(&graph, number), "{run:?}");
        moved += moves(&console);
    }
    assert!(moved > count, "{moved} moves");
}

/// With a graph's own places, and with those of another file.
#[test]
fn task_graphs_start_where_files_say() {
    let text =
        |place: &str| format!("taskgraph 1\nthreads 2\n{place}phase 5\nwork 2 100\nwork 3 100\nlink 2 3 1 100\nend\n");
    let places = "place 2 3\nplace 3 4\n";
    let own = Run::new(6, "taskgraph graph").with_file("graph", &text(places)).succeed();
    let other = Run::new(6, "taskgraph graph static places").with_file("graph", &text("")).with_file("places", places);
    let other = other.succeed();
    let here = Run::new(6, "taskgraph graph here").with_file("graph", &text(places)).succeed();
    assert_eq!(results(&own), results(&other));
    assert_eq!(results(&own), results(&here));
    // Two processors compute in about half the time of one.
    let [own, other, here] = [own, other, here].map(|console| took_ms(&console));
    assert!(2 * here > 3 * own.max(other), "{own} ms and {other} ms apart, {here} ms together");
}

/// Threads that are moved about leave nothing behind when they end, and bear a busy machine.
#[test]
fn loads_leave_nothing_and_bear_others() {
    let (graph, expected) = (graph(7, 2000), sums(&graph(7, 2000), 1));
    for words in [
        "leaks taskgraph graph random roam 1000",
        "background 4 1 taskgraph graph here roam 1000",
        "background 4 1 taskgraph graph random",
    ] {
        let run = Run::new(6, words).with_program("taskgraph").with_file("graph", &graph.to_string());
        let console = run.succeed();
        assert!(console.contains(&expected), "{words}: {console}");
        assert!(!words.starts_with("leaks") || console.contains("0 leaks"), "{words}: {console}");
    }
    for words in
        ["leaks wator 2 9 3 random roam 1000", "leaks adder 9 200 5 roam 300", "leaks synthetic 8 mixed 50 roam 900"]
    {
        let program = words.split(' ').nth(1).unwrap();
        let console = Run::new(6, words).with_program(program).succeed();
        assert!(console.contains("0 leaks"), "{words}: {console}");
    }
}

/// Sums and delays of pairs from everywhere, in all ways.
#[test]
fn the_adder_adds_in_the_time_that_arithmetic_says() {
    let count = if crate::common::is_long() { 4096 } else { 40 };
    let mut moved = 0;
    for number in 0..count {
        let first = number * 65_521 % 65_536;
        let processors = [6, 2, 1, 16][number as usize % 4];
        let words = format!("adder {} {} 16 {}", first / 256, first % 256, WAYS[number as usize / 4 % WAYS.len()]);
        let console = Run::new(processors, &words).varied(number).succeed();
        let mut expected = String::new();
        for pair in (first..first + 16).map(|pair| pair % 65_536) {
            let (sum, delays) = adder::expected(pair / 256, pair % 256);
            let [keller, call, muller, merge] = delays.0;
            let (a, b) = (pair / 256, pair % 256);
            expected += &format!("{a} + {b} is {sum}; keller {keller}, call {call}, muller {muller}, merge {merge}\n");
        }
        assert_eq!(results(&console), expected + "adder: 16 additions, 0 wrong, 0 failed\n", "{words}");
        moved += moves(&console);
    }
    assert!(moved > count / 4, "{moved} moves");
    let console = Run::new(6, "adder 255 250 40 random").succeed();
    let all =
        (0..40).map(|number| (255 * 256 + 250 + number) % 65_536).map(|pair| adder::expected(pair / 256, pair % 256));
    let all = all.fold([0; 4], |all: [u32; 4], (_, delays)| std::array::from_fn(|kind| all[kind] + delays.0[kind]));
    let [keller, call, muller, merge] = all;
    let line = format!("of all: wrong 0; keller {keller}, call {call}, muller {muller}, merge {merge}\n");
    assert_eq!(results(&console), line + "adder: 40 additions, 0 wrong, 0 failed\n");
}

/// All kinds, for an amount of work and for a time.
#[test]
fn synthetic_loads_do_their_work() {
    let cases = [
        ("20 compute 10", "20 threads, 200 rounds of 10 units"),
        ("61 compute 3 100 2", "61 threads, 183 rounds of 2 units"),
        ("20 communicate 12", "40 threads, 240 messages of 1000 bytes"),
        ("30 communicate 5 4", "60 threads, 150 messages of 4 bytes"),
        ("2 communicate 9 8192", "4 threads, 18 messages of 8192 bytes"),
        ("20 mixed 10", "20 threads, 100 messages of 1000 bytes, 200 rounds of 2 units"),
        ("60 mixed 3 100 5", "60 threads, 90 messages of 100 bytes, 180 rounds of 5 units"),
    ];
    for (number, (words, line)) in (0..).zip(cases) {
        for (processors, way) in [6, 1, 16, 2].into_iter().zip(WAYS) {
            let run = Run::new(processors, &format!("synthetic {words} {way}")).varied(number);
            let expected = format!("synthetic: {line}\nsynthetic: 0 wrong, 0 failed\n");
            assert_eq!(results(&run.succeed()), expected, "{run:?}");
        }
    }
    for kind in ["8 compute", "8 communicate", "8 mixed"] {
        let console = Run::new(6, &format!("synthetic {kind} 120ms random roam 3000")).succeed();
        let took = took_ms(&console);
        assert!((120..200).contains(&took) && console.contains("0 wrong, 0 failed"), "{kind}: {console}");
    }
    let places: String = (2..8).map(|thread| format!("place {thread} {}\n", thread % 6)).collect();
    let placed = Run::new(6, "synthetic 6 compute 10 static places").with_file("places", &places).succeed();
    assert!(placed.contains("6 threads, 60 rounds of 10 units\nsynthetic: 0 wrong, 0 failed"), "{placed}");
}

#[test]
fn what_makes_no_sense_is_refused_with_a_remedy() {
    let refused = |run: Run, text: &str| {
        let ended = run.end().unwrap_or_else(|error| panic!("{error}"));
        assert!(ended.code != 0 && ended.console.contains(text), "{run:?}: {} {}", ended.code, ended.console);
    };
    let usages = [
        (
            "synthetic",
            ["", "5 mixed 3", "62 compute 1", "31 communicate 1", "4 compute 0", "4 compute 1 100 4 5"].as_slice(),
        ),
        ("taskgraph", &["", "graph graph", "graph static", "graph seed", "graph roam x"]),
        ("adder", &["", "1", "256 1", "1 2 0", "1 2 3 4"]),
        ("wator", &["0", "201", "1 43", "1 1 0", "1 1 1 1", "1 there"]),
    ];
    for (program, all) in usages {
        for words in all {
            refused(Run::new(2, &format!("{program} {words}")), &format!("usage: {program} "));
        }
    }
    refused(Run::new(2, "taskgraph graph"), "graph: no such file: give it to the machine with `--file`");
    let graph = "taskgraph 1\nthreads 2\nphase 1\nlink 2 4 1 1\nend\n";
    refused(Run::new(2, "taskgraph graph").with_file("graph", graph), "graph: line 4: no thread 4: the line `threads`");
    let places = |text| Run::new(2, "synthetic 2 compute 1 static places").with_file("places", text);
    refused(places("place 2 1\n"), "places: line 2: thread 3 has no place: write `place 3 PROCESSOR`");
    refused(places("place 2 1\nplace 3 2\n"), "places: line 2: `2` is no number of a processor: write 0 to 1");
    let graph = "taskgraph 1\nthreads 2\nplace 3 2\nend\n";
    refused(
        Run::new(2, "taskgraph graph").with_file("graph", graph),
        "graph: line 3: `2` is no number of a processor: write 0 to 1",
    );
}
