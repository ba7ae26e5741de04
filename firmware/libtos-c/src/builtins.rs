//! Functions that GCC calls and Rust's compiler library either lacks or has only in objects whose
//! attributes make the linker of GCC 12 fail: products and quotients of complex numbers, bits, and
//! the arithmetic of `-ftrapv`.

use core::ffi::{c_int, c_longlong, c_uint, c_ulonglong};

use crate::complex::{Complex, DoubleComplex, FloatComplex};
use crate::end::abort;

/// Product and quotient of numbers with parts of a type, by C's annex G: infinities stay what they
/// are, however the other number's parts make NaNs.
macro_rules! complex {
    ($type:ty, $complex:ty: $product:ident $quotient:ident by $exponent:path, $scale:path) => {
        #[no_mangle]
        extern "C" fn $product(a: $type, b: $type, c: $type, d: $type) -> $complex {
            let (real, imaginary) = (a * c - b * d, a * d + b * c);
            if !real.is_nan() || !imaginary.is_nan() {
                return Complex { real, imaginary };
            }
            let boxed = |x: $type| if x.is_infinite() { 1.0 } else { 0.0 as $type }.copysign(x);
            let without_nan = |x: $type| if x.is_nan() { (0.0 as $type).copysign(x) } else { x };
            let has_infinity = |x: $type, y: $type| x.is_infinite() || y.is_infinite();
            let (mut a, mut b, mut c, mut d) = (a, b, c, d);
            let mut is_infinite = false;
            let overflows = [a * c, b * d, a * d, b * c].iter().any(|part| part.is_infinite());
            if has_infinity(a, b) {
                (a, b, c, d) = (boxed(a), boxed(b), without_nan(c), without_nan(d));
                is_infinite = true;
            }
            if has_infinity(c, d) {
                (a, b, c, d) = (without_nan(a), without_nan(b), boxed(c), boxed(d));
                is_infinite = true;
            }
            if !is_infinite && overflows {
                [a, b, c, d] = [a, b, c, d].map(without_nan);
                is_infinite = true;
            }
            if !is_infinite {
                return Complex { real, imaginary };
            }
            Complex { real: <$type>::INFINITY * (a * c - b * d), imaginary: <$type>::INFINITY * (a * d + b * c) }
        }

        #[no_mangle]
        extern "C" fn $quotient(a: $type, b: $type, c: $type, d: $type) -> $complex {
            let largest = c.abs().max(d.abs());
            // Squares of the divisor's parts have to have room.
            let power = if largest == 0.0 || !largest.is_finite() { 0 } else { -$exponent(largest) };
            let (e, f) = ($scale(c, power), $scale(d, power));
            let size = e * e + f * f;
            let part = |sum: $type| $scale(sum / size, power);
            let (real, imaginary) = (part(a * e + b * f), part(b * e - a * f));
            if !real.is_nan() || !imaginary.is_nan() {
                return Complex { real, imaginary };
            }
            let boxed = |x: $type| if x.is_infinite() { 1.0 } else { 0.0 as $type }.copysign(x);
            if size == 0.0 && (!a.is_nan() || !b.is_nan()) {
                let infinity = <$type>::INFINITY.copysign(c);
                return Complex { real: infinity * a, imaginary: infinity * b };
            }
            let is_finite = |x: $type, y: $type| x.is_finite() && y.is_finite();
            if (a.is_infinite() || b.is_infinite()) && is_finite(c, d) {
                let (a, b) = (boxed(a), boxed(b));
                return Complex {
                    real: <$type>::INFINITY * (a * c + b * d),
                    imaginary: <$type>::INFINITY * (b * c - a * d),
                };
            }
            if largest.is_infinite() && is_finite(a, b) {
                let (c, d) = (boxed(c), boxed(d));
                return Complex { real: 0.0 * (a * c + b * d), imaginary: 0.0 * (b * c - a * d) };
            }
            Complex { real, imaginary }
        }
    };
}

complex!(f64, DoubleComplex: __muldc3 __divdc3 by libm::ilogb, libm::scalbn);
complex!(f32, FloatComplex: __mulsc3 __divsc3 by libm::ilogbf, libm::scalbnf);

/// Functions of one integer.
macro_rules! bits {
    ($($name:ident($value:ident: $type:ty) -> $result:ty { $expression:expr })*) => {$(
        #[no_mangle]
        extern "C" fn $name($value: $type) -> $result {
            let result = $expression;
            result as $result
        }
    )*};
}

bits! {
    __popcountsi2(value: c_uint) -> c_int { value.count_ones() }
    __popcountdi2(value: c_ulonglong) -> c_int { value.count_ones() }
    __paritysi2(value: c_uint) -> c_int { value.count_ones() % 2 }
    __paritydi2(value: c_ulonglong) -> c_int { value.count_ones() % 2 }
    __ffssi2(value: c_int) -> c_int { if value == 0 { 0 } else { value.trailing_zeros() + 1 } }
    __ffsdi2(value: c_longlong) -> c_int { if value == 0 { 0 } else { value.trailing_zeros() + 1 } }
    // Bits behind the sign that are equal to it.
    __clrsbsi2(value: c_int) -> c_int { (value ^ value >> 31).leading_zeros() - 1 }
    __clrsbdi2(value: c_longlong) -> c_int { (value ^ value >> 63).leading_zeros() - 1 }
    __bswapsi2(value: c_uint) -> c_uint { value.swap_bytes() }
}

/// Arithmetic that ends the program where the result has no room.
macro_rules! trapping {
    ($($name:ident($($argument:ident),*): $type:ty { $checked:expr })*) => {$(
        #[no_mangle]
        extern "C" fn $name($($argument: $type),*) -> $type {
            $checked.unwrap_or_else(|| abort())
        }
    )*};
}

trapping! {
    __addvsi3(a, b): c_int { a.checked_add(b) }
    __addvdi3(a, b): c_longlong { a.checked_add(b) }
    __subvsi3(a, b): c_int { a.checked_sub(b) }
    __subvdi3(a, b): c_longlong { a.checked_sub(b) }
    __mulvsi3(a, b): c_int { a.checked_mul(b) }
    __mulvdi3(a, b): c_longlong { a.checked_mul(b) }
    __negvsi2(a): c_int { a.checked_neg() }
    __negvdi2(a): c_longlong { a.checked_neg() }
    __absvsi2(a): c_int { a.checked_abs() }
    __absvdi2(a): c_longlong { a.checked_abs() }
}
