//! `complex.h`, as far as it goes. A complex number is passed as a structure of its two parts
//! would be. Products and quotients are in [`crate::builtins`].

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Complex<T> {
    pub real: T,
    pub imaginary: T,
}

pub type DoubleComplex = Complex<f64>;
pub type FloatComplex = Complex<f32>;

/// The functions, of doubles and of floats.
macro_rules! complex {
    ($type:ty, $complex:ty: $creal:ident $cimag:ident $conj:ident $cabs:ident $carg:ident $cexp:ident
        by $hypot:path, $atan2:path, $exp:path, $sincos:path, $most:literal) => {
        #[no_mangle]
        extern "C" fn $creal(z: $complex) -> $type {
            z.real
        }

        #[no_mangle]
        extern "C" fn $cimag(z: $complex) -> $type {
            z.imaginary
        }

        #[no_mangle]
        extern "C" fn $conj(z: $complex) -> $complex {
            Complex { imaginary: -z.imaginary, ..z }
        }

        #[no_mangle]
        extern "C" fn $cabs(z: $complex) -> $type {
            $hypot(z.real, z.imaginary)
        }

        #[no_mangle]
        extern "C" fn $carg(z: $complex) -> $type {
            $atan2(z.imaginary, z.real)
        }

        #[no_mangle]
        extern "C" fn $cexp(z: $complex) -> $complex {
            // Products with the zeros, infinities and NaNs of sine and cosine are not what C wants.
            if z.imaginary == 0.0 {
                return Complex { real: $exp(z.real), ..z };
            }
            if !z.imaginary.is_finite() {
                let part = match z.real {
                    <$type>::NEG_INFINITY => 0.0,
                    _ => <$type>::NAN,
                };
                let real = if z.real == <$type>::INFINITY { z.real } else { part };
                return Complex { real, imaginary: part };
            }
            let (sine, cosine) = $sincos(z.imaginary);
            // Where the exponential has no room, its product with a small sine or cosine may have:
            // so a part of the exponent is multiplied in afterwards.
            let beyond = if z.real.is_finite() { (z.real - $most).clamp(0.0, $most) } else { 0.0 };
            let (first, second) = ($exp(z.real - beyond), $exp(beyond));
            Complex { real: cosine * first * second, imaginary: sine * first * second }
        }
    };
}

complex!(f64, DoubleComplex: creal cimag conj cabs carg cexp
    by libm::hypot, libm::atan2, libm::exp, libm::sincos, 709.0);
complex!(f32, FloatComplex: crealf cimagf conjf cabsf cargf cexpf
    by libm::hypotf, libm::atan2f, libm::expf, libm::sincosf, 88.0);
