/* Prefix sums: prefix [N [PROCESSES]]. Element i becomes the sum of elements 0 to i.

   The elements lie in blocks. Each process adds up its own block and puts the sum to all processes
   behind it; then it adds up the sums that it has got, and goes on from there with the prefix sums
   of its own block. `bsp-prefix`, in Rust, can do the same in logarithmically many rounds.

   Source: JaJa, "An Introduction to Parallel Algorithms" (1992), section 2.1.

   Cost of n elements on p processes: one superstep, w = 2 n / p + p additions, h = p - 1 words: 2 n
   / p + p + (p - 1) g + l. */
#include "common.h"

static struct parameter parameters[] = {{1000, 1, 8000}, {0, 0, PROCESSES}};
static int status;

/* Makes prefix sums of the blocks of all processes. */
static void prefix_sums(int count, unsigned *values, unsigned *sums)
{
    int p = bsp_nprocs(), me = bsp_pid();
    unsigned sum = 0;

    for (int i = 0; i < count; i++)
        sum += values[i];
    for (int pid = me + 1; pid < p; pid++)
        bsp_put(pid, &sum, sums, me * (int)sizeof sum, sizeof sum);
    bsp_sync();
    sum = 0;
    for (int pid = 0; pid < me; pid++)
        sum += sums[pid];
    for (int i = 0; i < count; i++)
        values[i] = sum += values[i];
}

static void spmd(void)
{
    begin(parameters, COUNT(parameters));
    int n = parameters[0].value, p = bsp_nprocs(), me = bsp_pid();
    int first = block_start(n, me), count = block_length(n, me);
    unsigned *values = memory(count, sizeof *values), *sums = memory(p, sizeof *sums), wanted = 0;

    for (int i = 0; i < count; i++)
        values[i] = random_number(first + i);
    bsp_push_reg(sums, p * (int)sizeof *sums);
    start_clock();
    prefix_sums(count, values, sums);
    stop_clock();

    for (int i = 0; i < first + count; i++) {
        wanted += random_number(i);
        if (i >= first)
            compare(i, values[i - first], wanted);
    }
    status = conclude("prefix", n);
    bsp_end();
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    read_parameters(parameters, COUNT(parameters), "prefix [N (up to 8000) [PROCESSES]]", argc, argv);
    spmd();
    return status;
}
