/* Misuse of messages and their tags, and of the beginning and the end of processes. */
#include "misuse.h"

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

static const struct misuse CASES[] = {
    CASE(pid_before_begin), CASE(sync_before_begin), CASE(end_before_begin), CASE(begin_twice), CASE(begin_after_end),
    CASE(begin_negative), CASE(init_after_begin), CASE(sync_after_end), CASE(end_twice), CASE(put_after_end),
    CASE(time_after_end), CASE(sync_while_others_end), CASE(end_while_others_sync), CASE(tag_bytes), CASE(tag_bytes_of_one),
    CASE(tag_bytes_negative), CASE(tag_bytes_null), CASE(send_to_nobody), CASE(send_negative), CASE(send_too_much),
    CASE(send_largest), CASE(receive_too_much), CASE(move_nothing), CASE(move_one_too_many), CASE(move_negative),
    CASE(qsize_null), CASE(get_tag_null), CASE(get_tag_null_tag), CASE(move_to_null), CASE(hpmove_null), CASE(get_tag_after_end),
    CASE(return_without_end), CASE(one_exits), CASE(abort_says_why),
};

int main(int argc, char **argv)
{
    return run(CASES, sizeof CASES / sizeof *CASES, argc, argv);
}
