//! Waits as sentences.

use std::fmt::{self, Write};

use itertools::Itertools;

use super::{Fate, Faults, Input, Mark, Partner, Passing, Verdict, Wait, Waiting, WaitsReport};
use crate::analysis::text::grouped;
use crate::summary::{processor_text, thread_text};

/// Machine time for which a communication or page may take its way, in parts of a second; no kernel
/// takes nearly so long.
const PATIENCE: u64 = 4;

/// The report as text.
pub fn text(report: &WaitsReport) -> String {
    let mut out = String::new();
    write(&mut out, report).expect("a String takes everything");
    out
}

fn write(out: &mut String, report: &WaitsReport) -> fmt::Result {
    writeln!(out, "{}", headline(report))?;
    let mut told = vec![false; report.threads.len()];
    for circle in &report.circles {
        writeln!(out, "\n  {}", circle_title(circle.len()))?;
        for &index in circle {
            thread(out, report, &report.threads[index])?;
            told[index] = true;
        }
    }
    type Belongs<'a> = &'a dyn Fn(&Waiting) -> bool;
    let groups: [(&str, Belongs); 4] = [
        ("can never go on:", &|waiting| waiting.fate == Fate::Held),
        ("abandoned: goes on only if a thread is created again under the id of one that has ended:", &|waiting| {
            waiting.fate == Fate::Abandoned
        }),
        ("perhaps in a live-lock: needs the same page over and over, and nothing else happens to it:", &|waiting| {
            waiting.faults.is_some()
        }),
        (others(report), &|_| true),
    ];
    for (title, belongs) in groups {
        let rest: Vec<usize> =
            (0..told.len()).filter(|&index| !told[index] && belongs(&report.threads[index])).collect();
        if rest.is_empty() {
            continue;
        }
        writeln!(out, "\n  {title}")?;
        for index in rest {
            thread(out, report, &report.threads[index])?;
            told[index] = true;
        }
    }
    let reads = report.threads.iter().any(|waiting| waiting.wait == Wait::Nothing(Passing::Input));
    if reads && report.input == Input::Nobody {
        writeln!(out, "\n  hint: nobody gave console input; --input FILE gives some, --input - what you type")?;
    }
    if !report.unknown.is_empty() {
        writeln!(out)?;
    }
    report.unknown.iter().try_for_each(|what| writeln!(out, "  not known: {what}"))
}

fn others(report: &WaitsReport) -> &'static str {
    match report.verdict {
        Verdict::Untold => "blocked when the trace ended:",
        Verdict::GoesOn => "the threads:",
        _ => "may go on:",
    }
}

/// The verdict in a sentence.
pub fn headline(report: &WaitsReport) -> String {
    let all = report.threads.len();
    let stuck = report.threads.iter().filter(|waiting| waiting.fate != Fate::GoesOn).count();
    let at = format!("in cycle {}", grouped(report.cycle));
    match report.verdict {
        Verdict::Over => "the program is over: nobody waits".into(),
        Verdict::Deadlock if all == 1 => format!("deadlock {at}: the only thread can never go on"),
        Verdict::Deadlock => format!("deadlock {at}: none of the {all} threads can ever go on"),
        Verdict::Partial => {
            let held = report.threads.iter().any(|waiting| waiting.fate == Fate::Held);
            let what = if held { "partial deadlock" } else { "abandoned threads" };
            format!("{what} {at}: {stuck} of {all} threads {} in vain", if stuck == 1 { "waits" } else { "wait" })
        }
        Verdict::GoesOn if report.threads.iter().any(|waiting| waiting.faults.is_some()) => {
            format!("perhaps a live-lock {at}: no thread waits in vain, but some get no further")
        }
        Verdict::GoesOn => format!("no deadlock {at}: every thread may go on"),
        Verdict::Untold => {
            "who waits for whom was not looked at when the run ended, so nobody knows who can go on".into()
        }
    }
}

fn circle_title(length: usize) -> String {
    match length {
        1 => "waits for itself:".into(),
        2 => "two threads wait for each other:".into(),
        more => format!("{more} threads wait in a circle, each for the next:"),
    }
}

/// What a thread does, and below it where, since when and after what.
fn thread(out: &mut String, report: &WaitsReport, waiting: &Waiting) -> fmt::Result {
    let program = waiting.program.as_ref().map(|program| format!(" of {program}")).unwrap_or_default();
    let Waiting { name, processor, .. } = waiting;
    writeln!(out, "    {name}{program}, on {processor}, {}", doing(report, waiting))?;
    for (depth, place) in waiting.places.iter().enumerate() {
        let function = place.function.as_ref().map(|function| format!(", in {function}")).unwrap_or_default();
        writeln!(out, "      {} {}:{}{function}", if depth == 0 { "at" } else { "from" }, place.file, place.line)?;
    }
    if waiting.places.is_empty() && waiting.pc != 0 {
        writeln!(out, "      at pc {:#x}", waiting.pc)?;
    }
    if let Some(since) = when(report, waiting) {
        writeln!(out, "      {since}")?;
    }
    if let Some(last) = communicated(report, waiting) {
        writeln!(out, "      {last}")?;
    }
    for (number, mark) in &waiting.ended {
        writeln!(out, "      {} ended {}", thread_text(*number, &report.processors), at(report, mark))?;
    }
    if let Some(faults) = &waiting.faults {
        writeln!(out, "      {}", over_and_over(report, faults))?;
    }
    suspicion(out, report, waiting)
}

/// A cycle, time and event of the trace.
fn at(report: &WaitsReport, mark: &Mark) -> String {
    let bound = if mark.certain { "in" } else { "not before" };
    let Mark { cycle, name, event, .. } = mark;
    let us = *cycle as f64 * 1e6 / f64::from(report.clock_hz.max(1));
    format!("{bound} cycle {} ({us:.0} us, event {event}, {name})", grouped(*cycle))
}

fn when(report: &WaitsReport, waiting: &Waiting) -> Option<String> {
    let since = waiting.since.as_ref().map(|mark| format!("since {}", at(report, mark).trim_start_matches("in ")));
    let runs = waiting.wait == Wait::Nothing(Passing::Runs);
    since.or_else(|| {
        let seen = waiting.seen.as_ref()?;
        let why = if runs { "" } else { "; no event tells since when it waits" };
        Some(format!("last seen {}{why}", at(report, seen)))
    })
}

fn communicated(report: &WaitsReport, waiting: &Waiting) -> Option<String> {
    let Wait::Partner { .. } = waiting.wait else {
        let (mark, channel) = waiting.communication.as_ref().filter(|_| report.verdict == Verdict::Untold)?;
        let on = channel.map(|channel| format!(" on channel {channel}")).unwrap_or_default();
        return Some(format!("after its last communication{on} {}", at(report, mark)));
    };
    let count = match waiting.communications {
        Some(0) => return Some("nobody has communicated on this channel yet".into()),
        Some(1) => "one communication on this channel".into(),
        Some(count) => format!("{} communications on this channel", grouped(u64::from(count))),
        None => "its last communication".into(),
    };
    match &waiting.communication {
        Some((mark, Some(_))) => Some(format!("after {count}, the last {}", at(report, mark))),
        Some((mark, None)) => Some(format!(
            "after {count}; its last on any channel was {} (class `detail` tells which)",
            at(report, mark)
        )),
        None => waiting.communications.map(|_| format!("after {count}")),
    }
}

fn over_and_over(report: &WaitsReport, faults: &Faults) -> String {
    let Faults { page, count, first, last } = faults;
    let count = grouped(*count);
    format!("page {page:#x} has come {count} times, first {} and last {}", at(report, first), at(report, last))
}

/// Both partners are there, or a page is asked for, and nothing comes of it for long: no program can cause that.
fn suspicion(out: &mut String, report: &WaitsReport, waiting: &Waiting) -> fmt::Result {
    let what = match waiting.wait {
        Wait::Nothing(Passing::Transfer { .. }) => "both partners are there",
        Wait::Nothing(Passing::Page(_)) => "it has been asked for",
        _ => return Ok(()),
    };
    let Some(since) = &waiting.since else { return Ok(()) };
    let cycles = report.cycle.saturating_sub(since.cycle);
    if cycles < u64::from(report.clock_hz) / PATIENCE {
        return Ok(());
    }
    let milliseconds = cycles as f64 * 1e3 / f64::from(report.clock_hz.max(1));
    writeln!(out, "      nothing has come for {milliseconds:.0} ms, though {what}: a fault of the kernel or of the machine, not of the program")
}

fn doing(report: &WaitsReport, waiting: &Waiting) -> String {
    let name = |number: &u16| thread_text(*number, &report.processors);
    match &waiting.wait {
        Wait::Partner { sends, channels } => {
            let (verb, from) = if *sends { ("send", "to") } else { ("receive", "from") };
            let one = |(channel, partner): &(u8, Partner)| match partner {
                Partner::Is(number) => format!("on channel {channel} {from} {}", name(number)),
                Partner::Ended(number) => format!("on channel {channel} {from} {}, which has ended", name(number)),
                Partner::Anybody => format!("on channel {channel}, whose other end no thread has used"),
                Partner::Taken(number) => format!("on channel {channel}, whose receiver is {}", name(number)),
            };
            format!("waits to {verb} {}", channels.iter().map(one).join(", or "))
        }
        Wait::Children { numbers, ends } => {
            let what = if *ends { "has ended but for its children" } else { "waits for its children" };
            format!("{what}: {}", numbers.iter().map(name).join(", "))
        }
        Wait::Process(id) => {
            use testbed_definitions::process::{home, place};
            format!("waits for the end of process {}.{}", processor_text(home(*id), &report.processors), place(*id))
        }
        Wait::Resumption => "would run, but its process is suspended".into(),
        Wait::Nothing(passing) => passes(report, passing, waiting.since.is_some() && waiting.pc == 0),
    }
}

/// `blocked`: the trace says no more than that.
fn passes(report: &WaitsReport, passing: &Passing, blocked: bool) -> String {
    match passing {
        Passing::Runs => "runs, or is ready to".into(),
        Passing::Transfer { channel, partner } => {
            format!("communicates on channel {channel} with {}", thread_text(*partner, &report.processors))
        }
        Passing::Time { deadline, channels } if channels.is_empty() => {
            format!("waits for its time, cycle {}", grouped(*deadline))
        }
        Passing::Time { deadline, channels } => {
            let channels = channels.iter().join(" or ");
            format!("waits to receive on channel {channels}, until cycle {} at most", grouped(*deadline))
        }
        Passing::Input => "waits for console input".into(),
        Passing::Page(page) => format!("waits for page {page:#x}"),
        Passing::Group => "has come to the end of its superstep, and waits for the other members of its group".into(),
        Passing::Answer => "waits for another processor's answer".into(),
        Passing::Unclear if blocked => "is blocked".into(),
        Passing::Unclear => "does something that the kernel's tables do not tell".into(),
    }
}
