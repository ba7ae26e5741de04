//! Text to doubles and floats, exact: the language of C is read here, decimal numbers are left to
//! Rust's own conversion, which rounds correctly, and hexadecimal ones to [`crate::ieee`].

use core::ffi::c_char;
use core::str::FromStr;

use crate::error;
use crate::ieee::{self, BIAS, FLOAT_BIAS, FLOAT_FRACTION_BITS, FRACTION_BITS};
use crate::input::{Input, Memory, Source};

/// Digits that can matter for a double: what halves of its last place have. Of those behind it
/// matters only whether all are zeros.
const MOST: usize = 768;
/// A digit that stands for all behind [`MOST`], the letter and an exponent.
const BEHIND: usize = 13;
/// An exponent in text that is greater is as good as this.
const MOST_EXPONENT: i32 = 100_000_000;

enum Kind {
    Decimal,
    Hexadecimal,
    Infinity,
    NotANumber,
}

/// A number as it was read: `digits[..used]` times ten, or sixteen, to the `exponent`.
pub struct Real {
    kind: Kind,
    negative: bool,
    digits: [u8; MOST + BEHIND],
    used: usize,
    exponent: i32,
    /// Whether digits are behind that are not all 0.
    beyond: bool,
    /// The exponent that the text names: of ten, or of two.
    named: i32,
    /// What was taken when a number was complete; more may have been taken in vain.
    pub end: Option<usize>,
}

/// A type of numbers that text is made into.
pub trait Float: FromStr {
    const INFINITY: Self;
    const NAN: Self;
    fn of(bits: u64) -> Self;
    /// [`ieee::nearest`] in its format.
    fn nearest(mantissa: u64, beyond: bool, exponent: i32) -> Self;
    fn signed(self, negative: bool) -> Self;
    /// Whether it is what overflow or underflow gives: infinite, or below the smallest with all
    /// its bits.
    fn is_extreme(&self) -> bool;
}

macro_rules! float {
    ($type:ident, $bits:ty, $nearest:expr) => {
        impl Float for $type {
            const INFINITY: Self = $type::INFINITY;
            const NAN: Self = $type::NAN;

            fn of(bits: u64) -> Self {
                $type::from_bits(bits as $bits)
            }

            fn nearest(mantissa: u64, beyond: bool, exponent: i32) -> Self {
                Self::of($nearest(mantissa, beyond, exponent))
            }

            fn signed(self, negative: bool) -> Self {
                $type::from_bits(self.to_bits() | <$bits>::from(negative) << (<$bits>::BITS - 1))
            }

            fn is_extreme(&self) -> bool {
                !self.is_normal()
            }
        }
    };
}

float!(f64, u64, ieee::nearest::<FRACTION_BITS, BIAS>);
float!(f32, u32, ieee::nearest::<FLOAT_FRACTION_BITS, FLOAT_BIAS>);

impl Real {
    /// No number yet.
    pub fn new() -> Self {
        Real {
            kind: Kind::Decimal,
            negative: false,
            digits: [0; MOST + BEHIND],
            used: 0,
            exponent: 0,
            beyond: false,
            named: 0,
            end: None,
        }
    }

    /// Reads what looks like a number. A stream can't go back: what was taken of it beyond
    /// [`Real::end`] is gone.
    ///
    /// Not inlined, nor what else needs much of the stack: it is to be given back before more is
    /// needed.
    #[inline(never)]
    pub fn read(&mut self, input: &mut Input) {
        self.negative = input.sign();
        match input.peek().map(|byte| byte.to_ascii_lowercase()) {
            Some(b'i') => self.infinity(input),
            Some(b'n') => self.not_a_number(input),
            _ => self.number(input),
        }
    }

    fn ends(&mut self, input: &Input, is_complete: bool) {
        if is_complete {
            self.end = Some(input.taken);
        }
    }

    fn infinity(&mut self, input: &mut Input) {
        self.kind = Kind::Infinity;
        let is_complete = b"inf".iter().all(|&byte| input.take(byte));
        self.ends(input, is_complete);
        let is_longer = is_complete && b"inity".iter().all(|&byte| input.take(byte));
        self.ends(input, is_longer);
    }

    fn not_a_number(&mut self, input: &mut Input) {
        self.kind = Kind::NotANumber;
        let is_complete = b"nan".iter().all(|&byte| input.take(byte));
        self.ends(input, is_complete);
        if is_complete && input.take(b'(') {
            while input.next_if(|byte| byte.is_ascii_alphanumeric() || byte == b'_').is_some() {}
            let is_longer = input.take(b')');
            self.ends(input, is_longer);
        }
    }

    fn number(&mut self, input: &mut Input) {
        let mut is_there = input.take(b'0');
        self.ends(input, is_there);
        if is_there && input.take(b'x') {
            self.kind = Kind::Hexadecimal;
            is_there = false;
        }
        is_there |= self.take_digits(input, false);
        self.ends(input, is_there);
        if input.take(b'.') {
            is_there |= self.take_digits(input, true);
            self.ends(input, is_there);
        }
        let letter = if matches!(self.kind, Kind::Hexadecimal) { b'p' } else { b'e' };
        if is_there && input.take(letter) {
            self.take_exponent(input);
        }
    }

    /// Takes digits; whether there were any.
    fn take_digits(&mut self, input: &mut Input, is_fraction: bool) -> bool {
        let radix = if matches!(self.kind, Kind::Hexadecimal) { 16 } else { 10 };
        let before = input.taken;
        while let Some(digit) = input.next_if(|byte| (byte as char).is_digit(radix)) {
            let is_first = self.used == 0 && digit == b'0';
            if self.used < MOST {
                if !is_first {
                    self.digits[self.used] = digit;
                    self.used += 1;
                }
                self.exponent -= i32::from(is_fraction);
            } else {
                self.beyond |= digit != b'0';
                self.exponent += i32::from(!is_fraction);
            }
        }
        input.taken > before
    }

    fn take_exponent(&mut self, input: &mut Input) {
        let negative = input.sign();
        let mut value = 0i32;
        let mut is_there = false;
        while let Some(digit) = input.next_if(|byte| byte.is_ascii_digit()) {
            value = value.saturating_mul(10).saturating_add(i32::from(digit - b'0')).min(MOST_EXPONENT);
            is_there = true;
        }
        if is_there {
            self.named = if negative { -value } else { value };
        }
        self.ends(input, is_there);
    }

    /// The number that is nearest. Nothing remains of the digits.
    #[inline(never)]
    pub fn value<T: Float>(&mut self) -> T {
        let value = match self.kind {
            Kind::Infinity => T::INFINITY,
            Kind::NotANumber => T::NAN,
            _ if self.used == 0 => T::of(0),
            Kind::Hexadecimal => self.binary(),
            // It is a number as Rust has them too.
            Kind::Decimal => self.text().parse().unwrap_or(T::NAN),
        };
        if matches!(self.kind, Kind::Decimal | Kind::Hexadecimal) && self.used > 0 && value.is_extreme() {
            error::set(error::ERANGE);
        }
        value.signed(self.negative)
    }

    fn binary<T: Float>(&self) -> T {
        // So many digits have room, and are more than a double has.
        const DIGITS: usize = 16;
        let (head, rest) = self.digits[..self.used].split_at(self.used.min(DIGITS));
        let mantissa = head
            .iter()
            .fold(0, |value, &digit| value << 4 | u64::from((digit as char).to_digit(16).unwrap_or_default()));
        let beyond = self.beyond || rest.iter().any(|&digit| digit != b'0');
        let exponent = self.exponent.saturating_add(rest.len() as i32).saturating_mul(4);
        T::nearest(mantissa, beyond, exponent.saturating_add(self.named))
    }

    /// Digits and exponent as Rust reads them.
    fn text(&mut self) -> &str {
        let mut exponent = self.exponent.saturating_add(self.named);
        let (mut used, digits) = (self.used, &mut self.digits);
        let mut push = |byte| {
            digits[used] = byte;
            used += 1;
        };
        if self.beyond {
            push(b'1');
            exponent = exponent.saturating_sub(1);
        }
        push(b'e');
        push(if exponent < 0 { b'-' } else { b'+' });
        let size = exponent.unsigned_abs();
        (0..=size.checked_ilog10().unwrap_or(0))
            .rev()
            .for_each(|power| push(b'0' + (size / 10u32.pow(power) % 10) as u8));
        core::str::from_utf8(&self.digits[..used]).unwrap_or_default()
    }
}

/// The number that a string begins with; `end` is behind it, or at the start if there is none.
///
/// # Safety
/// The string ends with a NUL; `end` may be null.
unsafe fn parse<T: Float>(text: *const c_char, end: *mut *const c_char) -> T {
    // SAFETY: the caller's promise.
    let mut memory = unsafe { Memory::new(text) };
    let mut input: Input = Input::new(&mut memory as &mut dyn Source);
    input.skip_blanks();
    let mut real = Real::new();
    real.read(&mut input);
    if !end.is_null() {
        // SAFETY: as above.
        unsafe { *end = text.wrapping_add(real.end.unwrap_or(0)) };
    }
    match real.end {
        Some(_) => real.value(),
        None => T::of(0),
    }
}

// SAFETY of those below: as for `parse`.

#[no_mangle]
unsafe extern "C" fn strtod(text: *const c_char, end: *mut *const c_char) -> f64 {
    unsafe { parse(text, end) }
}

#[no_mangle]
unsafe extern "C" fn strtof(text: *const c_char, end: *mut *const c_char) -> f32 {
    unsafe { parse(text, end) }
}

/// A long double is returned as a structure of its size is: where the caller wants it.
#[repr(C)]
struct Long([u64; 2]);

/// The double that is nearest, as a long double.
#[no_mangle]
unsafe extern "C" fn strtold(text: *const c_char, end: *mut *const c_char) -> Long {
    Long(ieee::extended(unsafe { parse::<f64>(text, end) }.to_bits()))
}

#[no_mangle]
unsafe extern "C" fn atof(text: *const c_char) -> f64 {
    unsafe { strtod(text, core::ptr::null_mut()) }
}
