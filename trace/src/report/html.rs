//! Data, style and script put into one page that needs nothing else.

/// The page without its parts, which stand where `{{NAME}}` is.
const TEMPLATE: &str = include_str!("page.html");
pub const STYLE: &str = include_str!("page.css");
/// The scripts that draw a time-line, in the order in which they need each other.
pub const LIVE_SCRIPTS: [&str; 6] = [
    include_str!("words.js"),
    include_str!("build.js"),
    include_str!("lanes.js"),
    include_str!("timeline.js"),
    include_str!("pointer.js"),
    include_str!("controls.js"),
];
/// What a report has besides; one script at last.
const REPORT_SCRIPTS: [&str; 5] = [
    include_str!("sections.js"),
    include_str!("protocols.js"),
    include_str!("balance.js"),
    include_str!("supersteps.js"),
    include_str!("tables.js"),
];

/// Text as HTML that shows it, in an element or a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// JSON that may stand in a script element: nothing in it can end the element or begin a comment.
/// It is the same JSON, since these characters occur in strings only.
pub fn embeddable(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            other => out.push(other),
        }
    }
    out
}

/// Scripts as one, whose names are its own.
pub fn script(scripts: &[&str]) -> String {
    format!("(() => {{\n\"use strict\";\n{}}})();\n", scripts.concat())
}

/// A page from its template, in which each `{{NAME}}` is replaced by what `part` has for it.
///
/// # Panics
/// If a place is not closed, or `part` has nothing for it.
pub fn filled(template: &str, part: impl Fn(&str) -> Option<String>) -> String {
    // From the front, so that what a part holds is never taken for a place.
    let (mut out, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("every place in a page is closed");
        out.push_str(before);
        out.push_str(&part(name).unwrap_or_else(|| panic!("a page asks for {name}, which there is not")));
        rest = after;
    }
    out + rest
}

/// The page with this title and these data (JSON).
pub fn page(title: &str, json: &str) -> String {
    filled(TEMPLATE, |name| {
        Some(match name {
            "TITLE" => escape(title),
            "STYLE" => STYLE.into(),
            "DATA" => embeddable(json),
            "SCRIPT" => script(&[&LIVE_SCRIPTS[..], &REPORT_SCRIPTS[..]].concat()),
            _ => return None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_the_same_and_can_t_leave_its_element() {
        let hostile = "</script><!--<script>&amp;\u{2028}\"\\";
        let json = serde_json::to_string(hostile).unwrap();
        let embedded = embeddable(&json);
        assert!(!embedded.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<String>(&embedded).unwrap(), hostile);
    }

    #[test]
    fn what_a_part_holds_is_no_place() {
        let page = page("{{SCRIPT}}<b>\"'&", "\"{{STYLE}}\"");
        assert_eq!(page.matches("<title>{{SCRIPT}}&lt;b&gt;&quot;&#39;&amp;").count(), 1);
        assert_eq!(page.matches("\"{{STYLE}}\"").count(), 1);
    }
}
