/* N queens: queens [N [PROCESSES [BUDGET]]]. In how many ways can N queens stand on a board of N by
   N so that none attacks another?

   A partial board has queens in its first rows. Each process has a stack of partial boards; the
   first one begins with the empty board. In a round it takes a board, puts each queen into the next
   row that can stand there, and so on, BUDGET times. Then all tell each other how many boards they
   have, and those with more than their share send the others some, as messages: the oldest ones,
   which have the fewest queens, and most of the work. So the load is balanced without anyone
   knowing in advance how large the tree below a board is.

   Sources: Dijkstra, "Notes on structured programming" (1972), for the sequential
   search; Kumar, Grama and Rao, "Scalable load balancing techniques for parallel computers",
   Journal of Parallel and Distributed Computing 22 (1994).

   Cost of a tree of N nodes on p processes with budget B: R rounds, about N / (p B) and those at
   the start and the end in which not all have work. A round has two supersteps, w = B boards, h =
   p - 1 + 4 m words if a process sends or gets m boards: R (B + (p - 1 + 4 m) g + 2 l). */
#include "common.h"

#define MOST 12
/* Boards of a process at most. */
#define BOARDS 1024

static struct parameter parameters[] = {{8, 1, MOST}, {0, 0, PROCESSES}, {100, 1, 100000}};
static int status;

/* Where no queen of the next row may stand, as bits: columns, and diagonals that go to the left and
   to the right. */
struct board {
    unsigned columns, left, right;
    unsigned char row, first_column;
};

static const struct board EMPTY;
static struct board stack[BOARDS];
static int height;
/* Boards of each process. */
static int counts[PROCESSES];
/* Solutions by the column of the first row's queen; on the first process, those of all processes.
   */
static int solutions[MOST], of_all[PROCESSES][MOST];

/* A board with one more queen. */
static struct board with_queen(struct board board, unsigned column)
{
    unsigned bit = 1u << column;

    board.columns |= bit;
    board.left = (board.left | bit) << 1;
    board.right = (board.right | bit) >> 1;
    board.first_column = board.row == 0 ? (unsigned char)column : board.first_column;
    board.row++;
    return board;
}

static void push(struct board board)
{
    if (height == BOARDS)
        bsp_abort("process %d has more than %d boards\n", bsp_pid(), BOARDS);
    stack[height++] = board;
}

/* Takes a board, and pushes those with one more queen, or counts them if they are full. */
static void expand(int n)
{
    struct board board = stack[--height];
    unsigned attacked = board.columns | board.left | board.right;

    for (unsigned column = 0; column < (unsigned)n; column++)
        if (!(attacked >> column & 1)) {
            struct board next = with_queen(board, column);

            if (next.row == n)
                solutions[next.first_column]++;
            else
                push(next);
        }
}

/* Sends what this process has beyond its share of `all` boards to those that lack some. The boards
   that are to be sent stand in one row, process by process, and so do the places where they are
   wanted. */
static void send_surplus(int all)
{
    int p = bsp_nprocs(), me = bsp_pid(), surplus = counts[me] - block_length(all, me);
    int at = 0, place = 0, sent = 0;

    for (int pid = 0; pid < me; pid++)
        at += counts[pid] > block_length(all, pid) ? counts[pid] - block_length(all, pid) : 0;
    for (int pid = 0; pid < p && sent < surplus; pid++) {
        int end = place + (counts[pid] < block_length(all, pid) ? block_length(all, pid) - counts[pid] : 0);
        int count = end - at < surplus - sent ? end - at : surplus - sent;

        if (count > 0) {
            bsp_send(pid, NULL, stack + sent, count * (int)sizeof *stack);
            sent += count;
            at += count;
        }
        place = end;
    }
    memmove(stack, stack + sent, (height - sent) * sizeof *stack);
    height -= sent;
}

static void receive_boards(void)
{
    int messages;

    for (bsp_qsize(&messages, NULL); messages > 0; messages--) {
        int bytes, count;

        bsp_get_tag(&bytes, NULL);
        count = bytes / (int)sizeof *stack;
        if (height + count > BOARDS)
            bsp_abort("process %d has more than %d boards\n", bsp_pid(), BOARDS);
        /* Below its own: they are the oldest ones. */
        memmove(stack + count, stack, height * sizeof *stack);
        bsp_move(stack, bytes);
        height += count;
    }
}

/* Counts the solutions: those that this process has found. */
static void search(int n, int budget)
{
    int p = bsp_nprocs(), me = bsp_pid(), all;

    if (me == 0)
        push(EMPTY);
    do {
        for (int left = budget; left > 0 && height > 0; left--)
            expand(n);
        for (int pid = 0; pid < p; pid++)
            bsp_put(pid, &height, counts, me * (int)sizeof height, sizeof height);
        bsp_sync();
        all = 0;
        for (int pid = 0; pid < p; pid++)
            all += counts[pid];
        send_surplus(all);
        bsp_sync();
        receive_boards();
    } while (all > 0);
}

/* The same on one process, without bits: the solutions that begin with these columns of queens. */
static int count_solutions(int n, int *columns, int rows)
{
    int count = 0;

    for (int row = 0; row < rows - 1; row++) {
        int distance = abs(columns[row] - columns[rows - 1]);

        if (distance == 0 || distance == rows - 1 - row)
            return 0;
    }
    if (rows == n)
        return 1;
    for (int column = 0; column < n; column++) {
        columns[rows] = column;
        count += count_solutions(n, columns, rows + 1);
    }
    return count;
}

static void spmd(void)
{
    begin(parameters, COUNT(parameters));
    int n = parameters[0].value, p = bsp_nprocs(), me = bsp_pid();

    bsp_push_reg(counts, sizeof counts);
    bsp_push_reg(of_all, sizeof of_all);
    start_clock();
    search(n, parameters[2].value);
    bsp_put(0, solutions, of_all, me * (int)sizeof *of_all, sizeof solutions);
    bsp_sync();
    stop_clock();

    /* Element i: the solutions whose first queen stands in column i. */
    for (int column = 0; me == 0 && column < n; column++) {
        int columns[MOST] = {column}, found = 0;

        for (int pid = 0; pid < p; pid++)
            found += of_all[pid][column];
        compare(column, found, count_solutions(n, columns, 1));
    }
    status = conclude("queens", n);
    bsp_end();
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    read_parameters(parameters, COUNT(parameters), "queens [N (up to 12) [PROCESSES [BUDGET]]]", argc, argv);
    spmd();
    return status;
}
