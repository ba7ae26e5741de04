/* Shows and checks how errors are told to a C program: errno, which every thread has for itself, strerror, perror, assert; and rand. Ends with an
   assertion that does not hold. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tos.h>

#define CHILD 2
#define PAGES 4

static int numbers[100];

/* On another processor, with an errno of its own. */
static void child(void)
{
    assert(errno == 0);
    strtol("99999999999", NULL, 10);
    assert(errno == ERANGE);
    send_block(1, NULL, 0);
    exit(0);
}

static void check_random(void)
{
    unsigned seed = 7;
    int buckets[8] = {0}, first = rand();
    srand(1);
    assert(rand() == first);
    for (int at = 0; at < 8000; at++) {
        int number = rand();
        assert(number >= 0 && number <= RAND_MAX);
        buckets[number / (RAND_MAX / 8 + 1)]++;
    }
    for (int at = 0; at < 8; at++)
        assert(buckets[at] > 900 && buckets[at] < 1100);
    for (int at = 0; at < 100; at++)
        numbers[at] = rand_r(&seed);
    seed = 7;
    for (int at = 0; at < 100; at++)
        assert(rand_r(&seed) == numbers[at]);
}

int main(void)
{
    assert(!fopen("nothing", "r") && errno == ENOENT);
    perror("nothing");
    assert(remove("nothing") != 0 && errno == ENOENT);
    assert(!malloc(1 << 20) && errno == ENOMEM);
    perror(NULL);
    assert(create(CHILD, PAGES, -1, child, stack_for(PAGES)));
    receive(1, NULL, 0);
    assert(errno == ENOMEM);
    printf("%s, %s, %s\n", strerror(0), strerror(ERANGE), strerror(TOS_CHANNEL_IN_USE));
    check_random();
    assert(wait() == 0);
    printf("not ended by a newline");
    fflush(stdout);
    printf("\nthe next does not hold\n");
    assert(errno == 0 && "as it should not be");
    return 0;
}
