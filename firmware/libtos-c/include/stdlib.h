/* Integers from strings, memory, the end of a thread, the environment. */
#ifndef _STDLIB_H
#define _STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

int atoi(const char *text);
long atol(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
int abs(int value);

/* The heap has 64 KiB, or what the linker is told by --defsym=tos_heap_bytes=N. All threads of the process share it. */
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);

/* Ends this thread; a parent's end waits for its children. HALT and STOP (tos.h) are reserved. */
void exit(int code) __attribute__((noreturn));
/* Ends the program: exit(HALT). */
void abort(void) __attribute__((noreturn));
/* From the file `environment`, lines of NAME=value. */
char *getenv(const char *name);

#endif
