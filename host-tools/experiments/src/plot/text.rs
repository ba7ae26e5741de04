//! Text in an SVG: made safe, measured, broken into lines.

use std::fmt::Write;

use testbed_trace::report::escape;

/// Text as XML that shows it, in an element or a quoted attribute. What XML can't hold is shown as
/// the replacement character.
pub(crate) fn xml(text: &str) -> String {
    let allowed = |character: &char| {
        matches!(character, '\t' | '\n' | '\r') || *character >= ' ' && !matches!(character, '\u{fffe}' | '\u{ffff}')
    };
    escape(&text.chars().map(|character| if allowed(&character) { character } else { '\u{fffd}' }).collect::<String>())
}

/// Which point of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// Appends a text of a class, its base line at a place.
pub(crate) fn put(out: &mut String, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
    let _ = write!(
        out,
        r#"<text class="{class}" x="{}" y="{}" text-anchor="{}">{}</text>"#,
        tenths(x),
        tenths(y),
        anchor.name(),
        xml(text)
    );
}

/// A coordinate with at most one decimal.
pub(crate) fn tenths(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // Without the sign of -0.
    format!("{}", rounded + 0.0)
}

/// Width of a character in a sans-serif face, in its size; somewhat more than most faces have.
fn em(character: char) -> f64 {
    match character {
        'i' | 'l' | 'j' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | '!' | ' ' | '\u{202f}' => 0.32,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' | '[' | ']' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.9,
        'A'..='Z' | '×' | '−' | '+' => 0.7,
        _ => 0.58,
    }
}

/// About how wide a text is.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// A text in lines no wider than this, broken between words; a word that is wider by itself is broken anywhere.
pub(crate) fn lines(text: &str, room: f64, size: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    // Not at spaces that don't break, such as those between thousands.
    for word in text.split([' ', '\n', '\t']).filter(|word| !word.is_empty()) {
        let longer = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
        if width(&longer, size) <= room {
            line = longer;
            continue;
        }
        lines.extend((!line.is_empty()).then(|| std::mem::take(&mut line)));
        for character in word.chars() {
            if width(&line, size) + em(character) * size > room && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    lines.extend((!line.is_empty()).then_some(line));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_lose_nothing() {
        let text = "overflow emits pairs at a rate that the experimenter sets; Donaudampfschifffahrtsgesellschaft";
        let broken = lines(text, 90.0, 12.0);
        assert!(broken.iter().all(|line| width(line, 12.0) <= 90.0), "{broken:?}");
        assert_eq!(broken.concat().replace(' ', ""), text.replace(' ', ""));
        assert_eq!(lines("  ", 90.0, 12.0), Vec::<String>::new());
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(xml("a\u{0}<b>&\u{ffff}\t"), "a\u{fffd}&lt;b&gt;&amp;\u{fffd}\t");
        assert_eq!(tenths(-0.01), "0");
        assert_eq!(tenths(12.34), "12.3");
    }
}
