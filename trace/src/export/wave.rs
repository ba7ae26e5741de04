//! What a wave file shows: a scope a processor, with the last event and what is known after it.
//!
//! Viewers draw changes. Events of one tick stand 1 ps apart, in their order, and `count` changes
//! with every event, so equal ones stay visible. A file's time can't go back: where an event has to
//! stand elsewhere than at its stamp, `stamp` shows the latter.

use testbed_definitions::event::KINDS;

use super::words::{code, epoch_high};
use super::{ExportError, Message, Pass, Sink, State, Step, Words};
use crate::capture::RunRecord;
use crate::order::{Epoch, Event};

/// A variable of each scope.
#[derive(Clone, Copy, Debug)]
pub struct Var {
    pub name: &'static str,
    /// Bits; of a text, 8 a character.
    pub width: u32,
    pub is_text: bool,
}

const fn bits(name: &'static str, width: u32) -> Var {
    Var { name, width, is_text: false }
}

/// Variables of each scope, in the order of [`Values`].
pub const VARS: [Var; 13] = [
    bits("count", 32),
    Var { name: "event", width: 8 * NAME_MAX as u32, is_text: true },
    bits("code", 16),
    bits("value", 32),
    bits("certain", 1),
    bits("doubtful", 1),
    bits("stamp", 64),
    bits("epoch_low", 64),
    bits("epoch_high", 64),
    bits("running", 16),
    bits("ready", 16),
    bits("under_way", 16),
    bits("lost", 32),
];
/// The first variable that shows the state instead of the event.
const STATE: usize = 9;

/// Characters of the longest name of an event.
pub const NAME_MAX: usize = {
    let (mut longest, mut place) = (8, 0);
    while place < KINDS.len() {
        if KINDS[place].name.len() > longest {
            longest = KINDS[place].name.len();
        }
        place += 1;
    }
    longest
};

/// A variable's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Value {
    #[default]
    Unknown,
    Number(u64),
    Text(&'static str),
}

impl From<Option<u64>> for Value {
    fn from(number: Option<u64>) -> Self {
        number.map_or(Value::Unknown, Value::Number)
    }
}

type Values = [Value; VARS.len()];

/// A wave file of some format, its head already written. Times are picoseconds.
pub trait File {
    fn time(&mut self, picoseconds: u64) -> Result<(), ExportError>;
    /// `scope` counts slaves from 0; `var` is a place in [`VARS`].
    fn change(&mut self, scope: usize, var: usize, value: Value) -> Result<(), ExportError>;
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

/// What a scope shows at first.
pub fn initial() -> Values {
    let mut values = Values::default();
    (values[0], values[STATE + 3]) = (Value::Number(0), Value::Number(0));
    values
}

/// One processor's scope.
struct Scope {
    values: Values,
    count: u64,
    last: u64,
}

/// Writes events to a wave file.
pub struct Waves<'a> {
    words: Words<'a>,
    file: Box<dyn File + 'a>,
    scopes: Vec<Scope>,
    now: u64,
}

impl<'a> Waves<'a> {
    pub fn new(record: &'a RunRecord, file: Box<dyn File + 'a>) -> Self {
        let scope = |_| Scope { values: initial(), count: 0, last: 0 };
        let scopes = (1..record.machine.processors.len()).map(scope).collect();
        Waves { words: Words::new(record), file, scopes, now: 0 }
    }

    /// Moves to `place`, or stays where a later time has been written already.
    fn go(&mut self, place: u64) -> Result<(), ExportError> {
        if place > self.now {
            self.now = place;
            self.file.time(place)?;
        }
        Ok(())
    }

    fn picoseconds(&self, ticks: u64) -> Result<u64, ExportError> {
        u64::try_from(self.words.picoseconds(ticks)).map_err(|_| {
            let time = "a wave file ends after 2^64 ps, 213 days, and there are events behind that";
            ExportError::Format(format!("{time}\n  help: leave them out with --to, or take another format"))
        })
    }

    fn put(&mut self, scope: usize, from: usize, values: &[Value]) -> Result<(), ExportError> {
        for (var, value) in (from..).zip(values) {
            let own = &mut self.scopes[scope].values[var];
            if *own != *value {
                *own = *value;
                self.file.change(scope, var, *value)?;
            }
        }
        Ok(())
    }

    fn show(&mut self, scope: usize, event: &Event) -> Result<(), ExportError> {
        let ticks = event.ticks();
        let place = self.picoseconds(ticks)?.max(self.now).max(self.scopes[scope].last.saturating_add(1));
        self.go(place)?;
        let elsewhere = self.picoseconds(ticks.saturating_add(1)).is_ok_and(|next| place >= next);
        let own = &mut self.scopes[scope];
        own.last = place;
        own.count += 1;
        let (low, high) = match event.epoch {
            Epoch::Certain(_) => (None, None),
            Epoch::Ambiguous { low, .. } => (Some(low), epoch_high(event)),
        };
        let values = [
            Value::Number(own.count & u64::from(u32::MAX)),
            Value::Text(event.what.name()),
            Value::Number(code(event).into()),
            event.value().map(u64::from).into(),
            Value::Number(event.is_certain().into()),
            Value::Number(event.doubtful.into()),
            elsewhere.then_some(ticks).into(),
            low.into(),
            high.into(),
        ];
        self.put(scope, 0, &values)
    }

    fn state(&mut self, smi: u8, state: &State) -> Result<(), ExportError> {
        let values = [
            state.running(smi).map(u64::from).into(),
            Value::Number(state.ready(smi) as u64),
            Value::Number(state.under_way_from(smi).min(0xffff) as u64),
            state.lost(smi).map(|lost| lost.min(u32::MAX.into())).into(),
        ];
        self.put(usize::from(smi) - 1, STATE, &values)
    }
}

impl Sink for Waves<'_> {
    fn event(&mut self, event: &Event, step: &Step, state: &State, pass: Pass) -> Result<(), ExportError> {
        let scope = usize::from(event.smi).wrapping_sub(1);
        if pass == Pass::Outside || scope >= self.scopes.len() {
            return Ok(());
        }
        if pass == Pass::Shown {
            self.show(scope, event)?;
        } else {
            let place = self.picoseconds(event.ticks())?;
            self.go(place)?;
        }
        self.state(event.smi, state)?;
        match step.message {
            Message::Served { from, .. } if from > 0 => self.state(from, state),
            _ => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        self.file.finish()
    }
}
