/* Matrix product: matmul [N [PROCESSES]], of matrices of N by N.

   Each process has blocks of rows of A, B and C = A B. In each superstep it multiplies by the block
   of B that it holds, and passes that on to the process before it, so that after p supersteps each
   has held every block.

   Source: Golub and Van Loan, "Matrix Computations" (3rd edition 1996), section 6.2, products on a
   ring. McColl and Tiskin, "Memory-efficient matrix multiplication in the BSP model", Algorithmica
   24 (1999), show how much less communication a product in cubes needs, for more memory.

   Cost of n by n on p processes: p supersteps, each w = 2 n^3 / p^2 flops, and h = 2 n^2 / p words
   of 32 bits in all but the last: 2 n^3 / p + 2 n^2 (1 - 1 / p) g + p l. */
#include "common.h"

#define MOST 72

static struct parameter parameters[] = {{32, 1, MOST}, {0, 0, PROCESSES}};
static int status;

/* Rows of A and C; the block of B that the process holds, and the next one. */
static double a[MOST * MOST], c[MOST * MOST], b[2][MOST * MOST];

static double element_of_a(int n, int i, int j)
{
    return small_number(2 * (i * n + j));
}

static double element_of_b(int n, int i, int j)
{
    return small_number(2 * (i * n + j) + 1);
}

/* Adds to `rows` rows of C what comes of the rows of B from `first` on. */
static void multiply(int n, int rows, int first, int count, const double *block)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < count; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + first + k] * block[k * n + j];
}

/* Multiplies the matrices of which each process has its blocks. */
static void matrix_product(int n)
{
    int p = bsp_nprocs(), me = bsp_pid();

    for (int step = 0; step < p; step++) {
        int owner = (me + step) % p, count = block_length(n, owner);
        double *held = b[step % 2], *next = b[(step + 1) % 2];

        /* What is passed on is only read until the superstep ends. */
        if (step + 1 < p)
            bsp_hpput((me + p - 1) % p, held, next, 0, count * n * (int)sizeof *held);
        multiply(n, block_length(n, me), block_start(n, owner), count, held);
        bsp_sync();
    }
}

static void spmd(void)
{
    begin(parameters, COUNT(parameters));
    int n = parameters[0].value, me = bsp_pid(), first = block_start(n, me), rows = block_length(n, me);

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = element_of_a(n, first + i, j);
            b[0][i * n + j] = element_of_b(n, first + i, j);
        }
    bsp_push_reg(b[0], sizeof b[0]);
    bsp_push_reg(b[1], sizeof b[1]);
    start_clock();
    matrix_product(n);
    stop_clock();

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) {
            double wanted = 0;

            for (int k = 0; k < n; k++)
                wanted += element_of_a(n, first + i, k) * element_of_b(n, k, j);
            compare((first + i) * n + j, c[i * n + j], wanted);
        }
    status = conclude("matmul", n);
    bsp_end();
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    read_parameters(parameters, COUNT(parameters), "matmul [N (up to 72) [PROCESSES]]", argc, argv);
    spmd();
    return status;
}
