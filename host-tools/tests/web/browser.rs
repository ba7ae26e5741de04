//! The page in Chromium, from a file: it boots, is used by keys alone, fits, and complains of nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use testbed_definitions::limits::FILE_BYTES;
use testbed_host_tools::web::page::page;

use super::devtools::{Browser, Window};
use super::look::{LEAST_CONTRAST, NAMELESS};
use super::CONTENTS;

pub const LAPTOP: Window = Window { width: 1280, height: 800, dark: false, touch: false };
pub const PHONE: Window = Window { width: 390, height: 844, dark: false, touch: true };
pub const WIDE: Window = Window { width: 2560, height: 1440, dark: false, touch: false };
/// Seconds until the shell has answered, at most: a loaded computer takes a few times as long as one
/// that has nothing else to do.
const ANSWER_SECONDS: f64 = 20.0;

pub fn written() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.html");
    fs::write(&path, page(&CONTENTS)).unwrap();
    (dir, path)
}

/// A text that stands on a console.
pub fn printed(text: &str) -> String {
    format!("[...document.querySelectorAll('pre.console')].some((one) => one.textContent.includes({}))", json!(text))
}

/// Types letters, one right after the other: a list goes to the entry that begins with them.
pub fn write(browser: &mut Browser, text: &str) {
    for letter in text.chars() {
        let key = letter.to_string();
        browser.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key, "text": key }));
        browser.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }
}

/// Presses Enter, which submits a form: as the key that has the text of a carriage return.
pub fn enter(browser: &mut Browser) {
    let key = json!({ "type": "keyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r" });
    browser.call("Input.dispatchKeyEvent", key);
    browser.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": "Enter", "code": "Enter" }));
}

/// Goes to an element with the tabulator: forwards, or back.
pub fn tab_to(browser: &mut Browser, id: &str, is_back: bool) {
    for _ in 0..60 {
        let key = json!({ "type": "keyDown", "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9,
            "modifiers": if is_back { 8 } else { 0 } });
        browser.call("Input.dispatchKeyEvent", key);
        browser.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": "Tab", "code": "Tab" }));
        if browser.evaluate("document.activeElement.id") == id {
            return;
        }
    }
    panic!("the tabulator never gets to {id}");
}

fn is_quiet(browser: &Browser) {
    assert!(browser.complaints.is_empty(), "{}", browser.complaints.join("\n"));
    let own = |url: &&String| ["file:", "data:", "about:", "blob:"].iter().any(|own| url.starts_with(own));
    let others: Vec<_> = browser.requests.iter().filter(|url| !own(url)).collect();
    assert!(others.is_empty() && !browser.requests.is_empty(), "{others:?}");
}

pub fn open(browser: &mut Browser, path: &Path, fragment: &str, window: Window) {
    browser.go("about:blank", window);
    browser.go(&format!("file://{}{fragment}", path.display()), window);
    browser.wait_for("document.readyState === 'complete' && location.protocol === 'file:'");
}

/// The page in a window of a laptop, opened by a link; its file goes with the folder.
pub fn opened(fragment: &str) -> (tempfile::TempDir, Browser) {
    let (dir, path) = written();
    let mut browser = Browser::open();
    open(&mut browser, &path, fragment, LAPTOP);
    (dir, browser)
}

pub fn click(browser: &mut Browser, id: &str) {
    browser.evaluate(&format!("document.getElementById('{id}').click()"));
}

#[test]
fn it_boots_from_a_file_and_is_used_by_keys_alone() {
    let (_dir, path) = written();
    let mut browser = Browser::open();
    let start = Instant::now();
    open(&mut browser, &path, "", LAPTOP);
    // The field for what is typed has the focus from the beginning.
    browser.wait_for("document.activeElement.id === 'typed'");
    write(&mut browser, "help");
    enter(&mut browser);
    browser.wait_for(&printed("echo [-n] WORD"));
    let seconds = start.elapsed().as_secs_f64();
    assert!(seconds < ANSWER_SECONDS, "help was answered after {seconds} s");
    // The machine stands still, goes on by a step, and runs again.
    tab_to(&mut browser, "go", true);
    enter(&mut browser);
    browser.wait_for("document.getElementById('status').textContent.includes('stands still')");
    browser.settle();
    let cycle = "Number(document.getElementById('clock').textContent.match(/cycle ([\\d\\u202f]+)/)[1].replaceAll('\\u202f', ''))";
    let before = browser.evaluate(cycle).as_f64().unwrap();
    tab_to(&mut browser, "step", false);
    enter(&mut browser);
    browser.wait_for(&format!("{cycle} === {}", before + 65_536.0));
    tab_to(&mut browser, "go", true);
    enter(&mut browser);
    browser.wait_for("document.getElementById('status').textContent.includes('machine runs')");
    // Another program, with arguments.
    tab_to(&mut browser, "program", false);
    write(&mut browser, "remote");
    tab_to(&mut browser, "arguments", false);
    write(&mut browser, "1 2 1");
    tab_to(&mut browser, "start", false);
    enter(&mut browser);
    browser.wait_for("document.getElementById('status').textContent.includes('over with exit code 0 on earth')");
    browser.wait_for(&printed("remote: sent"));
    assert_eq!(browser.evaluate("document.getElementById('trouble').textContent"), "");
    is_quiet(&browser);
}

#[test]
fn a_link_holds_the_whole_experiment() {
    let (_dir, path) = written();
    let mut browser = Browser::open();
    open(&mut browser, &path, "", LAPTOP);
    browser.wait_for("!document.getElementById('start').disabled");
    let form = r##"["program", "arguments", "machine", "toml", "seed", "kernel", "filters", "speed", "balance", "sample", "settings", "placement"].map((id) => document.getElementById(id).value)
        .concat([...document.querySelectorAll("#classes input")].map((box) => box.checked))"##;
    let usual = browser.evaluate(form);
    browser.evaluate(
        r##"(() => {
        const set = (id, value) => { const one = document.getElementById(id); one.value = value; one.dispatchEvent(new Event("input")); };
        set("program", "chatter");
        set("arguments", "3 \"ä&b=c#d\" %25");
        set("toml", document.getElementById("toml").value.replace("testbed6", "my own + one"));
        set("seed", "77");
        set("kernel", "tos94");
        set("filters", "drop TIMER,TIMER_END\ncount RX_MPC");
        set("speed", "0.1");
        set("balance", "static");
        set("sample", "50");
        set("settings", "a=1 b=2");
        set("placement", "1-00-003 2\n# far");
        document.querySelector("#classes input[value=user]").checked = false;
        document.getElementById("link").click();
    })()"##,
    );
    let changed = browser.evaluate(form);
    assert_ne!(usual, changed);
    browser.wait_for("location.hash.length > 10 && document.getElementById('linked').textContent !== ''");
    let fragment = browser.evaluate("location.hash");
    open(&mut browser, &path, fragment.as_str().unwrap(), LAPTOP);
    browser.wait_for("!document.getElementById('start').disabled");
    assert_eq!(browser.evaluate(form), changed);
    // One that says nothing, or only leads to a place in the page, is as none.
    for fragment in ["#", "#typed"] {
        open(&mut browser, &path, fragment, LAPTOP);
        browser.wait_for("document.getElementById('status').textContent.includes('machine runs')");
        assert_eq!(browser.evaluate(form), usual, "{fragment}");
    }
    browser.evaluate("document.getElementById('arguments').value = 'kept'; location.hash = 'screens'");
    browser.settle();
    assert_eq!(browser.evaluate("document.getElementById('arguments').value"), "kept");
}

/// Another experiment than the one that was meant does not run.
#[test]
fn a_link_with_what_the_page_does_not_have_is_named_and_starts_nothing() {
    let fragment =
        "#nonsense=1&program=hallo&machine=none&kernel=tos95&balance=gian&speed=x&seed=-1&classes=profile+timer+redy";
    let (_dir, mut browser) = opened(fragment);
    browser.wait_for("document.getElementById('status').textContent.startsWith('Nothing runs')");
    let trouble = browser.evaluate("document.getElementById('trouble').textContent");
    for part in [
        "no “nonsense”",
        "program “hallo”",
        "machine “none”; it has testbed6",
        "kernel “tos95”",
        "policy “gian”",
        "speed “x”",
        "“-1” is no seed",
        "event class “redy”; it has none, profile",
    ] {
        assert!(trouble.as_str().unwrap().contains(part), "{part}: {trouble}");
    }
    let found =
        browser.evaluate(r#"["machine", "kernel", "balance", "speed"].map((id) => document.getElementById(id).value)"#);
    assert_eq!(found, json!(["testbed6", "default", "", "1"]));
    // Who starts it means what the form has now.
    browser.evaluate(
        r#"for (const [id, value] of [["program", "hello"], ["seed", "1"]]) document.getElementById(id).value = value"#,
    );
    click(&mut browser, "start");
    browser.wait_for("document.getElementById('status').textContent.includes('over with exit code 0')");
    assert_eq!(browser.evaluate("document.getElementById('trouble').textContent"), "");
}

#[test]
fn what_is_wrong_is_said_in_the_page() {
    let (dir, mut browser) = opened("");
    browser.wait_for("!document.getElementById('start').disabled");
    write(&mut browser, "x=5");
    enter(&mut browser);
    browser.evaluate("document.getElementById('toml').value = 'name = 1'; document.getElementById('start').click()");
    browser.wait_for("document.getElementById('trouble').textContent.includes(\"the machine's description:1\")");
    // What was there goes on.
    browser.evaluate("document.getElementById('typed').focus()");
    write(&mut browser, "echo still-$x");
    enter(&mut browser);
    browser.wait_for(&printed("still-5"));
    assert_eq!(browser.evaluate("document.getElementById('trouble').textContent.includes('still there')"), json!(true));
    let broken = dir.path().join("broken");
    fs::write(&broken, b"\x7fELF and no more").unwrap();
    browser.evaluate("document.getElementById('machine').selectedIndex = 0; document.getElementById('machine').dispatchEvent(new Event('change'))");
    let document = browser.call("DOM.getDocument", json!({}));
    let root = &document["root"]["nodeId"];
    let field = browser.call("DOM.querySelector", json!({ "nodeId": root, "selector": "#given" }));
    let files = json!({ "nodeId": field["nodeId"], "files": [broken] });
    browser.call("DOM.setFileInputFiles", files);
    browser.wait_for("document.getElementById('trouble').textContent.includes('broken: no RISC-V program')");
    drop_file(&mut browser, "large", &"x".repeat(FILE_BYTES + 1));
    browser.wait_for("/^large has 524.289 bytes; a file of the machine has at most 524.288/.test(document.getElementById('trouble').textContent)");
    assert_eq!(browser.evaluate("document.getElementById('files').textContent.includes('large')"), json!(false));
    // The page goes on as if nothing had been.
    browser.evaluate("document.getElementById('program').value = 'hello'; document.getElementById('start').click()");
    browser.wait_for("document.getElementById('status').textContent.includes('over with exit code 0')");
    assert_eq!(browser.evaluate("document.getElementById('trouble').textContent"), "");
    is_quiet(&browser);
}

/// Nothing is wider than the window, too pale to be read, without a name, or named twice.
pub fn is_readable(browser: &mut Browser, window: Window) {
    let wide = browser.evaluate("document.documentElement.scrollWidth").as_f64().unwrap();
    assert!(wide <= f64::from(window.width), "{window:?}: {wide} wide");
    let least = browser.evaluate(LEAST_CONTRAST);
    assert!(least[0].as_f64().unwrap() >= 4.5, "{window:?}: {least}");
    assert_eq!(browser.evaluate(NAMELESS), json!([]), "{window:?}");
    let twice = "[...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, place, all) => all.indexOf(id) !== place)";
    assert_eq!(browser.evaluate(twice), json!([]));
}

#[test]
fn it_fits_and_can_be_read_at_every_width_in_light_and_dark() {
    let (_dir, path) = written();
    let mut browser = Browser::open();
    for window in [LAPTOP, PHONE, WIDE].into_iter().flat_map(|window| [window, Window { dark: true, ..window }]) {
        open(&mut browser, &path, "#program=remote&arguments=1+2+1", window);
        browser.wait_for("document.getElementById('status').textContent.includes('over with')");
        browser.wait_for("!!document.querySelector('#now table')");
        browser.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
        browser.settle();
        is_readable(&mut browser, window);
    }
    is_quiet(&browser);
}

/// Gives the page a file, as one that is dropped onto it.
pub fn drop_file(browser: &mut Browser, name: &str, text: &str) {
    browser.evaluate(&format!(
        "(() => {{ const all = new DataTransfer(); all.items.add(new File([{}], {}));
        document.dispatchEvent(new DragEvent('drop', {{ dataTransfer: all, bubbles: true, cancelable: true }})); }})()",
        json!(text),
        json!(name)
    ));
}

#[test]
fn files_go_to_and_fro_and_the_console_is_switched_by_keys() {
    let (_dir, mut browser) = opened("#arguments=-i+shells");
    browser.wait_for("document.activeElement.id === 'typed'");
    browser.wait_for("document.getElementById('status').textContent.includes('machine runs')");
    drop_file(&mut browser, "notes", "pear\napple\n");
    browser.wait_for("document.getElementById('files').textContent.includes('notes')");
    write(&mut browser, "put notes; sort notes > sorted; get sorted");
    enter(&mut browser);
    browser.wait_for("document.getElementById('kept-files').textContent.includes('sorted (11 bytes)')");
    browser.wait_for(&printed("sorted, under The trace"));
    assert_eq!(browser.evaluate(&printed("\u{5}")), json!(false));
    // Ctrl-] and a number: the console of that processor is shown, and what is typed goes to its shell.
    let bracket =
        json!({ "type": "keyDown", "key": "]", "code": "BracketRight", "windowsVirtualKeyCode": 221, "modifiers": 2 });
    browser.call("Input.dispatchKeyEvent", bracket);
    write(&mut browser, "3");
    browser.wait_for("document.getElementById('tab-3').getAttribute('aria-selected') === 'true'");
    write(&mut browser, "ps; echo here");
    enter(&mut browser);
    browser.wait_for("/^here$/m.test(document.querySelector('#screen-3 pre').textContent)");
    assert_eq!(browser.evaluate("document.getElementById('trouble').textContent"), "");
    assert_eq!(browser.evaluate("document.getElementById('kept').hidden"), json!(false));
    // A look at who waits, and one at the end of a run that has none of its own.
    click(&mut browser, "look");
    browser.wait_for("/of sh, on fire, waits for console input/.test(document.getElementById('waiting').textContent)");
    browser.evaluate("(document.getElementById('waiting').textContent = '', document.getElementById('end').click())");
    browser.wait_for("document.getElementById('waiting').textContent.includes('no deadlock')");
    is_quiet(&browser);
}
