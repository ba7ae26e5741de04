//! The filter of an SMI by arithmetic.

use super::clock::Clock;
use std::collections::VecDeque;
use testbed_definitions::event::{MORE, SCHEDULE};
use testbed_definitions::filter::{action, register, Command, INTERVAL_MAX, RULES, TOTAL_MAX};

#[derive(Clone, Copy, Debug, Default)]
struct Rule {
    mask: u16,
    pattern: u16,
    action: u16,
    total: u32,
}

/// A bit for each rule.
type Bits = u8;
const _: () = assert!(RULES <= Bits::BITS as usize);

#[derive(Clone, Debug, Default)]
pub struct Filter {
    rules: [Rule; RULES],
    /// Which rules are on, have a total, and have one that is due, a bit each: mostly none.
    on: Bits,
    counted: Bits,
    due: Bits,
    interval: u16,
    pairs: bool,
    /// The last word said that another one follows: whether it was taken out.
    follows: Option<bool>,
    /// Commands that have not arrived, with the cycle in which they take effect; in order.
    coming: VecDeque<(u64, Command)>,
    /// First cycle in which totals are due, not before the one asked about; with the clock's
    /// version and the interval that it was computed from.
    next_due: Option<(u64, u64, u16)>,
}

impl Filter {
    /// A command that takes effect in cycle `seen`; cycles must not decrease.
    pub fn send(&mut self, command: Command, seen: u64) {
        self.coming.push_back((seen, command));
    }

    /// Takes over the commands that are effective in cycle `now`.
    pub fn take_over(&mut self, now: u64) {
        while self.coming.front().is_some_and(|&(seen, _)| seen <= now) {
            let (_, command) = self.coming.pop_front().expect("looked at above");
            self.program(command.register, command.value);
        }
    }

    fn program(&mut self, number: u8, value: u16) {
        match number {
            register::INTERVAL => self.interval = value.min(INTERVAL_MAX),
            register::PAIRS => self.pairs = value & 1 != 0,
            _ => {
                let index = usize::from(number / 4) % RULES;
                let (rule, bit) = (&mut self.rules[index], 1 << index);
                match number % 4 {
                    register::MASK => rule.mask = value,
                    register::MATCH => rule.pattern = value,
                    register::ACTION => {
                        rule.action = value & 3;
                        self.on = self.on & !bit | if rule.action == action::OFF { 0 } else { bit };
                        self.due |= self.counted & bit;
                    }
                    _ => {}
                }
            }
        }
    }

    /// The first cycle from `now` on in which something happens that no store is needed for, or
    /// could: a command arrives, a total becomes due.
    pub fn next_change(&mut self, now: u64, clock: &Clock) -> u64 {
        let command = self.next_command();
        if self.counted != 0 {
            return command.min(self.due_from(now, clock));
        }
        command
    }

    /// Cycle in which the next command takes effect, as far as known.
    pub fn next_command(&self) -> u64 {
        self.coming.front().map_or(u64::MAX, |&(seen, _)| seen)
    }

    /// The first cycle from `now` on in which totals are due.
    fn due_from(&mut self, now: u64, clock: &Clock) -> u64 {
        if self.interval == 0 {
            return u64::MAX;
        }
        match self.next_due {
            Some((due, version, interval)) if due >= now && (version, interval) == (clock.version(), self.interval) => {
                due
            }
            _ => {
                let due = clock.next_zero(now, self.interval.into());
                self.next_due = Some((due, clock.version(), self.interval));
                due
            }
        }
    }

    /// The rule that decides about `datum`, unless it shares the fate of the word before.
    fn rule(&self, datum: u16) -> Option<usize> {
        if self.on == 0 {
            return None;
        }
        self.rules.iter().position(|rule| rule.action != action::OFF && datum & rule.mask == rule.pattern)
    }

    /// Whether `datum`, which is not reserved, is taken out if it is stored.
    pub fn takes_out(&self, datum: u16) -> bool {
        match self.follows {
            Some(shares) if self.pairs => shares,
            _ => {
                let out = |index: usize| matches!(self.rules[index].action, action::DROP | action::COUNT);
                self.rule(datum).is_some_and(out)
            }
        }
    }

    /// `datum`, which is not reserved, is stored: taken out, latched or discarded.
    pub fn stored(&mut self, datum: u16) {
        let out = self.takes_out(datum);
        if !(self.pairs && self.follows.is_some()) {
            if let Some(index) = self.rule(datum).filter(|&index| self.rules[index].action == action::COUNT) {
                let rule = &mut self.rules[index];
                rule.total = (rule.total + 1).min(TOTAL_MAX);
                self.counted |= 1 << index;
            }
        }
        let begins = self.follows.is_none() && datum & (MORE | SCHEDULE) == MORE;
        self.follows = begins.then_some(out);
    }

    /// A reserved datum is refused.
    pub fn refused(&mut self) {
        self.follows = None;
    }

    /// Whether a total waits.
    pub fn waits(&self) -> bool {
        self.due != 0
    }

    /// The rule whose total can be enqueued.
    pub fn offered(&self) -> Option<u8> {
        if self.due == 0 || self.pairs && self.follows == Some(false) {
            return None;
        }
        Some(self.due.trailing_zeros() as u8)
    }

    /// The total of `rule`, which begins again.
    pub fn take(&mut self, rule: u8) -> u32 {
        let others = !(1 << rule);
        self.due &= others;
        self.counted &= others;
        std::mem::take(&mut self.rules[usize::from(rule)].total)
    }

    /// The cycle `now` is over.
    pub fn end_of_cycle(&mut self, now: u64, clock: &Clock) {
        if self.counted != 0 && self.due_from(now, clock) == now {
            self.due |= self.counted;
        }
    }
}
