//! What is left of a request whose program ends too early, and what a balancer does without samples.

use std::fs;

use testbed_balance::log::parse::parse;
use testbed_balance::log::Entry;
use testbed_balance::request::Answer;
use testbed_trace::capture::CONSOLE;

use super::runs::{run, testbed};

/// Runs a script of `sh` beside which class `load` is on, and gives what it prints, and the log of
/// the last balancer that it starts.
#[track_caller]
fn script(text: &str) -> (String, String) {
    let (console, [log]) = script_with(text, ["balance.log"]);
    (console, log)
}

/// The same, with these files of the master's.
#[track_caller]
fn script_with<const N: usize>(text: &str, names: [&str; N]) -> (String, [String; N]) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    fs::write(path("script"), text).unwrap();
    let files = ["balancer".into(), "synthetic".into(), "unrest".into(), path("script")];
    let gets = names.map(|name| format!("master:{name}={}", path(name)));
    let mut arguments = vec!["run", "sh", "--dgl", "load", "--for", "60s"];
    arguments.extend(gets.iter().flat_map(|get| ["--get", get]));
    let out = path("run");
    arguments.extend(files.iter().flat_map(|file| ["--file", file]).chain(["--out", &out, "script"]));
    let output = testbed(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let console = fs::read_to_string(folder.path().join("run").join(CONSOLE)).unwrap();
    (console, names.map(|name| fs::read_to_string(path(name)).unwrap()))
}

/// What a balancer's log says of its requests.
#[derive(Debug, Default)]
struct Account {
    /// Those that it says no answer to.
    open: Vec<u32>,
    /// Those that were answered when all slaves had nothing to do and sent nothing any more.
    late: Vec<(u32, Option<Answer>)>,
    /// Answers to what was not asked for, or was answered before.
    strange: Vec<u32>,
}

fn account(log: &str) -> Account {
    let mut account = Account::default();
    let mut is_over = false;
    for entry in parse(log).unwrap_or_else(|error| panic!("{error}\n{log}")) {
        match entry {
            Entry::Move { number, .. } => account.open.push(number),
            Entry::Answer { number, answer, .. } => {
                match account.open.iter().position(|open| *open == number) {
                    Some(place) => drop(account.open.remove(place)),
                    None => account.strange.push(number),
                }
                if is_over {
                    account.late.push((number, answer));
                }
            }
            Entry::Links(links) => is_over = links.iter().all(|&messages| messages == 0),
            Entry::Queues(ready) => is_over &= ready.iter().all(|&ready| ready == 0),
            Entry::Time(_) => {}
        }
    }
    account
}

/// Says that all slaves have all their places for requests, and that no page or control block is
/// lost.
const NOTHING_IS_LEFT: [&str; 4] = [" 0 wrong", " 0 failed", ": 0 places for requests lost", ": 0 leaks"];

#[track_caller]
fn contains_all(console: &str, wanted: &[&str]) {
    wanted.iter().for_each(|wanted| assert!(console.contains(wanted), "no `{wanted}` in\n{console}"));
}

/// A program that ends while a slave looks for one of its threads: the request is answered all the
/// same, and has expired.
#[test]
fn a_request_outlives_the_program_that_it_was_made_for() {
    let mut expired = 0;
    for seconds in [0.5, 0.6, 0.7, 0.8] {
        let text = format!(
            "on 0 operator balancer report 20000 &\nB=$!\nsynthetic 5 communicate 100000 &\nP=$!\n\
             sleep {seconds}\nkill $P\necho program killed $?\nsleep 1\nkill $B\nrun operator unrest 1 8 300\n"
        );
        let (console, log) = script(&text);
        contains_all(&console, &["program killed 0"]);
        contains_all(&console, &NOTHING_IS_LEFT);
        let account = account(&log);
        assert!(account.open.is_empty(), "{account:?}: not all are answered:\n{log}");
        expired += account.late.iter().filter(|(_, answer)| *answer == Some(Answer::Expired)).count();
    }
    assert!(expired > 0, "no program was killed while a slave looked for one of its threads");
}

/// A balancer that is killed while slaves look for threads that it has asked for: the program goes on,
/// the next balancer has its own requests answered and no others, and nothing is left of the old ones.
#[test]
fn a_balancer_that_is_killed_leaves_nothing_to_the_next() {
    let mut pending = 0;
    for (policy, seconds) in [("acknowledged", 0.14), ("report", 0.25), ("acknowledged", 0.3), ("report", 0.4)] {
        let text = format!(
            "on 0 operator balancer {policy} 20000 &\nB=$!\nsynthetic 6 communicate 2000 &\nP=$!\nsleep {seconds}\n\
             kill $B\necho balancer killed $?\non 0 cp balance.log first\non 0 operator balancer acknowledged 20000 &\n\
             C=$!\nwait $P\necho program ended $?\nsleep 1\nkill $C\nrun operator unrest 1 8 300\n"
        );
        let (console, [first, second]) = script_with(&text, ["first", "balance.log"]);
        contains_all(&console, &["balancer killed 0", "synthetic: 0 wrong, 0 failed", "program ended 0"]);
        contains_all(&console, &NOTHING_IS_LEFT);
        pending += account(&first).open.len();
        let account = account(&second);
        assert!(account.open.is_empty(), "{policy} {seconds}: {account:?}: not all are answered:\n{second}");
        assert!(account.strange.is_empty(), "{policy} {seconds}: {account:?}: not asked for:\n{second}");
        assert!(second.contains("(mig #"), "{policy} {seconds}: the second asked for nothing:\n{second}");
    }
    assert!(pending > 0, "none was killed in the midst of a request");
}

/// Where a filter takes parts of samples out, what is left is no sample, and no thread moves for it;
/// where it takes threads out, queues are known all the same. Programs compute what they should.
#[test]
fn samples_that_are_filtered_move_nobody() {
    let words = "synthetic 8 compute 300 --balance gain --sample 50ms --filter";
    let alone = run("synthetic 8 compute 300", &[]);
    for (rules, is_blind) in [("drop LOAD_END", true), ("drop LOAD_THREAD", false), ("drop LOAD_SHARE", false)] {
        let left = run(words, &[rules]);
        assert_eq!(left.results(), alone.results(), "{rules}");
        assert_eq!(left.rounds() == 0, is_blind, "{rules}: {}", left.log);
        if is_blind {
            assert!(left.moves().is_empty(), "{rules}: {}", left.log);
            // Nobody is slower for it.
            assert!(left.took_ms() * 100 <= alone.took_ms() * 102, "{rules}: {} ms", left.took_ms());
        }
        super::checked_answers(&left);
    }
}

/// `run` refuses such a file; but a balancer may be started with any.
#[test]
fn a_balancer_says_what_is_wrong_with_its_placement() {
    let text = "echo 1-01-004 2 > p\necho 1-01-005 9 >> p\ncp p master:placement\non 0 operator balancer static 20000\necho it said $?\n";
    let (console, []) = script_with(text, []);
    contains_all(&console, &["master: balancer: placement: line 2: expected the number of a slave", "it said 1"]);
}
