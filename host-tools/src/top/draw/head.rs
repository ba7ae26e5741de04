//! The lines above and below the tables.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::Frame;
use testbed_machine::units;
use testbed_trace::analysis::text::{grouped, time_text};
use testbed_trace::capture::RunRecord;

use super::style::{short, Palette};
use crate::top::screen::{Mode, Screen};

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
    frame.render_widget(what_runs(record, palette), left);
    frame.render_widget(figures(screen, record, palette), second);
}

fn what_runs(record: &RunRecord, palette: Palette) -> Line<'static> {
    let program = record.arguments.iter().fold(record.program.clone(), |line, argument| line + " " + argument);
    let machine = &record.machine;
    let rest = format!(
        "  {}: {} processors, {}; {}, kernel {}",
        machine.name,
        machine.processors.len(),
        units::print(machine.clock_hz.into(), units::HERTZ),
        record.engine,
        record.kernel.name()
    );
    Line::from(vec![Span::styled(format!(" {program}"), palette.strong()), Span::raw(rest)])
}

fn figures(screen: &Screen, record: &RunRecord, palette: Palette) -> Line<'static> {
    let view = &screen.view;
    let window = view.window.map_or(0, |window| window.cycles());
    let mut spans = vec![
        Span::styled(format!(" {}", time(view.now, record)), palette.strong()),
        Span::raw(format!("  window {}", time(window, record))),
        Span::raw(format!("  {} events, {}/s", grouped(view.events), short(view.event_rate))),
    ];
    if let Some(rate) = screen.engine_rate {
        spans.push(Span::raw(format!("  engine {} cycles/s", short(rate))));
    }
    if let Some(rate) = screen.read_rate.filter(|rate| *rate >= 0.5) {
        spans.push(Span::raw(format!("  reading {}/s", short(rate))));
    }
    Line::from(spans)
}

/// What is lost, not proven, damaged.
pub fn losses(frame: &mut Frame, area: Rect, screen: &Screen, palette: Palette) {
    let uncertain = &screen.view.uncertainty;
    let uncounted: u64 = screen.view.processors.iter().map(|processor| processor.uncounted).sum();
    let mut parts = Vec::new();
    if uncertain.gaps > 0 {
        let more = if uncounted > 0 { format!(" and {uncounted} losses without a count") } else { String::new() };
        parts.push(format!("{} events in {} gaps{more}", grouped(uncertain.discarded), grouped(uncertain.gaps)));
    }
    let counts = [
        (uncertain.ambiguous, "whose time is not proven"),
        (uncertain.doubtful, "that may be misread"),
        (uncertain.deviations, "against the protocols"),
    ];
    parts.extend(
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{} {what}", grouped(*count))),
    );
    if let Some(damage) = screen.damage.first() {
        let more =
            if screen.damage.len() > 1 { format!(" and {} more", screen.damage.len() - 1) } else { String::new() };
        parts.push(format!("DAMAGED{more}: {damage}"));
    }
    let line = match parts.is_empty() {
        true => Line::raw(" Losses: none"),
        false => Line::styled(format!(" LOSSES: {}", parts.join("; ")), palette.bad()),
    };
    frame.render_widget(line, area);
}

/// What keys do; or what is to be known now.
pub fn foot(frame: &mut Frame, area: Rect, screen: &Screen, palette: Palette) {
    let keys = "q quit  space pause  + - speed  . step  g G start, end  Tab s r  ? help";
    let word = match (&screen.mode, &screen.last_event, &screen.waiting) {
        (Mode::Ended(how), ..) => Some(format!("{how}: q quit, g again, ? help")),
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
