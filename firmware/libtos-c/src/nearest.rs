//! Of `math.h`, what `libm` lacks, or has otherwise than C wants it.

use core::ffi::{c_int, c_long, c_longlong};

/// Numbers to integers, as `rint` or `round` makes them whole. An integer that has no room is the
/// nearest that has, and a NaN is 0; C leaves both open.
macro_rules! integers {
    ($($name:ident: $type:ty, $rounded:path, $integer:ty;)*) => {$(
        #[no_mangle]
        extern "C" fn $name(x: $type) -> $integer {
            $rounded(x) as $integer
        }
    )*};
}

integers! {
    lrint: f64, libm::rint, c_long;
    lrintf: f32, libm::rintf, c_long;
    llrint: f64, libm::rint, c_longlong;
    llrintf: f32, libm::rintf, c_longlong;
    lround: f64, libm::round, c_long;
    lroundf: f32, libm::roundf, c_long;
    llround: f64, libm::round, c_longlong;
    llroundf: f32, libm::roundf, c_longlong;
}

/// As `rint`: they differ in an exception, and there are none.
#[no_mangle]
extern "C" fn nearbyint(x: f64) -> f64 {
    libm::rint(x)
}

#[no_mangle]
extern "C" fn nearbyintf(x: f32) -> f32 {
    libm::rintf(x)
}

/// A `long` has as many bits as an `int`.
#[no_mangle]
extern "C" fn scalbln(x: f64, power: c_long) -> f64 {
    libm::scalbn(x, power as c_int)
}

#[no_mangle]
extern "C" fn scalblnf(x: f32, power: c_long) -> f32 {
    libm::scalbnf(x, power as c_int)
}

/// The exponent of two that `ilogb` gives, as a number, and so with infinities and NaN.
#[no_mangle]
extern "C" fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_finite() {
        f64::from(libm::ilogb(x))
    } else {
        x * x
    }
}

#[no_mangle]
extern "C" fn logbf(x: f32) -> f32 {
    if x == 0.0 {
        f32::NEG_INFINITY
    } else if x.is_finite() {
        libm::ilogbf(x) as f32
    } else {
        x * x
    }
}

/// `libm` has results for some numbers below 1, of which there is none.
#[no_mangle]
extern "C" fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        f64::NAN
    } else {
        libm::acosh(x)
    }
}

#[no_mangle]
extern "C" fn acoshf(x: f32) -> f32 {
    if x < 1.0 {
        f32::NAN
    } else {
        libm::acoshf(x)
    }
}
