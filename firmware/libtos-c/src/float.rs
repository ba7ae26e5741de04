//! `printf`'s conversions of doubles, exact: the number is written out in full, as it is in binary,
//! and rounded where the text ends, halves to even. There is no arithmetic of doubles in it.

use crate::ieee::{BIAS, FRACTION_BITS, SPECIAL};
use crate::out::{Out, Spec};

/// Digits of a limb, and its base.
const LIMB_DIGITS: i32 = 9;
const LIMB: u32 = 1_000_000_000;
/// The limb with the ones; the largest double has 309 digits ahead of the point, the smallest 1,074
/// behind it.
const ONES: usize = 34;
const LIMBS: usize = ONES + 1 + 120;

const DEFAULT_PRECISION: usize = 6;

/// A number in decimal, all digits of it.
struct Decimal {
    limbs: [u32; LIMBS],
}

impl Decimal {
    /// `mantissa` times two to the `exponent`.
    fn new(mantissa: u64, mut exponent: i32) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[ONES] = (mantissa % u64::from(LIMB)) as u32;
        limbs[ONES - 1] = (mantissa / u64::from(LIMB)) as u32;
        let (mut highest, mut lowest) = (ONES - 1, ONES);
        while exponent > 0 {
            let shift = exponent.min(29);
            let mut carry = 0;
            for limb in limbs[highest..=ONES].iter_mut().rev() {
                let value = (u64::from(*limb) << shift) + carry;
                (*limb, carry) = ((value % u64::from(LIMB)) as u32, value / u64::from(LIMB));
            }
            if carry != 0 {
                highest -= 1;
                limbs[highest] = carry as u32;
            }
            exponent -= shift;
        }
        // A limb's base has the factor two nine times.
        while exponent < 0 {
            let shift = (-exponent).min(LIMB_DIGITS);
            let mut rest = 0;
            for limb in &mut limbs[highest..=lowest] {
                let below = (*limb & ((1 << shift) - 1)) * (LIMB >> shift);
                *limb = (*limb >> shift) + rest;
                rest = below;
            }
            if rest != 0 {
                lowest += 1;
                limbs[lowest] = rest;
            }
            exponent += shift;
        }
        Decimal { limbs }
    }

    /// The limb with the digit that stands for ten to the `place`, and its weight there.
    fn find(place: i32) -> (usize, u32) {
        let index = ONES as i32 - place.div_euclid(LIMB_DIGITS);
        (usize::try_from(index).unwrap_or(LIMBS), 10u32.pow(place.rem_euclid(LIMB_DIGITS) as u32))
    }

    fn digit(&self, place: i32) -> u8 {
        let (index, weight) = Self::find(place);
        self.limbs.get(index).map_or(0, |limb| (limb / weight % 10) as u8)
    }

    /// The place of the first digit that is not 0; 0 if there is none.
    fn highest(&self) -> i32 {
        let Some(index) = self.limbs.iter().position(|limb| *limb != 0) else { return 0 };
        (ONES as i32 - index as i32) * LIMB_DIGITS + self.limbs[index].ilog10() as i32
    }

    /// Rounds to a multiple of ten to the `place`; digits below it are not to be looked at any
    /// more.
    fn round(&mut self, place: i32) {
        let (index, weight) = Self::find(place - 1);
        if index >= LIMBS {
            return;
        }
        let below = self.limbs[index] % weight != 0 || self.limbs[index + 1..].iter().any(|limb| *limb != 0);
        let up = match self.digit(place - 1) {
            5 => below || self.digit(place) % 2 == 1,
            digit => digit > 5,
        };
        if up {
            let (mut index, weight) = Self::find(place);
            self.limbs[index] += weight;
            while self.limbs[index] >= LIMB && index > 0 {
                self.limbs[index] -= LIMB;
                index -= 1;
                self.limbs[index] += 1;
            }
        }
    }
}

/// Text of a few bytes.
#[derive(Default)]
struct Short {
    bytes: [u8; 8],
    used: usize,
}

impl Short {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.used) {
            *place = byte;
            self.used += 1;
        }
    }

    /// A letter, a sign and at least so many digits.
    fn exponent(letter: u8, value: i32, least: u32) -> Self {
        let mut text = Short::default();
        text.push(letter);
        text.push(if value < 0 { b'-' } else { b'+' });
        for power in (0..4).rev().filter(|power| *power < least || value.unsigned_abs() >= 10u32.pow(*power)) {
            text.push(b'0' + (value.unsigned_abs() / 10u32.pow(power) % 10) as u8);
        }
        text
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.used]
    }
}

/// Digits as they are to be written: from place `first` to place `ones`, the point, and so many
/// behind it.
struct Shape {
    first: i32,
    ones: i32,
    fraction: usize,
}

/// Writes a double for one of the conversions `f e g a` and their capitals.
#[inline(never)]
pub fn put(out: &mut Out, spec: &Spec, conversion: u8, bits: u64) {
    let mut sign = Short::default();
    if bits >> 63 != 0 {
        sign.push(b'-');
    } else if let Some(plus) = spec.plus {
        sign.push(plus);
    }
    let (exponent, fraction) = (bits >> FRACTION_BITS & SPECIAL, bits & ((1 << FRACTION_BITS) - 1));
    let is_upper = conversion.is_ascii_uppercase();
    if exponent == SPECIAL {
        let name = match (fraction, is_upper) {
            (0, false) => b"inf",
            (0, true) => b"INF",
            (_, false) => b"nan",
            (_, true) => b"NAN",
        };
        name.iter().for_each(|&byte| sign.push(byte));
        return out.padded(spec, sign.text());
    }
    // A number below the smallest that has a one ahead of its fraction has none.
    let mantissa = fraction | u64::from(exponent != 0) << FRACTION_BITS;
    let exponent = exponent.max(1) as i32 - BIAS;
    match conversion | 0x20 {
        b'a' => hexadecimal(out, spec, sign, mantissa, exponent, is_upper),
        conversion => {
            decimal(out, spec, sign, conversion, is_upper, Decimal::new(mantissa, exponent - FRACTION_BITS as i32))
        }
    }
}

fn decimal(out: &mut Out, spec: &Spec, sign: Short, conversion: u8, is_upper: bool, mut number: Decimal) {
    let precision = spec.precision.unwrap_or(DEFAULT_PRECISION);
    // Nothing is behind the last place; so places fit into numbers.
    let places = |precision: usize| precision.min(2000) as i32;
    let letter = if is_upper { b'E' } else { b'e' };
    let (shape, suffix) = match conversion {
        b'f' => {
            number.round(-places(precision));
            (Shape { first: number.highest().max(0), ones: 0, fraction: precision }, Short::default())
        }
        b'e' => {
            number.round(number.highest() - places(precision));
            let ones = number.highest();
            (Shape { first: ones, ones, fraction: precision }, Short::exponent(letter, ones, 2))
        }
        _ => {
            let digits = places(precision.max(1));
            number.round(number.highest() - (digits - 1));
            let highest = number.highest();
            let is_plain = (-4..digits).contains(&highest);
            let ones = if is_plain { 0 } else { highest };
            let mut fraction = digits - 1 - (highest - ones);
            while !spec.alternate && fraction > 0 && number.digit(ones - fraction) == 0 {
                fraction -= 1;
            }
            let suffix = if is_plain { Short::default() } else { Short::exponent(letter, highest, 2) };
            (Shape { first: highest.max(ones), ones, fraction: fraction as usize }, suffix)
        }
    };
    let whole = (shape.first - shape.ones + 1) as usize;
    framed(out, spec, sign.text(), (whole, shape.fraction), suffix.text(), &mut |place| {
        let place = i32::try_from(place).map_or(i32::MAX, |place| place);
        b'0' + number.digit(shape.first.saturating_sub(place))
    });
}

fn hexadecimal(out: &mut Out, spec: &Spec, mut sign: Short, mantissa: u64, exponent: i32, is_upper: bool) {
    const DIGITS: usize = FRACTION_BITS as usize / 4;
    sign.push(b'0');
    sign.push(if is_upper { b'X' } else { b'x' });
    let mut value = mantissa;
    let fraction = match spec.precision {
        Some(precision) if precision < DIGITS => {
            // Halves to even, as above.
            let shift = FRACTION_BITS - 4 * precision as u32;
            let half = 1 << (shift - 1);
            let rest = value & ((1 << shift) - 1);
            value -= rest;
            if rest > half || rest == half && value >> shift & 1 == 1 {
                value += 1 << shift;
            }
            precision
        }
        Some(precision) => precision,
        None => (0..DIGITS)
            .rev()
            .find(|digit| value >> (FRACTION_BITS - 4 - 4 * *digit as u32) & 15 != 0)
            .map_or(0, |last| last + 1),
    };
    let suffix = Short::exponent(if is_upper { b'P' } else { b'p' }, if mantissa == 0 { 0 } else { exponent }, 1);
    framed(out, spec, sign.text(), (1, fraction), suffix.text(), &mut |place| {
        let digit = if place <= DIGITS { (value >> (FRACTION_BITS - 4 * place as u32) & 15) as u8 } else { 0 };
        match digit {
            0..=9 => b'0' + digit,
            _ if is_upper => b'A' + digit - 10,
            _ => b'a' + digit - 10,
        }
    });
}

/// Writes a number within its width: digits by their place in the text, `whole` ahead of the point
/// and `fraction` behind it.
fn framed(
    out: &mut Out,
    spec: &Spec,
    prefix: &[u8],
    (whole, fraction): (usize, usize),
    suffix: &[u8],
    digit: &mut dyn FnMut(usize) -> u8,
) {
    let has_point = fraction > 0 || spec.alternate;
    let bytes = prefix.len() + whole + usize::from(has_point) + fraction + suffix.len();
    let padding = spec.width.saturating_sub(bytes);
    if !spec.left && !spec.zero {
        out.repeat(b' ', padding);
    }
    prefix.iter().for_each(|&byte| out.put(byte));
    if !spec.left && spec.zero {
        out.repeat(b'0', padding);
    }
    (0..whole).for_each(|place| out.put(digit(place)));
    if has_point {
        out.put(b'.');
    }
    (whole..whole + fraction).for_each(|place| out.put(digit(place)));
    suffix.iter().for_each(|&byte| out.put(byte));
    if spec.left {
        out.repeat(b' ', padding);
    }
}
