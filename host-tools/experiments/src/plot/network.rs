//! Threads by processor, and the channels between them as arrows.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::check::{self, PlotError};
use super::number::count;
use super::text::{lines, put, tenths, width, Anchor};
use crate::model::{Channel, Network};

/// Between processors, and between threads of one.
const ACROSS: f64 = 165.0;
const DOWN: f64 = 96.0;
/// From the row of the thread that starts the others to theirs: its arrows need room to spread.
const BELOW_HUB: f64 = 150.0;
const RADIUS: f64 = 19.0;
const SIZE: f64 = 12.0;
const LEADING: f64 = 14.0;
/// Left and right of the outermost threads; left if arrows bend there.
const SIDE: f64 = 64.0;
const BENT_SIDE: f64 = 190.0;
/// Above the first row: processors' names.
const TOP: f64 = 62.0;
/// Length and half width of an arrow's head.
const HEAD: (f64, f64) = (9.0, 4.5);
/// Channels that a thread must have more than any other to stand above them.
const HUB: usize = 2;

type Point = (f64, f64);

/// Where threads are.
struct Grid<'a> {
    /// Names of the processors that have threads.
    names: Vec<&'a str>,
    columns: Vec<usize>,
    rows: Vec<usize>,
    /// Whether row 0 is the hub's alone.
    hub: bool,
    /// What is left of the first column, and right of the last.
    left: f64,
    right: f64,
}

/// A network as an SVG element.
///
/// # Errors
/// A thread's processor or a channel's thread that there is not.
pub fn network(network: &Network) -> Result<String, PlotError> {
    check::network(network)?;
    let grid = Grid::of(network);
    let wide = grid.left + grid.right + ACROSS * grid.names.len().saturating_sub(1) as f64;
    let rows = grid.rows.iter().max().map_or(0, |row| row + 1);
    let high = TOP + if rows == 0 { 0.0 } else { grid.y(rows - 1) + 2.0 * RADIUS };
    let mut out = String::new();
    let label =
        format!("{} threads on {} processors, and their channels", network.threads.len(), network.processors.len());
    let _ = write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="network" role="img" aria-label="{label}" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}">"#
    );
    for (column, name) in grid.names.iter().enumerate() {
        let middle = grid.left + ACROSS * column as f64;
        for (index, line) in lines(name, ACROSS - 10.0, SIZE).iter().take(2).enumerate() {
            put(&mut out, "processor", (middle, 18.0 + LEADING * index as f64), Anchor::Middle, line);
        }
    }
    let mut labels = String::new();
    for (&(from, to), channels) in &arrows(network) {
        arrow(&grid, (from, to), channels, arrows(network).contains_key(&(to, from)), &mut out, &mut labels);
    }
    for (thread, (name, _)) in network.threads.iter().enumerate() {
        let (x, y) = grid.place(thread);
        let _ = write!(out, r#"<circle class="thread" cx="{}" cy="{}" r="{RADIUS}"/>"#, tenths(x), tenths(y));
        put(&mut out, "thread", (x, y + 4.5), Anchor::Middle, name);
    }
    Ok(out + &labels + "</svg>")
}

/// Channels by their threads.
fn arrows(network: &Network) -> BTreeMap<(usize, usize), Vec<&Channel>> {
    let mut arrows: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for channel in &network.channels {
        arrows.entry((channel.from, channel.to)).or_default().push(channel);
    }
    arrows
}

impl<'a> Grid<'a> {
    fn of(network: &'a Network) -> Self {
        let mut out_of = vec![0; network.threads.len()];
        network.channels.iter().for_each(|channel| out_of[channel.from] += 1);
        let most = out_of.iter().copied().max().unwrap_or(0);
        let second = out_of.iter().copied().filter(|&others| others < most).max().unwrap_or(0);
        let hub = (out_of.iter().filter(|&&others| others == most).count() == 1 && most >= second + HUB)
            .then(|| out_of.iter().position(|&others| others == most))
            .flatten();
        let mut free = vec![usize::from(hub.is_some()); network.processors.len()];
        let rows = network.threads.iter().enumerate().map(|(thread, &(_, processor))| {
            if hub == Some(thread) {
                0
            } else {
                free[processor] += 1;
                free[processor] - 1
            }
        });
        let rows = rows.collect();
        let used: Vec<usize> = (0..network.processors.len())
            .filter(|processor| network.threads.iter().any(|(_, place)| place == processor))
            .collect();
        let names = used.iter().map(|&processor| network.processors[processor].as_str()).collect();
        let column = |&(_, place): &(String, usize)| used.iter().position(|&processor| processor == place).unwrap_or(0);
        let columns = network.threads.iter().map(column).collect();
        let mut grid = Grid { names, columns, rows, hub: hub.is_some(), left: SIDE, right: SIDE };
        for channel in &network.channels {
            let (from, to) = (channel.from, channel.to);
            let side = grid.aside(from, to);
            if side < 0.0 && grid.columns[from] == 0 {
                grid.left = BENT_SIDE;
            }
            if side > 0.0 && grid.columns[from] + 1 == used.len() {
                grid.right = BENT_SIDE;
            }
        }
        grid
    }

    fn y(&self, row: usize) -> f64 {
        match (self.hub, row) {
            (_, 0) => 0.0,
            (true, row) => BELOW_HUB + DOWN * (row - 1) as f64,
            (false, row) => DOWN * row as f64,
        }
    }

    fn place(&self, thread: usize) -> Point {
        (self.left + ACROSS * self.columns[thread] as f64, TOP + self.y(self.rows[thread]))
    }

    /// How far to the side an arrow between threads of one processor goes, so that it passes by
    /// those between: downwards on the left.
    fn aside(&self, from: usize, to: usize) -> f64 {
        let down = self.rows[to] as f64 - self.rows[from] as f64;
        if self.columns[to] == self.columns[from] && down.abs() > 1.0 {
            -down.signum() * (40.0 + 30.0 * down.abs())
        } else {
            0.0
        }
    }

    /// How far an arrow bends to the left of its way, so that it passes by what lies between, or by the one back.
    fn bend(&self, from: usize, to: usize, both_ways: bool) -> f64 {
        let across = self.columns[to] as f64 - self.columns[from] as f64;
        if self.rows[to] == self.rows[from] && across.abs() > 1.0 {
            return across.signum() * (30.0 + 16.0 * across.abs());
        }
        if both_ways {
            18.0
        } else {
            0.0
        }
    }
}

/// One arrow for all channels from a thread to another, with a line for each beside it.
fn arrow(
    grid: &Grid,
    (from, to): (usize, usize),
    channels: &[&Channel],
    both: bool,
    out: &mut String,
    labels: &mut String,
) {
    let (start, end) = (grid.place(from), grid.place(to));
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let length = dx.hypot(dy);
    let remote = channels.iter().any(|channel| channel.remote);
    let class = if remote { "channel remote" } else { "channel" };
    if length == 0.0 {
        // To itself: a loop on the right.
        let (x, y) = start;
        let _ = write!(
            out,
            r#"<path class="{class}" d="M{} {}a14 14 0 1 1 0 24"/>"#,
            tenths(x + RADIUS - 3.0),
            tenths(y - 12.0)
        );
        return label(labels, (x + RADIUS + 28.0, y), Anchor::Start, channels);
    }
    let aside = grid.aside(from, to);
    // From the thread that starts the others arrows spread, and arrive from above at the first row,
    // from the side at others.
    let fan = grid.hub && grid.rows[from] == 0 && dx != 0.0;
    let bend = grid.bend(from, to, both);
    let left = (dy / length, -dx / length);
    let bent = ((start.0 + end.0) / 2.0 + left.0 * bend, (start.1 + end.1) / 2.0 + left.1 * bend);
    let [first, second] = match (fan, grid.rows[to]) {
        _ if aside != 0.0 => [(start.0 + aside, start.1), (end.0 + aside, end.1)],
        (true, 1) => [(end.0 - dx.signum() * 12.0, start.1); 2],
        (true, _) => [(start.0, end.1 - dy.signum() * 12.0); 2],
        _ => [bent; 2],
    };
    let (tail, tip) = (towards(start, first, RADIUS), towards(end, second, RADIUS + 1.0));
    let neck = towards(tip, second, HEAD.0 - 1.0);
    let path = [tail, first, second, neck].map(|(x, y)| format!("{} {}", tenths(x), tenths(y)));
    let _ = write!(out, r#"<path class="{class}" d="M{}C{} {} {}"/>"#, path[0], path[1], path[2], path[3]);
    head(out, class, tip, towards(tip, second, HEAD.0));
    let middle = cubic([start, first, second, end], 0.5);
    let (place, anchor) = if aside != 0.0 {
        // Above the arrow's end.
        ((end.0 + aside.signum() * (RADIUS + 8.0), end.1 - 11.0), if aside < 0.0 { Anchor::End } else { Anchor::Start })
    } else if fan && grid.rows[to] == 1 {
        ((end.0 + 9.0, end.1 - 54.0), Anchor::Start)
    } else if fan {
        ((end.0 - dx.signum() * (RADIUS + 36.0), end.1 - 25.0), Anchor::Middle)
    } else if dx == 0.0 {
        ((middle.0 + 7.0, middle.1), Anchor::Start)
    } else {
        ((middle.0, middle.1 - 6.0 - LEADING * channels.len() as f64 / 2.0), Anchor::Middle)
    };
    label(labels, place, anchor, channels);
}

/// From a point so far in the direction of another.
fn towards((x, y): Point, (to_x, to_y): Point, far: f64) -> Point {
    let length = (to_x - x).hypot(to_y - y).max(f64::MIN_POSITIVE);
    (x + (to_x - x) / length * far, y + (to_y - y) / length * far)
}

fn cubic([a, b, c, d]: [Point; 4], part: f64) -> Point {
    let rest = 1.0 - part;
    let at = |a: f64, b: f64, c: f64, d: f64| {
        rest.powi(3) * a + 3.0 * rest * part * (rest * b + part * c) + part.powi(3) * d
    };
    (at(a.0, b.0, c.0, d.0), at(a.1, b.1, c.1, d.1))
}

fn head(out: &mut String, class: &str, tip: Point, back: Point) {
    let across = ((tip.1 - back.1) / HEAD.0 * HEAD.1, (back.0 - tip.0) / HEAD.0 * HEAD.1);
    let corners = [tip, (back.0 + across.0, back.1 + across.1), (back.0 - across.0, back.1 - across.1)];
    let corners = corners.map(|(x, y)| format!("{} {}", tenths(x), tenths(y))).join("L");
    let _ = write!(out, r#"<path class="head {class}" d="M{corners}z"/>"#);
}

/// Number and count of each channel, one below the other around a place.
fn label(out: &mut String, (x, y): Point, anchor: Anchor, channels: &[&Channel]) {
    let first = y - LEADING * (channels.len() as f64 - 1.0) / 2.0 + 4.0;
    for (index, channel) in channels.iter().enumerate() {
        let class = if channel.remote { "count remote" } else { "count" };
        let text = format!("{}: {}", channel.number, count(channel.count));
        // Within the picture's left edge.
        let x = if anchor == Anchor::End { x.max(width(&text, SIZE) + 2.0) } else { x };
        put(out, class, (x, first + LEADING * index as f64), anchor, &text);
    }
}
