//! Quantities with units, as descriptions and command lines write them: `4 MiB`, `25 MHz`, `1.5us`, `36 cycles`.

use nom::bytes::complete::take_while;
use nom::character::complete::char;
use nom::combinator::{map, not, opt, rest};
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

/// A unit's name and how many base units it is.
pub type Unit = (&'static str, u128);

/// Base unit: byte.
pub const BYTES: &[Unit] = &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
/// Base unit: hertz.
pub const HERTZ: &[Unit] = &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)];
/// Base unit: picosecond.
pub const TIME: &[Unit] = &[("ps", 1), ("ns", 1_000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", PICOSECONDS)];
/// Picoseconds a second.
pub const PICOSECONDS: u128 = 1_000_000_000_000;
/// Base unit: machine cycle.
pub const CYCLES: &[Unit] = &[("cycle", 1), ("cycles", 1)];

/// Why a quantity cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    #[error("`{0}` does not start with a number")]
    NoNumber(String),
    #[error("`{text}` has {}", if .unit.is_empty() { "no unit".to_string() } else { format!("the unknown unit `{}`", .unit) })]
    Unit { text: String, unit: String },
    #[error("`{0}` is too large")]
    TooLarge(String),
    #[error("`{0}` is not a whole number of the smallest unit")]
    Fraction(String),
}

/// A decimal number as its digits, in which underscores count nothing, before and behind the point.
type Number<'a> = (&'a str, Option<&'a str>);

/// A number and what follows it, without the blanks between them. No second point follows a number.
fn quantity(text: &str) -> IResult<&str, (Number<'_>, &str)> {
    let digits = || take_while(|letter: char| letter.is_ascii_digit() || letter == '_');
    let number = (digits(), opt(preceded(char('.'), digits())));
    (terminated(number, not(char('.'))), map(rest, str::trim)).parse(text)
}

/// Reads `text` (a decimal number, optional blanks, a unit of `units`) as a whole number of base units.
///
/// # Errors
/// No number, no or another unit, too large, or a fraction of a base unit.
pub fn parse(text: &str, units: &[Unit]) -> Result<u128, UnitError> {
    let no_number = || UnitError::NoNumber(text.into());
    let (_, ((whole, fraction), unit)) = quantity(text.trim()).map_err(|_| no_number())?;
    let digits = |text: &str| text.replace('_', "");
    let (whole, fraction) = (digits(whole), fraction.map(digits).unwrap_or_default());
    if whole.is_empty() {
        return Err(no_number());
    }
    let Some(&(_, scale)) = units.iter().find(|(name, _)| *name == unit) else {
        return Err(UnitError::Unit { text: text.into(), unit: unit.into() });
    };
    let too_large = || UnitError::TooLarge(text.into());
    let digits: u128 = format!("{whole}{fraction}").parse().map_err(|_| too_large())?;
    let divisor = 10u128.checked_pow(fraction.len() as u32).ok_or_else(too_large)?;
    let product = digits.checked_mul(scale).ok_or_else(too_large)?;
    if product % divisor != 0 {
        return Err(UnitError::Fraction(text.into()));
    }
    Ok(product / divisor)
}

/// Writes `value` base units with the largest unit that divides it, such as `4 MiB`.
pub fn print(value: u128, units: &[Unit]) -> String {
    let (name, scale) =
        units.iter().rev().find(|(_, scale)| value.is_multiple_of(*scale) && value >= *scale).unwrap_or(&units[0]);
    format!("{} {name}", value / scale)
}

/// Names of `units` for messages: `B, KiB, MiB`.
pub fn names(units: &[Unit]) -> String {
    units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Machine cycles in `picoseconds` at `clock_hz`, and whether that is exact (else it is rounded up).
pub fn cycles(picoseconds: u128, clock_hz: u32) -> Option<(u64, bool)> {
    let product = picoseconds.checked_mul(clock_hz.into())?;
    Some((u64::try_from(product.div_ceil(PICOSECONDS)).ok()?, product % PICOSECONDS == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_with_their_units() {
        assert_eq!(parse("4 MiB", BYTES), Ok(4 << 20));
        assert_eq!(parse("12.5MHz", HERTZ), Ok(12_500_000));
        assert_eq!(parse(" 1_000 ns ", TIME), Ok(1_000_000));
        assert_eq!(parse("0.5 ps", TIME), Err(UnitError::Fraction("0.5 ps".into())));
        assert_eq!(parse("4", BYTES), Err(UnitError::Unit { text: "4".into(), unit: "".into() }));
        assert_eq!(parse("4 MB", BYTES), Err(UnitError::Unit { text: "4 MB".into(), unit: "MB".into() }));
        assert_eq!(parse("-4 MiB", BYTES), Err(UnitError::NoNumber("-4 MiB".into())));
        assert_eq!(parse("1.2.3 s", TIME), Err(UnitError::NoNumber("1.2.3 s".into())));
        let huge = "9".repeat(60) + " s";
        assert_eq!(parse(&huge, TIME), Err(UnitError::TooLarge(huge)));
    }

    #[test]
    fn cycles_of_a_time() {
        assert_eq!(cycles(1_000_000, 25_000_000), Some((25, true)));
        assert_eq!(cycles(1, 25_000_000), Some((1, false)));
    }
}
