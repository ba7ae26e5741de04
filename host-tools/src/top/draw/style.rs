//! Letters and colours. Colours are the terminal's own, and none says anything that words or signs don't say too.

use ratatui::style::{Color, Modifier, Style};

use testbed_trace::analysis::fact::ThreadState;

/// Heights of a column, from nothing to full.
const HEIGHTS: [char; 9] =
    ['_', '\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];
/// Stands where a value is not known.
const UNKNOWN: char = '?';

/// Which styles may be used.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    pub colours: bool,
}

impl Palette {
    fn coloured(self, style: Style, colour: Color) -> Style {
        if self.colours {
            style.fg(colour)
        } else {
            style
        }
    }

    /// What stands out: names of things, figures of the head.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The title of a table, which has the focus or not.
    pub fn title(self, focus: bool) -> Style {
        if focus {
            Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED)
        } else {
            Style::new().add_modifier(Modifier::BOLD)
        }
    }

    /// Columns' names.
    pub fn header(self) -> Style {
        Style::new().add_modifier(Modifier::UNDERLINED)
    }

    /// What goes on.
    pub fn mode(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED)
    }

    /// Losses and damage.
    pub fn bad(self) -> Style {
        self.coloured(Style::new().add_modifier(Modifier::BOLD), Color::Red)
    }

    pub fn state(self, state: ThreadState) -> Style {
        match state {
            ThreadState::Running => self.coloured(Style::new(), Color::Green),
            ThreadState::Unknown => self.coloured(Style::new(), Color::Red),
            _ => Style::new(),
        }
    }
}

/// The last `width` values as columns, of which `most` is full; blanks where there is nothing yet.
pub fn columns(values: &[Option<f64>], most: f64, width: usize) -> String {
    let shown = &values[values.len().saturating_sub(width)..];
    let column = |value: &Option<f64>| match value {
        None => UNKNOWN,
        Some(value) if *value <= 0.0 || most <= 0.0 => HEIGHTS[0],
        // However little there is, it is seen.
        Some(value) => HEIGHTS[((value / most * 8.0).round() as usize).clamp(1, 8)],
    };
    let blanks = std::iter::repeat_n(' ', width - shown.len());
    blanks.chain(shown.iter().map(column)).collect()
}

/// A number in at most five characters: `0`, `7.5`, `123`, `4.56k`.
pub fn short(number: f64) -> String {
    let scaled = |scale: f64, unit: &str| {
        let value = number / scale;
        match value {
            value if value < 9.995 => format!("{value:.2}{unit}"),
            value if value < 99.95 => format!("{value:.1}{unit}"),
            value => format!("{value:.0}{unit}"),
        }
    };
    match number {
        0.0 => "0".into(),
        n if n < 9.95 => format!("{n:.1}"),
        n if n < 999.5 => format!("{n:.0}"),
        n if n < 999.5e3 => scaled(1e3, "k"),
        n if n < 999.5e6 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// A count in at most five characters.
pub fn count(number: u64) -> String {
    match number {
        0..=999 => number.to_string(),
        _ => short(number as f64),
    }
}

/// A share as per cent.
pub fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_show_the_newest_values() {
        let values = [Some(8.0), None, Some(0.0), Some(0.01), Some(4.0), Some(8.0)];
        assert_eq!(columns(&values, 8.0, 8), "  \u{2588}?_\u{2581}\u{2584}\u{2588}");
        assert_eq!(columns(&values, 8.0, 3), "\u{2581}\u{2584}\u{2588}");
        assert_eq!(columns(&[Some(0.0)], 0.0, 2), " _");
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 0.26, 9.94, 9.96, 999.4, 1_234.0, 45_678.0, 999_400.0, 1e6, 61.2e6, 2.5e9].map(short);
        assert_eq!(shown, ["0", "0.3", "9.9", "10", "999", "1.23k", "45.7k", "999k", "1.00M", "61.2M", "2.50G"]);
    }
}
