//! Names of variables and functions.

/// Whether a variable or function can be called so.
pub fn is_name(text: &[u8]) -> bool {
    let good = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.first().is_some_and(|byte| !byte.is_ascii_digit()) && text.iter().all(good)
}
