//! How numbers are said: a space between thousands, as everywhere in the Testbed's pages, and no
//! more digits than count.

/// From here up and below the next, a number is said with a power of ten.
const HUGE: f64 = 1e15;
const TINY: f64 = 1e-6;
/// Below this a value is said with a power of ten if its uncertainty is said too.
const SMALL: f64 = 1e-2;

/// Thousands apart, by a narrow space that does not break.
pub(crate) fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 * 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A whole number.
pub(crate) fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// With this many decimals; a minus sign, not a hyphen.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let sign = if value < 0.0 && digits.contains(|digit: char| ('1'..='9').contains(&digit)) { "−" } else { "" };
    match digits.split_once('.') {
        Some((whole, rest)) => format!("{sign}{}.{rest}", grouped(whole)),
        None => format!("{sign}{}", grouped(&digits)),
    }
}

/// `m×10ᵉ`.
fn scientific(value: f64, digits: usize) -> String {
    let text = format!("{:.*e}", digits.saturating_sub(1), value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}{}{}", trimmed(mantissa), power(exponent.parse().unwrap_or(0)))
}

/// `×10⁻⁴`, in characters that need no markup.
fn power(exponent: i32) -> String {
    let raised = exponent.to_string();
    let raised = raised.chars().map(|digit| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        other => char::from_u32('⁰' as u32 + other as u32 - '0' as u32).unwrap_or(other),
    });
    format!("×10{}", raised.collect::<String>())
}

/// Without zeros behind.
fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Decimals that show this many digits of a value of this size.
fn decimals(value: f64, digits: i32) -> usize {
    (digits - 1 - value.abs().log10().floor() as i32).max(0) as usize
}

/// With this many digits that count; whole numbers are never cut.
pub(crate) fn short(value: f64, digits: usize) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(TINY..HUGE).contains(&size) {
        return scientific(value, digits);
    }
    trimmed(&fixed(value, decimals(value, digits as i32))).to_string()
}

/// A value and its uncertainty, `value ± half width`, down to the uncertainty's second digit; in
/// brackets with a power of ten if the value is small.
pub(crate) fn uncertain(value: f64, half_width: f64) -> String {
    let size = value.abs();
    if size != 0.0 && size < SMALL || size >= HUGE {
        let exponent = size.log10().floor() as i32;
        let unit = 10f64.powi(exponent);
        if unit.is_normal() {
            return format!("({}){}", digits(value / unit, half_width / unit), power(exponent));
        }
    }
    digits(value, half_width)
}

/// No more than six digits of a value, however certain it is.
fn digits(value: f64, half_width: f64) -> String {
    let most = decimals(if value == 0.0 { 1.0 } else { value }, 6);
    let places = if half_width > 0.0 { decimals(half_width, 2).min(most) } else { most };
    if half_width > 0.0 {
        format!("{} ± {}", fixed(value, places), fixed(half_width, places))
    } else {
        format!("{} ± 0", trimmed(&fixed(value, places)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_count() {
        let shown = [0.0, 0.0312, 1.2345, 999.96, 5000.0, 1234567.4, -12.5, 1e-7, 2.5e18].map(|value| short(value, 3));
        assert_eq!(
            shown,
            [
                "0",
                "0.0312",
                "1.23",
                "1\u{202f}000",
                "5\u{202f}000",
                "1\u{202f}234\u{202f}567",
                "−12.5",
                "1×10⁻⁷",
                "2.5×10¹⁸"
            ]
        );
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(count(100), "100");
        assert_eq!(count(1000), "1\u{202f}000");
    }

    #[test]
    fn an_uncertain_value_ends_where_its_uncertainty_does() {
        assert_eq!(uncertain(0.231_234, 0.000_41), "0.23123 ± 0.00041");
        assert_eq!(uncertain(1300.4, 12.0), "1\u{202f}300 ± 12");
        assert_eq!(uncertain(2.0, 0.0), "2 ± 0");
        assert_eq!(uncertain(0.000_34, 0.000_000_6), "(3.4000 ± 0.0060)×10⁻⁴");
        assert_eq!(uncertain(-0.000_34, 1e-12), "(−3.40000 ± 0.00000)×10⁻⁴");
        assert_eq!(uncertain(0.0, 0.5), "0.00 ± 0.50");
    }
}
