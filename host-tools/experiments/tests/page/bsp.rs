//! The page of `testbed experiment bsp` in a browser.

use std::fs;

use serde_json::json;
use testbed_experiments::bsp::held::cause::Cause;
use testbed_experiments::bsp::held::ends::{ByLength, Ends};
use testbed_experiments::bsp::held::page::html;
use testbed_experiments::bsp::held::results::Held;
use testbed_experiments::bsp::held::rows::{Long, Row};
use testbed_experiments::bsp::held::speedup::Speedup;

use super::devtools::{Browser, Window};

/// Two programs of two sizes on several numbers of processes, with one superstep that is off.
fn held(processes: &[u8]) -> Held {
    let by_length = ByLength { word: 5.0, message: 900.0, sender: 500.0 };
    let mut held = Held::default();
    for &processes in processes {
        held.ends.push(Ends { processes, g: 8.0, l: 9_000.0, l0: 1_700.0, by_length });
        for (program, size) in [("bsp-inner", 400), ("bsp-inner", 4_000), ("bsp-bitonic", 500), ("bsp-bitonic", 2_000)]
        {
            let measured = 400_000 * u64::from(size) / u64::from(processes);
            let long = Long {
                number: 2,
                work: 9_500,
                words: 54,
                messages: 2,
                senders: 8,
                measured: 19_000,
                sum: 30_000.0,
                by_length: 22_000.0,
                cause: Some(Cause::Messages),
                cause_by_length: Some(Cause::Waiting),
            };
            held.rows.push(Row {
                program: program.into(),
                size,
                processes,
                supersteps: 3,
                incomplete: 0,
                measured,
                work: measured - 50_000,
                words: 100,
                sum: 1.05 * measured as f64,
                max: 0.8 * measured as f64,
                by_length: 1.01 * measured as f64,
                long: vec![long],
            });
            let measured = measured / 4;
            held.speedups.push(Speedup {
                program: program.into(),
                size,
                processes,
                alone: measured * 3,
                measured,
                predicted: Some(1.02 * measured as f64),
                even: None,
            });
        }
    }
    held
}

#[test]
fn it_fits_and_shows_every_formula_and_program() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bsp.html");
    let mut browser = Browser::open();
    // Beyond five numbers of processes several share a colour.
    for processes in [&[2, 5, 10, 15][..], &[2], &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]] {
        let held = held(processes);
        fs::write(&path, html(&held).unwrap()).unwrap();
        for (width, dark) in [(1280, false), (1280, true), (390, false)] {
            browser.load(&path, Window { width, height: 800, dark, touch: width < 500 });
            assert!(browser.complaints.is_empty(), "{}", browser.complaints.join("\n"));
            let wide = browser.evaluate("document.documentElement.scrollWidth").as_f64().unwrap();
            assert!(wide <= f64::from(width), "{wide} wide in {width}");
        }
        let count = |browser: &mut Browser, what: &str| {
            browser.evaluate(&format!("document.querySelectorAll('{what}').length"))
        };
        assert_eq!(count(&mut browser, "#predicted svg.plot"), json!(3));
        assert_eq!(count(&mut browser, "#errors svg.plot"), json!(2));
        assert_eq!(count(&mut browser, "#speedup svg.plot"), json!(2));
        assert_eq!(count(&mut browser, "#measurements table"), json!(4));
        assert_eq!(
            browser.evaluate("document.querySelectorAll('#measurements table')[2].tBodies[0].rows.length"),
            json!(held.rows.len()),
        );
        let dead = "[...document.querySelectorAll('a')].filter((a) => !document.querySelector(a.hash)).length";
        assert_eq!(browser.evaluate(dead), json!(0));
    }
}

#[test]
fn an_experiment_without_rows_has_a_page() {
    let page = html(&Held::default()).unwrap();
    assert!(page.contains("<main") && page.ends_with("</html>\n"), "{page}");
}
