//! The program's arguments.

/// What the user wrote after the program's name.
#[derive(Clone, Copy)]
pub struct Arguments {
    bytes: &'static [u8],
}

impl Arguments {
    /// # Safety
    /// The range stays as it is while the program runs.
    pub unsafe fn from_kernel(address: *const u8, bytes: usize) -> Self {
        // SAFETY: the caller's promise.
        Arguments { bytes: unsafe { core::slice::from_raw_parts(address, bytes) } }
    }

    /// The arguments in order; those that are not UTF-8 are empty.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.words().map(|word| core::str::from_utf8(word).unwrap_or(""))
    }

    fn words(self) -> impl Iterator<Item = &'static [u8]> {
        let bytes = self.bytes.strip_suffix(&[0]).unwrap_or(self.bytes);
        let count = if bytes.is_empty() { 0 } else { usize::MAX };
        bytes.split(|&byte| byte == 0).take(count)
    }

    /// The arguments behind the first `count`, as [`crate::process::invoke`] takes them.
    pub fn after(self, count: usize) -> &'static [u8] {
        let behind = |rest: &'static [u8]| rest.iter().position(|&byte| byte == 0).map(|end| &rest[end + 1..]);
        (0..count).try_fold(self.bytes, |rest, _| behind(rest)).unwrap_or(&[])
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.words().next().is_none()
    }

    /// The same arguments; `None` if there are more than `most`, which a program would not look at.
    pub fn at_most(self, most: usize) -> Option<Arguments> {
        (self.words().count() <= most).then_some(self)
    }

    /// The arguments as numbers, `defaults` for those that aren't given; `None` if one is something
    /// else or there are more.
    pub fn numbers<T: TryFrom<u32>, const N: usize>(self, defaults: [T; N]) -> Option<[T; N]> {
        let mut numbers = defaults;
        for (number, word) in numbers.iter_mut().zip(self.at_most(N)?.words()) {
            *number = T::try_from(decimal(word)?).ok()?;
        }
        Some(numbers)
    }

    /// Argument `index` as a number, `default` if it isn't given; `None` if it is something else.
    pub fn number<T: TryFrom<u32>>(self, index: usize, default: T) -> Option<T> {
        self.words().nth(index).map_or(Some(default), |word| T::try_from(decimal(word)?).ok())
    }
}

fn decimal(word: &[u8]) -> Option<u32> {
    let mut value = 0u32;
    for byte in word {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u32::from(digit))?;
    }
    (!word.is_empty()).then_some(value)
}
