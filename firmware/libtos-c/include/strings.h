/* Strings in which large and small letters are the same. */
#ifndef _STRINGS_H
#define _STRINGS_H

#include <stddef.h>

int strcasecmp(const char *one, const char *other);
int strncasecmp(const char *one, const char *other, size_t bytes);
/* The place of the lowest bit that is set, from 1. */
int ffs(int value);

#endif
