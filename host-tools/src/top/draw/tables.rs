//! Processors, threads, links.

use std::cmp::Ordering;

use ratatui::layout::{Alignment, Constraint, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Row, Table};
use ratatui::Frame;
use testbed_definitions::event::{DIAG_PROFILE, DIAG_READY};
use testbed_trace::analysis::fact::{Doing, ThreadState};
use testbed_trace::analysis::text;
use testbed_trace::capture::RunRecord;
use testbed_trace::summary::{processor_text, thread_text};
use testbed_trace::watch::{LinkView, ProcessorView, ThreadView};

use super::style::{columns, count, percent, short, Palette};
use super::title;
use crate::top::keys::{Panel, Sort};
use crate::top::screen::Screen;

/// From this width on there are more columns.
const WIDE: u16 = 120;

/// A column: its name, whether numbers stand in it, its width.
type Column = (&'static str, bool, Constraint);

fn cell(text: String, right: bool) -> Cell<'static> {
    let alignment = if right { Alignment::Right } else { Alignment::Left };
    Cell::from(Text::from(Line::raw(text).alignment(alignment)))
}

/// Draws the rows that fit below their columns' names. Returns how many there are beyond.
fn table(
    frame: &mut Frame,
    area: Rect,
    (columns, header): (&[Column], Style),
    scroll: usize,
    count: usize,
    row: impl Fn(usize) -> (Vec<String>, Style),
) -> (usize, usize) {
    let fit = usize::from(area.height).saturating_sub(1);
    let beyond = count.saturating_sub(fit);
    let first = scroll.min(beyond);
    let names = columns.iter().map(|(name, right, _)| cell((*name).into(), *right).style(header));
    let rows = (first..(first + fit).min(count)).map(|number| {
        let (cells, style) = row(number);
        Row::new(cells.into_iter().zip(columns).map(|(text, (_, right, _))| cell(text, *right))).style(style)
    });
    let widths: Vec<_> = columns.iter().map(|(.., width)| *width).collect();
    frame.render_widget(Table::new(rows, widths).header(Row::new(names)).column_spacing(1), area);
    (first, beyond)
}

/// Which events a run has not recorded, if that leaves a table empty.
fn not_recorded(record: &RunRecord) -> Option<&'static str> {
    match record.dgl & (DIAG_PROFILE | DIAG_READY) {
        DIAG_PROFILE => None,
        DIAG_READY => Some("not recorded: class ready tells of queues only"),
        _ => Some("not recorded: run with --dgl profile+timer+user+detail"),
    }
}

pub fn processors(frame: &mut Frame, area: Rect, screen: &Screen, palette: Palette) -> usize {
    let Some(record) = &screen.record else { return 0 };
    let rows = &screen.view.processors;
    let wide = area.width >= WIDE;
    let history = if wide { 28 } else { 12 };
    let right = |name, width| (name, true, Constraint::Length(width));
    let mut shape: Vec<Column> = vec![
        ("processor", false, Constraint::Min(9)),
        right("ready", 5),
        ("queue", false, Constraint::Length(history)),
        ("running", false, Constraint::Length(if wide { 13 } else { 11 })),
        right("user%", 5),
        right("kern%", 5),
        right("idle%", 5),
    ];
    if wide {
        shape.extend([right("untold%", 7), ("user", false, Constraint::Length(history))]);
    }
    shape.extend([right("events/s", 8), right("gaps", 4), right("lost", 6)]);
    let most =
        rows.iter().flat_map(|row| row.queue_history.iter().flatten()).fold(1.0, |most: f64, value| most.max(*value));
    let row = |number: usize| {
        let row: &ProcessorView = &rows[number];
        let share = |doings: &[Doing]| percent(doings.iter().map(|doing| row.shares[*doing as usize]).sum());
        let kernel = [Doing::Request, Doing::Message, Doing::Fault, Doing::Timer, Doing::Packing, Doing::Kernel];
        let ready = row.ready.map_or("?".into(), |ready| ready.to_string());
        let mut cells = vec![
            processor_text(row.processor, &record.machine.processors),
            ready + if row.untold > 0 { "+" } else { "" },
            columns(&row.queue_history, most, history.into()),
            row.running.map_or("-".into(), |thread| thread_text(thread, &record.machine.processors)),
            share(&[Doing::User]),
            share(&kernel),
            share(&[Doing::Idle]),
        ];
        if wide {
            cells.extend([share(&[Doing::Untold, Doing::Unknown]), columns(&row.user_history, 1.0, history.into())]);
        }
        let lost = count(row.lost) + if row.uncounted > 0 { "+?" } else { "" };
        cells.extend([short(row.event_rate), count(row.gaps), lost]);
        (cells, if row.gaps > 0 { palette.bad() } else { Style::new() })
    };
    let scroll = screen.ui.scroll[Panel::Processors as usize];
    let focused = screen.ui.focus == Panel::Processors;
    let (_, beyond) =
        table(frame, area, (&shape, palette.title(focused).patch(palette.header())), scroll, rows.len(), row);
    beyond
}

/// The threads in the order that the user wants.
fn sorted(screen: &Screen) -> Vec<&ThreadView> {
    let mut threads: Vec<_> = screen.view.threads.iter().collect();
    let order = |one: &&ThreadView, other: &&ThreadView| -> Ordering {
        let first = match screen.ui.sort {
            Sort::Share => other.share.total_cmp(&one.share),
            Sort::Communications => other.communications.cmp(&one.communications),
            Sort::State => one.state.cmp(&other.state),
            Sort::Processor => one.processor.cmp(&other.processor),
            Sort::Thread => Ordering::Equal,
        };
        let order = first.then(one.thread.cmp(&other.thread));
        if screen.ui.reversed {
            order.reverse()
        } else {
            order
        }
    };
    threads.sort_by(order);
    threads
}

/// What a thread does, in words.
fn doing(thread: &ThreadView) -> String {
    match thread.state {
        ThreadState::Channel | ThreadState::Page | ThreadState::Call => format!("blocked: {}", text::on(thread.on)),
        ThreadState::Children => "waits for children".into(),
        state => state.name().into(),
    }
}

pub fn threads(frame: &mut Frame, area: Rect, screen: &Screen, palette: Palette) -> usize {
    let Some(record) = &screen.record else { return 0 };
    let names = &record.machine.processors;
    let rows = sorted(screen);
    // As wide as the names need, so that there is room for what a thread is blocked on.
    let name = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).clamp(4, 12) as u16;
    let shape: [Column; 5] = [
        ("thread", false, Constraint::Length(name + 6)),
        ("on", false, Constraint::Length(name)),
        ("state", false, Constraint::Min(18)),
        ("cpu%", true, Constraint::Length(5)),
        ("comms", true, Constraint::Length(5)),
    ];
    let row = |number: usize| {
        let thread = rows[number];
        let cells = vec![
            thread_text(thread.thread, names),
            processor_text(thread.processor, names),
            doing(thread),
            percent(thread.share),
            count(thread.communications),
        ];
        (cells, palette.state(thread.state))
    };
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let scroll = screen.ui.scroll[Panel::Threads as usize];
    let (first, beyond) = table(frame, below, (&shape, palette.header()), scroll, rows.len(), row);
    let way = if screen.ui.reversed { ", reversed" } else { "" };
    let name = match not_recorded(record) {
        Some(why) => format!("Threads {why}"),
        None => format!("Threads by {}{way}", screen.ui.sort.name()),
    };
    title(frame, area, (Panel::Threads, screen), palette, &name, (first, rows.len() - beyond, rows.len()));
    beyond
}

pub fn links(frame: &mut Frame, area: Rect, screen: &Screen, palette: Palette) -> usize {
    let Some(record) = &screen.record else { return 0 };
    let names = &record.machine.processors;
    let mut rows: Vec<&LinkView> = screen.view.links.iter().collect();
    // The busiest first; where none is, they keep their places.
    rows.sort_by(|one, other| {
        let load = |link: &LinkView| link.packet_rate;
        load(other).total_cmp(&load(one)).then((one.from, one.to).cmp(&(other.from, other.to)))
    });
    let wide = area.width >= 40;
    let mut shape: Vec<Column> = vec![
        ("link", false, Constraint::Min(12)),
        ("comm/s", true, Constraint::Length(6)),
        ("pkt/s", true, Constraint::Length(5)),
    ];
    if wide {
        shape.extend([("under way", true, Constraint::Length(9)), ("packets", true, Constraint::Length(7))]);
    }
    let row = |number: usize| {
        let link = rows[number];
        let to = link.to.map_or("all".into(), |to| processor_text(to, names));
        let mut cells = vec![
            format!("{}>{to}", processor_text(link.from, names)),
            short(link.communication_rate),
            short(link.packet_rate),
        ];
        if wide {
            cells.extend([link.under_way.to_string(), count(link.packets)]);
        }
        (cells, Style::new())
    };
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let scroll = screen.ui.scroll[Panel::Links as usize];
    let (first, beyond) = table(frame, below, (&shape, palette.header()), scroll, rows.len(), row);
    title(frame, area, (Panel::Links, screen), palette, "Links", (first, rows.len() - beyond, rows.len()));
    beyond
}
