//! What the program `bsp-probe` prints.

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{alphanumeric1, space1, u32 as number};
use nom::combinator::{all_consuming, map};
use nom::sequence::preceded;
use nom::{IResult, Parser};

/// A measurement, in machine cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// So many operations on numbers of this kind.
    Operations { kind: String, count: u32, cycles: u32 },
    /// A superstep in which nothing is done.
    Barrier { processes: u32, cycles: u32 },
    /// Each process sends so many words to the others together, in messages of `size` words.
    Relation { way: String, processes: u32, words: u32, size: u32, cycles: u32 },
}

fn next(text: &str) -> IResult<&str, u32> {
    preceded(space1, number).parse(text)
}

fn word(text: &str) -> IResult<&str, String> {
    map(preceded(space1, alphanumeric1), String::from).parse(text)
}

fn line(text: &str) -> IResult<&str, Line> {
    let operations =
        map((tag("operations"), word, next, next), |(_, kind, count, cycles)| Line::Operations { kind, count, cycles });
    let barrier = map((tag("barrier"), next, next), |(_, processes, cycles)| Line::Barrier { processes, cycles });
    let relation = map((tag("relation"), word, next, next, next, next), |(_, way, processes, words, size, cycles)| {
        Line::Relation { way, processes, words, size, cycles }
    });
    all_consuming(alt((operations, barrier, relation))).parse(text)
}

/// The measurements of a console, each behind the name of its processor.
///
/// # Errors
/// A line that is no measurement, which says what went wrong.
pub fn read(console: &str) -> Result<Vec<Line>, String> {
    let lines = console.lines().map(|text| text.split_once(": ").map_or(text, |(_, rest)| rest));
    lines
        .filter(|text| !text.is_empty())
        .map(|text| line(text).map(|(_, line)| line).map_err(|_| text.into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn measurements_are_read_and_anything_else_is_told() {
        let text = "earth: operations f64 1024 235264\nearth: barrier 5 3873\nearth: relation hpput 5 128 1 83287\n";
        let relation = Line::Relation { way: "hpput".into(), processes: 5, words: 128, size: 1, cycles: 83_287 };
        let operations = Line::Operations { kind: "f64".into(), count: 1024, cycles: 235_264 };
        assert_eq!(read(text), Ok(vec![operations, Line::Barrier { processes: 5, cycles: 3_873 }, relation]));
        assert_eq!(read("air: out of memory\n"), Err("out of memory".into()));
        assert_eq!(read("earth: barrier 5\n"), Err("barrier 5".into()));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            let _ = read(&text);
        }
    }
}
