//! The page of the BSP space in a browser: it complains of nothing, asks for nothing, fits, and the
//! picture answers mouse, fingers and keys.

use std::fs;
use std::path::PathBuf;

use serde_json::{json, Value};
use testbed_experiments::bsp::space::page::html;
use testbed_experiments::bsp::space::points::{published, Point};

use super::browser::{is_quiet, number};
use super::devtools::{Browser, Window};

const LAPTOP: Window = Window { width: 1280, height: 1000, dark: false, touch: false };
const PHONE: Window = Window { width: 390, height: 844, dark: false, touch: true };

/// Places of the machines' marks in the picture, and of their feet on the floor, to the pixel.
const PLACES: &str = r#"[...document.querySelectorAll(".point")].map((point) => {
    const [x, y] = point.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    const foot = point.previousElementSibling;
    return [x, y, Number(foot.getAttribute("cx")), Number(foot.getAttribute("cy"))];
})"#;

/// Texts of the picture that leave the page's section.
const TEXTS_OUTSIDE: &str = r#"(() => {
    const page = document.getElementById("space").getBoundingClientRect();
    return [...document.querySelectorAll(".space text")].filter((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        return left < page.left || right > page.right || top < page.top || bottom > page.bottom;
    }).map((text) => text.textContent);
})()"#;

/// Texts of the picture that lie over another one, as it is first shown.
const TEXTS_IN_THE_WAY: &str = r#"(() => {
    const texts = [...document.querySelectorAll(".space text")];
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const touch = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    return boxes.flatMap((box, index) => boxes.slice(index + 1).flatMap((other, next) =>
        touch(box, other) ? [`${texts[index].textContent} lies over ${texts[index + 1 + next].textContent}`] : []));
})()"#;

/// Least contrast of a mark or text and its ground, by what it needs (3 or 4.5).
const LEAST_CONTRAST: &str = r#"(() => {
    const parse = (text) => text.match(/[\d.]+/g).map(Number);
    const light = ([red, green, blue]) => {
        const part = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
    };
    const ground = light(parse(getComputedStyle(document.getElementById("space")).backgroundColor));
    let least = [99, "no mark"];
    for (const mark of document.querySelectorAll(".space text, .point path, .space .axis")) {
        const style = getComputedStyle(mark);
        const colour = light(parse(mark.localName === "text" ? style.fill : style.stroke));
        const contrast = (Math.max(colour, ground) + 0.05) / (Math.min(colour, ground) + 0.05) / (mark.localName === "text" ? 4.5 : 3);
        if (contrast < least[0]) least = [contrast, mark.textContent || mark.className.baseVal];
    }
    return least;
})()"#;

fn ours() -> Point {
    Point {
        machine: "Testbed".into(),
        what: "five soft processors".into(),
        ours: true,
        processes: 5,
        clock_mhz: 25.0,
        speed_mflops: 0.107,
        l_flops: 16.0,
        g_flops: 0.072,
        l_cycles: 3_740.0,
        g_cycles: 16.8,
        source: "measured by testbed bsp probe".into(),
    }
}

fn points() -> Vec<Point> {
    let mut points = vec![ours(), Point { processes: 15, l_cycles: 7_159.0, l_flops: 30.6, ..ours() }];
    points.extend(published().unwrap());
    points
}

/// A folder with the page of these points in it, and the page's path.
fn page(points: &[Point]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("space.html");
    fs::write(&path, html(points).unwrap()).unwrap();
    (dir, path)
}

fn places(browser: &mut Browser) -> Vec<[f64; 4]> {
    browser.settle();
    serde_json::from_value(browser.evaluate(PLACES)).unwrap()
}

/// A place in the middle of the picture, where no mark is.
fn middle(browser: &mut Browser) -> (f64, f64) {
    browser.evaluate("document.documentElement.style.scrollBehavior = 'auto'");
    browser.evaluate("document.getElementById('picture').scrollIntoView({ block: 'center' })");
    browser.settle();
    let edge = |browser: &mut Browser, edge: &str| {
        number(browser, &format!("document.querySelector('.space').getBoundingClientRect().{edge}"))
    };
    let (left, width) = (edge(browser, "left"), edge(browser, "width"));
    (left + 0.9 * width, edge(browser, "top") + 0.1 * edge(browser, "height"))
}

#[test]
fn it_fits_and_can_be_read_on_laptop_and_phone_in_light_and_dark_however_it_is_turned() {
    let (_dir, path) = page(&points());
    let mut browser = Browser::open();
    for window in [LAPTOP, Window { dark: true, ..LAPTOP }, PHONE, Window { dark: true, ..PHONE }] {
        browser.load(&path, window);
        assert_eq!(browser.evaluate(TEXTS_IN_THE_WAY), json!([]), "{window:?}");
        for _ in 0..6 {
            let wide = number(&mut browser, "document.documentElement.scrollWidth");
            assert!(wide <= f64::from(window.width), "{window:?}: {wide} wide");
            assert_eq!(browser.evaluate(TEXTS_OUTSIDE), json!([]), "{window:?}");
            browser.evaluate("for (let turn = 0; turn < 7; turn += 1) document.getElementById('right').click()");
            browser.evaluate("document.getElementById('up').click()");
        }
        let least = browser.evaluate(LEAST_CONTRAST);
        assert!(least[0].as_f64().unwrap() >= 1.0, "{window:?}: {least}");
        is_quiet(&browser);
    }
}

#[test]
fn mouse_fingers_keys_and_buttons_turn_it_and_home_puts_it_back() {
    let (_dir, path) = page(&points());
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    let begun = places(&mut browser);
    let turned = |browser: &mut Browser, by: &str| {
        let now = places(browser);
        assert_ne!(now, begun, "{by} turns nothing");
        browser.evaluate("document.querySelector('.space').focus()");
        browser.key("Home");
        assert_eq!(places(browser), begun, "Home, after {by}");
        now
    };
    let (x, y) = middle(&mut browser);
    browser.mouse("mousePressed", x, y, 0.0, false);
    browser.call(
        "Input.dispatchMouseEvent",
        json!({ "type": "mouseMoved", "x": x - 90.0, "y": y + 20.0, "button": "left", "buttons": 1 }),
    );
    browser.mouse("mouseReleased", x - 90.0, y + 20.0, 0.0, false);
    turned(&mut browser, "the mouse");
    browser.mouse("mouseMoved", x + 5.0, y + 50.0, 0.0, false);
    assert_eq!(places(&mut browser), begun, "it is let go, and turns no more");
    let mut ways = Vec::new();
    for key in ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] {
        browser.key(key);
        ways.push(turned(&mut browser, key));
    }
    for id in ["left", "right", "up", "down"] {
        browser.evaluate(&format!("document.getElementById('{id}').click()"));
        assert_eq!(turned(&mut browser, id), ways.remove(0), "button and key turn it alike: {id}");
    }
    browser.load(&path, PHONE);
    let begun = places(&mut browser);
    let (x, y) = middle(&mut browser);
    browser.touch("touchStart", &[(x, y)]);
    browser.touch("touchMove", &[(x - 40.0, y)]);
    browser.touch("touchMove", &[(x - 90.0, y)]);
    browser.touch("touchEnd", &[]);
    assert_ne!(places(&mut browser), begun, "a finger turns nothing");
    is_quiet(&browser);
}

/// From the side, heights are l; from above, each mark lies on its place on the floor.
#[test]
fn marks_are_where_their_numbers_are() {
    let all = points();
    let (_dir, path) = page(&all);
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    for [x, y, foot_x, foot_y] in places(&mut browser) {
        assert!((x - foot_x).abs() < 0.11 && foot_y >= y - 0.11, "({x}, {y}) above ({foot_x}, {foot_y})");
    }
    for (unit, l, g) in [
        ("cycles", (|point| point.l_cycles) as fn(&Point) -> f64, (|point| point.g_cycles) as fn(&Point) -> f64),
        ("flops", |point| point.l_flops, |point| point.g_flops),
    ] {
        browser.evaluate(&format!("document.querySelector('input[value={unit}]').click()"));
        browser.evaluate("document.getElementById('home').click(); for (let turn = 0; turn < 24; turn += 1) document.getElementById('down').click()");
        let side = places(&mut browser);
        browser.evaluate("for (let turn = 0; turn < 24; turn += 1) document.getElementById('up').click()");
        let above = places(&mut browser);
        // A logarithmic height: as many pixels for each power.
        let least = all.iter().map(l).fold(f64::MAX, f64::min);
        let bottom = all.iter().zip(&side).find(|(point, _)| l(point) == least).unwrap().1[1];
        let most = all.iter().map(l).fold(0.0, f64::max);
        let top = all.iter().zip(&side).find(|(point, _)| l(point) == most).unwrap().1[1];
        for (point, place) in all.iter().zip(&side) {
            let wanted = bottom + (top - bottom) * (l(point) / least).ln() / (most / least).ln();
            assert!((place[1] - wanted).abs() < 0.3, "{point:?} is at {place:?}, not {wanted} high");
        }
        for (point, [x, y, foot_x, foot_y]) in all.iter().zip(&above) {
            assert!((x - foot_x).abs() < 0.11 && (y - foot_y).abs() < 0.11, "{point:?} from above");
        }
        // Machines with the same p and g would have the same foot; others have not.
        let same = |one: &Point, other: &Point| one.processes == other.processes && g(one) == g(other);
        for (index, one) in all.iter().enumerate() {
            for (other, place) in all.iter().zip(&above).skip(index + 1) {
                let apart = (place[0] - above[index][0]).hypot(place[1] - above[index][1]);
                assert_eq!(apart < 0.05, same(one, other), "{one:?} and {other:?}");
            }
        }
    }
}

/// A machine with as many processes as a line of the floor stands for has its foot on that line.
#[test]
fn feet_are_on_the_lines_of_their_numbers_of_processes() {
    const LINES: &str = "[...document.querySelectorAll('.space .grid')].map((line) => line.getAttribute('d').match(/-?[\\d.]+/g).map(Number))";
    let all = points();
    let (_dir, path) = page(&all);
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    let lines: Vec<[f64; 4]> = serde_json::from_value(browser.evaluate(LINES)).unwrap();
    let mut checked = 0;
    // From 1 process to 20.
    for (line, processes) in lines.iter().zip([1, 2, 5, 10, 20]) {
        let [x0, y0, x1, y1] = *line;
        for (point, [_, _, x, y]) in all.iter().zip(places(&mut browser)) {
            let off = ((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)).abs() / (x1 - x0).hypot(y1 - y0);
            assert_eq!(off < 0.2, point.processes == processes, "{point:?} is {off} from the line of {processes}");
            checked += u32::from(point.processes == processes);
        }
    }
    assert!(checked >= 6, "{checked}");
}

#[test]
fn a_point_says_its_numbers_when_pointed_at_and_when_focused() {
    let all = points();
    let (_dir, path) = page(&all);
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    let detail = |browser: &mut Browser| browser.evaluate("document.getElementById('detail').textContent").to_string();
    assert!(detail(&mut browser).contains("No machine"));
    assert_eq!(browser.evaluate("document.querySelectorAll('#numbers tbody tr').length"), json!(all.len()));
    let nameless = "[...document.querySelectorAll('.point, button, .space, [role=region]')].filter((one) => !one.getAttribute('aria-label')).length";
    assert_eq!(browser.evaluate(nameless), json!(0));
    for index in [0, 1, all.len() - 1] {
        browser.evaluate(&format!("document.getElementById('point-{index}').focus()"));
        browser.settle();
        let (text, point) = (detail(&mut browser), &all[index]);
        let told = format!("{}, p = {}: l = ", point.machine, point.processes);
        assert!(text.contains(&told) && text.contains(&point.source), "{text}");
        let chosen =
            "[...document.querySelectorAll('#numbers tbody tr')].findIndex((row) => row.classList.contains('chosen'))";
        assert_eq!(browser.evaluate(chosen), json!(index));
    }
    // The focus stays while the picture is turned.
    browser.key("ArrowLeft");
    assert_eq!(browser.evaluate("document.activeElement.id"), Value::from(format!("point-{}", all.len() - 1)));
    browser.evaluate("document.documentElement.style.scrollBehavior = 'auto'");
    browser.evaluate("document.getElementById('picture').scrollIntoView({ block: 'center' })");
    browser.settle();
    let edge = |browser: &mut Browser, edge: &str| {
        number(browser, &format!("document.querySelector('#point-1 path').getBoundingClientRect().{edge}"))
    };
    let half = edge(&mut browser, "width") / 2.0;
    let (x, y) = (edge(&mut browser, "left") + half, edge(&mut browser, "top") + half);
    browser.mouse("mouseMoved", x, y, 0.0, false);
    assert!(detail(&mut browser).contains("Testbed, p = 15"), "{}", detail(&mut browser));
    is_quiet(&browser);
}

#[test]
fn hostile_names_do_nothing() {
    let hostile = "</title></script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>";
    let (_dir, path) =
        page(&[Point { machine: hostile.into(), what: hostile.into(), source: hostile.into(), ..ours() }, ours()]);
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    browser.evaluate("document.getElementById('point-0').focus()");
    browser.settle();
    assert_eq!(browser.evaluate("window.harmed ?? 0"), json!(0));
    is_quiet(&browser);
}

/// One point has no extent: its axes are made all the same.
#[test]
fn a_single_point_is_drawn() {
    let (_dir, path) = page(&[ours()]);
    let mut browser = Browser::open();
    browser.load(&path, LAPTOP);
    assert_eq!(places(&mut browser).len(), 1);
    assert!(places(&mut browser)[0].iter().all(|place| place.is_finite()));
    is_quiet(&browser);
}

#[test]
fn what_is_no_number_is_named() {
    let error = html(&[Point { g_cycles: f64::NAN, ..ours() }]).unwrap_err().to_string();
    assert!(error.contains("Testbed with 5 processes") && error.contains("\n  help: "), "{error}");
}
