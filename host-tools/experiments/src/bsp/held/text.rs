//! What was found, as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use testbed_trace::analysis::text::grouped;

use super::cause::Cause;
use super::ends::Ends;
use super::results::{errors, Held, FORMULAS, PROBE};
use super::rows::{error, Long};
use super::speedup::Speedup;

/// What a cause is to blame for: of one program on so many processes, how many supersteps, with the
/// least and the greatest error.
pub type Blamed<'a> = BTreeMap<(Cause, &'a str, u8), (usize, f64, f64)>;

/// What is to blame for the supersteps that are off by one formula.
pub fn blamed<'a>(held: &'a Held, of: impl Fn(&Long) -> (Option<Cause>, f64)) -> Blamed<'a> {
    let mut blamed = Blamed::new();
    for row in &held.rows {
        for long in &row.long {
            if let (Some(cause), predicted) = of(long) {
                let error = error(predicted, long.measured);
                let entry = blamed.entry((cause, row.program.as_str(), row.processes)).or_insert((0, error, error));
                *entry = (entry.0 + 1, entry.1.min(error), entry.2.max(error));
            }
        }
    }
    blamed
}

/// All of it.
pub fn text(held: &Held) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = ends(&mut text, held)
        .and_then(|()| rows(&mut text, held))
        .and_then(|()| summary(&mut text, held))
        .and_then(|()| off(&mut text, held))
        .and_then(|()| speedups(&mut text, held));
    text
}

fn ends(text: &mut String, held: &Held) -> std::fmt::Result {
    writeln!(text, "the end of a superstep, in cycles, from {PROBE}; h words with the headers of what is in them")?;
    writeln!(text, "        g h + l              g (sent + received + n 1/2 messages) + l(s), s processes have words")?;
    writeln!(text, "   p        g       l            g  n 1/2  a message           l(s)")?;
    for Ends { processes, g, l, l0, by_length } in &held.ends {
        writeln!(
            text,
            "  {processes:>2} {g:>8.2} {l:>7.0}     {:>8.2} {:>6.0} {:>10.0}  {l0:>5.0} + {:.0} s",
            by_length.word,
            by_length.half(),
            by_length.message,
            by_length.sender,
        )?;
    }
    Ok(())
}

fn rows(text: &mut String, held: &Held) -> std::fmt::Result {
    writeln!(text, "\nall supersteps of a program but the first, in cycles, and errors of the predictions")?;
    writeln!(
        text,
        "  program          size   p  supersteps    measured           w    words h  w+g h+l  w+g(k) h+l(s)  max{{l,w,g hs,g hr}}"
    )?;
    for row in held.rows.iter().filter(|row| row.measured != 0) {
        let [sum, by_length, max] = row.predicted().map(|predicted| 100.0 * error(predicted, row.measured));
        writeln!(
            text,
            "  {:<14} {:>6} {:>3} {:>11} {:>11} {:>11} {:>10} {sum:>+7.1}% {by_length:>+13.1}% {max:>+18.1}%",
            row.program,
            row.size,
            row.processes,
            row.supersteps,
            grouped(row.measured),
            grouped(row.work),
            grouped(row.words),
        )?;
    }
    Ok(())
}

/// A line of errors by a formula, of so many of a kind, if there are any.
fn errors_by(text: &mut String, formula: &str, kind: &str, of: Vec<f64>, told: &str) -> std::fmt::Result {
    let all = of.len();
    let Some((median, most, off)) = errors(of.into_iter()) else { return Ok(()) };
    let (median, most) = (100.0 * median, 100.0 * most);
    writeln!(text, "  {formula:<22} {kind:<10} {median:>5.1} % {most:>6.1} % {off:>4} of {all}{told}")
}

fn summary(text: &mut String, held: &Held) -> std::fmt::Result {
    writeln!(text, "\nerrors by formula: median, largest, and how many are beyond 10 %")?;
    for (index, formula) in FORMULAS.iter().enumerate() {
        let measured = held.rows.iter().filter(|row| row.measured != 0);
        let of = measured.map(|row| error(row.predicted()[index], row.measured)).collect();
        errors_by(text, formula, "programs", of, "")?;
    }
    let predicted = |one: &Speedup| Some(error(one.predicted?, one.measured));
    let of = held.speedups.iter().filter_map(predicted).collect();
    errors_by(text, FORMULAS[1], "programs", of, ", without input and comparison (Tp)")?;
    for (index, formula) in FORMULAS[..2].iter().enumerate() {
        let long = held.rows.iter().flat_map(|row| &row.long);
        let of = long.map(|long| error([long.sum, long.by_length][index], long.measured)).collect();
        errors_by(text, formula, "supersteps", of, " that take longer than l")?;
    }
    let incomplete: usize = held.rows.iter().map(|row| row.incomplete).sum();
    if incomplete != 0 {
        writeln!(text, "left out: {incomplete} supersteps of which the trace does not tell all")?;
    }
    Ok(())
}

fn off(text: &mut String, held: &Held) -> std::fmt::Result {
    let formulas = [
        (FORMULAS[0], blamed(held, |long| (long.cause, long.sum))),
        (FORMULAS[1], blamed(held, |long| (long.cause_by_length, long.by_length))),
    ];
    for (formula, blamed) in formulas {
        writeln!(text, "\nsupersteps longer than l that {formula} has wrong by more than 10 %")?;
        if blamed.is_empty() {
            writeln!(text, "  none")?;
        }
        for cause in Cause::ALL {
            let of_cause: Vec<_> = blamed.iter().filter(|((other, ..), _)| *other == cause).collect();
            if !of_cause.is_empty() {
                writeln!(text, "  {}: {}", cause.term(), cause.text())?;
            }
            for ((_, program, processes), (count, least, most)) in of_cause {
                let (least, most) = (100.0 * least, 100.0 * most);
                writeln!(text, "    {program:<14} on {processes:>2}: {count:>3}, {least:+.1}% to {most:+.1}%")?;
            }
        }
    }
    Ok(())
}

fn speedups(text: &mut String, held: &Held) -> std::fmt::Result {
    writeln!(text, "\nspeed-up S = T1 / Tp and efficiency E = S / p, without input and comparison")?;
    writeln!(
        text,
        "  program          size   p          T1          Tp       S       E  predicted S       E  work shared out evenly S"
    )?;
    for one in &held.speedups {
        let Speedup { alone, measured, .. } = *one;
        let cell = |cycles: Option<f64>, of: fn(&Speedup, f64) -> f64| {
            cycles.map_or("-".into(), |cycles| format!("{:.2}", of(one, cycles)))
        };
        let whole = Some(measured as f64);
        writeln!(
            text,
            "  {:<14} {:>6} {:>3} {:>11} {:>11} {:>7} {:>7} {:>12} {:>7} {:>25}",
            one.program,
            one.size,
            one.processes,
            grouped(alone),
            grouped(measured),
            cell(whole, Speedup::speedup),
            cell(whole, Speedup::efficiency),
            cell(one.predicted, Speedup::speedup),
            cell(one.predicted, Speedup::efficiency),
            cell(one.even, Speedup::speedup),
        )?;
    }
    Ok(())
}
