//! The page in a browser: it complains of nothing, asks for nothing, fits, and every plot can be read.

use std::fs;
use std::path::PathBuf;

use serde_json::{json, Value};
use testbed_experiments::section3::page::html;

use super::devtools::{Browser, Window};
use super::sample::rich;

const LAPTOP: Window = Window { width: 1280, height: 800, dark: false, touch: false };
const PHONE: Window = Window { width: 390, height: 844, dark: false, touch: true };

fn windows() -> [Window; 4] {
    [LAPTOP, Window { dark: true, ..LAPTOP }, PHONE, Window { dark: true, ..PHONE }]
}

/// Numbers of figures that have no picture one can see.
const FIGURES_MISSING: &str = r#"Array.from({ length: 19 }, (_, index) => index + 9).filter((number) =>
    ![...document.querySelectorAll(`#figure-${number} svg:not(.sample)`)].some((svg) => {
        const { width, height } = svg.getBoundingClientRect();
        return svg.checkVisibility() && width > 200 && height > 100;
    })
)"#;

/// Texts of plots that lie over another one's, leave the picture, or lie on the axes' area.
const TEXTS_IN_THE_WAY: &str = r#"[...document.querySelectorAll(".plot")].flatMap((plot) => {
    const picture = plot.getBoundingClientRect();
    const grids = [...plot.querySelectorAll(".grid, .axis")].map((line) => line.getBoundingClientRect());
    const texts = [...plot.querySelectorAll("text:not(.nothing)")].filter((text) => text.textContent);
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const touch = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    const bad = [];
    boxes.forEach((box, index) => {
        const text = `${plot.id}: ${texts[index].textContent}`;
        if (box.left < picture.left - 1 || box.right > picture.right + 1 || box.top < picture.top - 1 || box.bottom > picture.bottom + 1)
            bad.push(`${text} leaves the picture`);
        boxes.slice(index + 1).forEach((other, next) => {
            if (touch(box, other)) bad.push(`${text} lies over ${texts[index + 1 + next].textContent}`);
        });
        if (!texts[index].classList.contains("strip") && grids.some((grid) => touch(box, { ...grid.toJSON(), top: grid.top - 3, bottom: grid.bottom + 3 })))
            bad.push(`${text} lies on the axes' area`);
    });
    return bad;
})"#;

/// Least contrast of a mark and what it is drawn on, as if it were not translucent; with its class.
const LEAST_CONTRAST: &str = r#"(() => {
    // Mixed colours are told as parts of 1.
    const parse = (text) => text.match(/[\d.]+/g).map((number) => number * (text.startsWith("color(") ? 255 : 1));
    const light = ([red, green, blue]) => {
        const part = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
    };
    const ground = light(parse(getComputedStyle(document.querySelector(".panel").closest("section")).backgroundColor));
    let least = [99, "no mark"];
    for (const mark of document.querySelectorAll(".plot path:not(.grid), .plot text, .network text, .pathway text")) {
        const style = getComputedStyle(mark);
        const colour = light(parse(mark.localName === "text" ? style.fill : style.stroke));
        const contrast = (Math.max(colour, ground) + 0.05) / (Math.min(colour, ground) + 0.05) / (mark.localName === "text" ? 4.5 : 3);
        if (contrast < least[0]) least = [contrast, mark.className.baseVal];
    }
    return least;
})()"#;

/// A folder with the page in it, and the page's path.
fn page() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("profile.html");
    fs::write(&path, html(&rich()).unwrap()).unwrap();
    (dir, path)
}

/// Nothing has gone wrong, and nothing but the file was asked for.
pub fn is_quiet(browser: &Browser) {
    assert!(browser.complaints.is_empty(), "{}", browser.complaints.join("\n"));
    let own = |url: &&String| ["file:", "data:", "about:"].iter().any(|own| url.starts_with(own));
    let others: Vec<_> = browser.requests.iter().filter(|url| !own(url)).collect();
    assert!(others.is_empty() && !browser.requests.is_empty(), "{others:?}");
}

/// The value of an expression in the page.
pub fn number(browser: &mut Browser, expression: &str) -> f64 {
    browser.evaluate(expression).as_f64().unwrap_or_else(|| panic!("{expression} is no number"))
}

#[test]
fn every_figure_can_be_read_on_laptop_and_phone_in_light_and_dark() {
    let (_dir, path) = page();
    let mut browser = Browser::open();
    for window in windows() {
        browser.load(&path, window);
        is_quiet(&browser);
        let wide = number(&mut browser, "document.documentElement.scrollWidth");
        assert!(wide <= f64::from(window.width), "{window:?}: {wide} wide");
        assert_eq!(browser.evaluate(FIGURES_MISSING), json!([]), "{window:?}");
        assert_eq!(browser.evaluate(TEXTS_IN_THE_WAY), json!([]), "{window:?}");
        let least = browser.evaluate(LEAST_CONTRAST);
        assert!(least[0].as_f64().unwrap() >= 1.0, "{window:?}: {least}");
    }
}

#[test]
fn panels_stand_in_two_columns_on_a_laptop_and_in_one_on_a_phone() {
    let (_dir, path) = page();
    let mut browser = Browser::open();
    let columns = "new Set([...document.querySelectorAll('#figure-9 .panel')].map((one) => one.getBoundingClientRect().left)).size";
    for (window, count) in [(LAPTOP, 2), (PHONE, 1)] {
        browser.load(&path, window);
        assert_eq!(browser.evaluate(columns), json!(count), "{window:?}");
    }
}

#[test]
fn every_link_leads_somewhere_and_every_picture_has_a_name() {
    let (_dir, path) = page();
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    let dead =
        "[...document.querySelectorAll('a')].filter((a) => !document.querySelector(a.hash)).map((a) => a.outerHTML)";
    assert_eq!(browser.evaluate(dead), json!([]));
    let nameless = "[...document.querySelectorAll('svg:not([aria-hidden]), [role=region]')].filter((one) => !one.getAttribute('aria-label')).length";
    assert_eq!(browser.evaluate(nameless), json!(0));
    let twice = "(() => { const ids = [...document.querySelectorAll('[id]')].map((one) => one.id); return ids.filter((id, place) => ids.indexOf(id) !== place) })()";
    assert_eq!(browser.evaluate(twice), json!([]));
    let links = "[...document.querySelectorAll('.contents a')].length";
    assert_eq!(browser.evaluate(links), json!(19 + 5));
}

#[test]
fn hostile_names_do_nothing() {
    let hostile = "</title></script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>";
    let mut profile = rich();
    profile.machine = hostile.into();
    profile.figures[0].title = hostile.into();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("profile.html");
    fs::write(&path, html(&profile).unwrap()).unwrap();
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    assert_eq!(browser.evaluate("window.harmed ?? null"), Value::Null);
    let title = browser.evaluate("document.querySelector('#figure-9 h2').textContent");
    assert_eq!(title, json!(format!("Figure 9 {hostile}")));
    is_quiet(&browser);
}
