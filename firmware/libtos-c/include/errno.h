/* Every thread has an errno of its own. Numbers below 100 are those of tos.h. */
#ifndef _ERRNO_H
#define _ERRNO_H

int *__errno(void);
#define errno (*__errno())

#define ENOMEM 8 /* TOS_NO_MEMORY */
#define ENOENT 18 /* TOS_NO_FILE */
#define ENAMETOOLONG 19 /* TOS_BAD_NAME: longer than a file's name can be, or with bytes that it can't have */
#define EACCES 20 /* TOS_NO_PERMISSION */
#define ENOSPC 21 /* TOS_TOO_MANY_FILES: no room for one more, or for more in one */
#define EFBIG 22 /* TOS_FILE_TOO_LARGE */
#define EEXIST 23 /* TOS_FILE_EXISTS */
#define EDOM 100
#define ERANGE 101
#define EINVAL 102
#define EBADF 103
#define EMFILE 104
#define ESPIPE 105
#define EILSEQ 106

#endif
