/* Counts words, with a thread on another processor that keeps the table. Shows and checks what a C program has: files, printf, strings, malloc,
   threads and channels. Argument: [TIMES], how often the text is written to the file first; 3 by default. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tos.h>

#define WORDS 1
#define ANSWERS 2
#define COUNTER 2
#define PAGES 4

static const char TEXT[] =
    "A parent spawns a number of children and is blocked until the children complete.\n"
    "A pair of threads wishing to communicate reserve a unique, unidirectional channel.\n"
    "Both threads are blocked while communication completes.\n";

struct word {
    struct word *next;
    unsigned count;
    char *text;
};

static int wrong;

static void check(const char *what, int is_right)
{
    if (!is_right) {
        printf("WRONG: %s\n", what);
        wrong++;
    }
}

/* Receives words until an empty message; answers with what it has counted. */
static void counter(void)
{
    struct word *first = NULL, *word;
    char text[64];
    int bytes;

    while ((bytes = receive(WORDS, text, sizeof text - 1)) > 0) {
        text[bytes] = 0;
        for (word = first; word && strcmp(word->text, text) != 0; word = word->next)
            ;
        if (!word) {
            word = malloc(sizeof *word);
            word->text = malloc(bytes + 1);
            strcpy(word->text, text);
            word->count = 0;
            word->next = first;
            first = word;
        }
        word->count++;
    }
    while (first) {
        word = first;
        first = word->next;
        bytes = sprintf(text, "%s %u", word->text, word->count);
        if (send_block(ANSWERS, text, bytes) != bytes)
            exit(1);
        free(word->text);
        free(word);
    }
    send_block(ANSWERS, text, 0);
    exit(bytes < 0);
}

static void write_file(const char *name, int times)
{
    FILE *file = fopen(name, "w");
    if (!file) {
        printf("wordcount: cannot make the file\n");
        exit(HALT);
    }
    for (int i = 0; i < times; i++)
        fprintf(file, "%s", TEXT);
    check("fclose", fclose(file) == 0);
}

/* The library against itself, where the answer is known. */
static void check_library(void)
{
    char text[80], *end;
    void *blocks[40];

    check("snprintf", snprintf(text, sizeof text, "%5d|%-5d|%05d|%x|%#X|%c|%s|%.2s|%%", -42, 42, -42, 0xbeef, 255, 'c', "str", "cut") == 38);
    check("snprintf text", strcmp(text, "  -42|42   |-0042|beef|0XFF|c|str|cu|%") == 0);
    check("snprintf cuts", snprintf(text, 4, "%s", "longer") == 6 && strcmp(text, "lon") == 0);
    sprintf(text, "%ld %lu %lld %p %+d % d %8.3u %*d", -1l, 4000000000ul, -5000000000ll, (void *)0x1234, 7, 7, 7u, 4, 9);
    check("many arguments", strcmp(text, "-1 4000000000 -5000000000 0x1234 +7  7      007    9") == 0);
    check("strtol", strtol(" -0x7fz", &end, 0) == -127 && *end == 'z');
    check("strtoul", strtoul("4294967295", NULL, 10) == 4294967295u && strtoul("777", NULL, 8) == 511);
    check("strtol limits", strtol("99999999999", NULL, 10) == 2147483647 && atoi("12ab") == 12);
    check("strstr", strcmp(strstr("occam channel", "cha"), "channel") == 0 && !strstr("a", "ab"));
    check("strchr", *strchr("abc", 'b') == 'b' && strrchr("abab", 'a')[1] == 'b' && *strchr("abc", 0) == 0);
    check("strspn", strspn("aab", "a") == 2 && strcspn("aab", "b") == 2 && *strpbrk("xyz", "zy") == 'y');
    check("strncat", strcmp(strncat(strcpy(text, "ab"), "cdef", 2), "abcd") == 0);
    check("strncmp", strncmp("abx", "aby", 2) == 0 && strcmp("a", "b") < 0 && memcmp("ab", "aa", 2) > 0);

    /* Blocks of many sizes, freed in another order, leave one block again. */
    unsigned seed = 1;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 40; i++) {
            seed = seed * 1103515245 + 12345;
            size_t bytes = (seed >> 16) % 500;
            blocks[i] = i % 3 ? malloc(bytes) : calloc(bytes, 1);
            check("malloc", blocks[i] && (size_t)blocks[i] % 8 == 0);
            memset(blocks[i], i, bytes);
            if (i % 5 == 4)
                blocks[i] = realloc(blocks[i], 600);
        }
        for (int i = 0; i < 40; i++)
            free(blocks[(i * 7 + round) % 40]);
    }
    void *all = malloc(60000);
    check("the heap is whole again", all != NULL);
    check("no more than there is", malloc(60000) == NULL);
    free(all);
}

static void check_files(void)
{
    char text[32];
    FILE *file = fopen("scratch", "w+");
    check("fwrite", file && fwrite("0123456789", 1, 10, file) == 10);
    check("fseek", fseek(file, 4, SEEK_SET) == 0 && fgetc(file) == '4' && ftell(file) == 5);
    check("fputc", fputc('x', file) == 'x' && fseek(file, -5, SEEK_END) == 0);
    check("fread", fread(text, 1, sizeof text, file) == 5 && memcmp(text, "x6789", 5) == 0 && feof(file));
    check("fclose", fclose(file) == 0);
    file = fopen("scratch", "a");
    check("append", fputs("end\n", file) == 0 && fclose(file) == 0);
    file = fopen("scratch", "r");
    check("fgets", fgets(text, sizeof text, file) && strcmp(text, "01234x6789end\n") == 0 && !fgets(text, sizeof text, file));
    check("read only", fputc('y', file) == EOF && ferror(file));
    fclose(file);
    check("remove", remove("scratch") == 0 && !fopen("scratch", "r"));

    file = fopen("environment", "w");
    fputs("HOME=earth\nPATH=\nTERM=vt100\n", file);
    fclose(file);
    check("getenv", strcmp(getenv("TERM"), "vt100") == 0 && *getenv("PATH") == 0 && !getenv("OME"));
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 3, words = 0, bytes;
    char line[128], *rest, *word;

    check_library();
    check_files();
    write_file("text", times);
    if (!create(COUNTER, PAGES, -1, counter, stack_for(PAGES))) {
        printf("wordcount: cannot create a thread\n");
        exit(HALT);
    }
    FILE *file = fopen("text", "r");
    while (fgets(line, sizeof line, file))
        for (word = strtok_r(line, " ,.\n", &rest); word; word = strtok_r(NULL, " ,.\n", &rest), words++)
            check("send", send_block(WORDS, word, strlen(word)) == (int)strlen(word));
    fclose(file);
    send_block(WORDS, line, 0);

    int different = 0, sum = 0;
    while ((bytes = receive(ANSWERS, line, sizeof line - 1)) > 0) {
        line[bytes] = 0;
        int count = atoi(strchr(line, ' ') + 1);
        if (count > 2 * times - 1)
            printf("%-10.*s%4d\n", (int)strcspn(line, " "), line, count);
        different++;
        sum += count;
    }
    check("the counter's exit", wait() == 0);
    check("every word is counted", sum == words);
    check("clock", time(NULL) <= (time_t)clock() / CLOCKS_PER_SEC);
    printf("%d words, %d different, %d wrong\n", words, different, wrong);
    return wrong != 0;
}
