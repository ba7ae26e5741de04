//! A client and a server over two paths in simulated time: nothing depends on this computer's speed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::net::SocketAddr;
use std::time::Duration;

use testbed_probe::client::machine::{Client, Step};
use testbed_probe::client::settings::{Failure, Part};
use testbed_probe::server::machine::{Limits, Server};
use testbed_probe::tally::Tally;

use super::key;
use super::path::{Path, Traits};

/// A datagram on its way: when it arrives, the order in which it was sent, whether it goes to the
/// server.
pub type Flight = Reverse<(Duration, u64, bool, Vec<u8>)>;

/// What the network adds: datagrams of strangers.
pub type Noise<'a> = &'a mut dyn FnMut(Duration, &mut Ends);

/// Both ends, and what each address was sent and has sent.
pub struct Ends {
    pub server: Server,
    pub client: Client,
    pub address: SocketAddr,
    /// Bytes to and from the server, by the address of the other side.
    pub bytes: BTreeMap<SocketAddr, (u64, u64)>,
    /// The last datagrams on the way to the server and to the client.
    pub seen: [Vec<Vec<u8>>; 2],
}

impl Ends {
    /// Hands a datagram of any address to the server. No address gets more than it has sent.
    pub fn hand_over(&mut self, now: Duration, from: SocketAddr, datagram: &[u8]) -> Vec<(SocketAddr, Vec<u8>)> {
        let mut answers = Vec::new();
        self.bytes.entry(from).or_default().0 += datagram.len() as u64;
        self.server.receive(now, from, datagram, &mut |to, answer| answers.push((to, answer.to_vec())));
        for (to, answer) in &answers {
            self.bytes.entry(*to).or_default().1 += answer.len() as u64;
            let (sent, got) = self.bytes[to];
            assert!(got <= sent, "{to} was sent {got} bytes and has sent {sent}");
        }
        answers
    }
}

pub fn server(limits: Limits) -> Server {
    Server::new(key(), [7; 32], limits)
}

pub fn address(number: u16) -> SocketAddr {
    ([192, 0, 2, (number >> 8) as u8], 1024 + (number & 0xff)).into()
}

/// The two paths of a network, and their truth.
pub struct Network {
    pub there: Path,
    pub back: Path,
}

impl Network {
    pub fn new(there: Traits, back: Traits, seed: u64) -> Network {
        Network { there: Path::new(there, 2 * seed), back: Path::new(back, 2 * seed + 1) }
    }

    /// Makes a part over this network.
    pub fn measure(&mut self, part: Part) -> Result<Tally, Failure> {
        self.measure_in(part, &mut |_, _| {}).0
    }

    /// The same among noise, which is made ahead of each event; the ends come back too.
    pub fn measure_in(&mut self, part: Part, noise: Noise) -> (Result<Tally, Failure>, Ends) {
        let client = Client::new(key(), part, 0x5eed, Duration::ZERO);
        let (bytes, seen) = (BTreeMap::new(), [Vec::new(), Vec::new()]);
        let mut ends = Ends { server: server(Limits::default()), client, address: address(1), bytes, seen };
        let mut flights: BinaryHeap<Flight> = BinaryHeap::new();
        let (mut now, mut order) = (Duration::ZERO, 0);
        self.there.restart();
        self.back.restart();
        loop {
            noise(now, &mut ends);
            let mut sent = Vec::new();
            let step = ends.client.poll(now, &mut |datagram| {
                sent.push(datagram.to_vec());
                now
            });
            for datagram in sent {
                keep(&mut ends.seen[0], &datagram);
                for arrival in self.there.carry(now, datagram.len()) {
                    order += 1;
                    flights.push(Reverse((arrival, order, true, datagram.clone())));
                }
            }
            let until = match step {
                Step::Wait(until) => until,
                Step::Done(tally) => return (Ok(*tally), ends),
                Step::Failed(failure) => return (Err(failure), ends),
            };
            if flights.peek().is_none_or(|Reverse((arrival, ..))| *arrival > until) {
                now = until;
                continue;
            }
            let Some(Reverse((arrival, _, to_server, datagram))) = flights.pop() else { continue };
            now = arrival;
            if !to_server {
                ends.client.receive(now, &datagram);
                continue;
            }
            let from = ends.address;
            for (to, answer) in ends.hand_over(now, from, &datagram) {
                assert_eq!(to, from, "an answer to somebody else");
                keep(&mut ends.seen[1], &answer);
                for arrival in self.back.carry(now, answer.len()) {
                    order += 1;
                    flights.push(Reverse((arrival, order, false, answer.clone())));
                }
            }
        }
    }
}

/// Keeps the last few datagrams.
fn keep(seen: &mut Vec<Vec<u8>>, datagram: &[u8]) {
    if seen.len() == 32 {
        seen.remove(0);
    }
    seen.push(datagram.to_vec());
}
