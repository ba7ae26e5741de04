//! The lines above and below the tables.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::Frame;
use testbed_machine::{printable, units};
use testbed_trace::analysis::text::{grouped, time_text};
use testbed_trace::capture::RunRecord;
use testbed_trace::summary::process_text;

use super::style::{short, Palette};

use crate::top::screen::{Mode, Requests, Screen};

/// Groups that have lines.
const GROUPS: usize = 2;

/// Cycles as a time.
pub fn time(cycles: u64, record: &RunRecord) -> String {
    time_text(cycles as f64 * 1e6 / f64::from(record.machine.clock_hz))
}

/// What runs, and how far it is.
pub fn head(frame: &mut Frame, area: Rect, screen: &Screen, palette: Palette) {
    let mode = match &screen.mode {
        Mode::Starting(_) => " STARTING ".to_string(),
        Mode::Checking => " CHECKING ".into(),
        Mode::Live => " LIVE ".into(),
        Mode::Playing => format!(" PLAYING {} ", screen.speed),
        Mode::Paused => format!(" PAUSED {} ", screen.speed),
        Mode::Ended(_) => " ENDED ".into(),
    };
    let mode = Line::styled(mode, palette.mode());
    let (first, second) = (Rect { height: 1, ..area }, Rect { y: area.y + 1, height: 1, ..area });
    let width = mode.width() as u16;
    let right = Rect { x: area.right().saturating_sub(width), width, ..first };
    let left = Rect { width: area.width.saturating_sub(width + 1), ..first };
    frame.render_widget(mode, right);
    let Some(record) = &screen.record else {
        return frame.render_widget(Line::styled(" testbed top", palette.strong()), left);
    };
    frame.render_widget(fitting(what_runs(record), left.width, palette), left);
    frame.render_widget(fitting(figures(screen, record), second.width, palette), second);
}

/// Parts of a line, as many as fit into the width; the first one is strong.
fn fitting(parts: Vec<String>, width: u16, palette: Palette) -> Line<'static> {
    let mut line = Line::default();
    for (number, part) in parts.into_iter().enumerate() {
        let span = match number {
            0 => Span::styled(format!(" {part}"), palette.strong()),
            _ => Span::raw(format!("  {part}")),
        };
        if number > 0 && line.width() + span.width() > width.into() {
            break;
        }
        line.push_span(span);
    }
    line
}

fn what_runs(record: &RunRecord) -> Vec<String> {
    let machine = &record.machine;
    vec![
        record.arguments.iter().fold(record.program.clone(), |line, argument| line + " " + &printable(argument)),
        format!("{}, {}", machine.name, units::print(machine.clock_hz.into(), units::HERTZ)),
        record.engine.clone(),
        format!("kernel {}", record.kernel_name()),
        format!("{} processors", machine.processors.len()),
        format!("seed {}", record.seed),
    ]
}

fn figures(screen: &Screen, record: &RunRecord) -> Vec<String> {
    let view = &screen.view;
    let window = view.window.map_or(0, |window| window.cycles());
    let mut parts = vec![
        time(view.now, record),
        format!("window {}", rough(window, record)),
        format!("{} events, {}/s", grouped(view.events), short(view.event_rate)),
    ];
    parts.extend(screen.engine_rate.map(|rate| format!("engine {} cycles/s", short(rate))));
    parts.extend(screen.read_rate.filter(|rate| *rate >= 0.5).map(|rate| format!("reading {}/s", short(rate))));
    parts
}

/// Cycles as a time of three digits.
fn rough(cycles: u64, record: &RunRecord) -> String {
    let seconds = cycles as f64 / f64::from(record.machine.clock_hz);
    let (value, unit) = match seconds {
        s if s >= 0.9995 => (s, "s"),
        s if s >= 0.9995e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "us"),
    };
    match value {
        value if value >= 99.95 => format!("{value:.0} {unit}"),
        value if value >= 9.995 => format!("{value:.1} {unit}"),
        value => format!("{value:.2} {unit}"),
    }
}

/// The lines that say what is lost, not proven, damaged: as many as it takes, since no number is
/// cut.
pub fn losses(screen: &Screen, width: u16, palette: Palette) -> Vec<Line<'static>> {
    let uncertain = &screen.view.uncertainty;
    let uncounted: u64 = screen.view.processors.iter().map(|processor| processor.uncounted).sum();
    let mut parts = vec![match (uncertain.gaps, uncounted) {
        (0, _) => "Losses: none".to_string(),
        (gaps, 0) => format!("LOSSES: {} events in {} gaps", grouped(uncertain.discarded), grouped(gaps)),
        (gaps, _) => format!("LOSSES: {} events and more in {} gaps", grouped(uncertain.discarded), grouped(gaps)),
    }];
    let counts = [
        (uncertain.ambiguous, "whose time is not proven"),
        (uncertain.doubtful, "that may be misread"),
        (uncertain.deviations, "against the protocols"),
    ];
    parts.extend(
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{} {what}", grouped(*count))),
    );
    let style = if uncertain.gaps > 0 || parts.len() > 1 { palette.bad() } else { Style::new() };
    let mut lines: Vec<Line> =
        wrapped(&parts, width.into()).into_iter().map(|line| Line::styled(line, style)).collect();
    if let Some(damage) = screen.damage.first() {
        let more =
            if screen.damage.len() > 1 { format!(" and {} more", screen.damage.len() - 1) } else { String::new() };
        lines.push(Line::styled(format!(" DAMAGED{more}: {damage}"), palette.bad()));
    }
    lines
}

/// The lines that say how far groups of bulk-synchronous processes are: of the two that have come to
/// the end of a superstep last.
pub fn supersteps(screen: &Screen, width: u16, palette: Palette) -> Vec<Line<'static>> {
    let Some(record) = &screen.record else { return Vec::new() };
    let lines = screen.view.groups.iter().take(GROUPS).flat_map(|group| {
        let name = process_text(group.process, &record.machine.processors);
        let mut parts = vec![
            format!("Supersteps of {name}, {} processes: {}", group.processes, grouped(group.supersteps)),
            format!("{}/s", short(group.rate)),
        ];
        parts.extend(group.work_share.map(|share| format!("{:.0} % work", 100.0 * share)));
        if let Some(last) = &group.last {
            let words = if last.words_untold { "words not told".into() } else { format!("h {}", last.h_words()) };
            parts.push(format!(
                "the last: w {}, {words}, {} cycles, by process {}",
                grouped(last.w_cycles),
                grouped(last.cycles),
                last.last
            ));
        }
        parts.extend((group.incomplete > 0).then(|| format!("{} not told", grouped(group.incomplete))));
        let style = if group.incomplete > 0 { palette.bad() } else { Style::new() };
        wrapped(&parts, width.into()).into_iter().map(move |line| Line::styled(line, style))
    });
    lines.collect()
}

/// The lines that say what the balancer has asked for, and what came of it: none of a run without.
pub fn requests(screen: &Screen, width: u16, palette: Palette) -> Vec<Line<'static>> {
    let balance = screen.record.as_ref().and_then(|record| record.balance.as_ref());
    let (Some(balance), Some(requests)) = (balance, &screen.requests) else { return Vec::new() };
    let set: String = balance.settings.iter().map(|setting| format!(" {}", printable(setting))).collect();
    let name = format!("Balancer {}{set}", printable(&balance.policy));
    let (parts, style) = match requests {
        Requests::NoLog => (vec![format!("{name}: no log yet")], Style::new()),
        Requests::Unreadable(why) => (vec![format!("{name}: its log can't be read"), printable(why)], palette.bad()),
        Requests::Known(counts) => {
            let rest = [
                (counts.standing, "standing"),
                (counts.expired, "expired"),
                (counts.refused, "refused"),
                (counts.unanswered, "unanswered"),
                (counts.open, "open"),
            ];
            let rest = rest.iter().filter(|(count, _)| *count > 0);
            let first =
                [format!("{name}: {} requests", grouped(counts.requests)), format!("{} moved", grouped(counts.moved))];
            let all = first.into_iter().chain(rest.map(|(count, what)| format!("{} {what}", grouped(*count))));
            (all.collect(), Style::new())
        }
    };
    wrapped(&parts, width.into()).into_iter().map(|line| Line::styled(line, style)).collect()
}

/// Parts one after the other in lines of at most `width` columns; a part is never divided.
fn wrapped(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.len() + 2 + part.len() < width => *line += &format!("; {part}"),
            Some(line) => {
                line.push(';');
                lines.push(format!("   {part}"));
            }
            None => lines.push(format!(" {part}")),
        }
    }
    lines
}

/// What keys do; or what is to be known now.
pub fn foot(frame: &mut Frame, area: Rect, screen: &Screen, palette: Palette) {
    let keys = match area.width {
        80.. => "q quit  space pause  + - speed  . step  g start  G end  Tab  s sort  ? help",
        _ => "q quit  space pause  + -  . step  g G  Tab  s sort  ? help",
    };
    let word = match (&screen.mode, &screen.last_event, &screen.waiting) {
        (Mode::Ended(how), ..) => Some(format!("{how}   q quit  g again  ? help")),
        (_, Some(event), _) => Some(event.clone()),
        (Mode::Checking, ..) => Some("comparing the capture with its second copy".into()),
        (Mode::Live, _, Some((count, processor))) if *count > 0 && area.width >= 120 => {
            Some(format!("{keys}   ({} events wait for those of {processor})", grouped(*count as u64)))
        }
        _ => None,
    };
    let line = match word {
        Some(word) => Line::styled(format!(" {word}"), palette.strong()),
        None => Line::raw(format!(" {keys}")),
    };
    frame.render_widget(line, area);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_take_as_many_lines_as_the_width_demands() {
        let parts =
            ["LOSSES: 9,999,999 events and more in 12,345 gaps", "1,234,567 whose time is not proven", "3 more"];
        let parts = parts.map(String::from);
        assert_eq!(wrapped(&parts, 100).len(), 1);
        for width in [60, 72, 80, 99] {
            let lines = wrapped(&parts, width);
            assert!(lines.iter().all(|line| line.len() <= width), "{lines:?}");
            assert_eq!(lines.concat().split(';').map(str::trim).collect::<Vec<_>>(), parts);
        }
    }
}
