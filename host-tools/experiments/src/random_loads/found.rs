//! What the experiment has found, as `random-loads.json` has it.

use serde::{Deserialize, Serialize};

use super::plan::{LOTS, POLICIES};
use super::statistics::{geometric_mean, sign_test, Spread};
use crate::model::Figure;

/// How much longer than the better of sequential and random placement a run may take.
pub const HURTS: f64 = 1.05;
/// How many times as long as with the first policy the others should take, on the mean.
pub const BETTER: f64 = 1.10;
/// Programs that are named as the worst.
const WORST: usize = 5;

/// Everything that the experiment has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    pub engine: String,
    pub reduced: bool,
    /// By seed.
    pub programs: Vec<About>,
    pub settings: Vec<Setting>,
    pub figures: Vec<Figure>,
}

/// What a program is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub seed: u32,
    pub threads: u8,
    pub phases: usize,
    /// How its threads communicate in the first phase.
    pub kind: String,
}

/// All programs on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    pub slaves: u8,
    pub cost: u32,
    pub clock_hz: u32,
    /// By seed, as the programs.
    pub times: Vec<Times>,
    /// Each policy but the first, held against the first.
    pub rivals: Vec<Rival>,
    /// Times with the first policy by [`Times::bar`].
    pub spread: Option<Spread>,
    /// How many of these are above [`HURTS`].
    pub hurt: usize,
    /// Seeds of the programs with the greatest of these, and the ratios.
    pub worst: Vec<(u32, f64)>,
}

/// Times of a program, in seconds of machine time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Times {
    pub seed: u32,
    pub sequential: f64,
    /// The time of each placement by lot.
    pub random: [f64; LOTS as usize],
    /// With each policy, in the order of [`POLICIES`].
    pub policies: [f64; POLICIES.len()],
    /// The commands that make these runs again, in the output folder.
    pub commands: Vec<String>,
}

impl Times {
    /// The better of the sequential time and the mean of those by lot.
    pub fn bar(&self) -> f64 {
        self.sequential.min(self.random_mean())
    }

    /// The mean of the times by lot.
    pub fn random_mean(&self) -> f64 {
        self.random.iter().sum::<f64>() / f64::from(LOTS)
    }
}

/// A policy beside the first one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    pub policy: String,
    /// Its time by that of the first policy: the geometric mean over all programs.
    pub ratio: f64,
    /// Programs for which the first policy takes less time, or more.
    pub wins: u64,
    pub losses: u64,
    /// The probability that as many or more of one kind come by chance.
    pub p: f64,
}

impl Rival {
    fn of(index: usize, times: &[Times]) -> Rival {
        let ratios: Vec<f64> = times.iter().map(|times| times.policies[index] / times.policies[0]).collect();
        let count = |is: fn(f64) -> bool| ratios.iter().filter(|ratio| is(**ratio)).count() as u64;
        let (wins, losses) = (count(|ratio| ratio > 1.0), count(|ratio| ratio < 1.0));
        let policy = POLICIES[index].0.into();
        Rival { policy, ratio: geometric_mean(&ratios), wins, losses, p: sign_test(wins, losses) }
    }
}

impl Setting {
    /// What the times of all programs on a machine say.
    pub fn of(slaves: u8, cost: u32, clock_hz: u32, times: Vec<Times>) -> Setting {
        let ratios: Vec<f64> = times.iter().map(|times| times.policies[0] / times.bar()).collect();
        let mut worst: Vec<(u32, f64)> = times.iter().map(|times| times.seed).zip(ratios.iter().copied()).collect();
        worst.sort_by(|one, other| other.1.total_cmp(&one.1));
        worst.truncate(WORST);
        Setting {
            slaves,
            cost,
            clock_hz,
            rivals: (1..POLICIES.len()).map(|index| Rival::of(index, &times)).collect(),
            spread: Spread::of(&ratios),
            hurt: ratios.iter().filter(|ratio| **ratio > HURTS).count(),
            worst,
            times,
        }
    }

    /// What it is called in tables.
    pub fn title(&self) -> String {
        let dearer = if self.cost == 1 { String::new() } else { format!(" of {} times the cost", self.cost) };
        format!("{} slaves, messages and migrations{dearer}", self.slaves)
    }

    /// Whether no program is hurt, and whether all others take as much longer as is wanted.
    pub fn is_met(&self) -> (bool, bool) {
        (self.hurt == 0, self.rivals.iter().all(|rival| rival.ratio >= BETTER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(seed: u32, sequential: f64, random: f64, gain: f64, others: f64) -> Times {
        let mut policies = [others; POLICIES.len()];
        policies[0] = gain;
        Times { seed, sequential, random: [random - 1.0, random, random + 1.0], policies, commands: Vec::new() }
    }

    #[test]
    fn a_policy_is_held_against_the_better_of_both_and_against_its_rivals() {
        let all = vec![times(1, 8.0, 4.0, 3.0, 6.0), times(2, 5.0, 9.0, 5.5, 11.0), times(3, 8.0, 8.0, 8.0, 8.0)];
        let setting = Setting::of(5, 1, 25_000_000, all);
        assert_eq!(setting.worst, [(2, 1.1), (3, 1.0), (1, 0.75)]);
        assert_eq!(setting.hurt, 1);
        let rival = &setting.rivals[0];
        assert_eq!((rival.policy.as_str(), rival.wins, rival.losses), ("report", 2, 0));
        assert!((rival.p - 0.5).abs() < 1e-9, "{rival:?}");
        assert!((rival.ratio - 4f64.cbrt()).abs() < 1e-12);
        assert_eq!(setting.is_met(), (false, true));
        assert_eq!(Setting::of(5, 1, 1, vec![times(1, 2.0, 2.0, 2.1, 2.2)]).is_met(), (true, false));
    }
}
