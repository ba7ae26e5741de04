/* Each function below breaks a rule of bsp.h, and the program has to end with what the comment in one of its lines says, as of this line. Arguments:
   a function's name, and how many processes there are; without a name, all names are printed. */
#include <bsp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int processes;
static int x, y, large[300], more[300];

static void begin(void)
{
    bsp_begin(processes);
}

/* All processes register two areas. */
static void begin_with_areas(void)
{
    begin();
    bsp_push_reg(&x, sizeof x);
    bsp_push_reg(large, sizeof large);
    bsp_sync();
}

static int is_last(void)
{
    return bsp_pid() == bsp_nprocs() - 1;
}

static void pid_before_begin(void)
{
    bsp_pid(); /* says: bsp_pid before bsp_begin */
}

static void sync_before_begin(void)
{
    bsp_sync(); /* says: bsp_sync before bsp_begin */
}

static void end_before_begin(void)
{
    bsp_end(); /* says: bsp_end before bsp_begin */
}

static void begin_twice(void)
{
    begin();
    bsp_begin(2); /* says: process 0: bsp_begin a second time */
}

static void begin_after_end(void)
{
    begin();
    bsp_end();
    bsp_begin(2); /* says: bsp_begin a second time */
}

static void begin_negative(void)
{
    bsp_begin(-3); /* says: bsp_begin: the number of processes is -3, which is negative */
}

static void init_after_begin(void)
{
    begin();
    bsp_init(begin, 0, NULL); /* says: process 0: bsp_init after bsp_begin */
}

static void sync_after_end(void)
{
    begin();
    bsp_end();
    bsp_sync(); /* says: bsp_sync after bsp_end */
}

static void end_twice(void)
{
    begin();
    bsp_end();
    bsp_end(); /* says: bsp_end after bsp_end */
}

static void put_after_end(void)
{
    begin_with_areas();
    bsp_end();
    bsp_put(0, &x, &x, 0, sizeof x); /* says: bsp_put after bsp_end */
}

static void time_after_end(void)
{
    begin();
    bsp_end();
    bsp_time(); /* says: bsp_time after bsp_end */
}

static void sync_while_others_end(void)
{
    begin();
    if (is_last())
        bsp_sync();
    bsp_end(); /* says: process 0: bsp_end, while another process calls bsp_sync */
}

static void end_while_others_sync(void)
{
    begin();
    if (!is_last())
        bsp_sync(); /* says: process 0: bsp_sync, while another process calls bsp_end */
    bsp_end();
}

static void put_not_registered(void)
{
    begin_with_areas();
    bsp_put(0, &x, &y, 0, sizeof y); /* says: process 0: bsp_put: no area at 0x */
    bsp_end();
}

static void put_inside_an_area(void)
{
    begin_with_areas();
    bsp_put(0, &x, &large[1], 0, sizeof x); /* says: process 0: bsp_put: no area at 0x */
    bsp_end();
}

static void put_too_early(void)
{
    begin();
    bsp_push_reg(&y, sizeof y);
    bsp_put(0, &x, &y, 0, sizeof y); /* says: is not registered before this superstep has ended */
    bsp_end();
}

static void put_after_pop(void)
{
    begin_with_areas();
    bsp_pop_reg(&x);
    bsp_put(0, &y, &x, 0, sizeof x);
    bsp_sync();
    bsp_put(0, &y, &x, 0, sizeof x); /* says: process 0: bsp_put: no area at 0x */
    bsp_end();
}

static void put_behind_the_end(void)
{
    begin_with_areas();
    if (is_last())
        bsp_put(0, large, &x, 1, sizeof x);
    bsp_sync(); /* says: process 0: process 2 puts to bytes 1 to 5 of the area that is 0x */
    bsp_end();
}

static void hpput_behind_the_end(void)
{
    begin_with_areas();
    if (is_last())
        bsp_hpput(0, more, large, sizeof(int), sizeof more);
    bsp_sync(); /* says: process 0: process 2 puts to bytes 4 to 1204 of the area that is 0x */
    bsp_end();
}

static void put_negative_offset(void)
{
    begin_with_areas();
    bsp_put(0, &y, &x, -4, sizeof x); /* says: bsp_put: the offset is -4, which is negative */
    bsp_end();
}

static void put_negative_bytes(void)
{
    begin_with_areas();
    bsp_put(0, &y, &x, 0, -1); /* says: bsp_put: the number of bytes is -1, which is negative */
    bsp_end();
}

static void put_to_nobody(void)
{
    begin_with_areas();
    bsp_put(bsp_nprocs(), &y, &x, 0, sizeof x); /* says: bsp_put names process 3, but there are 3 */
    bsp_end();
}

static void hpput_to_nobody(void)
{
    begin_with_areas();
    bsp_hpput(-1, more, large, 0, sizeof large); /* says: bsp_hpput names process -1, but there are 3 */
    bsp_end();
}

static void hpput_not_registered(void)
{
    begin_with_areas();
    bsp_hpput(0, &y, &y, 0, sizeof y); /* says: bsp_hpput: no area at 0x */
    bsp_end();
}

static void get_behind_the_end(void)
{
    begin_with_areas();
    if (is_last())
        bsp_get(0, large, sizeof large - 4, more, 8);
    bsp_sync(); /* says: process 0: process 2 gets bytes 1196 to 1204 of the area that is 0x */
    bsp_end();
}

static void hpget_behind_the_end(void)
{
    begin_with_areas();
    if (is_last())
        bsp_hpget(0, large, 4, more, sizeof large);
    bsp_sync(); /* says: process 0: process 2 gets bytes 4 to 1204 of the area that is 0x */
    bsp_end();
}

static void get_not_registered(void)
{
    begin_with_areas();
    bsp_get(0, &y, 0, &x, sizeof y); /* says: bsp_get: no area at 0x */
    bsp_end();
}

static void hpget_from_nobody(void)
{
    begin_with_areas();
    bsp_hpget(7, &x, 0, &y, sizeof y); /* says: bsp_hpget names process 7, but there are 3 */
    bsp_end();
}

static void push_null_here_put_there(void)
{
    begin();
    bsp_push_reg(bsp_pid() ? &x : NULL, bsp_pid() ? sizeof x : 0);
    bsp_sync();
    if (is_last())
        bsp_put(0, &y, &x, 0, sizeof x);
    bsp_sync(); /* says: process 0: process 2 puts to bytes 0 to 4 of the area that is 0x0 here, and has 0 bytes */
    bsp_end();
}

/* That areas have been swapped is seen only where they are used. */
static void push_in_another_order(void)
{
    begin();
    if (is_last()) {
        bsp_push_reg(large, sizeof large);
        bsp_push_reg(&x, sizeof x);
    } else {
        bsp_push_reg(&x, sizeof x);
        bsp_push_reg(large, sizeof large);
    }
    bsp_sync();
    if (is_last())
        bsp_put(0, more, large, 0, sizeof large);
    bsp_sync(); /* says: process 0: process 2 puts to bytes 0 to 1200 of the area that is 0x */
    bsp_end();
}

static void push_of_one(void)
{
    begin();
    if (is_last())
        bsp_push_reg(&x, sizeof x);
    bsp_sync(); /* says: process 0: calls of bsp_push_reg in this superstep: 0 here, but 1 in process 2 */
    bsp_end();
}

static void push_of_one_at_the_end(void)
{
    begin();
    if (!is_last())
        bsp_push_reg(&x, sizeof x);
    bsp_end(); /* says: process 0: calls of bsp_push_reg in this superstep: 1 here, but 0 in process 2 */
}

static void push_negative(void)
{
    begin();
    bsp_push_reg(&x, -4); /* says: bsp_push_reg: the number of bytes is -4, which is negative */
    bsp_end();
}

static void push_too_many(void)
{
    begin();
    for (int count = 0; count < 1000; count++)
        bsp_push_reg(&x, sizeof x); /* says: bsp_push_reg: more than 256 registrations */
    bsp_end();
}

static void pop_not_registered(void)
{
    begin_with_areas();
    bsp_pop_reg(&y); /* says: bsp_pop_reg: no area at 0x */
    bsp_end();
}

static void pop_twice(void)
{
    begin_with_areas();
    bsp_pop_reg(&x);
    bsp_pop_reg(&x); /* says: bsp_pop_reg: no area at 0x */
    bsp_end();
}

static void pop_of_one(void)
{
    begin_with_areas();
    if (bsp_pid() == 1)
        bsp_pop_reg(&x);
    bsp_sync(); /* says: process 0: calls of bsp_pop_reg in this superstep: 0 here, but 1 in process 1 */
    bsp_end();
}

static void pop_of_another(void)
{
    begin_with_areas();
    bsp_pop_reg(is_last() ? (void *)large : &x);
    bsp_sync(); /* says: process 0: bsp_push_reg and bsp_pop_reg: process 2 has called them in another order than this one, or has ended another */
    bsp_end();
}

static void tag_bytes(void)
{
    begin();
    int bytes = is_last() ? 8 : 4;
    bsp_set_tagsize(&bytes);
    bsp_sync(); /* says: process 0: bsp_set_tagsize: 4 bytes here, but 8 in process 2 */
    bsp_end();
}

static void tag_bytes_of_one(void)
{
    begin();
    int bytes = 0;
    if (bsp_pid() == 1)
        bsp_set_tagsize(&bytes);
    bsp_sync(); /* says: process 0: calls of bsp_set_tagsize in this superstep: 0 here, but 1 in process 1 */
    bsp_end();
}

static void tag_bytes_negative(void)
{
    begin();
    int bytes = -8;
    bsp_set_tagsize(&bytes); /* says: bsp_set_tagsize: the number of bytes is -8, which is negative */
    bsp_end();
}

static void tag_bytes_null(void)
{
    begin();
    bsp_set_tagsize(NULL); /* says: bsp_set_tagsize: the argument is a null pointer */
    bsp_end();
}

static void send_to_nobody(void)
{
    begin();
    bsp_send(bsp_nprocs(), NULL, &x, sizeof x); /* says: bsp_send names process 3, but there are 3 */
    bsp_end();
}

static void send_negative(void)
{
    begin();
    bsp_send(0, NULL, &x, -2); /* says: bsp_send: the number of bytes is -2, which is negative */
    bsp_end();
}

static void send_too_much(void)
{
    begin();
    for (int count = 0; count < 1000; count++)
        bsp_send(0, NULL, large, sizeof large); /* says: bytes of memory, and no room for */
    bsp_end();
}

static void send_largest(void)
{
    begin();
    bsp_send(0, NULL, large, INT_MAX); /* says: bytes of memory, and no room for 2147483664 more */
    bsp_end();
}

static void receive_too_much(void)
{
    begin();
    for (int count = 0; count < 50; count++)
        bsp_send(0, NULL, large, sizeof large);
    bsp_sync(); /* says: process 0: the library has 131072 bytes of memory, and no room for */
    bsp_end();
}

static void move_nothing(void)
{
    begin();
    bsp_move(&x, sizeof x); /* says: process 0: bsp_move: there is no message */
    bsp_end();
}

static void move_one_too_many(void)
{
    begin();
    bsp_send(bsp_pid(), NULL, &x, sizeof x);
    bsp_sync();
    bsp_move(&x, sizeof x);
    bsp_move(&x, sizeof x); /* says: process 0: bsp_move: there is no message */
    bsp_end();
}

static void move_negative(void)
{
    begin();
    bsp_move(&x, -1); /* says: bsp_move: the number of bytes is -1, which is negative */
    bsp_end();
}

static void qsize_null(void)
{
    begin();
    bsp_qsize(NULL, &x); /* says: bsp_qsize: the first argument is a null pointer */
    bsp_end();
}

static void get_tag_null(void)
{
    begin();
    bsp_get_tag(NULL, &x); /* says: bsp_get_tag: the first argument is a null pointer */
    bsp_end();
}

static void get_tag_null_tag(void)
{
    begin();
    int bytes = sizeof x;
    bsp_set_tagsize(&bytes);
    bsp_sync();
    bsp_send(bsp_pid(), &x, NULL, 0);
    bsp_sync();
    bsp_get_tag(&bytes, NULL); /* says: bsp_get_tag: the second argument is a null pointer */
    bsp_end();
}

static void move_to_null(void)
{
    begin();
    bsp_send(bsp_pid(), NULL, &x, sizeof x);
    bsp_sync();
    bsp_move(NULL, sizeof x); /* says: bsp_move: the first argument is a null pointer */
    bsp_end();
}

static void hpmove_null(void)
{
    void *place;
    begin();
    bsp_send(bsp_pid(), NULL, &x, sizeof x);
    bsp_sync();
    bsp_hpmove(&place, NULL); /* says: bsp_hpmove: the second argument is a null pointer */
    bsp_end();
}

static void get_tag_after_end(void)
{
    begin();
    bsp_end();
    bsp_get_tag(&x, &y); /* says: bsp_get_tag after bsp_end */
}

static void return_without_end(void)
{
    begin();
    bsp_sync(); /* says: process 0: the process ends without bsp_end; this was its last primitive */
}

static void one_exits(void)
{
    begin();
    int ends = is_last();
    bsp_sync(); /* says: process 2: the process ends without bsp_end; this was its last primitive */
    if (ends)
        exit(0);
    bsp_end();
}

static void abort_says_why(void)
{
    begin();
    if (is_last())
        bsp_abort("%d of %d gives up at %.2f%%, %s\n", 2, bsp_nprocs(), 12.5, "so"); /* prints: 2 of 3 gives up at 12.50%, so */
    bsp_sync();
    bsp_end();
}

#define CASE(name) {#name, name}
static const struct {
    const char *name;
    void (*function)(void);
} CASES[] = {
    CASE(pid_before_begin), CASE(sync_before_begin), CASE(end_before_begin), CASE(begin_twice), CASE(begin_after_end),
    CASE(begin_negative), CASE(init_after_begin), CASE(sync_after_end), CASE(end_twice), CASE(put_after_end), CASE(time_after_end),
    CASE(sync_while_others_end), CASE(end_while_others_sync), CASE(put_not_registered), CASE(put_inside_an_area), CASE(put_too_early),
    CASE(put_after_pop), CASE(put_behind_the_end), CASE(hpput_behind_the_end), CASE(put_negative_offset), CASE(put_negative_bytes),
    CASE(put_to_nobody), CASE(hpput_to_nobody), CASE(hpput_not_registered), CASE(get_behind_the_end), CASE(hpget_behind_the_end),
    CASE(get_not_registered), CASE(hpget_from_nobody), CASE(push_null_here_put_there), CASE(push_in_another_order), CASE(push_of_one),
    CASE(push_of_one_at_the_end), CASE(push_negative), CASE(push_too_many), CASE(pop_not_registered), CASE(pop_twice), CASE(pop_of_one),
    CASE(pop_of_another), CASE(tag_bytes), CASE(tag_bytes_of_one), CASE(tag_bytes_negative), CASE(tag_bytes_null), CASE(send_to_nobody),
    CASE(send_negative), CASE(send_too_much), CASE(send_largest), CASE(receive_too_much), CASE(move_nothing), CASE(move_one_too_many),
    CASE(move_negative), CASE(qsize_null), CASE(get_tag_null), CASE(get_tag_null_tag), CASE(move_to_null), CASE(hpmove_null), CASE(get_tag_after_end), CASE(return_without_end),
    CASE(one_exits), CASE(abort_says_why),
};

int main(int argc, char **argv)
{
    processes = argc > 2 ? atoi(argv[2]) : 3;
    for (unsigned at = 0; at < sizeof CASES / sizeof *CASES; at++) {
        if (argc < 2)
            puts(CASES[at].name);
        else if (strcmp(argv[1], CASES[at].name) == 0)
            CASES[at].function();
    }
    return 0;
}
