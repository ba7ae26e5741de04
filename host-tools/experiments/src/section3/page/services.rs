//! Tables 6 and 7: our services beside the report's, and other systems.

use itertools::Itertools;
use testbed_trace::report::escape;

use super::super::model::{Linear, Profile, Service};
use crate::page::{finite, r2, table, PageError};
use crate::plot::number::short;

/// How many times less than the report's a service of the default kernel is to take.
const LEAST_RATIO: f64 = 5.0;
const DEFAULT: &str = "default";

/// Digits of a value that count.
const DIGITS: usize = 4;

/// Table 6: a block a service.
pub(super) fn table6(profile: &Profile) -> Result<String, PageError> {
    let mut names: Vec<&str> = Vec::new();
    for service in &profile.services {
        if !names.contains(&service.name.as_str()) {
            names.push(&service.name);
        }
    }
    let blocks: Vec<String> = names
        .iter()
        .map(|name| {
            block(profile, &profile.services.iter().filter(|service| service.name == *name).collect::<Vec<_>>())
        })
        .collect::<Result<_, _>>()?;
    let low = profile.services.iter().filter(|service| ratios(service).into_iter().any(|ratio| is_low(service, ratio)));
    let low = low.map(|service| format!("{} ({})", service.name, service.load)).join(", ");
    let notice = if low.is_empty() {
        String::new()
    } else {
        format!(
            "<p class=\"notice warn\">On the default kernel these take more than 1/{LEAST_RATIO} of the report’s time: {}.</p>\n",
            escape(&low)
        )
    };
    Ok(format!(
        "<section id=\"table-6\">\n<h2>Table 6: what the services take</h2>\n<p>The delay of the sender of a message of <i>n</i> KB, of a thread that moves, \
         and of a page that is fetched: the average as a line, and below it the farthest deviations. <i>Times less</i> divides the report’s milliseconds by \
         our report milliseconds, for the part that every message takes and for each KB.</p>\n{notice}{}</section>\n",
        blocks.concat()
    ))
}

/// One service: a row for each kernel and load.
fn block(profile: &Profile, services: &[&Service]) -> Result<String, PageError> {
    let Some(first) = services.first() else { return Ok(String::new()) };
    let microseconds = format!("µs at {} MHz", short(f64::from(profile.clock_hz) / 1e6, 4));
    let columns = [
        ("", "Kernel"),
        ("l", "Load"),
        ("", "Cycles"),
        ("", "Instructions"),
        ("", microseconds.as_str()),
        ("", "Report ms"),
        ("", "The report’s, ms"),
        ("", "Times less"),
        ("", "R²"),
    ];
    let rows: Vec<_> = services.iter().map(|service| row(service)).collect::<Result<_, _>>()?;
    Ok(format!(
        "<h3>{} <a class=\"soft\" href=\"#figure-{}\">Figure {}</a></h3>\n{}",
        escape(&first.name),
        first.figure,
        first.figure,
        table(&first.name, &columns, &rows)
    ))
}

fn row(service: &Service) -> Result<Vec<(String, String)>, PageError> {
    let plain = |content: String| (String::new(), content);
    let mut cells = vec![plain(escape(&service.kernel)), ("l".into(), escape(&service.load))];
    let columns = [
        ("cycles", service.cycles),
        ("instructions", service.instructions),
        ("microseconds", service.microseconds),
        ("report milliseconds", service.report_ms),
        ("the report’s milliseconds", service.report),
    ];
    for (column, value) in columns {
        let place = || format!("Table 6, {} ({}, {}), {column}", service.name, service.kernel, service.load);
        let Linear { slope, intercept, below, above } = value;
        for part in [slope.unwrap_or(0.0), intercept, below, above] {
            finite(part, place)?;
        }
        cells.push(plain(linear(value)));
    }
    let place = || format!("Table 6, {} ({}, {}), ratio or R²", service.name, service.kernel, service.load);
    for ratio in ratios(service).into_iter().chain(service.r2) {
        finite(ratio, place)?;
    }
    cells.push(plain(ratio_cell(service)));
    cells.push(plain(service.r2.map_or("–".into(), r2)));
    Ok(cells)
}

/// `1.95 n + 1.025`, and the deviations.
fn linear(value: Linear) -> String {
    let Linear { slope, intercept, below, above } = value;
    let line = match slope {
        Some(slope) if intercept < 0.0 => format!("{} <i>n</i> − {}", short(slope, DIGITS), short(-intercept, DIGITS)),
        Some(slope) => format!("{} <i>n</i> + {}", short(slope, DIGITS), short(intercept, DIGITS)),
        None => short(intercept, DIGITS),
    };
    let (below, above) = (short(below, 3), short(above, 3));
    let bounds = if below == above { format!("± {below}") } else { format!("−\u{2009}{below} +\u{2009}{above}") };
    format!("{line}<small>{bounds}</small>")
}

fn ratios(service: &Service) -> Vec<f64> {
    [Some(service.intercept_ratio), service.slope_ratio].into_iter().flatten().collect()
}

fn is_low(service: &Service, ratio: f64) -> bool {
    service.kernel == DEFAULT && ratio < LEAST_RATIO
}

fn ratio_cell(service: &Service) -> String {
    let one = |ratio: f64| {
        let value = short(ratio, 3);
        if is_low(service, ratio) {
            format!("<strong class=\"low\" title=\"less than {LEAST_RATIO} times\">{value}&nbsp;&lt;&nbsp;{LEAST_RATIO}</strong>")
        } else {
            value
        }
    };
    match service.slope_ratio {
        Some(slope) => format!("{}<small>each KB: {}</small>", one(service.intercept_ratio), one(slope)),
        None => one(service.intercept_ratio),
    }
}

/// Table 7: other systems.
pub(super) fn table7(profile: &Profile) -> String {
    let columns =
        [("", "Project"), ("l", "Service"), ("", "Theirs, ms"), ("l", "The nearest of ours, at this machine’s clock")];
    let rows: Vec<_> = profile
        .others
        .iter()
        .map(|other| {
            vec![
                (String::new(), escape(&other.project)),
                ("l".into(), escape(&other.service)),
                (String::new(), short(other.milliseconds, 3)),
                ("l".into(), escape(&other.ours)),
            ]
        })
        .collect();
    format!(
        "<section id=\"table-7\">\n<h2>Table 7: other systems of the time</h2>\n<p>Averages that the report quotes from the literature, in milliseconds of those \
         machines; the nearest of our services beside each, in real time at this machine’s clock. Machines and definitions differ: it shows sizes, no contest.</p>\n{}</section>\n",
        table("Table 7", &columns, &rows)
    )
}
