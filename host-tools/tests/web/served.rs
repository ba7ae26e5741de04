//! The page of `testbed serve` in Chromium: a shell is used by keys, a run is ended, a folder is
//! shown whole; it asks nobody but its server.

use serde_json::json;

use super::browser::{enter, is_readable, printed, tab_to, write, LAPTOP, PHONE, WIDE};
use super::devtools::{Browser, Window};
use crate::common::serving::Serving;

fn status(browser: &mut Browser, text: &str) {
    browser.wait_for(&format!("document.getElementById('status')?.textContent.includes({}) === true", json!(text)));
}

fn is_quiet(browser: &Browser, serving: &Serving) {
    assert!(browser.complaints.is_empty(), "{}", browser.complaints.join("\n"));
    let own = |url: &&String| ["data:", "about:", "blob:", &serving.address].iter().any(|own| url.starts_with(own));
    let others: Vec<_> = browser.requests.iter().filter(|url| !own(url)).collect();
    assert!(others.is_empty() && browser.requests.len() > 3, "{others:?}");
}

#[test]
fn a_shell_is_used_in_the_page_of_its_server() {
    let dir = tempfile::tempdir().unwrap();
    let serving = Serving::start(&["sh", "--out", dir.path().to_str().unwrap()]);
    serving.wait_for(|told| told["mode"] == "live");
    let mut browser = Browser::open();
    browser.go(&serving.address, LAPTOP);
    status(&mut browser, "The run goes on");
    browser.evaluate("document.getElementById('typed').focus()");
    write(&mut browser, "echo from-$((3+4))-pages");
    enter(&mut browser);
    browser.wait_for(&printed("from-7-pages"));
    // Each key at once: Ctrl-C is a key of the machine's, and the run goes on.
    write(&mut browser, "sleep 86400");
    enter(&mut browser);
    tab_to(&mut browser, "raw", false);
    browser.evaluate("document.getElementById('raw').click(); document.getElementById('typed').focus()");
    let key = json!({ "type": "keyDown", "key": "c", "code": "KeyC", "windowsVirtualKeyCode": 67, "modifiers": 2 });
    browser.call("Input.dispatchKeyEvent", key);
    browser.wait_for(&printed("sleep 86400\n$ "));
    browser.evaluate("document.getElementById('raw').click()");
    // Classes and filters are set by commands to the shell.
    browser
        .evaluate("document.getElementById('rule').value = 'drop TIMER'; document.getElementById('set-rule').click()");
    browser.wait_for(&printed("filter drop TIMER"));
    browser.evaluate("document.getElementById('set-classes').click()");
    browser.wait_for(&printed("dgl profile+timer+user"));
    browser.wait_for("!!document.querySelector('#drawing canvas') && !!document.querySelector('#now table')");
    assert_eq!(browser.evaluate("document.querySelector('#now').textContent.includes('instructions')"), json!(false));
    tab_to(&mut browser, "end", true);
    enter(&mut browser);
    status(&mut browser, "The run was ended by its user");
    assert_eq!(
        browser.evaluate("document.getElementById('typing').hidden && document.getElementById('end').hidden"),
        json!(true)
    );
    assert_eq!(browser.evaluate("document.getElementById('no-typing').textContent"), "The run is over.");
    assert_eq!(browser.evaluate("document.getElementById('trouble').textContent"), "");
    is_quiet(&browser, &serving);
    // When the server has gone, the page says so and keeps what it has.
    serving.signal("-INT");
    assert_eq!(serving.end().0, 0);
    browser.wait_for("document.getElementById('trouble').textContent.includes('does not answer')");
    assert_eq!(browser.evaluate(&printed("from-7-pages")), json!(true));
}

#[test]
fn a_folder_is_shown_whole_at_every_width_in_light_and_dark() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let serving = Serving::start(&["remote", "1", "2", "1", "--out", out]);
    serving.wait_for(|told| told["mode"] == "over");
    serving.signal("-INT");
    assert_eq!(serving.end().0, 0);
    let serving = Serving::start(&[out]);
    let mut browser = Browser::open();
    for window in [LAPTOP, PHONE, WIDE].into_iter().flat_map(|window| [window, Window { dark: true, ..window }]) {
        browser.go("about:blank", window);
        browser.go(&serving.address, window);
        status(&mut browser, "Exit code 0 on earth");
        browser.wait_for(&printed("remote: sent"));
        browser.wait_for("!!document.querySelector('#now table') && !!document.querySelector('#facts table')");
        assert_eq!(browser.evaluate("document.getElementById('span-of').value"), "Infinity");
        browser.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
        browser.settle();
        is_readable(&mut browser, window);
    }
    let links = "[...document.querySelectorAll('#downloads a')].map((one) => one.getAttribute('href')).join()";
    let names = "file/mmi.raw,file/console.txt,file/console.log,file/run.json,file/trace.perfetto,file/report.html";
    assert_eq!(browser.evaluate(links), names);
    is_quiet(&browser, &serving);
}
