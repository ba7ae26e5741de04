/* Files of the filestore, and the console, which is standard output and standard input. */
#ifndef _STDIO_H
#define _STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)
/* So many files beside stdin, stdout and stderr. */
#define FOPEN_MAX 8
/* With the NUL. */
#define FILENAME_MAX 25
#define BUFSIZ 256
#define L_tmpnam 25
#define TMP_MAX 10000
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

typedef struct FILE FILE;
/* The console of the processor on which the thread is; written line by line. */
extern FILE *const stdout;
extern FILE *const stderr;
/* What the console is given, line by line; every thread that reads gets what comes next. It is waited for with stdout written out. */
FILE *__stdin(void);
#define stdin (__stdin())

/* A file is open on the processor on which it was opened. A thread elsewhere that uses it gets errno TOS_NOT_HERE where bytes have to be read or written,
   and what it has written stays in the buffer until a thread there writes more, flushes or closes it. fflush(NULL) and the end of a thread write
   what belongs to the console and to files here. What can't be written stays in the buffer too. */
FILE *fopen(const char *name, const char *mode);
/* Without a name: the same file. */
FILE *freopen(const char *name, const char *mode, FILE *file);
/* Goes when it is closed, or when the program ends on this processor. */
FILE *tmpfile(void);
char *tmpnam(char *name);
int fclose(FILE *file);
int fflush(FILE *file);
int fseek(FILE *file, long offset, int whence);
long ftell(FILE *file);
void rewind(FILE *file);
typedef long fpos_t;
int fgetpos(FILE *file, fpos_t *place);
int fsetpos(FILE *file, const fpos_t *place);
int feof(FILE *file);
int ferror(FILE *file);
void clearerr(FILE *file);
int remove(const char *name);
/* EEXIST if there is another file with the new name. */
int rename(const char *old, const char *new_name);

/* A stream has its own buffer and takes no other. Without a buffer means: written at the end of each call. */
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
int setvbuf(FILE *file, char *buffer, int mode, size_t bytes);
void setbuf(FILE *file, char *buffer);

int fgetc(FILE *file);
int getc(FILE *file);
int getchar(void);
/* One byte has room, if nothing has been written since the last fflush or fseek. */
int ungetc(int byte, FILE *file);
int fputc(int byte, FILE *file);
int putc(int byte, FILE *file);
int putchar(int byte);
char *fgets(char *buffer, int bytes, FILE *file);
int fputs(const char *text, FILE *file);
int puts(const char *text);
size_t fread(void *buffer, size_t bytes, size_t count, FILE *file);
size_t fwrite(const void *buffer, size_t bytes, size_t count, FILE *file);

/* stderr gets the text, a colon and what errno means. */
void perror(const char *text);

/* Conversions d i u x X o c s p n f F e E g G a A %, flags - 0 + blank #, width, precision, lengths hh h l ll j z t L. A long double
   is printed as the double that is nearest. */
int printf(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
int fprintf(FILE *file, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
int sprintf(char *buffer, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
int snprintf(char *buffer, size_t bytes, const char *format, ...) __attribute__((__format__(__printf__, 3, 4)));
int vprintf(const char *format, va_list list);
int vfprintf(FILE *file, const char *format, va_list list);
int vsprintf(char *buffer, const char *format, va_list list);
int vsnprintf(char *buffer, size_t bytes, const char *format, va_list list);

/* Conversions d i o u x X p c s [ n f e g a and their capitals %, *, width, lengths hh h l ll j z t L. Numbers are rounded correctly, a long
   double to a double. There are no wide characters: l changes neither c, s nor [. */
int scanf(const char *format, ...) __attribute__((__format__(__scanf__, 1, 2)));
int fscanf(FILE *file, const char *format, ...) __attribute__((__format__(__scanf__, 2, 3)));
int sscanf(const char *text, const char *format, ...) __attribute__((__format__(__scanf__, 2, 3)));
int vscanf(const char *format, va_list list);
int vfscanf(FILE *file, const char *format, va_list list);
int vsscanf(const char *text, const char *format, va_list list);

/* POSIX's, which a program may have as its own. */
#if !defined __STRICT_ANSI__ || defined _POSIX_C_SOURCE || defined _XOPEN_SOURCE || defined _GNU_SOURCE
#include <sys/types.h>

int fileno(FILE *file);
FILE *fdopen(int descriptor, const char *mode);
int fseeko(FILE *file, off_t offset, int whence);
off_t ftello(FILE *file);
ssize_t getline(char **line, size_t *bytes, FILE *file);
ssize_t getdelim(char **line, size_t *bytes, int last, FILE *file);
#endif

#endif
