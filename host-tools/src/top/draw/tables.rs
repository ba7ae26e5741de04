//! Processors, threads, links.

use std::cmp::Ordering;

use ratatui::layout::{Alignment, Constraint, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Row, Table};
use ratatui::Frame;
use testbed_definitions::event::{DIAG_LOAD, DIAG_PROFILE, DIAG_READY};
use testbed_trace::analysis::fact::{Doing, ThreadState};
use testbed_trace::analysis::text;
use testbed_trace::capture::RunRecord;
use testbed_trace::summary::{processor_text, thread_text};
use testbed_trace::watch::{LinkView, ProcessorView, ThreadView};

use super::style::{columns, count, percent, short, Palette};
use super::title::title;
use crate::top::keys::{Panel, Sort};
use crate::top::screen::Screen;

/// From this width on there is room for threads and links beside each other; else the one that has the focus is shown.
pub const BESIDE: u16 = 78;
/// From this width on there are more columns.
const WIDE: u16 = 120;

/// Columns of a history, where there is much room and where there is little.
const HISTORY: (u16, u16) = (28, 12);

/// A column: its name, whether numbers stand in it, its width.
type Column = (&'static str, bool, Constraint);

/// The width that a column needs to show everything that is in it.
fn needed(column: &Column) -> u16 {
    match column.2 {
        Constraint::Min(width) | Constraint::Length(width) => width,
        _ => 0,
    }
}

/// Leaves out columns, in the order of `dispensable`, until the others fit: a number that is cut is another number.
fn fit(columns: Vec<Column>, width: u16, dispensable: &[&str]) -> Vec<Column> {
    let fits = |columns: &[Column]| {
        let gaps = columns.len().saturating_sub(1) as u16;
        columns.iter().map(needed).sum::<u16>() + gaps <= width
    };
    dispensable.iter().fold(columns, |columns, name| match fits(&columns) {
        true => columns,
        false => columns.into_iter().filter(|column| column.0 != *name).collect(),
    })
}

/// The cells of the columns that are shown, from those of all columns.
fn shown(cells: Vec<(&'static str, String)>, columns: &[Column]) -> Vec<String> {
    let is_shown = |name: &str| columns.iter().any(|column| column.0 == name);
    cells.into_iter().filter(|(name, _)| is_shown(name)).map(|(_, text)| text).collect()
}

/// The width of the longest name of a processor, within limits.
fn name_width(names: &[String]) -> u16 {
    names.iter().map(|name| name.chars().count()).max().unwrap_or(0).clamp(4, 12) as u16
}

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

/// Columns of the processors' table that narrow windows lack, the first to go first.
const DISPENSABLE: [&str; 5] = ["queue", "kern%", "gaps", "running", "user"];

pub fn processors(frame: &mut Frame, area: Rect, screen: &Screen, palette: Palette) -> usize {
    let Some(record) = &screen.record else { return 0 };
    let rows = &screen.view.processors;
    let wide = area.width >= WIDE;
    let history = if wide { HISTORY.0 } else { HISTORY.1 };
    let names = name_width(&record.machine.processors);
    let right = |name, width| (name, true, Constraint::Length(width));
    let mut shape: Vec<Column> = vec![
        ("processor", false, Constraint::Min(9)),
        right("ready", 5),
        ("queue", false, Constraint::Length(history)),
        ("running", false, Constraint::Length(if wide { 13 } else { (names + 5).max(11) })),
        right("user%", 5),
        right("kern%", 5),
        right("idle%", 5),
    ];
    if wide {
        shape.extend([right("untold%", 7), ("user", false, Constraint::Length(history))]);
    }
    if record.dgl & DIAG_LOAD != 0 {
        if record.dgl & (DIAG_PROFILE | DIAG_READY) == 0 {
            // What only events of those classes tell has no columns.
            shape.truncate(1);
        }
        shape.extend([right("load", 5), right("load%", 5)]);
    }
    shape.extend([right("events/s", 8), right("gaps", 4), right("lost", 6)]);
    let shape = fit(shape, area.width, &DISPENSABLE);
    let most =
        rows.iter().flat_map(|row| row.queue_history.iter().flatten()).fold(1.0, |most: f64, value| most.max(*value));
    let row = |number: usize| {
        let row: &ProcessorView = &rows[number];
        let share = |doings: &[Doing]| percent(doings.iter().map(|doing| row.shares[*doing as usize]).sum());
        let kernel = [Doing::Request, Doing::Message, Doing::Fault, Doing::Timer, Doing::Packing, Doing::Kernel];
        let ready = row.ready.map_or("?".into(), |ready| ready.to_string());
        let cells = vec![
            ("processor", processor_text(row.processor, &record.machine.processors)),
            ("ready", ready + if row.untold > 0 { "+" } else { "" }),
            ("queue", columns(&row.queue_history, most, history.into())),
            ("running", row.running.map_or("-".into(), |thread| thread_text(thread, &record.machine.processors))),
            ("user%", share(&[Doing::User])),
            ("kern%", share(&kernel)),
            ("idle%", share(&[Doing::Idle])),
            ("untold%", share(&[Doing::Untold, Doing::Unknown])),
            ("user", columns(&row.user_history, 1.0, history.into())),
            ("load", row.load.map_or("-".into(), |load| format!("{:.1}", load.average))),
            ("load%", row.load.map_or("-".into(), |load| percent(load.user))),
            ("events/s", short(row.event_rate)),
            ("gaps", count(row.gaps)),
            ("lost", count(row.lost) + if row.uncounted > 0 { "+?" } else { "" }),
        ];
        (shown(cells, &shape), if row.gaps > 0 { palette.bad() } else { Style::new() })
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
    let name = name_width(names);
    let shape: Vec<Column> = vec![
        ("thread", false, Constraint::Length(name + 6)),
        ("on", false, Constraint::Length(name)),
        ("state", false, Constraint::Min(18)),
        ("cpu%", true, Constraint::Length(5)),
        ("comms", true, Constraint::Length(5)),
    ];
    let shape = fit(shape, area.width, &["on", "comms"]);
    let row = |number: usize| {
        let thread = rows[number];
        let cells = vec![
            ("thread", thread_text(thread.thread, names)),
            ("on", processor_text(thread.processor, names)),
            ("state", doing(thread)),
            ("cpu%", percent(thread.share)),
            ("comms", count(thread.communications)),
        ];
        (shown(cells, &shape), palette.state(thread.state))
    };
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let scroll = screen.ui.scroll[Panel::Threads as usize];
    let (first, beyond) = table(frame, below, (&shape, palette.header()), scroll, rows.len(), row);
    let way = if screen.ui.reversed { ", reversed" } else { "" };
    let name = match not_recorded(record) {
        Some(why) => format!("Threads {why}"),
        None => format!("Threads by {}{way}", screen.ui.sort.name()),
    };
    let name = if frame.area().width < BESIDE { name + " (Tab for links)" } else { name };
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
