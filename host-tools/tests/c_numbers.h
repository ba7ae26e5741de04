/* Ahead of the data of c_numbers.rs: what prints results that have to be the same everywhere, or near where the line begins with that. */
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double of(unsigned long long bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float float_of(unsigned bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* As bits. Which NaN it is is left open. */
static const char *d(double x)
{
    static char texts[8][20];
    static int next;
    char *text = texts[next++ % 8];
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    sprintf(text, isnan(x) ? "nan" : "%016llx", bits);
    return text;
}

static const char *f(float x)
{
    static char texts[8][20];
    static int next;
    char *text = texts[next++ % 8];
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    sprintf(text, isnan(x) ? "nan" : "%08x", bits);
    return text;
}

/* Where it is near a zero that is no round number, its relative error has no bound in most libraries. */
static double lgamma_positive(double x)
{
    return lgamma(fabs(x));
}

static float lgamma_positivef(float x)
{
    return lgammaf(fabsf(x));
}

/* Which zero is the smaller one is left open. */
static double least(double x, double y)
{
    return x == y ? x : fmin(x, y);
}

static float leastf(float x, float y)
{
    return x == y ? x : fminf(x, y);
}

static double most(double x, double y)
{
    return x == y ? x : fmax(x, y);
}

static float mostf(float x, float y)
{
    return x == y ? x : fmaxf(x, y);
}

#define BOTH(name) {#name, name, name##f}

static const struct {
    const char *name;
    double (*of_double)(double);
    float (*of_float)(float);
} ONES[] = {BOTH(sin), BOTH(cos), BOTH(tan), BOTH(asin), BOTH(acos), BOTH(atan), BOTH(sinh), BOTH(cosh), BOTH(tanh), BOTH(asinh), BOTH(acosh),
            BOTH(atanh), BOTH(exp), BOTH(exp2), BOTH(expm1), BOTH(log), BOTH(log2), BOTH(log10), BOTH(log1p), BOTH(sqrt), BOTH(cbrt),
            BOTH(fabs), BOTH(floor), BOTH(ceil), BOTH(round), BOTH(trunc), BOTH(rint), BOTH(nearbyint), BOTH(logb), BOTH(erf), BOTH(erfc),
            BOTH(tgamma), BOTH(lgamma_positive)};

static const struct {
    const char *name;
    double (*of_doubles)(double, double);
    float (*of_floats)(float, float);
} TWOS[] = {BOTH(atan2), BOTH(pow), BOTH(hypot), BOTH(fmod), BOTH(remainder), BOTH(least), BOTH(most), BOTH(fdim), BOTH(copysign), BOTH(nextafter)};

static void math(const unsigned long long *doubles, const unsigned *floats, int count)
{
    for (unsigned at = 0; at < sizeof ONES / sizeof *ONES; at++)
        for (int i = 0; i < count; i++) {
            double x = of(doubles[i]);
            float y = float_of(floats[i]);
            printf("near %s %s = %s\n", ONES[at].name, d(x), d(ONES[at].of_double(x)));
            printf("near %sf %s = %s\n", ONES[at].name, f(y), f(ONES[at].of_float(y)));
        }
    for (unsigned at = 0; at < sizeof TWOS / sizeof *TWOS; at++)
        for (int i = 0; i < count; i++) {
            double x = of(doubles[i]), y = of(doubles[(i * 7 + at) % count]);
            float a = float_of(floats[i]), b = float_of(floats[(i * 7 + at) % count]);
            printf("near %s %s %s = %s\n", TWOS[at].name, d(x), d(y), d(TWOS[at].of_doubles(x, y)));
            printf("near %sf %s %s = %s\n", TWOS[at].name, f(a), f(b), f(TWOS[at].of_floats(a, b)));
        }
}

/* What classes and other functions of math.h make of a number. */
static void classes(double x, double y, double z, int power)
{
    int exponent = 0, quotient = 0;
    double whole = 0, rest;
    printf("near fma %s %s %s = %s\n", d(x), d(y), d(z), d(fma(x, y, z)));
    printf("near ldexp %s %d = %s\n", d(x), power, d(ldexp(x, power)));
    printf("near scalbn %s %d = %s\n", d(x), power, d(scalbn(x, power)));
    printf("near scalbln %s %d = %s\n", d(x), power, d(scalbln(x, power)));
    rest = frexp(x, &exponent);
    printf("near frexp %s %d = %s\n", d(x), isfinite(x) ? exponent : 0, d(rest));
    rest = modf(x, &whole);
    printf("near modf %s %s = %s\n", d(x), d(whole), d(rest));
    rest = remquo(x, y, &quotient);
    /* Three bits of the quotient and its sign are what C promises. */
    printf("near remquo %s %s %d = %s\n", d(x), d(y), isfinite(x) && y != 0 && !isnan(y) ? quotient % 8 : 0, d(rest));
    printf("ilogb %s: %d %d\n", d(x), ilogb(x) == FP_ILOGB0, x != 0 && !isnan(x) ? ilogb(x) : 0);
    printf("classes %s: %d %d %d %d %d %d %d %d %d %d\n", d(x), fpclassify(x) == FP_NAN, fpclassify(x) == FP_INFINITE, fpclassify(x) == FP_ZERO,
           fpclassify(x) == FP_SUBNORMAL, fpclassify(x) == FP_NORMAL, !!isfinite(x), isnan(x) ? 0 : isinf(x), !!isnan(x), !!isnormal(x),
           isnan(x) ? 0 : !!signbit(x));
    printf("order %s %s: %d %d %d %d %d %d\n", d(x), d(y), isgreater(x, y), isgreaterequal(x, y), isless(x, y), islessequal(x, y),
           islessgreater(x, y), isunordered(x, y));
}

static void classes_of_floats(float x, float y, float z, int power)
{
    int exponent = 0, quotient = 0;
    float whole = 0, rest;
    printf("near fmaf %s %s %s = %s\n", f(x), f(y), f(z), f(fmaf(x, y, z)));
    printf("near ldexpf %s %d = %s\n", f(x), power, f(ldexpf(x, power)));
    printf("near scalbnf %s %d = %s\n", f(x), power, f(scalbnf(x, power)));
    printf("near scalblnf %s %d = %s\n", f(x), power, f(scalblnf(x, power)));
    rest = frexpf(x, &exponent);
    printf("near frexpf %s %d = %s\n", f(x), isfinite(x) ? exponent : 0, f(rest));
    rest = modff(x, &whole);
    printf("near modff %s %s = %s\n", f(x), f(whole), f(rest));
    rest = remquof(x, y, &quotient);
    printf("near remquof %s %s %d = %s\n", f(x), f(y), isfinite(x) && y != 0 && !isnan(y) ? quotient % 8 : 0, f(rest));
    printf("ilogbf %s: %d %d\n", f(x), ilogbf(x) == FP_ILOGB0, x != 0 && !isnan(x) ? ilogbf(x) : 0);
    printf("classes %s: %d %d %d %d %d\n", f(x), !!isfinite(x), isnan(x) ? 0 : isinf(x), !!isnan(x), !!isnormal(x), isnan(x) ? 0 : !!signbit(x));
}

/* Numbers of one type as those of another, and their arithmetic. What has no room is left open. */
static void conversions(double x, float y, long long n)
{
    printf("of %lld: %s %s %s %s %s %s\n", n, d(n), f(n), d((unsigned long long)n), f((unsigned long long)n), d((int)n), f((unsigned)n));
    if (fabs(x) < 2147483000)
        printf("int %s: %d %d %d\n", d(x), (int)x, (int)lrint(x), (int)lround(x));
    if (x > -1 && x < 4294967295.0)
        printf("unsigned %s: %u\n", d(x), (unsigned)x);
    if (fabs(x) < 9e18)
        printf("long long %s: %lld %lld %lld\n", d(x), (long long)x, (long long)llrint(x), (long long)llround(x));
    if (x > -1 && x < 1.8e19)
        printf("unsigned long long %s: %llu\n", d(x), (unsigned long long)x);
    if (fabsf(y) < 2147483000)
        printf("int %s: %d %d %d\n", f(y), (int)y, (int)lrintf(y), (int)lroundf(y));
    if (fabsf(y) < 9e18f)
        printf("long long %s: %lld %lld %lld\n", f(y), (long long)y, (long long)llrintf(y), (long long)llroundf(y));
    if (y > -1 && y < 1.8e19f)
        printf("unsigned long long %s: %llu\n", f(y), (unsigned long long)y);
    printf("arithmetic %s %s: %s %s %s %s %s %s %s\n", d(x), f(y), d(x + y), d(x - y), d(x * y), d(x / y), f(x), f(y * y), f(y / 3));
    /* Long doubles are others on the host, and those with few bits are the same everywhere. */
    long double wide = (int)n;
    wide = (wide * wide - (long double)3) / 2 + (long double)(unsigned)n;
    printf("long double %lld: %lld %llu %s %d %d\n", n, (long long)wide, (unsigned long long)(wide < 0 ? -wide : wide), d(wide), wide < 7, wide == wide);
}

static void bits(unsigned a, unsigned long long b)
{
    printf("bits %x %llx: %d %d %d %d %d %d %d %d %x %llx\n", a, b, __builtin_popcount(a), __builtin_popcountll(b), __builtin_parity(a),
           __builtin_parityll(b), __builtin_ffs(a), __builtin_ffsll(b), __builtin_clrsb(a), __builtin_clrsbll(b), __builtin_bswap32(a),
           (unsigned long long)__builtin_bswap64(b));
    if (a && b)
        printf("zeros: %d %d %d %d\n", __builtin_clz(a), __builtin_clzll(b), __builtin_ctz(a), __builtin_ctzll(b));
}

static void complexes(double a, double b, double c, double e)
{
    /* Not a + b * I: infinities would not stay as they are. */
    double complex x = CMPLX(a, b), y = CMPLX(c, e);
    double complex product = x * y, quotient = x / y, power = cexp(x);
    printf("product %s %s %s %s: %s %s\n", d(a), d(b), d(c), d(e), d(creal(product)), d(cimag(product)));
    printf("vector quotient %s %s %s %s = %s %s\n", d(a), d(b), d(c), d(e), d(creal(quotient)), d(cimag(quotient)));
    if (a < 700)
        printf("vector cexp %s %s = %s %s\n", d(a), d(b), d(creal(power)), d(cimag(power)));
    printf("near cabs %s %s = %s\n", d(a), d(b), d(cabs(x)));
    printf("near carg %s %s = %s\n", d(a), d(b), d(carg(x)));
    printf("conj: %s %s\n", d(creal(conj(x))), d(cimag(conj(x))));
    float complex small = CMPLXF(a, b), other = CMPLXF(c, e);
    float complex small_product = small * other;
    float complex small_quotient = small / other;
    printf("product of floats %s %s %s %s: %s %s\n", d(a), d(b), d(c), d(e), f(crealf(small_product)), f(cimagf(small_product)));
    printf("vectorf quotient %s %s %s %s = %s %s\n", d(a), d(b), d(c), d(e), f(crealf(small_quotient)), f(cimagf(small_quotient)));
}

static void generators(long seed)
{
    unsigned short own[3] = {seed, seed >> 3, seed >> 16}, other[7] = {1, seed, 2, 0xe66d, 0xdeec, 5, seed >> 5};
    printf("generators %d:", (int)seed);
    srand48(seed);
    for (int i = 0; i < 5; i++) {
        printf(" %s", d(drand48()));
        printf(" %d", (int)lrand48());
        printf(" %d", (int)mrand48());
    }
    for (int i = 0; i < 3; i++) {
        printf(" %s", d(erand48(own)));
        printf(" %d", (int)nrand48(own));
        printf(" %d", (int)jrand48(own));
    }
    unsigned short *before = seed48(own);
    printf(" %x %x %x", before[0], before[1], before[2]);
    printf(" %d", (int)lrand48());
    lcong48(other);
    printf(" %s", d(drand48()));
    printf(" %d\n", (int)nrand48(own));
}

static jmp_buf place;
/* Always, which the compiler doesn't know. */
static volatile bool place_is_set = true;

static int deep(int left, int value)
{
    /* Many locals, so that registers of the caller are needed. */
    int a = left * 3, b = left ^ value, c = left + value, e = a - b;
    if (left == 0 && place_is_set)
        longjmp(place, value);
    return left < 0 ? 0 : deep(left - 1, value) + a * b + c * e;
}

static void jumps(int left, int value)
{
    volatile int times = 0;
    int kept = left * 1000 + value, result = setjmp(place);
    times++;
    printf("jump %d %d: %d %d %d\n", left, value, result, times, kept);
    if (times == 1)
        deep(left, value);
}
