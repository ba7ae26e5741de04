//! The threads of the program `chatter`.

use core::ops::Range;

use libtos::random::Random;
use libtos::{alt, migrate, migrate_self, processor, processors, receive, send_block, thread_id, thread_number};
use libtos::{Error, Place};

pub const WORKERS: u8 = 15;
/// Thread id of the first worker.
pub const FIRST_ID: u8 = 2;
/// Channels from a worker to others; channel `DEGREE * worker + k` is its k-th.
const DEGREE: u8 = 6;
const EDGES: u8 = WORKERS * DEGREE;
/// Channels from thread 1 to the workers, and back.
pub const ORDERS: u8 = EDGES;
pub const REPORTS: u8 = EDGES + WORKERS;

const MAX_MSG: u32 = 5000;
/// What the byte behind a receiver's room must stay.
const GUARD: u8 = 0xa5;
/// Of 100 receives, how many are an ALT; of those, how many have a timeout; messages that start at
/// an odd address, that are short, that the receiver cuts.
const ALT_PERCENT: u32 = 30;
const TIMEOUT_PERCENT: u32 = 50;
const ODD_PERCENT: u32 = 25;
const SHORT_PERCENT: u32 = 30;
const CUT_PERCENT: u32 = 10;

/// Structs of words as they travel.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Default)]
        pub struct $name { $($(#[$doc])* pub $field: u32),* }
        impl $name {
            pub const BYTES: usize = 4 * [$(stringify!($field)),*].len();
            pub fn to_bytes(&self) -> [u8; Self::BYTES] {
                let mut bytes = [0; Self::BYTES];
                let words = [$(self.$field),*];
                bytes.chunks_exact_mut(4).zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
                bytes
            }
            pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
                let mut words = bytes.chunks_exact(4).map(word);
                let mut next = || words.next().unwrap_or(0);
                $name { $($field: next()),* }
            }
        }
    };
}

words! {
    /// What thread 1 tells the workers.
    Order { seed, /** The first round. */ first, /** How many; 0 for the end. */ rounds, /** Migrations of 100 rounds. */ percent }
}
words! {
    /// What a worker has done since its last report.
    Report { messages, kilobytes, alternatives, early, wrong, moves, moved, bytes }
}

impl Report {
    pub fn add(&mut self, other: &Report) {
        self.messages += other.messages;
        self.kilobytes += other.kilobytes;
        self.alternatives += other.alternatives;
        self.early += other.early;
        self.wrong += other.wrong;
        self.moves += other.moves;
        self.moved += other.moved;
    }

    /// A message of so many bytes, whether or not all were taken.
    fn count(&mut self, bytes: u32) {
        self.messages += 1;
        self.bytes += bytes;
        self.kilobytes += self.bytes / 1000;
        self.bytes %= 1000;
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | byte as u32)
}

/// A message, as both sides know it.
struct Message {
    key: u32,
    bytes: u32,
    /// What the receiver takes if it listens to this channel only.
    taken: u32,
}

impl Message {
    fn new(seed: u32, channel: u8, number: u32) -> Self {
        let mut random = Random::new(seed.wrapping_mul(31) ^ (channel as u32) << 24 ^ number);
        let bytes = if random.chance(SHORT_PERCENT) { random.below(9) } else { random.below(MAX_MSG + 1) };
        let taken = if random.chance(CUT_PERCENT) { bytes / 2 } else { bytes };
        Message { key: random.word(), bytes, taken }
    }

    /// The words it is made of.
    fn words(&self) -> impl Iterator<Item = u32> {
        let key = self.key;
        (0u32..).map(move |index| key.wrapping_add(index.wrapping_mul(0x9e37_79b1)))
    }

    fn fill(&self, buffer: &mut [u8]) {
        for (place, word) in buffer.chunks_mut(4).zip(self.words()) {
            let bytes = word.to_le_bytes();
            place.copy_from_slice(&bytes[..place.len()]);
        }
    }

    fn is_in(&self, buffer: &[u8]) -> bool {
        buffer.chunks(4).zip(self.words()).all(|(bytes, word)| bytes == &word.to_le_bytes()[..bytes.len()])
    }
}

/// What a worker has to do in a round.
#[derive(Clone, Copy)]
enum Role {
    Send { edge: usize },
    Receive { edge: usize },
    Idle,
}

pub struct Worker {
    me: u8,
    seed: u32,
    /// How much further round the k-th channel of a worker leads.
    steps: [u8; DEGREE as usize],
    /// Messages until now.
    sent: [u32; DEGREE as usize],
    received: [u32; DEGREE as usize],
    /// Messages that were received before their turn.
    early: [u32; DEGREE as usize],
    random: Random,
    report: Report,
    buffer: [u8; MAX_MSG as usize + 8],
}

impl Worker {
    /// Works until thread 1 says that it is over.
    pub fn run() -> Result<(), Error> {
        let me = thread_id() - FIRST_ID;
        let mut worker = Worker {
            me,
            seed: 0,
            steps: [0; DEGREE as usize],
            sent: [0; DEGREE as usize],
            received: [0; DEGREE as usize],
            early: [0; DEGREE as usize],
            random: Random::new(0),
            report: Report::default(),
            buffer: [0; MAX_MSG as usize + 8],
        };
        loop {
            let mut bytes = [0; Order::BYTES];
            receive(ORDERS + me, &mut bytes)?;
            let order = Order::from_bytes(&bytes);
            worker.begin(&order);
            for round in order.first..order.first + order.rounds {
                worker.maybe_migrate(order.percent)?;
                worker.round(round)?;
            }
            // Between two steps no message is under way.
            worker.report.wrong += worker.early.iter().sum::<u32>();
            send_block(REPORTS + me, &worker.report.to_bytes())?;
            worker.report = Report::default();
            if order.rounds == 0 {
                return Ok(());
            }
        }
    }

    fn begin(&mut self, order: &Order) {
        if self.steps[0] != 0 {
            return;
        }
        self.seed = order.seed;
        self.random = Random::new(order.seed ^ (self.me as u32 + 1) << 16);
        // The same for all workers: different numbers from 1 to WORKERS - 1.
        let mut random = Random::new(order.seed);
        for k in 0..self.steps.len() {
            self.steps[k] = loop {
                let step = 1 + random.below(WORKERS as u32 - 1) as u8;
                if !self.steps.contains(&step) {
                    break step;
                }
            };
        }
    }

    /// From whom the k-th inward channel comes, as the channel's number.
    fn inward(&self, k: usize) -> u8 {
        (self.me + WORKERS - self.steps[k]) % WORKERS * DEGREE + k as u8
    }

    /// A matching: channels in a random order, each taken if both its workers are still free.
    fn role(&self, round: u32) -> Role {
        const STRIDES: [u32; 8] = [7, 11, 13, 17, 19, 23, 29, 31];
        let mut random = Random::new(self.seed ^ round.wrapping_mul(0x9e37_79b1));
        let mut edge = random.below(EDGES as u32);
        let stride = STRIDES[random.below(8) as usize];
        let mut busy = 0u32;
        for _ in 0..EDGES {
            let (from, k) = (edge as u8 / DEGREE, edge as usize % DEGREE as usize);
            let to = from + self.steps[k];
            let to = if to >= WORKERS { to - WORKERS } else { to };
            let both = 1 << from | 1 << to;
            if busy & both == 0 {
                busy |= both;
                if from == self.me {
                    return Role::Send { edge: k };
                }
                if to == self.me {
                    return Role::Receive { edge: k };
                }
            }
            edge += stride;
            if edge >= EDGES as u32 {
                edge -= EDGES as u32;
            }
        }
        Role::Idle
    }

    fn round(&mut self, round: u32) -> Result<(), Error> {
        match self.role(round) {
            Role::Send { edge } => self.send(edge),
            Role::Receive { edge } => self.receive(edge),
            Role::Idle => Ok(()),
        }
    }

    /// Where in the buffer the next message lies.
    fn place(&mut self, bytes: u32) -> Range<usize> {
        let start = if self.random.chance(ODD_PERCENT) { self.random.below(4) as usize } else { 0 };
        start..start + bytes as usize
    }

    fn send(&mut self, k: usize) -> Result<(), Error> {
        let channel = self.me * DEGREE + k as u8;
        let message = Message::new(self.seed, channel, self.sent[k]);
        self.sent[k] += 1;
        let place = self.place(message.bytes);
        message.fill(&mut self.buffer[place.clone()]);
        let taken = send_block(channel, &self.buffer[place.clone()])? as u32;
        self.report.wrong += (taken != message.bytes && taken != message.taken) as u32;
        // Nobody may have written to it.
        self.report.wrong += !message.is_in(&self.buffer[place]) as u32;
        Ok(())
    }

    fn receive(&mut self, k: usize) -> Result<(), Error> {
        if self.early[k] > 0 {
            self.early[k] -= 1;
            return Ok(());
        }
        if self.random.chance(ALT_PERCENT) {
            return self.receive_by_alt(k);
        }
        let message = Message::new(self.seed, self.inward(k), self.received[k]);
        let place = self.place(message.taken);
        self.buffer[place.end] = GUARD;
        let bytes = receive(self.inward(k), &mut self.buffer[place.clone()])?;
        self.check(k, &message, message.taken, place, bytes);
        Ok(())
    }

    /// Listens to all channels until the one whose turn it is has spoken.
    fn receive_by_alt(&mut self, k: usize) -> Result<(), Error> {
        let channels: [u8; DEGREE as usize] = core::array::from_fn(|k| self.inward(k));
        loop {
            let timeout = self.random.chance(TIMEOUT_PERCENT).then(|| self.random.below(2000));
            let place = self.place(MAX_MSG);
            self.buffer[place.end] = GUARD;
            let (who, bytes) = match alt(&channels, &mut self.buffer[place.clone()], timeout) {
                Err(Error::Timeout) => continue,
                other => other?,
            };
            self.report.alternatives += 1;
            let message = Message::new(self.seed, channels[who], self.received[who]);
            self.check(who, &message, message.bytes, place, bytes);
            if who == k {
                return Ok(());
            }
            self.early[who] += 1;
            self.report.early += 1;
        }
    }

    fn check(&mut self, k: usize, message: &Message, expected: u32, place: Range<usize>, bytes: usize) {
        self.received[k] += 1;
        let is_right = bytes == expected as usize
            && message.is_in(&self.buffer[place.start..place.start + bytes])
            && self.buffer[place.end] == GUARD;
        self.report.wrong += !is_right as u32;
        self.report.count(message.bytes);
    }

    /// Moves itself, mostly, or another worker if that happens to be ready on this processor.
    fn maybe_migrate(&mut self, percent: u32) -> Result<(), Error> {
        let slaves = processors().saturating_sub(1);
        if slaves < 2 || !self.random.chance(percent) {
            return Ok(());
        }
        let to = Place::Processor(1 + self.random.below(slaves as u32) as u8);
        if !self.random.chance(80) {
            let other = FIRST_ID + self.random.below(WORKERS as u32) as u8;
            let number = thread_number() & !0x3f | other as u16;
            let from = Place::Processor(1 + self.random.below(slaves as u32) as u8);
            let from = if self.random.chance(50) { Place::Here } else { from };
            // It may be elsewhere, or not ready.
            self.report.moved += migrate(number, from, to).is_ok() as u32;
        } else if to != Place::Processor(processor()) {
            migrate_self(to)?;
            self.report.moves += 1;
        }
        Ok(())
    }
}
