//! What the program `bsp-hash` prints of its rounds.

use nom::bytes::complete::tag;
use nom::character::complete::u32 as number;
use nom::combinator::all_consuming;
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

/// A round on average: cycles on the slowest process, elements asked of the slave that is asked for
/// most, and of a slave on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    pub cycles: u32,
    pub most: u32,
    pub mean: u32,
}

fn line(text: &str) -> IResult<&str, Round> {
    let cycles = preceded(tag("bsp-hash: "), terminated(number, tag(" cycles a round, ")));
    let most = terminated(number, tag(" elements asked of a slave at most, "));
    let mean = terminated(number, tag(" on average"));
    all_consuming((cycles, most, mean)).map(|(cycles, most, mean)| Round { cycles, most, mean }).parse(text)
}

/// The round in a console, each line of which stands behind the name of its processor; `None` if it
/// does not say that all that was read is right, too.
pub fn read(console: &str) -> Option<Round> {
    let mut lines = console.lines().map(|text| text.split_once(": ").map_or(text, |(_, rest)| rest));
    let (_, round) = line(lines.next()?).ok()?;
    lines.next().filter(|right| right.contains(": right, ")).map(|_| round)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = "earth: bsp-hash: 48323 cycles a round, 20 elements asked of a slave at most, 16 on average\n";

    #[test]
    fn rounds_count_if_what_was_read_is_right() {
        let round = Round { cycles: 48_323, most: 20, mean: 16 };
        assert_eq!(read(&format!("{GOOD}earth: bsp-hash 4000 on 4: right, 4425050 cycles\n")), Some(round));
        assert_eq!(read(&format!("{GOOD}earth: bsp-hash 4000 on 4: WRONG, element 3 is 0, not 7\n")), None);
        assert_eq!(read(GOOD), None);
        assert_eq!(read("earth: out of memory\n"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            let _ = read(&text);
        }
    }
}
