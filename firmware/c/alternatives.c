/* alt and fair_alt in C: who is heard when several send, how a list is refused, and what is left alone then. Exit code 0 if all is as it should be. */
#include <stdio.h>
#include <stdlib.h>
#include <tos.h>

#define PAGES 4
#define SENDERS 3
#define MESSAGES 8
#define FIRST 10
#define LATE 20

static int wrong;
static const unsigned char channels[SENDERS] = {FIRST, FIRST + 1, FIRST + 2};

static void check(const char *what, int is_right)
{
    printf("%s: %s\n", what, is_right ? "right" : "WRONG");
    wrong += !is_right;
}

/* Sends its id, again and again. */
static void sender(void)
{
    unsigned char id = thread_id();
    int failed = 0;
    for (int message = 0; message < MESSAGES; message++)
        failed += send_block(FIRST + id - 2, &id, 1) != 1;
    exit(failed);
}

static void late(void)
{
    delay_us(5000);
    exit(send_block(LATE, "late", 4) != 4);
}

static void start(int id, int on, void (*entry)(void))
{
    if (tos_create(id, PAGES, on, entry, stack_for(PAGES)) < 0)
        exit(HALT);
}

typedef int any_alt(const unsigned char *, int, void *, int, unsigned, int *);

/* Whom it hears, in order: senders are written as a, b, c. All that are left have made their next message before each. */
static void listen(const char *what, any_alt *call, const unsigned char *list, int count, int *which, int times)
{
    char heard[SENDERS * MESSAGES + 1] = "";
    for (int at = 0; at < times; at++) {
        unsigned char id = 0;
        delay_us(1000);
        int bytes = call(list, count, &id, 1, FOREVER, which);
        /* What came is from the sender whose channel has that place in the list. */
        heard[at] = bytes == 1 && list[*which] - FIRST == id - 2 ? 'a' + id - 2 : '?';
    }
    printf("%s: %s\n", what, heard);
}

/* A list that is refused, or of which nobody sends: neither `which` nor the buffer changes. */
static void refused(const char *what, any_alt *call, const unsigned char *list, int count, int expected)
{
    int which = 1, byte = 0x55;
    int result = call(list, count, &byte, 1, 0, &which);
    check(what, result == -expected && which == 1 && byte == 0x55);
}

int main(void)
{
    static unsigned char many[129];
    const unsigned char reversed[] = {FIRST + 2, FIRST + 1, FIRST};
    const unsigned char none_such[] = {FIRST, 128}, twice[] = {FIRST, FIRST + 1, FIRST};
    const unsigned char with_late[] = {FIRST, LATE};
    char text[8] = "";
    for (int at = 0; at < 129; at++)
        many[at] = at;
    for (int turn = 0; turn < 2; turn++) {
        any_alt *call = turn ? fair_alt : alt;
        printf("%s\n", turn ? "fair_alt" : "alt");
        refused("no channels", call, channels, 0, TOS_BAD_LENGTH);
        refused("less than none", call, channels, -1, TOS_BAD_LENGTH);
        refused("129 channels", call, many, 129, TOS_BAD_LENGTH);
        refused("channel 128", call, none_such, 2, TOS_BAD_CHANNEL);
        refused("a channel twice", call, twice, 3, TOS_BAD_CHANNEL);
        refused("nobody sends", call, channels, SENDERS, TOS_TIMEOUT);
    }

    int which = -1;
    for (int id = 0; id < SENDERS; id++)
        start(2 + id, id % 2 ? processor() : processor() + 1, sender);
    /* The first in the list, and nobody else as long as it sends. */
    listen("alt", alt, channels, SENDERS, &which, 3);
    /* Behind the one before, each has its turn; from place 2 on it begins again with the first. */
    which = -1;
    listen("fair_alt", fair_alt, channels, SENDERS, &which, 6);
    which = 1;
    listen("fair_alt behind place 1", fair_alt, channels, SENDERS, &which, 2);
    /* A place that is none means the first. */
    which = SENDERS;
    listen("fair_alt behind a place too many", fair_alt, channels, SENDERS, &which, 1);
    which = -7;
    listen("fair_alt behind a place too few", fair_alt, reversed, SENDERS, &which, 1);
    which = 0x7fffffff;
    listen("fair_alt behind the greatest place", fair_alt, reversed, 2, &which, 2);
    listen("fair_alt to the end", fair_alt, channels, SENDERS, &which, SENDERS * MESSAGES - 15);
    check("senders", wait() == 0);

    which = 0;
    start(5, processor() + 2, late);
    refused("a late sender, too early", fair_alt, with_late, 2, TOS_TIMEOUT);
    int bytes = fair_alt(with_late, 2, text, sizeof text, FOREVER, &which);
    check("a late sender", bytes == 4 && which == 1 && text[0] == 'l' && text[3] == 'e' && text[4] == 0);
    check("its thread", wait() == 0);
    printf("alternatives: %d wrong\n", wrong);
    return wrong;
}
