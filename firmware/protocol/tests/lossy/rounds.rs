//! How many rounds a superstep takes, against the mean that theory has.

use testbed_lossy::rounds::{failure, rounds as mean_rounds};

use crate::explore::pair;
use crate::model::{is_over, Action};
use crate::random::Run;
use crate::setup::Setup;

/// Runs of each case.
const RUNS: u64 = 4_000;

/// Mean rounds until all of `packets` are acknowledged, as the model has them.
fn expected(loss: f64, copies: u16, packets: u32) -> f64 {
    mean_rounds(failure(loss, copies.into()), packets.into())
}

/// Rounds in which a member's packets leave, in a run without rounds that end early.
fn rounds(setup: &Setup, loss: usize, seed: u64) -> u32 {
    let (mut run, mut rounds) = (Run::new(setup, loss, seed), 1);
    while !is_over(&run.state) {
        let action = run.step(setup).expect("nobody can go on");
        assert_eq!(run.state.wrong, None);
        if let Action::RoundOver(rank) = action {
            let at = run.state.processes[rank].at;
            rounds += run.state.kernels[at.index()].sending.contains(&rank) as u32;
        }
    }
    rounds
}

#[test]
fn supersteps_take_as_many_rounds_as_theory_has() {
    let cases = [
        (100, 1, 1),
        (100, 2, 8),
        (300, 1, 4),
        (300, 3, 8),
        (500, 1, 1),
        (500, 1, 8),
        (500, 2, 3),
        (700, 4, 8),
        (900, 1, 1),
        (900, 4, 2),
    ];
    for (whole, (loss, copies, packets)) in [false, true].into_iter().flat_map(|whole| cases.map(|case| (whole, case)))
    {
        let bytes = vec![vec![vec![0, 2 * packets], vec![0, 0]]];
        let (supersteps, losses, early) = (1, u32::MAX, 0);
        let setup = Setup { supersteps, bytes, room: 64, piece: 2, copies, whole, losses, early, ..pair() };
        let all: Vec<f64> = (0..RUNS).map(|seed| rounds(&setup, loss, seed << 16 | loss as u64).into()).collect();
        let mean = all.iter().sum::<f64>() / RUNS as f64;
        let variance = all.iter().map(|rounds| (rounds - mean).powi(2)).sum::<f64>() / (RUNS - 1) as f64;
        let (error, expected) = ((variance / RUNS as f64).sqrt(), expected(loss as f64 / 1_000.0, copies, packets));
        println!(
            "p = {}, k = {copies}, {packets} packets: {mean:.3} rounds, expected {expected:.3}, {:+.2} standard errors",
            loss as f64 / 1_000.0,
            (mean - expected) / error
        );
        assert!((mean - expected).abs() <= 3.0 * error, "{mean} rounds, expected {expected}, standard error {error}");
    }
}

/// Without losses there is one round.
#[test]
fn one_round_is_enough_without_losses() {
    let bytes = vec![vec![vec![0, 8], vec![8, 0]]];
    let setup = Setup { supersteps: 1, bytes, losses: u32::MAX, early: 0, copies: 2, ..pair() };
    assert_eq!((rounds(&setup, 0, 1), expected(0.0, 2, 8)), (1, 1.0));
}
