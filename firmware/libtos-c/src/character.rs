//! `ctype.h`, in the locale "C": only ASCII has letters.

use core::ffi::c_int;

/// A function of `ctype.h`: a character, or EOF, which is of no class.
macro_rules! classes {
    ($($name:ident: $byte:ident => $test:expr;)*) => {$(
        #[no_mangle]
        extern "C" fn $name(character: c_int) -> c_int {
            u8::try_from(character).is_ok_and(|$byte| $test) as c_int
        }
    )*};
}

classes! {
    isalnum: byte => byte.is_ascii_alphanumeric();
    isalpha: byte => byte.is_ascii_alphabetic();
    isblank: byte => matches!(byte, b' ' | b'\t');
    iscntrl: byte => byte.is_ascii_control();
    isdigit: byte => byte.is_ascii_digit();
    isgraph: byte => byte.is_ascii_graphic();
    islower: byte => byte.is_ascii_lowercase();
    isprint: byte => matches!(byte, b' '..=b'~');
    ispunct: byte => byte.is_ascii_punctuation();
    isspace: byte => matches!(byte, b' ' | b'\t'..=b'\r');
    isupper: byte => byte.is_ascii_uppercase();
    isxdigit: byte => byte.is_ascii_hexdigit();
}

#[no_mangle]
extern "C" fn tolower(character: c_int) -> c_int {
    u8::try_from(character).map_or(character, |byte| byte.to_ascii_lowercase().into())
}

#[no_mangle]
extern "C" fn toupper(character: c_int) -> c_int {
    u8::try_from(character).map_or(character, |byte| byte.to_ascii_uppercase().into())
}
