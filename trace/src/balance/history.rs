//! What a balancer's log shows: the load in each period, the moves, and how good they were.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use testbed_balance::log::Entry;
use testbed_balance::request::{Answer, Link, Reason, Request};
use testbed_definitions::ids::ThreadNumber;

/// A thread that goes back within this time has moved for nothing, in milliseconds.
const BACK_MS: u64 = 2_000;
/// Summaries behind a move that show whether it was good.
const AFTER: usize = 2;
/// Queues of which the longest has so many more than the shortest are level.
const LEVEL: u32 = 1;
/// Summaries in which they have to stay so.
const STEADY: usize = 2;

/// The load of a period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    pub time_ms: u64,
    pub links: Vec<u32>,
    pub queues: Vec<u32>,
}

/// A thread that has moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    pub reason: Reason,
    pub thread: ThreadNumber,
    pub from: u8,
    pub to: u8,
    /// The summary from which it was decided, in [`History::summaries`].
    pub summary: usize,
    /// When that was, and when the thread arrived.
    pub asked_ms: u64,
    pub arrived_ms: u64,
}

/// A request, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    pub number: u32,
    pub request: Request,
    /// When it was made.
    pub asked_ms: u64,
    /// When it was answered, and how: `None` behind that if nobody did. `None` as long as it is
    /// open.
    pub answer: Option<(u64, Option<Answer>)>,
}

/// How many requests came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub requests: u64,
    pub moved: u64,
    /// They said where new threads start.
    pub standing: u64,
    pub expired: u64,
    pub refused: u64,
    /// The balancer gave them up.
    pub unanswered: u64,
    /// Open as yet.
    pub open: u64,
}

/// A log in its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    pub summaries: Vec<Summary>,
    /// In their order.
    pub asked: Vec<Asked>,
    /// In the order of their arrivals.
    pub moves: Vec<Move>,
    /// Requests, and those that moved nothing.
    pub requests: u64,
    pub failed: u64,
}

/// How good the moves were.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    pub moves: usize,
    /// Requests that moved nothing: they expired, were refused, or nobody answered.
    pub failed: u64,
    /// Part of the moves after which the load was balanced better; `None` without moves that two
    /// summaries follow.
    pub hits: Option<f64>,
    /// Threads that went back within two seconds.
    pub useless: usize,
    /// When the queues were level, and stayed so for two summaries; in milliseconds.
    pub level_ms: Option<u64>,
}

impl History {
    /// The history of a log. Answers to requests that are not in it are left out.
    pub fn of(entries: &[Entry]) -> History {
        let mut history = History::default();
        let mut asked = BTreeMap::new();
        for entry in entries {
            match entry {
                Entry::Time(time_ms) => {
                    history.summaries.push(Summary { time_ms: *time_ms, ..Summary::default() });
                }
                Entry::Links(links) => {
                    history.summaries.last_mut().into_iter().for_each(|last| last.links = links.to_vec());
                }
                Entry::Queues(queues) => {
                    history.summaries.last_mut().into_iter().for_each(|last| last.queues = queues.to_vec());
                }
                Entry::Move { number, request } => {
                    history.requests += 1;
                    let summary = history.summaries.len().saturating_sub(1);
                    let time = history.summaries.last().map_or(0, |last| last.time_ms);
                    asked.insert(*number, (*request, summary, time, history.asked.len()));
                    history.asked.push(Asked { number: *number, request: *request, asked_ms: time, answer: None });
                }
                Entry::Answer { number, answer, at, time } => {
                    let Some((request, summary, asked_ms, place)) = asked.remove(number) else { continue };
                    history.asked[place].answer = Some((*time, *answer));
                    match answer {
                        Some(Answer::Moved(thread)) => history.moves.push(Move {
                            reason: request.reason,
                            thread: *thread,
                            from: request.from,
                            to: *at,
                            summary,
                            asked_ms,
                            arrived_ms: *time,
                        }),
                        Some(Answer::Stands) => {}
                        _ => history.failed += 1,
                    }
                }
            }
        }
        history.moves.sort_by_key(|one| one.arrived_ms);
        history
    }

    /// How many of the requests that were made until this millisecond had come to what by then.
    pub fn counts(&self, until_ms: u64) -> Counts {
        let mut counts = Counts::default();
        for asked in self.asked.iter().filter(|asked| asked.asked_ms <= until_ms) {
            counts.requests += 1;
            *match asked.answer.filter(|(time, _)| *time <= until_ms) {
                None => &mut counts.open,
                Some((_, None)) => &mut counts.unanswered,
                Some((_, Some(Answer::Moved(_)))) => &mut counts.moved,
                Some((_, Some(Answer::Stands))) => &mut counts.standing,
                Some((_, Some(Answer::Expired))) => &mut counts.expired,
                Some((_, Some(Answer::Refused))) => &mut counts.refused,
            } += 1;
        }
        counts
    }

    /// How good its moves were.
    pub fn quality(&self) -> Quality {
        let judged: Vec<bool> = self.moves.iter().filter_map(|one| self.is_hit(one)).collect();
        let hits = judged.iter().filter(|hit| **hit).count();
        Quality {
            moves: self.moves.len(),
            failed: self.failed,
            hits: (!judged.is_empty()).then(|| hits as f64 / judged.len() as f64),
            useless: self.moves.iter().enumerate().filter(|(place, one)| self.is_back(*place, one)).count(),
            level_ms: self.level(),
        }
    }

    /// Whether what a move was for is better in the two summaries behind its arrival than in the
    /// one from which it was decided. `None` if there are not two.
    fn is_hit(&self, one: &Move) -> Option<bool> {
        let before = self.summaries.get(one.summary)?;
        let first = self.summaries.partition_point(|summary| summary.time_ms <= one.arrived_ms);
        let after = self.summaries.get(first..first + AFTER)?;
        let slaves = before.queues.len() as u8;
        let mean = |of: &dyn Fn(&Summary) -> f64| after.iter().map(of).sum::<f64>() / AFTER as f64;
        let traffic = |summary: &Summary| summary.links.iter().map(|link| f64::from(*link)).sum::<f64>();
        Some(match one.reason {
            Reason::Compute | Reason::New | Reason::Created(_) => mean(&unevenness) < unevenness(before),
            Reason::Link(link) => {
                let load = |summary: &Summary| link_of(summary, link, slaves);
                mean(&load) < load(before)
            }
            // Threads that are named are moved for either.
            Reason::Thread(_) => mean(&unevenness) < unevenness(before) || mean(&traffic) < traffic(before),
        })
    }

    /// Whether a move takes a thread back to where it left shortly before.
    fn is_back(&self, place: usize, one: &Move) -> bool {
        let mut earlier = self.moves[..place].iter().rev().filter(|other| other.thread == one.thread);
        earlier.any(|other| other.from == one.to && one.arrived_ms.saturating_sub(other.arrived_ms) <= BACK_MS)
    }

    /// When there is something to balance, and the queues are level from then on for some
    /// summaries.
    fn level(&self) -> Option<u64> {
        let begins = self.summaries.iter().position(|summary| spread(summary) > LEVEL)?;
        let rest = &self.summaries[begins..];
        let steady = rest.windows(STEADY).find(|some| some.iter().all(|summary| spread(summary) <= LEVEL))?;
        Some(steady[0].time_ms)
    }
}

/// How far the longest queue is above the shortest.
fn spread(summary: &Summary) -> u32 {
    let (most, least) = (summary.queues.iter().max(), summary.queues.iter().min());
    most.zip(least).map_or(0, |(most, least)| most - least)
}

/// The sum of squares about the mean of the queues.
fn unevenness(summary: &Summary) -> f64 {
    let count = summary.queues.len().max(1) as f64;
    let mean = summary.queues.iter().map(|queue| f64::from(*queue)).sum::<f64>() / count;
    summary.queues.iter().map(|queue| (f64::from(*queue) - mean).powi(2)).sum()
}

fn link_of(summary: &Summary, link: Link, slaves: u8) -> f64 {
    let place = link.number(slaves).checked_sub(1);
    place.and_then(|place| summary.links.get(place)).map_or(0.0, |load| f64::from(*load))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed_balance::log::parse::parse;

    fn history(text: &str) -> History {
        History::of(&parse(text).unwrap())
    }

    fn summary(time: u64, links: u32, queues: [u32; 5]) -> String {
        let mean = (queues.iter().sum::<u32>() * 2 + 5) / 10;
        let [a, b, c, d, e] = queues;
        let links_mean = (links * 2 + 10) / 20;
        format!("TIM: {time}\nLNK: {links} 0 0 0 0 0 0 0 0 0 (av {links_mean})\nRQL: {a} {b} {c} {d} {e} (av {mean})\n")
    }

    fn moved(number: u32, from: u8, to: u8, id: u8, time: u64) -> String {
        format!("move work from {from} to {to} to shorten its queue (mig #{number})\nmig #{number}: 1-01-{id:03} arrives at {to}, time {time}\n")
    }

    #[test]
    fn a_move_hits_if_the_queues_are_more_even_after_it() {
        let better = summary(1_000, 0, [9, 1, 1, 1, 1]) + &moved(1, 1, 2, 2, 1_020);
        let text = better + &summary(2_000, 0, [8, 2, 1, 1, 1]) + &moved(2, 3, 1, 3, 2_010);
        let text = text + &summary(3_000, 0, [9, 2, 0, 1, 1]) + &summary(4_000, 0, [9, 2, 0, 1, 1]);
        let history = history(&text);
        let hits: Vec<_> = history.moves.iter().map(|one| history.is_hit(one)).collect();
        // The second one makes it worse than before both.
        assert_eq!(hits, [Some(true), Some(false)]);
        assert_eq!(history.quality().level_ms, None);
    }

    #[test]
    fn links_are_judged_by_their_messages() {
        let line = "move work from 1 to 2 to quieten link 1/1-2 (mig #1)\nmig #1: 1-01-002 arrives at 2, time 1100\n";
        for (after, hit) in [(10, true), (90, false)] {
            let text =
                summary(1_000, 50, [1; 5]) + line + &summary(2_000, after, [1; 5]) + &summary(3_000, after, [1; 5]);
            assert_eq!(history(&text).quality().hits, Some(if hit { 1.0 } else { 0.0 }));
        }
    }

    #[test]
    fn a_thread_that_goes_back_soon_has_moved_for_nothing() {
        let there = summary(1_000, 0, [5, 1, 1, 1, 1]) + &moved(1, 1, 2, 2, 1_020);
        let soon = there.clone() + &summary(2_000, 0, [4, 2, 1, 1, 1]) + &moved(2, 2, 1, 2, 3_020);
        let late = there.clone() + &summary(2_000, 0, [4, 2, 1, 1, 1]) + &moved(2, 2, 1, 2, 3_021);
        let other = there + &summary(2_000, 0, [4, 2, 1, 1, 1]) + &moved(2, 2, 1, 3, 2_020);
        let useless = [soon, late, other].map(|text| history(&text).quality().useless);
        assert_eq!(useless, [1, 0, 0]);
    }

    #[test]
    fn queues_are_level_when_they_stay_so() {
        let even = [3, 3, 3, 2, 3];
        let text = summary(500, 0, [0; 5]) + &summary(1_000, 0, [9, 1, 1, 1, 1]) + &summary(2_000, 0, even);
        let text = text + &summary(3_000, 0, [5, 3, 3, 2, 1]) + &summary(4_000, 0, even) + &summary(5_000, 0, even);
        assert_eq!(history(&text).quality().level_ms, Some(4_000));
    }

    #[test]
    fn requests_that_move_nothing_are_counted() {
        let text = summary(1_000, 0, [9, 1, 1, 1, 1]) + "move work from 1 to 2 to shorten its queue (mig #1)\nmig #1: expires at 1, time 1500\nmig #9: expires at 1, time 1500\n";
        let quality = history(&text).quality();
        assert_eq!((quality.moves, quality.failed, quality.hits), (0, 1, None));
    }

    #[test]
    fn standing_requests_move_nothing_and_have_not_failed() {
        let ask = "move work from 1 to 2 as it is created, 3, 1 (mig #1)\nmig #1: stands at 1, time 1004\n";
        let history = history(&(summary(1_000, 0, [9, 1, 1, 1, 1]) + ask));
        assert_eq!(history.counts(1_004), Counts { requests: 1, standing: 1, ..Counts::default() });
        let quality = history.quality();
        assert_eq!((quality.moves, quality.failed), (0, 0));
    }

    #[test]
    fn requests_come_to_something_when_they_are_answered() {
        let ask = |number: u32| format!("move work from 1 to 2 to shorten its queue (mig #{number})\n");
        let text = summary(1_000, 0, [9, 1, 1, 1, 1]) + &(1..=4).map(ask).collect::<String>();
        let text = text + "mig #2: refused by 1, time 1010\nmig #1: 1-01-002 arrives at 2, time 1020\n";
        let text = text + "mig #3: expires at 1, time 1500\nmig #4: unanswered by 1, time 2500\n";
        let history = history(&text);
        let counts = |until_ms| {
            let Counts { requests, moved, standing, expired, refused, unanswered, open } = history.counts(until_ms);
            assert_eq!(requests, moved + standing + expired + refused + unanswered + open);
            [moved, expired, refused, unanswered, open]
        };
        assert_eq!([999, 1_000, 1_010, 1_499].map(counts), [[0; 5], [0, 0, 0, 0, 4], [0, 0, 1, 0, 3], [1, 0, 1, 0, 2]]);
        assert_eq!(counts(2_500), [1, 1, 1, 1, 0]);
    }
}
