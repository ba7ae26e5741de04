/* The clock runs from reset: the machine doesn't know the date, nor where it is. */
#ifndef _SYS_TIME_H
#define _SYS_TIME_H

#include <sys/types.h>

struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};

int gettimeofday(struct timeval *place, void *zone);

#endif
