//! Every way in which a thread can touch what is not its own. Each ends the thread that does it,
//! which the console says with address, access and pc; its parent learns it from the exit code, and
//! other threads go on. Exit code 0 if that is so.
#![no_std]
#![no_main]

use libtos::{
    alt, create, delay_us, exit, println, processor, processors, receive, send_block, stack_for, wait, Error,
};

libtos::program!(main);

const STACK_PAGES: u32 = 2;
const WITNESS: u8 = 2;
const FIRST: u8 = 10;
/// Until a console has nothing to say any more.
const SILENCE_US: u32 = 100_000;
const ASK: u8 = 1;
const ANSWER: u8 = 2;

fn main(arguments: libtos::Arguments) -> u32 {
    if !arguments.is_empty() {
        println!("usage: faults");
        return 2;
    }
    let here = processor() as i32;
    let elsewhere = if processors() > 2 { here + 1 } else { here };
    let faults: [unsafe extern "C" fn() -> !; FAULTS] = [
        null_load,
        null_store,
        null_jump,
        code_store,
        data_jump,
        stack_below,
        stack_above,
        kernel_load,
        kernel_store,
        kernel_jump,
        device_load,
        device_store,
        beyond_load,
        misaligned_load,
        misaligned_store,
        misaligned_jump,
        no_instruction,
        machine_return,
        machine_register,
        page_map_register,
        breakpoint,
    ];
    let mut wrong = 0;
    for place in [here, elsewhere] {
        let _ = create(WITNESS, STACK_PAGES, place, witness, stack_for(STACK_PAGES));
        for (id, entry) in (FIRST..).zip(faults) {
            // SAFETY: the types differ in `unsafe` only; the kernel ends all of these.
            let entry = unsafe { core::mem::transmute::<unsafe extern "C" fn() -> !, extern "C" fn() -> !>(entry) };
            if let Err(error) = create(id, STACK_PAGES, place, entry, stack_for(STACK_PAGES)) {
                println!("create: {}", error.meaning());
            }
            // Time for its line on the console.
            delay_us(1000);
            wrong += !ask(id) as u32;
        }
        // The witness's own exit code is 0.
        let _ = send_block(ASK, &[]);
        let ended = wait();
        delay_us(SILENCE_US);
        println!("{ended} of {FAULTS} threads ended for what they touched");
        wrong += (ended as usize != FAULTS) as u32;
    }
    println!("faults: {wrong} wrong");
    wrong
}

/// Whether the witness is still there.
fn ask(number: u8) -> bool {
    let mut answer = [0];
    send_block(ASK, &[number]) == Ok(1) && receive(ANSWER, &mut answer) == Ok(1) && answer == [!number]
}

extern "C" fn witness() -> ! {
    let mut question = [0];
    loop {
        match alt(&[ASK], &mut question, None) {
            Ok((0, 1)) if send_block(ANSWER, &[!question[0]]) == Ok(1) => {}
            Ok((0, 0)) => exit(0),
            Ok(_) | Err(Error::Timeout) => exit(1),
            Err(_) => exit(2),
        }
    }
}

const FAULTS: usize = 21;

// At the same addresses whatever the compiler does: right after the start-up code.
core::arch::global_asm!(
    ".section .text.fixed, \"ax\"",
    ".option push",
    ".option norelax",
    "null_load: lw t0, 0(zero)",
    "null_store: sw zero, 4(zero)",
    "null_jump: jr zero",
    "code_store: sw zero, 0x404(zero)",
    "data_jump: addi sp, sp, -64",
    "jr sp",
    // The page below the stack, and the one above it.
    "stack_below: li t0, -2048 - 4",
    "add t0, t0, sp",
    "sw zero, 0(t0)",
    "stack_above: lw t0, 0(sp)",
    "kernel_load: lui t0, 0x80000",
    "lw t0, 0(t0)",
    "kernel_store: lui t0, 0x80010",
    "sw t0, 0(t0)",
    "kernel_jump: lui t0, 0x80000",
    "jr t0",
    "device_load: lui t0, 0x10000",
    "lb t0, 0(t0)",
    "device_store: lui t0, 0x2000",
    "sw zero, 0(t0)",
    "beyond_load: lui t0, 0x100",
    "lw t0, 0(t0)",
    "misaligned_load: lw t0, -2(sp)",
    "misaligned_store: sh zero, -1(sp)",
    "misaligned_jump: li t0, 0x402",
    "jr t0",
    "no_instruction: .word 0",
    "machine_return: mret",
    "machine_register: csrw mtvec, zero",
    "page_map_register: csrr t0, 0x7c0",
    "breakpoint: ebreak",
    ".option pop",
);

extern "C" {
    fn null_load() -> !;
    fn null_store() -> !;
    fn null_jump() -> !;
    fn code_store() -> !;
    fn data_jump() -> !;
    fn stack_below() -> !;
    fn stack_above() -> !;
    fn kernel_load() -> !;
    fn kernel_store() -> !;
    fn kernel_jump() -> !;
    fn device_load() -> !;
    fn device_store() -> !;
    fn beyond_load() -> !;
    fn misaligned_load() -> !;
    fn misaligned_store() -> !;
    fn misaligned_jump() -> !;
    fn no_instruction() -> !;
    fn machine_return() -> !;
    fn machine_register() -> !;
    fn page_map_register() -> !;
    fn breakpoint() -> !;
}
