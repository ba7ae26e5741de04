//! Regions against the sequential ocean, and what lives in it.

extern crate std;

use std::vec;
use std::vec::Vec;

use super::ocean::Ocean;
use super::region::{rows, Edge, Region, BYTES_A_ROW, MESSAGE_BYTES};
use super::*;

/// Hands on what every region says at every edge to the region on the other side.
fn exchange(
    regions: &mut [Region],
    say: impl Fn(&Region, Edge) -> Vec<u8>,
    hear: impl Fn(&mut Region, Edge, &[u8]) -> bool,
) {
    let said: Vec<_> = regions.iter().map(|region| Edge::BOTH.map(|edge| say(region, edge))).collect();
    let count = regions.len();
    for (index, said) in said.iter().enumerate() {
        assert!(hear(&mut regions[(index + count - 1) % count], Edge::Below, &said[Edge::Above as usize]));
        assert!(hear(&mut regions[(index + 1) % count], Edge::Above, &said[Edge::Below as usize]));
    }
}

fn step(regions: &mut [Region], now: Now) {
    for kind in Kind::HALVES {
        exchange(regions, |region, edge| region.border(edge).to_vec(), |region, edge, said| region.see(edge, said));
        regions.iter_mut().for_each(|region| region.choose(now, kind));
        let claims = |region: &Region, edge| {
            let mut message = [0; MESSAGE_BYTES];
            let bytes = region.claims(now, edge, &mut message);
            message[..bytes].to_vec()
        };
        exchange(regions, claims, |region, edge, said| region.hear(edge, said));
        regions.iter_mut().for_each(|region| region.resolve(now, kind));
        let answers = |region: &Region, edge| {
            let mut message = [0; MESSAGE_BYTES];
            let bytes = region.answers(edge, &mut message);
            message[..bytes].to_vec()
        };
        exchange(regions, answers, |region, edge, said| region.obey(edge, said));
        regions.iter_mut().for_each(|region| region.settle(now));
    }
}

/// Every cell of every step, for oceans divided in many ways.
#[test]
fn regions_are_the_ocean() {
    for (seed, parts) in [(1, 1), (2, 2), (3, 3), (4, 7), (5, 20), (6, 33), (7, 40), (1994, 100)] {
        let mut ocean = Ocean::new(seed);
        let mut memory = vec![vec![0; SIDE * BYTES_A_ROW]; parts];
        let mut regions: Vec<_> = memory
            .iter_mut()
            .enumerate()
            .map(|(index, memory)| {
                let (first, rows) = rows(index, parts);
                Region::new(seed, first, rows, memory).unwrap()
            })
            .collect();
        for number in 1..=40 {
            let now = Now { seed, step: number, thought: 3 };
            ocean.step(now);
            step(&mut regions, now);
            let cells = regions.iter().flat_map(|region| region.cells()).map(|&cell| Cell(cell));
            assert!(cells.eq(ocean.cells().iter().copied()), "{parts} regions, seed {seed}, step {number}");
        }
    }
}

/// A year is neither empty nor full, and its halves differ: fish boom and bust.
#[test]
fn both_kinds_live_on_and_vary() {
    for seed in 0..12 {
        let mut ocean = Ocean::new(seed);
        let (mut least, mut most) = (ocean.population(), ocean.population());
        for number in 1..=100 {
            ocean.step(Now { seed, step: number, thought: 3 });
            let (fish, sharks) = ocean.population();
            least = (least.0.min(fish), least.1.min(sharks));
            most = (most.0.max(fish), most.1.max(sharks));
        }
        std::println!("seed {seed}: fish {} to {}, sharks {} to {}", least.0, most.0, least.1, most.1);
        assert!(least.0 > 50 && least.1 > 10, "seed {seed}: {least:?}");
        assert!(most.0 > 2 * least.0 && most.1 > 2 * least.1, "seed {seed}: {least:?} to {most:?}");
    }
}

/// The warm band passes every row once a year.
#[test]
fn seasons_go_round() {
    for row in 0..SIDE {
        let year: Vec<_> = (0..YEAR).map(|step| temperature(row, step)).collect();
        assert!((0..4).all(|wanted| year.contains(&wanted)), "row {row}: {year:?}");
        assert_eq!(temperature(row, 7), temperature(row, 7 + YEAR));
    }
}

/// What an animal thinks about decides: less thought is another ocean.
#[test]
fn thought_is_needed() {
    let after = |thought| {
        let mut ocean = Ocean::new(1);
        ocean.step(Now { seed: 1, step: 1, thought });
        ocean.cells().to_vec()
    };
    assert_ne!(after(64), after(63));
}

#[test]
fn messages_that_make_no_sense_are_refused() {
    let mut memory = vec![0; 5 * BYTES_A_ROW];
    assert!(Region::new(1, 0, 6, &mut memory).is_none());
    let mut region = Region::new(1, 0, 5, &mut memory).unwrap();
    assert!(!region.see(Edge::Above, &[0; SIDE - 1]));
    region.choose(Now { seed: 1, step: 1, thought: 1 }, Kind::Fish);
    for claims in [&[3][..], &[100, 1], &[3, 0], &[4, 1, 4, 1]] {
        assert!(!region.hear(Edge::Below, claims), "{claims:?}");
    }
    assert!(!region.obey(Edge::Above, &[100]));
    let asked = Edge::BOTH.map(|edge| {
        let mut message = [0; MESSAGE_BYTES];
        let bytes = region.claims(Now { seed: 1, step: 1, thought: 1 }, edge, &mut message);
        message[..bytes].iter().step_by(2).copied().collect::<Vec<_>>()
    });
    let not = (0..SIDE as u8).find(|column| !asked[0].contains(column)).unwrap();
    assert!(!region.obey(Edge::Above, &[not]));
}
