/* Behind c_numbers.h and ahead of the calls of c_text.rs: what reads numbers from text. */

static void number(const char *text)
{
    char *end = (char *)text, *float_end = (char *)text;
    /* Whether a number below the smallest with all its bits is an error is left open, if it is not 0. */
    errno = 0;
    double x = strtod(text, &end);
    bool is_out = errno == ERANGE && (x == 0 || isinf(x));
    errno = 0;
    float y = strtof(text, &float_end);
    bool is_float_out = errno == ERANGE && (y == 0 || isinf(y));
    printf("strtod %.70s(%d): %s %d %d %s %d %d %s", text + strspn(text, " \t\n\v\f\r"), (int)strlen(text), d(x), (int)(end - text), is_out, f(y), (int)(float_end - text),
           is_float_out, d(atof(text)));
    /* A long double is a double here. */
#ifdef __riscv
    long double wide = strtold(text, &end);
    printf(" %d\n", (int)(wide == (long double)x || isnan(x)));
#else
    printf(" 1\n");
#endif
}

/* Where values of all types go. */
static int ints[4];
static short shorts[4];
static signed char bytes[4];
static long longs[4];
static long long wides[4];
static size_t sizes[4];
static double doubles[4];
static float floats[4];
static long double long_doubles[4];
static char texts[4][120];

static void clear(void)
{
    for (int at = 0; at < 4; at++) {
        ints[at] = shorts[at] = bytes[at] = 99;
        longs[at] = wides[at] = sizes[at] = 77;
        doubles[at] = floats[at] = long_doubles[at] = 1.5;
        memset(texts[at], '#', sizeof texts[at] - 1);
        texts[at][sizeof texts[at] - 1] = 0;
    }
}

static void show(int number, int result)
{
    printf("scan %d: %d", number, result);
    for (int at = 0; at < 4; at++) {
        if (ints[at] != 99 || shorts[at] != 99 || bytes[at] != 99)
            printf(" i%d %d %d %d", at, ints[at], shorts[at], bytes[at]);
        if (longs[at] != 77 || wides[at] != 77 || sizes[at] != 77)
            printf(" l%d %d %lld %u", at, (int)longs[at], wides[at], (unsigned)sizes[at]);
        if (doubles[at] != 1.5 || floats[at] != 1.5 || long_doubles[at] != 1.5)
            printf(" d%d %s %s %s", at, d(doubles[at]), f(floats[at]), d(long_doubles[at]));
        texts[at][40] = 0;
        if (texts[at][0] != '#') {
            printf(" s%d ", at);
            for (char *byte = texts[at]; *byte; byte++)
                printf(*byte < ' ' ? "\\%d" : "%c", *byte);
        }
    }
    printf("\n");
}

/* The same text as a file. */
static FILE *file_of(const char *text)
{
    FILE *file = fopen("scanned", "w");
    fputs(text, file);
    fclose(file);
    return fopen("scanned", "r");
}

/* What is behind what was read; a byte goes back first, if there is one. */
static void behind(FILE *file)
{
    int byte = fgetc(file);
    int back = ungetc(byte, file);
    long position = ftell(file);
    int again = fgetc(file), next = fgetc(file);
    printf("behind: %d %d %d %d %d %d\n", byte, back, (int)position, again, next, !!feof(file));
    fclose(file);
}

/* Reads standard input in ways that letters say. */
static void input(const char *ways)
{
    char line[24];
    for (; *ways; ways++) {
        int number = -99, result = 0, byte;
        strcpy(line, "nothing");
        switch (*ways) {
        case 'c':
            printf("getchar: %d\n", getchar());
            break;
        case 'g':
            printf("fgetc: %d\n", fgetc(stdin));
            break;
        case 'l':
            result = fgets(line, sizeof line, stdin) != NULL;
            if (strchr(line, '\n'))
                *strchr(line, '\n') = '$';
            printf("fgets: %d %s\n", result, line);
            break;
        case 'd':
            result = scanf("%d", &number);
            printf("number: %d %d\n", result, number);
            break;
        case 'w':
            result = fscanf(stdin, "%9s", line);
            printf("word: %d %s\n", result, line);
            break;
        case 'u':
            byte = getchar();
            result = ungetc(byte, stdin);
            printf("back: %d %d", byte, result);
            printf(" %d\n", getchar());
            break;
        case 'r':
            result = fread(line, 1, 7, stdin);
            printf("fread: %d %d %d\n", result, line[0], !!feof(stdin));
            break;
        }
    }
}

/* Any bytes, by any format: only that it comes to an end matters. Every argument has room for all that there is. */
static void any(unsigned seed, int rounds)
{
#ifdef __riscv
    static const char LETTERS[] = "%%%%%%*dioxXucs[]^-np 0129hlLjtzeEfgGaA,.";
    static const char DIGITS[] = "0123456789abcdefxXpPeE+-..  infatyNAN(),%\t\n";
    static char room[12][128] __attribute__((aligned(16)));
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
        char format[25] = "", text[100] = "";
#define NEXT ((seed = seed * 1664525 + 1013904223) >> 16)
        int length = NEXT % sizeof format, bytes = NEXT % sizeof text, is_any = NEXT % 4 == 0;
        for (int at = 0; at < length; at++)
            format[at] = NEXT % 16 ? LETTERS[NEXT % (sizeof LETTERS - 1)] : (char)NEXT;
        for (int at = 0; at < bytes; at++)
            text[at] = is_any ? (char)NEXT : DIGITS[NEXT % (sizeof DIGITS - 1)];
        sum += sscanf(text, format, room[0], room[1], room[2], room[3], room[4], room[5], room[6], room[7], room[8], room[9], room[10], room[11]);
        strtod(text, NULL);
        strtof(text, NULL);
    }
    printf("any: %d\n", sum >= -rounds);
#else
    printf("any: 1\n");
#endif
}
