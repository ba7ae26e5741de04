//! Where `printf`'s text goes, and how a conversion wants it.

/// Between `%` and the conversion.
#[derive(Default)]
pub struct Spec {
    pub left: bool,
    pub zero: bool,
    pub alternate: bool,
    /// What stands before a number that is not negative.
    pub plus: Option<u8>,
    pub width: usize,
    pub precision: Option<usize>,
    pub length: Length,
}

#[derive(Default, PartialEq)]
pub enum Length {
    Byte,
    Short,
    #[default]
    Word,
    Double,
    /// The argument is a long double.
    Long,
}

impl Length {
    /// Stores an integer.
    ///
    /// # Safety
    /// At the address is a number of that length.
    pub unsafe fn store(&self, address: u32, value: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Length::Byte => (address as *mut u8).write(value as u8),
                Length::Short => (address as *mut u16).write(value as u16),
                Length::Double => (address as *mut u64).write(value),
                Length::Word | Length::Long => (address as *mut u32).write(value as u32),
            }
        }
    }
}

/// Takes bytes, and counts them.
pub struct Out<'a> {
    put: &'a mut dyn FnMut(u8),
    pub count: usize,
}

impl<'a> Out<'a> {
    pub fn new(put: &'a mut dyn FnMut(u8)) -> Self {
        Out { put, count: 0 }
    }

    pub fn put(&mut self, byte: u8) {
        (self.put)(byte);
        self.count += 1;
    }

    pub fn repeat(&mut self, byte: u8, times: usize) {
        (0..times).for_each(|_| self.put(byte));
    }

    /// Text within the width.
    pub fn padded(&mut self, spec: &Spec, text: &[u8]) {
        let padding = spec.width.saturating_sub(text.len());
        if !spec.left {
            self.repeat(b' ', padding);
        }
        text.iter().for_each(|&byte| self.put(byte));
        if spec.left {
            self.repeat(b' ', padding);
        }
    }

    /// A number: prefix, zeros, digits.
    pub fn number(&mut self, spec: &Spec, prefix: &[u8], mut value: u64, base: u32, upper: bool) {
        let mut digits = [0; 22];
        let mut start = digits.len();
        while value != 0 {
            let (rest, digit) = divide(value, base);
            value = rest;
            start -= 1;
            digits[start] = match digit {
                0..=9 => b'0' + digit,
                _ if upper => b'A' + digit - 10,
                _ => b'a' + digit - 10,
            };
        }
        let digits = &digits[start..];
        let mut zeros = spec.precision.unwrap_or(1).saturating_sub(digits.len());
        if spec.alternate && base == 8 && zeros == 0 {
            // The first digit is to be a zero.
            zeros = 1;
        }
        let taken = prefix.len() + digits.len();
        if spec.zero && !spec.left && spec.precision.is_none() {
            zeros = zeros.max(spec.width.saturating_sub(taken));
        }
        let padding = spec.width.saturating_sub(taken + zeros);
        if !spec.left {
            self.repeat(b' ', padding);
        }
        prefix.iter().for_each(|&byte| self.put(byte));
        self.repeat(b'0', zeros);
        digits.iter().for_each(|&byte| self.put(byte));
        if spec.left {
            self.repeat(b' ', padding);
        }
    }
}

/// Quotient and remainder; most numbers need no division of 64 bits.
fn divide(value: u64, base: u32) -> (u64, u8) {
    match u32::try_from(value) {
        Ok(value) => (u64::from(value / base), (value % base) as u8),
        Err(_) => (value / u64::from(base), (value % u64::from(base)) as u8),
    }
}
