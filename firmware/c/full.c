/* What files are refused: names that the filestore can't take, more than it has room for, files that are there already, streams that are too many.
   What was there before stays. Exit code 0 if all is as it should be. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tos.h>

#define PAGE 1024
#define LARGEST (512 * 1024L)
#define PAGES 6
#define THREADS 4
#define TURNS 10
#define MOST 64

static int wrong;

static void check(const char *what, int is_right)
{
    printf("%s: %s\n", what, is_right ? "right" : "WRONG");
    wrong += !is_right;
}

static long size_of(const char *name)
{
    struct stat found;
    return stat(name, &found) == 0 && S_ISREG(found.st_mode) ? (long)found.st_size : -1;
}

static const char *numbered(const char *text, int number)
{
    static char name[FILENAME_MAX];
    snprintf(name, sizeof name, "%s%d", text, number);
    return name;
}

/* A file of so many bytes; 0 if it could not be made so large. */
static int make(const char *name, long bytes)
{
    FILE *file = fopen(name, "w");
    if (!file)
        return 0;
    fseek(file, bytes - 1, SEEK_SET);
    fputc('x', file);
    return fclose(file) == 0;
}

static void names(void)
{
    static const char *const bad[] = {"", "twenty-five-bytes-is-long", "a/b", "/a", "a b", "a\n", "\xc3\xa4"};
    static const char good[] = "twenty-four-bytes-are-ok";
    int count = sizeof bad / sizeof *bad, refused = 0;
    make("f", 1);
    for (int at = 0; at < count; at++) {
        errno = 0;
        refused += !fopen(bad[at], "r") && errno == ENAMETOOLONG;
        errno = 0;
        refused += !fopen(bad[at], "w") && errno == ENAMETOOLONG;
        errno = 0;
        refused += !fopen(bad[at], "wx") && errno == ENAMETOOLONG;
        errno = 0;
        refused += rename("f", bad[at]) != 0 && errno == ENAMETOOLONG && remove(bad[at]) != 0 && size_of(bad[at]) == -1;
    }
    check("names that no file can have", refused == 4 * count && size_of("f") == 1);
    check("the longest one", strlen(good) + 1 == FILENAME_MAX && make(good, 3) && size_of(good) == 3 && size_of("twenty-four-bytes-are-o") == -1 && remove(good) == 0);
    make("g", 2);
    errno = 0;
    check("a name that another file has", rename("f", "g") != 0 && errno == EEXIST && size_of("f") == 1 && size_of("g") == 2);
    remove("g");
    remove("f");
}

static void removed(void)
{
    char byte;
    make("f", 1);
    FILE *file = fopen("f", "r");
    remove("f");
    errno = 0;
    check("a file that is removed while it is open", fread(&byte, 1, 1, file) == 0 && errno == ENOENT && ferror(file) && !feof(file));
    fclose(file);
}

static void too_large(void)
{
    FILE *file = fopen("f", "w");
    fseek(file, LARGEST - 3, SEEK_SET);
    check("it stays in the buffer", fputs("abc", file) != EOF && fflush(file) == 0 && fputs("def", file) != EOF && !ferror(file));
    errno = 0;
    check("more bytes than a file has", fflush(file) == EOF && errno == EFBIG && ferror(file));
    errno = 0;
    check("it is told at the end too", fclose(file) == EOF && errno == EFBIG && size_of("f") == LARGEST);
    remove("f");
}

/* All that files may have, to the last page: an empty file has one too. */
static int fill(void)
{
    int count = 0;
    FILE *empty;
    for (long bytes = LARGEST; bytes >= PAGE; bytes /= 2)
        while (make(numbered("fill", count), bytes))
            count++;
    remove(numbered("fill", count));
    while ((empty = fopen(numbered("fill", count), "w"))) {
        fclose(empty);
        count++;
    }
    return count;
}

static void full(void)
{
    FILE *file = fopen("f", "w+");
    fputs("before", file);
    fflush(file);
    int count = fill();
    fseek(file, PAGE, SEEK_SET);
    errno = 0;
    check("no room for more", count > 2 && fputs("behind", file) != EOF && fflush(file) == EOF && errno == ENOSPC && ferror(file));
    check("a page that is there is written on", size_of("f") == 6);
    errno = 0;
    check("nor for another file", !fopen("g", "w") && errno == ENOSPC && size_of("g") == -1 && !tmpfile() && errno == ENOSPC);
    int right = 1;
    for (long at = 0; right && at < 300; at++)
        right = fputc('y', file) == 'y' || errno == ENOSPC;
    check("but in the buffer", right && ferror(file));
    remove(numbered("fill", 0));
    clearerr(file);
    char text[20];
    check("with room, what is in the buffer is written", fflush(file) == 0 && fseek(file, PAGE, SEEK_SET) == 0 && fgets(text, 9, file) && strcmp(text, "behindyy") == 0);
    check("and all that was there is there", fseek(file, 0, SEEK_SET) == 0 && fgets(text, 7, file) && strcmp(text, "before") == 0 && fgetc(file) == 0 && fclose(file) == 0);
    for (int at = 0; at < count; at++)
        remove(numbered("fill", at));
    remove("f");
}

/* Files that are there, and those that can still be. */
static void places(void)
{
    int count = 0;
    while (make(numbered("p", count), 1))
        count++;
    errno = 0;
    check("no place for one more", count > 1 && count <= MOST && !fopen("more", "w") && errno == ENOSPC);
    errno = 0;
    check("nor by x", !fopen("more", "wx") && errno == ENOSPC && !fopen("p0", "wx") && errno == EEXIST);
    check("those that are there can be written", make("p0", 2) && size_of("p0") == 2 && remove("p0") == 0 && make("more", 1));
    remove("more");
    while (--count > 0)
        remove(numbered("p", count));
}

static void streams(void)
{
    FILE *files[FOPEN_MAX];
    int right = 0;
    for (int at = 0; at < FOPEN_MAX; at++)
        right += (files[at] = tmpfile()) != NULL;
    errno = 0;
    check("as many streams as can be", right == FOPEN_MAX && !fopen("f", "w") && errno == EMFILE && size_of("f") == -1);
    check("one more when one is closed", fclose(files[3]) == 0 && (files[3] = fopen("f", "w")) && remove("f") == 0);
    for (int at = 0; at < FOPEN_MAX; at++)
        fclose(files[at]);
}

/* Who makes the file has it alone, whoever else tries to. */
static volatile int inside, entered, together;
static void contender(void)
{
    for (int turn = 0; turn < TURNS; turn++) {
        FILE *file;
        while (!(file = fopen("lock", "wx")))
            yield_now();
        together += inside++ != 0;
        entered++;
        delay_us(700);
        inside--;
        fclose(file);
        remove("lock");
    }
    exit(0);
}

int main(void)
{
    struct stat found;
    names();
    removed();
    too_large();
    full();
    places();
    streams();
    for (int id = 2; id < 2 + THREADS; id++)
        if (tos_create(id, PAGES, processor(), contender, stack_for(PAGES)) < 0)
            exit(HALT);
    check("one at a time makes a file by x", wait() == 0 && entered == THREADS * TURNS && together == 0);
    int left = 0;
    for (const char *const *name = (const char *const[]){"f", "g", "more", "lock", "x~0", "x~1", NULL}; *name; name++)
        left += stat(*name, &found) == 0;
    check("nothing is left", left == 0);
    printf("full: %d wrong\n", wrong);
    return wrong;
}
