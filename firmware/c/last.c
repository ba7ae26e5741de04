/* What is put, and what is wanted, before bsp_end: everybody has it behind. Words go from each process
   to all that do not come before it, or to all if there is another argument. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 500, MOST = 16 };
static int given[MOST][WORDS], taken[MOST][WORDS], read[MOST];

static int word_of(int from, int to, int word) {
    return 1000 * from + to + word;
}

int main(int argc, char *argv[]) {
    bsp_begin(argc > 1 ? atoi(argv[1]) : 5);
    int me = bsp_pid(), all = bsp_nprocs(), to_all = argc > 2;
    bsp_push_reg(taken, sizeof taken);
    bsp_push_reg(given, sizeof given);
    bsp_sync();
    for (int to = 0; to < all; to++) {
        for (int word = 0; word < WORDS; word++)
            given[to][word] = word_of(me, to, word);
        if (to_all || to >= me)
            bsp_put(to, given[to], taken, me * sizeof given[to], sizeof given[to]);
    }
    for (int from = 0; to_all && from < all; from++)
        bsp_get(from, given, me * sizeof given[0], &read[from], sizeof read[from]);
    bsp_end();
    int wrong = 0;
    for (int from = 0; from < all; from++) {
        for (int word = 0; word < WORDS; word++)
            wrong += taken[from][word] != (to_all || me >= from ? word_of(from, me, word) : 0);
        wrong += read[from] != (to_all ? word_of(from, me, 0) : 0);
    }
    printf("%d of %d: %d wrong\n", me, all, wrong);
    return wrong != 0;
}
