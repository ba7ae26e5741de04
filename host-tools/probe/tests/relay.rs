//! Real sockets over loopback, with a relay of our own between them that loses and delays. Margins
//! are wide: this computer may be busy.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use testbed_probe::body::Series;
use testbed_probe::client::settings::{Part, Patience};
use testbed_probe::estimate::estimate;
use testbed_probe::key::Key;
use testbed_probe::server::counts::Counts;
use testbed_probe::server::machine::Limits;
use testbed_probe::socket::{measure, serve, PartError};
use testbed_probe::statistics::independence::Verdict;

use crate::support::path::{Loss, Path, Traits};
use crate::support::simulated::Flight;
use crate::support::{key, ms};

fn socket() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").unwrap()
}

/// Serves while something else is done, and returns what that has and what the server has counted.
fn beside_a_server<T>(body: impl FnOnce(SocketAddr) -> T) -> (T, Counts) {
    let (socket, stop) = (socket(), AtomicBool::new(false));
    let address = socket.local_addr().unwrap();
    thread::scope(|scope| {
        let serving = scope.spawn(|| serve(&socket, key(), Limits::default(), None, &stop));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(address)));
        stop.store(true, Ordering::Relaxed);
        let counts = serving.join().unwrap().unwrap();
        (result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), counts)
    })
}

/// Passes on what one client and the server send each other, until told to stop.
fn relay(near: &UdpSocket, server: SocketAddr, paths: &mut [Path; 2], stop: &AtomicBool) {
    let far = socket();
    far.connect(server).unwrap();
    for socket in [near, &far] {
        socket.set_nonblocking(true).unwrap();
    }
    let (start, mut client) = (Instant::now(), None);
    let mut flights: BinaryHeap<Flight> = BinaryHeap::new();
    let (mut order, mut buffer) = (0, vec![0; 65_536]);
    while !stop.load(Ordering::Relaxed) {
        let received = near.recv_from(&mut buffer).map(|(length, from)| {
            client = Some(from);
            (length, true)
        });
        let received = received.or_else(|_| far.recv(&mut buffer).map(|length| (length, false)));
        if let Ok((length, is_there)) = received {
            for arrival in paths[usize::from(!is_there)].carry(start.elapsed(), length) {
                order += 1;
                flights.push(Reverse((arrival, order, is_there, buffer[..length].to_vec())));
            }
            continue;
        }
        match flights.peek() {
            Some(Reverse((arrival, ..))) if *arrival <= start.elapsed() => {
                let Some(Reverse((_, _, is_there, datagram))) = flights.pop() else { continue };
                let _ = match (is_there, client) {
                    (true, _) => far.send(&datagram),
                    (false, Some(client)) => near.send_to(&datagram, client),
                    _ => continue,
                };
            }
            _ => thread::sleep(Duration::from_micros(50)),
        }
    }
}

fn part(probes: u16) -> Part {
    let series = Series { bytes: 256, probes, trains: 2, train_packets: 8 };
    Part { series, interval: ms(1), train_interval: ms(50), patience: Patience::default() }
}

#[test]
fn real_sockets_find_what_the_relay_does() {
    let there = Traits { duplicated: 0.02, ..Traits::new(Loss::Bernoulli(0.1), ms(8)) };
    let back = Traits::new(Loss::Gilbert { enter: 0.03, stay: 0.8 }, ms(12));
    let mut paths = [Path::new(there, 31), Path::new(back, 32)];
    let (tally, counts) = beside_a_server(|server| {
        let (near, stop) = (socket(), AtomicBool::new(false));
        let address = near.local_addr().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| relay(&near, server, &mut paths, &stop));
            let tally = measure(address, &key(), &part(2_000), &|| false);
            stop.store(true, Ordering::Relaxed);
            tally
        })
    });
    let tally = tally.unwrap().unwrap();
    let found = estimate("relay", 256, &[&tally]).unwrap();
    let backward = found.backward.as_ref().unwrap();
    for (direction, path) in [(&found.forward, &paths[0]), (backward, &paths[1])] {
        let truth = path.lost as f64 / path.carried as f64;
        // A busy computer's sockets may lose some more.
        assert!((direction.loss.value - truth).abs() < 0.02, "{direction:?}, truly {truth}");
    }
    assert_eq!(backward.independence.verdict, Verdict::Bursts, "{:?}", backward.independence);
    assert!(found.forward.duplicates > 10, "{:?}", found.forward);
    let times = found.round_trip.unwrap();
    assert!((0.020..0.060).contains(&times.median.value), "{times:?}");
    assert!(times.least >= 0.020, "{times:?}");
    assert_eq!(counts.sessions, 1);
    assert!(counts.sent_bytes <= counts.received_bytes, "{counts:?}");
}

/// Foreign datagrams have no answer, and a session beside them is as ever.
#[test]
fn real_sockets_bear_a_hundred_thousand_foreign_datagrams() {
    const FOREIGN: u32 = 100_000;
    let (tally, counts) = beside_a_server(|server| {
        thread::scope(|scope| {
            let hostile = scope.spawn(move || {
                let (socket, mut random) = (socket(), ChaCha8Rng::seed_from_u64(7));
                socket.set_nonblocking(true).unwrap();
                let started = Instant::now();
                let mut sent = 0u32;
                for number in 0..FOREIGN {
                    let mut bytes = vec![0; (random.next_u32() % 1_500) as usize];
                    random.fill_bytes(&mut bytes);
                    if bytes.len() >= 8 && number % 2 == 0 {
                        let length = bytes.len() as u16;
                        bytes[..8].copy_from_slice(&[b'T', b'B', b'P', 1, 1, 0, (length >> 8) as u8, length as u8]);
                    }
                    sent += u32::from(socket.send_to(&bytes, server).is_ok());
                    if number % 50 == 0 {
                        thread::sleep(ms(1));
                    }
                    assert!(started.elapsed() < Duration::from_secs(120), "{sent} sent in two minutes");
                }
                let answer = socket.recv(&mut [0; 2_000]);
                assert!(answer.is_err(), "strangers were answered: {answer:?}");
                sent
            });
            let tally = measure(server, &key(), &part(1_000), &|| false).unwrap().unwrap();
            assert!(hostile.join().unwrap() > FOREIGN / 2);
            tally
        })
    });
    assert_eq!(tally.wrong(256, 1_000), None);
    assert!(tally.returned.count() > 500, "{} came back", tally.returned.count());
    assert!(counts.foreign > 1_000 && counts.wrong_mac > 1_000, "{counts:?}");
    assert_eq!(counts.sessions, 1);
}

#[test]
fn another_token_and_a_closed_port_are_told_apart() {
    let hasty = Part { patience: Patience { tries: 3, pause: ms(50), ..Patience::default() }, ..part(10) };
    let other = Key::of_token("another token, long enough too").unwrap();
    let (result, counts) = beside_a_server(|server| measure(server, &other, &hasty, &|| false));
    let error = result.unwrap_err();
    assert!(matches!(error, PartError::Failure(_)), "{error}");
    assert_eq!((counts.wrong_mac, counts.sent, counts.sessions), (3, 0, 0));
    let closed = socket().local_addr().unwrap();
    let error = measure(closed, &key(), &hasty, &|| false).unwrap_err();
    assert!(matches!(error, PartError::Refused), "{error}");
}

#[test]
fn a_part_stops_when_it_is_told_to() {
    let (stopped, started) = (AtomicBool::new(false), Instant::now());
    let (result, _) = beside_a_server(|server| {
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(ms(200));
                stopped.store(true, Ordering::Relaxed);
            });
            measure(server, &key(), &part(2_000), &|| stopped.load(Ordering::Relaxed))
        })
    });
    assert!(result.unwrap().is_none());
    assert!(started.elapsed() < Duration::from_secs(20));
}
