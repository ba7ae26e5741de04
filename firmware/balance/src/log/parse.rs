//! Reads the balancer's log.

use std::string::String;
use std::vec::Vec;

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{char, digit1};
use nom::combinator::{all_consuming, map, map_opt, map_res};
use nom::error::{context, ContextError, ErrorKind, FromExternalError, ParseError};
use nom::multi::{fold_many0, many1};
use nom::sequence::{delimited, preceded, separated_pair, terminated};
use nom::{IResult, Parser};
use testbed_definitions::ids::{Processor, ThreadNumber};
use testbed_definitions::processors::Processors;

use super::{average, Entry, REMARK};
use crate::policies::placement::thread;
use crate::request::{Answer, Link, Reason, Request};
use crate::PROCESSORS;

/// What is wrong with a log.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}, found `{found}`")]
pub struct LogError {
    /// From 1.
    pub line: usize,
    pub column: usize,
    pub expected: &'static str,
    pub found: String,
}

/// Where a line stops making sense, and what would.
#[derive(Debug)]
struct Stop<'a> {
    rest: &'a str,
    expected: Option<&'static str>,
}

impl<'a> ParseError<&'a str> for Stop<'a> {
    fn from_error_kind(rest: &'a str, kind: ErrorKind) -> Self {
        let expected = (kind == ErrorKind::Eof).then_some("the end of the line");
        Stop { rest, expected }
    }
    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }
    /// The alternative that got farther, or says more.
    fn or(self, other: Self) -> Self {
        let key = |stop: &Self| (stop.rest.len(), stop.expected.is_none());
        if key(&other) < key(&self) {
            other
        } else {
            self
        }
    }
}

impl<'a> ContextError<&'a str> for Stop<'a> {
    fn add_context(_: &'a str, expected: &'static str, other: Self) -> Self {
        Stop { expected: other.expected.or(Some(expected)), ..other }
    }
}

impl<'a, E> FromExternalError<&'a str, E> for Stop<'a> {
    fn from_external_error(rest: &'a str, _: ErrorKind, _: E) -> Self {
        Stop { rest, expected: None }
    }
}

type Parsed<'a, T> = IResult<&'a str, T, Stop<'a>>;

/// A literal that the error names.
fn word<'a>(text: &'static str) -> impl Parser<&'a str, Output = &'a str, Error = Stop<'a>> {
    context(text, tag(text))
}

fn number<'a, T: std::str::FromStr>(what: &'static str) -> impl Parser<&'a str, Output = T, Error = Stop<'a>> {
    context(what, map_res(digit1, str::parse))
}

fn processor(text: &str) -> Parsed<'_, u8> {
    const WHAT: &str = "the number of a slave";
    context(WHAT, map_opt(number(WHAT), |number: u8| (1..PROCESSORS as u8).contains(&number).then_some(number)))
        .parse(text)
}

fn named(text: &str) -> Parsed<'_, ThreadNumber> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '-').unwrap_or(text.len());
    match thread(&text[..end]) {
        Some(thread) => Ok((&text[end..], thread)),
        None => Err(nom::Err::Error(Stop { rest: text, expected: Some("a thread as 1-00-003") })),
    }
}

/// Numbers and their average.
fn values<'a>() -> impl Parser<&'a str, Output = Vec<u32>, Error = Stop<'a>> {
    let values = many1(preceded(char(' '), map_res(digit1, str::parse)));
    let mean = delimited(word(" (av "), number("a number"), word(")"));
    let both = (context("numbers", values), mean);
    context(
        "the average of the numbers, rounded",
        map_opt(both, |(values, given): (Vec<u32>, u64)| (average(&values) == given).then_some(values)),
    )
}

fn links(text: &str) -> Parsed<'_, Entry> {
    const WHAT: &str = "as many numbers as a machine has links";
    let sound = |values: Vec<u32>| {
        let is_whole = (2..PROCESSORS).any(|slaves| slaves * (slaves - 1) / 2 == values.len());
        is_whole.then(|| Entry::Links(values.into_iter().collect()))
    };
    preceded(tag("LNK:"), context(WHAT, map_opt(values(), sound))).parse(text)
}

fn queues(text: &str) -> Parsed<'_, Entry> {
    const WHAT: &str = "as many numbers as a machine can have slaves";
    let sound = |values: Vec<u32>| (values.len() < PROCESSORS).then(|| Entry::Queues(values.into_iter().collect()));
    preceded(tag("RQL:"), context(WHAT, map_opt(values(), sound))).parse(text)
}

/// A link with its number, which the slaves of the machine decide if they are known.
fn link(slaves: Option<u8>) -> impl Fn(&str) -> Parsed<'_, Reason> {
    move |text| {
        let ends = separated_pair(processor, word("-"), processor);
        let both = separated_pair(number("a number"), word("/"), ends);
        let sound = |(number, (low, high)): (usize, (u8, u8))| {
            let link = Link::between(Processor::new(low), Processor::new(high));
            let fits = slaves.is_none_or(|slaves| high <= slaves && link.number(slaves) == number);
            (low < high && fits).then_some(Reason::Link(link))
        };
        context("a link and its number, as 9/3-5", map_opt(both, sound)).parse(text)
    }
}

/// The processors of a standing request behind the first, as `, 3, 4`.
fn places(text: &str) -> Parsed<'_, Processors> {
    let add = |places: Processors, processor| places.with(Processor::new(processor));
    fold_many0(preceded(tag(", "), processor), || Processors::NONE, add).parse(text)
}

fn request(slaves: Option<u8>) -> impl Fn(&str) -> Parsed<'_, Entry> {
    move |text| {
        let from = delimited(tag("move work from "), processor, word(" to "));
        let reason = alt((
            preceded(word("to quieten link "), link(slaves)),
            map(word("to shorten its queue"), |_| Reason::Compute),
            map(word("as it is new there"), |_| Reason::New),
            map(preceded(word("as it is created"), places), Reason::Created),
            map(preceded(word("as thread "), named), Reason::Thread),
        ));
        let end = delimited(word(" (mig #"), number("a number"), word(")"));
        let entry = |(from, to, reason, number)| {
            let reason = match reason {
                Reason::Created(others) => Reason::Created(others.with(Processor::new(to))),
                other => other,
            };
            Entry::Move { number, request: Request { reason, from, to } }
        };
        map((from, terminated(processor, word(" ")), reason, end), entry).parse(text)
    }
}

fn answer(text: &str) -> Parsed<'_, Entry> {
    let number_of = delimited(tag("mig #"), number("a number"), word(": "));
    let what = alt((
        map((named, preceded(word(" arrives at "), processor)), |(thread, at)| (Some(Answer::Moved(thread)), at)),
        map(preceded(word("stands at "), processor), |at| (Some(Answer::Stands), at)),
        map(preceded(word("expires at "), processor), |at| (Some(Answer::Expired), at)),
        map(preceded(word("refused by "), processor), |at| (Some(Answer::Refused), at)),
        map(preceded(word("unanswered by "), processor), |at| (None, at)),
    ));
    let time = preceded(word(", time "), number("a number"));
    map((number_of, what, time), |(number, (answer, at), time)| Entry::Answer { number, answer, at, time }).parse(text)
}

/// A line of the log; the link's number is checked if the number of slaves is known.
fn line(text: &str, slaves: Option<u8>) -> Result<Entry, Stop<'_>> {
    let time = map(preceded(tag("TIM: "), number("a number")), Entry::Time);
    let any = alt((time, links, queues, request(slaves), answer));
    let what = "TIM:, LNK:, RQL:, `move work` or `mig #`";
    match all_consuming(context(what, any)).parse(text) {
        Ok((_, entry)) => Ok(entry),
        Err(nom::Err::Error(stop) | nom::Err::Failure(stop)) => Err(stop),
        Err(nom::Err::Incomplete(_)) => Err(Stop { rest: text, expected: None }),
    }
}

/// Reads a log. Queues tell of how many slaves the machine has; the numbers of links are held
/// against that. Remarks, which begin with [`REMARK`], and empty lines are passed over.
pub fn parse(text: &str) -> Result<Vec<Entry>, LogError> {
    let mut slaves = None;
    let mut entries = Vec::new();
    for (at, text) in text.lines().enumerate() {
        if text.is_empty() || text.starts_with(REMARK) {
            continue;
        }
        let entry = line(text, slaves).map_err(|stop| LogError {
            line: at + 1,
            column: text[..text.len() - stop.rest.len()].chars().count() + 1,
            expected: stop.expected.unwrap_or("something else"),
            found: stop.rest.chars().take(20).collect(),
        })?;
        if let Entry::Queues(queues) = &entry {
            slaves = Some(queues.len() as u8);
        }
        entries.push(entry);
    }
    Ok(entries)
}
