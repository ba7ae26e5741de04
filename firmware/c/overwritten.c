/* Two processes exchange, and what comes for the first overwrites the segments that it has for others while they
   leave. Those for a rank that no member has, and from memory that is not there, must be passed over, and what
   lies behind them leaves. The argument: how many of the three wrong ones there are, all by default. Exit code 0
   if everything went as it should. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tos.h>
#include <unistd.h>

/* System calls that only the library of bsp.h makes (definitions/src/syscall.rs). */
enum { FORM = 30, EXCHANGE = 31 };
/* WORDS: what the second process gets, enough not to be copied into packets. */
enum { WRONG = 3, WORDS = 256, MEMBERS_MAX = 64 };
/* Behind the memory that a process can have. */
#define NOWHERE 0x100000

/* For which rank, from where, bytes, and where they belong there: anywhere. */
struct segment { uint32_t to, at, bytes, destination; };

/* What leaves, with the first process's room behind the first one. */
static struct segment segments[2 + WRONG];
static struct segment overwriting[1 + WRONG];
static uint32_t data[WORDS];
/* The second process's room, behind two words that belong to it. */
static uint32_t room[2 + WORDS];

static int wrong;

static void check(const char *what, int is_right)
{
    printf("%s: %s\n", what, is_right ? "right" : "WRONG");
    wrong += !is_right;
}

static uint32_t address(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

static int call(int number, const uint32_t arguments[5], uint32_t *second)
{
    register uint32_t a0 __asm__("a0") = arguments[0], a1 __asm__("a1") = arguments[1];
    register uint32_t a2 __asm__("a2") = arguments[2], a3 __asm__("a3") = arguments[3];
    register uint32_t a4 __asm__("a4") = arguments[4], a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a7)
                     : : "a5", "a6", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "memory");
    *second = a1;
    return (int)a0;
}

/* The bytes that have come, or a negated error. */
static int exchange(int group, int rank, const uint32_t *to, uint32_t bytes, int count)
{
    const uint32_t arguments[5] = {(uint32_t)group << 8 | (uint32_t)rank << 24, (uint32_t)count << 16,
                                   address(to), bytes, address(segments)};
    uint32_t come;
    int result = call(EXCHANGE, arguments, &come);
    return result < 0 ? result : (int)come;
}

static uint32_t word(uint32_t index)
{
    return (index + 1) * 0x9e3779b9;
}

/* 0 if all is there. */
static int second(int group)
{
    int come;
    /* The group may not be known yet. */
    while ((come = exchange(group, 1, room + 2, sizeof data, 0)) == -TOS_NO_PROCESS)
        yield_now();
    int differ = come != sizeof data;
    for (uint32_t index = 0; index < WORDS; index++)
        differ += room[2 + index] != word(index);
    return differ != 0;
}

int main(int argc, char *argv[])
{
    if (argc == 3 && strcmp(argv[1], "member") == 0)
        return second(atoi(argv[2]));
    int count = argc > 1 ? atoi(argv[1]) : WRONG;
    if (argc > 2 || count < 0 || count > WRONG) {
        printf("usage: overwritten [WRONG (0 to %d)]\n", WRONG);
        return 2;
    }
    char arguments[16];
    int length = sprintf(arguments, "member%c%d", 0, getpid()) + 1;
    int child = invoke("overwritten", arguments, length, (processor() + 1) % processors());
    const uint32_t ids[2] = {(uint32_t)getpid(), (uint32_t)child};
    const uint32_t group[5] = {address(ids), 2};
    uint32_t none;
    if (child < 0 || call(FORM, group, &none) != 0)
        return HALT;

    for (uint32_t index = 0; index < WORDS; index++)
        data[index] = word(index);
    const struct segment right = {1, address(data), sizeof data, 0}, empty = {1, address(data), 0, 0};
    const struct segment wrong_ones[WRONG] = {
        {MEMBERS_MAX, NOWHERE, sizeof data, 0},
        /* The rank's lower half is a member's. */
        {1 << 16 | 1, address(overwriting), sizeof overwriting, 0},
        {1, NOWHERE, sizeof data, 0},
    };
    memcpy(overwriting, wrong_ones, count * sizeof overwriting[0]);
    overwriting[count++] = right;
    uint32_t bytes = count * sizeof overwriting[0];
    segments[0] = (struct segment){0, address(overwriting), bytes, 0};
    segments[1] = (struct segment){2, address(data), sizeof data, 0};
    for (int place = 2; place <= count; place++)
        segments[place] = empty;
    int come = exchange(getpid(), 0, (uint32_t *)&segments[1], bytes, count + 1);
    check("a third one of two members is refused", come == -TOS_BAD_CHANNEL);
    segments[1] = right;
    come = exchange(getpid(), 0, (uint32_t *)&segments[1], bytes, count + 1);
    check("segments are overwritten while they leave", come == (int)bytes);
    int code;
    check("what lies behind them has come", await_end(child, &code) >= 0 && code == 0);
    printf("overwritten: %d wrong\n", wrong);
    return wrong != 0;
}
