//! One HTML page of all that an experiment has found: it needs no network and no other text, and no
//! script but what one of them ([`scripted`]) brings along itself.
//!
//! Style is the house's (that of `testbed report`), the plots' ([`crate::plot::STYLE`]), what all
//! pages of experiments have, and what only one of them has.

mod figures;
mod parts;
mod tables;

use testbed_trace::report::escape;

use crate::plot;

pub use figures::{figures, plots};
pub use parts::{finite, paragraphs, plural, r2, table, time, told, PageError};
pub use tables::{runs, tables};

/// The style of all of the Testbed's pages.
const HOUSE: &str = include_str!("../../../../trace/src/report/page.css");
const STYLE: &str = include_str!("style.css");

/// A page with this title and this style of its own; `parts` are its sections, in HTML, between head and foot.
pub fn html(title: &str, style: &str, parts: &[String]) -> String {
    document(title, style, "", parts)
}

/// The same with scripts among its parts.
pub fn scripted(title: &str, style: &str, parts: &[String]) -> String {
    document(title, style, " script-src 'unsafe-inline';", parts)
}

/// A page that may do, besides, what `policy` says.
fn document(title: &str, style: &str, policy: &str, parts: &[String]) -> String {
    format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';{policy} img-src data:">
<link rel="icon" href="data:,">
<title>{}</title>
<style>
{HOUSE}{}{STYLE}{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the figures</a>
{}</body>
</html>
"##,
        escape(title),
        plot::STYLE,
        parts.concat()
    )
}
