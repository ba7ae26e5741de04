//! The balancer's log.

use std::fmt::Write;

use proptest::prelude::*;
use testbed_balance::log::blocks::{Blocks, Store, FULL};
use testbed_balance::log::parse::parse;
use testbed_balance::log::{average, Entry, Losses, LINE_BYTES};
use testbed_balance::request::{Answer, Link, Reason, Request, LINKS};
use testbed_balance::PROCESSORS;
use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};
use testbed_definitions::processors::Processors;

/// The report's Figure 41.
pub const FIGURE_41: &str = include_str!("figure-41.log");

fn written(entries: &[Entry], slaves: u8) -> String {
    entries.iter().map(|entry| format!("{}\n", entry.line(slaves))).collect()
}

fn thread(home: u8, place: u8, id: u8) -> ThreadNumber {
    ProcessId::new(Processor::new(home), place, 1).thread(id)
}

fn link(a: u8, b: u8) -> Link {
    Link::between(Processor::new(a), Processor::new(b))
}

#[test]
fn the_reports_log_is_read_and_written_to_the_letter() {
    let entries = parse(FIGURE_41).unwrap();
    assert_eq!(written(&entries, 5), FIGURE_41);
    let request = Request { reason: Reason::Link(link(3, 5)), from: 3, to: 5 };
    assert_eq!(entries[3], Entry::Move { number: 6, request });
    let answer = Some(Answer::Moved(thread(1, 15, 4)));
    assert_eq!(entries[9], Entry::Answer { number: 7, answer, at: 5, time: 70_581 });
}

#[test]
fn remarks_are_passed_over() {
    let losses = Losses { samples: 2, pairs: 31, threads: 0, faults: 1 };
    let text = format!("# begun\n\n{FIGURE_41}{losses}\n");
    assert_eq!(parse(&text), parse(FIGURE_41));
    assert_eq!(parse(&format!("{text}# full\nTIM: x\n")).unwrap_err().line, text.lines().count() + 2);
}

#[test]
fn no_line_is_longer_than_said() {
    let all = Processors::slaves(15);
    let largest = [
        Entry::Time(u64::MAX),
        Entry::Links([u32::MAX; LINKS].into()),
        Entry::Queues([u32::MAX; PROCESSORS].into()),
        Entry::Move { number: u32::MAX, request: Request { reason: Reason::Link(link(14, 15)), from: 14, to: 15 } },
        Entry::Move { number: u32::MAX, request: Request { reason: Reason::Created(all), from: 14, to: 15 } },
        Entry::Answer { number: u32::MAX, answer: Some(Answer::Moved(thread(15, 15, 63))), at: 15, time: u64::MAX },
    ];
    let lengths = largest.map(|entry| entry.line(15).to_string().len() + 1);
    assert_eq!(lengths.into_iter().max(), Some(LINE_BYTES));
    let losses = Losses { samples: u32::MAX, pairs: u32::MAX, threads: u32::MAX, faults: u32::MAX };
    assert!(losses.to_string().len() < LINE_BYTES);
}

#[test]
fn errors_name_line_column_and_what_was_expected() {
    for (text, line, column, expected) in [
        ("TIM: 1\nTIME: 2\n", 2, 1, "TIM:, LNK:"),
        ("TIM: x\n", 1, 6, "a number"),
        ("RQL: 4 5 1 1 1 (av 3)\n", 1, 5, "average"),
        ("LNK: 1 2 (av 2)\n", 1, 5, "links"),
        (
            "RQL: 1 1 1 1 1 (av 1)\nmove work from 3 to 5 to quieten link 8/3-5 (mig #1)\n",
            2,
            39,
            "a link and its number",
        ),
        ("move work from 3 to 50 to shorten its queue (mig #1)\n", 1, 21, "slave"),
        ("move work from 3 to 5 as it is created, 16 (mig #1)\n", 1, 39, "(mig #"),
        ("move work from 3 to 5 to rest (mig #1)\n", 1, 23, "to "),
        ("mig #6: 1-00-003 arrives in 5, time 60880\n", 1, 17, " arrives at "),
        ("mig #6: 1-00-000 arrives at 5, time 60880\n", 1, 9, "a thread as 1-00-003"),
        ("mig #6: expires at 5, time 60880!\n", 1, 33, "end of the line"),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
        assert!(error.expected.contains(expected), "{text}: {error}");
    }
}

/// A store that fails from some offset on.
#[derive(Default, Debug)]
struct Memory {
    bytes: Vec<u8>,
    stores: usize,
    fails_at: Option<usize>,
}

impl Store for &mut Memory {
    fn store(&mut self, offset: usize, bytes: &[u8]) -> bool {
        assert_eq!(offset, self.bytes.len(), "bytes come in order, and none after a failure");
        assert!(bytes.ends_with(b"\n"), "whole lines");
        self.stores += 1;
        let works = self.fails_at.is_none_or(|at| offset + bytes.len() <= at);
        if works {
            self.bytes.extend(bytes);
        }
        works
    }
}

fn entry() -> impl Strategy<Value = Entry> {
    let processor = || 1..6u8;
    let number = || any::<u32>();
    let threads = || (0..16u8, 0..16u8, 1..64u8).prop_map(|(home, place, id)| thread(home, place, id));
    let request =
        (processor(), processor(), 0..5, threads(), 0..32u16).prop_map(|(from, to, reason, thread, places)| {
            let reason = match reason {
                0 if from != to => Reason::Link(link(from, to)),
                1 => Reason::Compute,
                2 => Reason::New,
                3 => Reason::Created(Processors::from_bits(places << 1).with(Processor::new(to))),
                _ => Reason::Thread(thread),
            };
            Request { reason, from, to }
        });
    let answer = prop_oneof![
        threads().prop_map(|thread| Some(Answer::Moved(thread))),
        Just(Some(Answer::Stands)),
        Just(Some(Answer::Expired)),
        Just(Some(Answer::Refused)),
        Just(None),
    ];
    prop_oneof![
        any::<u64>().prop_map(Entry::Time),
        prop::collection::vec(number(), 10).prop_map(|values| Entry::Links(values.into_iter().collect())),
        prop::collection::vec(number(), 5).prop_map(|values| Entry::Queues(values.into_iter().collect())),
        (number(), request).prop_map(|(number, request)| Entry::Move { number, request }),
        (number(), answer, processor(), any::<u64>()).prop_map(|(number, answer, at, time)| Entry::Answer {
            number,
            answer,
            at,
            time
        }),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(entries in prop::collection::vec(entry(), 0..20)) {
        let text = written(&entries, 5);
        prop_assert_eq!(parse(&text), Ok(entries), "{}", text);
    }

    #[test]
    fn changed_logs_are_survived(at in 0..FIGURE_41.len(), by in any::<char>(), cut in 0..4usize) {
        let mut text: String = FIGURE_41[..at].into();
        text.push(by);
        text.push_str(&FIGURE_41[(at + cut).min(FIGURE_41.len())..]);
        if let Err(error) = parse(&text) {
            prop_assert!(error.line <= text.lines().count());
            prop_assert_ne!(error.expected, "something else", "{}", error);
        }
    }

    /// Whatever the limit, the store gets whole lines up to it, the last of which says so.
    #[test]
    fn a_log_ends_where_its_file_is_full(entries in prop::collection::vec(entry(), 0..300), limit in 2_000..16_000usize,
                                         flushes in prop::collection::vec(any::<bool>(), 300),
                                         fails_at in prop::option::of(0..16_000usize)) {
        let mut memory = Memory { fails_at, ..Memory::default() };
        let mut blocks = Blocks::new(&mut memory, limit);
        for (entry, flush) in entries.iter().zip(flushes) {
            writeln!(blocks, "{}", entry.line(5)).unwrap();
            if flush {
                blocks.flush();
            }
        }
        blocks.flush();
        let (all, text) = (written(&entries, 5), String::from_utf8(memory.bytes).unwrap());
        prop_assert!(text.len() <= limit && memory.stores <= entries.len() + 1);
        match text.strip_suffix(FULL) {
            Some(whole) => prop_assert!(all.starts_with(whole) && text.len() + LINE_BYTES + FULL.len() > limit),
            None if fails_at.is_some() => prop_assert!(all.starts_with(&text)),
            None => prop_assert_eq!(&text, &all),
        }
        prop_assert!(parse(&text).is_ok());
    }

    #[test]
    fn averages_are_rounded(values in prop::collection::vec(any::<u32>(), 1..20)) {
        let sum: f64 = values.iter().map(|&value| f64::from(value)).sum();
        prop_assert!((average(&values) as f64 - sum / values.len() as f64).abs() <= 0.5);
    }
}
