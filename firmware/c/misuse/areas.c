/* Misuse of areas: registering them, and writing to and reading from those of others. */
#include "misuse.h"

static int more[300];

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

static const struct misuse CASES[] = {
    CASE(put_not_registered), CASE(put_inside_an_area), CASE(put_too_early), CASE(put_after_pop), CASE(put_behind_the_end),
    CASE(hpput_behind_the_end), CASE(put_negative_offset), CASE(put_negative_bytes), CASE(put_to_nobody), CASE(hpput_to_nobody),
    CASE(hpput_not_registered), CASE(get_behind_the_end), CASE(hpget_behind_the_end), CASE(get_not_registered),
    CASE(hpget_from_nobody), CASE(push_null_here_put_there), CASE(push_in_another_order), CASE(push_of_one),
    CASE(push_of_one_at_the_end), CASE(push_negative), CASE(push_too_many), CASE(pop_not_registered), CASE(pop_twice),
    CASE(pop_of_one), CASE(pop_of_another),
};

int main(int argc, char **argv)
{
    return run(CASES, sizeof CASES / sizeof *CASES, argc, argv);
}
