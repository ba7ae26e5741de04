//! What holds of every policy, whatever it sees and is answered.

use proptest::prelude::*;
use testbed_balance::assess::Assessor;
use testbed_balance::balancer::Balancer;
use testbed_balance::log::parse::parse;
use testbed_balance::log::Entry;
use testbed_balance::policies::boxed::Boxed;
use testbed_balance::policies::gain::Settings;
use testbed_balance::policies::placement::{line, LineError, Wrong};
use testbed_balance::policies::{Gain, Placement, Report};
use testbed_balance::policy::{Ask, Costs, Pace, Policy, View, PENDING};
use testbed_balance::request::{Answer, Link, Reason, Request};
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::processors::Processors;

use crate::log::FIGURE_41;
use crate::model::machine::number;
use crate::model::policy;
use crate::parts::{tell, Load};

const SLAVES: u8 = 5;
/// A sample period of these tests, in cycles: half a second.
const PERIOD: u64 = 12_500_000;

/// What a thread did in a round: where it is if nobody moves it, share, partners with messages.
type Did = (u8, u16, Vec<(u8, u32)>);

/// Rounds of what 16 threads did, and what comes of requests: moved, expired, refused, or nothing.
type Story = (Vec<Vec<Did>>, Vec<u8>);

fn story() -> impl Strategy<Value = Story> {
    let did = (1..=SLAVES, any::<u16>(), prop::collection::vec((1..16u8, 1..5_000u32), 0..4));
    let round = prop::collection::vec(did, 16);
    (prop::collection::vec(round, 1..40), prop::collection::vec(0..8u8, 1..40))
}

/// A move that was made: time in milliseconds, thread, from where.
type Made = (u64, ThreadNumber, u8);

/// Plays a story to a policy. Returns the requests, the moves and how many requests were wrong.
fn play(policy: Boxed, story: &Story) -> (Vec<Request>, Vec<Made>, u32) {
    let (rounds, answers) = story;
    let mut balancer = Balancer::new(SLAVES, policy);
    let mut places: Vec<u8> = rounds[0].iter().map(|did| did.0).collect();
    let (mut requests, mut moves, mut fates) = (Vec::new(), Vec::new(), answers.iter().cycle());
    let (mut silent, mut given_up): (Vec<u16>, Vec<u16>) = (Vec::new(), Vec::new());
    for (round, threads) in rounds.iter().enumerate() {
        let now = (round as u64 + 1) * PERIOD;
        for slave in 1..=SLAVES {
            sample(&mut balancer, slave, now, round as u8, threads, &places);
        }
        let mut open = balancer.step(now + 1_000);
        given_up.extend(balancer.take_given_up().iter().map(|sent| sent.number));
        for at in 0..200u64 {
            if open.is_empty() {
                break;
            }
            let sent = open.remove(0);
            requests.push(sent.request);
            let later = now + 2_000 + 10_000 * at;
            let named = match sent.request.reason {
                Reason::Thread(thread) => {
                    (0..places.len()).find(|&at| number(at) == thread && places[at] == sent.request.from)
                }
                // Of those that were created there one that has never moved.
                Reason::New => (0..places.len()).find(|&at| {
                    let moved = moves.iter().any(|made: &Made| made.1 == number(at));
                    places[at] == sent.request.from && !moved
                }),
                _ => places.iter().position(|&place| place == sent.request.from),
            };
            if let Reason::Created(places) = sent.request.reason {
                assert!(!places.is_empty() && places.iter().all(|place| (1..=SLAVES).contains(&place.number())));
            }
            let answer = match (fates.next().unwrap(), named) {
                (0, _) => {
                    silent.push(sent.number);
                    continue;
                }
                (1, _) => Answer::Expired,
                (3.., _) if sent.request.is_standing() => Answer::Stands,
                (2, _) | (_, None) => Answer::Refused,
                (_, Some(thread)) => {
                    moves.push((later / 25_000, number(thread), places[thread]));
                    places[thread] = sent.request.to;
                    Answer::Moved(number(thread))
                }
            };
            assert_eq!(balancer.answer(later, sent.number, answer), Some(sent.request));
            assert_eq!(balancer.answer(later, sent.number, answer), None, "an answer counts once");
            open.extend(balancer.step(later + 100));
            given_up.extend(balancer.take_given_up().iter().map(|sent| sent.number));
            assert!(balancer.pending().len() <= PENDING);
        }
        silent.extend(open.iter().map(|sent| sent.number));
    }
    let long_after = (rounds.len() as u64 + 20) * PERIOD;
    balancer.step(long_after);
    let left = balancer.pending().iter().filter(|sent| sent.time < long_after).count();
    assert_eq!(left, 0, "a request is left for ever");
    given_up.extend(balancer.take_given_up().iter().map(|sent| sent.number));
    silent.sort();
    given_up.sort();
    assert_eq!(given_up, silent, "each that no answer came to is told once");
    assert_eq!(balancer.counts.unanswered as usize, silent.len());
    (requests, moves, balancer.counts.faults)
}

fn sample(balancer: &mut Balancer<Boxed>, slave: u8, now: u64, sequence: u8, threads: &[Did], places: &[u8]) {
    let here = (0..threads.len()).filter(|&at| places[at] == slave);
    let here: Vec<_> = here.map(|at| (number(at), threads[at].1, &threads[at].2[..])).collect();
    let load = Load {
        ready: here.len() as u8,
        cycles: PERIOD as u32,
        average: here.len() as u16 * 256,
        share: here.iter().fold(0, |sum, did| did.1.saturating_add(sum)),
    };
    let sends: u32 = here.iter().flat_map(|did| did.2).map(|partner| partner.1).sum();
    let links = (1..=SLAVES).filter(|&other| other != slave).map(|other| (other, sends / u32::from(other)));
    tell(|part| balancer.take(slave, now, part), sequence, &load, links, &here);
}

const EACH: &[&str] = &["none", "random", "report", "acknowledged", "diffusion", "greedy-refine", "gain"];

/// Whether no thread comes back sooner than `gain` promises: after the `k`th time that it left a
/// processor it is away for at least `bar` times 4^(k - 1).
fn keeps_bars(moves: &[Made], bar: u64) -> bool {
    moves.iter().all(|&(_, thread, from)| {
        let times: Vec<u64> =
            moves.iter().filter(|made| (made.1, made.2) == (thread, from)).map(|made| made.0).collect();
        // Whoever leaves again has come back before; a millisecond is lost by rounding.
        times.windows(2).enumerate().all(|(k, two)| two[1] - two[0] + 1 >= bar << (2 * k.min(8)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_policy_asks_for_what_makes_no_sense(story in story()) {
        for name in EACH {
            let (requests, _, faults) = play(policy(name, 7).0, &story);
            prop_assert_eq!(faults, 0, "{}", name);
            for request in requests {
                prop_assert!(request.from != request.to, "{} {:?}", name, request);
                prop_assert!((1..=SLAVES).contains(&request.from) && (1..=SLAVES).contains(&request.to));
            }
        }
    }

    #[test]
    fn a_seed_decides_everything(story in story(), seed in any::<u32>()) {
        for name in EACH {
            let [one, two] = [0, 1].map(|_| play(policy(name, seed).0, &story));
            prop_assert_eq!(one, two, "{}", name);
        }
    }

    #[test]
    fn gain_moves_nothing_to_and_fro(story in story()) {
        let (_, moves, _) = play(policy("gain", 1).0, &story);
        prop_assert!(keeps_bars(&moves, Settings::DEFAULT.bar.into()), "{:?}", moves);
    }

    #[test]
    fn random_places_each_thread_once(story in story()) {
        let (_, moves, _) = play(policy("random", 3).0, &story);
        let mut threads: Vec<_> = moves.iter().map(|made| made.1).collect();
        threads.sort();
        prop_assert!(threads.windows(2).all(|two| two[0] != two[1]));
    }

    #[test]
    fn lines_of_placements_are_read(home in 0..16u8, place in 0..16u8, id in 1..64u8, to in 1..6u8, noise in ".{0,30}") {
        let (thread, at) = line(&format!(" {home}-{place:02}-{id:03}\t{to} # {noise}"), 5).unwrap().unwrap();
        prop_assert_eq!((thread.home().number(), thread.place(), thread.id(), at), (home, place, id.into(), to));
        let _ = line(&noise, 5);
    }
}

#[test]
fn without_bars_threads_go_to_and_fro() {
    // The heavier work changes places every eight rounds, so that moves would follow it.
    let round =
        |flip: bool| (0..16).map(|at| (1, if (at % 2 == 0) == flip { 40_000 } else { 1_000 }, vec![])).collect();
    let story = ((0..80).map(|at| round(at / 8 % 2 == 0)).collect(), vec![7]);
    let moves = |bar| {
        let settings = Settings { bar, least: 1, ..Settings::DEFAULT };
        play(Box::new(Gain::new(settings)), &story).1
    };
    assert!(keeps_bars(&moves(2_000), 2_000));
    assert!(!keeps_bars(&moves(0), 2_000), "the check sees nothing");
}

/// Asks for everything that it must not.
struct Wrongly;

impl Policy for Wrongly {
    fn name(&self) -> &'static str {
        "wrongly"
    }
    fn pace(&self) -> Pace {
        Pace { pending: 2, at_once: 2, on_answers: false }
    }
    fn decide(&mut self, _: &View<'_>, ask: &mut Ask<'_>) {
        assert!(ask.request(Reason::Compute, 1, 1).is_err() && ask.request(Reason::Compute, 0, 1).is_err());
        assert!(ask.request(Reason::Compute, 1, 6).is_err() && ask.request(Reason::Compute, 5, 1).is_err());
        assert!(ask.request(Reason::Thread(number(0)), 2, 3).is_err());
        assert!(ask.request(Reason::Created(Processors::slaves(SLAVES + 1)), 1, 2).is_err());
        assert!(ask.thread(number(0), 2).is_ok() && ask.thread(number(0), 3).is_err());
        assert!(ask.thread(number(1), 2).is_ok() && ask.thread(number(2), 2).is_err());
    }
}

#[test]
fn wrong_requests_are_not_sent() {
    let did = || (1, 9, vec![]);
    let (requests, _, faults) = play(Box::new(Wrongly), &(vec![vec![did(); 3]], vec![1]));
    assert_eq!((requests.len(), faults), (2, 8));
}

#[test]
fn report_decides_as_figure_41_shows() {
    let entries = parse(FIGURE_41).unwrap();
    for summary in entries.windows(4) {
        let [Entry::Time(time), Entry::Links(links), Entry::Queues(queues), Entry::Move { request, .. }] = summary
        else {
            continue;
        };
        let mut assessor = Assessor::new(5);
        for slave in 1..=5u8 {
            let sends = Link::all(5).filter(|link| link.numbers().0 == slave);
            let sends = sends.map(|link| (link.numbers().1, links[link.number(5) - 1]));
            let load = Load { ready: queues[usize::from(slave) - 1] as u8, cycles: 1 << 28, average: 0, share: 0 };
            assert!(tell(|part| assessor.take(slave, *time, part), 0, &load, sends, &[]));
        }
        let view = View { now: *time, summary: assessor.summary(), costs: &Costs::DEFAULT, round: 1, pending: &[] };
        let mut policy = Report::new(Default::default());
        let mut ask = Ask::new(view, policy.pace());
        policy.decide(&view, &mut ask);
        assert_eq!(ask.requests(), [*request], "at {time}");
    }
}

#[test]
fn placements_are_read_and_errors_name_the_line() {
    let wrong = |text: &str| Placement::parse(text, 5).unwrap_err();
    assert!(Placement::parse("# all\n\n1-00-003 2\n1-01-004 5 # far\n", 5).is_ok());
    assert_eq!(wrong("1-00-003 2\n1-00-064 2"), LineError { line: 2, wrong: Wrong::Thread });
    assert_eq!(wrong("1-00-003 6").wrong, Wrong::Processor);
    assert_eq!(wrong("1-00-003 5 4").wrong, Wrong::More);
    let many =
        |count: usize| (0..count).map(|at| format!("1-{:02}-{:03} 2\n", at / 63, at % 63 + 1)).collect::<String>();
    assert!(Placement::parse(&many(256), 5).is_ok());
    assert_eq!(wrong(&many(257)), LineError { line: 257, wrong: Wrong::Lines });
    assert_eq!(wrong("1-00-003 2\n\n# again\n1-00-003 4"), LineError { line: 4, wrong: Wrong::Twice(1) });
    // Comments count as lines, and do not shift the line that is named.
    let later = "# all\n\n1-00-003 2\n# more\n1-00-004 2\n1-00-005 3\n1-00-004 1";
    assert_eq!(wrong(later), LineError { line: 7, wrong: Wrong::Twice(5) });
    assert!(wrong("x").to_string().starts_with("line 1: expected a thread as 1-00-003"));
}

#[test]
fn a_balancer_fits_its_program() {
    let bytes = std::mem::size_of::<Balancer<Gain>>();
    println!("{bytes} bytes");
    // Data and code of a process have 512 KiB each.
    assert!((100_000..256 * 1024).contains(&bytes), "{bytes}");
}
