/* Files by number: unistd.h has the rest. */
#ifndef _FCNTL_H
#define _FCNTL_H

#include <sys/types.h>

/* 0 means O_RDONLY too. */
#define O_RDONLY 1
#define O_WRONLY 2
#define O_RDWR 3
#define O_ACCMODE 3
#define O_CREAT 4
#define O_TRUNC 8
#define O_APPEND 0x100
#define O_EXCL 0x200

/* At most FOPEN_MAX at a time, with those of fopen. A mode that is given behind the flags is not looked at: who makes a file may read and write it. */
int open(const char *name, int flags, ...);
int creat(const char *name, mode_t mode);

#endif
