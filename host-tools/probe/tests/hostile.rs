//! Datagrams of strangers and damaged ones of our own: nothing panics, no address gets more than it
//! has sent, nothing is remembered of strangers, and sessions go on.

use std::net::SocketAddr;
use std::time::Duration;

use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use testbed_probe::body::Series;
use testbed_probe::packet::{parse, write, Header, Kind};
use testbed_probe::server::machine::{Limits, Server};

use crate::support::path::{Loss, Traits};
use crate::support::simulated::{address, server, Ends, Network};
use crate::support::{key, ms, part};

/// Datagrams that hostile addresses send.
const HOSTILE: u32 = 1_000_000;

/// A damaged, repeated or invented datagram; half are made of those that were seen on the way.
fn foreign(random: &mut ChaCha8Rng, seen: &[Vec<u8>]) -> Vec<u8> {
    let mut datagram = if seen.is_empty() || random.random_ratio(1, 2) {
        let mut bytes = vec![0; random.random_range(0..200)];
        random.fill_bytes(&mut bytes);
        if bytes.len() >= 8 && random.random_ratio(3, 4) {
            let (kind, length) = (random.random_range(0..14), bytes.len() as u16);
            bytes[..8].copy_from_slice(&[b'T', b'B', b'P', 1, kind, 0, (length >> 8) as u8, length as u8]);
        }
        bytes
    } else {
        seen[random.random_range(0..seen.len())].clone()
    };
    match random.random_range(0..6) {
        0 => datagram.truncate(random.random_range(0..=datagram.len())),
        1 => datagram.extend([0; 40]),
        2..=4 if !datagram.is_empty() => {
            let at = random.random_range(0..datagram.len());
            datagram[at] ^= 1 << random.random_range(0..8);
        }
        _ => {}
    }
    datagram
}

/// The session's own traffic is measured as ever while a million foreign datagrams come, also from
/// the session's own address.
#[test]
fn sessions_go_on_among_a_million_foreign_datagrams() {
    let clean = Traits { jitter: ms(1), ..Traits::new(Loss::Bernoulli(0.0), ms(10)) };
    let undisturbed = Network::new(clean, clean, 21).measure(part(128, 1_000, 2)).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(1994);
    let (mut left, mut answered) = (HOSTILE, 0u32);
    let mut noise = |now: Duration, ends: &mut Ends| {
        // From the time on at which the session is open, so that all meet one.
        let burst = if now < ms(100) { 0 } else { left.min(500) };
        left -= burst;
        for _ in 0..burst {
            let seen = random.random_range(0..2);
            let datagram = foreign(&mut random, &ends.seen[seen]);
            // A copy that overtakes its original would be the network's doing, so those that are
            // whole come from other addresses, and none of the server's comes to the client.
            let is_whole = ends.seen.concat().contains(&datagram);
            let from = address(random.random_range(if is_whole { 2 } else { 1 }..2_000));
            answered += u32::from(!ends.hand_over(now, from, &datagram).is_empty());
            let datagram = foreign(&mut random, &ends.seen[1 - seen]);
            if !ends.seen[1].contains(&datagram) {
                ends.client.receive(now, &datagram);
            }
        }
    };
    let (tally, ends) = Network::new(clean, clean, 21).measure_in(part(128, 1_000, 2), &mut noise);
    let tally = tally.unwrap();
    assert_eq!(left, 0, "all have come");
    // Repeated packets of our own count as such, which nobody can tell from the network's doing.
    assert_eq!((&tally.arrived, &tally.returned), (&undisturbed.arrived, &undisturbed.returned));
    assert_eq!((&tally.round_trips, &tally.trains), (&undisturbed.round_trips, &undisturbed.trains));
    let counts = ends.server.counts();
    assert_eq!(counts.sessions, 1, "{counts:?}");
    assert!(counts.foreign > 100_000 && counts.wrong_mac > 100_000 && counts.no_session > 1_000, "{counts:?}");
    assert!(ends.client.ignored() > 900_000, "{}", ends.client.ignored());
    assert!(ends.bytes.len() > 1_900, "{} addresses", ends.bytes.len());
    for (address, (sent, got)) in &ends.bytes {
        assert!(got <= sent, "{address} has sent {sent} bytes and got {got}");
    }
    // Only greetings that were seen on the way and came again have answers, a few a second.
    assert!(answered < 1_000, "{answered} answers");
}

/// What a server answers to one datagram.
fn answers(server: &mut Server, now: Duration, from: SocketAddr, datagram: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    server.receive(now, from, datagram, &mut |to, answer| {
        assert_eq!(to, from);
        all.push(answer.to_vec());
    });
    assert!(all.iter().map(Vec::len).sum::<usize>() <= datagram.len() || all.len() > 1, "more than was sent");
    all
}

fn datagram(header: Header, body: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, &key(), header, body, length);
    bytes
}

const SERIES: Series = Series { bytes: 100, probes: 8, trains: 1, train_packets: 4 };

/// Greets and returns the datagram that opens a session.
fn opening(server: &mut Server, now: Duration, from: SocketAddr, chosen: u64, series: Series) -> Vec<u8> {
    let challenge = answers(server, now, from, &datagram(Header::new(Kind::Hello, chosen), &[], 0)).remove(0);
    let packet = parse(&key(), &challenge).unwrap();
    assert_eq!(packet.header.kind, Kind::Challenge);
    datagram(Header::new(Kind::Open, chosen), &[&packet.body[..16], &series.write()].concat(), 0)
}

/// Opens a session: its number, or the kind of the other answer.
fn open(server: &mut Server, now: Duration, from: SocketAddr, chosen: u64) -> Result<u64, Kind> {
    let open = opening(server, now, from, chosen, SERIES);
    let answer = answers(server, now, from, &open).remove(0);
    let packet = parse(&key(), &answer).unwrap();
    match packet.header.kind {
        Kind::Opened => Ok(u64::from_be_bytes(packet.body[..8].try_into().unwrap())),
        kind => Err(kind),
    }
}

#[test]
fn a_cookie_is_good_for_one_address_one_session_and_a_while() {
    let mut server = server(Limits::default());
    let (one, other) = (address(1), address(2));
    let opening = opening(&mut server, ms(0), one, 5, SERIES);
    assert!(answers(&mut server, ms(1), other, &opening).is_empty(), "another address");
    assert_eq!((server.sessions(), server.counts().wrong_cookie), (0, 1));
    assert_eq!(answers(&mut server, ms(1), one, &opening), answers(&mut server, ms(2), one, &opening));
    assert_eq!(server.sessions(), 1);
    let packet = answers(&mut server, ms(3), one, &opening).remove(0);
    let session = u64::from_be_bytes(parse(&key(), &packet).unwrap().body[..8].try_into().unwrap());
    let close = datagram(Header::new(Kind::Close, session), &[], 0);
    assert!(answers(&mut server, ms(4), other, &close).is_empty());
    assert_eq!(server.sessions(), 1, "others can't close it");
    answers(&mut server, ms(5), one, &close);
    assert_eq!(server.sessions(), 0);
    assert!(answers(&mut server, ms(6), one, &opening).is_empty(), "a session that is over is not opened again");
    for seconds in [17, 26, 100] {
        assert!(answers(&mut server, Duration::from_secs(seconds), one, &opening).is_empty(), "{seconds} s");
    }
    assert_eq!(server.sessions(), 0);
}

#[test]
fn nothing_is_answered_twice_nor_to_others() {
    let mut server = server(Limits::default());
    let (one, other) = (address(1), address(2));
    let session = open(&mut server, ms(0), one, 5).unwrap();
    let of = |kind, number, place| Header { number, place, ..Header::new(kind, session) };
    let probe = datagram(of(Kind::Probe, 3, 0), &[], 100);
    assert!(answers(&mut server, ms(1), other, &probe).is_empty(), "another address");
    let echo = answers(&mut server, ms(1), one, &probe).remove(0);
    assert!(answers(&mut server, ms(1), one, &probe).is_empty(), "it has come before");
    assert!(answers(&mut server, ms(1), one, &echo).is_empty(), "an echo is no probe");
    let ask = datagram(of(Kind::Ask, 1, 0), &[], 640);
    assert_eq!(answers(&mut server, ms(2), one, &ask).len(), 1);
    assert!(answers(&mut server, ms(2), one, &ask).is_empty(), "a question that was answered");
    for wrong in [
        datagram(of(Kind::Probe, 8, 0), &[], 100),
        datagram(of(Kind::Probe, 4, 0), &[], 101),
        datagram(of(Kind::Train, 1, 0), &[], 100),
        datagram(of(Kind::Train, 0, 4), &[], 100),
        datagram(of(Kind::Train, 0, 0), &[], 99),
        datagram(of(Kind::Ask, 2, 0), &[], 639),
        datagram(of(Kind::Report, 2, 0), &[], 640),
    ] {
        assert!(answers(&mut server, ms(3), one, &wrong).is_empty());
    }
    // Of a train whose second packet is lost, three go back when the last one has come, and only once.
    let train = |place| datagram(of(Kind::Train, 0, place), &[], 100);
    for (place, expected) in [(0, 0), (2, 0), (2, 0), (3, 3), (3, 0), (1, 0)] {
        assert_eq!(answers(&mut server, ms(4), one, &train(place)).len(), expected, "{place}");
    }
}

#[test]
fn a_server_remembers_no_more_than_its_limits() {
    let limits = Limits { sessions: 3, cookies: 10, spent: 5, ..Limits::default() };
    let mut server = server(limits);
    let second = Duration::from_secs(1);
    for number in 0..3 {
        open(&mut server, ms(0), address(number), 5).unwrap();
    }
    assert_eq!(open(&mut server, ms(0), address(4), 5), Err(Kind::Busy));
    assert_eq!(server.sessions(), 3);
    // Those in which nothing comes make room.
    for number in 0..2 {
        open(&mut server, 16 * second, address(10 + number), 5).unwrap();
    }
    // Cookies of five sessions could still be good.
    assert_eq!(open(&mut server, 17 * second, address(20), 5), Err(Kind::Busy));
    open(&mut server, 30 * second, address(20), 5).unwrap();
    let hello = datagram(Header::new(Kind::Hello, 1), &[], 0);
    let answered = (0..1_000).filter(|_| !answers(&mut server, 60 * second, address(30), &hello).is_empty()).count();
    assert_eq!(answered, 10, "cookies a second");
    let large = Series { bytes: 65_507, probes: 2_048, trains: 16, train_packets: 32 };
    let open = opening(&mut server, 70 * second, address(31), 5, large);
    assert_eq!(answers(&mut server, 70 * second, address(31), &open).len(), 1);
    let small = Limits { session_bytes: 1_199, ..limits };
    let mut server = Server::new(key(), [7; 32], small);
    assert!(server_refuses(&mut server), "8 probes and 4 packets of a train are 1,200 bytes");
}

fn server_refuses(server: &mut Server) -> bool {
    let open = opening(server, ms(0), address(1), 5, SERIES);
    answers(server, ms(0), address(1), &open).is_empty()
}

#[test]
fn a_session_ends_by_its_limits() {
    let limits = Limits { session: Duration::from_secs(60), ..Limits::default() };
    let mut server = server(limits);
    let session = open(&mut server, ms(0), address(1), 5).unwrap();
    let probe = |number| datagram(Header { number, ..Header::new(Kind::Probe, session) }, &[], 100);
    for (number, second) in [(0, 10), (1, 20), (2, 30), (3, 44), (4, 58)] {
        assert_eq!(answers(&mut server, Duration::from_secs(second), address(1), &probe(number)).len(), 1, "{second}");
    }
    assert!(answers(&mut server, Duration::from_secs(61), address(1), &probe(5)).is_empty());
    assert_eq!((server.sessions(), server.counts().over_limits), (0, 1));
}
