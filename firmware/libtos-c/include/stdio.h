/* Files of the filestore, and the console. There is no standard input. */
#ifndef _STDIO_H
#define _STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)
#define FOPEN_MAX 8
#define BUFSIZ 256
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

typedef struct FILE FILE;
/* The console of the processor on which the thread is; written line by line. */
extern FILE *const stdout;
extern FILE *const stderr;

/* A file is open on the processor on which it was opened. A thread elsewhere that uses it gets errno TOS_NOT_HERE where bytes have to be read or written,
   and what it has written stays in the buffer until a thread there writes more, flushes or closes it. fflush(NULL) and the end of a thread write
   what belongs to the console and to files here. */
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *file);
int fflush(FILE *file);
int fseek(FILE *file, long offset, int whence);
long ftell(FILE *file);
void rewind(FILE *file);
int feof(FILE *file);
int ferror(FILE *file);
void clearerr(FILE *file);
int remove(const char *name);
int unlink(const char *name);
int rename(const char *old, const char *new_name);

int fgetc(FILE *file);
int getc(FILE *file);
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
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int sprintf(char *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *buffer, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list list);
int vfprintf(FILE *file, const char *format, va_list list);
int vsprintf(char *buffer, const char *format, va_list list);
int vsnprintf(char *buffer, size_t bytes, const char *format, va_list list);

#endif
