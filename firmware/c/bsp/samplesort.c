/* Sample sort: samplesort [N [PROCESSES]] sorts N numbers.

   Each process sorts its own block, and puts p samples of it, at equal distances, to all others.
   All of them sort the p^2 samples, and take each p-th as a splitter: process i is to have what
   lies between splitters i - 1 and i. Each sends what it has there as a message, and sorts what it
   gets. With regular samples no process gets more than about 2 n / p numbers as long as they are
   different. `bsp-samplesort`, in Rust, merges in the end.

   Sources: Shi and Schaeffer, "Parallel sorting by regular sampling", Journal of Parallel and
   Distributed Computing 14 (1992); Gerbessiotis and Valiant, "Direct bulk-synchronous parallel
   algorithms", the same journal 22 (1994).

   Cost of n numbers on p processes, two supersteps and the sort behind them, with w in comparisons
   and m = 2 n / p:

   sort, samples:       w = (n / p) log2 (n / p),             h = p (p - 1)
   splitters, messages: w = p^2 log2 p^2 + p log2 (n / p),    h = m
   sort:                w = m log2 m */
#include "common.h"

static struct parameter parameters[] = {{1000, 1, 4000}, {0, 0, PROCESSES}};
static int status;

static int by_value(const void *one, const void *other)
{
    unsigned left = *(const unsigned *)one, right = *(const unsigned *)other;

    return (left > right) - (left < right);
}

/* How many of `count` sorted values are less than `limit`. */
static int count_below(const unsigned *values, int count, unsigned limit)
{
    int low = 0, high = count;

    while (low < high) {
        int middle = (low + high) / 2;

        if (values[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sorts the blocks of all processes. How many numbers this one has then; they are in `sorted`,
   which has room for all. */
static int sample_sort(int count, unsigned *block, unsigned *samples, unsigned *sorted)
{
    int p = bsp_nprocs(), me = bsp_pid(), start = 0, messages, got = 0;

    qsort(block, count, sizeof *block, by_value);
    for (int i = 0; i < p; i++) {
        /* A process without numbers has only samples behind all others. */
        unsigned sample = count ? block[i * count / p] : ~0u;

        for (int pid = 0; pid < p; pid++)
            bsp_put(pid, &sample, samples, (me * p + i) * (int)sizeof sample, sizeof sample);
    }
    bsp_sync();

    qsort(samples, p * p, sizeof *samples, by_value);
    for (int pid = 0; pid < p; pid++) {
        int end = pid + 1 < p ? count_below(block, count, samples[(pid + 1) * p]) : count;

        /* Tags have no bytes: whoever sends does not matter. */
        bsp_send(pid, NULL, block + start, (end - start) * (int)sizeof *block);
        start = end;
    }
    bsp_sync();

    for (bsp_qsize(&messages, NULL); messages > 0; messages--) {
        int bytes;

        bsp_get_tag(&bytes, NULL);
        bsp_move(sorted + got, bytes);
        got += bytes / (int)sizeof *sorted;
    }
    qsort(sorted, got, sizeof *sorted, by_value);
    return got;
}

/* Compares what this process has with what is there of all numbers, sorted. */
static void check(int n, const unsigned *sorted, int got, int *counts)
{
    int p = bsp_nprocs(), me = bsp_pid(), first = 0, all = 0;
    unsigned *wanted = memory(n, sizeof *wanted);

    for (int pid = 0; pid < p; pid++)
        bsp_put(pid, &got, counts, me * (int)sizeof got, sizeof got);
    bsp_sync();
    for (int pid = 0; pid < p; pid++) {
        first += pid < me ? counts[pid] : 0;
        all += counts[pid];
    }
    compare(n, all, n);
    for (int i = 0; i < n; i++)
        wanted[i] = random_number(i);
    qsort(wanted, n, sizeof *wanted, by_value);
    for (int i = 0; i < got && first + i < n; i++)
        compare(first + i, sorted[i], wanted[first + i]);
}

static void spmd(void)
{
    begin(parameters, COUNT(parameters));
    int n = parameters[0].value, p = bsp_nprocs(), me = bsp_pid();
    int first = block_start(n, me), count = block_length(n, me), got;
    unsigned *block = memory(count, sizeof *block), *sorted = memory(n, sizeof *sorted);
    unsigned *samples = memory(p * p, sizeof *samples);
    int *counts = memory(p, sizeof *counts);

    for (int i = 0; i < count; i++)
        block[i] = random_number(first + i);
    bsp_push_reg(samples, p * p * (int)sizeof *samples);
    bsp_push_reg(counts, p * (int)sizeof *counts);
    start_clock();
    got = sample_sort(count, block, samples, sorted);
    stop_clock();

    check(n, sorted, got, counts);
    status = conclude("samplesort", n);
    bsp_end();
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    read_parameters(parameters, COUNT(parameters), "samplesort [N (up to 4000) [PROCESSES]]", argc, argv);
    spmd();
    return status;
}
