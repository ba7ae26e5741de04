//! The formats of floating-point numbers, as bits: rounding from one to another without any
//! arithmetic of them.

/// A double's bits behind the point, its exponent's bias, and all ones in its exponent.
pub const FRACTION_BITS: u32 = 52;
pub const BIAS: i32 = 1023;
pub const SPECIAL: u64 = 0x7ff;
/// The same of a float.
pub const FLOAT_FRACTION_BITS: u32 = 23;
pub const FLOAT_BIAS: i32 = 127;
/// The same of a long double.
const LONG_FRACTION_BITS: u32 = 112;
const LONG_BIAS: i32 = 16383;
const LONG_SPECIAL: u64 = 0x7fff;

/// The bits of the number, in the format that the parameters say, that is nearest to `mantissa`
/// times two to the `exponent`, halves to even. `beyond` says that the number is more than that, by
/// less than one in the mantissa; then the mantissa has more bits than the format.
pub fn nearest<const FRACTION_BITS: u32, const BIAS: i32>(mantissa: u64, beyond: bool, exponent: i32) -> u64 {
    if mantissa == 0 {
        return 0;
    }
    let infinity = (2 * BIAS as u64 + 1) << FRACTION_BITS;
    let zeros = mantissa.leading_zeros();
    let mantissa = mantissa << zeros;
    // With the bias, and as if the point were behind the first bit.
    let exponent = exponent.saturating_add(63 - zeros as i32 + BIAS);
    if exponent > 2 * BIAS {
        return infinity;
    }
    // What has no exponent of its own loses more of its bits.
    let shift = 63 - FRACTION_BITS + exponent.min(1).abs_diff(1);
    if shift > 63 {
        // Only more than half of the smallest is nearer to that than to 0.
        let is_more = shift == 64 && (mantissa << 1 != 0 || beyond);
        return u64::from(is_more);
    }
    let (kept, rest, half) = (mantissa >> shift, mantissa & ((1 << shift) - 1), 1 << (shift - 1));
    let up = rest > half || rest == half && (beyond || kept & 1 == 1);
    // The one ahead of the fraction adds one to the exponent, and so does a carry.
    let exponent = (exponent.max(1) - 1) as u64;
    ((exponent << FRACTION_BITS) + kept + u64::from(up)).min(infinity)
}

/// The double that is nearest to a long double (of 128 bits), whose halves these are.
pub fn narrowed(low: u64, high: u64) -> u64 {
    let sign = high & 1 << 63;
    let exponent = high >> 48 & LONG_SPECIAL;
    // The first bits of the fraction, all bits of a double and more among them, and whether there
    // are others behind.
    const BEHIND: u32 = LONG_FRACTION_BITS - 63;
    let fraction = high << (64 - BEHIND) & !(1 << 63) | low >> BEHIND;
    let beyond = low << (64 - BEHIND) != 0;
    match exponent {
        // Nowhere near a double.
        0 => sign,
        LONG_SPECIAL => {
            let is_infinite = fraction == 0 && !beyond;
            sign | SPECIAL << FRACTION_BITS | u64::from(!is_infinite) << (FRACTION_BITS - 1)
        }
        _ => sign | nearest::<FRACTION_BITS, BIAS>(fraction | 1 << 63, beyond, exponent as i32 - LONG_BIAS - 63),
    }
}

/// A double as a long double, its low half first.
pub fn extended(bits: u64) -> [u64; 2] {
    let sign = bits & 1 << 63;
    let (exponent, fraction) = (bits >> FRACTION_BITS & SPECIAL, bits & ((1 << FRACTION_BITS) - 1));
    let (exponent, fraction) = match exponent {
        SPECIAL => (LONG_SPECIAL, fraction),
        0 if fraction == 0 => (0, 0),
        0 => {
            // It has an exponent of its own there.
            let shift = fraction.leading_zeros() - (63 - FRACTION_BITS);
            let exponent = LONG_BIAS as u64 - BIAS as u64 + 1 - u64::from(shift);
            (exponent, fraction << shift & ((1 << FRACTION_BITS) - 1))
        }
        _ => (exponent + LONG_BIAS as u64 - BIAS as u64, fraction),
    };
    let shift = LONG_FRACTION_BITS - FRACTION_BITS;
    [fraction << shift, sign | exponent << (LONG_FRACTION_BITS - 64) | fraction >> (64 - shift)]
}
