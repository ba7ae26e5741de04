/* The clock runs from reset: the machine doesn't know the date. So there is no calendar either. */
#ifndef _TIME_H
#define _TIME_H

#include <stddef.h>
#include <sys/types.h>

#define CLOCKS_PER_SEC 1000

struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

/* Seconds. */
time_t time(time_t *place);
double difftime(time_t end, time_t start);
/* Milliseconds, of all the machine, not of this program. */
clock_t clock(void);

/* Both are the time since reset, in microseconds, for 49 days. */
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
int clock_gettime(clockid_t clock, struct timespec *place);
int clock_getres(clockid_t clock, struct timespec *place);
#define TIME_UTC 1
int timespec_get(struct timespec *place, int base);
int nanosleep(const struct timespec *wanted, struct timespec *left);

#endif
