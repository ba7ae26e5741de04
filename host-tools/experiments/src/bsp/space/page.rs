//! The page of the BSP space: a table of the points, and a plot of them that one can turn. The table is
//! HTML and says all; the plot is drawn by the script, from the same points as data.

use serde::Serialize;
use testbed_trace::report::{embeddable, escape};

use super::points::Point;
use crate::page::{self, finite, PageError};
use crate::plot::number::{count, short};

const TITLE: &str = "The BSP space";
const STYLE: &str = include_str!("space.css");
/// In the order in which they need each other; one script at last.
const SCRIPTS: [&str; 3] = [include_str!("geometry.js"), include_str!("plot.js"), include_str!("turn.js")];

/// What the script draws.
#[derive(Serialize)]
struct Data<'a> {
    points: &'a [Point],
}

/// The page.
///
/// # Errors
/// A number that can't be shown.
pub fn html(points: &[Point]) -> Result<String, PageError> {
    for point in points {
        for value in [point.l_flops, point.g_flops, point.l_cycles, point.g_cycles] {
            finite(value, || format!("a parameter of {} with {} processes", point.machine, point.processes))?;
        }
    }
    let json = serde_json::to_string(&Data { points }).unwrap_or_default();
    let script = format!(
        "<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n(() => {{\n\"use strict\";\n{}}})();\n</script>\n",
        embeddable(&json),
        SCRIPTS.concat()
    );
    let parts = [
        head(),
        "<main id=\"main\" tabindex=\"-1\">\n".into(),
        plot(),
        table(points),
        "</main>\n".into(),
        foot(),
        script,
    ];
    Ok(page::scripted(TITLE, STYLE, &parts))
}

fn head() -> String {
    format!(
        "<header>\n<h1>{TITLE}</h1>\n<p class=\"verdict\">What a superstep costs on a machine with p processes: w + g h + \
         l. The smaller g and l are, the less communication and the ends of supersteps cost beside \
         computing.</p>\n</header>\n"
    )
}

/// The picture, with what turns it besides mouse, fingers and keys.
fn plot() -> String {
    let button = |id: &str, label: &str, sign: &str| {
        format!("<button type=\"button\" id=\"{id}\" aria-label=\"{label}\" title=\"{label}\">{sign}</button>\n")
    };
    let unit = |value: &str, text: &str, checked: &str| {
        format!(
            "<label class=\"switch\"><input type=\"radio\" name=\"unit\" value=\"{value}\"{checked}> {text}</label>\n"
        )
    };
    format!(
        "<section id=\"space\">\n<h2>p, l and g, each on a logarithmic scale</h2>\n<p>Drag the picture to turn it, or \
         focus it and use the arrow keys; Home puts it back. A point’s line leads to its place on the floor, which \
         says p and g; its height says l. Point at it, or focus it, for its numbers.</p>\n<noscript><p class=\"notice \
         bad\">The picture is drawn by a script, and scripts are switched off. The table below has all \
         numbers.</p></noscript>\n<div class=\"bar\"><fieldset><legend>In</legend>\n{}{}</fieldset>\n<span \
         class=\"turn\">{}{}{}{}{}</span></div>\n<div id=\"picture\"></div>\n<output id=\"detail\" class=\"detail\" \
         aria-live=\"polite\">No machine is pointed at.</output>\n<ul class=\"legend\" id=\"legend\"></ul>\n</section>\n",
        unit("cycles", "cycles", " checked"),
        unit("flops", "floating-point operations", ""),
        button("left", "Turn to the left", "←"),
        button("right", "Turn to the right", "→"),
        button("up", "See it more from above", "↑"),
        button("down", "See it more from the side", "↓"),
        button("home", "Turn it back", "⟲"),
    )
}

fn table(points: &[Point]) -> String {
    let columns = [
        ("", "Machine"),
        ("", "p"),
        ("", "Clock, MHz"),
        ("", "s, Mflop/s"),
        ("", "l, flops"),
        ("", "g, flops a word"),
        ("", "l, cycles"),
        ("", "g, cycles a word"),
        ("wrap", "What it is"),
        ("wrap", "Source"),
    ];
    let rows: Vec<Vec<(String, String)>> = points
        .iter()
        .map(|point| {
            let cell = |text: String| (String::new(), text);
            let wide = |text: &str| ("wrap".to_string(), escape(text));
            vec![
                cell(escape(&point.machine)),
                cell(point.processes.to_string()),
                cell(short(point.clock_mhz, 4)),
                cell(short(point.speed_mflops, 3)),
                cell(short(point.l_flops, 4)),
                cell(short(point.g_flops, 3)),
                cell(count(point.l_cycles.round() as u64)),
                cell(short(point.g_cycles, 3)),
                wide(&point.what),
                ("wrap".to_string(), source(&point.source)),
            ]
        })
        .collect();
    format!(
        "<section id=\"numbers\">\n<h2>The machines</h2>\n<p>l is that of a superstep in which nothing is done, g that of \
         long messages. Others give both in floating-point operations; divided by s and multiplied by the clock they \
         are cycles, of which a faster processor has no fewer for being faster. Words are the source’s own; those of \
         the Testbed have 32 bits.</p>\n{}</section>\n",
        page::table("The machines", &columns, &rows)
    )
}

/// A source, its address as a link.
fn source(text: &str) -> String {
    match text.split_once("https://") {
        Some((before, address)) => {
            format!("{}<a href=\"https://{1}\" rel=\"noreferrer\">{1}</a>", escape(before), escape(address))
        }
        None => escape(text),
    }
}

fn foot() -> String {
    format!(
        "<footer><p>Made by <code>testbed bsp space</code>, version {}, which prints the same as data with \
         <code>--json</code>.</p></footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}
