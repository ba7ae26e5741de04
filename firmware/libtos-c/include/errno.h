/* Every thread has an errno of its own. Numbers below 100 are those of tos.h. */
#ifndef _ERRNO_H
#define _ERRNO_H

int *__errno(void);
#define errno (*__errno())

#define ENOMEM 8 /* TOS_NO_MEMORY */
#define ENOENT 18 /* TOS_NO_FILE */
#define EACCES 20 /* TOS_NO_PERMISSION */
#define EEXIST 23 /* TOS_FILE_EXISTS */
#define EDOM 100
#define ERANGE 101
#define EINVAL 102

#endif
