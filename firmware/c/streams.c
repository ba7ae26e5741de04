/* Streams of threads on several processors. A file is open on the processor whose file it is: what ends or is flushed on another processor must not
   take its bytes, who uses the stream there is told, and threads with files of their own do not get in each other's way. Exit code 0 if all is as it
   should be. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <tos.h>

#define PAGES 6
/* Channels: to go on, and that it is done. */
enum { WRITE_ON = 1, WRITTEN, USE, USED };

static FILE *shared;
static int wrong;

static void check(const char *what, int is_right)
{
    printf("%s: %s\n", what, is_right ? "right" : "WRONG");
    wrong += !is_right;
}

static void start(int id, int on, void (*entry)(void))
{
    if (tos_create(id, PAGES, on, entry, stack_for(PAGES)) < 0)
        exit(HALT);
}

static int has(FILE *file, const char *text)
{
    rewind(file);
    while (*text)
        if (fgetc(file) != *text++)
            return 0;
    return fgetc(file) == EOF && feof(file);
}

/* On processor 2: has a stream with bytes that are in no file yet while others end and flush elsewhere. */
static void writer(void)
{
    FILE *file = fopen("one", "w+");
    check("a file is open on processor 2", processor() == 2 && file != NULL);
    fputs("written on 2", file);
    shared = file;
    send_block(WRITTEN, NULL, 0);
    receive(WRITE_ON, NULL, 0);
    check("it has what was written", has(file, "written on 2"));
    fputs(", and more", file);
    send_block(WRITTEN, NULL, 0);
    receive(WRITE_ON, NULL, 0);
    check("nothing has failed any more", !ferror(file));
    check("it has what was written since", has(file, "written on 2, and more"));
    exit(fclose(file) != 0 || remove("one") != 0);
}

static void nothing(void)
{
    exit(0);
}

/* On processor 3: ends a thread and flushes all there is; then it uses the stream itself, when a file of its own has the same place in its filestore as
   the other one has on processor 2. */
static void other(void)
{
    start(4, 3, nothing);
    wait();
    fflush(NULL);
    send_block(USED, NULL, 0);
    receive(USE, NULL, 0);
    FILE *own = fopen("two", "w+");
    fputs("written on 3", own);
    fflush(own);
    errno = 0;
    check("it can't be written to on processor 3", fflush(shared) == EOF && errno == TOS_NOT_HERE && ferror(shared));
    /* Its other thread has read to the end. */
    clearerr(shared);
    errno = 0;
    check("nor read", fgetc(shared) == EOF && errno == TOS_NOT_HERE);
    clearerr(shared);
    check("the file there is as it was", has(own, "written on 3"));
    fclose(own);
    remove("two");
    send_block(USED, NULL, 0);
    exit(0);
}

/* Opens a file, and comes back to it from another processor. */
static void traveller(void)
{
    FILE *file = fopen("three", "w+");
    int home = processor();
    fputs("before", file);
    migrate(0, -1, home + 1);
    errno = 0;
    check("a thread that has left can't write", fflush(file) == EOF && errno == TOS_NOT_HERE);
    errno = 0;
    check("nor close", fclose(file) == EOF && errno == TOS_NOT_HERE);
    migrate(0, -1, home);
    rewind(file);
    check("when it has come back it can", has(file, "before"));
    fclose(file);
    remove("three");
    exit(0);
}

#define BYTES 2000
static void busy(void)
{
    char name[] = {'b', '0' + processor(), 0};
    FILE *file = fopen(name, "w+");
    for (int at = 0; at < BYTES; at++)
        fputc(at % 251, file);
    rewind(file);
    for (int at = 0; at < BYTES; at++)
        if (fgetc(file) != at % 251)
            exit(1);
    exit(fclose(file) != 0 || remove(name) != 0);
}

/* So many files can be open, and no more; all of them at once have what was written to each. */
static void most(void)
{
    FILE *files[FOPEN_MAX];
    char name[] = "f0";
    int right = 0;
    for (int at = 0; at < FOPEN_MAX; at++) {
        name[1] = '0' + at;
        files[at] = fopen(name, "w+");
        right += files[at] && fputc('a' + at, files[at]) != EOF;
    }
    check("as many files as can be open", right == FOPEN_MAX);
    errno = 0;
    check("one more", !fopen("more", "w") && errno == EMFILE);
    right = 0;
    for (int at = 0; at < FOPEN_MAX; at++) {
        char text[] = {'a' + at, 0};
        name[1] = '0' + at;
        right += has(files[at], text) && fclose(files[at]) == 0 && remove(name) == 0;
    }
    check("each has its own", right == FOPEN_MAX && fclose(files[0]) == EOF);
}

/* A stream that something has failed on says so when it is closed, and what. */
static void failing(void)
{
    FILE *file = fopen("four", "w");
    fputs("four", file);
    fclose(file);
    file = fopen("four", "r");
    errno = 0;
    check("what is open to read can't be written", fputc('x', file) == EOF && errno == EBADF && ferror(file));
    errno = 0;
    check("its end says so again", fclose(file) == EOF && errno == EBADF);
    file = fopen("four", "r");
    fputc('x', file);
    clearerr(file);
    errno = 0;
    check("unless that was cleared", fclose(file) == 0 && errno == 0);
    remove("four");
}

int main(void)
{
    failing();
    start(2, 2, writer);
    receive(WRITTEN, NULL, 0);
    start(3, 3, other);
    receive(USED, NULL, 0);
    send_block(WRITE_ON, NULL, 0);
    receive(WRITTEN, NULL, 0);
    send_block(USE, NULL, 0);
    receive(USED, NULL, 0);
    send_block(WRITE_ON, NULL, 0);
    check("threads", wait() == 0);
    start(5, 2, traveller);
    check("threads", wait() == 0);
    unsigned before = clock_us();
    start(6, 2, busy);
    check("alone", wait() == 0);
    unsigned alone = clock_us() - before;
    before = clock_us();
    start(7, 2, busy);
    start(8, 3, busy);
    start(9, 4, busy);
    check("beside others", wait() == 0);
    check("do not hold each other up", clock_us() - before < 4 * alone);
    most();
    printf("streams: %d wrong\n", wrong);
    return wrong;
}
