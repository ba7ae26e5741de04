//! Thresholds and periods, each varied by itself: what the programs take with them.

use serde::{Deserialize, Serialize};

use super::figures::panel;
use super::plan::{balanced, Program};
use super::sizes::Sizes;
use super::variation::{own_period, variations, Variation, PACED, VARIED};
use crate::model::{Axis, Panel, Series, Style, Table};

/// What the programs take with a variation: seconds, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    #[serde(flatten)]
    pub variation: Variation,
    pub seconds: Vec<f64>,
}

/// What has been found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The programs' names.
    pub programs: Vec<String>,
    pub rows: Vec<Row>,
    /// The rows of policies as they are, with their own periods.
    pub own: Vec<usize>,
}

impl Sweep {
    /// Makes the sweep from the seconds of each program with each variation, variation by variation.
    pub fn of(sizes: &Sizes, seconds: impl Fn(&Program, &Variation) -> Option<f64>) -> Sweep {
        let programs = balanced(sizes);
        let rows: Vec<Row> = variations(sizes)
            .into_iter()
            .filter_map(|variation| {
                let seconds =
                    programs.iter().map(|program| seconds(program, &variation)).collect::<Option<Vec<_>>>()?;
                Some(Row { variation, seconds })
            })
            .collect();
        let is_own = |row: &Row| {
            let own = PACED.iter().find(|(policy, _)| *policy == row.variation.policy);
            let own = own.map(|(_, place)| own_period(sizes, *place));
            row.variation.setting.is_none() && own == Some(row.variation.period_us)
        };
        let own = rows.iter().enumerate().filter(|(_, row)| is_own(row)).map(|(place, _)| place).collect();
        Sweep { programs: programs.into_iter().map(|program| program.name.into()).collect(), rows, own }
    }

    /// The row of the same policy as it is.
    fn base(&self, row: &Row) -> Option<&Row> {
        self.own.iter().map(|&place| &self.rows[place]).find(|own| own.variation.policy == row.variation.policy)
    }

    /// A line for each variation.
    pub fn table(&self) -> Table {
        let cells = |row: &Row| {
            let Variation { policy, period_us, setting } = &row.variation;
            let set = setting.as_ref().map_or("-".into(), |(name, value)| format!("{name}={value}"));
            let head = [policy.clone(), format!("{} s", f64::from(*period_us) / 1e6), set];
            let beside = self.base(row).map_or("-".into(), |base| {
                let logarithms = row.seconds.iter().zip(&base.seconds).map(|(one, other)| (one / other).ln());
                let mean = logarithms.sum::<f64>() / row.seconds.len().max(1) as f64;
                format!("{:+.1} %", 100.0 * (mean.exp() - 1.0))
            });
            let seconds = row.seconds.iter().map(|seconds| format!("{seconds:.2}"));
            head.into_iter().chain(seconds).chain([beside]).collect()
        };
        let heads = ["policy", "samples", "set"].into_iter().chain(self.programs.iter().map(String::as_str));
        Table {
            title: "Thresholds and periods".into(),
            explanation: "Seconds of machine time of each program; the last column is the mean (geometric) of what all take beside the same policy as it is, with its own period of samples."
                .into(),
            columns: heads.chain(["beside the policy as it is"]).map(String::from).collect(),
            rows: self.rows.iter().map(cells).collect(),
        }
    }

    /// A panel for the periods of each policy, and one for each setting: times beside the policy as it
    /// is.
    pub fn panels(&self) -> Vec<Panel> {
        let paced = PACED.map(|(policy, _)| (policy, None));
        let varied = VARIED.map(|(policy, _, name, _)| (policy, Some(name)));
        paced.into_iter().chain(varied).filter_map(|(policy, setting)| self.panel(policy, setting)).collect()
    }

    fn panel(&self, policy: &str, setting: Option<&str>) -> Option<Panel> {
        let is_of = |row: &&Row| {
            let own = row.variation.setting.as_ref().map(|(name, _)| name.as_str());
            row.variation.policy == policy && own == setting
        };
        let rows: Vec<&Row> = self.rows.iter().filter(is_of).collect();
        let base = self.base(rows.first()?)?;
        let x = |row: &Row| match &row.variation.setting {
            None => Some(f64::from(row.variation.period_us) / 1e6),
            Some((_, value)) => value.trim_end_matches('s').parse().ok(),
        };
        let series = self.programs.iter().enumerate().map(|(place, name)| Series {
            name: name.clone(),
            style: Style::Line,
            points: rows.iter().filter_map(|row| Some((x(row)?, row.seconds[place] / base.seconds[place]))).collect(),
        });
        let title = setting.map_or(format!("{policy}: period of samples"), |setting| format!("{policy}: {setting}"));
        let mut panel = panel(&title, "time beside the policy as it is", series.collect());
        let label = setting.map_or("period of samples, s", |setting| setting);
        panel.x = Axis { label: label.into(), log: setting.is_none() };
        Some(panel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stand_beside_those_of_the_policy_as_it_is() {
        let sizes = Sizes::FULL;
        let seconds = |_: &Program, variation: &Variation| {
            let times = if variation.setting.is_some() { 2.0 } else { 1.0 };
            Some(times * if variation.policy == "gain" { 4.0 } else { 5.0 } + f64::from(variation.period_us) / 1e9)
        };
        let sweep = Sweep::of(&sizes, seconds);
        assert_eq!(sweep.own.len(), 3);
        let table = sweep.table();
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        let last = |start: [&str; 3]| {
            let row = table.rows.iter().find(|row| row[..3] == start).unwrap();
            row.last().unwrap().clone()
        };
        assert_eq!(last(["report", "1 s", "-"]), "+0.0 %");
        assert_eq!(last(["report", "1 s", "queue-over=2"]), "+100.0 %");
        assert_eq!(last(["gain", "0.2 s", "factor=16"]), "+100.0 %");
        let panels = sweep.panels();
        assert_eq!(panels.len(), 8);
        let queue = panels.iter().find(|panel| panel.title == "report: queue-over").unwrap();
        let xs: Vec<f64> = queue.series[0].points.iter().map(|point| point.0).collect();
        assert_eq!((queue.series.len(), xs), (5, vec![1.0, 2.0, 4.0]));
        assert!(panels.iter().all(|panel| panel.series.iter().all(|series| !series.points.is_empty())));
        // Of a program without a run nothing is said.
        assert!(Sweep::of(&sizes, |program, _| (program.name != "wator").then_some(1.0)).rows.is_empty());
    }
}
