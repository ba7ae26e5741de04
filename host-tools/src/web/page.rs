//! The page: its template, style and scripts, and in it the contents.

use testbed_definitions::asking;
use testbed_trace::report::{embeddable, filled, script, LIVE_SCRIPTS, STYLE};

use super::contents::Contents;

const TEMPLATE: &str = include_str!("page/index.html");
/// The sections that the page of a server has too.
pub const CONSOLES: &str = include_str!("page/consoles.html");
pub const TIMELINE: &str = include_str!("page/timeline.html");
pub const OWN_STYLE: &str = include_str!("page/page.css");
const WORKER: &str = include_str!("page/worker.js");
/// In the order in which they need each other, behind those of the time-line.
pub const SHARED_SCRIPTS: [&str; 5] = [
    include_str!("page/screen.js"),
    include_str!("page/consoles.js"),
    include_str!("page/machine.js"),
    include_str!("page/live.js"),
    include_str!("page/common.js"),
];
/// What the machine in the page has besides.
const SCRIPTS: [&str; 4] = [
    include_str!("page/link.js"),
    include_str!("page/experiment.js"),
    include_str!("page/perfetto.js"),
    include_str!("page/main.js"),
];
/// Characters of a line of packed bytes.
const LINE: usize = 8192;

/// The page with these contents.
pub fn page(contents: &Contents) -> String {
    let json = serde_json::to_string(contents).expect("contents have string keys and finite numbers");
    filled(TEMPLATE, |name| {
        Some(match name {
            "STYLE" => [STYLE, OWN_STYLE].concat(),
            "VERSION" => env!("CARGO_PKG_VERSION").into(),
            "CONTENTS" => embeddable(&json),
            "PACK" => base64(&contents.packed()),
            "CONSOLES" => CONSOLES.into(),
            "TIMELINE" => TIMELINE.into(),
            "WORKER" => WORKER.into(),
            "SCRIPT" => script(&[&LIVE_SCRIPTS[..], &SHARED_SCRIPTS[..], &SCRIPTS[..]].concat()),
            _ => return None,
        })
    })
}

/// Bytes in the letters of base 64, in lines.
pub fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() / 3 * 4 + bytes.len() / LINE + 8);
    for (number, three) in bytes.chunks(3).enumerate() {
        if number % (LINE / 4) == 0 {
            out.push('\n');
        }
        out.extend(asking::letters(three).map(char::from));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_as_the_standard_has_it() {
        // The examples of RFC 4648.
        for (text, letters) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(text.as_bytes()).trim(), letters);
        }
    }
}
