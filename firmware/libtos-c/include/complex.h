/* Complex numbers of C: arithmetic, and a few functions. I is _Complex_I; there are no imaginary types. */
#ifndef _COMPLEX_H
#define _COMPLEX_H

#define complex _Complex
#define _Complex_I 1.0fi
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))

double creal(double complex z);
double cimag(double complex z);
double complex conj(double complex z);
double cabs(double complex z);
double carg(double complex z);
double complex cexp(double complex z);
float crealf(float complex z);
float cimagf(float complex z);
float complex conjf(float complex z);
float cabsf(float complex z);
float cargf(float complex z);
float complex cexpf(float complex z);

#endif
