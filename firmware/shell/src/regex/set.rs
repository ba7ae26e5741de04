//! `[…]`: a set of bytes.

use crate::pattern::class;

/// A bit for each byte.
pub type Set = [u32; 8];

/// Reads a set whose `[` has been read. Returns it, and how long its text is.
///
/// # Errors
/// It has no end, or a range that goes down.
pub fn read(text: &[u8]) -> Result<(Set, usize), &'static str> {
    let inverted = text.first() == Some(&b'^');
    let first = inverted as usize;
    let (mut at, mut set) = (first, [0; 8]);
    loop {
        let rest = &text[at..];
        let low = *rest.first().ok_or("`[` without `]`")?;
        if low == b']' && at > first {
            at += 1;
            break;
        }
        if let Some((length, _)) = class(rest, 0) {
            let is_in = |byte: &u8| class(rest, *byte).is_some_and(|(_, is_in)| is_in);
            (0..=255u8).filter(is_in).for_each(|byte| add(&mut set, byte));
            at += length;
            continue;
        }
        at += 1;
        let mut high = low;
        if let [b'-', next, ..] = text[at..] {
            if next != b']' {
                high = next;
                at += 2;
            }
        }
        if high < low {
            return Err("a range in `[…]` that goes down");
        }
        (low..=high).for_each(|byte| add(&mut set, byte));
    }
    if inverted {
        set.iter_mut().for_each(|word| *word = !*word);
    }
    Ok((set, at))
}

fn add(set: &mut Set, byte: u8) {
    set[byte as usize / 32] |= 1 << (byte % 32);
}
