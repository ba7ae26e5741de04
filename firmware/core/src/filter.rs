//! What a person writes of event classes and filters, and the commands that it means: for the
//! command line and for the shell.

use testbed_definitions::event::{self, kind_named, MORE, SCHEDULE};
use testbed_definitions::filter::{action, register, Command, INTERVAL_MAX, RULES};

/// Name of the words that schedule a thread; it is not in the table of events since they carry the
/// thread.
pub const SCHEDULE_NAME: &str = "SCHEDULE";
/// The event classes by name.
pub const CLASSES: &[(&str, u32)] = &[
    ("profile", event::DIAG_PROFILE),
    ("ready", event::DIAG_READY),
    ("timer", event::DIAG_TIMER),
    ("user", event::DIAG_USER),
    ("detail", event::DIAG_DETAIL),
    ("load", event::DIAG_LOAD),
];
/// What a rule does, by name.
pub const ACTIONS: &[(&str, u16)] = &[("pass", action::PASS), ("drop", action::DROP), ("count", action::COUNT)];

/// A rule of the filter: the first whose bits fit decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// One of `definitions::filter::action`.
    pub action: u16,
    pub code: u16,
    pub mask: u16,
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault<'a> {
    /// No action.
    Action(&'a str),
    /// Nothing follows the action.
    NoCode,
    /// No event and no number of 16 bits.
    Code(&'a str),
    /// No number of 16 bits.
    Mask(&'a str),
    /// The code has bits outside the mask, so that nothing fits.
    Outside { code: u16, mask: u16 },
    /// No event class.
    Class(&'a str),
    /// The classes profile and ready, whose words look alike.
    Both,
}

/// The rules of one `ACTION CODE[/MASK][,...]`. An event's name stands for its first word, with or
/// without the bit for a second one.
///
/// # Errors
/// The action; each rule has its own.
pub fn rules(text: &str) -> Result<impl Iterator<Item = Result<Rule, Fault<'_>>>, Fault<'_>> {
    let text = text.trim();
    let (word, codes) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let action = ACTIONS.iter().find(|action| action.0 == word).ok_or(Fault::Action(word))?.1;
    if codes.trim().is_empty() {
        return Err(Fault::NoCode);
    }
    Ok(codes.split(',').map(move |item| rule(action, item.trim())))
}

fn rule(action: u16, item: &str) -> Result<Rule, Fault<'_>> {
    let (code, mask) = item.split_once('/').map_or((item, None), |(code, mask)| (code.trim(), Some(mask.trim())));
    let (code, usual) = code_named(code).ok_or(Fault::Code(code))?;
    let mask = match mask {
        Some(mask) => number(mask).ok_or(Fault::Mask(mask))?,
        None => usual,
    };
    match code & !mask {
        0 => Ok(Rule { action, code, mask }),
        _ => Err(Fault::Outside { code, mask }),
    }
}

/// Code and mask of an event's name or a number.
fn code_named(text: &str) -> Option<(u16, u16)> {
    if text == SCHEDULE_NAME {
        return Some((SCHEDULE, SCHEDULE));
    }
    let named = kind_named(text).map(|kind| (kind.code, !MORE));
    named.or_else(|| number(text).map(|code| (code, u16::MAX)))
}

/// A number of 16 bits, decimal or as in 0x0200.
fn number(text: &str) -> Option<u16> {
    match text.strip_prefix("0x") {
        Some(hexadecimal) => u16::from_str_radix(hexadecimal, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The value of INTERVAL for totals every `ticks`; `None` unless that is a power of two that it can
/// name.
pub fn interval(ticks: u32) -> Option<u16> {
    let possible = ticks.is_power_of_two() && (2..=1 << INTERVAL_MAX).contains(&ticks);
    possible.then(|| ticks.trailing_zeros() as u16)
}

/// Commands to all SMIs that make `rule` the one with this number, from 0; it acts with the last of
/// them.
pub fn program(number: usize, rule: Rule) -> [Command; 3] {
    debug_assert!(number < RULES);
    let to = |register: u8, value| Command { smi: 0, register: 4 * number as u8 + register, value };
    [to(register::MASK, rule.mask), to(register::MATCH, rule.code), to(register::ACTION, rule.action)]
}

/// Event classes: names joined by `+`, `none`, or a number.
///
/// # Errors
/// What is no class; or profile and ready together.
pub fn classes(text: &str) -> Result<u32, Fault<'_>> {
    let mut classes = 0;
    for name in text.split('+').map(str::trim) {
        let known = CLASSES.iter().find(|class| class.0 == name).map(|class| class.1);
        let number = match name.strip_prefix("0x") {
            _ if name == "none" => Some(0),
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
            None => name.parse().ok(),
        };
        classes |= known.or(number).ok_or(Fault::Class(name))?;
    }
    let both = event::DIAG_PROFILE | event::DIAG_READY;
    if classes & both == both {
        return Err(Fault::Both);
    }
    Ok(classes)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    fn all(text: &str) -> Result<Vec<Rule>, Fault<'_>> {
        rules(text)?.collect()
    }

    fn rule(action: u16, code: u16, mask: u16) -> Rule {
        Rule { action, code, mask }
    }

    #[test]
    fn names_and_numbers_are_read() {
        let expected = [rule(action::DROP, 0x20, 0x7fff), rule(action::DROP, 0x21, 0x7fff)];
        assert_eq!(all("drop TIMER,TIMER_END").unwrap(), expected);
        let expected = [rule(action::COUNT, 0x0200, 0xff00), rule(action::COUNT, 7, 0xffff)];
        assert_eq!(all(" count  0x0200/0xff00 , 7").unwrap(), expected);
        assert_eq!(all("pass SCHEDULE,USER/0xffff").unwrap()[0], rule(action::PASS, 0x4000, 0x4000));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(all("keep TIMER"), Err(Fault::Action("keep")));
        assert_eq!(all("drop "), Err(Fault::NoCode));
        assert_eq!(all("drop TIMER,"), Err(Fault::Code("")));
        assert_eq!(all("drop 0x10000"), Err(Fault::Code("0x10000")));
        assert_eq!(all("drop TIMER/0xfffff"), Err(Fault::Mask("0xfffff")));
        assert_eq!(all("drop 0x0201/0xff00"), Err(Fault::Outside { code: 0x201, mask: 0xff00 }));
    }

    #[test]
    fn classes_are_joined() {
        assert_eq!(classes("profile+timer"), Ok(event::DIAG_PROFILE | event::DIAG_TIMER));
        assert_eq!((classes("none"), classes("0x8"), classes("8")), (Ok(0), Ok(8), Ok(8)));
        assert_eq!((classes("profile+all"), classes("")), (Err(Fault::Class("all")), Err(Fault::Class(""))));
        assert_eq!(classes("profile+ready"), Err(Fault::Both));
        assert_eq!(CLASSES.iter().fold(0, |all, class| all | class.1), event::DIAG_ALL);
    }

    #[test]
    fn totals_come_at_powers_of_two() {
        assert_eq!([1, 2, 100, 4096, 1 << 16, 1 << 17].map(interval), [None, Some(1), None, Some(12), Some(16), None]);
    }
}
