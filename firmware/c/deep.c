/* Goes so many calls deep, of 1 KiB each, beside a thread that has a stack of its own below:
   `deep CALLS`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tos.h>

enum { FRAME = 1000, CHILD = 2, PAGES = 4, CHANNEL = 1 };

static int deep(int calls)
{
    volatile char frame[FRAME];
    memset((char *)frame, calls, FRAME);
    int below = calls ? deep(calls - 1) : 0;
    return below + (frame[FRAME / 2] == (char)calls);
}

static void child(void)
{
    int kept[3 * 256], told;
    for (int i = 0; i < 3 * 256; i++)
        kept[i] = i;
    receive(CHANNEL, &told, sizeof told);
    for (int i = 0; i < 3 * 256; i++)
        if (kept[i] != i)
            exit(3);
    exit(0);
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 10;
    if (tos_create(CHILD, PAGES, -1, child, stack_for(PAGES)) < 0)
        return 2;
    printf("%d calls of %d\n", deep(calls), calls + 1);
    send_block(CHANNEL, &calls, sizeof calls);
    return wait();
}
