//! What each thread does of a plan, what must come of it, and the words that `trial` reads.

use super::plan::{Act, Language, Op, Place, Plan, CELLS};

/// As in `firmware/programs/src/trial/message.rs`.
const WORD_STEP: u32 = 0x9e37_79b1;
const MARK: u32 = 0x4c52_4954;
const RECORD: usize = 3;
const IN_STACK: u32 = 1 << 31;
const PAGE: u32 = testbed_definitions::page::PAGE_BYTES;

/// One thing that a thread does. Places in the arena count from its beginning here.
#[derive(Clone, Debug)]
pub enum Step {
    Send {
        channel: u8,
        key: u32,
        bytes: u32,
        taken: u32,
        place: Place,
    },
    Receive {
        channel: u8,
        key: u32,
        bytes: u32,
        room: u32,
        place: Place,
    },
    /// The keys and lengths of the messages of each channel.
    Alternative {
        timeout: u32,
        room: u32,
        place: Place,
        channels: Vec<(u8, Vec<(u32, u32)>)>,
    },
    /// Writes to the first word until the second is set.
    Scribble {
        word: u32,
        flag: u32,
        yields: bool,
    },
    Release {
        flag: u32,
    },
    Create {
        child: usize,
        processor: u32,
    },
    Wait,
    Local(Act),
}

/// Bytes of a message.
fn content(key: u32, bytes: u32) -> Vec<u8> {
    let words = (0..bytes.div_ceil(4)).flat_map(|index| key.wrapping_add(index.wrapping_mul(WORD_STEP)).to_le_bytes());
    words.take(bytes as usize).collect()
}

fn hash(bytes: &[u8]) -> u32 {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    let all = bytes.chunks(4).fold(0u32, |hash, chunk| hash.rotate_left(5) ^ word(chunk));
    all.wrapping_mul(31).wrapping_add(bytes.len() as u32)
}

/// The exit code of `trial sub SEED`.
pub fn exit_code(seed: u32) -> u32 {
    let sum = (0..6u32).fold(0u32, |sum, number| {
        let key = (seed ^ number << 24).wrapping_mul(0x85eb_ca6b);
        let key = key ^ key >> 13;
        sum.wrapping_mul(31).wrapping_add(key ^ key % 3000)
    });
    sum & 0x7fff
}

/// Of a fight: the first word of the page that is fought for behind the message, and the flag in
/// it.
fn fought(area: u32, bytes: u32) -> (u32, u32) {
    let words = (area + bytes + 1).next_multiple_of(4);
    let end = words.next_multiple_of(PAGE);
    assert!(words + 4 * 32 + 4 <= end, "the last page has room for all writers");
    (words, end - 4)
}

impl Plan {
    /// The parts of all threads.
    pub fn steps(&self) -> Vec<Vec<Step>> {
        let used = self.used();
        let mut steps: Vec<Vec<Step>> = vec![Vec::new(); self.threads.len()];
        for (child, thread) in self.threads.iter().enumerate().skip(1).filter(|(child, _)| used[*child]) {
            steps[thread.parent].push(Step::Create { child, processor: thread.processor });
        }
        self.ops.iter().for_each(|op| self.perform(op, &mut steps));
        for (thread, steps) in steps.iter_mut().enumerate() {
            if self.has_children(thread) {
                steps.push(Step::Wait);
            }
        }
        steps
    }

    fn perform(&self, op: &Op, steps: &mut [Vec<Step>]) {
        // A thread's part of the arena begins somewhere.
        let place = |thread: usize, place| match place {
            Place::Arena(offset) => Place::Arena(self.threads[thread].arena.start + offset),
            other => other,
        };
        match op {
            Op::Message { channel, from, to, key, bytes, room } => {
                let (channel, key, bytes, room, taken) = (*channel, *key, *bytes, *room, *bytes.min(room));
                let source = place(from.thread, from.place);
                steps[from.thread].push(Step::Send { channel, key, bytes, taken, place: source });
                let target = place(to.thread, to.place);
                steps[to.thread].push(Step::Receive { channel, key, bytes, room, place: target });
            }
            Op::Alternative { to, room, timeout, messages } => {
                let mut channels: Vec<(u8, Vec<(u32, u32)>)> = Vec::new();
                for &(channel, from, key, bytes) in messages {
                    let source = place(from.thread, from.place);
                    steps[from.thread].push(Step::Send { channel, key, bytes, taken: bytes.min(*room), place: source });
                    match channels.iter_mut().find(|(known, _)| *known == channel) {
                        Some((_, list)) => list.push((key, bytes)),
                        None => channels.push((channel, vec![(key, bytes)])),
                    }
                }
                let target = place(to.thread, to.place);
                steps[to.thread].push(Step::Alternative { timeout: *timeout, room: *room, place: target, channels });
            }
            Op::Fight { channel, from, to, key, bytes, area, sends, writers, yields } => {
                let (channel, key, bytes, taken) = (*channel, *key, *bytes, *bytes);
                let (word, flag) = fought(*area, bytes);
                for (index, writer) in writers.iter().enumerate() {
                    let word = word + 4 * index as u32;
                    steps[*writer].push(Step::Scribble { word, flag, yields: *yields });
                }
                // Writers are at it when the message comes.
                let source = if *sends { Place::Arena(*area) } else { place(from.thread, from.place) };
                steps[from.thread].push(Step::Local(Act::Delay { microseconds: 3000 }));
                steps[from.thread].push(Step::Send { channel, key, bytes, taken, place: source });
                let target = if *sends { place(to.thread, to.place) } else { Place::Arena(*area) };
                steps[to.thread].push(Step::Receive { channel, key, bytes, room: bytes, place: target });
                steps[to.thread].push(Step::Release { flag });
            }
            Op::Local { thread, act } => steps[*thread].push(Step::Local(act.clone())),
        }
    }

    /// What the program prints when all is right, but for the bytes that tell of progress.
    pub fn expected(&self) -> String {
        let used = self.used();
        let mut cells = [0u32; CELLS];
        let mut text = String::new();
        let received = |key: u32, bytes: u32, room: u32| hash(&content(key, bytes.min(room)));
        for (thread, steps) in self.steps().iter().enumerate() {
            let mut sum = 0u32;
            for step in steps {
                match step {
                    Step::Receive { key, bytes, room, .. } => sum = sum.wrapping_add(received(*key, *bytes, *room)),
                    Step::Alternative { room, channels, .. } => {
                        for (key, bytes) in channels.iter().flat_map(|(_, list)| list) {
                            sum = sum.wrapping_add(received(*key, *bytes, *room));
                        }
                    }
                    Step::Local(Act::Add { cell, amount, times }) => {
                        cells[*cell] = cells[*cell].wrapping_add(amount.wrapping_mul(*times));
                    }
                    _ => {}
                }
            }
            if used[thread] || self.language == Language::Rust {
                text += &format!("thread {thread}: {sum:#010x}\n");
            }
        }
        let cells = cells.iter().fold(0u32, |all, cell| all.wrapping_mul(31).wrapping_add(*cell));
        text + &format!("cells: {cells:#010x}\n")
    }

    /// The script.
    pub fn script(&self) -> Vec<u8> {
        self.script_of(&self.steps())
    }

    /// A script for the plan's threads that has these steps.
    pub fn script_of(&self, steps: &[Vec<Step>]) -> Vec<u8> {
        let mut words = vec![MARK, self.threads.len() as u32];
        words.resize(words.len() + RECORD * self.threads.len(), 0);
        for (index, (thread, steps)) in self.threads.iter().zip(steps).enumerate() {
            let record = [words.len() as u32, thread.top, thread.pages];
            words[2 + RECORD * index..][..RECORD].copy_from_slice(&record);
            steps.iter().for_each(|step| step.encode(&mut words));
            words.push(0);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

fn place_word(place: Place) -> u32 {
    match place {
        Place::Arena(offset) => offset,
        Place::Stack(offset) | Place::Heap(offset) => offset | IN_STACK,
    }
}

impl Step {
    /// Appends the operation and its operands; `firmware/programs/src/trial/steps.rs` has the same
    /// list.
    fn encode(&self, words: &mut Vec<u32>) {
        let fixed: Vec<u32> = match self {
            Step::Send { channel, key, bytes, taken, place } => {
                vec![1, (*channel).into(), *key, *bytes, *taken, place_word(*place)]
            }
            Step::Receive { channel, key, bytes, room, place } => {
                vec![2, (*channel).into(), *key, *bytes, *room, place_word(*place)]
            }
            Step::Alternative { timeout, room, place, channels } => {
                let mut all = vec![3, channels.len() as u32, *timeout, *room, place_word(*place)];
                for (channel, messages) in channels {
                    all.extend([u32::from(*channel), messages.len() as u32]);
                    all.extend(messages.iter().flat_map(|(key, bytes)| [*key, *bytes]));
                }
                all
            }
            Step::Scribble { word, flag, yields } => vec![12, *word, *flag, (*yields).into()],
            Step::Release { flag } => vec![13, *flag],
            Step::Create { child, processor } => vec![14, *child as u32, *processor],
            Step::Wait => vec![15],
            Step::Local(act) => match act {
                Act::Migrate { to } => vec![4, *to],
                Act::Push { other, from, to } => vec![5, *other as u32, *from, *to],
                Act::Delay { microseconds } => vec![6, *microseconds],
                Act::Compute { microseconds } => vec![7, *microseconds],
                Act::Yield { times } => vec![8, *times],
                Act::Deep { pages } => vec![9, *pages],
                Act::File { key, bytes } => vec![10, *key, *bytes],
                Act::Add { cell, amount, times } => vec![11, *cell as u32, *amount, *times],
                Act::Invoke { processor, seed } => vec![16, *processor, *seed, exit_code(*seed)],
                Act::Kill { processor, microseconds } => vec![17, *processor, *microseconds],
                Act::Heap { .. } => vec![8, 1],
            },
        };
        words.extend(fixed);
    }
}
