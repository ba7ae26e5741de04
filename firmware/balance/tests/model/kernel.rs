//! What the slaves' kernels do for the balancer: statistics, samples, and requests.

use testbed_balance::candidate::{select, Candidate, Choice};
use testbed_balance::request::{Answer, Reason, Request, EXPIRY_INTERRUPTS};
use testbed_definitions::event::MORE;
use testbed_definitions::load::{Part, ONE_READY, PARTNERS, WHOLE, WORD_BYTES};

use super::machine::{Event, Machine};
use super::state::State;

/// Cycles of a move that the kernels of both processors take, which holds up their threads.
const PACK: u64 = 886;
const UNPACK: u64 = 634;
/// Cycles more where a processor has never seen the program.
const STRANGE: u64 = 12_600;
/// What a sample takes of a slave: of itself, and each of its parts.
const SAMPLE: (u64, u64) = (400, 30);

/// A request on its way, or at its slave.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub number: u16,
    pub request: Request,
    pub is_waiting: bool,
}

/// What the kernels count in a period.
pub struct Statistics {
    slaves: Vec<Slave>,
    worked: Vec<u64>,
    /// For each thread: partner, messages, bytes.
    partners: Vec<Vec<(usize, u32, u32)>>,
}

#[derive(Clone, Default)]
struct Slave {
    since: u64,
    /// When it last told of threads.
    told: u64,
    sequence: u8,
    ready: u64,
    ready_cycles: u64,
    ready_until: u64,
    worked: u64,
    sent: Vec<(u32, u32)>,
}

impl Statistics {
    pub fn new(slaves: u8, threads: usize) -> Self {
        let slave = Slave { sent: vec![(0, 0); usize::from(slaves) + 1], ..Slave::default() };
        Statistics {
            slaves: vec![slave; usize::from(slaves) + 1],
            worked: vec![0; threads],
            partners: vec![Vec::new(); threads],
        }
    }

    /// The queue of a processor has grown or shrunk by one.
    pub fn queue(&mut self, at: u8, now: u64, by: i64) {
        let slave = &mut self.slaves[usize::from(at)];
        slave.ready_cycles += slave.ready * (now - slave.ready_until);
        slave.ready_until = now;
        slave.ready = slave.ready.checked_add_signed(by).expect("nobody leaves who is not there");
    }

    pub fn worked(&mut self, at: u8, thread: usize, cycles: u64) {
        self.slaves[usize::from(at)].worked += cycles;
        self.worked[thread] += cycles;
    }

    /// A message between two threads where they are.
    pub fn sent(&mut self, from: (usize, u8), to: (usize, u8), bytes: u32) {
        if from.1 != to.1 {
            let sent = &mut self.slaves[usize::from(from.1)].sent[usize::from(to.1)];
            *sent = (sent.0 + 1, sent.1 + bytes);
        }
        for (one, other) in [(from.0, to.0), (to.0, from.0)] {
            let partners = &mut self.partners[one];
            match partners.iter_mut().find(|partner| partner.0 == other) {
                Some(partner) => *partner = (other, partner.1 + 1, partner.2 + bytes),
                None => partners.push((other, 1, bytes)),
            }
        }
    }
}

fn bytes(count: u32, bytes: u32) -> Option<Part> {
    (bytes != count * WORD_BYTES).then_some(Part::Bytes { bytes })
}

impl Machine<'_> {
    /// A slave sends its sample.
    pub fn sample(&mut self, slave: u8) {
        self.stop_clock(slave);
        self.statistics.queue(slave, self.now, 0);
        let parts = self.parts(slave);
        self.processors[usize::from(slave)].debt += SAMPLE.0 + SAMPLE.1 * parts.len() as u64;
        let now = self.now;
        let balancer = self.balancer.as_mut().expect("samples are for a balancer");
        for (at, part) in parts.into_iter().enumerate() {
            let [code, argument] = part.words();
            balancer.take(slave, now + 4 * at as u64, Part::of(code & !MORE, argument).expect("a part"));
        }
        // At the next multiple of the period, but not at once.
        let period = self.period;
        let next = (now / period + 1) * period + u64::from(slave) * 1_000;
        self.at(if next < now + period / 2 { next + period } else { next }, Event::Sample(slave));
        self.after(5_000, Event::Step);
    }

    fn parts(&mut self, slave: u8) -> Vec<Part> {
        let now = self.now;
        let own = &mut self.statistics.slaves[usize::from(slave)];
        let period = (now - own.since).max(1);
        let share = |cycles: u64| (cycles * u64::from(WHOLE) / period).min(u64::from(WHOLE) - 1) as u16;
        let average = (own.ready_cycles * u64::from(ONE_READY) / period).min(u16::MAX.into()) as u16;
        let sequence = own.sequence;
        let mut parts = vec![
            Part::Begin { sequence, ready: own.ready as u8 },
            Part::Period { cycles: period as u32 },
            Part::Queue { average },
            Part::User { share: share(own.worked) },
        ];
        for (processor, sent) in own.sent.iter_mut().enumerate().filter(|(_, sent)| sent.0 > 0) {
            parts.push(Part::Link { processor: processor as u8, sends: sent.0 });
            parts.extend(bytes(sent.0, sent.1));
            *sent = (0, 0);
        }
        (own.since, own.ready_cycles, own.worked) = (now, 0, 0);
        own.sequence = own.sequence.wrapping_add(1);
        let span = (now - own.told).max(1);
        let tells = span >= u64::from(self.costs.slice) * 9 / 2;
        if tells {
            own.told = now;
        }
        let share = |cycles: u64| (cycles * u64::from(WHOLE) / span).min(u64::from(WHOLE) - 1) as u16;
        for (at, thread) in self.threads.iter().enumerate().filter(|(_, thread)| tells && thread.at == slave) {
            let worked = std::mem::take(&mut self.statistics.worked[at]);
            let mut partners = std::mem::take(&mut self.statistics.partners[at]);
            let is_here = matches!(thread.state, State::Ready | State::Waiting);
            if !is_here || worked == 0 && partners.is_empty() {
                continue;
            }
            parts.push(Part::Thread { thread: thread.number.bits(), movable: true });
            parts.push(Part::Share { share: share(worked) });
            partners.sort_by_key(|partner| std::cmp::Reverse(partner.1));
            for (partner, count, sum) in partners.into_iter().take(PARTNERS) {
                parts.push(Part::Partner { id: self.threads[partner].number.id() as u8, count });
                parts.extend(bytes(count, sum));
            }
        }
        parts.push(Part::End { sequence, parts: parts.len() as u16 });
        parts
    }

    /// A request reaches its slave: it is served, or waits.
    pub fn requested(&mut self, number: u16) {
        let Some(at) = self.asked.iter().position(|asked| asked.number == number) else { return };
        let request = self.asked[at].request;
        if let Reason::Thread(thread) = request.reason {
            let known = self.threads.iter().find(|own| own.number == thread && own.at == request.from);
            if known.is_none_or(|thread| matches!(thread.state, State::Ended | State::Moving)) {
                return self.reply(number, Answer::Refused);
            }
        }
        if request.is_standing() {
            // All threads have been created.
            return self.reply(number, Answer::Stands);
        }
        match self.candidate(&request, None) {
            Some(thread) => self.move_away(number, thread),
            None if request.reason == Reason::New => self.reply(number, Answer::Refused),
            None => {
                self.asked[at].is_waiting = true;
                self.after(u64::from(EXPIRY_INTERRUPTS * self.costs.slice), Event::Expire(number));
            }
        }
    }

    /// A thread has become ready: a request may have waited for it.
    pub fn serve_waiting_requests(&mut self, at: u8, thread: usize) {
        let waiting = self.asked.iter().find(|asked| {
            asked.is_waiting && asked.request.from == at && self.candidate(&asked.request, Some(thread)).is_some()
        });
        if let Some(number) = waiting.map(|asked| asked.number) {
            self.move_away(number, thread);
        }
    }

    /// The thread that serves a request; of all that are there, or only this one.
    fn candidate(&self, request: &Request, only: Option<usize>) -> Option<usize> {
        let here = |at: &usize| self.threads[*at].at == request.from && only.is_none_or(|only| only == *at);
        let candidates: Vec<Candidate> = (0..self.threads.len())
            .filter(here)
            .map(|at| Candidate {
                thread: self.threads[at].number,
                has_children: false,
                is_ready: self.threads[at].state == State::Ready,
                last: self.threads[at].last,
            })
            .collect();
        let chosen = match request.reason {
            Reason::New => {
                let is_new = |at: &usize| self.threads[*at].state == State::Ready && self.threads[*at].is_new();
                let mut new = (0..self.threads.len()).filter(here).filter(is_new);
                new.next().map(|at| self.threads[at].number)
            }
            Reason::Created(_) => None,
            Reason::Compute => select(Choice::Described, candidates.into_iter(), None),
            Reason::Link(link) => select(Choice::Described, candidates.into_iter(), Some(link)),
            Reason::Thread(thread) => {
                candidates.iter().find(|own| own.thread == thread && own.is_ready).map(|own| own.thread)
            }
        }?;
        self.threads.iter().position(|thread| thread.number == chosen)
    }

    /// Takes a ready thread from its processor and sends it off.
    fn move_away(&mut self, number: u16, thread: usize) {
        let at = self.asked.iter().position(|asked| asked.number == number).expect("it was asked");
        let Request { from, to, .. } = self.asked[at].request;
        self.asked[at].is_waiting = false;
        self.stop_clock(from);
        self.statistics.queue(from, self.now, -1);
        let processor = &mut self.processors[usize::from(from)];
        processor.queue.retain(|&queued| queued != thread);
        processor.debt += PACK;
        self.threads[thread].state = State::Moving;
        self.moves.push((self.now, self.threads[thread].number, from, to));
        if self.processors[usize::from(from)].running == Some(thread) {
            self.dispatch(from);
        }
        let destination = &mut self.processors[usize::from(to)];
        let strange = if std::mem::replace(&mut destination.seen, true) { 0 } else { STRANGE };
        let pages = u64::from(self.program.threads[thread].pages * self.costs.page);
        let cycles = u64::from(self.costs.migration) + strange + pages;
        self.after(cycles, Event::Arrived { thread, to, number });
    }

    pub fn arrived(&mut self, thread: usize, to: u8, number: u16) {
        self.threads[thread].at = to;
        self.threads[thread].has_come = true;
        // About two fifths of what a page costs is work of the processor that gets it.
        let pages = u64::from(self.program.threads[thread].pages * self.costs.page) * 2 / 5;
        self.processors[usize::from(to)].debt += UNPACK + pages;
        self.make_ready(thread);
        let moved = self.threads[thread].number;
        self.reply(number, Answer::Moved(moved));
    }

    pub fn expire(&mut self, number: u16) {
        if self.asked.iter().any(|asked| asked.number == number && asked.is_waiting) {
            self.reply(number, Answer::Expired);
        }
    }

    fn reply(&mut self, number: u16, answer: Answer) {
        self.asked.retain(|asked| asked.number != number);
        self.answers.push((number, answer));
        self.after(1_500, Event::Answer(number));
    }

    pub fn answered(&mut self, number: u16) {
        let at = self.answers.iter().position(|answer| answer.0 == number).expect("an answer comes once");
        let (_, answer) = self.answers.remove(at);
        let now = self.now;
        if let Some(balancer) = &mut self.balancer {
            balancer.answer(now, number, answer);
        }
        self.after(100, Event::Step);
    }
}
