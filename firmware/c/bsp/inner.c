/* The inner product of two vectors: inner [N [PROCESSES]].

   The vectors are dealt out cyclically. Each process adds up the products of its own elements,
   tells all others its sum, and adds up all sums, so that every process has the inner product.

   Source: Bisseling, "Parallel Scientific Computation" (Oxford, 2nd edition 2020), algorithm 1.1.

   Cost of n elements on p processes: one superstep, w = 2 n / p + p flops, h = 2 (p - 1) words of
   32 bits: 2 n / p + p + 2 (p - 1) g + l. */
#include "common.h"

static struct parameter parameters[] = {{1000, 1, 3000}, {0, 0, PROCESSES}};
static int status;

/* The inner product of two vectors, of which this process has `count` elements. */
static double inner_product(int count, const double *x, const double *y, double *sums)
{
    int p = bsp_nprocs(), me = bsp_pid();
    double sum = 0, total = 0;

    for (int i = 0; i < count; i++)
        sum += x[i] * y[i];
    for (int pid = 0; pid < p; pid++)
        bsp_put(pid, &sum, sums, me * (int)sizeof sum, sizeof sum);
    bsp_sync();
    for (int pid = 0; pid < p; pid++)
        total += sums[pid];
    return total;
}

static void spmd(void)
{
    begin(parameters, COUNT(parameters));
    int n = parameters[0].value, p = bsp_nprocs(), me = bsp_pid();
    int count = (n + p - me - 1) / p;
    double *x = memory(count, sizeof *x), *y = memory(count, sizeof *y), *sums = memory(p, sizeof *sums);
    double product, wanted = 0;

    for (int i = 0; i < count; i++) {
        x[i] = small_number(2 * (i * p + me));
        y[i] = small_number(2 * (i * p + me) + 1);
    }
    bsp_push_reg(sums, p * (int)sizeof *sums);
    start_clock();
    product = inner_product(count, x, y, sums);
    stop_clock();

    /* Every process has the result; element i of the comparison is that of process i. */
    for (int i = 0; i < n; i++)
        wanted += small_number(2 * i) * small_number(2 * i + 1);
    compare(me, product, wanted);
    status = conclude("inner", n);
    bsp_end();
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    read_parameters(parameters, COUNT(parameters), "inner [N (up to 3000) [PROCESSES]]", argc, argv);
    spmd();
    return status;
}
