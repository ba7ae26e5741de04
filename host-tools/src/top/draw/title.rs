//! Titles of panels.

use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::Frame;

use super::style::Palette;
use crate::top::keys::Panel;
use crate::top::screen::Screen;

/// The title of a panel: what it is, and which part of it is shown.
pub fn title(
    frame: &mut Frame,
    area: Rect,
    (panel, screen): (Panel, &Screen),
    palette: Palette,
    name: &str,
    rows: (usize, usize, usize),
) {
    let (first, shown, all) = rows;
    let sign = if screen.ui.focus == panel { ">" } else { " " };
    let part = match shown {
        shown if shown == all => all.to_string(),
        0 => format!("0 of {all}"),
        shown => format!("{}-{} of {all}", first + 1, first + shown),
    };
    let style = palette.title(screen.ui.focus == panel);
    frame.render_widget(Line::styled(format!("{sign}{name}: {part} "), style), Rect { height: 1, ..area });
}
