//! Quantities on the command line, and numbers in text.

use testbed_machine::units::{self, Unit};

/// Base unit: picosecond.
const TIMES: &[Unit] = &[
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", units::PICOSECONDS),
    ("min", 60 * units::PICOSECONDS),
    ("h", 3_600 * units::PICOSECONDS),
];
/// Base unit: byte a second.
const RATES: &[Unit] = &[("B/s", 1), ("kB/s", 1_000), ("MB/s", 1_000_000), ("GB/s", 1_000_000_000)];
/// Digits of a number that is printed.
const DIGITS: i32 = 6;
/// Digits of a number that stands beside a printed one.
const DIGITS_BESIDE: i32 = 8;

/// A probability below 1, as `10%` or `0.1`.
pub fn probability(text: &str) -> Result<f64, String> {
    let (number, scale) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    let value = number.trim().parse::<f64>().ok().map(|number| number / scale);
    let wrong = || "give a probability of less than 1, such as 10% or 0.1".to_string();
    value.filter(|value| (0.0..1.0).contains(value)).ok_or_else(wrong)
}

/// A time in seconds, such as `10h` or `3.7 ms`.
pub fn seconds(text: &str) -> Result<f64, String> {
    let help =
        |error| format!("{error}\n  help: give a number and one of {}, such as 10h or 3.7ms", units::names(TIMES));
    units::parse(text, TIMES).map(|time| time as f64 / units::PICOSECONDS as f64).map_err(help)
}

/// A time that is more than none.
pub fn duration(text: &str) -> Result<f64, String> {
    seconds(text).and_then(|time| if time > 0.0 { Ok(time) } else { Err("give more than no time".into()) })
}

/// Bytes, such as `64 KiB`, or a number of them.
pub fn bytes(text: &str) -> Result<f64, String> {
    let help = |error| format!("{error}\n  help: give a number, alone or with one of {}", units::names(units::BYTES));
    let plain = text.trim().parse::<u64>().map(u128::from).ok();
    let value = plain.map_or_else(|| units::parse(text, units::BYTES).map_err(help), Ok)?;
    if value == 0 {
        return Err("give at least one byte".into());
    }
    Ok(value as f64)
}

/// Bytes a second, such as `17.5MB/s`.
pub fn rate(text: &str) -> Result<f64, String> {
    let help = |error| format!("{error}\n  help: give a number and one of {}, such as 17.5MB/s", units::names(RATES));
    match units::parse(text, RATES).map_err(help)? {
        0 => Err("give more than nothing".into()),
        value => Ok(value as f64),
    }
}

/// A whole number of nodes or a size, such as `1024` or `2^17`; up to 2^53, which an `f64` still counts.
pub fn whole(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is no whole number from 1 to 2^53\n  help: give it as 131072 or as 2^17");
    let power = |exponent: &str| exponent.parse::<u32>().ok().and_then(|exponent| 1u64.checked_shl(exponent));
    let value = match text.strip_prefix("2^") {
        Some(exponent) => power(exponent),
        None => text.replace('_', "").parse().ok(),
    };
    value.filter(|value| (1..=1 << 53).contains(value)).map(|value| value as f64).ok_or_else(wrong)
}

/// Operations a second, such as `0.5e9`.
pub fn speed(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| "give operations a second, such as 0.5e9".into())
}

/// A number to six digits; with a power of ten where it is huge or tiny.
pub fn number(value: f64) -> String {
    digits(value, DIGITS)
}

/// A number to as many digits as the paper prints, and some more.
pub fn beside(value: f64) -> String {
    digits(value, DIGITS_BESIDE)
}

fn digits(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return if value > 0.0 { "inf" } else { "-" }.into();
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-5..=14).contains(&magnitude) {
        return format!("{value:.*e}", digits as usize - 1);
    }
    let text = format!("{value:.*}", (digits - 1 - magnitude).max(0) as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read() {
        assert_eq!((probability("10%"), probability("0.045"), probability("0")), (Ok(0.1), Ok(0.045), Ok(0.0)));
        assert_eq!((seconds("10h"), seconds("3.7 ms"), seconds("0s")), (Ok(36_000.0), Ok(0.0037), Ok(0.0)));
        assert_eq!((bytes("65536"), bytes("64 KiB"), rate("17.5MB/s")), (Ok(65536.0), Ok(65536.0), Ok(17.5e6)));
        assert_eq!((whole("2^17"), whole("1_000"), speed("0.5e9")), (Ok(131072.0), Ok(1000.0), Ok(0.5e9)));
    }

    #[test]
    fn what_is_none_is_refused_with_help() {
        let all = [
            ["1", "-0.1", "nan", "100%", "x"].map(probability),
            ["1", "1 d", "-1 s", "inf", ""].map(seconds),
            ["0", "-1", "1 kB", "1.5", ""].map(bytes),
            ["0 B/s", "10", "10 MB", "x", ""].map(rate),
            ["0", "2^54", "2^99", "1.5", ""].map(whole),
            ["0", "-1", "nan", "inf", ""].map(speed),
        ];
        assert!(all.iter().flatten().all(Result::is_err), "{all:?}");
    }

    #[test]
    fn numbers_have_six_digits() {
        let all = [0.0, 1.5, 4740.612345, 1e20, 1.25e-9, 131072.0, 0.000036199981, f64::INFINITY].map(number);
        assert_eq!(all, ["0", "1.5", "4740.61", "1.00000e20", "1.25000e-9", "131072", "0.0000362", "inf"]);
    }
}
