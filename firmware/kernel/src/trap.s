# Start-up and the passage between kernel and user threads. A context is 33 words: pc, x1 to x31, the kernel's stack pointer.
# In user mode `mscratch` points to the running thread's context; in the kernel it is 0. The kernel never enables interrupts.

    .section .text.start, "ax"
    .global _start
_start:
    la      sp, __stack_top
    la      t0, __bss_start
    la      t1, __bss_end
1:  bgeu    t0, t1, 2f
    sw      zero, 0(t0)
    sw      zero, 4(t0)
    sw      zero, 8(t0)
    sw      zero, 12(t0)
    addi    t0, t0, 16
    j       1b
2:  la      t0, trap
    csrw    mtvec, t0
    csrw    mscratch, zero
    csrw    mstatus, zero
    j       kernel_main

# u32 run_user(context): runs the thread until it traps; returns mcause. mepc and the registers are in the context.
    .section .text.run_user, "ax"
    .global run_user
run_user:
    addi    sp, sp, -64
    sw      ra, 0(sp)
    sw      s0, 4(sp)
    sw      s1, 8(sp)
    sw      s2, 12(sp)
    sw      s3, 16(sp)
    sw      s4, 20(sp)
    sw      s5, 24(sp)
    sw      s6, 28(sp)
    sw      s7, 32(sp)
    sw      s8, 36(sp)
    sw      s9, 40(sp)
    sw      s10, 44(sp)
    sw      s11, 48(sp)
    sw      sp, 128(a0)
    csrw    mscratch, a0
    lw      t0, 0(a0)
    csrw    mepc, t0
    lw      x1, 4(a0)
    lw      x2, 8(a0)
    lw      x3, 12(a0)
    lw      x4, 16(a0)
    lw      x5, 20(a0)
    lw      x6, 24(a0)
    lw      x7, 28(a0)
    lw      x8, 32(a0)
    lw      x9, 36(a0)
    lw      x11, 44(a0)
    lw      x12, 48(a0)
    lw      x13, 52(a0)
    lw      x14, 56(a0)
    lw      x15, 60(a0)
    lw      x16, 64(a0)
    lw      x17, 68(a0)
    lw      x18, 72(a0)
    lw      x19, 76(a0)
    lw      x20, 80(a0)
    lw      x21, 84(a0)
    lw      x22, 88(a0)
    lw      x23, 92(a0)
    lw      x24, 96(a0)
    lw      x25, 100(a0)
    lw      x26, 104(a0)
    lw      x27, 108(a0)
    lw      x28, 112(a0)
    lw      x29, 116(a0)
    lw      x30, 120(a0)
    lw      x31, 124(a0)
    lw      x10, 40(a0)
    mret

    .balign 4
trap:
    csrrw   tp, mscratch, tp
    beqz    tp, fault_in_kernel
    sw      x1, 4(tp)
    sw      x2, 8(tp)
    sw      x3, 12(tp)
    sw      x5, 20(tp)
    sw      x6, 24(tp)
    sw      x7, 28(tp)
    sw      x8, 32(tp)
    sw      x9, 36(tp)
    sw      x10, 40(tp)
    sw      x11, 44(tp)
    sw      x12, 48(tp)
    sw      x13, 52(tp)
    sw      x14, 56(tp)
    sw      x15, 60(tp)
    sw      x16, 64(tp)
    sw      x17, 68(tp)
    sw      x18, 72(tp)
    sw      x19, 76(tp)
    sw      x20, 80(tp)
    sw      x21, 84(tp)
    sw      x22, 88(tp)
    sw      x23, 92(tp)
    sw      x24, 96(tp)
    sw      x25, 100(tp)
    sw      x26, 104(tp)
    sw      x27, 108(tp)
    sw      x28, 112(tp)
    sw      x29, 116(tp)
    sw      x30, 120(tp)
    sw      x31, 124(tp)
    csrrw   t0, mscratch, zero
    sw      t0, 16(tp)
    csrr    t0, mepc
    sw      t0, 0(tp)
    csrr    a0, mcause
    lw      sp, 128(tp)
    lw      ra, 0(sp)
    lw      s0, 4(sp)
    lw      s1, 8(sp)
    lw      s2, 12(sp)
    lw      s3, 16(sp)
    lw      s4, 20(sp)
    lw      s5, 24(sp)
    lw      s6, 28(sp)
    lw      s7, 32(sp)
    lw      s8, 36(sp)
    lw      s9, 40(sp)
    lw      s10, 44(sp)
    lw      s11, 48(sp)
    addi    sp, sp, 64
    ret

fault_in_kernel:
    csrr    a0, mcause
    csrr    a1, mepc
    csrr    a2, mtval
    la      sp, __stack_top
    j       kernel_fault
