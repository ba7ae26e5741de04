/* Functions of doubles and of floats; none of long doubles, whose arithmetic there is, and the macros below. They are those of the Rust
   library libm. Errors are seen by results only, HUGE_VAL, infinities and NaN: neither errno is set nor are there exceptions. */
#ifndef _MATH_H
#define _MATH_H

typedef float float_t;
typedef double double_t;

#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL __builtin_huge_vall()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 0

#define FP_ILOGB0 (-0x7fffffff - 1)
#define FP_ILOGBNAN (-0x7fffffff - 1)

#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isnan(x) __builtin_isnan(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) (__builtin_signbit(x) != 0)

#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double asinh(double x);
double acosh(double x);
double atanh(double x);
double exp(double x);
double exp2(double x);
double expm1(double x);
double log(double x);
double log2(double x);
double log10(double x);
double log1p(double x);
double pow(double x, double y);
double sqrt(double x);
double cbrt(double x);
double hypot(double x, double y);
double fabs(double x);
double floor(double x);
double ceil(double x);
double round(double x);
double trunc(double x);
/* To the nearest, halves to even: there is no other direction of rounding. */
double rint(double x);
double nearbyint(double x);
long lrint(double x);
long long llrint(double x);
long lround(double x);
long long llround(double x);
double fmod(double x, double y);
double remainder(double x, double y);
double remquo(double x, double y, int *quotient);
double fmin(double x, double y);
double fmax(double x, double y);
double fdim(double x, double y);
double fma(double x, double y, double z);
double ldexp(double x, int power);
double scalbn(double x, int power);
double scalbln(double x, long power);
double frexp(double x, int *power);
double modf(double x, double *whole);
double logb(double x);
int ilogb(double x);
double copysign(double x, double sign);
/* The text is not looked at: there is one NaN. */
double nan(const char *text);
double nextafter(double x, double towards);
double erf(double x);
double erfc(double x);
double tgamma(double x);
double lgamma(double x);
/* The sign of the gamma function apart; there is no signgam. */
double lgamma_r(double x, int *sign);

/* The same of floats. */
float sinf(float x);
float cosf(float x);
float tanf(float x);
float asinf(float x);
float acosf(float x);
float atanf(float x);
float atan2f(float y, float x);
float sinhf(float x);
float coshf(float x);
float tanhf(float x);
float asinhf(float x);
float acoshf(float x);
float atanhf(float x);
float expf(float x);
float exp2f(float x);
float expm1f(float x);
float logf(float x);
float log2f(float x);
float log10f(float x);
float log1pf(float x);
float powf(float x, float y);
float sqrtf(float x);
float cbrtf(float x);
float hypotf(float x, float y);
float fabsf(float x);
float floorf(float x);
float ceilf(float x);
float roundf(float x);
float truncf(float x);
float rintf(float x);
float nearbyintf(float x);
long lrintf(float x);
long long llrintf(float x);
long lroundf(float x);
long long llroundf(float x);
float fmodf(float x, float y);
float remainderf(float x, float y);
float remquof(float x, float y, int *quotient);
float fminf(float x, float y);
float fmaxf(float x, float y);
float fdimf(float x, float y);
float fmaf(float x, float y, float z);
float ldexpf(float x, int power);
float scalbnf(float x, int power);
float scalblnf(float x, long power);
float frexpf(float x, int *power);
float modff(float x, float *whole);
float logbf(float x);
int ilogbf(float x);
float copysignf(float x, float sign);
float nanf(const char *text);
float nextafterf(float x, float towards);
float erff(float x);
float erfcf(float x);
float tgammaf(float x);
float lgammaf(float x);
float lgammaf_r(float x, int *sign);

#endif
