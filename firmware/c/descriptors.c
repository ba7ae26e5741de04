/* POSIX's files by number, which are the streams of C by another name. Exit code 0 if all is as it should be. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int wrong;
static char buffer[1000];

static void check(const char *what, int is_right)
{
    printf("%s: %s\n", what, is_right ? "right" : "WRONG");
    wrong += !is_right;
}

static int has(const char *name, const char *text)
{
    int file = open(name, O_RDONLY), read_bytes = read(file, buffer, sizeof buffer);
    return file > 2 && read_bytes == (int)strlen(text) && memcmp(buffer, text, read_bytes) == 0 && close(file) == 0;
}

static void opening(void)
{
    errno = 0;
    check("what is not there", open("f", O_RDONLY) == -1 && errno == ENOENT && open("f", O_RDWR | O_TRUNC) == -1);
    int file = open("f", O_WRONLY | O_CREAT | O_EXCL, 0666);
    check("made", file > 2 && write(file, "0123456789", 10) == 10 && close(file) == 0 && has("f", "0123456789"));
    errno = 0;
    check("not made again", open("f", O_WRONLY | O_CREAT | O_EXCL, 0666) == -1 && errno == EEXIST);
    file = open("f", O_WRONLY | O_CREAT, 0666);
    check("written over", write(file, "ab", 2) == 2 && close(file) == 0 && has("f", "ab23456789"));
    file = open("f", O_RDWR | O_APPEND);
    check("written at the end", lseek(file, 1, SEEK_SET) == 1 && write(file, "cd", 2) == 2 && lseek(file, -3, SEEK_CUR) == 9 && read(file, buffer, 9) == 3);
    check("closed once", close(file) == 0 && close(file) == -1 && errno == EBADF);
    file = open("f", O_WRONLY | O_TRUNC);
    check("emptied", close(file) == 0 && has("f", ""));
    file = creat("f", 0666);
    errno = 0;
    check("not read", read(file, buffer, 1) == -1 && errno == EBADF && write(file, "x", 1) == 1 && close(file) == 0);
    file = open("f", O_RDONLY);
    errno = 0;
    check("not written", write(file, "y", 1) == -1 && errno == EBADF && close(file) == 0 && has("f", "x"));
    errno = 0;
    check("no such number", read(99, buffer, 1) == -1 && errno == EBADF && lseek(-1, 0, SEEK_SET) == -1);
}

static void reading(void)
{
    int file = open("f", O_RDWR | O_CREAT | O_TRUNC, 0666), other = open("f", O_WRONLY | O_APPEND);
    for (int at = 0; at < 1000; at++)
        buffer[at] = at % 251;
    check("a long piece", write(file, buffer, 1000) == 1000 && write(file, buffer, 0) == 0 && lseek(file, 0, SEEK_END) == 1000);
    memset(buffer, 0, sizeof buffer);
    int right = lseek(file, 300, SEEK_SET) == 300 && read(file, buffer, 1000) == 700;
    for (int at = 0; at < 700; at++)
        right &= (unsigned char)buffer[at] == (at + 300) % 251;
    check("a part of it", right);
    check("the end is where it is now", read(file, buffer, 1) == 0 && write(other, "more", 4) == 4 && read(file, buffer, 9) == 4 && memcmp(buffer, "more", 4) == 0);
    check("behind the end", lseek(file, 10, SEEK_END) == 1014 && read(file, buffer, 1) == 0 && write(file, "!", 1) == 1 && lseek(file, 0, SEEK_CUR) == 1015);
    errno = 0;
    check("not ahead of the start", lseek(file, -1, SEEK_SET) == -1 && errno == EINVAL);
    close(file);
    close(other);
}

static void asking(void)
{
    struct stat found, same;
    check("what is known of a file", stat("f", &found) == 0 && found.st_size == 1015 && S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode) && found.st_nlink == 1);
    int file = open("f", O_RDONLY);
    check("by number", fstat(file, &same) == 0 && same.st_size == 1015 && same.st_ino == found.st_ino && same.st_dev == found.st_dev && close(file) == 0);
    errno = 0;
    check("of none", stat("none", &found) == -1 && errno == ENOENT && fstat(99, &found) == -1 && errno == EBADF);
    check("a folder", stat("/", &found) == 0 && S_ISDIR(found.st_mode) && stat(".", &found) == 0 && S_ISDIR(found.st_mode));
    errno = 0;
    check("access", access("f", F_OK) == 0 && access("f", R_OK | W_OK) == 0 && access("f", X_OK) == -1 && errno == EACCES && access("none", F_OK) == -1 && errno == ENOENT);
}

static void with_streams(void)
{
    FILE *file = fopen("f", "w+");
    int number = fileno(file);
    check("a stream has a number", number > 2 && fputs("one ", file) != EOF && fflush(file) == 0 && write(number, "two", 3) == 3 && fstat(number, &(struct stat){0}) == 0);
    check("and its place", fseek(file, 0, SEEK_SET) == 0 && fscanf(file, "%s", buffer) == 1 && strcmp(buffer, "one") == 0 && ftell(file) == 3);
    check("until it is closed", fclose(file) == 0 && has("f", "one two"));
    number = open("f", O_RDONLY);
    file = fdopen(number, "r");
    check("a number has a stream", file && fgets(buffer, 5, file) && strcmp(buffer, "one ") == 0 && fileno(file) == number && fclose(file) == 0);
    number = open("f", O_RDONLY);
    errno = 0;
    check("if it can be used so", !fdopen(number, "w") && errno == EINVAL && close(number) == 0);
    check("the standard ones", fileno(stdin) == STDIN_FILENO && fileno(stdout) == STDOUT_FILENO && fileno(stderr) == STDERR_FILENO);
}

static void lines(void)
{
    char *line = NULL;
    size_t bytes = 0;
    FILE *file = fopen("f", "w+");
    for (int at = 0; at < 500; at++)
        fputc('a' + at % 26, file);
    fputs("\n\nend", file);
    rewind(file);
    check("a long line", getline(&line, &bytes, file) == 501 && bytes > 501 && line[500] == '\n' && line[501] == 0 && line[27] == 'b');
    check("an empty one", getline(&line, &bytes, file) == 1 && strcmp(line, "\n") == 0);
    check("one without an end, and none", getline(&line, &bytes, file) == 3 && strcmp(line, "end") == 0 && getline(&line, &bytes, file) == -1 && feof(file));
    rewind(file);
    check("up to a letter", getdelim(&line, &bytes, 'e', file) == 5 && strcmp(line, "abcde") == 0);
    free(line);
    fclose(file);
}

/* Each piece of standard input comes as soon as it is there. */
static void input(void)
{
    check("a line of the console", read(STDIN_FILENO, buffer, sizeof buffer) == 6 && memcmp(buffer, "first\n", 6) == 0);
    check("a part of one", read(STDIN_FILENO, buffer, 3) == 3 && memcmp(buffer, "sec", 3) == 0);
    check("the rest of it", read(STDIN_FILENO, buffer, sizeof buffer) == 4 && memcmp(buffer, "ond\n", 4) == 0);
    check("its end", read(STDIN_FILENO, buffer, sizeof buffer) == 0);
    errno = 0;
    check("it has no places", lseek(STDIN_FILENO, 0, SEEK_CUR) == -1 && errno == ESPIPE && ftell(stdin) == -1);
    check("standard output", isatty(STDOUT_FILENO) == 1 && write(STDOUT_FILENO, "written\n", 8) == 8);
}

int main(void)
{
    remove("f");
    opening();
    reading();
    asking();
    with_streams();
    lines();
    input();
    check("who and where", getpid() > 0 && getcwd(buffer, 2) == buffer && strcmp(buffer, "/") == 0 && !getcwd(buffer, 1) && errno == ERANGE);
    check("removed", unlink("f") == 0 && access("f", F_OK) == -1);
    printf("descriptors: %d wrong\n", wrong);
    return wrong;
}
