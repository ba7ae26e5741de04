//! Parquet, read back with the reader of its library, and asked in SQL.

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::{Field, Row};
use proptest::prelude::*;
use testbed_definitions::event::SCHEDULE;
use testbed_trace::export::Format;
use testbed_trace::order::{Epoch, Event, What};
use testbed_trace::summary::{detail, processor_name};

use super::events::{any_events, record, story, write_file, written};
use super::tools::{documented, python};

fn rows(bytes: Vec<u8>) -> Vec<Row> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    reader.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect()
}

fn optional(number: Option<u64>) -> Field {
    number.map_or(Field::Null, Field::ULong)
}

fn thread_of(event: &Event) -> Option<u16> {
    match event.what {
        What::Schedule(thread) | What::Joins(thread) | What::Leaves(thread) => Some(thread),
        What::Known(kind) if kind.argument == Some("thread") => event.argument,
        _ => None,
    }
}

/// What the file should say of an event, but for `running`, which follows from the events before.
fn expected(number: usize, event: &Event) -> Vec<(&'static str, Field)> {
    let record = record();
    let high = match event.epoch {
        Epoch::Certain(epoch) => Some(epoch),
        Epoch::Ambiguous { high, .. } => high,
    };
    let ticks = |epoch: u64| epoch << 16 | u64::from(event.time);
    let code = match event.what {
        What::Known(kind) => kind.code,
        What::Unknown(code) => code,
        What::Schedule(_) | What::Joins(_) => SCHEDULE,
        What::Leaves(_) => 0,
        What::Gap(_) => 0xab00,
        What::Total { rule, .. } => 0xabc0 + 16 * u16::from(rule),
    };
    vec![
        ("number", Field::ULong(number as u64)),
        // A tick is a microsecond on this machine.
        ("us", Field::Double(event.ticks() as f64)),
        ("us_high", high.map_or(Field::Null, |high| Field::Double(ticks(high) as f64))),
        ("ticks", Field::ULong(event.ticks())),
        ("ticks_high", optional(high.map(ticks))),
        ("epoch", Field::ULong(event.epoch.low())),
        ("epoch_high", optional(high)),
        ("tick", Field::UShort(event.time)),
        ("processor", Field::Str(processor_name(event.smi, &record))),
        ("smi", Field::UByte(event.smi)),
        ("pair", Field::ULong(event.index)),
        ("event", Field::Str(event.what.name().into())),
        ("code", Field::UShort(code)),
        ("value", event.value().map_or(Field::Null, Field::UInt)),
        ("thread", thread_of(event).map_or(Field::Null, Field::UShort)),
        ("detail", Field::Str(detail(event, &record))),
        ("certain", Field::Bool(event.is_certain())),
        ("doubtful", Field::Bool(event.doubtful)),
    ]
}

fn check(events: &[Event]) {
    let rows = rows(written(events, Format::Parquet));
    assert_eq!(rows.len(), events.len());
    for (number, (row, event)) in rows.into_iter().zip(events).enumerate() {
        let columns = row.into_columns();
        let shown: Vec<_> = columns.iter().filter(|(name, _)| name != "running").collect();
        let expected = expected(number, event);
        assert_eq!(shown.len(), expected.len());
        for ((name, field), (own, value)) in shown.into_iter().zip(&expected) {
            assert_eq!((name.as_str(), field), (*own, value), "{event:?}");
        }
    }
}

proptest! {
    #[test]
    fn every_event_is_a_row(events in any_events()) {
        check(&events);
    }
}

/// Rows are written in groups, none of which is lost where one ends.
#[test]
fn long_traces_have_several_row_groups() {
    let events = story(300_000);
    let bytes = written(&events, Format::Parquet);
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    assert_eq!(reader.metadata().num_row_groups(), 3);
    check(&events);
}

#[test]
fn the_running_thread_is_told() {
    let events = story(21);
    let running: Vec<_> = rows(written(&events, Format::Parquet))
        .into_iter()
        .map(|row| row.into_columns().into_iter().find(|(name, _)| name == "running").unwrap().1)
        .collect();
    // Until TRAP70 the thread that asks runs; then none does until the next is scheduled.
    let earth: Vec<_> =
        events.iter().zip(running).filter(|(event, _)| event.smi == 1).map(|(_, field)| field).collect();
    let sender = Field::UShort(super::events::thread(1, 1));
    let (runs, idle) = (sender, Field::Null);
    let expected = [&runs, &runs, &runs, &runs, &idle, &idle, &idle, &runs, &runs, &idle];
    assert_eq!(earth.iter().collect::<Vec<_>>(), expected);
}

/// The queries of the manual run, and give what can be counted otherwise too.
#[test]
fn documented_queries_run_in_duckdb() {
    let dir = tempfile::tempdir().unwrap();
    let mut events = story(21_000);
    // A loss, so that every query finds something.
    let last = events.last().unwrap().ticks();
    events.push(super::events::gap(last + 1, 3, 12));
    write_file(&events, Format::Parquet, &dir.path().join("trace.parquet"));
    let queries = documented("sql");
    assert!(queries.len() >= 5, "docs/trace.md has {} queries", queries.len());
    let script = "import duckdb, json, sys\n\
        for query in json.load(sys.stdin):\n    print(json.dumps(duckdb.sql(query).fetchall(), default=str))\n";
    let mut asked = queries.clone();
    asked.push(
        "select count(*), count(*) filter (event = 'USER'), sum(value) filter (event = 'GAP') from 'trace.parquet'"
            .into(),
    );
    let answers = python("duckdb", script, &serde_json::to_string(&asked).unwrap(), dir.path());
    let answers: Vec<Vec<serde_json::Value>> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), asked.len());
    for (query, answer) in queries.iter().zip(&answers) {
        assert!(!answer.is_empty(), "no answer to {query}");
    }
    let users = events.iter().filter(|event| event.what.name() == "USER").count();
    // DuckDB sums to 128 bits, which JSON gets as a text or a number.
    let counts = answers.last().unwrap()[0].to_string().replace('"', "");
    assert_eq!(counts, format!("[{},{users},12]", events.len()));
}
