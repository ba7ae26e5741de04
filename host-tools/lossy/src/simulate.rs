//! Supersteps packet by packet: each copy of each packet, and of each acknowledgment, is drawn to be
//! lost or not. On all cores; the same seed gives the same figures on any number of them.

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::algorithms::{Exchange, Plan};
use crate::rounds::failure;
use crate::superstep::{Network, Resend, Superstep};

/// Trials that share a stream of random numbers.
const CHUNK: u64 = 64;
/// Standard errors of a bound. Means of numbers that are normally distributed are off by more than five
/// of them once in a million times; rounds are skewed, and theirs once in some ten thousand.
const DEVIATIONS: f64 = 5.0;
/// What no trial has shown is less likely than this by the number of trials, just as surely.
const UNSEEN: f64 = 10.0;
/// Between the seeds of an algorithm's supersteps.
const SEEDS_APART: u64 = 1 << 32;
/// Packets that are drawn at most, which takes minutes.
pub const PACKETS_MOST: f64 = 1e10;

/// What is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trials {
    pub superstep: Superstep,
    pub network: Network,
    pub resend: Resend,
    pub trials: u64,
    pub seed: u64,
}

/// A mean over trials, and how far the true one is from it at most, by lot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub mean: f64,
    pub bound: f64,
}

impl Estimate {
    /// Adds so many of another one. Bounds are added too, which is more than independent ones need.
    fn add(&mut self, other: Estimate, times: f64) {
        self.mean += times * other.mean;
        self.bound += times * other.bound;
    }

    /// Whether a value is within the bound.
    pub fn holds(&self, value: f64) -> bool {
        (value - self.mean).abs() <= self.bound
    }
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Simulated {
    /// Rounds of a superstep.
    pub rounds: Estimate,
    /// The share of all packets that left that had left before.
    pub resent: Estimate,
    /// Seconds of a superstep.
    pub time: Estimate,
    pub speedup: Estimate,
}

/// More packets would have to be drawn than anyone waits for.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "{packets:.1e} packets would leave on average in {trials} trials, and at most {PACKETS_MOST:.0e} are drawn\n  \
     help: give fewer trials, fewer packets, less loss or more copies"
)]
pub struct TooMuch {
    packets: f64,
    trials: u64,
}

/// Sums over trials: rounds, packets that left, their squares and products.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: f64,
    rounds: f64,
    rounds_squared: f64,
    sent: f64,
    sent_squared: f64,
}

impl Sums {
    fn add(self, (rounds, sent): (u64, u64)) -> Sums {
        let (rounds, sent) = (rounds as f64, sent as f64);
        Sums {
            count: self.count + 1.0,
            rounds: self.rounds + rounds,
            rounds_squared: self.rounds_squared + rounds * rounds,
            sent: self.sent + sent,
            sent_squared: self.sent_squared + sent * sent,
        }
    }

    fn with(self, other: &Sums) -> Sums {
        Sums {
            count: self.count + other.count,
            rounds: self.rounds + other.rounds,
            rounds_squared: self.rounds_squared + other.rounds_squared,
            sent: self.sent + other.sent,
            sent_squared: self.sent_squared + other.sent_squared,
        }
    }
}

impl Trials {
    /// Makes the trials. Packets are whole: c(n) is rounded up.
    ///
    /// # Errors
    /// They would have more than [`PACKETS_MOST`] packets.
    pub fn run(&self) -> Result<Simulated, TooMuch> {
        let packets = self.whole().packets.max(1.0);
        let each = match self.resend {
            Resend::All => packets * self.whole().rounds(self.network.loss, Resend::All),
            Resend::Missing => packets / (1.0 - failure(self.network.loss, self.superstep.copies)),
        };
        let all = each * self.trials as f64;
        // Infinity or no number where nothing ever gets through.
        if all.is_nan() || all > PACKETS_MOST {
            return Err(TooMuch { packets: all, trials: self.trials });
        }
        let chunks: Vec<Sums> =
            (0..self.trials.div_ceil(CHUNK)).into_par_iter().map(|chunk| self.chunk(chunk)).collect();
        // In the chunks' order, since sums of floating-point numbers depend on it.
        Ok(self.simulated(&chunks.iter().fold(Sums::default(), Sums::with)))
    }

    /// The superstep with a whole number of packets.
    pub fn whole(&self) -> Superstep {
        Superstep { packets: self.superstep.packets.ceil(), ..self.superstep }
    }

    fn chunk(&self, chunk: u64) -> Sums {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(chunk);
        let trials = CHUNK.min(self.trials - chunk * CHUNK);
        (0..trials).fold(Sums::default(), |sums, _| sums.add(self.trial(&mut random)))
    }

    /// A superstep: its rounds, and the packets that left in them, without copies.
    fn trial(&self, random: &mut ChaCha8Rng) -> (u64, u64) {
        let (loss, copies) = (self.network.loss, self.superstep.copies);
        let packets = self.whole().packets as u64;
        let (mut missing, mut rounds, mut sent) = (packets, 0, 0);
        loop {
            rounds += 1;
            sent += missing;
            let lost = (0..missing).filter(|_| !is_through(loss, copies, random)).count() as u64;
            missing = match self.resend {
                Resend::All if lost > 0 => packets,
                Resend::All => 0,
                Resend::Missing => lost,
            };
            if missing == 0 {
                return (rounds, sent);
            }
        }
    }

    fn simulated(&self, sums: &Sums) -> Simulated {
        let n = sums.count;
        let superstep = self.whole();
        let round = 2.0 * superstep.tau(&self.network);
        let deviation = |sum: f64, squared: f64| ((squared - sum * sum / n).max(0.0) / (n - 1.0).max(1.0)).sqrt();
        let error = |deviation: f64| DEVIATIONS * deviation / n.sqrt();
        let unseen = UNSEEN / n;
        let rounds =
            Estimate { mean: sums.rounds / n, bound: error(deviation(sums.rounds, sums.rounds_squared)) + unseen };
        let time =
            Estimate { mean: superstep.work / superstep.nodes + rounds.mean * round, bound: rounds.bound * round };
        let (packets, sent) = (superstep.packets, sums.sent / n);
        // The slope of 1 - packets / sent; by a packet that was not seen to leave again.
        let bound = (error(deviation(sums.sent, sums.sent_squared)) + unseen) * packets / (sent * sent).max(1.0);
        let resent = Estimate { mean: if sent == 0.0 { 0.0 } else { 1.0 - packets / sent }, bound };
        let speedup = superstep.work / time.mean;
        // The true time may be as short as its bound says, which is further off than the slope.
        let fastest = superstep.work / (time.mean - time.bound).max(f64::MIN_POSITIVE);
        let speedup = Estimate { mean: speedup, bound: fastest - speedup };
        Simulated { rounds, resent, time, speedup }
    }
}

/// An algorithm's supersteps, drawn packet by packet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SimulatedPlan {
    /// Rounds of a superstep, over all of them.
    pub rounds: Estimate,
    /// Seconds.
    pub communicating: Estimate,
    pub total: Estimate,
}

/// Draws each kind of superstep of an algorithm so many times; all that are alike take the mean's time.
///
/// # Errors
/// As of [`Trials::run`].
pub fn plan(
    plan: &Plan,
    copies: u32,
    network: &Network,
    (pieces, flops): (f64, f64),
    (trials, seed): (u64, u64),
) -> Result<SimulatedPlan, TooMuch> {
    let (mut rounds, mut communicating) = (Estimate { mean: 0.0, bound: 0.0 }, Estimate { mean: 0.0, bound: 0.0 });
    let all = plan.supersteps();
    for (index, Exchange { supersteps, packets }) in plan.exchanges.iter().enumerate() {
        let superstep = Superstep { nodes: plan.nodes, packets: *packets, copies, work: 0.0 };
        // Others of the same seed would be drawn alike.
        let seed = seed.wrapping_add(index as u64 * SEEDS_APART);
        let drawn = Trials { superstep, network: *network, resend: Resend::Missing, trials, seed }.run()?;
        rounds.add(drawn.rounds, supersteps / all);
        communicating.add(drawn.time, supersteps * pieces);
    }
    let computing = plan.each / flops;
    let total = Estimate { mean: computing + communicating.mean, ..communicating };
    Ok(SimulatedPlan { rounds, communicating, total })
}

/// Sends copies of a packet, and if one of them arrives copies of its acknowledgment.
fn is_through(loss: f64, copies: u32, random: &mut ChaCha8Rng) -> bool {
    // What copies behind the first that arrives do makes no difference.
    let mut one_arrives = || (0..copies).any(|_| random.random::<f64>() >= loss);
    one_arrives() && one_arrives()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;
    use crate::pattern::Pattern;

    fn trials(pattern: Pattern, nodes: f64, copies: u32, loss: f64, resend: Resend, trials: u64) -> Trials {
        let superstep = Superstep { nodes, packets: pattern.packets(nodes), copies, work: 100.0 };
        Trials { superstep, network: Network { loss, alpha: 0.01, beta: 0.1 }, resend, trials, seed: 20 }
    }

    /// Whether the formulas are within the bounds of the trials.
    fn agree(one: &Trials) -> bool {
        let simulated = one.run().unwrap();
        let superstep = one.whole();
        let resent = match one.resend {
            Resend::All => 1.0 - 1.0 / superstep.rounds(one.network.loss, Resend::All),
            Resend::Missing => failure(one.network.loss, superstep.copies),
        };
        simulated.rounds.holds(superstep.rounds(one.network.loss, one.resend))
            && simulated.resent.holds(resent)
            && simulated.time.holds(superstep.time(&one.network, one.resend))
            && simulated.speedup.holds(superstep.speedup(&one.network, one.resend))
    }

    #[test]
    fn formulas_are_within_the_bounds_of_what_is_drawn() {
        for pattern in Pattern::ALL {
            for (loss, copies) in [(0.0, 1), (1e-3, 1), (0.05, 1), (0.3, 1), (0.3, 3), (0.9, 2)] {
                let one = trials(pattern, 16.0, copies, loss, Resend::Missing, 2_000);
                assert!(agree(&one), "{one:?} {:?}", one.run());
            }
        }
        for (nodes, copies, loss) in [(4.0, 1, 0.1), (16.0, 2, 0.1), (64.0, 3, 0.15)] {
            let one = trials(Pattern::Linear, nodes, copies, loss, Resend::All, 2_000);
            assert!(agree(&one), "{one:?} {:?}", one.run());
        }
    }

    #[test]
    fn other_seeds_are_within_their_bounds_too() {
        for seed in 1..=500 {
            let one = Trials { seed, ..trials(Pattern::Linear, 16.0, 3, 0.3, Resend::Missing, 2_000) };
            assert!(agree(&one), "{one:?} {:?}", one.run());
        }
    }

    #[test]
    fn bounds_are_narrow_enough_to_tell_a_wrong_formula() {
        let one = trials(Pattern::Linear, 64.0, 2, 0.2, Resend::Missing, 20_000);
        let simulated = one.run().unwrap();
        for wrong in [Superstep { copies: 1, ..one.superstep }, Superstep { packets: 128.0, ..one.superstep }] {
            assert!(!simulated.rounds.holds(wrong.rounds(0.2, Resend::Missing)));
        }
        // The paper's text has p for the fraction that leaves again: without the acknowledgments.
        assert!(!simulated.resent.holds(0.04));
    }

    #[test]
    fn algorithms_cost_what_is_drawn() {
        let network = Network { loss: 0.15, alpha: 0.01, beta: 0.1 };
        for algorithm in Algorithm::ALL {
            let (size, nodes, pieces, flops) = (4096.0, 16.0, 2.0, 1e6);
            let of = algorithm.plan(size, nodes);
            let wanted = of.cost(2, &network, pieces, flops);
            let drawn = plan(&of, 2, &network, (pieces, flops), (2_000, 20)).unwrap();
            assert!(drawn.rounds.holds(wanted.rounds), "{algorithm} {drawn:?} {wanted:?}");
            assert!(drawn.communicating.holds(wanted.communicating), "{algorithm} {drawn:?} {wanted:?}");
            assert!(drawn.total.holds(wanted.total()), "{algorithm} {drawn:?} {wanted:?}");
            let more = of.cost(1, &network, pieces, flops);
            assert!(!drawn.rounds.holds(more.rounds), "{algorithm} {drawn:?}");
        }
    }

    #[test]
    fn any_number_of_cores_gives_the_same() {
        let one = trials(Pattern::Linear, 32.0, 1, 0.2, Resend::Missing, 1_000);
        let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| one.run());
        assert_eq!(on(1), on(3));
        assert_ne!(on(1), Trials { seed: 21, ..one }.run());
    }

    #[test]
    fn what_takes_too_long_is_refused() {
        let error = trials(Pattern::Quadratic, 1e6, 1, 0.1, Resend::Missing, 100).run().unwrap_err();
        assert!(error.to_string().contains("help: give fewer trials"), "{error}");
        assert!(trials(Pattern::Linear, 1e3, 1, 0.9, Resend::All, 100).run().is_err());
        assert!(trials(Pattern::Linear, 2.0, 1, 1.0, Resend::Missing, 1).run().is_err());
    }
}
