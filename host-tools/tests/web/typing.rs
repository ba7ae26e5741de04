//! What is typed in the page: lines that are pasted, keys that are buttons, and a console that follows
//! its end.

use serde_json::json;

use super::browser::{click, enter, opened, printed, write};
use super::devtools::Browser;

/// Lets the field for what is typed take a text as one that is pasted.
fn paste(browser: &mut Browser, text: &str) {
    browser.evaluate(&format!(
        "(() => {{ const clipboardData = new DataTransfer(); clipboardData.setData('text', {});
        document.getElementById('typed').dispatchEvent(new ClipboardEvent('paste', {{ clipboardData, bubbles: true, cancelable: true }})); }})()",
        json!(text)
    ));
}

#[test]
fn lines_are_pasted_and_what_runs_is_ended_and_stopped() {
    let (_dir, mut browser) = opened("");
    browser.wait_for("document.activeElement.id === 'typed'");
    write(&mut browser, "echo a");
    paste(&mut browser, "b-$((1+1))\r\necho second-$((2+2))\necho th");
    browser.wait_for(&printed("second-4"));
    assert_eq!(browser.evaluate(&printed("ab-2")), json!(true));
    // What has no newline waits to be sent.
    assert_eq!(browser.evaluate("document.getElementById('typed').value"), "echo th");
    write(&mut browser, "ird-$((3+3))");
    enter(&mut browser);
    browser.wait_for(&printed("third-6"));
    // Ctrl-C, whatever stands in the field.
    write(&mut browser, "sleep 86400");
    enter(&mut browser);
    browser.wait_for(&printed("sleep 86400"));
    write(&mut browser, "not this");
    click(&mut browser, "interrupt");
    browser.wait_for(&printed("sleep 86400\n$ "));
    assert_eq!(browser.evaluate("document.getElementById('typed').value"), "");
    assert_eq!(browser.evaluate("document.activeElement.id"), "typed");
    write(&mut browser, "sleep 86401");
    enter(&mut browser);
    browser.wait_for(&printed("sleep 86401"));
    click(&mut browser, "suspend");
    browser.wait_for(&printed(" stopped"));
    let key = json!({ "type": "keyDown", "key": "z", "code": "KeyZ", "windowsVirtualKeyCode": 90, "modifiers": 2 });
    write(&mut browser, "fg");
    enter(&mut browser);
    browser.wait_for(&printed("$ fg"));
    browser.call("Input.dispatchKeyEvent", key);
    browser.wait_for("document.getElementById('screen-1').textContent.match(/ stopped/g)?.length > 1");
    // Each key at once takes what is pasted as it is.
    click(&mut browser, "raw");
    paste(&mut browser, "echo raw-$((4+4))\n");
    browser.wait_for(&printed("raw-8"));
}

/// Also one that was hidden while it printed, and one that somebody has scrolled there again.
#[test]
fn a_console_follows_its_end_until_somebody_scrolls_up() {
    let (_dir, mut browser) = opened("");
    browser.wait_for("document.getElementById('status').textContent.includes('machine runs')");
    let lines = "i=0; while test $i -lt 80; do echo line-$i; i=$((i+1)); done";
    let is_at_end = "(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight > clientHeight && scrollTop + clientHeight >= scrollHeight - 30)(document.querySelector('#screen-1 pre'))";
    write(&mut browser, lines);
    click(&mut browser, "tab-0");
    browser.evaluate("document.getElementById('typed').focus()");
    enter(&mut browser);
    // What is hidden is drawn when it is shown.
    browser.wait_for("document.querySelector('#tab-1 [aria-label=\", new output\"]') !== null");
    browser.settle();
    click(&mut browser, "tab-1");
    browser.wait_for(&printed("line-79"));
    browser.wait_for(is_at_end);
    browser.evaluate("document.querySelector('#screen-1 pre').scrollTop = 0");
    browser.settle();
    browser.evaluate("document.getElementById('typed').focus()");
    write(&mut browser, "echo further-$((5+5))");
    enter(&mut browser);
    browser.wait_for(&printed("further-10"));
    browser.settle();
    assert_eq!(browser.evaluate("document.querySelector('#screen-1 pre').scrollTop"), json!(0));
    browser.evaluate("((one) => (one.scrollTop = one.scrollHeight))(document.querySelector('#screen-1 pre'))");
    browser.settle();
    write(&mut browser, "echo last-$((6+6)); echo; echo; echo; echo end");
    enter(&mut browser);
    browser.wait_for(&printed("last-12"));
    browser.settle();
    browser.wait_for(is_at_end);
}
