/* Integers, memory, sorting, random numbers, the end of a thread, the environment. */
#ifndef _STDLIB_H
#define _STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

int atoi(const char *text);
long atol(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long atoll(const char *text);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);

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

/* The heap has 64 KiB, or what the linker is told by --defsym=tos_heap_bytes=N. All threads of the process share it. */
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);

/* Ends this thread; a parent's end waits for its children. HALT and STOP (tos.h) are reserved. */
void exit(int code) __attribute__((noreturn));
/* Ends the program: exit(HALT). */
void abort(void) __attribute__((noreturn));
/* From the file `environment`, lines of NAME=value. */
char *getenv(const char *name);

#endif
