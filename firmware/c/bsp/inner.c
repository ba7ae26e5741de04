/* The inner product of two vectors of n numbers, which the processes share out cyclically: bsp-inner [n [processes]]. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

static int n = 1000, processes;

static double inner(int count, const double *x, const double *y) {
    int p = bsp_nprocs(), me = bsp_pid();
    double sum = 0, total = 0;
    static double sums[64];
    bsp_push_reg(sums, sizeof sums);
    bsp_sync();
    for (int i = 0; i < count; i++)
        sum += x[i] * y[i];
    for (int pid = 0; pid < p; pid++)
        bsp_put(pid, &sum, sums, me * (int)sizeof sum, sizeof sum);
    bsp_sync();
    for (int pid = 0; pid < p; pid++)
        total += sums[pid];
    bsp_pop_reg(sums);
    return total;
}

static void spmd(void) {
    bsp_begin(processes);
    int p = bsp_nprocs(), me = bsp_pid();
    bsp_push_reg(&n, sizeof n);
    bsp_sync();
    bsp_get(0, &n, 0, &n, sizeof n);
    bsp_sync();
    bsp_pop_reg(&n);
    int count = (n + p - me - 1) / p;
    double *x = malloc((size_t)count * sizeof *x);
    if (!x)
        bsp_abort("process %d has no memory for %d numbers\n", me, count);
    for (int i = 0; i < count; i++)
        x[i] = i * p + me + 1;
    double t = bsp_time();
    double total = inner(count, x, x);
    t = bsp_time() - t;
    printf("process %d of %d: %.1f, wanted %.1f\n", me, p, total, (double)n * (n + 1) * (2.0 * n + 1) / 6);
    if (me == 0)
        fprintf(stderr, "%.0f us\n", t * 1e6);
    bsp_end();
}

int main(int argc, char **argv) {
    bsp_init(spmd, argc, argv);
    if (argc > 1)
        n = atoi(argv[1]);
    processes = argc > 2 ? atoi(argv[2]) : bsp_nprocs();
    spmd();
    return 0;
}
