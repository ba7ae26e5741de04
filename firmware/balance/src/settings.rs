//! What of the policies can be set: one table, from which the balancer reads its arguments, the
//! command line checks them before the run, and `docs/balance.md` is tested.

use core::fmt;

use testbed_definitions::load::{ONE_READY, PERIODS_US};

use crate::policies::gain::Settings;
use crate::policies::greedy_refine::GreedyRefine;
use crate::policies::report::Thresholds;

/// In what a setting is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// `80` or `80%`.
    Percent,
    /// Messages in a period of samples.
    Messages,
    /// `1.5`; kept in `load::ONE_READY`ths.
    Threads,
    /// A factor.
    Times,
    /// Thousandths of a thread's speed.
    Thousandths,
    /// `500ms` or `2s`; kept in milliseconds.
    Time,
    /// `described` or `printed`: how the report gives its Figure 40.
    Figure,
    /// `dealt` or `kept`: where new threads start.
    Births,
}

impl Unit {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Percent => "per cent",
            Unit::Messages => "messages a period",
            Unit::Threads => "threads",
            Unit::Times => "times",
            Unit::Thousandths => "thousandths",
            Unit::Time => "time",
            Unit::Figure | Unit::Births => "a word",
        }
    }

    /// What may stand behind a number, and how many kept parts a whole one then is.
    const fn suffixes(self) -> &'static [(&'static str, u32)] {
        match self {
            Unit::Percent => &[("", 1), ("%", 1)],
            Unit::Messages | Unit::Times | Unit::Thousandths | Unit::Figure | Unit::Births => &[("", 1)],
            Unit::Threads => &[("", ONE_READY as u32)],
            Unit::Time => &[("ms", 1), ("s", 1000)],
        }
    }

    /// The words that values are, if they are no numbers.
    const fn words(self) -> Option<&'static [&'static str]> {
        match self {
            Unit::Figure => Some(&["described", "printed"]),
            Unit::Births => Some(&["dealt", "kept"]),
            _ => None,
        }
    }

    /// The largest value of those that are words.
    const fn last_word(self) -> u32 {
        match self.words() {
            Some(words) => words.len() as u32 - 1,
            None => 0,
        }
    }

    /// A value as one writes it, which [`Unit::parse`] reads back.
    pub const fn text(self, value: u32) -> Text {
        Text { unit: self, value }
    }

    /// Reads a decimal number with this unit, rounded to the nearest part that is kept. `None`: it
    /// is none, or too large.
    pub fn parse(self, text: &str) -> Option<u32> {
        if let Some(words) = self.words() {
            return words.iter().position(|word| *word == text).map(|place| place as u32);
        }
        let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let &(_, parts) = self.suffixes().iter().find(|known| known.0 == suffix)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        // More digits decide nothing.
        const DIGITS: u32 = 9;
        if fraction.is_empty() || fraction.len() > DIGITS as usize {
            return None;
        }
        let (whole, digits) = (whole.parse::<u32>().ok()?, fraction.parse::<u32>().ok()?);
        let unit = 10u64.pow(fraction.len() as u32);
        let part = (u64::from(digits) * u64::from(parts) + unit / 2) / unit;
        u32::try_from(u64::from(whole) * u64::from(parts) + part).ok()
    }
}

/// A value with its unit.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    unit: Unit,
    value: u32,
}

impl fmt::Display for Text {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(words) = self.unit.words() {
            return text.write_str(words[self.value as usize % words.len()]);
        }
        // The last suffix is the longest unit: whole seconds, and per cent with their sign.
        let suffixes = self.unit.suffixes();
        let fits = |suffix: &&(&str, u32)| self.unit != Unit::Time || self.value.is_multiple_of(suffix.1);
        let &(suffix, parts) = suffixes.iter().rev().find(fits).unwrap_or(&suffixes[0]);
        write!(text, "{}", self.value / parts)?;
        let mut rest = self.value % parts;
        if rest > 0 {
            write!(text, ".")?;
        }
        while rest > 0 {
            write!(text, "{}", rest * 10 / parts)?;
            rest = rest * 10 % parts;
        }
        write!(text, "{suffix}")
    }
}

/// The values of everything that can be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    pub thresholds: Thresholds,
    pub greedy_refine: GreedyRefine,
    pub gain: Settings,
    /// How slaves choose threads, as a place among its words.
    choice: u32,
    /// The settings that have been given, as bits by their places in [`SETTINGS`].
    given: u32,
}

/// Something that can be set.
pub struct Setting {
    pub name: &'static str,
    /// The policies that have it.
    pub policies: &'static [&'static str],
    pub unit: Unit,
    pub least: u32,
    pub most: u32,
    pub what: &'static str,
    field: fn(&mut Values) -> &mut u32,
}

const BOTH: &[&str] = &["report", "acknowledged"];
const GREEDY: &[&str] = &["greedy-refine"];
const GAIN: &[&str] = &["gain"];
const MINUTE_MS: u32 = 60_000;

/// Everything that can be set, the settings of a policy together.
pub static SETTINGS: [Setting; 11] = [
    Setting {
        name: "link-percent",
        policies: BOTH,
        unit: Unit::Percent,
        least: 0,
        most: 1_000,
        what: "a link is overloaded if it carries so much more than the average",
        field: |values| &mut values.thresholds.link_percent,
    },
    Setting {
        name: "link-least",
        policies: BOTH,
        unit: Unit::Messages,
        least: 0,
        most: 10_000,
        what: "and at least so many more",
        field: |values| &mut values.thresholds.link_least,
    },
    Setting {
        name: "queue-over",
        policies: BOTH,
        unit: Unit::Threads,
        least: 0,
        most: 64 * ONE_READY as u32,
        what: "a queue is overloaded if it is longer than the average by more than this",
        field: |values| &mut values.thresholds.queue_over,
    },
    Setting {
        name: "period",
        policies: BOTH,
        unit: Unit::Time,
        least: 0,
        most: *PERIODS_US.end() / 1000,
        what: "least time between two requests",
        field: |values| &mut values.thresholds.period_ms,
    },
    Setting {
        name: "choice",
        policies: BOTH,
        unit: Unit::Figure,
        least: 0,
        most: Unit::Figure.last_word(),
        what: "slaves choose threads as Figure 40 is described in the text, or as its loop is printed",
        field: |values| &mut values.choice,
    },
    Setting {
        name: "tolerance",
        policies: GREEDY,
        unit: Unit::Percent,
        least: 0,
        most: 1_000,
        what: "a processor's load may be so much above the average",
        field: |values| &mut values.greedy_refine.tolerance_percent,
    },
    Setting {
        name: "factor",
        policies: GAIN,
        unit: Unit::Times,
        least: 0,
        most: 100,
        what: "a move has to repay so many times what it costs",
        field: |values| &mut values.gain.factor,
    },
    Setting {
        name: "least",
        policies: GAIN,
        unit: Unit::Thousandths,
        least: 0,
        most: 1_000,
        what: "a move has to gain so much of a thread's speed, whatever it costs",
        field: |values| &mut values.gain.least,
    },
    Setting {
        name: "horizon",
        policies: GAIN,
        unit: Unit::Time,
        least: 1,
        most: 10 * MINUTE_MS,
        what: "a move may repay itself in this time, at most",
        field: |values| &mut values.gain.horizon,
    },
    Setting {
        name: "bar",
        policies: GAIN,
        unit: Unit::Time,
        least: 0,
        most: 10 * MINUTE_MS,
        what: "a thread may first return to where it was after this time",
        field: |values| &mut values.gain.bar,
    },
    Setting {
        name: "births",
        policies: GAIN,
        unit: Unit::Births,
        least: 0,
        most: Unit::Births.last_word(),
        what: "new threads are dealt out to all slaves when they are created, or kept where they are",
        field: |values| &mut values.gain.births,
    },
];

impl Setting {
    /// Its value unless it is given.
    pub fn default(&self) -> u32 {
        self.value(&Values::DEFAULT)
    }

    /// Its value among these.
    pub fn value(&self, values: &Values) -> u32 {
        *(self.field)(&mut values.clone())
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.debug_struct("Setting").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The settings of a policy.
pub fn of(policy: &str) -> impl Iterator<Item = &'static Setting> + '_ {
    SETTINGS.iter().filter(move |setting| setting.policies.contains(&policy))
}

/// What is wrong with an argument that sets something.
#[derive(Clone, Copy, Debug)]
pub enum Wrong<'a> {
    /// It is not `NAME=VALUE`.
    Form(&'a str),
    /// The policy has no such setting.
    Unknown(&'a str),
    /// It has been set before.
    Twice(&'static Setting),
    /// The value is no number with the setting's unit.
    Value(&'static Setting, &'a str),
    /// The value is too small or too large.
    Range(&'static Setting, &'a str),
}

impl fmt::Display for Wrong<'_> {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Form(argument) => write!(text, "`{argument}` is not NAME=VALUE"),
            Wrong::Unknown(name) => write!(text, "there is no setting `{name}`"),
            Wrong::Twice(setting) => write!(text, "{} is set twice", setting.name),
            Wrong::Value(setting, value) => {
                let Setting { name, unit, .. } = setting;
                write!(text, "{name}: `{value}` is not written as {}", unit.text(setting.default()))
            }
            Wrong::Range(setting, value) => {
                let Setting { name, unit, least, most, .. } = setting;
                write!(text, "{name}: `{value}` is not from {} to {}", unit.text(*least), unit.text(*most))
            }
        }
    }
}

impl Values {
    /// As the policies are without settings.
    pub const DEFAULT: Values = Values {
        thresholds: Thresholds::DEFAULT,
        greedy_refine: GreedyRefine::DEFAULT,
        gain: Settings::DEFAULT,
        choice: 0,
        given: 0,
    };

    /// Whether slaves choose threads as Figure 40 is printed.
    pub const fn is_as_printed(&self) -> bool {
        self.choice == 1
    }

    /// Sets what an argument `NAME=VALUE` says for this policy.
    ///
    /// # Errors
    /// The argument makes no sense, and nothing has changed.
    pub fn set<'a>(&mut self, policy: &str, argument: &'a str) -> Result<(), Wrong<'a>> {
        let (name, value) = argument.split_once('=').ok_or(Wrong::Form(argument))?;
        let is_named = |setting: &Setting| setting.name == name && setting.policies.contains(&policy);
        let place = SETTINGS.iter().position(is_named).ok_or(Wrong::Unknown(name))?;
        let setting = &SETTINGS[place];
        let parsed = setting.unit.parse(value).ok_or(Wrong::Value(setting, value))?;
        if !(setting.least..=setting.most).contains(&parsed) {
            return Err(Wrong::Range(setting, value));
        }
        if self.given & 1 << place != 0 {
            return Err(Wrong::Twice(setting));
        }
        self.given |= 1 << place;
        *(setting.field)(self) = parsed;
        Ok(())
    }
}
