/* assert(condition) ends the program with a message if the condition does not hold; nothing if NDEBUG is defined. */
#ifndef _ASSERT_H
#define _ASSERT_H

void __assert_fail(const char *condition, const char *file, int line, const char *function) __attribute__((__noreturn__));
#define static_assert _Static_assert

#endif

/* As C wants it, this follows NDEBUG anew each time that the header is included. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif
