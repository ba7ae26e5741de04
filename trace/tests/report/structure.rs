//! What is in a page, without a browser.

use testbed_definitions::event::{DIAG_PROFILE, DIAG_READY, DIAG_USER};
use testbed_trace::analysis::{analyse, AnalysisError, Kind, Options};
use testbed_trace::capture::Capture;
use testbed_trace::report::{collect, Page};

use crate::analysis::scripts::{AIR, CLASSES, GAP};
use crate::report::runs::{busy, write, PERIOD};

/// What lies in the page's element for data.
fn embedded(html: &str) -> Page {
    let (_, rest) = html.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn page(capture: &Capture) -> Page {
    collect(capture, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn sum(cycles: &[u64]) -> u64 {
    cycles.iter().sum()
}

#[test]
fn the_data_are_the_analysis() {
    let dir = tempfile::tempdir().unwrap();
    let capture = write(dir.path(), "busy", &["1", "2"], CLASSES, &busy(40), 40 * PERIOD);
    let page = page(&capture);
    let found = embedded(&page.html());
    assert_eq!(found, page);
    let report = found.analysis.unwrap();
    let window_cycles = report.cpu.as_ref().map(|cpu| cpu.window_cycles);
    assert_eq!(report, analyse(&capture, &Options { window_cycles, ..Options::default() }).unwrap());
    assert!(report.phases.unwrap().protocols.iter().any(|protocol| protocol.whole.is_some()));
    // Lanes and analysis say the same, each in its way.
    for (row, processor) in found.timeline.processors.iter().zip(&report.cpu.unwrap().processors) {
        assert_eq!((row.number, sum(&row.lane.cycles)), (processor.processor, 40 * PERIOD));
        let named: Vec<_> = processor.cycles.iter().map(|(doing, cycles)| (*doing as u8, *cycles)).collect();
        assert_eq!(row.lane.sums().into_iter().collect::<Vec<_>>(), named);
    }
    assert_eq!(found.timeline.resolution_cycles, 0);
    let served: u64 = report.links.unwrap().links.iter().filter_map(|link| Some(link.flights.as_ref()?.count)).sum();
    assert_eq!((found.timeline.packets.len() as u64, found.timeline.packet_count), (served, served));
}

#[test]
fn a_page_asks_nothing_of_the_network() {
    let dir = tempfile::tempdir().unwrap();
    let html = page(&write(dir.path(), "busy", &[], CLASSES, &busy(8), 8 * PERIOD)).html();
    for address in ["http:", "https:", "//cdn", "@import", "url("] {
        assert!(!html.contains(address), "the page has {address}");
    }
    // What loads is the page's own, and the policy forbids the rest.
    for element in ["<script src", "<link rel=\"stylesheet\"", "<img", "<iframe", "fetch(", "XMLHttpRequest", "import("]
    {
        assert!(!html.contains(element), "the page has {element}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn names_are_text_whatever_they_hold() {
    let dir = tempfile::tempdir().unwrap();
    let program = "</title></script><script>alert(1)</script><!--";
    let arguments = ["\"><img src=x onerror=alert(1)>", "{{SCRIPT}}", "\u{2028}\\u003c&lt;"];
    let capture = write(dir.path(), program, &arguments, CLASSES, &busy(4), 4 * PERIOD);
    let html = page(&capture).html();
    assert_eq!(embedded(&html).record, capture.record);
    assert_eq!(embedded(&html).console, "earth: <b>printed</b>\n");
    for end in ["</script>", "<!--", "</title>", "<script", "<img", "<b>"] {
        let own = match end {
            "</script>" | "<script" => 2,
            "</title>" => 1,
            _ => 0,
        };
        assert_eq!(html.matches(end).count(), own, "{end}");
    }
}

#[test]
fn long_runs_make_no_long_pages() {
    let dir = tempfile::tempdir().unwrap();
    let rounds = 40_000;
    let capture = write(dir.path(), "busy", &[], CLASSES, &busy(rounds), rounds * PERIOD);
    let page = page(&capture);
    let bytes = page.html().len();
    assert!(bytes < 3_000_000, "{bytes} bytes");
    assert!(page.timeline.resolution_cycles > 0 && page.timeline.packet_stride > 1);
    assert!(page.left_out.iter().any(|line| line.contains("one packet in")), "{:?}", page.left_out);
    for (row, processor) in page.timeline.processors.iter().zip(&page.analysis.unwrap().cpu.unwrap().processors) {
        let named: Vec<_> = processor.cycles.iter().map(|(doing, cycles)| (*doing as u8, *cycles)).collect();
        assert_eq!(row.lane.sums().into_iter().collect::<Vec<_>>(), named);
    }
    // A part of it is exact.
    let part = Options { from_cycle: Some(10 * PERIOD), to_cycle: Some(50 * PERIOD), ..Options::default() };
    let part = collect(&capture, &part).unwrap();
    assert_eq!((part.timeline.resolution_cycles, part.timeline.packet_stride), (0, 1));
    assert!(part.timeline.processors.iter().all(|row| sum(&row.lane.cycles) == 40 * PERIOD));
    assert!(part.timeline.packets.iter().all(|packet| packet.3 >= 10 * PERIOD && packet.2 < 50 * PERIOD));
}

#[test]
fn losses_are_said_and_shown() {
    let dir = tempfile::tempdir().unwrap();
    let mut steps = busy(20);
    steps.push((7 * PERIOD - 5, AIR, GAP, 12));
    steps.sort_by_key(|step| step.0);
    let page = page(&write(dir.path(), "busy", &[], CLASSES, &steps, 20 * PERIOD));
    assert_eq!((page.losses.len(), page.losses_count), (1, 1));
    assert_eq!((page.losses[0].processor, page.losses[0].discarded), (AIR, Some(12)));
    let uncertainty = page.analysis.unwrap().uncertainty;
    assert_eq!((uncertainty.gaps, uncertainty.discarded), (1, 12));
}

#[test]
fn damage_is_said_with_and_without_an_analysis() {
    for dgl in [CLASSES, DIAG_USER] {
        let dir = tempfile::tempdir().unwrap();
        let capture = write(dir.path(), "busy", &[], dgl, &[], PERIOD);
        assert!(page(&capture).damage.is_empty());
        std::fs::write(dir.path().join("trace/metadata"), "of another").unwrap();
        let found = page(&capture).damage;
        assert!(found.len() == 1 && found[0].contains("metadata"), "{found:?}");
    }
}

#[test]
fn a_run_without_the_classes_still_has_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let user = page(&write(dir.path(), "busy", &[], DIAG_USER, &[], PERIOD));
    assert!(user.analysis.is_none() && user.not_analysed.unwrap().contains("profile"));
    let recorded: Vec<_> = user.classes.iter().filter(|class| class.recorded).map(|class| &class.name[..]).collect();
    assert_eq!(recorded, ["user"]);
    let ready = page(&write(dir.path(), "busy", &[], DIAG_READY, &[], PERIOD));
    let report = ready.analysis.unwrap();
    assert!(report.queues.is_some() && report.cpu.is_none() && report.not_recorded.len() == Kind::ALL.len() - 1);
}

#[test]
fn a_part_without_time_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let capture = write(dir.path(), "busy", &[], DIAG_PROFILE, &busy(2), 2 * PERIOD);
    let options = Options { from_cycle: Some(2 * PERIOD), ..Options::default() };
    let error = collect(&capture, &options).unwrap_err();
    assert!(matches!(error, AnalysisError::EmptyRange { .. }), "{error}");
}
