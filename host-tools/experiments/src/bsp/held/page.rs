//! The page of the experiment.

use itertools::Itertools;
use testbed_trace::report::escape;

use super::cause::Cause;
use super::results::{errors, Held, FORMULAS, PROBE, PROGRAMS};
use super::rows::{error, Long, Row};
use super::speedup::Speedup;
use crate::model::{Axis, Line, LineKind, Panel, Series, Style, Table};
use crate::page::{self, PageError};
use crate::plot::number::count;

const TITLE: &str = "Programs held against the BSP cost model";

/// The page.
///
/// # Errors
/// A value that can't be shown.
pub fn html(held: &Held) -> Result<String, PageError> {
    let section = |id: &str, title: &str, told: &str, panels: Vec<Panel>| page::plots((id, title, told), &panels);
    let parts = [
        head(held),
        navigation(),
        "<main id=\"main\" tabindex=\"-1\">\n".into(),
        section(
            "predicted",
            "Predicted against measured",
            "Each dot is a program of one size. On the line the prediction is right.\n\
             g(k) is g of the messages’ length, and l(s) depends on how many processes have words.",
            (0..FORMULAS.len()).map(|formula| scatter(held, formula)).collect(),
        )?,
        section(
            "errors",
            "Errors by program",
            "How far predictions are from what was measured, over the number of processes; both sizes.",
            programs(held).map(|program| by_program(held, program)).collect(),
        )?,
        section(
            "speedup",
            "Speed-up",
            "How many times faster a program is than the same program with one process, without its input and the \
             comparison of its result. With all work shared out evenly and nothing to exchange it would lie on the line.",
            programs(held).map(|program| speedup(held, program)).collect(),
        )?,
        page::tables(&tables(held))?,
        "</main>\n".into(),
        foot(),
    ];
    Ok(page::html(TITLE, "", &parts))
}

/// The programs that were run, in order.
fn programs(held: &Held) -> impl Iterator<Item = &'static str> + '_ {
    let names = PROGRAMS.iter().map(|(program, _)| *program);
    names.filter(|program| held.rows.iter().any(|row| row.program == *program))
}

fn head(held: &Held) -> String {
    let measured = || held.rows.iter().filter(|row| row.measured != 0);
    let fact = |formula: usize| {
        let of = errors(measured().map(|row| error(row.predicted()[formula], row.measured)));
        let (value, more) = of.map_or(("–".into(), String::new()), |(median, most, off)| {
            let more = format!("at most {:.1} %; {off} of {} beyond 10 %", 100.0 * most, held.rows.len());
            (format!("{:.1} %", 100.0 * median), more)
        });
        format!(
            "<div><dt>Median error, {}</dt><dd>{value}<small>{more}</small></dd></div>\n",
            escape(FORMULAS[formula])
        )
    };
    format!(
        "<header>\n<h1>{TITLE}</h1>\n<p class=\"verdict\">What the ends of supersteps cost is measured on the program \
         <code>{PROBE}</code>; of the programs themselves only the work, the words and who has them for whom are \
         taken.</p>\n<dl class=\"facts\">\n{}</dl>\n</header>\n",
        (0..FORMULAS.len()).map(fact).collect::<String>()
    )
}

fn navigation() -> String {
    let targets =
        [("predicted", "Predicted"), ("errors", "Errors"), ("speedup", "Speed-up"), ("measurements", "Tables")];
    let links = targets.map(|(target, text)| format!("<li><a href=\"#{target}\">{text}</a></li>\n"));
    format!("<nav aria-label=\"Sections\"><ul>\n{}</ul></nav>\n", links.concat())
}

fn foot() -> String {
    format!(
        "<footer><p>Made by <code>testbed experiment bsp</code>, version {}. The same as data is in \
         <code>bsp.json</code>.</p></footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn axis(label: &str, log: bool) -> Axis {
    Axis { label: label.into(), log }
}

/// Predicted against measured by one formula, a series for each number of processes. There are
/// colours for five.
fn scatter(held: &Held, formula: usize) -> Panel {
    let rows = || held.rows.iter().filter(|row| row.measured != 0);
    let point = |row: &Row| (row.measured as f64, row.predicted()[formula]);
    let shown: Vec<u8> = held.ends.iter().map(|ends| ends.processes).collect();
    let series = shown.chunks(shown.len().div_ceil(crate::plot::SERIES_MAX).max(1)).map(|some| {
        let points = rows().filter(|row| some.contains(&row.processes)).map(point);
        let points = points.sorted_by(|one, other| one.0.total_cmp(&other.0)).collect();
        Series { name: format!("{} processes", some.iter().join(", ")), style: Style::Dots, points }
    });
    let (least, most) = rows()
        .fold((f64::MAX, 0f64), |(least, most), row| (least.min(row.measured as f64), most.max(row.measured as f64)));
    let right = Line { name: "as measured".into(), kind: LineKind::Fit, from: (least, least), to: (most, most) };
    Panel {
        title: FORMULAS[formula].into(),
        x: axis("measured, cycles", true),
        y: axis("predicted, cycles", true),
        series: series.collect(),
        lines: if least <= most { vec![right] } else { vec![] },
        fits: vec![],
    }
}

/// The errors of one program by all formulas.
fn by_program(held: &Held, program: &str) -> Panel {
    let rows = || held.rows.iter().filter(|row| row.program == program && row.measured != 0);
    let series = FORMULAS.iter().enumerate().map(|(index, formula)| {
        let point = |row: &Row| (f64::from(row.processes), 100.0 * error(row.predicted()[index], row.measured));
        Series { name: (*formula).into(), style: Style::Dots, points: rows().map(point).collect() }
    });
    let most = rows().map(|row| f64::from(row.processes)).fold(0.0, f64::max);
    let right = Line { name: "as measured".into(), kind: LineKind::Fit, from: (0.0, 0.0), to: (most, 0.0) };
    Panel {
        title: program.into(),
        x: axis("processes", false),
        y: axis("error, %", false),
        series: series.collect(),
        lines: vec![right],
        fits: vec![],
    }
}

/// The speed-up of one program, a line for each size.
fn speedup(held: &Held, program: &str) -> Panel {
    let of_program = || held.speedups.iter().filter(|one| one.program == program);
    let sizes = of_program().map(|one| one.size).sorted_unstable().dedup();
    let points = |size: u32, of: &dyn Fn(&Speedup) -> Option<f64>| -> Vec<(f64, f64)> {
        let of_size = of_program().filter(|one| one.size == size);
        of_size.filter_map(|one| Some((f64::from(one.processes), one.speedup(of(one)?)))).collect()
    };
    let series = sizes.flat_map(|size| {
        let mut measured = points(size, &|one| Some(one.measured as f64));
        measured.insert(0, (1.0, 1.0));
        let series = |name: &str, style, points| Series { name: format!("{size}, {name}"), style, points };
        [
            series("measured", Style::Line, measured),
            series("predicted", Style::Dots, points(size, &|one| one.predicted)),
        ]
    });
    let most = of_program().map(|one| f64::from(one.processes)).fold(1.0, f64::max);
    Panel {
        title: program.into(),
        x: axis("processes", false),
        y: axis("speed-up", false),
        series: series.collect(),
        lines: vec![Line { name: "linear".into(), kind: LineKind::Bound, from: (1.0, 1.0), to: (most, most) }],
        fits: vec![],
    }
}

fn table(title: &str, explanation: &str, columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    let columns = columns.iter().map(ToString::to_string).collect();
    Table { title: title.into(), explanation: explanation.into(), columns, rows }
}

fn percent(predicted: f64, measured: u64) -> String {
    format!("{:+.1} %", 100.0 * error(predicted, measured)).replace('-', "−")
}

fn tables(held: &Held) -> Vec<Table> {
    vec![parameters(held), predictions(held), off(held), speedups(held)]
}

fn parameters(held: &Held) -> Table {
    let rows = held.ends.iter().map(|ends| {
        let by_length = ends.by_length;
        let figures = [ends.g, ends.l, ends.l0, by_length.word, by_length.half(), by_length.message, by_length.sender];
        let cells = figures.iter().map(|figure| format!("{figure:.1}"));
        std::iter::once(ends.processes.to_string()).chain(cells).collect()
    });
    table(
        "Ends of supersteps",
        "In cycles: a line through the probe’s supersteps, g h + l, and l0 for those without words; and with g of the \
         messages’ length, g (sent + received + n½ messages) + l0 + a cost for each process that has words.",
        &["processes", "g", "l", "l0", "g of a word", "n½, words", "a message", "a process with words"],
        rows.collect(),
    )
}

fn predictions(held: &Held) -> Table {
    let rows = held.rows.iter().filter(|row| row.measured != 0).map(|row| {
        let mut cells = vec![
            row.program.clone(),
            count(row.size.into()),
            row.processes.to_string(),
            row.supersteps.to_string(),
            count(row.measured),
            count(row.work),
            count(row.words),
        ];
        cells.extend(row.predicted().map(|predicted| percent(predicted, row.measured)));
        cells
    });
    let columns = ["program", "size", "processes", "supersteps", "measured", "w", "words h"];
    table(
        "Predictions",
        "All supersteps of a program but the first, in cycles, and how far each formula is off.",
        &[&columns[..], &FORMULAS].concat(),
        rows.collect(),
    )
}

fn off(held: &Held) -> Table {
    let told =
        |cause: Option<Cause>| cause.map_or(String::new(), |cause| format!("{}: {}", cause.term(), cause.text()));
    let rows = held.rows.iter().flat_map(|row| {
        let is_off = |long: &&Long| long.cause.is_some() || long.cause_by_length.is_some();
        row.long.iter().filter(is_off).map(move |long| {
            vec![
                format!("{} {} on {}", row.program, row.size, row.processes),
                long.number.to_string(),
                count(long.work),
                count(long.words.into()),
                long.messages.to_string(),
                long.senders.to_string(),
                count(long.measured),
                percent(long.sum, long.measured),
                told(long.cause),
                percent(long.by_length, long.measured),
                told(long.cause_by_length),
            ]
        })
    });
    let columns = [
        "program",
        "superstep",
        "w",
        "words h",
        "messages",
        "processes with words",
        "measured",
        FORMULAS[0],
        "its wrong term",
        FORMULAS[1],
        "its wrong term",
    ];
    table(
        "Supersteps that are off",
        "Those that take longer than l, and that one of both formulas has wrong by more than 10 %. Messages are those that \
         a process sends and receives.",
        &columns,
        rows.collect(),
    )
}

fn speedups(held: &Held) -> Table {
    let rows = held.speedups.iter().map(|one| {
        let mut cells = vec![
            one.program.clone(),
            count(one.size.into()),
            one.processes.to_string(),
            count(one.alone),
            count(one.measured),
        ];
        let cycles = [Some(one.measured as f64), one.predicted];
        cells.extend(cycles.into_iter().flat_map(|cycles| {
            { [cycles.map(|cycles| one.speedup(cycles)), cycles.map(|cycles| one.efficiency(cycles))] }
                .map(|value| value.map_or(String::new(), |value| format!("{value:.2}")))
        }));
        cells.push(one.even.map_or(String::new(), |even| format!("{:.2}", one.speedup(even))));
        cells
    });
    let columns = [
        "program",
        "size",
        "processes",
        "T1, cycles",
        "Tp, cycles",
        "S",
        "E",
        "S predicted",
        "E predicted",
        "S, work shared out evenly",
    ];
    table(
        "Speed-up and efficiency",
        "S = T1 / Tp, E = S / p. Predicted by w + g(k) h + l(s), with the work as it was; and if the work of one process \
         were shared out evenly, with nothing added to it.",
        &columns,
        rows.collect(),
    )
}
