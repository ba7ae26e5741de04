/* BSPlib (Hill et al., "BSPlib: the BSP programming library", Parallel Computing 24, 1998): all twenty primitives. Each process is a process
   of TOS with memory of its own; docs/bsp.md is the manual. A primitive that is misused ends the program and says where and why. */
#ifndef _BSP_H
#define _BSP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Gives the program the library's memory. */
__asm__(".weak BSP_IS_USED\n.set BSP_IS_USED, 1");

#ifdef __cplusplus
extern "C" {
#endif

/* Names that other BSPlibs have for these types, and programs use. */
typedef int bsp_pid_t;
typedef int bsp_nprocs_t;
typedef int bsp_size_t;

/* How processes begin and end. `spmd` is what all of them run, if bsp_begin is not the first statement of main. */
void bsp_init(void (*spmd)(void), int argc, char **argv);
/* So many processes at most; 0: as many as there are processors for programs. */
void bsp_begin(int maxprocs);
void bsp_end(void);
void bsp_abort(const char *format, ...) __attribute__((__noreturn__, __format__(__printf__, 1, 2)));

/* Before bsp_begin, how many processors there are for programs. */
int bsp_nprocs(void);
int bsp_pid(void);
/* Seconds since this process began. */
double bsp_time(void);
/* The end of a superstep. */
void bsp_sync(void);

/* Direct remote memory access. */
void bsp_push_reg(const void *ident, int nbytes);
void bsp_pop_reg(const void *ident);
void bsp_put(int pid, const void *src, void *dst, int offset, int nbytes);
void bsp_get(int pid, const void *src, int offset, void *dst, int nbytes);
void bsp_hpput(int pid, const void *src, void *dst, int offset, int nbytes);
void bsp_hpget(int pid, const void *src, int offset, void *dst, int nbytes);

/* Messages. Some BSPlibs have numbers of bytes as int, as the standard does, others as size_t: both
   are of four bytes here, and pointers to either are taken. */
void bsp_set_tagsize(void *tag_nbytes);
void bsp_send(int pid, const void *tag, const void *payload, int payload_nbytes);
void bsp_qsize(void *nmessages, void *accum_nbytes);
/* *status is -1 if there is no message, otherwise its bytes. */
void bsp_get_tag(void *status, void *tag);
void bsp_move(void *payload, int reception_nbytes);
/* -1 if there is no message, otherwise its bytes. */
int bsp_hpmove(void **tag_ptr, void **payload_ptr);

/* Where in the program the next primitive is called. */
void tos_bsp_at(const char *file, int line);

#define bsp_init(spmd, argc, argv) (tos_bsp_at(__FILE__, __LINE__), bsp_init(spmd, argc, argv))
#define bsp_begin(maxprocs) (tos_bsp_at(__FILE__, __LINE__), bsp_begin(maxprocs))
#define bsp_end() (tos_bsp_at(__FILE__, __LINE__), bsp_end())
#define bsp_pid() (tos_bsp_at(__FILE__, __LINE__), bsp_pid())
#define bsp_time() (tos_bsp_at(__FILE__, __LINE__), bsp_time())
#define bsp_sync() (tos_bsp_at(__FILE__, __LINE__), bsp_sync())
#define bsp_push_reg(ident, nbytes) (tos_bsp_at(__FILE__, __LINE__), bsp_push_reg(ident, nbytes))
#define bsp_pop_reg(ident) (tos_bsp_at(__FILE__, __LINE__), bsp_pop_reg(ident))
#define bsp_put(pid, src, dst, offset, nbytes) (tos_bsp_at(__FILE__, __LINE__), bsp_put(pid, src, dst, offset, nbytes))
#define bsp_get(pid, src, offset, dst, nbytes) (tos_bsp_at(__FILE__, __LINE__), bsp_get(pid, src, offset, dst, nbytes))
#define bsp_hpput(pid, src, dst, offset, nbytes) (tos_bsp_at(__FILE__, __LINE__), bsp_hpput(pid, src, dst, offset, nbytes))
#define bsp_hpget(pid, src, offset, dst, nbytes) (tos_bsp_at(__FILE__, __LINE__), bsp_hpget(pid, src, offset, dst, nbytes))
#define bsp_set_tagsize(tag_nbytes) (tos_bsp_at(__FILE__, __LINE__), bsp_set_tagsize(tag_nbytes))
#define bsp_send(pid, tag, payload, nbytes) (tos_bsp_at(__FILE__, __LINE__), bsp_send(pid, tag, payload, nbytes))
#define bsp_qsize(nmessages, accum_nbytes) (tos_bsp_at(__FILE__, __LINE__), bsp_qsize(nmessages, accum_nbytes))
#define bsp_get_tag(status, tag) (tos_bsp_at(__FILE__, __LINE__), bsp_get_tag(status, tag))
#define bsp_move(payload, nbytes) (tos_bsp_at(__FILE__, __LINE__), bsp_move(payload, nbytes))
#define bsp_hpmove(tag_ptr, payload_ptr) (tos_bsp_at(__FILE__, __LINE__), bsp_hpmove(tag_ptr, payload_ptr))

#ifdef __cplusplus
}
#endif

#endif
