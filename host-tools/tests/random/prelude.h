/* What random programs in C are made of; c_source.rs writes the rest. SMALL is defined for the kernel that has messages and threads and nothing else:
   then nothing of stdio, the heap or shared memory is used. */
#include <stddef.h>
#include <stdint.h>
#include <tos.h>
#ifndef SMALL
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#else
void exit(int code) __attribute__((noreturn));
#endif

#define GUARD 0xa5
#define PROGRESS 0x80
#define CELLS 16
#define IDS 64

struct actor {
    int me;
    unsigned step, sum, wrong;
};

struct message {
    uint32_t key, bytes;
};

static void console(const void *text, unsigned bytes)
{
    const char *from = text;
    while (bytes > 0) {
        register uint32_t a0 asm("a0") = (uint32_t)from, a1 asm("a1") = bytes, a2 asm("a2") = 0, a7 asm("a7") = 7;
        asm volatile("ecall" : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a7)::"a3", "a4", "a5", "a6", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "memory");
        if ((int)a0 < 0)
            return;
        if (a0 == 0)
            yield_now();
        from += a0;
        bytes -= a0;
    }
}

static char *put(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

static char *put_number(char *at, unsigned value)
{
    if (value >= 10)
        at = put_number(at, value / 10);
    *at++ = '0' + value % 10;
    return at;
}

static char *put_hexadecimal(char *at, uint32_t value)
{
    at = put(at, "0x");
    for (int shift = 28; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[value >> shift & 15];
    return at;
}

static void line(const char *what, unsigned number, const char *then, uint32_t value)
{
    char text[96], *at = put_number(put(text, what), number);
    at = put_hexadecimal(put(at, then), value);
    *at++ = '\n';
    console(text, at - text);
}

static void check(struct actor *actor, int is_right, const char *what, int found)
{
    if (!is_right) {
        actor->wrong++;
        char text[64], *at = put(text, ", wrong ");
        at = put(put(at, what), ", found ");
        *at = 0;
        line("step ", actor->step, text, found);
    }
}

/* Ends the program if a call failed. */
static int done(struct actor *actor, int result)
{
    if (result < 0) {
        line("thread ", actor->me, ", failed with ", -result);
        line("step ", actor->step, " ", 0);
        exit(HALT);
    }
    return result;
}

static void progress(struct actor *actor)
{
    unsigned char byte = PROGRESS + actor->me + 1;
    actor->step++;
    console(&byte, 1);
}

static uint8_t byte_of(struct message message, uint32_t at)
{
    return (message.key + at / 4 * 0x9e3779b1u) >> 8 * (at & 3);
}

static void fill(struct message message, uint8_t *buffer)
{
    for (uint32_t at = 0; at < message.bytes; at++)
        buffer[at] = byte_of(message, at);
}

static int is_in(struct message message, const uint8_t *buffer, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at++)
        if (buffer[at] != byte_of(message, at))
            return 0;
    return 1;
}

static uint32_t hash(const uint8_t *bytes, uint32_t count)
{
    uint32_t all = 0;
    for (uint32_t at = 0; at < count; at += 4) {
        uint32_t word = 0;
        for (uint32_t in = 0; in < 4 && at + in < count; in++)
            word |= (uint32_t)bytes[at + in] << 8 * in;
        all = (all << 5 | all >> 27) ^ word;
    }
    return all * 31 + count;
}

static void do_send(struct actor *actor, int channel, uint32_t key, uint32_t bytes, uint32_t taken, uint8_t *buffer)
{
    struct message message = {key, bytes};
    fill(message, buffer);
    int sent = done(actor, send_block(channel, buffer, bytes));
    check(actor, (uint32_t)sent == taken, "bytes taken", sent);
    check(actor, is_in(message, buffer, bytes), "bytes in the sender's buffer", channel);
    progress(actor);
}

static void received(struct actor *actor, struct message message, uint32_t bytes, uint32_t room, const uint8_t *buffer)
{
    check(actor, bytes == (message.bytes < room ? message.bytes : room), "bytes received", bytes);
    check(actor, buffer[room] == GUARD, "byte behind the receiver's room", buffer[room]);
    if (bytes > room)
        bytes = room;
    check(actor, is_in(message, buffer, bytes), "bytes in the receiver's buffer", bytes);
    actor->sum += hash(buffer, bytes);
}

static void do_receive(struct actor *actor, int channel, uint32_t key, uint32_t bytes, uint32_t room, uint8_t *buffer)
{
    struct message message = {key, bytes};
    buffer[room] = GUARD;
    received(actor, message, done(actor, receive(channel, buffer, room)), room, buffer);
    progress(actor);
}

static __attribute__((noinline)) unsigned deep(unsigned pages, uint32_t me)
{
    volatile uint32_t frame[224];
    for (unsigned at = 0; at < 224; at++)
        frame[at] = pages * 0x85ebca77u ^ me << 16 ^ at;
    unsigned wrong = pages > 1 ? deep(pages - 1, me) : 0;
    for (unsigned at = 0; at < 224; at++)
        wrong += frame[at] != (pages * 0x85ebca77u ^ me << 16 ^ at);
    return wrong;
}

static void do_deep(struct actor *actor, unsigned pages)
{
    unsigned wrong = deep(pages, actor->me);
    check(actor, wrong == 0, "words of deep pages", wrong);
    progress(actor);
}

static void do_compute(struct actor *actor, unsigned microseconds)
{
    for (volatile unsigned turns = microseconds; turns > 0; turns--)
        ;
    progress(actor);
}

static void do_yield(struct actor *actor, unsigned times)
{
    while (times-- > 0)
        yield_now();
    progress(actor);
}

static void do_create(struct actor *actor, int child, int processor, int pages, uint32_t top, void (*entry)(void))
{
    done(actor, tos_create(child + 1, pages, processor, entry, (void *)top));
    progress(actor);
}

static void do_wait(struct actor *actor)
{
    int failed = wait();
    check(actor, failed == 0, "children", failed);
    progress(actor);
}

static void tell(struct actor *actor)
{
    line("thread ", actor->me, ": ", actor->sum);
}

#ifndef SMALL
/* Lamport's fast mutual exclusion. */
static volatile uint8_t lock_first, lock_owner, lock_wants[IDS];
static volatile uint32_t cells[CELLS];

static void until_free(void)
{
    while (lock_owner != 0)
        yield_now();
}

static void enter(uint8_t me)
{
    for (;;) {
        lock_wants[me] = 1;
        lock_first = me;
        if (lock_owner != 0) {
            lock_wants[me] = 0;
            until_free();
            continue;
        }
        lock_owner = me;
        if (lock_first == me)
            return;
        lock_wants[me] = 0;
        for (int other = 0; other < IDS; other++)
            while (lock_wants[other])
                yield_now();
        if (lock_owner == me)
            return;
        until_free();
    }
}

static void do_add(struct actor *actor, int cell, uint32_t amount, unsigned times)
{
    uint8_t me = actor->me + 1;
    while (times-- > 0) {
        enter(me);
        cells[cell] += amount;
        lock_owner = 0;
        lock_wants[me] = 0;
    }
    progress(actor);
}

static void tell_cells(void)
{
    uint32_t all = 0;
    for (int cell = 0; cell < CELLS; cell++)
        all = all * 31 + cells[cell];
    printf("cells: 0x%08lx\n", (unsigned long)all);
}

/* A block of the heap; waits while there is none. */
static uint8_t *block(uint32_t bytes)
{
    uint8_t *block;
    while (!(block = malloc(bytes))) {
        if (errno != ENOMEM)
            printf("malloc: errno is %d\n", errno);
        yield_now();
    }
    return block;
}

static void do_send_heap(struct actor *actor, int channel, uint32_t key, uint32_t bytes, uint32_t taken, unsigned offset)
{
    uint8_t *buffer = block(bytes + offset);
    do_send(actor, channel, key, bytes, taken, buffer + offset);
    free(buffer);
}

static void do_receive_heap(struct actor *actor, int channel, uint32_t key, uint32_t bytes, uint32_t room, unsigned offset)
{
    uint8_t *buffer = block(room + 1 + offset);
    do_receive(actor, channel, key, bytes, room, buffer + offset);
    free(buffer);
}

struct alternative {
    uint8_t channel;
    unsigned count;
    const struct message *messages;
};

static void do_alt(struct actor *actor, unsigned timeout, uint32_t room, uint8_t *buffer, const struct alternative *list, int count)
{
    struct alternative left[16];
    memcpy(left, list, count * sizeof *list);
    while (count > 0) {
        uint8_t channels[16];
        int which = -1;
        for (int at = 0; at < count; at++)
            channels[at] = left[at].channel;
        buffer[room] = GUARD;
        int bytes = alt(channels, count, buffer, room, timeout, &which);
        if (bytes == -TOS_TIMEOUT && timeout != FOREVER)
            continue;
        done(actor, bytes);
        received(actor, *left[which].messages++, bytes, room, buffer);
        if (--left[which].count == 0)
            left[which] = left[--count];
    }
    progress(actor);
}

static void do_alt_heap(struct actor *actor, unsigned timeout, uint32_t room, unsigned offset, const struct alternative *list, int count)
{
    uint8_t *buffer = block(room + 1 + offset);
    do_alt(actor, timeout, room, buffer + offset, list, count);
    free(buffer);
}

static void do_migrate(struct actor *actor, int to)
{
    if (processor() != to)
        done(actor, migrate(0, -1, to));
    progress(actor);
}

static void do_push(struct actor *actor, int other, int from, int to)
{
    migrate((thread_number() & ~0x3f) | (other + 1), from, to);
    progress(actor);
}

static void do_delay(struct actor *actor, unsigned microseconds)
{
    delay_us(microseconds);
    progress(actor);
}

static void do_file(struct actor *actor, uint32_t key, uint32_t bytes)
{
    char name[16];
    struct message message = {key, bytes};
    FILE *file;
    uint32_t at;
    sprintf(name, "f%02d", actor->me);
    while (!(file = fopen(name, "w+")) && errno == TOS_TOO_MANY_FILES)
        yield_now();
    if (!file)
        done(actor, -errno);
    for (at = 0; at < bytes; at++)
        fputc(byte_of(message, at), file);
    rewind(file);
    for (at = 0; at < bytes; at++)
        if (fgetc(file) != byte_of(message, at))
            break;
    check(actor, at == bytes, "bytes in the file", at);
    check(actor, fgetc(file) == EOF && feof(file), "end of the file", 0);
    check(actor, fclose(file) == 0 && remove(name) == 0, "end of a file", errno);
    progress(actor);
}

static void do_scribble(struct actor *actor, volatile uint32_t *mine, volatile uint32_t *flag, int yields)
{
    uint32_t count = 0;
    *mine = 0;
    while (*flag == 0) {
        count++;
        ++*mine;
        if (yields)
            yield_now();
    }
    check(actor, *mine == count, "count in a word of its own", *mine);
    progress(actor);
}

static void do_release(struct actor *actor, volatile uint32_t *flag)
{
    *flag = 1;
    progress(actor);
}

static void do_invoke(struct actor *actor, int processor, unsigned seed, int expected)
{
    char arguments[16];
    int code = -1;
    sprintf(arguments, "sub%c%08u", 0, seed);
    int process = done(actor, invoke("trial", arguments, 13, processor));
    done(actor, await_end(process, &code));
    check(actor, code == expected, "exit code", code);
    progress(actor);
}

static void do_kill(struct actor *actor, int processor, unsigned microseconds)
{
    int code = 0, process = done(actor, invoke("trial", "victim", 7, processor));
    delay_us(microseconds);
    done(actor, kill(process));
    done(actor, await_end(process, &code));
    check(actor, code == HALT, "exit code of who was killed", code);
    progress(actor);
}

/* Blocks that are all there at once, each filled, then freed from the middle on. */
static void do_heap(struct actor *actor, const unsigned *sizes, int count)
{
    uint8_t *blocks[16];
    int had;
    for (;;) {
        for (had = 0; had < count && (blocks[had] = malloc(sizes[had])); had++)
            memset(blocks[had], had + 16 * actor->me, sizes[had]);
        if (had == count)
            break;
        while (had > 0)
            free(blocks[--had]);
        yield_now();
    }
    for (int turn = 0; turn < count; turn++) {
        int at = (turn + count / 2) % count;
        unsigned byte = 0;
        while (byte < sizes[at] && blocks[at][byte] == (uint8_t)(at + 16 * actor->me))
            byte++;
        check(actor, byte == sizes[at], "bytes of a block", byte);
        free(blocks[at]);
    }
    progress(actor);
}
#else
static void tell_cells(void)
{
    console("cells: 0x00000000\n", 18);
}
#endif
