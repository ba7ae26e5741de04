//! What became of each request, as somebody sees it who sees everything. What is wrong is noted.

use testbed_definitions::request::Wanted;
use testbed_protocol::requests::Asker;
use testbed_protocol::Processor;

use crate::setup::Setup;
use crate::state::{Answer, Ledger, Local, Run, State, Wrong};

pub const ALL_WRONG: [(Wrong, &str); 9] = [
    (Wrong::Twice, "a request is answered once"),
    (Wrong::NotArrived, "a thread that has moved has arrived"),
    (Wrong::MovedAfterAll, "no thread moves for a request that is refused"),
    (Wrong::TwoThreads, "a request moves one thread"),
    (Wrong::MayNotLeave, "only threads leave that may"),
    (Wrong::Namesake, "the thread leaves that was named"),
    (Wrong::Early, "a request expires when its time is over"),
    (Wrong::Stranger, "an answer comes to who asked"),
    (Wrong::Misplaced, "a thread starts where the standing request says"),
];

/// Who waits, as a slave sees it: bits. They have the request's number, for the ledger.
pub fn asker(setup: &Setup, state: &State, asker: u8, request: u8) -> Asker {
    assert!(setup.asks.len() <= 0xff);
    Asker { who: (request as u32) << 8 | asker as u32, process: state.balancer }
}

pub fn request_of(asker: Asker) -> u8 {
    (asker.who >> 8) as u8
}

impl State {
    /// Notes what is wrong; only the first counts.
    pub fn wrong(&mut self, wrong: Wrong) {
        self.wrong.get_or_insert(wrong);
    }

    pub fn note_come(&mut self, request: u8, wanted: Wanted, at: Processor, deadline: u64) {
        let named = match wanted {
            Wanted::Thread(number) => self.slave(at).find(number).map(|thread| thread.life),
            _ => None,
        };
        self.ledger[request as usize] = Ledger::Kept { deadline, named, sent: None, arrived: false };
    }

    /// A thread is about to leave for a request.
    pub fn note_send(&mut self, setup: &Setup, request: u8, thread: Local, to: Processor) {
        let ask = setup.ask(request);
        if !matches!(thread.run, Run::Ready | Run::Held) || thread.parent || to != ask.to {
            return self.wrong(Wrong::MayNotLeave);
        }
        match self.ledger[request as usize] {
            Ledger::Kept { sent: Some(_), .. } => self.wrong(Wrong::TwoThreads),
            Ledger::Kept { deadline, named, .. } => {
                let is_named = match ask.wanted {
                    Wanted::Thread(number) => number == thread.number && named == Some(thread.life),
                    _ => true,
                };
                if !is_named {
                    self.wrong(Wrong::Namesake);
                }
                let sent = Some(thread.number);
                self.ledger[request as usize] = Ledger::Kept { deadline, named, sent, arrived: false };
            }
            _ => self.wrong(Wrong::Twice),
        }
    }

    /// A thread that left for a request has ended before its last packet was queued.
    pub fn note_ended(&mut self, request: u8) {
        if let Ledger::Kept { sent, .. } = &mut self.ledger[request as usize] {
            *sent = None;
        }
    }

    /// The last packet of a thread that left for a request has arrived.
    pub fn note_arrived(&mut self, setup: &Setup, request: u8, at: Processor) {
        if let Ledger::Kept { arrived, .. } = &mut self.ledger[request as usize] {
            *arrived = at == setup.ask(request).to;
        }
    }

    /// A thread is created on a slave, and is to start somewhere.
    pub fn note_birth(&mut self, at: Processor, to: Processor) {
        let slave = self.slave(at);
        let is_right = match slave.standing.filter(|_| slave.stands()) {
            Some(standing) => to == standing.first || standing.places.has(to),
            None => to == at,
        };
        if !is_right {
            self.wrong(Wrong::Misplaced);
        }
        self.placed |= to != at;
    }

    /// A slave answers.
    pub fn note_answer(&mut self, request: u8, answer: Answer, now: u64) {
        let ledger = core::mem::replace(&mut self.ledger[request as usize], Ledger::Answered);
        let Ledger::Kept { deadline, sent, arrived, .. } = ledger else { return self.wrong(Wrong::Twice) };
        match answer {
            Answer::Moved(thread) if arrived && sent == Some(thread) => {}
            Answer::Moved(_) => self.wrong(Wrong::NotArrived),
            _ if sent.is_some() => self.wrong(Wrong::MovedAfterAll),
            Answer::Expired if now < deadline => self.wrong(Wrong::Early),
            _ => {}
        }
    }
}
