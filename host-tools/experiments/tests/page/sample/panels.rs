//! Plots: what the original measured, and faster kernels like ours.

use testbed_experiments::model::*;

/// Points of the greatest series.
pub const POINTS: usize = 1000;

/// A repeatable scatter, from 0 to 1.
fn scatter(index: usize, salt: u64) -> f64 {
    let mixed =
        (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(salt.wrapping_mul(0xbf58_476d_1ce4_e5b9));
    ((mixed ^ mixed >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40) as f64 / f64::from(1u32 << 24)
}

pub fn series(name: &str, style: Style, count: usize, y: impl Fn(usize, f64) -> (f64, f64)) -> Series {
    Series { name: name.into(), style, points: (0..count).map(|index| y(index, index as f64 / count as f64)).collect() }
}

pub fn line(name: &str, kind: LineKind, from: (f64, f64), to: (f64, f64)) -> Line {
    Line { name: name.into(), kind, from, to }
}

pub fn fit(series: &str, points: usize, slope: f64, intercept: f64) -> Fit {
    Fit {
        series: series.into(),
        points,
        slope,
        intercept,
        slope_confidence: slope / 570.0,
        intercept_confidence: intercept / 311.0,
        r2: (slope != 0.0).then_some(0.999_93),
        deviation: intercept / 40.0,
        below: intercept / 12.5,
        above: intercept / 3.1,
    }
}

pub const KERNELS: [&str; 2] = ["default", "tos94"];
pub const LOADS: [&str; 2] = ["quiet", "busy"];
pub const BYTES: &str = "length of the message, bytes";

/// Two kernels side by side, quiet above busy; `make` knows how slow each is.
pub fn panels(y: &str, x: &str, make: impl Fn(f64, &str) -> (Vec<Series>, Vec<Line>, Vec<Fit>)) -> Content {
    let panel = |(kernel, load): (&str, &str)| {
        let slow = if kernel == "tos94" { 2.6 } else { 1.0 } * if load == "busy" { 1.3 } else { 1.0 };
        let (series, lines, fits) = make(slow, load);
        let axis = |label: &str| Axis { label: label.into(), log: false };
        Panel { title: format!("{kernel} kernel, {load}"), x: axis(x), y: axis(y), series, lines, fits }
    };
    let each = LOADS.iter().flat_map(|load| KERNELS.iter().map(move |kernel| (*kernel, *load)));
    Content::Panels(each.map(panel).collect())
}

/// What a copy takes: linear, with steps where pages end, and a timer's interrupt now and then.
fn copy(slow: f64, per_byte: f64, fixed: f64, timer: f64) -> impl Fn(usize, f64) -> (f64, f64) {
    move |index, part| {
        let bytes = (1.0 + part * 4999.0).round();
        let interrupted = if scatter(index, 7) < 0.12 { timer } else { 0.0 };
        let pages = (bytes / 1024.0).floor() * 14.0;
        (bytes, slow * (fixed + per_byte * bytes + pages + interrupted + 6.0 * scatter(index, 1)))
    }
}

pub fn constant(slow: f64, value: f64, spread: f64, salt: u64) -> impl Fn(usize, f64) -> (f64, f64) {
    move |index, part| ((1.0 + part * 4999.0).round(), slow * (value + spread * scatter(index, salt)).round())
}

pub fn flight(slow: f64, load: &str) -> (Vec<Series>, Vec<Line>, Vec<Fit>) {
    let late = if load == "busy" { 3000.0 } else { 90.0 };
    let one = |name: &str, value: f64, salt: u64| {
        series(name, Style::Dots, POINTS, move |index, part| {
            let (x, y) = constant(slow, value, 0.0, salt)(index, part);
            (x, y + late * scatter(index, salt).powi(6))
        })
    };
    (vec![one("focus", 1400.0, 3), one("rtr", 1650.0, 4), one("msg", 2400.0, 5)], vec![], vec![])
}

pub fn local(number: u8) -> Content {
    panels("time to serve the send, cycles", BYTES, |slow, _| {
        let timer = if number == 9 { 240.0 } else { 0.0 };
        let mut all = vec![series("send", Style::Dots, POINTS, copy(slow, 0.25, 313.0, timer))];
        let mut fits = vec![fit("send", POINTS, 0.2641 * slow, 316.0 * slow)];
        if number == 10 {
            all.push(series("receive", Style::Dots, POINTS, constant(slow, 188.0, 3.0, 9)));
            fits.push(fit("receive", POINTS, 0.0, 189.0 * slow));
        }
        let to = (5000.0, slow * (316.0 + 0.2641 * 5000.0));
        (all, vec![line("fit of send", LineKind::Fit, (0.0, 316.0 * slow), to)], fits)
    })
}

pub fn services() -> Content {
    panels("time to serve the message, cycles", BYTES, |slow, _| {
        let all = vec![
            series("focus", Style::Dots, POINTS, constant(slow, 240.0, 10.0, 2)),
            series("rtr", Style::Dots, POINTS, copy(slow, 0.2, 300.0, 200.0)),
            series("msg", Style::Dots, POINTS, copy(slow, 0.31, 420.0, 200.0)),
        ];
        let fits = vec![fit("focus", 1000, 0.0, 245.0), fit("rtr", 1000, 0.214, 303.0), fit("msg", 1000, 0.33, 424.0)];
        let lines = vec![
            line("fits", LineKind::Fit, (0.0, 303.0 * slow), (5000.0, 1373.0 * slow)),
            line("fits", LineKind::Fit, (0.0, 424.0 * slow), (5000.0, 2074.0 * slow)),
        ];
        (all, lines, fits)
    })
}

/// A service between its bounds, with the report's, in report milliseconds.
pub fn bounds(linear: bool) -> Content {
    let (y, x) = ("delay of the sender, report milliseconds", if linear { BYTES } else { "moves, in their order" });
    panels(y, x, |slow, load| {
        let slope = if linear { 0.34e-3 * slow } else { 0.0 };
        let fixed = 0.31 * slow;
        let (end, report) = if linear { (5000.0, (1.95e-3, 1.025, 0.275)) } else { (POINTS as f64, (0.0, 8.4, 0.5)) };
        let spread = if load == "busy" { 0.9 } else { 0.12 };
        let all = vec![series("local send", Style::Dots, POINTS, move |index, part| {
            (part * end, fixed + slope * part * end + spread * (scatter(index, 11).powi(3) - 0.1))
        })];
        let straight =
            |name: &str, kind, slope: f64, fixed: f64| line(name, kind, (0.0, fixed), (end, fixed + slope * end));
        let lines = vec![
            straight("fit", LineKind::Fit, slope, fixed),
            straight("farthest", LineKind::Bound, slope, fixed - 0.1 * spread),
            straight("farthest", LineKind::Bound, slope, fixed + 0.9 * spread),
            straight("the report’s average", LineKind::Report, report.0, report.1),
            straight("the report’s bounds", LineKind::ReportBound, report.0, report.1 - report.2),
            straight("the report’s bounds", LineKind::ReportBound, report.0, report.1 + report.2),
        ];
        (all, lines, vec![fit("local send", POINTS, slope, fixed)])
    })
}

/// Ready queues of five processors over the run.
pub fn queues() -> Content {
    panels("threads in the ready queue", "time since the start, s", |slow, _| {
        let queue = |processor: usize, name: &str| {
            series(name, Style::Steps, POINTS, move |index, part| {
                let phase = (part * 8.0).fract();
                let long = if phase < 0.8 { 5.0 * scatter(index, processor as u64) } else { 0.0 };
                (part * 18.5 * slow.sqrt(), long.floor())
            })
        };
        let names = ["earth", "air", "fire", "water", "space"];
        (names.iter().enumerate().map(|(place, name)| queue(place, name)).collect(), vec![], vec![])
    })
}

pub fn sends() -> Content {
    panels("sends in 50 ms", "time since the start, s", |slow, _| {
        let rate = |salt| {
            move |index: usize, part: f64| {
                let phase = (part * 8.0) as usize % 4;
                (part * 18.5 * slow, ((phase as f64) * 40.0 * scatter(index, salt) / slow).round())
            }
        };
        (vec![series("local", Style::Bars, 370, rate(1)), series("remote", Style::Bars, 370, rate(2))], vec![], vec![])
    })
}

pub fn latencies() -> Content {
    let Content::Panels(mut all) =
        panels("delay of the sender, report milliseconds", "time since the start, s", |slow, _| {
            let remote = series("remote", Style::Dots, POINTS, move |index, part| {
                (part * 18.5, slow * 4.0 * (1.0 + 30.0 * scatter(index, 5).powi(5)))
            });
            let local = series("local", Style::Dots, POINTS, move |index, part| {
                (part * 18.5, slow * (0.25 + scatter(index, 6)))
            });
            (vec![local, remote], vec![], vec![])
        })
    else {
        unreachable!("it makes panels")
    };
    all.iter_mut().for_each(|panel| panel.y.log = true);
    Content::Panels(all)
}

pub fn distributions() -> Content {
    panels("communications", "delay, report milliseconds", |slow, _| {
        let local = series("phase 6, local", Style::Bars, 30, move |index, _| {
            (index as f64 * 0.2 * slow, (400.0 * (-(index as f64 - 4.0).powi(2) / 4.0).exp()).round())
        });
        let remote = series("phase 8, remote, 95 %", Style::Bars, 60, move |index, _| {
            (2.0 + index as f64 * 0.2 * slow, (90.0 * scatter(index, 2) * (-(index as f64) / 25.0).exp()).round())
        });
        (vec![local, remote], vec![], vec![])
    })
}
