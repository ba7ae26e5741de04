//! Slaves are asked at random to move threads, for everything and by many at once, while programs
//! run, are suspended, killed and end: every request is answered, every program computes what it
//! should, nothing hangs, and no page, thread or place for requests is lost. `testbed test --long`
//! gives it ten minutes of machine time.

use testbed_kernel_core::task_graph::generate::generate;
use testbed_kernel_core::task_graph::Graph;
use testbed_trace::capture::KernelKind;

use crate::common::is_long;
use crate::loads::run::Run;

/// The programs that run meanwhile, with their arguments.
const PROGRAMS: [(&str, &str); 3] =
    [("chatter", "3 16 40"), ("synthetic", "8 mixed 20 100 random roam 900"), ("@taskgraph", "graph random")];
/// A request waits for half a second where nobody runs: so long, and as long again, nothing may
/// happen.
const PATIENCE: u32 = 400;

/// The machine on which `unrest` asks for so long, with these programs.
fn unrest(processors: usize, kernel: KernelKind, seed: u32, duration_ms: u64, programs: &[(&str, &str)]) -> Run {
    let words: Vec<_> = programs.iter().map(|(name, arguments)| format!("{name} {arguments}")).collect();
    let mut graph = Box::new(Graph::EMPTY);
    generate(7, 2000, &mut graph);
    let run = Run::new(processors, &format!("unrest {seed} 24 {duration_ms} {}", words.join(" + ")));
    let run = programs.iter().fold(run, |run, (name, _)| run.with_program(name.trim_start_matches('@')));
    let limit_ms = 10 * duration_ms + 60_000;
    Run { kernel, seed, limit_ms, patience: PATIENCE, ..run.with_file("graph", &graph.to_string()) }
}

/// The number ahead of a word in the line that has it.
fn number(console: &str, word: &str) -> u32 {
    let words: Vec<_> =
        console.lines().filter(|line| line.starts_with("unrest: ")).flat_map(str::split_whitespace).collect();
    let place = words.iter().position(|found| found.trim_end_matches([',', ';']) == word);
    let number = place.and_then(|place| words[place - 1].parse().ok());
    number.unwrap_or_else(|| panic!("no number ahead of `{word}` in\n{console}"))
}

/// What the programs print that have ended by themselves says that nothing was wrong.
fn judge(run: &Run, console: &str) {
    for line in console.lines() {
        let wrong = line.contains(" wrong, ") && !line.contains("unrest: ") && !line.contains(" 0 wrong, 0 failed");
        let code = line.strip_prefix("unrest: ").and_then(|line| line.split_once(" ended with "));
        // `chatter` counts what the others have left, too.
        let failed = code.is_some_and(|(name, code)| name != "chatter" && code != "0");
        assert!(!wrong && !failed, "{run:?}: \"{line}\" in\n{console}");
    }
}

#[test]
fn every_request_is_answered_whatever_runs_ends_or_is_killed() {
    let (duration_ms, seeds) = if is_long() { (600_000, 2) } else { (1_500, 8) };
    let (mut moved, mut expired, mut killed, mut ended) = (0, 0, 0, 0);
    for seed in 1..=seeds {
        let kernel = if seed % 2 == 0 { KernelKind::Tos94 } else { KernelKind::Default };
        let processors = [6, 6, 3, 4, 8, 7, 5, 8][seed as usize % 8];
        let run = unrest(processors, kernel, seed, duration_ms, &PROGRAMS);
        let console = run.succeed();
        judge(&run, &console);
        moved += number(&console, "moved");
        expired += number(&console, "expired");
        killed += number(&console, "killed");
        ended += number(&console, "programs") - number(&console, "killed");
        println!("seed {seed}, {kernel:?}, {processors} processors:\n{console}");
    }
    assert!(moved > 100 && expired > 10 && killed > 10 && ended > 10, "{moved} {expired} {killed} {ended}");
}
