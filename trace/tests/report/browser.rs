//! A page in a browser: it complains of nothing, asks for nothing, fits, and answers mouse, fingers and keys.

use std::fs;
use std::path::PathBuf;

use serde_json::{json, Value};
use testbed_definitions::event::{DIAG_DEFAULT, DIAG_READY, DIAG_USER, REQUEST};
use testbed_trace::analysis::Options;
use testbed_trace::report::collect;

use crate::analysis::scripts::{local, Step, AIR, CLASSES, EARTH, GAP};
use crate::analysis::supersteps::three;
use crate::balance::balanced;
use crate::common::devtools::{Browser, Window};
use crate::common::look::{LEAST_CONTRAST, NAMELESS};
use crate::report::runs::{busy, write, PERIOD};

const LAPTOP: Window = Window { width: 1280, height: 800, dark: false, touch: false };
const PHONE: Window = Window { width: 390, height: 844, dark: false, touch: true };

/// A folder with a page in it, and the page's path.
fn page(steps: &[Step], end: u64, dgl: u32, program: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let capture = write(dir.path(), program, &["5"], dgl, steps, end);
    let path = dir.path().join("page.html");
    fs::write(&path, collect(&capture, &Options::default()).unwrap().html()).unwrap();
    (dir, path)
}

/// A run with all that a page can show, and a loss.
fn eventful() -> (tempfile::TempDir, PathBuf) {
    let mut steps = busy(24);
    steps.push((17 * PERIOD - 5, AIR, GAP, 12));
    steps.sort_by_key(|step| step.0);
    page(&steps, 24 * PERIOD, CLASSES, "busy")
}

/// A number that the page shows, once it has drawn what was asked before.
fn number(browser: &mut Browser, expression: &str) -> f64 {
    browser.settle();
    browser.evaluate(expression).as_f64().unwrap_or_else(|| panic!("{expression} is no number"))
}

/// A text that the page shows, once it has drawn what was asked before.
fn text(browser: &mut Browser, expression: &str) -> String {
    browser.settle();
    browser.evaluate(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).into()
}

/// The cycles that the time-line shows.
fn span(browser: &mut Browser) -> f64 {
    number(
        browser,
        r"Number(document.getElementById('span').textContent.match(/([\d\u202f]+) cycle/)[1].replaceAll('\u202f', ''))",
    )
}

/// Scrolls the time-line into sight, and returns its left and top edge and its width.
fn timeline(browser: &mut Browser) -> (f64, f64, f64) {
    browser.evaluate("document.documentElement.style.scrollBehavior = 'auto'");
    browser.evaluate("document.querySelector('.rows').scrollIntoView({ block: 'center' })");
    browser.settle();
    let place = |browser: &mut Browser, edge: &str| {
        number(browser, &format!("document.querySelector('.rows canvas').getBoundingClientRect().{edge}"))
    };
    (place(browser, "left"), place(browser, "top"), place(browser, "width"))
}

/// Nothing has gone wrong, and nothing but the file was asked for.
fn is_quiet(browser: &Browser) {
    assert!(browser.complaints.is_empty(), "{}", browser.complaints.join("\n"));
    let others: Vec<_> = browser
        .requests
        .iter()
        .filter(|url| !["file:", "data:", "about:"].iter().any(|own| url.starts_with(own)))
        .collect();
    assert!(others.is_empty() && !browser.requests.is_empty(), "{others:?}");
}

#[test]
fn it_fits_and_can_be_read_on_laptop_and_phone_in_light_and_dark() {
    let (_dir, path) = eventful();
    let mut browser = Browser::open();
    let mut grounds = Vec::new();
    for window in [LAPTOP, Window { dark: true, ..LAPTOP }, PHONE, Window { dark: true, ..PHONE }] {
        browser.load(&path, window);
        browser.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
        browser.settle();
        is_quiet(&browser);
        let wide = number(&mut browser, "document.documentElement.scrollWidth");
        assert!(wide <= f64::from(window.width), "{window:?}: {wide} wide");
        let least = browser.evaluate(LEAST_CONTRAST);
        assert!(least[0].as_f64().unwrap() >= 4.5, "{window:?}: {least}");
        assert_eq!(browser.evaluate(NAMELESS), json!([]), "{window:?}");
        assert_eq!(
            browser.evaluate(
                "[...document.querySelectorAll('nav a')].filter((a) => !document.querySelector(a.hash)).length"
            ),
            0
        );
        assert_eq!(browser.evaluate("document.querySelectorAll('main section').length"), 10);
        grounds.push(text(&mut browser, "getComputedStyle(document.body).backgroundColor"));
        // The canvas has been painted: in more colours than text and lines have.
        let colours = number(
            &mut browser,
            "(() => { const canvas = document.querySelector('.rows canvas');
                const data = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
                return new Set(data).size })()",
        );
        assert!(colours > 8.0, "{window:?}: {colours} colours");
    }
    assert!(grounds[0] == grounds[2] && grounds[1] == grounds[3] && grounds[0] != grounds[1], "{grounds:?}");
}

#[test]
fn mouse_and_buttons_zoom_move_and_ask() {
    let (_dir, path) = eventful();
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    let (left, top, width) = timeline(&mut browser);
    let whole = span(&mut browser);
    assert_eq!(whole, (24 * PERIOD) as f64);
    // The first row below axis and title is earth's.
    browser.mouse("mouseMoved", left + width * 0.6, top + 26.0 + 20.0 + 12.0, 0.0, false);
    let tip = text(&mut browser, "document.getElementById('tip').textContent");
    assert!(tip.starts_with("earth\n") && tip.contains(" ms") && tip.contains("cycles"), "{tip}");
    assert_eq!(browser.evaluate("document.getElementById('tip').hidden"), false);
    browser.mouse("mouseMoved", left + width * 0.6, top + 10.0, 0.0, false);
    assert_eq!(browser.evaluate("document.getElementById('tip').hidden"), true);
    browser.evaluate("document.querySelector('[aria-label=\"Zoom in\"]').click()");
    assert_eq!(span(&mut browser), whole / 2.0);
    browser.mouse("mouseWheel", left + width * 0.5, top + 60.0, -400.0, true);
    let wheeled = span(&mut browser);
    assert!(wheeled < whole / 3.0, "{wheeled}");
    let before = text(&mut browser, "document.getElementById('span').textContent");
    browser.mouse("mousePressed", left + width * 0.5, top + 60.0, 0.0, false);
    browser.mouse("mouseMoved", left + width * 0.3, top + 60.0, 0.0, false);
    browser.mouse("mouseReleased", left + width * 0.3, top + 60.0, 0.0, false);
    assert_ne!(text(&mut browser, "document.getElementById('span').textContent"), before);
    assert_eq!(span(&mut browser), wheeled);
    browser.evaluate("document.querySelector('[aria-label=\"Show the whole time\"]').click()");
    assert_eq!(span(&mut browser), whole);
    // A slow message is found from the list of paths.
    browser.evaluate(
        "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Show in the time-line').click()",
    );
    assert!(span(&mut browser) < whole / 4.0);
    is_quiet(&browser);
}

#[test]
fn keys_do_what_the_mouse_does() {
    let (_dir, path) = eventful();
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    let whole = span(&mut browser);
    browser.evaluate("document.querySelector('.rows canvas').focus()");
    let detail = |browser: &mut Browser| text(browser, "document.getElementById('detail').innerText");
    browser.key("ArrowRight");
    let first = detail(&mut browser);
    assert!(first.starts_with("earth\n"), "{first}");
    browser.key("ArrowRight");
    assert_ne!(detail(&mut browser), first);
    browser.key("ArrowDown");
    assert!(detail(&mut browser).starts_with("Ready queue of earth"), "{}", detail(&mut browser));
    browser.key("+");
    assert_eq!(span(&mut browser), whole / 2.0);
    browser.key("Home");
    assert_eq!(span(&mut browser), whole);
    for _ in 0..40 {
        browser.key("ArrowDown");
    }
    assert!(detail(&mut browser).starts_with("Thread "), "{}", detail(&mut browser));
    // All that can be used can be reached.
    assert_eq!(browser.evaluate("document.querySelectorAll('[tabindex=\"-1\"]:not(main), a:not([href])').length"), 0);
    browser.evaluate("document.querySelector('[name=unit][value=cycles]').click()");
    assert!(text(&mut browser, "document.querySelector('#span').textContent").starts_with("cycle 0 to cycle 48"));
    assert!(text(&mut browser, "document.querySelector('#phases').textContent").contains("Lengths are machine cycles."));
    is_quiet(&browser);
}

#[test]
fn fingers_move_and_pinch() {
    let (_dir, path) = eventful();
    let mut browser = Browser::open();
    browser.load(&path, PHONE);
    let whole = span(&mut browser);
    let (left, top, width) = timeline(&mut browser);
    let y = top + 60.0;
    let at = |part: f64| (left + 80.0 + (width - 80.0) * part, y);
    browser.touch("touchStart", &[at(0.45), at(0.55)]);
    browser.touch("touchMove", &[at(0.35), at(0.65)]);
    browser.touch("touchMove", &[at(0.2), at(0.8)]);
    browser.touch("touchEnd", &[]);
    let pinched = span(&mut browser);
    assert!(pinched < whole / 2.0, "{pinched}");
    browser.touch("touchStart", &[at(0.5)]);
    browser.touch("touchEnd", &[]);
    let detail = text(&mut browser, "document.getElementById('detail').innerText");
    assert!(detail.starts_with("earth\n") || detail.starts_with("Packet "), "{detail}");
    is_quiet(&browser);
}

/// The load of slaves, requests and moves: drawn in their places, and read by pointer and keys.
#[test]
fn load_requests_and_moves_are_drawn() {
    let (_dir, capture) = balanced();
    let path = capture.dir.join("page.html");
    fs::write(&path, collect(&capture, &Options::default()).unwrap().html()).unwrap();
    let mut browser = Browser::open();
    for window in [LAPTOP, Window { dark: true, ..LAPTOP }, PHONE] {
        browser.load(&path, window);
        browser.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
        browser.settle();
        is_quiet(&browser);
        let wide = number(&mut browser, "document.documentElement.scrollWidth");
        assert!(wide <= f64::from(window.width), "{window:?}: {wide} wide");
        let least = browser.evaluate(LEAST_CONTRAST);
        assert!(least[0].as_f64().unwrap() >= 4.5, "{window:?}: {least}");
        assert_eq!(browser.evaluate(NAMELESS), json!([]), "{window:?}");
        let all = text(&mut browser, "document.getElementById('load').innerText");
        for part in [
            "Policy report, samples 200 ms apart, period=2s",
            "Requests",
            "#1",
            "refused",
            "open",
            "lost so far",
            "Events for samples",
        ] {
            assert!(all.contains(part), "{part}: {all}");
        }
        // A card for each slave, and a line for the move: from the row of the first slave to that of the second.
        assert_eq!(browser.evaluate("document.querySelectorAll('#load .card').length"), 5);
        assert_eq!(browser.evaluate("document.querySelectorAll('#load .moves .move').length"), 1);
        let way = text(&mut browser, "document.querySelector('#load .moves .move').getAttribute('d')");
        assert!(way.contains(" 0.5L") && way.ends_with(" 1.5"), "{way}");
    }
    browser.evaluate("document.documentElement.style.scrollBehavior = 'auto'");
    browser.evaluate("document.querySelector('#load .area').scrollIntoView({ block: 'center' })");
    browser.settle();
    let place = |browser: &mut Browser, edge: &str| {
        number(browser, &format!("document.querySelector('#load .area').getBoundingClientRect().{edge}"))
    };
    let (left, top) = (place(&mut browser, "left"), place(&mut browser, "top"));
    let (width, height) = (place(&mut browser, "width"), place(&mut browser, "height"));
    browser.mouse("mouseMoved", left + width * 0.4, top + height * 0.5, 0.0, false);
    browser.mouse("mouseMoved", left + width * 0.4 + 1.0, top + height * 0.5, 0.0, false);
    let tip = text(&mut browser, "document.getElementById('tip').textContent");
    assert!(tip.contains("ready on average"), "{tip}");
    is_quiet(&browser);
}

#[test]
fn hostile_names_do_nothing() {
    let program = "</title></script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>";
    let (_dir, path) = page(&busy(4), 4 * PERIOD, CLASSES, program);
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    assert_eq!(browser.evaluate("window.harmed ?? null"), Value::Null);
    assert_eq!(text(&mut browser, "document.querySelector('h1').textContent"), format!("{program} 5"));
    assert_eq!(text(&mut browser, "document.title"), format!("{program} 5 – Testbed run"));
    assert_eq!(text(&mut browser, "document.querySelector('pre').textContent"), "earth: <b>printed</b>\n");
    is_quiet(&browser);
}

#[test]
fn supersteps_have_a_picture_and_tables() {
    let (_dir, path) = page(&three(), 2_000, CLASSES, "bsp");
    let mut browser = Browser::open();
    for window in [LAPTOP, PHONE] {
        browser.load(&path, window);
        browser.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
        let all = text(&mut browser, "document.getElementById('supersteps').innerText");
        for part in ["Group of earth.1: 3 processes, 2 complete supersteps", "38.8 µs", "32 µs", "is not known"] {
            assert!(all.contains(part), "{part}: {all}");
        }
        assert!(number(&mut browser, "document.documentElement.scrollWidth") <= f64::from(window.width));
        assert_eq!(number(&mut browser, "document.querySelectorAll('#supersteps .track').length"), 2.0);
        is_quiet(&browser);
    }
}

#[test]
fn runs_of_few_events_have_quiet_pages_too() {
    let mut browser = Browser::open();
    for (dgl, told) in [(DIAG_USER, "--dgl"), (DIAG_READY, "Ready queues"), (CLASSES, "Nothing was communicated")] {
        let (_dir, path) = page(&[], PERIOD, dgl, "quiet");
        browser.load(&path, PHONE);
        assert!(text(&mut browser, "document.body.innerText").contains(told), "{dgl}: {told}");
        assert!(number(&mut browser, "document.documentElement.scrollWidth") <= 390.0);
        is_quiet(&browser);
    }
}

/// What a thread is blocked on is drawn whole, in few words where the place is narrow, or not at
/// all; never a part of it.
#[test]
fn labels_are_whole_however_narrow_the_place() {
    // A thread that is blocked in the middle of the run, for a twentieth of it.
    let steps: Vec<_> = local(EARTH).into_iter().filter(|step| step.2 != REQUEST).collect();
    let steps: Vec<_> =
        steps.into_iter().map(|(cycle, smi, code, second)| (cycle + 2_500, smi, code, second)).collect();
    let (_dir, path) = page(&steps, 5_400, DIAG_DEFAULT, "local");
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    timeline(&mut browser);
    browser.evaluate(
        "window.drawn = new Set();
         window.draw = CanvasRenderingContext2D.prototype.fillText;
         CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
             drawn.add(text);
             return draw.call(this, text, ...rest);
         }",
    );
    for _ in 0..4 {
        browser.evaluate("document.querySelector('[aria-label=\"Zoom in\"]').click()");
        browser.settle();
    }
    let drawn = text(&mut browser, "[...drawn].join('|')");
    let labels: Vec<_> = drawn.split('|').collect();
    let whole = ["a channel", "a channel that no event names"];
    assert!(whole.iter().any(|label| labels.contains(label)), "{labels:?}");
    let cut = labels.iter().filter(|label| whole.iter().any(|whole| whole.contains(**label)) && !whole.contains(label));
    assert_eq!(cut.filter(|label| label.contains(' ')).collect::<Vec<_>>(), Vec::<&&str>::new(), "{labels:?}");
    is_quiet(&browser);
}
