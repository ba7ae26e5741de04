/* Random operations on files, each compared with what a model in memory says. Its seed is fixed, or the first argument; the second is how many
   operations. Nothing here is this machine's own. Exit code 0 if all agree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES 3
/* Longer than some buffers. */
#define PIECE 700
#define LARGEST 6000

/* What a file has; places in it that nothing was written to are zeros. */
struct contents {
    unsigned char bytes[LARGEST];
    long length;
};

enum turn { NEITHER, READ, WRITTEN };

/* What a stream must do next. */
struct model {
    struct contents *file;
    long place;
    /* What was done last: C wants a seek between writing and reading. */
    enum turn last;
    int may_read, may_write, appends, at_end, returned;
};

static const char *const modes[] = {"r", "w", "a", "r+", "w+", "a+", "r+b", "wx", "w+x"};
static const char *const names[FILES] = {"one", "two", "three"};
static struct contents contents[FILES];
static int is_there[FILES];
static struct model models[FILES];
static FILE *streams[FILES];
static unsigned char piece[PIECE];
static unsigned state;
static long step;

static unsigned draw(unsigned below)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

static void expect(const char *what, int file, long got, long wanted)
{
    if (got == wanted)
        return;
    printf("operation %ld, %s on %s: %ld, where the model has %ld\n", step, what, names[file], got, wanted);
    exit(1);
}

static void open_one(int at)
{
    const char *mode = modes[draw(sizeof modes / sizeof *modes)];
    int exclusive = strchr(mode, 'x') != NULL, is_wanted = *mode != 'r', plus = strchr(mode, '+') != NULL;
    int opens = exclusive ? !is_there[at] : is_wanted || is_there[at];
    errno = 0;
    streams[at] = fopen(names[at], mode);
    expect("fopen", at, streams[at] != NULL, opens);
    if (!opens) {
        expect("errno of fopen", at, errno, exclusive ? EEXIST : ENOENT);
        return;
    }
    if (*mode == 'w')
        memset(&contents[at], 0, sizeof contents[at]);
    is_there[at] = 1;
    models[at] = (struct model){.file = &contents[at], .may_read = plus || *mode == 'r', .may_write = plus || *mode != 'r', .appends = *mode == 'a', .returned = -1};
    /* Where appending begins is left open, so it is not looked at before. */
    if (*mode == 'a' && fseek(streams[at], 0, SEEK_SET) != 0)
        expect("fseek", at, 1, 0);
}

static void close_one(int at)
{
    clearerr(streams[at]);
    expect("fclose", at, fclose(streams[at]), 0);
    streams[at] = NULL;
}

static void seek(int at, struct model *model)
{
    long from = 0, place = draw(4) ? draw(model->file->length + 1) : draw(LARGEST);
    int whence = draw(3);
    if (whence == SEEK_CUR)
        from = model->place - (model->returned >= 0);
    if (whence == SEEK_END)
        from = model->file->length;
    expect("fseek", at, fseek(streams[at], place - from, whence), 0);
    model->place = place;
    model->last = NEITHER;
    model->at_end = 0;
    model->returned = -1;
}

/* Between reading and writing. */
static void turn(int at, struct model *model, enum turn to)
{
    if (model->last == to || model->last == NEITHER || (to == WRITTEN && model->at_end && model->returned < 0)) {
        if (model->last != to && model->returned >= 0)
            seek(at, model);
    } else if (to == READ && !model->at_end && draw(2)) {
        expect("fflush", at, fflush(streams[at]), 0);
        model->last = NEITHER;
    } else
        seek(at, model);
}

static void read_some(int at, struct model *model)
{
    static unsigned char got[PIECE];
    long wanted = draw(4) ? draw(20) + 1 : draw(PIECE) + 1, count = 0;
    if (!model->may_read) {
        expect("reading what is only written", at, fgetc(streams[at]), EOF);
        expect("its error", at, ferror(streams[at]) != 0 && !feof(streams[at]), 1);
        clearerr(streams[at]);
        return;
    }
    turn(at, model, READ);
    if (wanted > 0 && model->returned >= 0) {
        piece[count++] = model->returned;
        model->returned = -1;
    }
    while (count < wanted && !model->at_end) {
        if (model->place >= model->file->length)
            model->at_end = 1;
        else
            piece[count++] = model->file->bytes[model->place++];
    }
    model->last = READ;
    if (wanted == 1)
        expect("fgetc", at, fgetc(streams[at]), count ? piece[0] : EOF);
    else {
        expect("fread", at, fread(got, 1, wanted, streams[at]), count);
        expect("what was read", at, memcmp(got, piece, count), 0);
    }
    expect("feof", at, feof(streams[at]) != 0, model->at_end);
}

static void write_some(int at, struct model *model)
{
    long count = draw(4) ? draw(20) + 1 : draw(PIECE) + 1;
    if (!model->may_write) {
        expect("writing what is only read", at, fputc('x', streams[at]), EOF);
        expect("its error", at, ferror(streams[at]) != 0, 1);
        clearerr(streams[at]);
        model->at_end = 0;
        return;
    }
    turn(at, model, WRITTEN);
    if ((model->appends ? model->file->length : model->place) + count > LARGEST)
        return;
    if (model->appends)
        model->place = model->file->length;
    for (long byte = 0; byte < count; byte++)
        piece[byte] = draw(256);
    memcpy(model->file->bytes + model->place, piece, count);
    model->place += count;
    if (model->file->length < model->place)
        model->file->length = model->place;
    model->last = WRITTEN;
    if (count == 1)
        expect("fputc", at, fputc(piece[0], streams[at]), piece[0]);
    else
        expect("fwrite", at, fwrite(piece, 1, count, streams[at]), count);
}

static void give_back(int at, struct model *model)
{
    /* One byte has room; ahead of the file's start the place would be left open. */
    if (!model->may_read || model->returned >= 0 || model->last != READ || model->place == 0)
        return;
    model->returned = draw(256);
    expect("ungetc", at, ungetc(model->returned, streams[at]), model->returned);
    model->at_end = 0;
}

/* The whole file, by another stream or the same. */
static void look(int at)
{
    FILE *file = streams[at];
    if (file && models[at].last == WRITTEN) {
        expect("fflush to look", at, fflush(file), 0);
        models[at].last = models[at].at_end ? WRITTEN : NEITHER;
    }
    file = fopen(names[at], "rb");
    expect("fopen to look", at, file != NULL, is_there[at]);
    if (!file)
        return;
    for (long byte = 0; byte < contents[at].length; byte++)
        expect("a byte", at, fgetc(file), contents[at].bytes[byte]);
    expect("the end", at, fgetc(file), EOF);
    fclose(file);
}

static void one(int at)
{
    struct model *model = &models[at];
    unsigned what = draw(100);
    if (!streams[at]) {
        if (what < 60)
            open_one(at);
        else if (what < 75) {
            expect("remove", at, remove(names[at]) == 0, is_there[at]);
            is_there[at] = 0;
            memset(&contents[at], 0, sizeof contents[at]);
        } else
            look(at);
    } else if (what < 30)
        read_some(at, model);
    else if (what < 60)
        write_some(at, model);
    else if (what < 75)
        seek(at, model);
    else if (what < 85)
        give_back(at, model);
    else if (what < 88)
        look(at);
    else if (what < 92)
        close_one(at);
    else
        expect("ftell", at, ftell(streams[at]), model->place - (model->returned >= 0));
}

int main(int argc, char **argv)
{
    long steps = argc > 2 ? atol(argv[2]) : 20000;
    state = argc > 1 ? strtoul(argv[1], NULL, 10) : 1994;
    for (int at = 0; at < FILES; at++)
        remove(names[at]);
    for (step = 1; step <= steps; step++)
        one(draw(FILES));
    for (int at = 0; at < FILES; at++) {
        look(at);
        if (streams[at])
            close_one(at);
        remove(names[at]);
    }
    printf("%ld operations agree with the model\n", steps);
    return 0;
}
