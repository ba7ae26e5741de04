#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 500, MOST = 16 };
static int given[MOST][WORDS], taken[MOST][WORDS], read[MOST];

int main(int argc, char *argv[]) {
    bsp_begin(argc > 1 ? atoi(argv[1]) : 5);
    int me = bsp_pid(), all = bsp_nprocs();
    bsp_push_reg(taken, sizeof taken);
    bsp_push_reg(given, sizeof given);
    bsp_sync();
    for (int to = 0; to < all; to++) {
        for (int word = 0; word < WORDS; word++) given[to][word] = 1000 * me + to + word;
        if (to >= me || argc > 2) bsp_put(to, given[to], taken, me * sizeof given[to], sizeof given[to]);
    }
    if (argc > 2) for (int from = 0; from < all; from++) bsp_get(from, given, 4 * me, &read[from], 4);
    bsp_end();
    int wrong = 0;
    for (int from = 0; from < all; from++)
        for (int word = 0; word < WORDS; word++) {
            int wanted = me >= from || argc > 2 ? 1000 * from + me + word : 0;
            wrong += taken[from][word] != wanted;
        }
    for (int from = 0; argc > 2 && from < all; from++) wrong += read[from] != 1000 * from + me;
    printf("%d of %d: %d wrong\n", me, all, wrong);
    return wrong != 0;
}
