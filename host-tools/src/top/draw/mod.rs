//! A frame, which is a pure function of the screen.

mod head;
mod style;
mod tables;
mod title;

use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Clear, Paragraph};
use ratatui::Frame;

use super::keys::{Panel, HELP};
use super::screen::{Mode, Screen};
use style::Palette;
use tables::BESIDE;
use title::title;

/// Less than that shows nothing that helps.
const LEAST: (u16, u16) = (60, 14);
/// Lines of the console, if there is so little room that others need it more, and most.
const CONSOLE: (u16, u16) = (3, 10);

/// Lines of each panel that lie beyond those shown, as [`super::keys::Ui::bound`] takes them.
pub type Beyond = [usize; Panel::ALL.len()];

/// Where the parts of a frame are.
struct Parts {
    head: Rect,
    processors: Rect,
    threads: Rect,
    links: Rect,
    losses: Rect,
    console: Rect,
    foot: Rect,
}

impl Parts {
    /// `processors`: how many have a row. `losses`: lines for these.
    fn new(area: Rect, processors: usize, losses: u16) -> Self {
        let spare = area.height.saturating_sub(24);
        // Lines of everything else, with two rows of processors and four of the tables below.
        let others = 10 + losses;
        let console = (CONSOLE.0 + spare / 3).min(CONSOLE.1).min(area.height.saturating_sub(others));
        // A line for the title and one for the columns' names, and never so many that there is no room for threads.
        let rows = (processors as u16 + 1).min(area.height.saturating_sub(console + 12.max(others))).max(2);
        let [head, processors, middle, losses, console, foot] = Layout::vertical([
            Constraint::Length(2),
            Constraint::Length(rows),
            Constraint::Min(4),
            Constraint::Length(losses),
            Constraint::Length(console + 1),
            Constraint::Length(1),
        ])
        .areas(area);
        let links = if area.width < 100 { 25 } else { 44 };
        let beside = [Constraint::Min(40), Constraint::Length(1), Constraint::Length(links)];
        let [threads, _, links] = match area.width < BESIDE {
            // One of them, as wide as the window.
            true => [middle; 3],
            false => Layout::horizontal(beside).areas(middle),
        };
        Parts { head, processors, threads, links, losses, console, foot }
    }
}

/// Draws a frame. Returns how much there is to scroll.
pub fn draw(frame: &mut Frame, screen: &Screen) -> Beyond {
    let area = frame.area();
    let palette = Palette { colours: screen.colours };
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("the window is too small: {} x {} at least", LEAST.0, LEAST.1);
        frame.render_widget(Paragraph::new(text), area);
        return Beyond::default();
    }
    let mut losses = head::losses(screen, area.width, palette);
    losses.splice(0..0, head::requests(screen, area.width, palette));
    losses.splice(0..0, head::supersteps(screen, area.width, palette));
    let parts = Parts::new(area, screen.view.processors.len(), losses.len() as u16);
    head::head(frame, parts.head, screen, palette);
    let mut beyond = Beyond::default();
    if screen.record.is_some() {
        beyond[Panel::Processors as usize] = tables::processors(frame, parts.processors, screen, palette);
        let (beside, is_links) = (area.width >= BESIDE, screen.ui.focus == Panel::Links);
        if beside || !is_links {
            beyond[Panel::Threads as usize] = tables::threads(frame, parts.threads, screen, palette);
        }
        if beside || is_links {
            beyond[Panel::Links as usize] = tables::links(frame, parts.links, screen, palette);
        }
        frame.render_widget(Text::from(losses), parts.losses);
        beyond[Panel::Console as usize] = console(frame, parts.console, screen, palette);
    } else if let Mode::Starting(words) = &screen.mode {
        frame.render_widget(Paragraph::new(words.as_str()), parts.processors);
    }
    head::foot(frame, parts.foot, screen, palette);
    if screen.ui.help {
        help(frame, area, palette);
    }
    beyond
}

/// The end of what the programs printed.
fn console(frame: &mut Frame, area: Rect, screen: &Screen, palette: Palette) -> usize {
    let rows = usize::from(area.height).saturating_sub(1);
    let beyond = screen.console.len().saturating_sub(rows);
    let first = beyond - screen.ui.scroll[Panel::Console as usize].min(beyond);
    let shown = &screen.console[first..(first + rows).min(screen.console.len())];
    // What was printed has no time-stamps: of a run that is over all is there.
    let is_over = screen.record.as_ref().is_some_and(|record| record.complete);
    let name = if is_over { "Console of the whole run" } else { "Console" };
    title(frame, area, (Panel::Console, screen), palette, name, (first, shown.len(), screen.console.len()));
    let lines: Vec<Line> = shown.iter().map(|line| Line::raw(format!(" {line}"))).collect();
    frame.render_widget(Paragraph::new(lines), Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area });
    beyond
}

fn help(frame: &mut Frame, area: Rect, palette: Palette) {
    let wide = HELP.iter().map(|(keys, _)| keys.len()).max().unwrap_or(0);
    let lines: Vec<Line> = HELP.iter().map(|(keys, what)| Line::raw(format!("{keys:<wide$}  {what}"))).collect();
    let width = lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 4;
    let height = lines.len() as u16 + 2;
    let (x, y) = (area.width.saturating_sub(width) / 2, area.height.saturating_sub(height) / 2);
    let place = Rect { x, y, width, height }.intersection(area);
    frame.render_widget(Clear, place);
    frame.render_widget(Block::bordered().title(Line::styled(" Keys ", palette.strong())), place);
    frame.render_widget(Paragraph::new(lines), place.inner(Margin { horizontal: 2, vertical: 1 }));
}
