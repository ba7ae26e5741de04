//! What a network brings to `testbed probe`, and the file from which it goes on.

use std::net::SocketAddr;
use std::time::Duration;

use testbed_probe::body::{Report, Series};
use testbed_probe::key::Key;
use testbed_probe::packet::{parse, write, Header, Kind, BYTES_MAX, BYTES_MIN};
use testbed_probe::plan::{PartName, Plan};
use testbed_probe::record::{read, Content, Record, RECORD};
use testbed_probe::server::machine::{Limits, Server};
use testbed_probe::tally::Tally;

use super::target::{hold, scratch, Target};

/// The series of the sessions that are tried.
const SERIES: Series = Series { bytes: 100, probes: 20, trains: 1, train_packets: 4 };

fn key() -> Key {
    Key::secret([9; 32])
}

/// A server's clock when everything arrives.
const NOW: Duration = Duration::from_secs(1);

fn from() -> SocketAddr {
    ([192, 0, 2, 1], 1_024).into()
}

/// A server in which a session of [`SERIES`] is open, and its number.
fn opened() -> (Server, u64) {
    let (mut server, mut last) = (Server::new(key(), [7; 32], Limits::default()), Vec::new());
    let mut datagram = Vec::new();
    write(&mut datagram, &key(), Header::new(Kind::Hello, 5), &[], 0);
    server.receive(NOW, from(), &datagram, &mut |_, answer| last = answer.to_vec());
    let cookie = parse(&key(), &last).map(|packet| packet.body[..16].to_vec()).unwrap_or_default();
    write(&mut datagram, &key(), Header::new(Kind::Open, 5), &[cookie, SERIES.write().to_vec()].concat(), 0);
    server.receive(NOW, from(), &datagram, &mut |_, answer| last = answer.to_vec());
    let session = parse(&key(), &last).ok().and_then(|packet| packet.body.first_chunk().copied());
    (server, session.map_or(0, u64::from_be_bytes))
}

/// Datagrams: whether they are sealed in the first byte, then one with its header.
pub const DATAGRAM: Target = Target {
    name: "datagram",
    what: "datagrams of `probe` and `probe serve`",
    words: &["TBP\u{1}"],
    seeds: || {
        let session = opened().1;
        let of = |kind: Kind, body: &[u8], length: usize, number: u32| {
            let mut datagram = Vec::new();
            write(&mut datagram, &key(), Header { number, ..Header::new(kind, session) }, body, length);
            [&[number as u8], &datagram[..]].concat()
        };
        let report = Report {
            duplicates: 1,
            reordered: 2,
            arrived: testbed_probe::bits::Bits::new(SERIES.probes.into()),
            trains: vec![Default::default(); SERIES.trains.into()],
        };
        vec![
            of(Kind::Hello, &[], 0, 1),
            of(Kind::Open, &[&[3; 16], &SERIES.write()[..]].concat(), 0, 1),
            of(Kind::Probe, &[], SERIES.bytes.into(), 7),
            of(Kind::Train, &[], SERIES.bytes.into(), 0),
            of(Kind::Ask, &[], 640, 1),
            of(Kind::Report, &report.write(), 640, 1),
            of(Kind::Close, &[], 0, 1),
        ]
    },
    check: |input| {
        let (flags, bytes) = input.split_first().map_or((0, &[][..]), |(flags, bytes)| (*flags, bytes));
        let sealed = if flags & 1 == 1 { sealed(bytes) } else { bytes.to_vec() };
        if let Ok(packet) = parse(&key(), &sealed) {
            let mut again = Vec::new();
            let length = sealed.len();
            hold((BYTES_MIN..=BYTES_MAX).contains(&length), || format!("{length} bytes were taken"))?;
            write(&mut again, &key(), packet.header, packet.body, length);
            hold(again == sealed, || "it is another one when it is written again".into())?;
            let _ = (Series::parse(packet.body), Report::parse(packet.body, &SERIES));
        }
        let (mut server, _) = opened();
        for _ in 0..2 {
            let mut sent = 0;
            server.receive(NOW, from(), &sealed, &mut |_, answer| sent += answer.len());
            hold(sent <= sealed.len(), || format!("{sent} bytes answer {}", sealed.len()))?;
        }
        hold(server.sessions() <= 1, || "a session was opened without a cookie".into())
    },
};

/// The same datagram with the length and the authentication code that belong to it: damage by who
/// knows the token.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.truncate(BYTES_MAX);
    let Some(end) = bytes.len().checked_sub(16).filter(|end| *end >= 8) else { return bytes };
    let length = (bytes.len() as u16).to_be_bytes();
    bytes[6..8].copy_from_slice(&length);
    let mac = key().mac(&[&bytes[..end]]);
    bytes[end..].copy_from_slice(&mac);
    bytes
}

/// `probe.jsonl`.
pub const PROBE: Target = Target {
    name: "probe",
    what: "records of `probe`",
    words: &["\"host\":", "\"packet_bytes\":", "\"arrived\":\"", "\"round_trips\":[", "4294967295", "65535"],
    seeds: || {
        let Ok(plan) = Plan::new(vec!["one:1".into(), "two:2".into()], &[64, 1_472], 20, 1 << 20) else {
            return Vec::new();
        };
        let folder = scratch();
        let Ok(mut record) = Record::open(folder.path(), &plan, false) else { return Vec::new() };
        for part in plan.parts() {
            let tally = tally(&part);
            if record.add(part, tally).is_err() {
                return Vec::new();
            }
        }
        std::fs::read(folder.path().join(RECORD)).into_iter().collect()
    },
    check: |input| match read(input) {
        Ok(Some(Content { plan, done })) => {
            let found = testbed_probe::estimate::estimates(&plan.hosts, &done);
            hold(found.iter().all(|one| one.forward.lost <= one.forward.sent), || "more lost than sent".into())?;
            let shown = testbed_probe::text::table(&found) + &testbed_probe::text::csv(&found);
            hold(!shown.chars().any(|c| c.is_control() && c != '\n'), || format!("control characters: {shown:?}"))
        }
        Ok(None) => Ok(()),
        Err((line, what)) => {
            let lines = input.split(|byte| *byte == b'\n').count();
            hold((1..=lines).contains(&line), || format!("line {line} of {lines}"))?;
            hold(what.len() < 1_024 && !what.chars().any(char::is_control), || format!("{what:?}"))
        }
    },
};

/// A tally of a part, of which every third packet has come back.
fn tally(part: &PartName) -> Tally {
    let (mut arrived, mut returned) = (testbed_probe::bits::Bits::new(20), testbed_probe::bits::Bits::new(20));
    for number in 0..20 {
        if number % 3 < 2 {
            arrived.insert(number);
        }
        if number % 3 == 0 {
            returned.insert(number);
        }
    }
    let round_trips = vec![1_000_000; returned.count()];
    let packet_bytes = part.packet_bytes.into();
    let (forward, backward) = Default::default();
    Tally { packet_bytes, arrived, returned, round_trips, forward, backward, trains: vec![Default::default()] }
}
