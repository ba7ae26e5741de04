//! What a server does with each datagram.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use super::cookie::{Baker, EPOCH};
use super::counts::{Counts, Ignored};
use super::session::{Budget, Session};
use crate::body::{Series, ASK_BYTES};
use crate::key::Key;
use crate::packet::{self, Header, Kind, Packet, Refusal};

/// What a server bears.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Sessions at a time.
    pub sessions: usize,
    /// How long a session lasts at most.
    pub session: Duration,
    /// How long a session lasts in which nothing comes.
    pub idle: Duration,
    /// Bytes of a session's series.
    pub session_bytes: u64,
    /// Cookies a second.
    pub cookies: u32,
    /// Sessions that are over and whose cookies could still be good.
    pub spent: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            sessions: 64,
            session: Duration::from_secs(600),
            idle: Duration::from_secs(15),
            session_bytes: 256 << 20,
            cookies: 100,
            spent: 1_024,
        }
    }
}

/// Where answers go.
pub type Send<'a> = &'a mut dyn FnMut(SocketAddr, &[u8]);

/// A server.
#[derive(Debug)]
pub struct Server {
    key: Key,
    baker: Baker,
    limits: Limits,
    sessions: BTreeMap<u64, Session>,
    /// Sessions that were opened, and until when their cookies could be good.
    spent: BTreeMap<u64, Duration>,
    /// Cookies that may be made now, and when that was counted.
    cookies: (f64, Duration),
    counts: Counts,
    buffer: Vec<u8>,
}

impl Server {
    /// A server with the token's key and a secret that is new with each start.
    pub fn new(key: Key, secret: [u8; 32], limits: Limits) -> Server {
        Server {
            key,
            baker: Baker::new(secret),
            limits,
            sessions: BTreeMap::new(),
            spent: BTreeMap::new(),
            cookies: (f64::from(limits.cookies), Duration::ZERO),
            counts: Counts::default(),
            buffer: Vec::new(),
        }
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Sessions that are open.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Takes a datagram that came from an address, and sends what belongs to it.
    pub fn receive(&mut self, now: Duration, from: SocketAddr, datagram: &[u8], send: Send) {
        self.counts.received += 1;
        self.counts.received_bytes += datagram.len() as u64;
        if let Err(why) = self.take(now, from, datagram, send) {
            self.counts.ignore(why);
        }
    }

    fn take(&mut self, now: Duration, from: SocketAddr, datagram: &[u8], send: Send) -> Result<(), Ignored> {
        let key = self.key.clone();
        let Packet { header, body } = packet::parse(&key, datagram).map_err(|refusal| match refusal {
            Refusal::Foreign => Ignored::Foreign,
            Refusal::Mac => Ignored::Mac,
        })?;
        let length = datagram.len();
        match header.kind {
            Kind::Hello => self.hello(now, from, header, length, send),
            Kind::Open => self.open(now, from, (header, body), length, send),
            Kind::Probe => self.probe(now, from, header, length, send),
            Kind::Train => self.train(now, from, header, length, send),
            Kind::Ask => self.ask(now, from, header, length, send),
            Kind::Close => self.close(now, from, header),
            _ => Err(Ignored::Form),
        }
    }

    /// Sends an answer for which the budget has the bytes.
    fn answer(
        &mut self,
        to: SocketAddr,
        budget: &mut Budget,
        (header, body): (Header, &[u8]),
        length: usize,
        send: Send,
    ) -> Result<(), Ignored> {
        packet::write(&mut self.buffer, &self.key, header, body, length);
        if !budget.spend(self.buffer.len()) {
            return Err(Ignored::Limit);
        }
        self.counts.sent += 1;
        self.counts.sent_bytes += self.buffer.len() as u64;
        send(to, &self.buffer);
        Ok(())
    }

    fn hello(
        &mut self,
        now: Duration,
        from: SocketAddr,
        header: Header,
        length: usize,
        send: Send,
    ) -> Result<(), Ignored> {
        let most = f64::from(self.limits.cookies);
        let (left, counted) = self.cookies;
        let left = (left + now.saturating_sub(counted).as_secs_f64() * most).min(most);
        self.cookies = (left, now);
        if left < 1.0 {
            return Err(Ignored::Limit);
        }
        self.cookies.0 -= 1.0;
        let cookie = self.baker.cookie(from, header.session, now);
        let answer = Header { stamp: header.stamp, ..Header::new(Kind::Challenge, header.session) };
        self.answer(from, &mut Budget::of(length), (answer, &cookie), 0, send)
    }

    fn open(
        &mut self,
        now: Duration,
        from: SocketAddr,
        (header, body): (Header, &[u8]),
        length: usize,
        send: Send,
    ) -> Result<(), Ignored> {
        let (cookie, rest) = body.split_first_chunk().ok_or(Ignored::Form)?;
        if !self.baker.is_good(cookie, from, header.session, now) {
            return Err(Ignored::Cookie);
        }
        let series = Series::parse(rest).ok_or(Ignored::Form)?;
        if series.whole() > self.limits.session_bytes {
            return Err(Ignored::Limit);
        }
        self.forget(now);
        let id = self.baker.session(from, header.session);
        let mut kind = Kind::Opened;
        if let Some(session) = self.sessions.get(&id) {
            // The answer may have been lost. What was said first holds.
            if session.series != series {
                return Err(Ignored::Form);
            }
        } else if self.spent.contains_key(&id) {
            return Err(Ignored::Repeated);
        } else if self.sessions.len() >= self.limits.sessions || self.spent.len() >= self.limits.spent {
            kind = Kind::Busy;
        } else {
            self.sessions.insert(id, Session::new(from, series, now));
            self.spent.insert(id, now + 3 * EPOCH);
            self.counts.sessions += 1;
        }
        let answer = (Header::new(kind, header.session), &id.to_be_bytes()[..]);
        self.answer(from, &mut Budget::of(length), answer, 0, send)
    }

    /// Drops sessions that are over, and what is known of cookies that no longer are good.
    fn forget(&mut self, now: Duration) {
        let Limits { session: most, idle, .. } = self.limits;
        self.sessions.retain(|_, session| !is_over(session, now, most, idle));
        self.spent.retain(|_, until| *until > now);
    }

    /// Takes a session out, to which something has come from its address.
    fn session(&mut self, now: Duration, from: SocketAddr, id: u64) -> Result<Session, Ignored> {
        let Limits { session: most, idle, .. } = self.limits;
        let session = self.sessions.get(&id).ok_or(Ignored::Session)?;
        if session.address != from {
            return Err(Ignored::Session);
        }
        let is_over = is_over(session, now, most, idle);
        let mut session = self.sessions.remove(&id).filter(|_| !is_over).ok_or(Ignored::Limit)?;
        session.last = now;
        Ok(session)
    }

    fn probe(
        &mut self,
        now: Duration,
        from: SocketAddr,
        header: Header,
        length: usize,
        send: Send,
    ) -> Result<(), Ignored> {
        let mut session = self.session(now, from, header.session)?;
        let done = self.echo(&mut session, header, length, send);
        self.sessions.insert(header.session, session);
        done
    }

    fn echo(&mut self, session: &mut Session, header: Header, length: usize, send: Send) -> Result<(), Ignored> {
        if length != usize::from(session.series.bytes) {
            return Err(Ignored::Form);
        }
        let place = session.probe(header.number).ok_or(Ignored::Repeated)?;
        session.budget.receive(length);
        let answer = Header { place, kind: Kind::Echo, train: 0, ..header };
        self.answer(session.address, &mut session.budget, (answer, &[]), length, send)
    }

    fn train(
        &mut self,
        now: Duration,
        from: SocketAddr,
        header: Header,
        length: usize,
        send: Send,
    ) -> Result<(), Ignored> {
        let mut session = self.session(now, from, header.session)?;
        let done = self.train_back(&mut session, now, header, length, send);
        self.sessions.insert(header.session, session);
        done
    }

    /// When a train's last packet is here, as many go back as have come.
    fn train_back(
        &mut self,
        session: &mut Session,
        now: Duration,
        header: Header,
        length: usize,
        send: Send,
    ) -> Result<(), Ignored> {
        if length != usize::from(session.series.bytes) {
            return Err(Ignored::Form);
        }
        let packets = session.train(header.number, header.place, now).ok_or(Ignored::Repeated)?;
        session.budget.receive(length);
        for place in 0..packets {
            let answer = Header { place, kind: Kind::TrainBack, train: packets as u8, ..header };
            self.answer(session.address, &mut session.budget, (answer, &[]), length, send)?;
        }
        Ok(())
    }

    fn ask(
        &mut self,
        now: Duration,
        from: SocketAddr,
        header: Header,
        length: usize,
        send: Send,
    ) -> Result<(), Ignored> {
        let mut session = self.session(now, from, header.session)?;
        let done = match (length == ASK_BYTES, length == ASK_BYTES && session.asks(header.number)) {
            (false, _) => Err(Ignored::Form),
            (true, false) => Err(Ignored::Repeated),
            (true, true) => {
                let report = session.report().write();
                let answer = (Header { kind: Kind::Report, ..header }, &report[..]);
                self.answer(from, &mut Budget::of(length), answer, ASK_BYTES, send)
            }
        };
        self.sessions.insert(header.session, session);
        done
    }

    fn close(&mut self, now: Duration, from: SocketAddr, header: Header) -> Result<(), Ignored> {
        self.session(now, from, header.session).map(drop)
    }
}

fn is_over(session: &Session, now: Duration, most: Duration, idle: Duration) -> bool {
    now.saturating_sub(session.opened) > most || now.saturating_sub(session.last) > idle
}
