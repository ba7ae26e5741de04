//! The page: what it shares with that of `testbed web`, and what asks the server.

use serde::Serialize;
use testbed_trace::report::{embeddable, filled, script, words, Words, LIVE_SCRIPTS, STYLE};

use super::ask::TYPED_MAX;
use crate::web::contents::CLASSES;
use crate::web::page::{CONSOLES, OWN_STYLE, SHARED_SCRIPTS, TIMELINE};

const TEMPLATE: &str = include_str!("page/index.html");
const SCRIPT: &str = include_str!("page/serve.js");

/// What the page's scripts read.
#[derive(Serialize)]
struct Contents {
    /// Event classes, each with what it tells and its bit.
    classes: [(&'static str, &'static str, u32); 6],
    words: Words,
    /// Bytes that one request may type.
    typed_max: usize,
}

/// The page. It is the same for every run.
pub fn page() -> String {
    let contents = Contents { classes: CLASSES, words: words(), typed_max: TYPED_MAX };
    let json = serde_json::to_string(&contents).expect("contents have string keys and finite numbers");
    filled(TEMPLATE, |name| {
        Some(match name {
            "STYLE" => [STYLE, OWN_STYLE].concat(),
            "VERSION" => env!("CARGO_PKG_VERSION").into(),
            "CONSOLES" => CONSOLES.into(),
            "TIMELINE" => TIMELINE.into(),
            "CONTENTS" => embeddable(&json),
            "SCRIPT" => script(&[&LIVE_SCRIPTS[..], &SHARED_SCRIPTS[..], &[SCRIPT]].concat()),
            _ => return None,
        })
    })
}
