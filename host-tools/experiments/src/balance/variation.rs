//! Thresholds and periods that are varied, each by itself.

use itertools::Itertools;
use serde::{Deserialize, Serialize};

use super::sizes::Sizes;

/// A policy, a period of samples, and what of the policy is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variation {
    pub policy: String,
    pub period_us: u32,
    /// `None`: all is as it is by itself.
    pub setting: Option<(String, String)>,
}

/// What of a policy is varied, at this place of [`Sizes::periods_us`].
pub const VARIED: [(&str, usize, &str, &[&str]); 5] = [
    ("report", 0, "queue-over", &["1", "2", "4"]),
    ("report", 0, "link-percent", &["0", "25", "100", "200"]),
    ("report", 0, "period", &["2s", "5s"]),
    ("gain", 1, "least", &["0", "20", "80", "160"]),
    ("gain", 1, "factor", &["0", "2", "16"]),
];
/// The policies whose periods are varied, each with the place of its own period.
pub const PACED: [(&str, usize); 3] = [("report", 0), ("acknowledged", 0), ("gain", 1)];

impl Variation {
    /// Its name in names of runs.
    pub fn name(&self) -> String {
        let set = self.setting.as_ref().map_or(String::new(), |(name, value)| format!("-{name}-{value}"));
        format!("{}-{}ms{set}", self.policy, self.period_us / 1_000)
    }

    /// What is set of the policy, as the balancer's argument.
    pub fn argument(&self) -> Option<String> {
        self.setting.as_ref().map(|(name, value)| format!("{name}={value}"))
    }
}

/// The period of a policy whose place is this; the last one where there are not so many.
pub fn own_period(sizes: &Sizes, place: usize) -> u32 {
    sizes.periods_us.get(place).or(sizes.periods_us.last()).copied().unwrap_or_default()
}

/// All of them: the policies as they are with each period, and each setting by itself.
pub fn variations(sizes: &Sizes) -> Vec<Variation> {
    let mut all = Vec::new();
    for (policy, place) in PACED {
        let own = own_period(sizes, place);
        let periods = sizes.sweep_us.iter().copied().chain([own]).sorted_unstable().dedup();
        all.extend(periods.map(|period_us| Variation { policy: policy.into(), period_us, setting: None }));
    }
    for (policy, place, name, values) in VARIED {
        let setting = |value: &&str| Variation {
            policy: policy.into(),
            period_us: own_period(sizes, place),
            setting: Some((name.into(), (*value).into())),
        };
        all.extend(values.iter().take(sizes.values_most).map(setting));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use testbed_balance::settings::Values;

    #[test]
    fn all_variations_make_sense_and_differ() {
        for sizes in [Sizes::FULL, Sizes::REDUCED] {
            let all = variations(&sizes);
            assert_eq!(all.iter().map(Variation::name).collect::<BTreeSet<_>>().len(), all.len());
            for variation in &all {
                let mut values = Values::DEFAULT;
                if let Some(argument) = variation.argument() {
                    values.set(&variation.policy, &argument).unwrap_or_else(|error| panic!("{argument}: {error}"));
                    let sets = |values: &Values| (values.thresholds, values.gain);
                    assert_ne!(sets(&values), sets(&Values::DEFAULT), "{argument} changes nothing");
                }
            }
        }
        let periods: Vec<u32> = variations(&Sizes::FULL)
            .iter()
            .filter(|one| one.policy == "report" && one.setting.is_none())
            .map(|one| one.period_us)
            .collect();
        assert_eq!(periods, [100_000, 200_000, 500_000, 1_000_000, 2_000_000]);
    }
}
