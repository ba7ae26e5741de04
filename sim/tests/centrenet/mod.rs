//! The arithmetic model of Centrenet against the RTL, natively and through Verilator: the same
//! random traffic must give the same load results, RAM words and interrupt lines in every cycle.

mod balance;
mod native;
mod software;
mod traffic;
mod verilator;

use traffic::{record, Profile, Recording};

/// Three stations, every profile and a seed each.
const NATIVE: [(Profile, u64, u64); 4] = [
    (Profile::MIXED, 1, 9_000),
    (Profile::SMALL_RINGS, 2, 9_000),
    (Profile::LONG, 3, 12_000),
    (Profile::FAULTS, 4, 6_000),
];

#[test]
fn model_equals_native_rtl() {
    for (profile, seed, cycles) in NATIVE {
        let recording = record(3, profile, seed, cycles);
        recording.must_show(&profile, 1);
        native::replay::<3>(&recording);
    }
}

#[test]
fn model_equals_verilog() {
    let recordings: Vec<Recording> = (0..12)
        .map(|seed| {
            let profile = [Profile::MIXED, Profile::SMALL_RINGS, Profile::LONG, Profile::FAULTS][seed as usize % 4];
            record(3, profile, 100 + seed, 120_000)
        })
        .collect();
    for (recording, profile) in
        recordings.iter().zip([Profile::MIXED, Profile::SMALL_RINGS, Profile::LONG, Profile::FAULTS])
    {
        recording.must_show(&profile, 20);
    }
    verilator::replay::<3>(&recordings);
}

#[test]
fn model_equals_verilog_with_sixteen_stations() {
    let recordings: Vec<Recording> =
        [Profile::MIXED, Profile::SMALL_RINGS].into_iter().map(|profile| record(16, profile, 7, 60_000)).collect();
    verilator::replay::<16>(&recordings);
}
