/* Shows and checks what programs for other machines expect of standard C and POSIX: options, standard input, numbers, clocks, ends. Its input are
   a name, and lines of numbers. Options: -n TIMES, -q. */
#include <assert.h>
#include <complex.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>
#include <tos.h>
#include <unistd.h>

#define CHILD 2
#define PAGES 4

static jmp_buf back;
static int ended;

static void last(void)
{
    printf("the program has ended, %d child before it\n", ended);
}

static void last_but_one(void)
{
    printf("the last words");
    fflush(stdout);
    printf("\n");
}

/* It ends while the first thread is about to. */
static void child(void)
{
    usleep(20000);
    ended++;
    exit(0);
}

static double seconds(void)
{
    struct timespec now;
    assert(clock_gettime(CLOCK_MONOTONIC, &now) == 0 && now.tv_nsec % 1000 == 0);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void check_clocks(void)
{
    struct timeval start, end;
    struct timespec wait = {0, 3000001};
    double before = seconds();
    assert(gettimeofday(&start, NULL) == 0);
    assert(usleep(5000) == 0 && nanosleep(&wait, &wait) == 0 && wait.tv_nsec == 0);
    assert(gettimeofday(&end, NULL) == 0);
    double waited = (end.tv_sec - start.tv_sec) + (end.tv_usec - start.tv_usec) / 1e6;
    double after = seconds();
    assert(waited >= 0.008 && waited <= after - before && after - before < 1);
    assert(fabs(after * CLOCKS_PER_SEC - clock()) < 100 && difftime(time(NULL), 0) >= floor(before));
    assert(clock_gettime(7, &wait) == -1 && errno == EINVAL);
}

static void check_memory(void)
{
    void *blocks[12], *block;
    for (int at = 0; at < 12; at++) {
        size_t alignment = (size_t)8 << at % 8;
        if (at % 2)
            blocks[at] = aligned_alloc(alignment, 100 + at);
        else
            assert(posix_memalign(&blocks[at], alignment, 100 + at) == 0);
        assert(blocks[at] && (uintptr_t)blocks[at] % alignment == 0);
        memset(blocks[at], at, 100 + at);
    }
    for (int at = 0; at < 12; at++) {
        assert(((char *)blocks[at])[99 + at] == at);
        free(blocks[at]);
    }
    block = malloc(65000);
    assert(block);
    free(block);
    assert(!aligned_alloc(24, 8) && errno == EINVAL && posix_memalign(&block, 2, 8) == EINVAL);
    assert(!aligned_alloc(1024, 65000) && posix_memalign(&block, 16, INT_MAX) == ENOMEM);
}

static void check_files(void)
{
    char word[10];
    float real;
    fpos_t place;
    FILE *file = fopen("numbers", "w+");
    assert(file && setvbuf(file, NULL, _IOFBF, BUFSIZ) == 0 && setvbuf(file, NULL, 77, 0) != 0);
    assert(setvbuf(stdout, NULL, _IOLBF, 0) == 0);
    fprintf(file, "first %a second", 0.1);
    rewind(file);
    assert(fscanf(file, "%9s %f", word, &real) == 2 && real == 0.1f && fgetpos(file, &place) == 0);
    assert(fscanf(file, "%9s", word) == 1 && strcmp(word, "second") == 0 && fgetc(file) == EOF && feof(file));
    assert(ungetc('!', file) == '!' && !feof(file) && ungetc('?', file) == EOF && fgetc(file) == '!');
    assert(fsetpos(file, &place) == 0 && fgetc(file) == ' ' && fgetc(file) == 's');
    assert(ungetc('x', file) == 'x' && fseek(file, 0, SEEK_CUR) == 0 && fgetc(file) == 's');
    assert(fclose(file) == 0 && unlink("numbers") == 0 && !fopen("numbers", "r"));
}

static void check_numbers(void)
{
    char text[60];
    int32_t small;
    uint64_t large;
    snprintf(text, sizeof text, "%" PRId32 " %#" PRIx64 " %" PRIuPTR, INT32_MIN, UINT64_MAX, (uintptr_t)7);
    assert(strcmp(text, "-2147483648 0xffffffffffffffff 7") == 0);
    assert(sscanf(text, "%" SCNd32 "%" SCNx64, &small, &large) == 2 && small == INT32_MIN && large == UINT64_MAX);
    assert(strtoimax("-9", NULL, 10) == -9 && strtoumax("f", NULL, 16) == 15 && imaxabs(-5) == 5 && imaxdiv(7, -2).rem == 1);
    double complex turn = cexp(I * M_PI);
    assert(cabs(turn + 1) < 1e-15 && fabs(carg(turn) - M_PI) < 1e-15);
    assert(isnan(nan("")) && isinf(strtod("-inf", NULL)) == -1 && strtold("0x1.8p-1060", NULL) == 0x1.8p-1060L);
    assert(strcasecmp("Occam", "oCCAMs") < 0 && setlocale(LC_ALL, "") && !setlocale(LC_ALL, "de") && *localeconv()->decimal_point == '.');
}

static void check_jumps(void)
{
    volatile int times = 0;
    int result = setjmp(back);
    if (++times < 3)
        longjmp(back, times - 1);
    /* 0 is not what setjmp returns the second time. */
    assert(times == 3 && result == 1);
    assert(signal(SIGINT, SIG_IGN) == SIG_ERR && signal(SIGFPE, SIG_DFL) == SIG_DFL && raise(99) != 0);
}

int main(int argc, char **argv)
{
    int option, times = 1;
    bool is_quiet = false;
    double number, sum = 0;
    char name[20];

    while ((option = getopt(argc, argv, "n:qx")) != -1) {
        if (option == 'n')
            times = atoi(optarg);
        else if (option == 'q')
            is_quiet = true;
        else if (option == 'x')
            raise(SIGABRT);
        else
            return 2;
    }
    assert(atexit(last) == 0 && atexit(last_but_one) == 0);
    check_clocks();
    check_memory();
    check_files();
    check_numbers();
    check_jumps();
    printf("your name? ");
    if (!fgets(name, sizeof name, stdin))
        return 1;
    name[strcspn(name, "\n")] = 0;
    option = getchar();
    assert(ungetc(option, stdin) == option && fflush(stdin) == 0);
    while (scanf("%lf", &number) == 1)
        sum += number;
    assert(feof(stdin) && getchar() == EOF);
    printf("%s: %g %s, %d\n", name, times * sqrt(sum), optind < argc ? argv[optind] : "", is_quiet);
    if (!create(CHILD, PAGES, -1, child, stack_for(PAGES)))
        return 1;
    return 0;
}
