//! Proofs of the bus's arbitration, for every input and any length of time (`hdl/formal/bus.sv`).

use super::Bus;
use crate::support::formal::Subject;
use crate::support::verilog::connected_verilog;

fn bus() -> Subject {
    Subject::new(connected_verilog(Bus::new(4)).expect("it is sound")).with(&["bus.sv"])
}

#[test]
fn the_bus_is_fair_and_never_stuck() {
    bus().assert_proven(40);
    // The largest node: only the proof, its traffic takes too many cycles to be looked for.
    let largest = Subject::new(connected_verilog(Bus::new(16)).expect("it is sound")).with(&["bus.sv"]);
    largest.assert_holds();
}

#[test]
fn seeded_bugs_of_the_bus_are_seen() {
    bus().assert_sees(&[
        // The turn: the lowest always goes first, the last one again, the round begins anew too early.
        ("candidates = requests & above$q;", "candidates = requests;"),
        ("above$d = ~upto;", "above$d = ~below;"),
        ("above$d = ~upto;", "above$d = upto;"),
        ("lowest = candidates & minus;", "lowest = candidates;"),
        // Who has not asked is granted.
        ("owner$d = lowest;", "owner$d = lowest << 1;"),
        // A transaction that does not end.
        ("left$d = left$q - 32'h1;", "left$d = left$q;"),
        ("state$d = State$Start;", "state$d = State$Answer;"),
    ]);
}
