//! From the monitor's words to samples.

use proptest::prelude::*;
use testbed_balance::assess::Assessor;
use testbed_balance::reader::{Read, Reader};
use testbed_balance::summary::Summary;
use testbed_definitions::event::{self, MORE, SCHEDULE};
use testbed_definitions::load::{Part, MOVABLE};
use testbed_definitions::monitor::{MmiWord, GAP_MARKER, WRAP_MARKER};

const SLAVES: u8 = 3;

/// The words of a pair.
fn pair(slave: u8, time: u16, datum: u16) -> [u32; 2] {
    [time, datum].map(|value| MmiWord { smi: slave, value }.pack())
}

/// A sample's data, in which every number follows from the sequence number.
fn sample(slave: u8, sequence: u8) -> Vec<u16> {
    let thread = |id: u16| Part::Thread { thread: u16::from(slave) << 10 | 1 << 6 | id, movable: true };
    let parts = [
        Part::Begin { sequence, ready: sequence },
        Part::Period { cycles: 1000 + u32::from(sequence) },
        Part::Queue { average: u16::from(sequence) },
        Part::User { share: 100 * u16::from(sequence) },
        Part::Link { processor: 1 + slave % SLAVES, sends: sequence.into() },
        thread(1),
        Part::Share { share: 7 * u16::from(sequence) },
        Part::Partner { id: 2, count: sequence.into() },
        thread(2),
        Part::Share { share: 9 * u16::from(sequence) },
        Part::End { sequence: sequence & 0x3f, parts: 10 },
    ];
    parts.iter().flat_map(|part| part.words()).collect()
}

/// What a summary knows of a slave is one whole sample.
fn is_one_sample(summary: &Summary, slave: u8) -> Result<(), TestCaseError> {
    let load = summary.slave(slave);
    if load.sampled.is_none() {
        return Ok(());
    }
    let sequence = load.sequence;
    prop_assert_eq!(load.ready, sequence);
    prop_assert_eq!(load.period, 1000 + u32::from(sequence));
    prop_assert_eq!((load.average, load.user), (sequence.into(), 100 * u16::from(sequence)));
    prop_assert_eq!(load.sent[usize::from(1 + slave % SLAVES)].sends, u32::from(sequence));
    for thread in summary.threads_on(slave) {
        let factor = [0, 7, 9][thread.thread.id()];
        prop_assert_eq!(thread.share, factor * u16::from(sequence));
        let partners: Vec<_> = thread.partners.iter().map(|partner| partner.traffic.sends).collect();
        prop_assert_eq!(partners, if thread.thread.id() == 1 { vec![sequence.into()] } else { vec![] });
    }
    Ok(())
}

struct Reading {
    reader: Reader,
    assessor: Assessor,
    /// Samples that were taken over.
    taken: u32,
    time: u64,
}

impl Reading {
    fn new() -> Self {
        Reading { reader: Reader::new(), assessor: Assessor::new(SLAVES), taken: 0, time: 0 }
    }

    fn word(&mut self, word: u32) {
        self.time += 1;
        match self.reader.take(word) {
            Read::Part(slave, part) => self.taken += u32::from(self.assessor.take(slave, self.time, part)),
            Read::Lost(slave) => self.assessor.lost(slave),
            Read::Nothing => {}
        }
    }

    fn data(&mut self, slave: u8, data: &[u16]) {
        data.iter().flat_map(|&datum| pair(slave, 77, datum)).for_each(|word| self.word(word));
    }
}

#[test]
fn events_of_other_classes_and_markers_are_passed_over() {
    let mut reading = Reading::new();
    let marker = |high: u8, low: u8| u16::from(high) << 8 | u16::from(low);
    for datum in sample(2, 9) {
        // Between any two words; an event and its argument are not torn, but wraps come anywhere.
        reading.data(2, &[marker(WRAP_MARKER, 3)]);
        // Other slaves.
        reading.data(1, &[SCHEDULE | 5, event::TIMER, SCHEDULE | MORE | 1]);
        reading.data(2, &[datum]);
    }
    assert_eq!(reading.taken, 1);
    // Whole events of other classes between those of the sample.
    for part in sample(2, 10).chunks(2) {
        reading.data(2, &[event::TIMER, SCHEDULE | 3, event::USER | MORE, event::LOAD_USER | MORE]);
        reading.data(2, part);
    }
    assert_eq!(reading.taken, 2);
    assert_eq!(reading.assessor.summary().slave(2).sequence, 10);
    // A gap between two samples takes none with it: its count is no code, nor is an argument behind it
    // whose code was lost, if it is as large as a thread's number.
    reading.data(2, &[marker(GAP_MARKER, 0), event::LOAD_USER | MORE, MOVABLE | 1 << 10]);
    reading.data(2, &sample(2, 11));
    assert_eq!(reading.taken, 3);
    // A gap takes the sample with it, wherever it is.
    let words = sample(2, 0).len();
    for at in 1..words {
        let sequence = |more: u8| 10 * at as u8 + more;
        let before = reading.taken;
        let data = sample(2, sequence(0));
        reading.data(2, &data[..at]);
        reading.data(2, &[marker(GAP_MARKER, 0), event::LOAD_USER | MORE]);
        reading.data(2, &data[at..]);
        assert_eq!(reading.taken, before, "at {at}");
        // Behind it an argument may be taken for a code, at most once.
        reading.data(2, &sample(2, sequence(1)));
        reading.data(2, &sample(2, sequence(2)));
        assert!(reading.taken > before, "at {at}");
        assert_eq!(reading.assessor.summary().slave(2).sequence, sequence(2));
    }
}

#[test]
fn the_queue_tells_only_how_many_it_has_missed() {
    let mut reader = Reader::new();
    assert!(!reader.missed(0));
    assert!(reader.missed(4) && !reader.missed(4) && reader.missed(5));
}

proptest! {
    /// Pairs are missed anywhere, unnoticed or noticed too late: whatever is taken over is a sample as
    /// it was sent, and once nothing is missed any more, every sample is.
    #[test]
    fn no_sample_is_made_of_two(missed in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
                                slaves in prop::collection::vec(1..=SLAVES, 400),
                                tells in any::<bool>()) {
        let mut left: Vec<Vec<u16>> =
            (0..=SLAVES).map(|slave| (0..16).flat_map(|sequence| sample(slave, sequence)).rev().collect()).collect();
        let holes: Vec<_> = missed.iter().map(|at| at.index(slaves.len())).collect();
        let mut reading = Reading::new();
        for (at, &slave) in slaves.iter().enumerate() {
            let datum = left[usize::from(slave)].pop().unwrap_or(event::TIMER);
            if !holes.contains(&at) {
                reading.data(slave, &[datum]);
                for slave in 1..=SLAVES {
                    is_one_sample(reading.assessor.summary(), slave)?;
                }
            } else if tells && reading.reader.missed(at as u32 + 1) {
                (1..=SLAVES).for_each(|slave| reading.assessor.lost(slave));
            }
        }
        for slave in 1..=SLAVES {
            // The rest of what it was sending, and one that may still be damaged.
            let rest: Vec<_> = left[usize::from(slave)].drain(..).rev().collect();
            reading.data(slave, &rest);
            reading.data(slave, &sample(slave, 100));
            let before = reading.taken;
            for sequence in 101..110 {
                reading.data(slave, &sample(slave, sequence));
            }
            prop_assert_eq!(reading.taken, before + 9);
            is_one_sample(reading.assessor.summary(), slave)?;
        }
    }

    #[test]
    fn any_words_are_survived(words in prop::collection::vec(any::<u32>(), 0..400)) {
        let mut reading = Reading::new();
        words.into_iter().for_each(|word| reading.word(word));
        prop_assert!(reading.taken <= reading.time as u32);
    }
}
