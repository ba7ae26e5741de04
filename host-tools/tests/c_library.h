/* Ahead of the random calls of c_library.rs: what prints results that have to be the same everywhere. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef __riscv
#define LONG "l"
#define LONG_TYPE long
#else
#define LONG ""
#define LONG_TYPE int
#endif

static char text[4096];

static double bits(unsigned long long value)
{
    double number;
    memcpy(&number, &value, sizeof number);
    return number;
}

/* Errors' numbers differ, their names don't. */
static const char *wrong(void)
{
    return errno == 0 ? "" : errno == ERANGE ? "ERANGE" : errno == EINVAL ? "EINVAL" : "another";
}

static void number_ll(const char *from, int base)
{
    char *end = (char *)from;
    errno = 0;
    long long value = strtoll(from, &end, base);
    printf("strtoll(%s, %d): %lld %d %s, atoll %lld\n", from, base, value, (int)(end - from), wrong(), strlen(from) < 18 ? atoll(from) : 0);
}

static void number_ull(const char *from, int base)
{
    char *end = (char *)from;
    errno = 0;
    unsigned long long value = strtoull(from, &end, base);
    printf("strtoull(%s, %d): %llu %d %s\n", from, base, value, (int)(end - from), wrong());
}

/* With 32 bits everywhere: the host's long has more. */
static void number_l(const char *from, int base)
{
    char *end = (char *)from;
    errno = 0;
#ifdef __riscv
    long value = strtol(from, &end, base);
#else
    long long wide = strtoll(from, &end, base);
    int value = wide > INT_MAX ? INT_MAX : wide < INT_MIN ? INT_MIN : (int)wide;
    if (value != wide)
        errno = ERANGE;
#endif
    printf("strtol(%s, %d): %d %d %s\n", from, base, (int)value, (int)(end - from), wrong());
}

static void number_ul(const char *from, int base)
{
    char *end = (char *)from;
    errno = 0;
#ifdef __riscv
    unsigned long value = strtoul(from, &end, base);
#else
    unsigned long long wide = strtoull(from, &end, base);
    /* Of a negative number the host has made 2^64 less it. */
    int negative = from[strspn(from, " \t")] == '-' && errno == 0;
    unsigned long long size = negative ? -wide : wide;
    unsigned value = size > UINT_MAX ? UINT_MAX : negative ? -(unsigned)size : (unsigned)size;
    if (size > UINT_MAX)
        errno = ERANGE;
#endif
    printf("strtoul(%s, %d): %u %d %s\n", from, base, (unsigned)value, (int)(end - from), wrong());
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static int place(const char *found, const char *from)
{
    return found ? (int)(found - from) : -1;
}

static void strings(const char *one, const char *other, int number)
{
    char copy[40], *rest, *word;
    printf("strings(%s, %s, %d):", one, other, number);
    printf(" %d %d %d", sign(strcmp(one, other)), sign(strncmp(one, other, number)), place(strstr(one, other), one));
    printf(" %d %d %d", (int)strspn(one, other), (int)strcspn(one, other), place(strpbrk(one, other), one));
    printf(" %d %d %d", place(strchr(one, 'b'), one), place(strrchr(one, 'a'), one), place(memchr(one, 'c', strlen(one)), one));
    memset(copy, '#', sizeof copy - 1);
    copy[sizeof copy - 1] = 0;
    strncpy(copy, one, number);
    for (int at = 0; at < 14; at++)
        putchar(copy[at] ? copy[at] : '0');
    printf(" %s", strncat(strcpy(copy, other), one, number));
    strcpy(copy, one);
    for (word = strtok_r(copy, other, &rest); word; word = strtok_r(NULL, other, &rest))
        printf(" <%s>", word);
    word = strdup(one);
    rest = strndup(one, number);
    printf(" %s %s %d", word, rest, word != one);
    printf(" %d %d %d", sign(strcoll(one, other)), sign(strcasecmp(one, other)), sign(strncasecmp(one, other, number)));
    printf(" %d %d %s", (int)strnlen(one, number), (int)(stpcpy(copy, one) - copy), one);
    printf(" %d", (int)strxfrm(copy, other, sizeof copy));
    printf(" %s %d\n", copy, ffs(number));
    free(word);
    free(rest);
}

static int width;

static int compare(const void *one, const void *other)
{
    return memcmp(one, other, width);
}

static void sorted(unsigned seed, int count, int bytes)
{
    static unsigned char array[64 * 40], copy[64 * 40];
    unsigned hash = 0;
    int found = 0;
    for (int at = 0; at < count * bytes; at++) {
        seed = seed * 1664525 + 1013904223;
        array[at] = seed >> 30;
    }
    memcpy(copy, array, sizeof copy);
    width = bytes;
    qsort(array, count, bytes, compare);
    for (int at = 0; at < count * bytes; at++)
        hash = hash * 31 + array[at];
    for (int at = 0; at < count; at++) {
        unsigned char *place = bsearch(copy + at * bytes, array, count, bytes, compare);
        found += place && (place - array) % bytes == 0 && memcmp(place, copy + at * bytes, bytes) == 0;
    }
    memset(copy, 9, bytes);
    printf("sorted: %x, %d of %d found, %d\n", hash, found, count, bsearch(copy, array, count, bytes, compare) == NULL);
}

static void divided(int value, int by, long long wide, long long wide_by)
{
    if (value == INT_MIN && by == -1)
        by = 1;
    if (wide == LLONG_MIN && wide_by == -1)
        wide_by = 1;
    div_t quotient = div(value, by);
    lldiv_t wider = lldiv(wide, wide_by);
    printf("div: %d %d, %lld %lld, %d %lld\n", quotient.quot, quotient.rem, wider.quot, wider.rem, value == INT_MIN ? 0 : abs(value),
           wide == LLONG_MIN ? 0 : llabs(wide));
}

static void characters(void)
{
    int (*const classes[])(int) = {isalnum, isalpha, isblank, iscntrl, isdigit, isgraph, islower, isprint, ispunct, isspace, isupper, isxdigit};
    for (int character = -1; character < 256; character++) {
        printf("%d:", character);
        for (unsigned at = 0; at < sizeof classes / sizeof *classes; at++)
            printf(" %d", classes[at](character) != 0);
        printf(" %d %d\n", tolower(character), toupper(character));
    }
}

