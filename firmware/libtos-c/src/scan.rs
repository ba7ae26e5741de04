//! `scanf`'s language: a width, `*`, lengths `hh`, `h`, `l`, `ll`, `j`, `z`, `t`, `L`, conversions
//! `d i o u x X p c s [ n %`, and those of floating-point numbers ([`crate::real`]). There are no
//! wide characters.

use core::ffi::{c_char, c_int};

use crate::format::{List, Text};
use crate::ieee;
use crate::input::{is_blank, Input};
use crate::number;
use crate::out::Length;
use crate::real::Real;

/// What `scanf` returns if nothing was there to be converted.
const EOF: c_int = -1;

/// Why it goes no further.
enum Failure {
    /// The input has ended.
    Input,
    /// The input is not what the format wants.
    Match,
}

/// Between `%` and the conversion.
struct Directive {
    /// The argument: where the value goes. [`None`] if it is thrown away.
    place: Option<u32>,
    width: Option<usize>,
    length: Length,
    /// There was an `l`, which makes a float a double; an integer is as long without it.
    is_double: bool,
}

/// Reads what `format` says: how many values it has stored, or [`EOF`].
///
/// # Safety
/// `format` ends with a NUL, and `list` has places for the values that it names.
pub unsafe fn scan(input: &mut Input, format: *const c_char, list: &mut List) -> c_int {
    // SAFETY: the caller's promise.
    let mut text = unsafe { Text::new(format) };
    let mut stored = 0;
    loop {
        let done = match text.next() {
            0 => return stored,
            b'%' => directive(input, &mut text, list),
            byte if is_blank(byte) => {
                input.skip_blanks();
                Ok(false)
            }
            byte => literal(input, byte),
        };
        match done {
            Ok(is_stored) => stored += c_int::from(is_stored),
            Err(Failure::Input) if stored == 0 => return EOF,
            Err(_) => return stored,
        }
    }
}

/// A byte that has to be there.
fn literal(input: &mut Input, wanted: u8) -> Result<bool, Failure> {
    match input.peek() {
        None => Err(Failure::Input),
        Some(_) => input.next_if(|byte| byte == wanted).map(|_| false).ok_or(Failure::Match),
    }
}

/// What is behind a `%`: whether a value was stored that counts.
fn directive(input: &mut Input, text: &mut Text, list: &mut List) -> Result<bool, Failure> {
    let is_kept = !text.take(b'*');
    let width = usize::try_from(text.digits()).ok().filter(|width| *width > 0);
    let is_double = text.peek() == b'l';
    let length = text.length();
    let conversion = text.next();
    if matches!(conversion, 0 | b'%') {
        input.skip_blanks();
        return if conversion == 0 { Err(Failure::Match) } else { literal(input, conversion) };
    }
    let directive = Directive { place: is_kept.then(|| list.word()), width, length, is_double };
    if conversion == b'n' {
        directive.store(input.taken as u64);
        return Ok(false);
    }
    if !matches!(conversion, b'c' | b'[') {
        input.skip_blanks();
    }
    if input.peek().is_none() {
        return Err(Failure::Input);
    }
    input.limit(width);
    let is_right = directive.convert(input, conversion, text);
    input.limit(None);
    if is_right {
        Ok(is_kept)
    } else {
        Err(Failure::Match)
    }
}

impl Directive {
    /// Reads a value and stores it; `false` if there is none.
    fn convert(&self, input: &mut Input, conversion: u8, text: &mut Text) -> bool {
        match conversion {
            b'd' | b'u' => self.integer(input, 10, conversion == b'd'),
            b'i' => self.integer(input, 0, true),
            b'o' => self.integer(input, 8, false),
            b'x' | b'X' | b'p' => self.integer(input, 16, false),
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => self.real(input),
            b'c' => {
                input.limit(self.width.or(Some(1)));
                self.bytes(input, false, |_| true)
            }
            b's' => self.bytes(input, true, |byte| !is_blank(byte)),
            b'[' => {
                let set = Set::read(text);
                self.bytes(input, true, |byte| set.has(byte))
            }
            _ => false,
        }
    }

    fn store(&self, value: u64) {
        if let Some(place) = self.place {
            // SAFETY: C's promise: a number of that length.
            unsafe { self.length.store(place, value) };
        }
    }

    fn integer(&self, input: &mut Input, base: u32, is_signed: bool) -> bool {
        let parsed = number::read(input, base);
        if parsed.end != Some(input.taken) {
            return false;
        }
        let is_wide = self.length == Length::Double;
        self.store(match (is_signed, is_wide) {
            (true, true) => parsed.signed(i64::MIN, i64::MAX) as u64,
            (true, false) => parsed.signed(i32::MIN.into(), i32::MAX.into()) as u64,
            (false, true) => parsed.unsigned(u64::MAX),
            (false, false) => parsed.unsigned(u32::MAX.into()),
        });
        true
    }

    /// A number that the format says to be a float, a double or a long double. Not inlined: others
    /// need much less of the stack.
    #[inline(never)]
    fn real(&self, input: &mut Input) -> bool {
        let mut real = Real::new();
        real.read(input);
        if real.end != Some(input.taken) {
            return false;
        }
        let Some(place) = self.place else { return true };
        // SAFETY: C's promise: a number of that length.
        unsafe {
            if self.length == Length::Long {
                let value: f64 = real.value();
                (place as *mut [u64; 2]).write(ieee::extended(value.to_bits()));
            } else if self.is_double {
                (place as *mut f64).write(real.value());
            } else {
                (place as *mut f32).write(real.value());
            }
        }
        true
    }

    /// Bytes as long as they are wanted, with a NUL behind them if they are to be a string; at
    /// least one.
    fn bytes(&self, input: &mut Input, is_string: bool, is_wanted: impl Fn(u8) -> bool) -> bool {
        let mut count = 0;
        // SAFETY: C's promise: there is room for as many bytes as the width says, or as come.
        let put = |at: usize, byte: u8| {
            if let Some(place) = self.place {
                unsafe { (place as *mut u8).add(at).write(byte) };
            }
        };
        while let Some(byte) = input.next_if(&is_wanted) {
            put(count, byte);
            count += 1;
        }
        if is_string && count > 0 {
            put(count, 0);
        }
        count > 0
    }
}

/// The bytes that `[` names, a bit for each.
struct Set {
    bits: [u32; 8],
    is_inverted: bool,
}

impl Set {
    /// Reads up to the `]`, which is one of the bytes where it is the first.
    fn read(text: &mut Text) -> Self {
        let mut set = Set { bits: [0; 8], is_inverted: text.take(b'^') };
        let mut byte = text.next();
        while byte != 0 {
            set.bits[usize::from(byte / 32)] |= 1 << (byte % 32);
            let next = text.next();
            if next == b']' {
                break;
            }
            if next != b'-' || matches!(text.peek(), b']' | 0) {
                byte = next;
                continue;
            }
            // A range; both ends are in it, if it is not empty.
            let last = text.next();
            (byte..=last).for_each(|byte| set.bits[usize::from(byte / 32)] |= 1 << (byte % 32));
            byte = text.next();
            if byte == b']' {
                break;
            }
        }
        set
    }

    fn has(&self, byte: u8) -> bool {
        (self.bits[usize::from(byte / 32)] >> (byte % 32) & 1 != 0) != self.is_inverted
    }
}
