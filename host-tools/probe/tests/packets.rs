//! Datagrams: what is written is read, and nothing else is.

use proptest::prelude::*;
use testbed_probe::bits::Bits;
use testbed_probe::body::{Report, Series, ASK_BYTES, PROBES_MAX, TRAINS_MAX};
use testbed_probe::key::{Key, MAC_BYTES};
use testbed_probe::packet::{parse, write, Header, Kind, Refusal, BYTES_MAX, BYTES_MIN, HEADER_BYTES};
use testbed_probe::train::{Gaps, Train};

use crate::support::{key, ms};

fn header() -> impl Strategy<Value = Header> {
    let kind = proptest::sample::select(Kind::ALL.to_vec());
    (kind, any::<u8>(), any::<u64>(), any::<u32>(), any::<u32>(), any::<u64>())
        .prop_map(|(kind, train, session, number, place, stamp)| Header { kind, train, session, number, place, stamp })
}

proptest! {
    #[test]
    fn what_is_written_is_read(header in header(), body in proptest::collection::vec(any::<u8>(), 0..300), length in 0..70_000usize) {
        let mut datagram = vec![1, 2, 3];
        write(&mut datagram, &key(), header, &body, length);
        let least = (HEADER_BYTES + body.len() + MAC_BYTES).max(BYTES_MIN);
        prop_assert_eq!(datagram.len(), length.clamp(least, BYTES_MAX));
        let packet = parse(&key(), &datagram).unwrap();
        prop_assert_eq!(packet.header, header);
        prop_assert!(packet.body.starts_with(&body));
    }

    /// Any bit that changes makes another datagram, which nobody with the token has written.
    #[test]
    fn damage_is_refused(header in header(), length in 64..2_000usize, at in any::<prop::sample::Index>(), bit in 0..8u32) {
        let mut datagram = Vec::new();
        write(&mut datagram, &key(), header, &[], length);
        let at = at.index(datagram.len());
        datagram[at] ^= 1u8 << bit;
        prop_assert!(parse(&key(), &datagram).is_err());
        datagram[at] ^= 1u8 << bit;
        let other = Key::of_token("another token, long enough too").unwrap();
        prop_assert_eq!(parse(&other, &datagram), Err(Refusal::Mac));
        datagram.pop();
        prop_assert_eq!(parse(&key(), &datagram), Err(Refusal::Foreign));
    }

    #[test]
    fn any_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(parse(&key(), &bytes).is_err());
        let _ = Series::parse(&bytes);
    }

    #[test]
    fn reports_and_sets_are_read_as_written(
        arrived in proptest::collection::vec(any::<bool>(), 0..=PROBES_MAX),
        trains in proptest::collection::vec((any::<u32>(), any::<u64>()), 0..=TRAINS_MAX),
        duplicates in any::<u32>(),
        reordered in any::<u32>(),
    ) {
        let mut bits = Bits::new(arrived.len());
        arrived.iter().enumerate().filter(|(_, arrived)| **arrived).for_each(|(number, _)| { bits.insert(number); });
        prop_assert_eq!(bits.iter().collect::<Vec<_>>(), arrived.clone());
        prop_assert_eq!(bits.count(), arrived.iter().filter(|arrived| **arrived).count());
        let text = serde_json::to_string(&bits).unwrap();
        prop_assert_eq!(serde_json::from_str::<Bits>(&text).unwrap(), bits.clone());
        let trains: Vec<Gaps> = trains.into_iter().map(|(count, nanoseconds)| Gaps { count, nanoseconds }).collect();
        let series = Series { bytes: 64, probes: arrived.len() as u16, trains: trains.len() as u8, train_packets: 2 };
        let report = Report { duplicates, reordered, arrived: bits, trains };
        let body = report.write();
        prop_assert!(HEADER_BYTES + body.len() + MAC_BYTES <= ASK_BYTES);
        prop_assert_eq!(Report::parse(&body, &series), Some(report));
        prop_assert_eq!(Report::parse(&body[..body.len() - 1], &series).is_none(), true);
    }
}

#[test]
fn a_series_is_what_a_session_bears() {
    let series = Series { bytes: 1_472, probes: 1_000, trains: 4, train_packets: 16 };
    assert_eq!(Series::parse(&series.write()), Some(series));
    assert_eq!(series.whole(), (1_000 + 64) * 1_472);
    for wrong in [
        Series { bytes: 63, ..series },
        Series { bytes: 65_508, ..series },
        Series { probes: PROBES_MAX as u16 + 1, ..series },
        Series { trains: TRAINS_MAX as u8 + 1, ..series },
        Series { train_packets: 33, ..series },
        Series { train_packets: 1, ..series },
    ] {
        assert_eq!(Series::parse(&wrong.write()), None, "{wrong:?}");
    }
}

#[test]
fn a_token_that_could_be_guessed_is_refused_and_keys_are_not_shown() {
    let error = Key::of_token(" too short\n").unwrap_err();
    assert!(error.to_string().contains("9 characters"), "{error}");
    assert_eq!(format!("{:?}", key()), "Key(..)");
    let (spaced, plain) = (Key::of_token("  0123456789abcdef\n").unwrap(), Key::of_token("0123456789abcdef").unwrap());
    assert_eq!(spaced.mac(&[b"x"]), plain.mac(&[b"x"]));
    assert_ne!(plain.mac(&[b"x"]), key().mac(&[b"x"]));
}

#[test]
fn gaps_are_between_neighbours_that_arrive_in_order() {
    let mut train = Train::default();
    for (place, at) in [(0, 0), (1, 10), (3, 50), (4, 61), (2, 70), (4, 90)] {
        assert_eq!(train.arrive(place, ms(at)), at != 90, "the last one comes twice");
    }
    assert_eq!(train.count(), 5);
    assert_eq!(train.gaps(), Gaps { count: 2, nanoseconds: 21_000_000 });
    assert_eq!(train.gaps().rate(1_000), Some(2.0 * 1_000.0 / 0.021));
    assert!(!train.arrive(40, ms(99)), "no train is so long");
    assert_eq!(Gaps::default().rate(1_000), None);
}
