/* There are no signals. A program can raise one of its own, which ends it as abort does, and what it does cannot be changed: signal is SIG_ERR
   but for SIG_DFL. */
#ifndef _SIGNAL_H
#define _SIGNAL_H

typedef int sig_atomic_t;

#define SIGINT 2
#define SIGILL 4
#define SIGABRT 6
#define SIGFPE 8
#define SIGSEGV 11
#define SIGTERM 15

#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#define SIG_ERR ((void (*)(int))-1)

int raise(int signal);
void (*signal(int signal, void (*handler)(int)))(int);

#endif
