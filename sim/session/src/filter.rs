//! What the monitors' filters are to take out, from the command line to the commands that program them.

use itertools::Itertools;
use testbed_definitions::boot::COMMANDS_MAX;
use testbed_definitions::event::{DIAG_READY, KINDS};
use testbed_definitions::filter::{action, register, Command, INTERVAL_MAX, RULES};
use testbed_kernel_core::filter::{interval, program, rules, Fault, Rule, ACTIONS, SCHEDULE_NAME};
use testbed_machine::{brief, suggest};

/// Why a filter can't be programmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    #[error(
        "--filter \"{}\": `{}` is no action\n  help: {}begin with pass, drop or count, then a blank and the codes, \
         as in `drop TIMER,0x0200/0xff00`",
        brief(.text),
        brief(.word),
        suggest::question(.word, ACTIONS.iter().map(|action| action.0))
    )]
    Action { text: String, word: String },
    #[error(
        "--filter \"{}\": no codes follow the action\n  help: name events or give numbers, as in \
         `drop TIMER,0x0200/0xff00`",
        brief(.text)
    )]
    NoCode { text: String },
    #[error(
        "--filter \"{}\": `{}` is no event and no number of 16 bits\n  help: {}write a number, decimal or as in 0x0200, \
         or one of {}",
        brief(.text),
        brief(.code),
        suggest::question(.code, names()),
        names().join(", ")
    )]
    Code { text: String, code: String },
    #[error(
        "--filter \"{}\": the mask `{}` is no number of 16 bits\n  help: write it as in 0xff00: bits that are 1 are \
         compared",
        brief(.text),
        brief(.mask)
    )]
    Mask { text: String, mask: String },
    #[error(
        "--filter \"{}\": {code:#06x} has bits outside the mask {mask:#06x}, so that nothing fits\n  help: bits that are 0 \
         in the mask have to be 0 in the code",
        brief(.text)
    )]
    Outside { text: String, code: u16, mask: u16 },
    #[error("--filter: {rules} codes in all, but a filter has {RULES} rules\n  help: let a mask join codes, as in 0x0020/0x7ffe for TIMER and TIMER_END")]
    TooMany { rules: usize },
    #[error("--totals: {ticks} is no power of two from 2 to {}\n  help: totals come whenever so many low bits of the global time become 0", 1u32 << INTERVAL_MAX)]
    Totals { ticks: u32 },
    #[error("--totals: no filter counts anything\n  help: add --filter 'count CODE', or leave --totals out")]
    NothingCounted,
}

impl FilterError {
    fn of(text: &str, fault: Fault) -> Self {
        let text = text.to_string();
        match fault {
            Fault::Action(word) => FilterError::Action { text, word: word.into() },
            Fault::Code(code) => FilterError::Code { text, code: code.into() },
            Fault::Mask(mask) => FilterError::Mask { text, mask: mask.into() },
            Fault::Outside { code, mask } => FilterError::Outside { text, code, mask },
            Fault::NoCode | Fault::Class(_) | Fault::Both => FilterError::NoCode { text },
        }
    }
}

/// Names that a filter knows, in order of code.
fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name).chain([SCHEDULE_NAME])
}

/// The rules of one `ACTION CODE[/MASK][,...]`, as [`testbed_kernel_core::filter::rules`] reads them.
///
/// # Errors
/// Not of this form; what is wrong and what can be written instead.
pub fn parse(text: &str) -> Result<Vec<Rule>, FilterError> {
    let read = || -> Result<Vec<Rule>, Fault> { rules(text)?.collect() };
    read().map_err(|fault| FilterError::of(text, fault))
}

/// Stores to the MMI's COMMAND that program every SMI with the rules of `texts`; none if there are
/// none. Totals come every `totals` ticks, at each wrap of the global clock if not given. `dgl`,
/// the event classes, decides whether words come in pairs.
///
/// # Errors
/// A text is not of the form of [`parse`], there are too many rules, or `totals` is not possible.
pub fn commands(texts: &[String], totals: Option<u32>, dgl: u32) -> Result<Vec<u32>, FilterError> {
    let rules: Vec<Rule> = texts.iter().map(|text| parse(text)).collect::<Result<Vec<_>, _>>()?.concat();
    if rules.len() > RULES {
        return Err(FilterError::TooMany { rules: rules.len() });
    }
    let counts = rules.iter().any(|rule| rule.action == action::COUNT);
    let interval = match totals {
        Some(_) if !counts => return Err(FilterError::NothingCounted),
        Some(ticks) => interval(ticks).ok_or(FilterError::Totals { ticks })?,
        None => INTERVAL_MAX,
    };
    let mut settings = Vec::new();
    if !rules.is_empty() {
        settings.push((register::PAIRS, u16::from(dgl & DIAG_READY == 0)));
    }
    if counts {
        settings.push((register::INTERVAL, interval));
    }
    let mut commands: Vec<Command> =
        settings.into_iter().map(|(register, value)| Command { smi: 0, register, value }).collect();
    commands.extend(rules.into_iter().enumerate().flat_map(|(number, rule)| program(number, rule)));
    debug_assert!(commands.len() <= COMMANDS_MAX);
    Ok(commands.into_iter().map(Command::pack).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str], totals: Option<u32>) -> Result<Vec<u32>, FilterError> {
        commands(&texts.iter().map(ToString::to_string).collect::<Vec<_>>(), totals, 0)
    }

    #[test]
    fn what_is_wrong_is_named_with_a_remedy() {
        for (texts, totals, words) in [
            (&["keep TIMER"][..], None, &["`keep`", "pass, drop or count"][..]),
            (&["drop"], None, &["no codes", "drop TIMER"]),
            (&["drop TIMR"], None, &["`TIMR`", "TIMER_END", "LOAD_END, SCHEDULE"]),
            (&["drop 0x10000"], None, &["`0x10000`", "16 bits"]),
            (&["drop TIMER,"], None, &["``", "no event"]),
            (&["drop TIMER/0xfffff"], None, &["`0xfffff`", "mask"]),
            (&["drop 0x0201/0xff00"], None, &["0x0201", "0xff00", "outside"]),
            (&["drop 1,2,3", "count 4,5"], None, &["5 codes", "4 rules"]),
            (&["drop 1"], Some(64), &["--totals", "counts"]),
            (&["count 1"], Some(100), &["100", "power of two"]),
            (&["count 1"], Some(1), &["power of two"]),
            (&["count 1"], Some(1 << 17), &["131072"]),
        ] {
            let error = of(texts, totals).unwrap_err().to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{texts:?}: {error}");
        }
    }

    #[test]
    fn rules_are_programmed_in_order_and_take_effect_last() {
        let commands = of(&["drop 1", "count 2/0x3"], Some(4096)).unwrap();
        let unpacked: Vec<_> = commands.into_iter().map(Command::unpack).collect();
        assert!(unpacked.iter().all(|command| command.smi == 0));
        let pairs: Vec<_> = unpacked.iter().map(|command| (command.register, command.value)).collect();
        let expected = [(7, 1), (3, 12), (0, 0xffff), (1, 1), (2, 2), (4, 3), (5, 2), (6, 3)];
        assert_eq!(pairs, expected);
        assert_eq!(of(&["count 1,2,3,4"], None).unwrap().len(), COMMANDS_MAX);
        assert!(of(&[], None).unwrap().is_empty());
    }

    #[test]
    fn words_of_the_ready_queue_class_do_not_come_in_pairs() {
        let commands = commands(&["drop 1".into()], None, DIAG_READY).unwrap();
        assert_eq!(Command::unpack(commands[0]), Command { smi: 0, register: register::PAIRS, value: 0 });
    }
}
