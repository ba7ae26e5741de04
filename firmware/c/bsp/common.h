/* What the bulk-synchronous programs in C have in common: parameters, the distribution in blocks,
   random numbers, and the comparison with a sequential result. firmware/programs/src/bulk.rs has
   the same for those in Rust. */
#ifndef COMMON_H
#define COMMON_H

#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tos.h>

/* Processes of a program at most. */
#define PROCESSES 64

/* A program's parameters: numbers that follow its name. The second one is the number of processes,
   0 for one on each processor. */
struct parameter {
    int value, least, most;
};
#define COUNT(parameters) ((int)(sizeof(parameters) / sizeof *(parameters)))

/* Takes the parameters from the command line. If they make no sense it prints `usage`, and the
   program ends with status 2. */
static inline void read_parameters(struct parameter *parameters, int count, const char *usage,
                                   int argc, char **argv)
{
    int makes_sense = argc - 1 <= count;

    for (int i = 0; makes_sense && i < argc - 1; i++) {
        char *end;
        long value = strtol(argv[i + 1], &end, 10);

        makes_sense = end != argv[i + 1] && !*end;
        makes_sense = makes_sense && value >= parameters[i].least && value <= parameters[i].most;
        parameters[i].value = (int)value;
    }
    if (!makes_sense) {
        printf("usage: %s\n", usage);
        exit(2);
    }
}

/* Begins, and tells all processes the parameters, which only the first one has. */
static inline void begin(struct parameter *parameters, int count)
{
    int bytes = count * (int)sizeof *parameters;

    bsp_begin(parameters[1].value);
    bsp_push_reg(parameters, bytes);
    bsp_sync();
    bsp_get(0, parameters, 0, parameters, bytes);
    bsp_pop_reg(parameters);
    bsp_sync();
}

/* The first of `count` numbers in consecutive blocks that process `pid` has; the lengths of blocks
   differ by one at most. */
static inline int block_start(int count, int pid)
{
    return count * pid / bsp_nprocs();
}

static inline int block_length(int count, int pid)
{
    return block_start(count, pid + 1) - block_start(count, pid);
}

/* A random number that follows from an index alone, so that every process knows all of the input.
   */
static inline unsigned random_number(int index)
{
    unsigned mixed = (unsigned)index + 0x9e3779b9u;

    mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
    mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
    return mixed ^ mixed >> 16;
}

/* A random whole number from -8 to 7. Sums of products of such numbers are exact in any order. */
static inline double small_number(int index)
{
    return (double)(random_number(index) >> 28) - 8.0;
}

/* Memory of this process, with zeros. */
static inline void *memory(int count, int bytes)
{
    /* A block of no elements has an address too, so that it can be registered. */
    void *block = calloc((size_t)count + 1, (size_t)bytes);

    if (!block)
        bsp_abort("process %d has no memory for %d times %d bytes\n", bsp_pid(), count, bytes);
    return block;
}

/* What a process tells the others at the end: its cycles, and its first element that is not the
   sequential result's. */
struct verdict {
    double cycles, got, wanted;
    int is_wrong, index;
};
static struct verdict verdicts[PROCESSES];
static struct verdict own_verdict;
static double begun;

/* Begins to measure, in a superstep of its own, in which the caller's registrations take effect
   too. */
static inline void start_clock(void)
{
    bsp_push_reg(verdicts, bsp_nprocs() * (int)sizeof *verdicts);
    bsp_sync();
    begun = bsp_time();
}

static inline void stop_clock(void)
{
    own_verdict.cycles = (bsp_time() - begun) * clock_hz();
}

/* Compares an element of the result with the sequential one. */
static inline void compare(int index, double got, double wanted)
{
    /* Not `got != wanted`: of a number that is none, neither holds. */
    if (!(got == wanted) && (!own_verdict.is_wrong || index < own_verdict.index)) {
        own_verdict.is_wrong = 1;
        own_verdict.index = index;
        own_verdict.got = got;
        own_verdict.wanted = wanted;
    }
}

/* Prints the line of the result, on the first process: what has been done, on how many processes,
   whether all elements of all processes were right, and the cycles of the slowest. The result is
   the program's status. */
static inline int conclude(const char *name, int size)
{
    int p = bsp_nprocs(), me = bsp_pid();
    const struct verdict *wrong = NULL;
    double cycles = 0;

    for (int pid = 0; pid < p; pid++)
        bsp_put(pid, &own_verdict, verdicts, me * (int)sizeof own_verdict, sizeof own_verdict);
    bsp_sync();
    for (const struct verdict *each = verdicts; each < verdicts + p; each++) {
        cycles = each->cycles > cycles ? each->cycles : cycles;
        if (each->is_wrong && (!wrong || each->index < wrong->index))
            wrong = each;
    }
    if (me == 0 && wrong)
        printf("%s %d on %d: WRONG, element %d is %.17g, not %.17g\n", name, size, p, wrong->index,
               wrong->got, wrong->wanted);
    if (me == 0 && !wrong)
        printf("%s %d on %d: right, %.0f cycles\n", name, size, p, cycles);
    return wrong != NULL;
}

#endif
