# Start-up and the passage between kernel and user threads.
#
# A thread control block begins with a context: pc, then x1 to x31, at a multiple of eight, so that registers go in pairs. In user mode `mscratch` points to the running thread's control
# block, which is in the ready ring; in the kernel it points to a block of its own behind the stack, so that a trap there destroys nothing.
# The kernel never enables interrupts.
#
# Bit 0 of a saved pc: the thread waits for the result of a call, so only what that call keeps has been saved. Without it all registers have been.
# YIELDED is the page map's CSR value where the thread has just yielded, so that nothing else need be looked at: its result is 0, whatever
# its context says. Otherwise YIELDED is 0.

    .section .text.start, "ax"
    .global _start
_start:
    la      sp, __stack_top
    la      t0, __bss_start
    la      t1, __bss_end
1:  bgeu    t0, t1, 2f
    store_pair 0, 0, t0
    store_pair 0, 8, t0
    addi    t0, t0, 16
    j       1b
2:  la      t0, trap
    csrw    mtvec, t0
    csrw    mscratch, sp
    csrw    mstatus, zero
    j       kernel_main

# The trap vector where a yield need tell nobody: no event, no phase of the main loop. Of the registers that other calls keep, a yield keeps
# s2 to s11 for nobody: whoever yields has saved those whose values matter, as a rule none or few. No word names what the one before
# it loads, for which it would wait.
# The number of YIELD is also the cause of a trap by a call.
    .section .text.trap, "ax"
    .balign 4
    .global trap_quick
trap_quick:
    csrrw   tp, mscratch, tp
    sw      ra, 4(tp)
    csrr    ra, mcause
    bne     ra, a7, no_yield
    addi    ra, ra, -{YIELD}
    bnez    ra, interrupt
    store_pair 8, 32, tp
    lw      s0, {NEXT}(tp)
    store_pair 2, 8, tp
    beq     s0, tp, yield_alone
    csrr    ra, mepc
    addi    ra, ra, 5
    sw      ra, 0(tp)
    lw      s1, {YIELDED}(s0)
    csrr    ra, {PMBASE}
    bne     s1, ra, yield_slowly
    csrrw   ra, mscratch, s0
    lw      s1, 0(s0)
    sw      ra, 16(tp)
    csrr    ra, time
    sw      ra, {START}(s0)
    csrw    mepc, s1
    lw      ra, 4(s0)
    lw      tp, 16(s0)
    load_pair 2, 8, s0
    load_pair 8, 32, s0
    li      a0, 0
    mret

yield_alone:
    csrr    ra, mepc
    addi    ra, ra, 4
    csrw    mepc, ra
    lw      ra, 4(tp)
    lw      s0, 32(tp)
    li      a0, 0
    csrrw   tp, mscratch, tp
    mret

# The next thread's process is another, or it has not just yielded.
yield_slowly:
    csrr    ra, mscratch
    sw      ra, 16(tp)
    csrr    ra, time
    sw      ra, {START}(s0)
    mv      a0, s0
    j       resume

# The trap vector otherwise.
    .balign 4
    .global trap
trap:
    csrrw   tp, mscratch, tp
    sw      ra, 4(tp)
    csrr    ra, mcause
no_yield:
    addi    ra, ra, -{ECALL_U}
    bnez    ra, interrupt

# A thread whose stack has overflown is ended there as everything that is not a call of the table goes on.
# Calls of the table are made as functions, with the arguments where they are, the control block in a6 and the number in a7. They keep
# s0 to s11, which are saved only if another thread goes on. Their result is the thread that goes on; 0: the main loop knows.
# With `counting` the thread that goes on begins to run: PASSAGE cycles after that is noted, and SWITCH more if it is another one, with
# those from the end of its run to where `trap_counting` looks at the time.
    .macro  fast_call counting
    addi    t0, a7, -{FIRST_CALL}
    .if     {LOOKS_AT_SP}
    lw      t1, {BOTTOM}(tp)
    bltu    sp, t1, interrupt
    .endif
    sltiu   t1, t0, {CALLS}
    beqz    t1, interrupt
    slli    t0, t0, 2
    lui     t1, %hi(CALLS)
    add     t0, t0, t1
    lw      t0, %lo(CALLS)(t0)
    csrr    t1, mepc
    addi    t1, t1, 5
    sw      t1, 0(tp)
    sw      sp, 8(tp)
    la      sp, __stack_top
    csrrw   t1, mscratch, sp
    sw      t1, 16(tp)
    mv      a6, tp
    jalr    t0
    .if     \counting
    beqz    a0, switch
    csrr    t0, time
    addi    t0, t0, {PASSAGE}
    beq     a0, tp, 1f
    addi    t0, t0, {SWITCH}
1:  sw      t0, {STARTED}(a0)
    .endif
    bne     a0, tp, switch
    lw      t0, 0(tp)
    csrw    mepc, t0
    csrw    mscratch, tp
    lw      ra, 4(tp)
    lw      sp, 8(tp)
    load_pair 10, 40, tp
    lw      tp, 16(tp)
    j       forget
    .endm
    fast_call 0

# The trap vector while the time of threads is added up: as `trap`. A trap in the kernel itself adds to the words behind the kernel's own context.
    .if     {COUNTS}
    .balign 4
    .global trap_counting
trap_counting:
    csrrw   tp, mscratch, tp
    sw      ra, 4(tp)
    sw      t0, 20(tp)
    csrr    ra, time
    lw      t0, {STARTED}(tp)
    sub     ra, ra, t0
    lw      t0, {USED}(tp)
    add     t0, t0, ra
    sw      t0, {USED}(tp)
    lw      t0, 20(tp)
    csrr    ra, mcause
    addi    ra, ra, -{ECALL_U}
    bnez    ra, interrupt
    fast_call 1
    .endif

switch:
    sw      gp, 12(tp)
    sw      zero, {YIELDED}(tp)
    .irp    n, 8, 18, 20, 22, 24, 26
    store_pair \n, 4*\n, tp
    .endr
    beqz    a0, nobody

# Runs the thread in a0. The kernel's functions that nobody waits for end here, so they need not give back what they have saved.
    .global resume
resume:
    lw      t0, {YIELDED}(a0)
    lw      t1, {SPACE}(a0)
    csrr    t2, {PMBASE}
    bnez    t0, has_yielded
1:  bne     t1, t2, other_space
2:  sw      t1, {YIELDED}(a0)
    lw      t0, 0(a0)
    csrw    mepc, t0
    csrw    mscratch, a0
    andi    t0, t0, 1
    beqz    t0, resume_all
    lw      ra, 4(a0)
    lw      tp, 16(a0)
    .irp    n, 2, 8, 18, 20, 22, 24, 26, 10
    load_pair \n, 4*\n, a0
    .endr
# The registers that a call does not keep go back without anything of the kernel's or of another process's.
forget:
    .irp    n, 5, 6, 7, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
    li      x\n, 0
    .endr
    mret

resume_all:
    lw      ra, 4(a0)
    .irp    n, 2, 4, 6, 8, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 10
    load_pair \n, 4*\n, a0
    .endr
    mret

nobody:
    j       kernel_next

has_yielded:
    sw      zero, 40(a0)
    j       1b

other_space:
    csrw    {PMBASE}, t1
    j       2b

# Interrupts, faults and the other calls: everything is saved.
interrupt:
    sw      t0, 20(tp)
    .irp    n, 2, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
    store_pair \n, 4*\n, tp
    .endr
    csrr    t0, mepc
    sw      t0, 0(tp)
    sw      zero, {YIELDED}(tp)
    la      sp, __stack_top
    csrrw   t0, mscratch, sp
    sw      t0, 16(tp)
    csrr    a1, mcause
    beq     tp, sp, fault_in_kernel
    mv      a0, tp
    li      t0, {PACKETS}
    bne     a1, t0, 1f
    j       kernel_next
1:  j       kernel_service

fault_in_kernel:
    mv      a0, a1
    csrr    a1, mepc
    csrr    a2, mtval
    j       kernel_fault
