//! What `run` says of a run.

use std::fmt::Write as _;
use std::path::Path;

use testbed_definitions::boot::SMALL_BELOW;
use testbed_definitions::limits::SMALL_FIRST_STACK_PAGES;
use testbed_definitions::page::PAGE_BYTES;
use testbed_machine::{units, Machine};
use testbed_trace::capture::{KernelKind, RunRecord, Stop, CONSOLE};

use super::super::{grouped, scaled, Exit, Failure};

/// Console lines that the summary shows.
const CONSOLE_LINES: usize = 20;

/// Whether `machine` has the master that the kernel needs; if not, `help` says what to do.
///
/// # Errors
/// It is headless.
pub fn check_master(program: &str, machine: &Machine, help: &str) -> Result<(), Failure> {
    match machine.headless {
        false => Ok(()),
        true => {
            let why = format!("{program} needs the kernel, and that a master, which {} lacks", machine.name);
            Err(Failure::new(Exit::Input, format!("{why}\n  help: {help}")))
        }
    }
}

/// What ran, and how it ended.
pub fn head(record: &RunRecord) -> String {
    let machine = &record.machine;
    let mut out = format!(
        "{} on {} ({} processors, {} RAM each, {}), engine {}, kernel {}, seed {}\n",
        record.program,
        machine.name,
        machine.processors.len(),
        units::print(machine.ram_bytes.into(), units::BYTES),
        units::print(machine.clock_hz.into(), units::HERTZ),
        record.engine,
        record.kernel_name(),
        record.seed
    );
    if record.kernel == Some(KernelKind::Small) {
        let enough = units::print(SMALL_BELOW.into(), units::BYTES);
        let _ = writeln!(
            out,
            "with less than {enough} of RAM: no migration, shared pages, ALT, delays, files, and {} KiB of stack at first",
            SMALL_FIRST_STACK_PAGES * PAGE_BYTES / 1024
        );
    }
    if let Some(faults) = &record.faults {
        let _ = writeln!(out, "{faults}");
    }
    let milliseconds = record.cycles as f64 * 1e3 / f64::from(machine.clock_hz);
    let reason = match record.stopped {
        Some(Stop::Exit) => "the program is over",
        Some(Stop::Limit) => "the time given is over",
        Some(Stop::User) => "ended by its user",
        None => "not complete",
    };
    let _ = writeln!(out, "{reason}: {} cycles, {milliseconds:.3} ms of machine time", grouped(record.cycles));
    for exit in &record.exits {
        let _ = writeln!(out, "exit code {} on {} in cycle {}", exit.code, exit.processor, grouped(exit.cycle));
    }
    out
}

/// The first lines of the console.
pub fn console(dir: &Path) -> Result<String, Failure> {
    let text = String::from_utf8_lossy(&std::fs::read(dir.join(CONSOLE))?).into_owned();
    let mut out = String::new();
    for line in text.lines().take(CONSOLE_LINES) {
        let _ = writeln!(out, "  | {line}");
    }
    match text.lines().count().saturating_sub(CONSOLE_LINES) {
        0 if out.is_empty() => {}
        0 => out.push('\n'),
        more => {
            let _ = writeln!(out, "  | and {more} more lines in {CONSOLE}\n");
        }
    }
    Ok(out)
}

/// What the hardware has counted.
pub fn ledger(record: &RunRecord) -> String {
    let Some(ledger) = &record.ledger else { return String::new() };
    let mut out = "ledger:    emitted +  markers = delivered +   queued +  dropped +  refused + filtered\n".to_string();
    for line in &ledger.smis {
        let balance = if line.difference() == 0 { "" } else { "   DOES NOT BALANCE" };
        let _ = writeln!(
            out,
            "  {:<8} {:>8}   {:>8}   {:>9}   {:>8}   {:>8}   {:>8}   {:>8}{balance}",
            line.processor,
            line.emitted,
            line.markers,
            line.delivered,
            line.queued,
            line.dropped,
            line.refused,
            line.filtered
        );
    }
    let sum = |field: fn(&testbed_trace::ledger::StationLine) -> u32| -> u64 {
        ledger.stations.iter().map(|line| u64::from(field(line))).sum()
    };
    let _ = writeln!(
        out,
        "  bus: {} packets sent, {} of them to all, {} received, {} retries, {} dropped, {} with CRC errors, {} refused",
        sum(|line| line.tx_packets),
        sum(|line| line.tx_broadcasts.unwrap_or_default()),
        sum(|line| line.rx_packets),
        sum(|line| line.tx_retries),
        sum(|line| line.tx_dropped),
        sum(|line| line.rx_crc_errors),
        sum(|line| line.tx_refused)
    );
    if record.faults.is_some() {
        let _ = writeln!(out, "  bus: {} of them sent again", sum(|line| line.tx_resent));
    }
    out
}

/// How fast the engine was.
pub fn speed(record: &RunRecord) -> String {
    let seconds = record.wall_seconds.max(1e-9);
    let instructions: u64 = record.instructions.iter().sum();
    format!(
        "speed: {}cycles/s, {}instructions/s ({} instructions in {seconds:.2} s)",
        scaled(record.cycles as f64 / seconds),
        scaled(instructions as f64 / seconds),
        grouped(instructions)
    )
}
