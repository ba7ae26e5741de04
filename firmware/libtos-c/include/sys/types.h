#ifndef _SYS_TYPES_H
#define _SYS_TYPES_H

#include <stddef.h>

typedef int ssize_t;
typedef long off_t;
typedef int pid_t;
typedef unsigned mode_t;
typedef unsigned dev_t;
typedef unsigned ino_t;
typedef unsigned nlink_t;
typedef unsigned uid_t;
typedef unsigned gid_t;
typedef long blksize_t;
typedef long blkcnt_t;
typedef long time_t;
typedef long suseconds_t;
typedef unsigned useconds_t;
typedef unsigned int clock_t;
typedef int clockid_t;

/* Short names, as other systems have them. */
#ifndef __STRICT_ANSI__
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
#endif

#endif
