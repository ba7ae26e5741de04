//! Table 9 with the policies as its columns, and how each policy did over all programs.

use itertools::Itertools;
use testbed_balance::policies::NAMES;

use super::placement::moving::Bound;
use super::{logs, table9};
use crate::model::Table;

/// The runs of a policy on a program, by its name in logs' names.
fn runs<'a>(rows: &'a [logs::Row], program: &'a str, policy: &'a str) -> impl Iterator<Item = (u32, f64)> + 'a {
    rows.iter().filter(move |row| row.program == program).filter_map(move |row| {
        let (own, period_us) = row.run.as_ref()?;
        (own == policy).then_some((*period_us, row.times?.seconds))
    })
}

/// The period and the seconds with which a policy was fastest.
fn fastest(rows: &[logs::Row], program: &str, policy: &str) -> Option<(u32, f64)> {
    runs(rows, program, policy).min_by(|one, other| one.1.total_cmp(&other.1))
}

/// Table 9: a line for each program, a column for each policy with the period at which it is fastest.
pub fn table(programs: &[table9::Row], rows: &[logs::Row]) -> Table {
    let heads = ["program", "sequential", "random: least, mean, most", "best static", "bound if threads move"];
    let heads = heads.into_iter().chain(NAMES.iter().copied()).chain(["report: sequential, random, balancing"]);
    let line = |program: &table9::Row| {
        let [least, mean, most] = program.random;
        let (sequential, random, balancing) = program.report;
        let policy = |policy: &&str| match fastest(rows, &program.name, policy) {
            Some((period_us, seconds)) => format!("{seconds:.2} /{}", f64::from(period_us) / 1e6),
            None => "-".into(),
        };
        let first = [
            program.title.clone(),
            format!("{:.2}", program.sequential),
            format!("{least:.2}, {mean:.2}, {most:.2}"),
            format!("{:.2}", program.best_known),
            format!("{:.2}", program.moving.cycles / f64::from(program.clock_hz.max(1))),
        ];
        let report =
            format!("{}, {random:.0}, {balancing:.0}", sequential.map_or("-".into(), |time| format!("{time:.0}")));
        first.into_iter().chain(NAMES.iter().map(policy)).chain([report]).collect()
    };
    Table {
        title: "Table 9 with the policies as its columns".into(),
        explanation: "Seconds of machine time; behind the stroke the period of samples, in seconds, with which the policy was fastest. A policy begins with all threads \
                      on one processor, as in the column sequential; static moves them to the best places by the model. The bound is what no placement is below, also if threads \
                      move whenever they like and for nothing."
            .into(),
        columns: heads.map(String::from).collect(),
        rows: programs.iter().map(line).collect(),
    }
}

/// How a policy did with a period, over all programs.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sum {
    programs: usize,
    moves: usize,
    requests_failed: u64,
    useless: usize,
    /// Moves after which things were better, of those that were judged.
    hits: f64,
    judged: f64,
    /// When queues were level, in seconds, and programs where they never were.
    level: Vec<f64>,
    never: usize,
    /// Logarithms of the times, beside the sequential ones, the best static ones and the bounds.
    of_sequential: Vec<f64>,
    of_static: Vec<f64>,
    of_bound: Vec<f64>,
}

/// The mean of factors, from their logarithms.
fn mean(logarithms: &[f64]) -> Option<f64> {
    (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

impl Sum {
    fn of<'a>(rows: impl Iterator<Item = &'a logs::Row>, programs: &[table9::Row]) -> Sum {
        let mut sum = Sum::default();
        for row in rows {
            let quality = row.quality;
            sum.programs += 1;
            sum.moves += quality.moves;
            sum.requests_failed += quality.failed;
            sum.useless += quality.useless;
            if let Some(hits) = quality.hits {
                sum.hits += hits * quality.moves as f64;
                sum.judged += quality.moves as f64;
            }
            match quality.level_ms {
                Some(level) => sum.level.push(level as f64 / 1e3),
                None => sum.never += 1,
            }
            let Some(times) = row.times else { continue };
            sum.of_sequential.push((times.seconds / times.sequential).ln());
            sum.of_static.extend(times.best.map(|best| (times.seconds / best).ln()));
            let known = programs.iter().find(|program| program.name == row.program);
            sum.of_bound.extend(known.map(|program| {
                let Bound { cycles, .. } = program.moving;
                (times.seconds * f64::from(program.clock_hz) / cycles.max(1.0)).ln()
            }));
        }
        sum.level.sort_by(f64::total_cmp);
        sum
    }

    fn cells(&self) -> Vec<String> {
        let more =
            |logarithms: &[f64]| mean(logarithms).map_or("-".into(), |mean| format!("{:+.0} %", 100.0 * (mean - 1.0)));
        let worst = self.of_static.iter().copied().reduce(f64::max);
        let level = self.level.get(self.level.len() / 2).map_or("-".into(), |middle| format!("{middle:.1} s"));
        vec![
            self.programs.to_string(),
            self.moves.to_string(),
            self.requests_failed.to_string(),
            if self.judged > 0.0 { format!("{:.0} %", 100.0 * self.hits / self.judged) } else { "-".into() },
            self.useless.to_string(),
            format!("{level}, {} never", self.never),
            mean(&self.of_sequential).map_or("-".into(), |mean| format!("{:.0} %", 100.0 * mean)),
            more(&self.of_static),
            worst.map_or("-".into(), |worst| more(&[worst])),
            more(&self.of_bound),
        ]
    }
}

/// A line for each policy and period.
pub fn summary(programs: &[table9::Row], rows: &[logs::Row]) -> Table {
    let periods = rows.iter().filter_map(|row| Some(row.run.as_ref()?.1)).sorted_unstable().dedup().collect_vec();
    let mut lines = Vec::new();
    for policy in NAMES {
        for &period in periods.iter().rev() {
            let is_own = |row: &&logs::Row| row.run.as_ref().is_some_and(|run| run.0 == *policy && run.1 == period);
            let sum = Sum::of(rows.iter().filter(is_own), programs);
            if sum.programs > 0 {
                let head = [policy.to_string(), format!("{} s", f64::from(period) / 1e6)];
                lines.push(head.into_iter().chain(sum.cells()).collect());
            }
        }
    }
    let columns = [
        "policy",
        "samples",
        "programs",
        "moves",
        "requests without",
        "hits",
        "useless",
        "level at",
        "of sequential",
        "above best static",
        "at worst",
        "above the bound",
    ];
    Table {
        title: "The policies over all programs".into(),
        explanation: "Sums of moves, requests that moved nothing, and useless moves; hits of all moves that could be judged; the middle of the times at which queues were level, and \
                      for how many programs they never were; mean factors (geometric) beside the sequential time, the best static time known, the worst of these, and the bound if threads move. \
                      Of the policy none, of sequential is what samples and a balancer that does nothing cost."
            .into(),
        columns: columns.map(String::from).into(),
        rows: lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::table9::Verified;
    use testbed_trace::balance::Quality;

    fn program(name: &str, best_known: f64) -> table9::Row {
        let best = Verified { predicted: 3.0, bound: 2.5, measured: 4.0, untold: 0 };
        table9::Row {
            name: name.into(),
            title: format!("the {name}"),
            command: name.into(),
            clock_hz: 1_000,
            sequential: 10.0,
            random: [3.0, 4.0, 5.0],
            seeds: 3,
            best,
            best_known,
            moving: Bound { cycles: 2_000.0, path: 1.0, even: 1.0 },
            report: (None, 900.0, 550.0),
        }
    }

    fn run(program: &str, policy: &str, period_us: u32, seconds: f64, hits: Option<f64>) -> logs::Row {
        let level_ms = hits.map(|_| 1_500);
        let quality = Quality { moves: if hits.is_some() { 4 } else { 0 }, failed: 1, hits, useless: 1, level_ms };
        let times = logs::Times { seconds, sequential: 10.0, best: Some(2.5) };
        let run = Some((policy.into(), period_us));
        logs::Row { program: program.into(), policy: format!("{policy}, x"), run, quality, times: Some(times) }
    }

    #[test]
    fn a_policy_stands_with_the_period_at_which_it_is_fastest() {
        let rows = [
            run("compute", "gain", 200_000, 5.0, Some(0.5)),
            run("compute", "gain", 1_000_000, 6.0, None),
            run("wator", "report", 1_000_000, 7.0, None),
        ];
        let table = table(&[program("compute", 2.5), program("wator", 3.0)], &rows);
        let cell = |row: usize, column: &str| {
            let place = table.columns.iter().position(|head| head == column).unwrap();
            table.rows[row][place].as_str()
        };
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        assert_eq!((cell(0, "gain"), cell(0, "report"), cell(1, "report")), ("5.00 /0.2", "-", "7.00 /1"));
        assert_eq!((cell(0, "sequential"), cell(0, "bound if threads move")), ("10.00", "2.00"));
        assert_eq!(cell(1, "best static"), "3.00");
        assert_eq!(cell(1, "report: sequential, random, balancing"), "-, 900, 550");
    }

    #[test]
    fn policies_are_summed_up_by_their_periods() {
        let rows = [
            run("compute", "gain", 200_000, 5.0, Some(0.5)),
            run("wator", "gain", 200_000, 20.0, Some(1.0)),
            run("mixed", "gain", 200_000, 10.0, None),
            run("compute", "gain", 1_000_000, 10.0, None),
        ];
        let table = summary(&[program("compute", 2.5), program("wator", 2.5)], &rows);
        assert_eq!(table.rows.len(), 2);
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        // 5, 20 and 10 s of 10 s and of 2.5 s; the bound is known of two programs, and is 2 s.
        let wanted =
            ["gain", "0.2 s", "3", "8", "3", "75 %", "3", "1.5 s, 1 never", "100 %", "+300 %", "+700 %", "+400 %"];
        assert_eq!(table.rows[1], wanted);
        assert_eq!(table.rows[0][..3], ["gain", "1 s", "1"]);
    }
}
