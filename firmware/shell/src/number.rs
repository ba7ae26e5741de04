//! Numbers as text, and text as numbers, without `core::fmt`.

use alloc::vec::Vec;

/// Appends a number in decimal.
pub fn decimal(text: &mut Vec<u8>, number: i64) {
    if number < 0 {
        text.push(b'-');
    }
    digits(text, number.unsigned_abs(), 10);
}

/// Appends the digits of a number to a base up to 16.
pub fn digits(text: &mut Vec<u8>, mut number: u64, base: u64) {
    let start = text.len();
    loop {
        text.push(b"0123456789abcdef"[(number % base) as usize & 15]);
        number /= base;
        if number == 0 {
            break;
        }
    }
    text[start..].reverse();
}

/// Appends so many hexadecimal digits at least.
pub fn hexadecimal(text: &mut Vec<u8>, number: u32, width: usize) {
    let mut own = Vec::new();
    digits(&mut own, number.into(), 16);
    text.extend(core::iter::repeat_n(b'0', width.saturating_sub(own.len())));
    text.extend(own);
}

/// A process's id as it is shown.
pub fn process(id: u16) -> Vec<u8> {
    let mut text = b"0x".to_vec();
    hexadecimal(&mut text, id.into(), 4);
    text
}

/// Appends a number with blanks ahead of it, so that it has this width at least.
pub fn padded(text: &mut Vec<u8>, number: i64, width: usize) {
    let mut own = Vec::new();
    decimal(&mut own, number);
    text.extend(core::iter::repeat_n(b' ', width.saturating_sub(own.len())));
    text.extend(own);
}

/// An unsigned decimal number, or a hexadecimal one with `0x`; `None` if it is something else, or
/// too large.
pub fn parse(text: &[u8]) -> Option<u64> {
    let (digits, base) = match text.strip_prefix(b"0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &byte| {
        let digit = (byte as char).to_digit(base)?;
        value.checked_mul(base.into())?.checked_add(digit.into())
    })
}

/// A decimal number that may have a sign, with blanks around it.
pub fn signed(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    let (digits, negative) = match text.first()? {
        b'-' => (&text[1..], true),
        b'+' => (&text[1..], false),
        _ => (text, false),
    };
    if digits.first() == Some(&b'0') && digits.get(1) == Some(&b'x') {
        return None;
    }
    let value = i64::try_from(parse(digits)?).ok()?;
    Some(if negative { -value } else { value })
}
