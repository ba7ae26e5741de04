//! The table of `testbed bench kernel`: our figures beside the report's, its goals, and those of others.

use serde::Serialize;

use super::{fit, Local, Migration, Page, Remote, Switch};

/// Instructions in a millisecond of the report's processor (about 1.2 MIPS).
pub const INSTRUCTIONS_A_REPORT_MS: f64 = 1_200.0;

/// What the cases showed on one kernel.
#[derive(Clone, Debug)]
pub struct Figures {
    pub switch: Switch,
    /// By bytes, ascending.
    pub local: Vec<(u32, Local)>,
    pub remote: Vec<(u32, Remote)>,
    pub migration: Migration,
    pub page: Page,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub name: &'static str,
    pub unit: &'static str,
    pub cycles: f64,
    /// The report's, in milliseconds on its own processor.
    pub report_ms: Option<f64>,
    /// At most so many cycles are wanted.
    pub goal: Option<f64>,
}

impl Row {
    pub fn is_met(&self) -> Option<bool> {
        self.goal.map(|goal| self.cycles <= goal)
    }
}

fn row(name: &'static str, cycles: f64) -> Row {
    Row { name, unit: "", cycles, report_ms: None, goal: None }
}

fn reported(name: &'static str, cycles: i64, report_ms: f64) -> Row {
    Row { report_ms: Some(report_ms), ..row(name, cycles as f64) }
}

fn wanted(name: &'static str, cycles: f64, goal: f64) -> Row {
    Row { goal: Some(goal), ..row(name, cycles) }
}

impl Figures {
    /// All rows, in the same order whatever the figures are. The report's values are those of its
    /// Table 6 and section 3.3.
    pub fn rows(&self) -> Vec<Row> {
        let Figures { switch, migration, page, .. } = self;
        let mut rows = vec![
            row("system call, in and out", switch.call as f64),
            row("a program's event, by a call", switch.event_call as f64),
            row("a program's event, by a store", switch.event_store as f64),
            wanted("voluntary context switch", switch.switch as f64, 150.0),
        ];
        rows.extend(self.local_rows());
        rows.extend(self.remote_rows());
        rows.extend([
            reported("migration: pack", migration.pack, 3.4),
            reported("migration: flight", migration.flight, 2.5),
            reported("migration: unpack", migration.unpack, 2.5),
            wanted("migration without flight", migration.without_flight as f64, 3_000.0),
            reported("migration, until the thread goes on", migration.delay, 8.4),
            reported("page: fault service", page.fault, 2.0),
            row("page: request flight", page.request_flight as f64),
            reported("page: located, packed, flown", page.page_flight, 12.0),
            row("page: taken in", page.arrival as f64),
            wanted("page copy without flight", page.without_flight as f64, 4_000.0),
            reported("page copy, until the thread goes on", page.read, 16.9),
            row("write to a page with copies", page.write as f64),
        ]);
        rows
    }

    fn local_rows(&self) -> Vec<Row> {
        let Some((_, short)) = self.local.first() else { return Vec::new() };
        let points: Vec<_> = self.local.iter().map(|(bytes, one)| (f64::from(*bytes), one.rendezvous as f64)).collect();
        let (intercept, slope) = fit(&points);
        vec![
            row("local: request that waits", short.first as f64),
            row("local: request that copies 4 bytes", short.second as f64),
            wanted("local rendezvous, 4 bytes", short.rendezvous as f64, 400.0),
            Row { report_ms: Some(1.025), ..row("local rendezvous, fitted for 0 bytes", intercept) },
            // The report gives milliseconds a kilobyte.
            Row {
                unit: " a byte",
                report_ms: Some(1.95 / 1_024.0),
                ..wanted("local rendezvous, each byte", slope, 1.5)
            },
        ]
    }

    fn remote_rows(&self) -> Vec<Row> {
        let Some((_, short)) = self.remote.first() else { return Vec::new() };
        let points: Vec<_> = self.remote.iter().map(|(bytes, one)| (f64::from(*bytes), one.delay as f64)).collect();
        let (intercept, slope) = fit(&points);
        let services = short.send_request + short.receive_request + short.focus + short.rtr + short.msg;
        vec![
            reported("remote: send request", short.send_request, 1.2),
            reported("remote: receive request", short.receive_request, 0.45),
            row("remote: focus service", short.focus as f64),
            row("remote: rtr service", short.rtr as f64),
            row("remote: msg service", short.msg as f64),
            row("remote: the five services", services as f64),
            reported("remote: focus flight", short.focus_flight, 1.5),
            reported("remote: rtr flight", short.rtr_flight, 1.5),
            row("remote: msg flight, 4 bytes", short.msg_flight as f64),
            wanted("remote, 4 bytes, both ready, no flight", short.without_flight as f64, 1_500.0),
            Row { report_ms: Some(7.35), ..row("remote delay, fitted for 0 bytes", intercept) },
            Row { unit: " a byte", report_ms: Some(2.77 / 1_024.0), ..row("remote delay, each byte", slope) },
        ]
    }
}

/// Figures of others as they are quoted; nothing here measures or has verified them.
pub const PEERS: &[(&str, &str)] = &[
    ("seL4, call on SiFive's U54", "694 cycles (sel4bench's results: sel4.systems/performance.html)"),
    (
        "Tock, a system call on rv32imc",
        "844 instructions (a trace from ecall to the driver has 530: groups.google.com/g/tock-dev/c/FPTmNe4BAq0)",
    ),
    ("T800, rendezvous of one word", "41 cycles (in and out are instructions, without protection)"),
];
