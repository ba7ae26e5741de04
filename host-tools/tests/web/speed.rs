//! How fast the page is, in figures that are printed: they are of this computer and of what else it
//! does, so nothing is asserted of them. `docs/web.md` shows those of a quiet one.

use std::time::Instant;

use super::browser::{enter, open, printed, write, written, LAPTOP};
use super::devtools::Browser;

/// Times that the page is opened; the median counts.
const TIMES: usize = 5;
/// Cycles, frames and drawings a second, over five seconds.
const RATES: &str = r"(async () => {
    const cycle = () => Number(document.getElementById('clock').textContent.match(/cycle ([\d\u202f]+)/)[1].replaceAll('\u202f', ''));
    const from = { cycle: cycle(), time: performance.now(), shown: window.testbed.shown };
    let frames = 0;
    while (performance.now() < from.time + 5000) {
        await new Promise(requestAnimationFrame);
        frames++;
    }
    const seconds = (performance.now() - from.time) / 1000;
    return [cycle() - from.cycle, frames, window.testbed.shown - from.shown].map((count) => count / seconds);
})()";

/// `cargo test --release -p testbed-host-tools --test all -- --ignored --nocapture web::speed`
#[test]
#[ignore = "half a minute, to measure; it asserts no figure"]
fn figures_of_the_page() {
    let (_dir, path) = written();
    let mut browser = Browser::open();
    let mut seconds: Vec<f64> = (0..TIMES)
        .map(|_| {
            let begun = Instant::now();
            open(&mut browser, &path, "", LAPTOP);
            browser.wait_for("document.activeElement.id === 'typed'");
            write(&mut browser, "help");
            enter(&mut browser);
            browser.wait_for(&printed("echo [-n] WORD"));
            begun.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    println!("from opening the file to the answer to help: {:.2} s (median of {TIMES})", seconds[TIMES / 2]);
    for (program, speed) in [("busy", "1"), ("busy", "Infinity"), ("multi-phase", "Infinity")] {
        open(&mut browser, &path, &format!("#program={program}&speed={speed}"), LAPTOP);
        browser.wait_for("window.testbed.shown > 3");
        let rates = browser.evaluate(RATES);
        let rate = |place: usize| rates[place].as_f64().unwrap();
        let real = if speed == "1" { "at real time" } else { "as fast as possible" };
        println!(
            "{program} {real}: {:.1} million cycles, {:.0} frames, {:.1} drawings a second",
            rate(0) / 1e6,
            rate(1),
            rate(2)
        );
    }
}
