/* Broadcast: broadcast [N [PROCESSES [PHASES]]]. The first process's N words come to all processes,
   in one phase or in two (by default).

   In one phase the first process puts all words to all others. In two phases it puts a block of
   them to each process, which puts its block to all others.

   Source: Bisseling, "Parallel Scientific Computation", section 2.4; Juurlink and Wijshoff,
   "Communication primitives for BSP computers", Information Processing Letters 58 (1996).

   Cost of n words on p processes, w = 0:

   one phase:  one superstep, h = n (p - 1):                   n (p - 1) g + l
   two phases: two supersteps, each h = (n / p) (p - 1):       2 n (1 - 1 / p) g + 2 l

   So two phases pay as soon as n (p - 1) (1 - 2 / p) g is more than l. */
#include "common.h"

static struct parameter parameters[] = {{2000, 1, 2048}, {0, 0, PROCESSES}, {2, 1, 2}};
static int status;

/* Puts `count` of the words, from `first` on, to all processes but this one. */
static void put_to_all(unsigned *words, int first, int count)
{
    for (int pid = 0; pid < bsp_nprocs(); pid++)
        if (pid != bsp_pid())
            bsp_put(pid, words + first, words, first * (int)sizeof *words, count * (int)sizeof *words);
}

/* Brings the first process's words to all processes. */
static void broadcast(int count, unsigned *words, int phases)
{
    int p = bsp_nprocs(), me = bsp_pid();

    if (phases == 2) {
        for (int pid = 1; me == 0 && pid < p; pid++) {
            int first = block_start(count, pid), bytes = block_length(count, pid) * (int)sizeof *words;

            bsp_put(pid, words + first, words, first * (int)sizeof *words, bytes);
        }
        bsp_sync();
        put_to_all(words, block_start(count, me), block_length(count, me));
    } else if (me == 0) {
        put_to_all(words, 0, count);
    }
    bsp_sync();
}

static void spmd(void)
{
    begin(parameters, COUNT(parameters));
    int n = parameters[0].value, me = bsp_pid();
    unsigned *words = memory(n, sizeof *words);

    for (int i = 0; me == 0 && i < n; i++)
        words[i] = random_number(i);
    bsp_push_reg(words, n * (int)sizeof *words);
    start_clock();
    broadcast(n, words, parameters[2].value);
    stop_clock();

    /* Element i of process j is element j n + i of the comparison. */
    for (int i = 0; i < n; i++)
        compare(me * n + i, words[i], random_number(i));
    status = conclude("broadcast", n);
    bsp_end();
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    read_parameters(parameters, COUNT(parameters),
                    "broadcast [N (up to 2048) [PROCESSES [PHASES (1 or 2)]]]", argc, argv);
    spmd();
    return status;
}
