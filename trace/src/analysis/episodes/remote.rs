//! Communications between processors: *focus* or *advert*, *rtr*, *msg*, and the requests of both threads.

use std::collections::BTreeMap;

use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::{event, mpc};

use super::{flight_stage, stage, Requests, Seen};
use crate::analysis::fact::{Episode, Fact, Flight, Stage};
use crate::analysis::measure::Mark;
use crate::analysis::protocol::{Phase, Protocol};
use crate::conform::service::Service;
use crate::conform::thread::{Happening, Request};

use super::requests::Requested;

/// The token has been served somewhere.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: u8,
    flight: Flight,
    end: Option<Mark>,
}

/// A communication that goes on, from its token on.
#[derive(Clone, Debug)]
struct Talk {
    sent: Mark,
    /// Numbers of the token's TX_MPC where it came from, and of the last one: a token is passed on
    /// to a receiver that has moved.
    first: u64,
    number: u64,
    arrivals: Vec<Arrival>,
    /// The answer: where from, TX_MPC and its number.
    rtr: Option<(u8, Mark, u64)>,
    rtr_flight: Option<Flight>,
    rtr_end: Option<Mark>,
    sender: Option<(u16, Requested)>,
    /// The last fragment.
    msg: Option<(Mark, u64)>,
    msg_flight: Option<Flight>,
    /// Why it can't be told from others.
    muddled: Option<&'static str>,
}

const SHARED: &str = "channel's number used twice at once, by different processes";
const DARK: &str = "over a processor without a whole trace";
const CARRIED: &str = "token carried by its receiver's move";

/// What a processor serves, of a talk.
#[derive(Clone, Copy, Debug)]
enum Serves {
    Token(u8, u8),
    Rtr(u8, u8),
}

/// All communications that go on.
#[derive(Debug)]
pub struct Remotes {
    /// By the sender's processor and channel, until the sender is released.
    asking: BTreeMap<(u8, u8), Talk>,
    /// By both processors and channel, until the receiver is released.
    telling: BTreeMap<(u8, u8, u8), Talk>,
    serves: Vec<Option<Serves>>,
}

impl Remotes {
    pub fn new(processors: usize) -> Self {
        Remotes { asking: BTreeMap::new(), telling: BTreeMap::new(), serves: vec![None; processors] }
    }

    pub fn len(&self) -> usize {
        self.asking.len() + self.telling.len()
    }

    /// Takes an event.
    pub fn step(
        &mut self,
        seen: &Seen,
        requests: &Requests,
        request: &impl Fn(u16) -> Option<Request>,
        facts: &mut Vec<Fact>,
    ) {
        match seen.code {
            Some(event::TX_MPC) => self.sent(seen),
            Some(event::RX_MPC) => self.served(seen),
            Some(event::COMMS) => self.sender_goes(seen, requests, request, facts),
            Some(event::COMMR) => self.receiver_goes(seen, requests, facts),
            _ => {}
        }
        if seen.after == Service::None {
            self.service_ends(seen);
        }
    }

    fn sent(&mut self, seen: &Seen) {
        let (to, kind, channel) = seen.message();
        let me = seen.me();
        match kind {
            mpc::FOCUS | mpc::ADVERT => self.token_sent(seen, channel),
            mpc::RTR => {
                if let Some(talk) = self.asking.get_mut(&(to, channel)) {
                    if talk.rtr.is_some() {
                        talk.muddled = Some(SHARED);
                    }
                    talk.rtr = Some((me, seen.mark, seen.number));
                }
            }
            mpc::MSG => {
                if let Some(talk) = self.told(me, to, channel) {
                    talk.msg = Some((seen.mark, seen.number));
                }
            }
            _ => {}
        }
    }

    /// The talk whose message goes from one processor to another: fragments leave before and after
    /// the sender's release.
    fn told(&mut self, from: u8, to: u8, channel: u8) -> Option<&mut Talk> {
        let asking = self
            .asking
            .get(&(from, channel))
            .is_some_and(|talk| talk.rtr_flight.is_some() && talk.rtr.is_some_and(|(receiver, ..)| receiver == to));
        if asking {
            self.asking.get_mut(&(from, channel))
        } else {
            self.telling.get_mut(&(from, to, channel))
        }
    }

    fn token_sent(&mut self, seen: &Seen, channel: u8) {
        let me = seen.me();
        // One that has come here for a receiver that has moved goes on.
        let here = |talk: &Talk| talk.rtr.is_none() && talk.arrivals.last().is_some_and(|arrival| arrival.at == me);
        let passes =
            self.asking.iter_mut().find(|((from, number), talk)| *number == channel && *from != me && here(talk));
        if let Some((_, talk)) = passes {
            talk.number = seen.number;
            return;
        }
        let talk = Talk {
            sent: seen.mark,
            first: seen.number,
            number: seen.number,
            arrivals: Vec::new(),
            rtr: None,
            rtr_flight: None,
            rtr_end: None,
            sender: None,
            msg: None,
            msg_flight: None,
            // Also what a process that has ended has left behind: no event tells of it.
            muddled: self.asking.contains_key(&(me, channel)).then_some(SHARED),
        };
        self.asking.insert((me, channel), talk);
    }

    fn served(&mut self, seen: &Seen) {
        let (from, kind, channel) = seen.message();
        let me = seen.me();
        let Some(flight) = seen.flight else {
            if kind == mpc::RTR {
                if let Some(talk) = self.asking.get_mut(&(me, channel)) {
                    talk.muddled = Some(DARK);
                }
            }
            return;
        };
        match kind {
            mpc::FOCUS | mpc::ADVERT => {
                let token = self.asking.iter_mut().find(|(_, talk)| talk.number == flight.number);
                if let Some((key, talk)) = token {
                    talk.arrivals.push(Arrival { at: me, flight, end: None });
                    self.serves[me as usize] = Some(Serves::Token(key.0, key.1));
                }
            }
            mpc::RTR => {
                if let Some(talk) = self.asking.get_mut(&(me, channel)) {
                    match talk.rtr {
                        Some((_, _, number)) if number == flight.number => talk.rtr_flight = Some(flight),
                        _ => talk.muddled = Some(SHARED),
                    }
                    self.serves[me as usize] = Some(Serves::Rtr(me, channel));
                }
            }
            mpc::MSG => {
                if let Some(talk) = self.told(from, me, channel) {
                    talk.msg_flight = Some(flight);
                }
            }
            _ => {}
        }
    }

    fn service_ends(&mut self, seen: &Seen) {
        let me = seen.me();
        match self.serves[me as usize].take() {
            Some(Serves::Token(sender, channel)) => {
                let talk = self.asking.get_mut(&(sender, channel));
                let arrival = talk.and_then(|talk| talk.arrivals.iter_mut().rev().find(|arrival| arrival.at == me));
                if let Some(arrival) = arrival {
                    arrival.end.get_or_insert(seen.mark);
                }
            }
            Some(Serves::Rtr(sender, channel)) => {
                if let Some(talk) = self.asking.get_mut(&(sender, channel)) {
                    talk.rtr_end.get_or_insert(seen.mark);
                }
            }
            None => {}
        }
    }

    /// COMMS: the sender's message has been packed, or its request was refused.
    fn sender_goes(
        &mut self,
        seen: &Seen,
        requests: &Requests,
        request: &impl Fn(u16) -> Option<Request>,
        facts: &mut Vec<Fact>,
    ) {
        let me = seen.me();
        let Some(thread) = seen.moved(Happening::Released).map(|step| step.number) else { return };
        let cycle = seen.mark.cycle;
        let mut left_out = |reason| facts.push(Fact::LeftOut { protocol: Protocol::Remote, cycle, reason });
        let channel = match seen.before {
            Service::Message { kind: mpc::REFUSE, channel } => {
                self.asking.remove(&(me, channel));
                return left_out("refused");
            }
            Service::Message { kind: mpc::RTR, channel } => Some(channel),
            _ => self.late_release(me, thread, request),
        };
        let Some(channel) = channel else {
            return left_out("sender released later, its channel not told (class detail tells)");
        };
        let Some(mut talk) = self.asking.remove(&(me, channel)) else {
            return left_out(CARRIED);
        };
        talk.rtr_end.get_or_insert(seen.mark);
        talk.sender = requests.get(thread).map(|requested| (thread, requested));
        let Some((receiver, ..)) = talk.rtr else { return left_out(DARK) };
        if self.telling.insert((me, receiver, channel), talk).is_some() {
            left_out(SHARED);
            if let Some(talk) = self.telling.get_mut(&(me, receiver, channel)) {
                talk.muddled = Some(SHARED);
            }
        }
    }

    /// The channel of a sender whose message was packed after the service of its *rtr*.
    fn late_release(&self, me: u8, thread: u16, request: &impl Fn(u16) -> Option<Request>) -> Option<u8> {
        if let Some(request) = request(thread) {
            return Some(request.channel);
        }
        let mut answered = self.asking.iter().filter(|((from, _), talk)| *from == me && talk.rtr_flight.is_some());
        let only = answered.next()?;
        answered.next().is_none().then_some(only.0 .1)
    }

    /// COMMR: the communication is over.
    fn receiver_goes(&mut self, seen: &Seen, requests: &Requests, facts: &mut Vec<Fact>) {
        let me = seen.me();
        let Service::Message { kind: mpc::MSG, channel } = seen.before else { return };
        let Some(thread) = seen.moved(Happening::Released).map(|step| step.number) else { return };
        let key = self.telling.keys().copied().filter(|(_, to, number)| (*to, *number) == (me, channel));
        // The same process's: its number is in the thread's.
        let receiver = ThreadNumber::from_bits(thread);
        let fits =
            |talk: &Talk| talk.sender.is_some_and(|(sender, _)| receiver.is_beside(ThreadNumber::from_bits(sender)));
        let mut fitting = key.filter(|key| fits(&self.telling[key]));
        let (one, other) = (fitting.next(), fitting.next());
        drop(fitting);
        let result = match (one, other) {
            (Some(key), None) => {
                let talk = self.telling.remove(&key).expect("its key was found");
                episode(&talk, (thread, requests.get(thread)), channel, seen.mark)
            }
            _ => Err("its beginning was lost, or its sender is on a processor without a whole trace"),
        };
        facts.push(match result {
            Ok(episode) => Fact::Episode(episode),
            Err(reason) => Fact::LeftOut { protocol: Protocol::Remote, cycle: seen.mark.cycle, reason },
        });
    }

    /// Events of a processor were lost; returns how many communications can't be followed any more.
    pub fn lose(&mut self, processor: u8) -> usize {
        let before = self.len();
        self.asking.retain(|(from, _), talk| {
            let touches = talk.arrivals.iter().any(|arrival| arrival.at == processor);
            *from != processor && !touches && talk.rtr.is_none_or(|(at, ..)| at != processor)
        });
        self.telling.retain(|(from, to, _), _| *from != processor && *to != processor);
        self.serves[processor as usize] = None;
        before - self.len()
    }
}

/// The episode of a talk whose receiver is released at `end`.
fn episode(talk: &Talk, receiver: (u16, Option<Requested>), channel: u8, end: Mark) -> Result<Episode, &'static str> {
    const ORDER: &str = "its events are not in the order of the protocol";
    if let Some(reason) = talk.muddled {
        return Err(reason);
    }
    let ((sender, send), Some(receive)) = (talk.sender.ok_or(ORDER)?, receiver.1) else { return Err(ORDER) };
    let (trap70, received) = (send.trap70.ok_or(ORDER)?, receive.trap70.ok_or(ORDER)?);
    let (at, rtr_sent, _) = talk.rtr.ok_or(ORDER)?;
    // Where the receiver answered. If that is another place, the token has moved with it.
    let place = talk.arrivals.iter().rposition(|arrival| arrival.at == at);
    let carried = place.is_none();
    let arrival = match (place, talk.arrivals.as_slice()) {
        (Some(place), all) => all[place],
        (None, [only]) => *only,
        _ => return Err(CARRIED),
    };
    let passed_on = arrival.flight.number != talk.first;
    let first = if passed_on {
        talk.arrivals.iter().find(|arrival| arrival.flight.number == talk.first).ok_or(ORDER)?.flight
    } else {
        arrival.flight
    };
    let token_end = arrival.end.ok_or(ORDER)?;
    let rtr = talk.rtr_flight.ok_or(ORDER)?;
    let rtr_end = talk.rtr_end.ok_or(ORDER)?;
    let msg =
        talk.msg_flight.filter(|flight| talk.msg.is_some_and(|(_, number)| number == flight.number)).ok_or(ORDER)?;
    let mut stages = Vec::new();
    let mut beside = Vec::new();
    if receive.trap7.cycle < send.trap7.cycle {
        stages.push(stage(Phase::SenderAwaited, receive.trap7, send.trap7));
    }
    stages.extend([
        stage(Phase::SenderRequest, send.trap7, trap70),
        stage(Phase::FocusQueue, trap70, talk.sent),
        flight_stage(Phase::FocusFlight, &first),
    ]);
    if passed_on {
        stages.push(stage(Phase::FocusPassedOn, first.served, arrival.flight.served));
    }
    stages.extend([stage(Phase::FocusService, arrival.flight.served, token_end)]);
    if !carried && received.cycle <= arrival.flight.served.cycle {
        beside.push(stage(Phase::ReceiverRequest, receive.trap7, received));
        stages.push(stage(Phase::RtrQueue, token_end, rtr_sent));
    } else {
        stages.extend([
            stage(Phase::ReceiverAwaited, token_end, receive.trap7),
            stage(Phase::ReceiverRequest, receive.trap7, received),
            stage(Phase::RtrQueue, received, rtr_sent),
        ]);
    }
    stages.extend([
        flight_stage(Phase::RtrFlight, &rtr),
        stage(Phase::RtrService, rtr.served, rtr_end),
        stage(Phase::MsgQueue, rtr_end, msg.sent),
        flight_stage(Phase::MsgFlight, &msg),
        stage(Phase::MsgService, msg.served, end),
    ]);
    let ordered = |stages: Vec<Option<Stage>>| stages.into_iter().collect::<Option<Vec<_>>>().ok_or(ORDER);
    Ok(Episode {
        protocol: Protocol::Remote,
        channel: Some(channel),
        threads: (sender, receiver.0),
        stages: ordered(stages)?,
        beside: ordered(beside)?,
    })
}
