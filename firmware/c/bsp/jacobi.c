/* Jacobi iteration: jacobi [N [PROCESSES [ITERATIONS]]], for Laplace's equation on a square of N by
   N points with given values around it.

   In each iteration every point becomes the mean of its four neighbours. Each process has a block
   of rows, and a copy of the row above and of the row below, which their processes put there behind
   each iteration. There are two grids, of which each iteration reads one and writes the other.

   Source: Bertsekas and Tsitsiklis, "Parallel and Distributed Computation" (1989), chapter 2.

   Cost of n by n points on p processes: a superstep each iteration, w = 4 n^2 / p flops, h = 4 n
   words of 32 bits: T (4 n^2 / p + 4 n g + l) for T iterations. */
#include "common.h"

#define MOST 64
#define POINTS ((MOST + 2) * (MOST + 2))

static struct parameter parameters[] = {{24, 1, MOST}, {0, 0, PROCESSES}, {10, 0, 1000}};
static int status;

/* Rows of this process, with one above and one below; for the comparison, all of them. */
static double grids[2][POINTS], all[MOST + 2][MOST + 2], means[MOST + 2][MOST + 2];

/* The values to begin with, of rows and columns from 0 to n + 1: those around the square stay. */
static double value_of(int n, int row, int column)
{
    int is_around = row == 0 || row == n + 1 || column == 0 || column == n + 1;

    return is_around ? small_number(row * (n + 2) + column) : 0;
}

/* Makes a grid of `rows` rows of the square and around it, from `first` on. */
static void fill(int n, double *grid, int first, int rows)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n + 2; j++)
            grid[i * (n + 2) + j] = value_of(n, first + i, j);
}

/* Means of the neighbours, of rows 1 to `rows`. */
static void iterate(int n, int rows, const double *from, double *to)
{
    int width = n + 2;

    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= n; j++) {
            const double *point = from + i * width + j;

            to[i * width + j] = 0.25 * (point[-width] + point[width] + point[-1] + point[1]);
        }
}

/* The same on one process: all iterations. */
static void iterate_sequentially(int n, int iterations)
{
    for (int i = 0; i < n + 2; i++)
        for (int j = 0; j < n + 2; j++)
            all[i][j] = value_of(n, i, j);
    while (iterations-- > 0) {
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= n; j++)
                means[i][j] = (all[i - 1][j] + all[i + 1][j] + all[i][j - 1] + all[i][j + 1]) / 4;
        for (int i = 1; i <= n; i++)
            memcpy(all[i] + 1, means[i] + 1, n * sizeof **means);
    }
}

/* The process that has a row of the square, from 0. */
static int owner_of(int n, int row)
{
    return ((row + 1) * bsp_nprocs() - 1) / n;
}

/* Puts the first row to the process above, behind its last one, and the last row to the process
   below, ahead of its first one. */
static void put_borders(int n, double *grid)
{
    int first = block_start(n, bsp_pid()), rows = block_length(n, bsp_pid());
    int bytes = (n + 2) * (int)sizeof *grid;

    /* With more processes than rows some have none, and are nobody's neighbours. */
    if (rows > 0 && first > 0) {
        int above = owner_of(n, first - 1);

        bsp_put(above, grid + n + 2, grid, (block_length(n, above) + 1) * bytes, bytes);
    }
    if (rows > 0 && first + rows < n)
        bsp_put(owner_of(n, first + rows), grid + rows * (n + 2), grid, 0, bytes);
}

static void spmd(void)
{
    begin(parameters, COUNT(parameters));
    int n = parameters[0].value, iterations = parameters[2].value;
    int first = block_start(n, bsp_pid()), rows = block_length(n, bsp_pid());

    for (int which = 0; which < 2; which++) {
        fill(n, grids[which], first, rows + 2);
        bsp_push_reg(grids[which], sizeof grids[which]);
    }
    start_clock();
    for (int iteration = 0; iteration < iterations; iteration++) {
        iterate(n, rows, grids[iteration % 2], grids[(iteration + 1) % 2]);
        put_borders(n, grids[(iteration + 1) % 2]);
        bsp_sync();
    }
    stop_clock();

    iterate_sequentially(n, iterations);
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= n; j++) {
            double point = grids[iterations % 2][i * (n + 2) + j];

            compare((first + i - 1) * n + j - 1, point, all[first + i][j]);
        }
    status = conclude("jacobi", n);
    bsp_end();
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    read_parameters(parameters, COUNT(parameters),
                    "jacobi [N (up to 64) [PROCESSES [ITERATIONS (up to 1000)]]]", argc, argv);
    spmd();
    return status;
}
