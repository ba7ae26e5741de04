/* A little of POSIX. */
#ifndef _UNISTD_H
#define _UNISTD_H

#include <sys/types.h>

int unlink(const char *name);
/* Both let other threads run; nothing wakes a thread early. */
unsigned sleep(unsigned seconds);
int usleep(useconds_t microseconds);
/* Ends this thread with nothing done before: what is in buffers is not written. */
void _exit(int code) __attribute__((__noreturn__));

extern char *optarg;
extern int optind, opterr, optopt;
/* Options come ahead of other arguments. */
int getopt(int argc, char *const argv[], const char *options);

#endif
