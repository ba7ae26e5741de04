//! What a shell asks of whoever types at its console, and how that answers.
//!
//! A request is a line that the shell prints: [`ENQUIRY`], then words with [`BETWEEN`] between them.
//! The answer is typed. Its first line is [`REFUSAL`] and why, or [`ANSWER`], a number in decimal and
//! perhaps a blank and more; behind that come the bytes of a file, if the request was for some, in
//! lines of [`DATA`] and letters of base 64. A shell takes such a line that it has not asked for as
//! a comment.

/// The first byte of a request.
pub const ENQUIRY: u8 = 0x05;
/// What stands between the words of a request.
pub const BETWEEN: u8 = b'\t';
/// `put PATH`: the bytes of a file of the host.
pub const PUT: &str = "put";
/// `get PROCESSOR NAME [PATH]`: the host is to keep a file of the machine. The answer says where.
pub const GET: &str = "get";
/// `size`: the rows of the window in which somebody types, behind them its columns.
pub const SIZE: &str = "size";

/// The first byte of an answer, and that of a refusal.
pub const ANSWER: u8 = b'=';
pub const REFUSAL: u8 = b'!';
/// The first byte of a line of a file.
pub const DATA: u8 = b'#';
/// Bytes of a file that a line has, at most: with their letters a reader takes it whole.
pub const LINE_BYTES: usize = 180;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Up to three bytes in four letters of base 64.
pub fn letters(bytes: &[u8]) -> [u8; 4] {
    let byte = |place: usize| u32::from(bytes.get(place).copied().unwrap_or(0));
    let group = byte(0) << 16 | byte(1) << 8 | byte(2);
    core::array::from_fn(|place| match place <= bytes.len() {
        true => LETTERS[(group >> (18 - 6 * place)) as usize & 63],
        false => b'=',
    })
}

/// The bytes of four letters, of which there are one to three. `None`: these are no letters.
pub fn bytes(letters: [u8; 4]) -> Option<([u8; 3], usize)> {
    let padding = letters.iter().rev().take_while(|&&letter| letter == b'=').count();
    if padding > 2 {
        return None;
    }
    let mut group = 0;
    for &letter in &letters[..4 - padding] {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        group = group << 6 | u32::from(value);
    }
    let [_, first, second, third] = (group << (6 * padding)).to_be_bytes();
    Some(([first, second, third], 3 - padding))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_standard() {
        for (text, expected) in [(&b"f"[..], b"Zg=="), (b"fo", b"Zm8="), (b"foo", b"Zm9v"), (b"\xff\xff\xfe", b"///+")]
        {
            assert_eq!(&letters(text), expected);
            let (bytes, count) = bytes(*expected).unwrap();
            assert_eq!(&bytes[..count], text);
        }
        for (value, &letter) in LETTERS.iter().enumerate() {
            assert_eq!(bytes([b'A', b'A', b'A', letter]), Some(([0, 0, value as u8], 3)));
        }
        assert_eq!(bytes(*b"Z==="), None);
        assert_eq!(bytes(*b"Z=9v"), None);
        assert_eq!(bytes(*b"Zm9\n"), None);
    }
}
