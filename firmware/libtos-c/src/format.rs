//! `printf`'s language: flags `-`, `0`, `+`, blank, `#`, a width and a precision (numbers or `*`),
//! lengths `hh`, `h`, `l`, `ll`, `j`, `z`, `t`, `L`, conversions `d i u x X o c s p n %`, and those
//! of doubles ([`crate::float`]).

use core::ffi::c_char;

use crate::float;
use crate::ieee;
use crate::out::{Length, Out, Spec};

/// A `va_list`: a pointer to the next argument. Arguments of 64 bits are aligned to that.
pub struct List(*const u32);

impl List {
    /// # Safety
    /// `list` is a `va_list` of the calling convention ilp32.
    pub unsafe fn new(list: *const u32) -> Self {
        List(list)
    }

    pub fn word(&mut self) -> u32 {
        // SAFETY: the format names as many arguments as there are; if not, C says that anything may happen.
        unsafe {
            let word = self.0.read();
            self.0 = self.0.add(1);
            word
        }
    }

    fn double(&mut self) -> u64 {
        self.0 = ((self.0 as usize + 7) & !7) as *const u32;
        let low = self.word();
        u64::from(low) | u64::from(self.word()) << 32
    }
}

/// The format's bytes, up to its NUL.
pub struct Text(*const u8);

impl Text {
    /// # Safety
    /// The format ends with a NUL.
    pub unsafe fn new(format: *const c_char) -> Self {
        Text(format.cast())
    }

    pub fn peek(&self) -> u8 {
        // SAFETY: `next` doesn't go behind the NUL.
        unsafe { *self.0 }
    }

    pub fn next(&mut self) -> u8 {
        let byte = self.peek();
        if byte != 0 {
            // SAFETY: as above.
            self.0 = unsafe { self.0.add(1) };
        }
        byte
    }

    pub fn take(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == wanted;
        if is_there {
            self.next();
        }
        is_there
    }

    /// A number or `*`.
    fn number(&mut self, list: &mut List) -> i32 {
        if self.take(b'*') {
            return list.word() as i32;
        }
        self.digits()
    }

    /// A number, 0 if there is none.
    pub fn digits(&mut self) -> i32 {
        let mut value = 0i32;
        while self.peek().is_ascii_digit() {
            value = value.saturating_mul(10).saturating_add(i32::from(self.next() - b'0'));
        }
        value
    }

    /// How long the argument is.
    pub fn length(&mut self) -> Length {
        let length = match self.peek() {
            b'h' | b'l' | b'z' | b't' | b'j' | b'L' => match (self.next(), self.peek()) {
                (b'h', b'h') => Length::Byte,
                (b'h', _) => Length::Short,
                (b'l', b'l') | (b'j', _) => Length::Double,
                (b'L', _) => Length::Long,
                _ => Length::Word,
            },
            _ => Length::Word,
        };
        // The second letter of `hh` and `ll`.
        if length == Length::Byte || length == Length::Double && self.peek() == b'l' {
            self.next();
        }
        length
    }

    /// Flags, width, precision and length.
    fn spec(&mut self, list: &mut List) -> Spec {
        let mut spec = Spec::default();
        loop {
            match self.peek() {
                b'-' => spec.left = true,
                b'0' => spec.zero = true,
                b'#' => spec.alternate = true,
                b'+' => spec.plus = Some(b'+'),
                b' ' => spec.plus = spec.plus.or(Some(b' ')),
                _ => break,
            }
            self.next();
        }
        let width = self.number(list);
        spec.left |= width < 0;
        spec.width = width.unsigned_abs() as usize;
        if self.take(b'.') {
            spec.precision = usize::try_from(self.number(list)).ok();
        }
        spec.length = self.length();
        spec
    }
}

/// Writes what `format` says.
///
/// # Safety
/// `format` ends with a NUL, and `list` has the arguments that it names.
pub unsafe fn format(out: &mut Out, format: *const c_char, list: &mut List) {
    // SAFETY: the caller's promise.
    let mut text = unsafe { Text::new(format) };
    loop {
        match text.next() {
            0 => return,
            b'%' => {
                let spec = text.spec(list);
                match text.next() {
                    0 => return,
                    conversion => convert(out, &spec, conversion, list),
                }
            }
            byte => out.put(byte),
        }
    }
}

fn convert(out: &mut Out, spec: &Spec, conversion: u8, list: &mut List) {
    match conversion {
        b'd' | b'i' => {
            let value = match spec.length {
                Length::Double => list.double() as i64,
                Length::Word | Length::Long => i64::from(list.word() as i32),
                Length::Short => i64::from(list.word() as i16),
                Length::Byte => i64::from(list.word() as i8),
            };
            let sign = if value < 0 { Some(b'-') } else { spec.plus };
            out.number(spec, sign.as_slice(), value.unsigned_abs(), 10, false);
        }
        b'u' | b'x' | b'X' | b'o' => {
            let value = match spec.length {
                Length::Double => list.double(),
                Length::Word | Length::Long => u64::from(list.word()),
                Length::Short => u64::from(list.word() as u16),
                Length::Byte => u64::from(list.word() as u8),
            };
            let (base, prefix): (u32, &[u8]) = match conversion {
                b'u' => (10, b""),
                // Its mark is a zero more, where the first digit is none.
                b'o' => (8, b""),
                b'x' => (16, b"0x"),
                _ => (16, b"0X"),
            };
            let prefix = if spec.alternate && value != 0 { prefix } else { b"" };
            out.number(spec, prefix, value, base, conversion == b'X');
        }
        b'p' => out.number(spec, b"0x", u64::from(list.word()), 16, false),
        b'c' => out.padded(spec, &[list.word() as u8]),
        b's' => {
            let text = list.word() as *const u8;
            // SAFETY: C's promise: a string that ends with a NUL or, if it has a precision, has so many bytes.
            out.padded(spec, unsafe { bytes(text, spec.precision.unwrap_or(usize::MAX)) });
        }
        b'n' => {
            let place = list.word();
            // SAFETY: C's promise: a number of that length.
            unsafe { spec.length.store(place, out.count as u64) };
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let bits = if spec.length == Length::Long {
                let place = list.word() as *const u64;
                // SAFETY: a long double is passed by its address.
                unsafe { ieee::narrowed(place.read(), place.add(1).read()) }
            } else {
                list.double()
            };
            float::put(out, spec, conversion, bits);
        }
        b'%' => out.put(b'%'),
        other => {
            // Not a conversion: shown as it is.
            out.put(b'%');
            out.put(other);
        }
    }
}

/// The bytes of a string, at most `most`.
///
/// # Safety
/// It ends with a NUL or has `most` bytes, or is null.
unsafe fn bytes<'a>(text: *const u8, most: usize) -> &'a [u8] {
    if text.is_null() {
        return b"(null)";
    }
    let mut length = 0;
    // SAFETY: the caller's promise.
    unsafe {
        while length < most && *text.add(length) != 0 {
            length += 1;
        }
        core::slice::from_raw_parts(text, length)
    }
}
