//! The model's formulas against the same in floating point of 300 bits, for n up to 2^30 and losses from
//! 1e-9 to 0.9: to 1e-9 of the value, or of its logarithm where an `f64` does not hold it.

use dashu_float::round::mode::HalfEven;
use dashu_float::FBig;
use testbed_lossy::algorithms::Algorithm;
use testbed_lossy::conceptual::{best_nodes, ln_speedup, ln_success, Best};
use testbed_lossy::pattern::Pattern;
use testbed_lossy::rounds::{failure, rounds, variance};
use testbed_lossy::superstep::{Network, Resend, Superstep};

type Big = FBig<HalfEven>;

const BITS: usize = 300;
const LOSSES: [f64; 6] = [1e-9, 0.0005, 0.045, 0.15, 0.5, 0.9];
const COPIES: [u32; 3] = [1, 2, 7];
const NODES: [f64; 5] = [1.0, 2.0, 1000.0, 131072.0, 1073741824.0];

fn big(value: f64) -> Big {
    Big::try_from(value).unwrap().with_precision(BITS).value()
}

fn power(value: &Big, exponent: u32) -> Big {
    value.powi(exponent.into())
}

/// `1 - (1 - p^k)^2`, in so many words.
fn exact_failure(loss: f64, copies: u32) -> Big {
    let arrives = big(1.0) - power(&big(loss), copies);
    big(1.0) - power(&arrives, 2)
}

/// The paper's sum over i of i times the probability that it is i, of which less than 1e-40 is left out.
/// Without packets that is 1: the first round is over at once.
fn exact_rounds(failure: &Big, packets: f64) -> Big {
    let done = |power: &Big| ((big(1.0) - power).ln() * big(packets)).exp();
    let (mut sum, mut before, mut left, mut i) = (big(0.0), big(0.0), failure.clone(), 1u32);
    loop {
        let now = done(&left);
        sum += (&now - &before) * big(f64::from(i));
        let missing = big(1.0) - &now;
        if (missing * big(1e6)).to_f64().value() < 1e-34 {
            return sum;
        }
        before = now;
        left *= failure;
        i += 1;
    }
}

#[track_caller]
fn close(found: f64, wanted: &Big, what: &str) {
    let wanted = wanted.to_f64().value();
    assert!((found - wanted).abs() <= 1e-9 * wanted.abs(), "{what}: {found}, and exactly {wanted}");
}

/// All losses and numbers of copies.
fn settings() -> impl Iterator<Item = (f64, u32)> {
    LOSSES.into_iter().flat_map(|loss| COPIES.map(|copies| (loss, copies)))
}

#[test]
fn the_fraction_that_leaves_again() {
    for (loss, copies) in settings() {
        close(failure(loss, copies), &exact_failure(loss, copies), &format!("{loss} {copies}"));
    }
}

#[test]
fn rounds_of_up_to_a_billion_nodes_each_to_each() {
    // Each term is a logarithm and a power of 300 bits: not all n with all losses.
    for (loss, copies) in settings().filter(|(loss, copies)| *loss < 0.9 || *copies > 1) {
        let failure = exact_failure(loss, copies);
        for packets in [1.0, 17.0, 131072.0, 2f64.powi(30), 2f64.powi(60)] {
            let found = rounds(failure.to_f64().value(), packets);
            close(found, &exact_rounds(&failure, packets), &format!("{loss} {copies} {packets}"));
        }
    }
    let failure = exact_failure(0.9, 1);
    close(rounds(failure.to_f64().value(), 1e6), &exact_rounds(&failure, 1e6), "a loss of 90 %");
}

#[test]
fn the_variance_of_rounds() {
    for (loss, copies) in settings().filter(|(loss, _)| (1e-6..0.7).contains(loss)) {
        let failure = exact_failure(loss, copies);
        for packets in [1.0, 131072.0] {
            let (mut mean, mut square, mut before, mut left) = (big(0.0), big(0.0), big(0.0), failure.clone());
            for i in 1..400 {
                let now = ((big(1.0) - &left).ln() * big(packets)).exp();
                let likely = &now - &before;
                mean += &likely * big(f64::from(i));
                square += likely * big(f64::from(i * i));
                before = now;
                left *= &failure;
            }
            let wanted = (square - power(&mean, 2)).to_f64().value();
            let found = variance(failure.to_f64().value(), packets);
            // A difference of numbers near 1, where it is small.
            assert!((found - wanted).abs() <= 1e-9 * wanted + 1e-14, "{loss} {copies} {packets}: {found} {wanted}");
        }
    }
}

#[test]
fn the_conceptual_approach() {
    for (loss, copies) in settings() {
        let ln_arrives = (big(1.0) - power(&big(loss), copies)).ln();
        for nodes in NODES {
            for pattern in Pattern::ALL {
                let what = format!("{pattern}: {nodes} {loss} {copies}");
                let packets = pattern.packets(nodes);
                let ln = big(2.0) * big(packets) * &ln_arrives;
                close(ln_success(loss, copies, packets), &ln, &what);
                if ln.to_f64().value().abs() < 700.0 {
                    let speedup = big(nodes) * ln.exp();
                    close(ln_speedup(pattern, nodes, loss, copies).exp(), &speedup, &what);
                }
            }
        }
    }
}

/// n c'(n) of e^ln nodes, of which there may be more than any number holds.
fn exact_steepness(pattern: Pattern, ln: f64) -> Big {
    let ln2 = big(2.0).ln();
    let nodes = || big(ln).exp();
    match pattern {
        Pattern::Constant => big(0.0),
        Pattern::Log => big(1.0) / ln2,
        Pattern::LogSquared => big(2.0) * big(ln) / power(&ln2, 2),
        Pattern::Linear => nodes(),
        Pattern::LinearLog => nodes() * (big(ln) + big(1.0)) / ln2,
        Pattern::Quadratic => big(2.0) * power(&nodes(), 2),
    }
}

#[test]
fn the_best_numbers_of_nodes_solve_their_equation() {
    for (loss, copies) in settings() {
        let a = big(-2.0) * (big(1.0) - power(&big(loss), copies)).ln();
        for pattern in [Pattern::LogSquared, Pattern::Linear, Pattern::LinearLog, Pattern::Quadratic] {
            let Best::At { ln_nodes } = best_nodes(pattern, loss, copies) else { panic!("{pattern} has a best n") };
            if ln_nodes == 0.0 {
                assert!((&a * exact_steepness(pattern, 0.0)).to_f64().value() >= 1.0, "{pattern} {loss}");
                continue;
            }
            close(1.0, &(&a * exact_steepness(pattern, ln_nodes)), &format!("{pattern}: {loss} {copies}"));
        }
    }
}

#[test]
fn the_speed_up_of_a_superstep() {
    let (alpha, beta, work) = (0.0037, 0.069, 36_000.0);
    for (loss, copies) in settings().filter(|(loss, _)| *loss < 0.9) {
        for nodes in [2.0, 1000.0, 1073741824.0] {
            for pattern in Pattern::ALL {
                let one = Superstep { nodes, packets: pattern.packets(nodes), copies, work };
                let network = Network { loss, alpha, beta };
                let tau = big(f64::from(copies)) * big(one.packets) / big(nodes) * big(alpha) + big(beta);
                let speedup = |rounds: &Big| big(work) / (big(work) / big(nodes) + big(2.0) * rounds * &tau);
                let what = format!("{pattern}: {nodes} {loss} {copies}");
                let missing = exact_rounds(&exact_failure(loss, copies), one.packets);
                close(one.speedup(&network, Resend::Missing), &speedup(&missing), &what);
                let ln_all = big(-2.0) * big(one.packets) * (big(1.0) - power(&big(loss), copies)).ln();
                if ln_all.to_f64().value() < 690.0 {
                    close(one.speedup(&network, Resend::All), &speedup(&ln_all.exp()), &what);
                } else {
                    let ln = big(work).ln() - ln_all - (big(2.0) * &tau).ln();
                    close(one.ln_speedup(&network, Resend::All), &ln, &what);
                }
            }
        }
    }
}

#[test]
fn the_speed_up_of_an_algorithm() {
    let network = Network { loss: 0.045, alpha: 0.0037, beta: 0.069 };
    let (size, nodes, flops) = (32768.0, 65536.0, 0.5e9);
    let cost = Algorithm::Matrix.plan(size, nodes).cost(7, &network, 1.0, flops);
    let alone = (big(2.0) * power(&big(size), 3) - power(&big(size), 2)) / big(flops);
    let rounds = exact_rounds(&exact_failure(0.045, 7), 2.0 * (2f64.powi(24) - nodes));
    let tau = big(2.0) * big(255.0) * big(7.0) * big(network.alpha) + big(network.beta);
    let total = &alone / big(nodes) + big(2.0) * rounds * tau;
    close(cost.speedup(), &(alone / total), "matrix");
}
