/* Files as C11 has them (section 7.21), each rule by itself; nothing here is this machine's own. Exit code 0 if all is as it should be. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;
static char buffer[2000];

static void check(const char *what, int is_right)
{
    printf("%s: %s\n", what, is_right ? "right" : "WRONG");
    wrong += !is_right;
}

/* A file with this text, and nothing else. */
static void make(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    if (!file || fputs(text, file) == EOF || fclose(file) != 0)
        check("making a file", 0);
}

/* Whether a file has this text, and nothing else. */
static int has(const char *name, const char *text)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        return 0;
    size_t read = fread(buffer, 1, sizeof buffer, file);
    int is_right = read == strlen(text) && memcmp(buffer, text, read) == 0 && feof(file) && !ferror(file);
    return fclose(file) == 0 && is_right;
}

static int opens(const char *name, const char *mode)
{
    FILE *file = fopen(name, mode);
    return file && fclose(file) == 0;
}

/* 7.21.5.3: what each mode does with a file that is there, and one that is not. */
static void modes(void)
{
    const char *const reading[] = {"r", "rb", "r+", "rb+", "r+b"};
    const char *const emptying[] = {"w", "wb", "w+", "wb+", "w+b"};
    const char *const adding[] = {"a", "ab", "a+", "ab+", "a+b"};
    const char *const making[] = {"wx", "wbx", "w+x", "wb+x", "w+bx"};
    int right[4] = {0};
    for (int at = 0; at < 5; at++) {
        remove("f");
        errno = 0;
        right[0] += !opens("f", reading[at]) && errno == ENOENT && !opens("f", reading[at]);
        right[1] += opens("f", emptying[at]) && has("f", "");
        remove("f");
        right[2] += opens("f", adding[at]) && has("f", "");
        remove("f");
        right[3] += opens("f", making[at]) && has("f", "");
        make("f", "text");
        right[0] += opens("f", reading[at]) && has("f", "text");
        right[2] += opens("f", adding[at]) && has("f", "text");
        errno = 0;
        right[3] += !opens("f", making[at]) && errno == EEXIST && has("f", "text");
        right[1] += opens("f", emptying[at]) && has("f", "");
    }
    check("r wants a file, and leaves it", right[0] == 10);
    check("w makes it, or makes it empty", right[1] == 10);
    check("a makes it, or leaves it", right[2] == 10);
    check("x makes it, and wants none", right[3] == 10);
    errno = 0;
    check("other modes are none", !fopen("f", "z") && errno == EINVAL && !fopen("f", "") && errno == EINVAL);
    remove("f");
}

/* What a stream was not opened for fails and is told, and leaves the file. */
static void not_allowed(void)
{
    make("f", "text");
    FILE *file = fopen("f", "r");
    errno = 0;
    check("what is to be read can't be written", fputc('x', file) == EOF && errno == EBADF && ferror(file));
    clearerr(file);
    check("in any way", fputs("x", file) == EOF && ferror(file) && fwrite("x", 1, 1, file) == 0 && fprintf(file, "x") < 0);
    clearerr(file);
    check("and is read on", !ferror(file) && fgetc(file) == 't' && fclose(file) == 0 && has("f", "text"));
    file = fopen("f", "a");
    errno = 0;
    check("what is to be written can't be read", fgetc(file) == EOF && errno == EBADF && ferror(file) && !feof(file));
    clearerr(file);
    check("in any way", !fgets(buffer, 9, file) && ferror(file) && fread(buffer, 1, 1, file) == 0 && fscanf(file, "%s", buffer) == EOF);
    clearerr(file);
    check("and is written on", fputs("+", file) != EOF && fclose(file) == 0 && has("f", "text+"));
    remove("f");
}

/* 7.21.7.1: the end is told by the first byte that is not there, and stays until it is cleared. */
static void ends(void)
{
    make("f", "ab");
    FILE *file = fopen("f", "r"), *other = fopen("f", "a");
    check("the last byte is not the end", fgetc(file) == 'a' && fgetc(file) == 'b' && !feof(file));
    check("the next one is", fgetc(file) == EOF && feof(file) && !ferror(file));
    fputs("cd", other);
    fflush(other);
    check("it stays though the file grows", fgetc(file) == EOF && fgetc(file) == EOF && feof(file) && fread(buffer, 1, 1, file) == 0);
    clearerr(file);
    check("until it is cleared", !feof(file) && fgetc(file) == 'c');
    check("or another place is gone to", fgetc(file) == 'd' && fgetc(file) == EOF && fseek(file, -1, SEEK_END) == 0 && !feof(file) && fgetc(file) == 'd');
    check("or a byte is given back", fgetc(file) == EOF && ungetc('z', file) == 'z' && !feof(file) && fgetc(file) == 'z' && fgetc(file) == EOF && feof(file));
    rewind(file);
    check("or it is rewound", !feof(file) && fgetc(file) == 'a');
    fclose(file);
    fclose(other);
    remove("f");
}

/* 7.21.7.10 */
static void given_back(void)
{
    fpos_t place;
    make("f", "abcdef");
    FILE *file = fopen("f", "r+");
    check("nothing is given back by EOF", ungetc(EOF, file) == EOF && !feof(file) && fgetc(file) == 'a');
    fgetc(file);
    check("a byte is, any", ungetc(0x1fe, file) == 0xfe && ftell(file) == 1 && fgetc(file) == 0xfe && ftell(file) == 2);
    check("and is gone after a seek", ungetc('x', file) == 'x' && fseek(file, 0, SEEK_CUR) == 0 && ftell(file) == 1 && fgetc(file) == 'b');
    fgetpos(file, &place);
    check("and after fsetpos", ungetc('x', file) == 'x' && fsetpos(file, &place) == 0 && ftell(file) == 2 && fgetc(file) == 'c');
    check("lines and words begin with it", ungetc('7', file) == '7' && fscanf(file, "%3s", buffer) == 1 && strcmp(buffer, "7de") == 0);
    check("blocks too", ungetc('8', file) == '8' && fread(buffer, 1, 9, file) == 2 && memcmp(buffer, "8f", 2) == 0);
    fclose(file);
    check("the file has none of it", has("f", "abcdef"));
    remove("f");
}

/* 7.21.5.3, paragraph 7: reading and writing in turns, with a seek or, behind reading to the end, without. */
static void updates(void)
{
    make("f", "0123456789");
    FILE *file = fopen("f", "r+");
    check("reading, then writing", fgetc(file) == '0' && fgetc(file) == '1' && fseek(file, 0, SEEK_CUR) == 0 && fputs("ab", file) != EOF);
    check("then reading", fseek(file, 0, SEEK_CUR) == 0 && ftell(file) == 4 && fgetc(file) == '4');
    check("or fflush instead", fseek(file, 2, SEEK_CUR) == 0 && fputc('c', file) == 'c' && fflush(file) == 0 && fgetc(file) == '8');
    check("behind the end without", fgetc(file) == '9' && fgetc(file) == EOF && fputs("de", file) != EOF && ftell(file) == 12);
    check("what was written is there", fclose(file) == 0 && has("f", "0123456789de") == 0 && has("f", "01ab456c89de"));
    file = fopen("f", "w+");
    check("w+ reads what it has written", fputs("one two", file) != EOF && fseek(file, 4, SEEK_SET) == 0 && fscanf(file, "%s", buffer) == 1 && strcmp(buffer, "two") == 0);
    fclose(file);
    remove("f");
}

/* All that is written goes to the end as it is then. */
static void appends(void)
{
    make("f", "0123");
    FILE *file = fopen("f", "a+");
    check("a+ reads", fgetc(file) == '0' && fseek(file, 1, SEEK_SET) == 0);
    check("writes at the end", fputs("45", file) != EOF && ftell(file) == 6);
    check("wherever it is", fseek(file, 0, SEEK_SET) == 0 && fputc('6', file) == '6' && fflush(file) == 0);
    check("and reads it", fseek(file, -3, SEEK_END) == 0 && fgetc(file) == '4' && fclose(file) == 0 && has("f", "0123456"));
    FILE *one = fopen("f", "a"), *two = fopen("f", "a");
    fputs("ab", one);
    fputs("cd", two);
    fflush(one);
    fflush(two);
    fputs("ef", one);
    fclose(one);
    fclose(two);
    check("two that append don't hit each other", has("f", "0123456abcdef"));
    remove("f");
}

/* 7.21.9 */
static void places(void)
{
    make("f", "0123456789");
    FILE *file = fopen("f", "r+");
    check("from the start, here and the end", fseek(file, 3, SEEK_SET) == 0 && ftell(file) == 3 && fseek(file, 4, SEEK_CUR) == 0 && ftell(file) == 7 &&
                                                  fseek(file, -4, SEEK_END) == 0 && ftell(file) == 6 && fgetc(file) == '6');
    errno = 0;
    check("not ahead of the start", fseek(file, -8, SEEK_CUR) != 0 && errno == EINVAL && ftell(file) == 7);
    check("nor from elsewhere", fseek(file, 0, 7) != 0);
    check("behind the end nothing is read", fseek(file, 5, SEEK_END) == 0 && ftell(file) == 15 && fgetc(file) == EOF && feof(file));
    check("and nothing is written by that", fseek(file, 0, SEEK_END) == 0 && ftell(file) == 10);
    check("what is written there leaves zeros", fseek(file, 1000, SEEK_SET) == 0 && fputc('x', file) == 'x' && fclose(file) == 0);
    file = fopen("f", "rb");
    int zeros = 0;
    fseek(file, 10, SEEK_SET);
    while (fgetc(file) == 0)
        zeros++;
    check("so many", zeros == 990 && fseek(file, -1, SEEK_CUR) == 0 && fgetc(file) == 'x' && fgetc(file) == EOF);
    errno = 0;
    rewind(file);
    check("rewound", errno == 0 && ftell(file) == 0 && fgetc(file) == '0' && fclose(file) == 0);
    remove("f");
}

/* 7.21.7.2 and .3, 7.21.8 */
static void pieces(void)
{
    make("f", "line\n\nlong line of words\nno end");
    FILE *file = fopen("f", "r");
    check("a line with its end", fgets(buffer, 80, file) == buffer && strcmp(buffer, "line\n") == 0);
    check("an empty one", fgets(buffer, 80, file) == buffer && strcmp(buffer, "\n") == 0);
    check("as much as there is room for", fgets(buffer, 5, file) == buffer && strcmp(buffer, "long") == 0 && fgets(buffer, 1, file) == buffer && !*buffer);
    check("the rest of it", fgets(buffer, 80, file) == buffer && strcmp(buffer, " line of words\n") == 0);
    check("one without an end", fgets(buffer, 80, file) == buffer && strcmp(buffer, "no end") == 0 && feof(file));
    check("none", fgets(buffer, 80, file) == NULL && strcmp(buffer, "no end") == 0 && !ferror(file));
    fclose(file);
    make("f", "0123456789");
    file = fopen("f", "r");
    check("whole elements", fread(buffer, 4, 5, file) == 2 && feof(file) && memcmp(buffer, "0123456789", 10) == 0);
    check("none, or of no bytes", fread(buffer, 0, 5, file) == 0 && fread(buffer, 5, 0, file) == 0);
    fclose(file);
    file = fopen("f", "w");
    check("whole elements are written", fwrite("abcdef", 3, 2, file) == 2 && fwrite("x", 0, 5, file) == 0 && fclose(file) == 0 && has("f", "abcdef"));
    remove("f");
}

/* fprintf and fscanf agree on all that has a text. */
static void formats(void)
{
    int count = -1, number = 0;
    double real = 0;
    char word[20];
    FILE *file = fopen("f", "w+");
    for (int at = 0; at < 300; at++)
        fprintf(file, "%d %a\tword%d\n", at * at, at / 7.0, at);
    rewind(file);
    int right = 0;
    for (int at = 0; at < 300; at++) {
        snprintf(buffer, sizeof buffer, "word%d", at);
        right += fscanf(file, "%d%la%19s", &number, &real, word) == 3 && number == at * at && real == at / 7.0 && strcmp(word, buffer) == 0;
    }
    check("what fprintf writes fscanf reads", right == 300 && fscanf(file, "%d", &number) == EOF && feof(file));
    fclose(file);
    make("f", "12 x34");
    file = fopen("f", "r");
    check("up to what does not fit", fscanf(file, "%d%d", &number, &count) == 1 && number == 12 && count == -1 && fgetc(file) == 'x');
    check("and behind it", fscanf(file, "%d%n", &number, &count) == 1 && number == 34 && count == 2 && fgetc(file) == EOF);
    fclose(file);
    remove("f");
}

/* 7.21.4, 7.21.5.4: names, files without, and streams with another file. */
static void names(void)
{
    errno = 0;
    check("what is not there isn't removed", remove("f") != 0 && errno == ENOENT && rename("f", "g") != 0 && errno == ENOENT);
    make("f", "text");
    check("renamed", rename("f", "g") == 0 && !opens("f", "r") && has("g", "text") && remove("g") == 0 && !opens("g", "r"));
    char name[L_tmpnam], *other;
    check("names that are free", tmpnam(name) == name && !opens(name, "r") && (other = tmpnam(NULL)) && strcmp(name, other) != 0);
    FILE *file = tmpfile(), *second = tmpfile();
    fputs("temporary", file);
    fputs("another", second);
    rewind(file);
    check("temporary files", fscanf(file, "%s", buffer) == 1 && strcmp(buffer, "temporary") == 0 && fclose(file) == 0);
    rewind(second);
    check("two of them", fscanf(second, "%s", buffer) == 1 && strcmp(buffer, "another") == 0 && fclose(second) == 0);
    make("f", "first");
    make("g", "second");
    file = fopen("f", "r");
    fgetc(file);
    check("another file", freopen("g", "r+", file) == file && fgetc(file) == 's' && fseek(file, 0, SEEK_SET) == 0 && fputc('S', file) == 'S');
    check("and another, with what was written", freopen("f", "a", file) == file && has("g", "Second") && fputs("!", file) != EOF && fclose(file) == 0 && has("f", "first!"));
    file = fopen("f", "r");
    errno = 0;
    check("none", freopen("none", "r", file) == NULL && errno == ENOENT);
    remove("f");
    remove("g");
}

/* 7.21.5.6: when bytes get into the file. */
static void buffers(void)
{
    FILE *file = fopen("f", "w");
    fputs("one\n", file);
    check("they stay until they have to go", has("f", "") && fflush(file) == 0 && has("f", "one\n"));
    fputs("two\n", file);
    check("with all others", fflush(NULL) == 0 && has("f", "one\ntwo\n"));
    fclose(file);
    file = fopen("f", "w");
    check("line by line", setvbuf(file, NULL, _IOLBF, BUFSIZ) == 0 && fputs("one\ntwo", file) != EOF && has("f", "one\n") && fclose(file) == 0 && has("f", "one\ntwo"));
    file = fopen("f", "w");
    check("at once", setvbuf(file, NULL, _IONBF, 0) == 0 && fputs("one", file) != EOF && has("f", "one") && fputc('x', file) == 'x' && fprintf(file, "%d", 42) == 2 && has("f", "onex42"));
    fclose(file);
    file = fopen("f", "w");
    check("in no other way", setvbuf(file, NULL, 77, 0) != 0);
    fclose(file);
    remove("f");
}

/* What is printed while stdout is a file, and what is left in a buffer at the end of the program. */
static void standard(void)
{
    freopen("f", "w", stdout);
    printf("to a file\n");
    putchar('!');
    freopen("g", "w", stdout);
    fprintf(stderr, "standard output is elsewhere: %s\n", has("f", "to a file\n!") ? "right" : "WRONG");
    make("f", "12 words here");
    int number = 0, is_right = freopen("f", "r", stdin) == stdin && scanf("%d%s", &number, buffer) == 2 && number == 12 && strcmp(buffer, "words") == 0;
    fprintf(stderr, "standard input is from there: %s\n", is_right && getchar() == ' ' ? "right" : "WRONG");
}

int main(void)
{
    modes();
    not_allowed();
    ends();
    given_back();
    updates();
    appends();
    places();
    pieces();
    formats();
    names();
    buffers();
    printf("stdio: %d wrong\n", wrong);
    standard();
    return wrong;
}
