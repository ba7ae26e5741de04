//! Expressions of `$((…))`: what they are made of.

/// Operators of two sides, those that bind least first, by levels.
pub const LEVELS: &[&[&[u8]]] = &[
    &[b"||"],
    &[b"&&"],
    &[b"|"],
    &[b"^"],
    &[b"&"],
    &[b"==", b"!="],
    &[b"<=", b">=", b"<", b">"],
    &[b"<<", b">>"],
    &[b"+", b"-"],
    &[b"*", b"/", b"%"],
];

/// Applies an operator.
///
/// # Errors
/// It divides by 0.
pub fn apply(operator: &[u8], a: i64, b: i64) -> Result<i64, &'static str> {
    Ok(match operator {
        b"||" => (a != 0 || b != 0).into(),
        b"&&" => (a != 0 && b != 0).into(),
        b"|" => a | b,
        b"^" => a ^ b,
        b"&" => a & b,
        b"==" => (a == b).into(),
        b"!=" => (a != b).into(),
        b"<=" => (a <= b).into(),
        b">=" => (a >= b).into(),
        b"<" => (a < b).into(),
        b">" => (a > b).into(),
        b"<<" => a.wrapping_shl(b as u32),
        b">>" => a.wrapping_shr(b as u32),
        b"+" => a.wrapping_add(b),
        b"-" => a.wrapping_sub(b),
        b"*" => a.wrapping_mul(b),
        _ if b == 0 => return Err("division by 0"),
        b"/" => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    })
}
