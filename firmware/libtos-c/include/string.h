/* Strings and memory blocks. */
#ifndef _STRING_H
#define _STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *one, const void *other, size_t bytes);
void *memchr(const void *memory, int byte, size_t bytes);

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t bytes);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t bytes);
/* As strcpy, but it returns where the copy ends. */
char *stpcpy(char *to, const char *from);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t bytes);
/* In blocks of the heap. */
char *strdup(const char *text);
char *strndup(const char *text, size_t bytes);
int strcmp(const char *one, const char *other);
int strcoll(const char *one, const char *other);
size_t strxfrm(char *to, const char *from, size_t bytes);
int strncmp(const char *one, const char *other, size_t bytes);
char *strchr(const char *text, int byte);
char *strrchr(const char *text, int byte);
char *strstr(const char *text, const char *wanted);
char *strpbrk(const char *text, const char *set);
size_t strspn(const char *text, const char *set);
size_t strcspn(const char *text, const char *set);
char *strtok(char *text, const char *set);
char *strtok_r(char *text, const char *set, char **rest);
/* What an error of errno.h or tos.h means. */
char *strerror(int number);

#endif
