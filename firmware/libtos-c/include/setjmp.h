/* Back to a place that this thread has been at, in a function that has not returned yet. Every thread has stacks and places of its own. */
#ifndef _SETJMP_H
#define _SETJMP_H

/* ra, sp, s0 to s11. */
typedef long jmp_buf[14];

int setjmp(jmp_buf place) __attribute__((__returns_twice__));
void longjmp(jmp_buf place, int value) __attribute__((__noreturn__));
#define setjmp setjmp

#endif
