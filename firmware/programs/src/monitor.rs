//! What a shell says to the monitors: event classes, filters, totals, the period of samples, in the
//! words of the command line of `testbed run`. `false`: the words were wrong, and it has said how.

use core::fmt::Write;

use libtos::console::Line;
use libtos::monitor::event::DIAG_ALL;
use libtos::monitor::filter::{action, register, Command, INTERVAL_MAX, RULES};
use libtos::monitor::{classes, command, sample_period_us, set_classes, set_sample_period_us, setting};
use libtos::{println, Error};
use testbed_definitions::load::PERIODS_US;
use testbed_kernel_core::filter::{self as text, Fault, Rule, ACTIONS, CLASSES};

/// `dgl [CLASSES]`: shows the event classes, or changes them on all processors.
pub fn dgl(wanted: Option<&str>) -> Result<bool, Error> {
    match wanted.map(text::classes) {
        Some(Ok(wanted)) => set_classes(wanted).map(|()| true),
        Some(Err(fault)) => Ok(refuse(fault)),
        None => {
            let now = classes();
            let mut line = Line::new();
            let mut separator = "";
            for (name, _) in CLASSES.iter().filter(|class| now & class.1 != 0) {
                line.text(separator).text(name);
                separator = "+";
            }
            line.text(if now & DIAG_ALL == 0 { "none" } else { "" }).end();
            Ok(true)
        }
    }
}

/// `filter [show | off | ACTION CODES]`: shows the rules, takes all away, or appends some.
pub fn filter(wanted: &str) -> Result<bool, Error> {
    match wanted.trim() {
        "" | "show" => {
            show();
            Ok(true)
        }
        "off" => (0..RULES).try_for_each(|rule| set(4 * rule as u8 + register::ACTION, action::OFF)).map(|()| true),
        rules => add(rules),
    }
}

/// `totals [TICKS]`: shows or sets how often totals come.
pub fn totals(ticks: Option<&str>) -> Result<bool, Error> {
    match ticks.map(|ticks| ticks.parse().ok().and_then(text::interval)) {
        None => {
            show_interval();
            Ok(true)
        }
        Some(Some(interval)) => set(register::INTERVAL, interval).map(|()| true),
        Some(None) => {
            println!("no power of two from 2 to {}", 1u32 << INTERVAL_MAX);
            Ok(false)
        }
    }
}

/// `sample [MICROSECONDS]`: shows or sets how far apart samples of the load are.
pub fn sample(microseconds: Option<&str>) -> Result<bool, Error> {
    match microseconds.map(|text| text.parse().ok().filter(|period| PERIODS_US.contains(period))) {
        None => {
            println!("samples every {} us", sample_period_us());
            Ok(true)
        }
        Some(Some(period)) => set_sample_period_us(period).map(|()| true),
        Some(None) => {
            println!("no number from {} to {}", PERIODS_US.start(), PERIODS_US.end());
            Ok(false)
        }
    }
}

fn set(register: u8, value: u16) -> Result<(), Error> {
    command(Command { smi: 0, register, value })
}

fn action_of(rule: usize) -> u16 {
    setting(4 * rule as u8 + register::ACTION) & 3
}

fn show() {
    let mut any = false;
    for rule in (0..RULES).filter(|&rule| action_of(rule) != action::OFF) {
        let name = ACTIONS.iter().find(|known| known.1 == action_of(rule)).map_or("", |known| known.0);
        let [mask, code] = [register::MASK, register::MATCH].map(|offset| setting(4 * rule as u8 + offset));
        println!("rule {rule}: {name} {code:#06x}/{mask:#06x}");
        any = true;
    }
    if !any {
        println!("no rules");
    }
}

fn show_interval() {
    let mut line = Line::new();
    let _ = match setting(register::INTERVAL).min(INTERVAL_MAX) {
        0 => write!(line, "no totals"),
        interval => write!(line, "totals every {} ticks", 1u32 << interval),
    };
    line.end();
}

/// Appends rules, all or none.
fn add(wanted: &str) -> Result<bool, Error> {
    let mut rules = [None; RULES];
    let mut places = (0..RULES).skip_while(|&rule| action_of(rule) != action::OFF);
    match read(wanted, |rule| {
        let place = places.next()?;
        rules[place] = Some(rule);
        Some(())
    }) {
        Ok(()) => {}
        Err(None) => {
            println!("a filter has {RULES} rules; `filter off` takes them away");
            return Ok(false);
        }
        Err(Some(fault)) => return Ok(refuse(fault)),
    }
    let counts = rules.iter().flatten().any(|rule| rule.action == action::COUNT);
    if counts && setting(register::INTERVAL) == 0 {
        set(register::INTERVAL, INTERVAL_MAX)?;
    }
    for (number, rule) in rules.iter().enumerate() {
        if let Some(rule) = rule {
            text::program(number, *rule).into_iter().try_for_each(command)?;
        }
    }
    Ok(true)
}

/// Hands over the rules of a text. The error is `None` if they are not taken.
fn read<'a>(wanted: &'a str, mut take: impl FnMut(Rule) -> Option<()>) -> Result<(), Option<Fault<'a>>> {
    for rule in text::rules(wanted)? {
        take(rule?).ok_or(None)?;
    }
    Ok(())
}

/// Says what is wrong with a text.
fn refuse(fault: Fault) -> bool {
    match fault {
        Fault::Action(word) => println!("`{word}` is none of show, off, pass, drop, count"),
        Fault::NoCode => println!("no codes follow: name events or give numbers"),
        Fault::Code(code) => println!("`{code}` is no event and no number of 16 bits"),
        Fault::Mask(mask) => println!("the mask `{mask}` is no number of 16 bits"),
        Fault::Outside { code, mask } => println!("{code:#06x} has bits outside the mask {mask:#06x}"),
        Fault::Class(name) => {
            println!("`{name}` is none of profile, ready, timer, user, detail, load, none, and no number")
        }
        Fault::Both => println!("profile and ready exclude each other"),
    }
    false
}
