//! A hash of halfwords, by which the host and a program compare what they have seen: FNV-1a of 32
//! bits, a halfword at a time.

/// The hash of no halfwords.
pub const EMPTY: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

/// The hash of what `hash` is of, and of `half` behind it.
pub const fn mixed(hash: u32, half: u16) -> u32 {
    (hash ^ half as u32).wrapping_mul(PRIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A halfword below 256 is a byte to it, so the published values for bytes hold.
    #[test]
    fn it_is_fnv_1a() {
        let of = |text: &str| text.bytes().fold(EMPTY, |hash, byte| mixed(hash, byte.into()));
        assert_eq!((of(""), of("a"), of("foobar")), (0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968));
        assert_ne!(mixed(mixed(EMPTY, 1), 2), mixed(mixed(EMPTY, 2), 1));
    }
}
