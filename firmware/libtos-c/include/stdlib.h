/* Numbers, memory, sorting, random numbers, the end of a thread, the environment. */
#ifndef _STDLIB_H
#define _STDLIB_H

#include <stddef.h>
#ifndef __STRICT_ANSI__
#include <sys/types.h>
#endif

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

int atoi(const char *text);
long atol(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long atoll(const char *text);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
/* Rounded correctly; strtold to a double. errno is ERANGE if the result is too large, or below the smallest that has all its bits. */
double atof(const char *text);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
long double strtold(const char *text, char **end);

typedef struct {
    int quot, rem;
} div_t;
typedef struct {
    long quot, rem;
} ldiv_t;
typedef struct {
    long long quot, rem;
} lldiv_t;
int abs(int value);
long labs(long value);
long long llabs(long long value);
div_t div(int value, int by);
ldiv_t ldiv(long value, long by);
lldiv_t lldiv(long long value, long long by);

/* In place, with little stack; equal elements come in any order. */
void qsort(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *));

/* One sequence for all threads of the process; rand_r has the state where the caller wants it. */
#define RAND_MAX 0x7fffffff
int rand(void);
void srand(unsigned seed);
int rand_r(unsigned *seed);
/* As rand. */
long random(void);
void srandom(unsigned seed);
/* The sequences of POSIX: drand48, lrand48 and mrand48 draw from one for all threads, the others from the caller's. */
double drand48(void);
double erand48(unsigned short state[3]);
long lrand48(void);
long nrand48(unsigned short state[3]);
long mrand48(void);
long jrand48(unsigned short state[3]);
void srand48(long seed);
unsigned short *seed48(unsigned short state[3]);
void lcong48(unsigned short parameters[7]);

/* The heap has 64 KiB, or what the linker is told by --defsym=tos_heap_bytes=N. All threads of the process share it. */
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);
/* Blocks that begin at a multiple of a power of two. free takes them; realloc may move them elsewhere. */
void *aligned_alloc(size_t alignment, size_t bytes);
int posix_memalign(void **place, size_t alignment, size_t bytes);

/* Ends this thread; a parent's end waits for its children. HALT and STOP (tos.h) are reserved. */
void exit(int code) __attribute__((__noreturn__));
/* The same with nothing done before: what is in buffers is not written. */
void _Exit(int code) __attribute__((__noreturn__));
/* What is called, the last one first, when the program ends: by the end of its first thread, once it has waited for its children, or by
   exit(HALT) in any; not by abort, nor by a fault. At most 32. */
int atexit(void (*function)(void));
/* Ends the program: exit(HALT). */
void abort(void) __attribute__((__noreturn__));
/* From the file `environment`, lines of NAME=value. */
char *getenv(const char *name);

#endif
