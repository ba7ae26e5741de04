//! `math.h`: the functions of the crate `libm`, under C's names. What that crate lacks or returns
//! in another form is in [`crate::nearest`] and below.

use core::ffi::{c_char, c_int};

/// Fronts of functions that take and return what those of `libm` do. A program that uses none of
/// them links none.
macro_rules! fronts {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[no_mangle]
        extern "C" fn $name($($argument: $type),*) -> $result {
            libm::$name($($argument),*)
        }
    )*};
}

/// Fronts of functions of one number, each with its name for doubles and that for floats.
macro_rules! of_one {
    ($($double:ident $float:ident;)*) => {
        fronts! {$(
            $double(x: f64) -> f64;
            $float(x: f32) -> f32;
        )*}
    };
}

/// Fronts of functions of two numbers, in the same way.
macro_rules! of_two {
    ($($double:ident $float:ident;)*) => {
        fronts! {$(
            $double(x: f64, y: f64) -> f64;
            $float(x: f32, y: f32) -> f32;
        )*}
    };
}

of_one! {
    sin sinf;
    cos cosf;
    tan tanf;
    asin asinf;
    acos acosf;
    atan atanf;
    sinh sinhf;
    cosh coshf;
    tanh tanhf;
    asinh asinhf;
    atanh atanhf;
    exp expf;
    exp2 exp2f;
    expm1 expm1f;
    log logf;
    log2 log2f;
    log10 log10f;
    log1p log1pf;
    sqrt sqrtf;
    cbrt cbrtf;
    fabs fabsf;
    floor floorf;
    ceil ceilf;
    round roundf;
    trunc truncf;
    rint rintf;
    erf erff;
    erfc erfcf;
    tgamma tgammaf;
    lgamma lgammaf;
}

of_two! {
    atan2 atan2f;
    pow powf;
    hypot hypotf;
    fmod fmodf;
    remainder remainderf;
    fmin fminf;
    fmax fmaxf;
    fdim fdimf;
    copysign copysignf;
    nextafter nextafterf;
}

fronts! {
    fma(x: f64, y: f64, z: f64) -> f64;
    fmaf(x: f32, y: f32, z: f32) -> f32;
    ldexp(x: f64, power: c_int) -> f64;
    ldexpf(x: f32, power: c_int) -> f32;
    scalbn(x: f64, power: c_int) -> f64;
    scalbnf(x: f32, power: c_int) -> f32;
    ilogb(x: f64) -> c_int;
    ilogbf(x: f32) -> c_int;
}

/// A second result, stored where the caller wants it, ahead of the first, which is returned.
macro_rules! of_two_results {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty, $second:ty;)*) => {$(
        /// # Safety
        /// `place` has room for the second result.
        #[no_mangle]
        unsafe extern "C" fn $name($($argument: $type,)* place: *mut $second) -> $result {
            let (first, second) = libm::$name($($argument),*);
            // SAFETY: the caller's promise.
            unsafe { place.write(second) };
            first
        }
    )*};
}

of_two_results! {
    modf(x: f64) -> f64, f64;
    modff(x: f32) -> f32, f32;
    frexp(x: f64) -> f64, c_int;
    frexpf(x: f32) -> f32, c_int;
    remquo(x: f64, y: f64) -> f64, c_int;
    remquof(x: f32, y: f32) -> f32, c_int;
    lgamma_r(x: f64) -> f64, c_int;
    lgammaf_r(x: f32) -> f32, c_int;
}

/// A quiet NaN. Which one is the library's choice, and it knows only one.
///
/// # Safety
/// The text is not looked at.
#[no_mangle]
unsafe extern "C" fn nan(_text: *const c_char) -> f64 {
    f64::NAN
}

/// # Safety
/// As `nan`.
#[no_mangle]
unsafe extern "C" fn nanf(_text: *const c_char) -> f32 {
    f32::NAN
}
