/* What the programs of this folder share. Each function of such a program breaks a rule of bsp.h, and the program has to end with what the comment
   in one of its lines says, as of this line. Arguments: a function's name, and how many processes there are; without a name, all names are
   printed. */
#include <bsp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CASE(name) {#name, name}
struct misuse {
    const char *name;
    void (*function)(void);
};

static int processes;
static int x, y, large[300];

static void begin(void)
{
    bsp_begin(processes);
}

/* All processes register two areas. */
static void begin_with_areas(void)
{
    begin();
    bsp_push_reg(&x, sizeof x);
    bsp_push_reg(large, sizeof large);
    bsp_sync();
}

static int is_last(void)
{
    return bsp_pid() == bsp_nprocs() - 1;
}

static int run(const struct misuse *cases, unsigned count, int argc, char **argv)
{
    processes = argc > 2 ? atoi(argv[2]) : 3;
    for (unsigned at = 0; at < count; at++) {
        if (argc < 2)
            puts(cases[at].name);
        else if (strcmp(argv[1], cases[at].name) == 0)
            cases[at].function();
    }
    return 0;
}
