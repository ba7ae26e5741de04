/* Threads, channels and processes (report, section 2.1.3). Calls that return int return a negated TOS_ error if they fail, unless they say
   otherwise. docs/programs.md is the manual. */
#ifndef _TOS_H
#define _TOS_H

/* Exit codes: the whole program is over; this thread can't go on. */
#define HALT ((int)0xfffffffe)
#define STOP ((int)0xffffffff)
/* The exit code of a process that was ended because there was no memory for it. */
#define NO_MEMORY ((int)0xfffffffd)

/* No timeout. */
#define FOREVER 0xffffffffu

/* Where a store is an event of the program's; bits 15:9 of the data that the monitor keeps for its markers. */
#define _TOS_EVENT_PAGE 0x10020400
#define _TOS_MARKERS 0x55

#define TOS_UNKNOWN_CALL 1 /* no such system call */
#define TOS_BAD_POINTER 2 /* bad pointer */
#define TOS_BAD_LENGTH 3 /* bad length */
#define TOS_BAD_CHANNEL 4 /* no such channel */
#define TOS_CHANNEL_IN_USE 5 /* channel in use by other threads */
#define TOS_BAD_PROCESSOR 6 /* no such processor */
#define TOS_NO_THREAD 7 /* no thread free */
#define TOS_NO_MEMORY 8 /* out of memory */
#define TOS_BAD_DATUM 9 /* datum reserved for the monitor */
#define TOS_NO_MONITOR 10 /* no monitoring interface on this processor */
#define TOS_BAD_PROGRAM 11 /* program cannot be loaded */
#define TOS_THREAD_EXISTS 12 /* thread id in use */
#define TOS_NOT_READY 13 /* thread is not ready, or has children */
#define TOS_NOT_HERE 14 /* not on this processor */
#define TOS_TIMEOUT 15 /* timed out */
#define TOS_NO_PROCESS 16 /* no such process */
#define TOS_TOO_MANY_PROCESSES 17 /* too many processes */
#define TOS_NO_FILE 18 /* no such file */
#define TOS_BAD_NAME 19 /* bad file name */
#define TOS_NO_PERMISSION 20 /* permission denied */
#define TOS_TOO_MANY_FILES 21 /* filestore is full */
#define TOS_FILE_TOO_LARGE 22 /* file too large */
#define TOS_FILE_EXISTS 23 /* file exists */
#define TOS_KILLED 24 /* process was killed */
#define TOS_FIXED_SETTING 25 /* cannot be changed while the machine runs */

/* A child thread `id` (1 to 63), with n_pages KiB of stack below `stack`, on `processor` (negative: any slave), starting at `entry`, which must
   not return. The result is its number, 0 if it cannot be created; tos_create returns the error instead. */
int create(int id, int n_pages, int processor, void (*entry)(void), void *stack);
int tos_create(int id, int n_pages, int processor, void (*entry)(void), void *stack);
/* A place for a stack: the address above it. Every call gives another one. */
void *stack_for(int n_pages);
/* Waits until all children have ended; how many ended with a code other than 0. */
int wait(void);

/* Both block until the communication is over, and return the bytes transferred: what the receiver has room for. */
int send_block(int channel, const void *buffer, int length);
int receive(int channel, void *buffer, int length);
/* occam's PRI ALT: receives from the first of `count` channels whose sender is ready; `which` is its place in the list. */
int alt(const unsigned char *channels, int count, void *buffer, int length, unsigned timeout_us, int *which);
/* occam's ALT: as alt, but it looks first at the channel behind place *which, and at that one last. With *which left as it is
   from call to call, -1 before the first, every channel has its turn. */
int fair_alt(const unsigned char *channels, int count, void *buffer, int length, unsigned timeout_us, int *which);

/* Moves a ready thread without children; thread 0 is the caller, a negative `from` this processor, a negative `to` any. 0 if it moved. */
int migrate(int thread, int from, int to);
void delay_us(unsigned microseconds);
void yield_now(void);

int thread_id(void);
/* Unique in the machine; what migrate takes. */
int thread_number(void);
int processor(void);
int processors(void);
/* Microseconds since reset, modulo 2^32. */
unsigned clock_us(void);
/* Cycles of the machine in a second. */
unsigned clock_hz(void);
/* Emits a datum of 16 bits to the monitor as the program's own event, by one store: 1, or TOS_BAD_DATUM negated. What the queue has
   no room for the monitor counts and marks. Nothing happens where class user is off, and on the master, which has no monitor. */
static inline int send_event(int datum)
{
    if ((datum & ~0xffff) != 0 || datum >> 9 == _TOS_MARKERS)
        return -TOS_BAD_DATUM;
    *(volatile unsigned short *)_TOS_EVENT_PAGE = (unsigned short)datum;
    return 1;
}
/* The same by a call of the kernel's, which says what became of the event: 1, or 0 if the queue is full. */
int try_send_event(int datum);

/* Reads console input: the rest of a line with its newline, or as much of it as fits; 0 at the end of input. */
int read_console(char *buffer, int bytes);

/* Starts the program in a file: its process. Arguments have a NUL after each. A negative processor: this one. */
int invoke(const char *name, const char *arguments, int bytes, int processor);
/* The same, and gives it the right of an operator, which this process must have: to control all processes and the monitors. */
int invoke_operator(const char *name, const char *arguments, int bytes, int processor);
/* Waits for a process that this one invoked. */
int await_end(int process, int *exit_code);
/* Ends a process that this one invoked, or this one; an operator ends any. */
int kill(int process);

#endif
