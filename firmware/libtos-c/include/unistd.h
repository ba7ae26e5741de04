/* A little of POSIX. */
#ifndef _UNISTD_H
#define _UNISTD_H

#include <stddef.h>
#include <sys/types.h>

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4

/* Files by number; fcntl.h has open. A number and a FILE that belong to each other (fileno, fdopen) are one stream. read gives of the console what is
   there of a line; write leaves nothing in a buffer. */
ssize_t read(int descriptor, void *buffer, size_t bytes);
ssize_t write(int descriptor, const void *buffer, size_t bytes);
off_t lseek(int descriptor, off_t offset, int whence);
int close(int descriptor);
int fsync(int descriptor);
/* 1 for the console. */
int isatty(int descriptor);
int unlink(const char *name);
int access(const char *name, int mode);
/* The process's id, which no other process of the machine has. */
pid_t getpid(void);
/* "/", the only folder. */
char *getcwd(char *buffer, size_t bytes);
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
