/* The clock runs from reset: the machine doesn't know the date. */
#ifndef _TIME_H
#define _TIME_H

#include <stddef.h>

typedef long time_t;
typedef unsigned int clock_t;
#define CLOCKS_PER_SEC 1000

/* Seconds. */
time_t time(time_t *place);
/* Milliseconds, of all the machine, not of this program. */
clock_t clock(void);

#endif
