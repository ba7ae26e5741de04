//! Numbers as text. `core::fmt` costs several KiB; these cost some bytes.

/// Calls `put` with the ten characters of `0x` and eight hexadecimal digits.
pub fn hexadecimal(value: u32, mut put: impl FnMut(u8)) {
    put(b'0');
    put(b'x');
    for shift in (0..8).rev() {
        let digit = (value >> (4 * shift) & 0xf) as u8;
        put(if digit < 10 { b'0' + digit } else { b'a' - 10 + digit });
    }
}

/// Calls `put` with the decimal digits of `value`.
pub fn decimal(value: u32, mut put: impl FnMut(u8)) {
    let mut digits = [0; 10];
    let mut rest = value;
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    digits[first..].iter().for_each(|&digit| put(digit));
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::{String, ToString};

    #[test]
    fn agrees_with_fmt() {
        for value in [0, 9, 10, 12345, 0xdead_beef, u32::MAX] {
            let (mut hex, mut dec) = (String::new(), String::new());
            hexadecimal(value, |c| hex.push(c as char));
            decimal(value, |c| dec.push(c as char));
            assert_eq!(hex, std::format!("{value:#010x}"));
            assert_eq!(dec, value.to_string());
        }
    }
}
