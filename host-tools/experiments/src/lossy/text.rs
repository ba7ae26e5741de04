//! The tables.

use std::fmt::{self, Write};

use super::point::{Figure, Point};

/// What counts as off: rounds and resent fraction, and times.
pub const COUNTS_OFF: f64 = 0.05;
pub const TIMES_OFF: f64 = 0.10;

pub fn text(points: &[Point]) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = by_loss(&mut text, points)
        .and_then(|()| by_program(&mut text, points))
        .and_then(|()| verdict(&mut text, points));
    text
}

/// The values of something that points differ in, in the order in which they first have it.
fn values<T: PartialEq>(points: &[Point], of: impl Fn(&Point) -> T) -> Vec<T> {
    let mut found = Vec::new();
    for value in points.iter().map(of) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Several points as one: means over them, each weighing as much as it has exchanges and packets.
struct Pooled {
    rounds: f64,
    resent: (f64, f64),
    cycles: f64,
    early: Option<f64>,
}

impl Pooled {
    fn of(points: &[&Point]) -> Pooled {
        let ratio = |of: fn(&Point) -> Figure, weight: fn(&Point) -> f64| {
            let sum =
                |part: fn(&Figure) -> f64| -> f64 { points.iter().map(|point| weight(point) * part(&of(point))).sum() };
            sum(|figure| figure.measured) / sum(|figure| figure.predicted)
        };
        let sent = |point: &Point| {
            let packets = f64::from(point.packets) * point.seeds as f64;
            packets / (1.0 - point.resent.measured)
        };
        let all: f64 = points.iter().map(|point| sent(point)).sum();
        let resent = points.iter().map(|point| sent(point) * point.resent.measured).sum::<f64>() / all;
        let early: Option<Vec<f64>> =
            points.iter().map(|point| Some(point.early_cycles? / point.cycles.measured)).collect();
        Pooled {
            rounds: ratio(|point| point.rounds, |point| point.exchanges as f64 * point.seeds as f64),
            resent: (resent, points[0].resent.predicted),
            cycles: ratio(|point| point.cycles, |point| point.seeds as f64),
            early: early.map(|ratios| ratios.iter().sum::<f64>() / ratios.len() as f64),
        }
    }
}

fn by_loss(text: &mut String, points: &[Point]) -> fmt::Result {
    writeln!(text, "Measured by predicted, all programs and numbers of processes together")?;
    writeln!(
        text,
        "  loss  copies  packets sent  rounds  resent measured  predicted  measured/predicted   time  early/whole"
    )?;
    for loss in values(points, |point| point.loss) {
        for copies in values(points, |point| point.copies) {
            let these: Vec<&Point> =
                points.iter().filter(|point| (point.loss, point.copies) == (loss, copies)).collect();
            if these.is_empty() {
                continue;
            }
            let Pooled { rounds, resent, cycles, early } = Pooled::of(&these);
            let sent: f64 = these
                .iter()
                .map(|point| f64::from(point.packets) * point.seeds as f64 / (1.0 - point.resent.measured))
                .sum();
            let early = early.map_or("-".into(), |early| format!("{early:.3}"));
            writeln!(
                text,
                "  {:>3.0}%  {copies:>6}  {sent:>12.0}  {rounds:>6.3}  {:>14.4}%  {:>8.4}%  {:>18.3}  {cycles:>5.3}  {early:>11}",
                100.0 * loss,
                100.0 * resent.0,
                100.0 * resent.1,
                resent.0 / resent.1,
            )?;
        }
    }
    Ok(())
}

fn by_program(text: &mut String, points: &[Point]) -> fmt::Result {
    let losses = values(points, |point| point.loss);
    let copies = values(points, |point| point.copies);
    writeln!(text, "\nSpeed-up over one process, measured and predicted, with so many copies")?;
    write!(text, "  program         processes  loss")?;
    copies.iter().try_for_each(|copies| write!(text, "  {copies:>13}"))?;
    writeln!(text)?;
    for program in values(points, |point| point.program.clone()) {
        for processes in values(points, |point| point.processes) {
            for loss in &losses {
                write!(text, "  {program:<15} {processes:>9}  {:>3.0}%", 100.0 * loss)?;
                for copies in &copies {
                    let point = points.iter().find(|point| {
                        (point.program.as_str(), point.processes, point.loss, point.copies)
                            == (program.as_str(), processes, *loss, *copies)
                    });
                    match point {
                        Some(Point { speedup, .. }) => {
                            write!(text, "  {:>6.3} {:>6.3}", speedup.measured, speedup.predicted)?;
                        }
                        None => write!(text, "  {:>13}", "-")?,
                    }
                }
                writeln!(text)?;
            }
        }
    }
    Ok(())
}

/// How many points are off, and which most.
fn verdict(text: &mut String, points: &[Point]) -> fmt::Result {
    writeln!(text, "\nPoints that are off, and by more than three standard errors")?;
    type Of = fn(&Point) -> Figure;
    let figures: [(&str, f64, Of); 3] = [
        ("rounds", COUNTS_OFF, |point| point.rounds),
        ("resent fraction", COUNTS_OFF, |point| point.resent),
        ("time", TIMES_OFF, |point| point.cycles),
    ];
    for (name, fraction, of) in figures {
        let count = points.iter().filter(|point| of(point).is_off_by(fraction)).count();
        let within = points.iter().filter(|point| of(point).off().abs() <= fraction).count();
        writeln!(
            text,
            "  {name:<15} by more than {:>2.0}%: {count} of {}; {within} within that",
            100.0 * fraction,
            points.len()
        )?;
        let beyond = |point: &&Point| of(point).is_off_by(0.0);
        let worst = points.iter().filter(beyond).max_by(|a, b| of(a).off().abs().total_cmp(&of(b).off().abs()));
        if let Some(worst) = worst {
            writeln!(
                text,
                "    worst beyond its bounds: {} on {}, loss {:.0}%, {} copies: {:.4}, predicted {:.4} ({:+.1}%)",
                worst.program,
                worst.processes,
                100.0 * worst.loss,
                worst.copies,
                of(worst).measured,
                of(worst).predicted,
                100.0 * of(worst).off()
            )?;
        }
    }
    Ok(())
}
