//! Text, CSV, JSON, JSON lines and gnuplot's table.

use std::process::Command;

use proptest::prelude::*;
use serde_json::Value;
use testbed_trace::export::Format;
use testbed_trace::order::{Epoch, Event};
use testbed_trace::summary::{describe, detail, microseconds, processor_name};

use super::events::{any_events, record, story, text};

fn high(event: &Event) -> Option<u64> {
    match event.epoch {
        Epoch::Certain(epoch) => Some(epoch),
        Epoch::Ambiguous { high, .. } => high,
    }
}

fn or_empty(number: Option<u64>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}

/// One line of CSV; only `detail` is quoted.
fn fields(line: &str) -> Vec<String> {
    let (before, rest) = line.split_once('"').unwrap();
    let (quoted, after) = rest.split_once('"').unwrap();
    let mut fields: Vec<_> = before.trim_end_matches(',').splitn(7, ',').map(String::from).collect();
    fields.extend([quoted.to_string(), after.trim_start_matches(',').to_string()]);
    fields
}

fn expected(event: &Event) -> Vec<String> {
    let record = record();
    vec![
        microseconds(event.ticks(), &record),
        event.epoch.low().to_string(),
        or_empty(high(event)),
        event.time.to_string(),
        processor_name(event.smi, &record),
        event.what.name().into(),
        or_empty(event.value().map(u64::from)),
        detail(event, &record),
        event.is_certain().to_string(),
    ]
}

fn json(event: &Event) -> Value {
    let record = record();
    serde_json::json!({
        "us": microseconds(event.ticks(), &record),
        "epoch": event.epoch.low(),
        "epoch_high": high(event),
        "tick": event.time,
        "processor": processor_name(event.smi, &record),
        "event": event.what.name(),
        "value": event.value(),
        "detail": detail(event, &record),
        "certain": event.is_certain(),
    })
}

proptest! {
    #[test]
    fn text_and_csv_show_every_event(events in any_events()) {
        let lines: Vec<_> = events.iter().map(|event| describe(event, &record())).collect();
        let text_lines = text(&events, Format::Text);
        prop_assert_eq!(text_lines.lines().collect::<Vec<_>>(), lines);
        let csv = text(&events, Format::Csv);
        let mut rows = csv.lines();
        prop_assert_eq!(rows.next(), Some("us,epoch,epoch_high,tick,processor,event,value,detail,certain"));
        let rows: Vec<_> = rows.map(|line| {
            // An empty value is the seventh field all the same.
            let mut fields = fields(line);
            while fields.len() < 9 {
                fields.insert(6, String::new());
            }
            fields
        }).collect();
        prop_assert_eq!(rows, events.iter().map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn json_and_json_lines_show_every_event(events in any_events()) {
        let expected: Vec<_> = events.iter().map(json).collect();
        let whole: Vec<Value> = serde_json::from_str(&text(&events, Format::Json)).unwrap();
        prop_assert_eq!(&whole, &expected);
        let lines = text(&events, Format::JsonLines);
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(&lines, &expected);
    }

    #[test]
    fn gnuplots_table_has_every_event(events in any_events()) {
        let table = text(&events, Format::Gnuplot);
        let rows: Vec<Vec<_>> =
            table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect()).collect();
        prop_assert_eq!(rows.len(), events.len());
        for (row, event) in rows.iter().zip(&events) {
            let record = record();
            let missing = |number: Option<String>| number.unwrap_or("?".into());
            let above = high(event).map(|high| microseconds(high << 16 | u64::from(event.time), &record));
            prop_assert_eq!(row.len(), 12);
            prop_assert_eq!(row[0], microseconds(event.ticks(), &record));
            prop_assert_eq!(row[1], missing(above));
            prop_assert_eq!(row[2], event.smi.to_string());
            prop_assert_eq!(row[4], missing(event.value().map(|value| value.to_string())));
            prop_assert_eq!(row[9], if event.is_certain() { "1" } else { "0" });
            prop_assert_eq!(row[10], format!("\"{}\"", event.what.name()));
            prop_assert_eq!(row[11], format!("\"{}\"", processor_name(event.smi, &record)));
        }
    }
}

/// The command in the table's head is one that gnuplot takes.
#[test]
fn gnuplot_plots_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let table = text(&story(2_000), Format::Gnuplot);
    let head: Vec<_> = table.lines().take_while(|line| line.starts_with('#')).collect();
    let commands: Vec<_> =
        head.iter().filter_map(|line| line.strip_prefix("# ")).filter(|line| line.contains(" \"")).collect();
    assert_eq!(commands.len(), 2, "{head:?}");
    std::fs::write(dir.path().join("table"), &table).unwrap();
    let script = format!(
        "{}\nset terminal svg\nset output 'plot'\n{}\nset print 'stats'\nstats 'table' using 8 nooutput\nprint STATS_max\n",
        commands[0],
        commands[1].replace("FILE", "'table'")
    );
    std::fs::write(dir.path().join("script"), script).unwrap();
    let output = Command::new("gnuplot")
        .arg("script")
        .current_dir(dir.path())
        .output()
        .expect("this test needs gnuplot: apt-get install gnuplot-nox");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(std::fs::read_to_string(dir.path().join("plot")).unwrap().contains("earth: ready threads"));
    // At most one packet is under way at a time in the story.
    assert_eq!(std::fs::read_to_string(dir.path().join("stats")).unwrap().trim(), "1.0");
}
