//! What a board shows without the kernel: looks for primes, prints them, and emits each as an event
//! of its own class, as a program of the kernel's does. Between two rounds it sleeps for a second;
//! the first round ends a simulation.
//!
//! It runs on a slave of any machine. A processor without an SMI, which hart 0 is, prints only.
#![no_std]
#![no_main]

use core::arch::{asm, global_asm};

use testbed_definitions::map::{clint, smi, system, uart, CLINT_BASE, SMI_BASE, SYSTEM_BASE, UART_BASE};
use testbed_definitions::{csr, event};

global_asm!(".section .text.start", ".globl _start", "_start:", "la sp, _stack_top", "call main", "1: j 1b",);

/// Primes up to here, which keeps their high bytes from those that belong to the monitor.
const LAST: u16 = 2_000;

fn register<T>(base: u32, offset: u32) -> *mut T {
    (base + offset) as *mut T
}

fn print(byte: u8) {
    // SAFETY: registers of the UART, which every processor has.
    unsafe {
        while register::<u8>(UART_BASE, uart::LSR).read_volatile() & uart::LSR_THR_EMPTY == 0 {}
        register::<u8>(UART_BASE, uart::RBR_THR_DLL).write_volatile(byte);
    }
}

fn print_number(number: u16) {
    let mut place = 10_000;
    while place > 1 && number < place {
        place /= 10;
    }
    while place > 0 {
        print(b'0' + (number / place % 10) as u8);
        place /= 10;
    }
}

/// A word of an event, to the SMI.
fn emit(word: u16) {
    // SAFETY: a register of the SMI; only called where there is one.
    unsafe { register::<u16>(SMI_BASE, smi::EVENT).write_volatile(word) }
}

fn has_smi() -> bool {
    let hart: u32;
    // SAFETY: reads a CSR that all have.
    unsafe { asm!("csrr {}, {}", out(reg) hart, const csr::MHARTID, options(nomem, nostack)) };
    hart != 0
}

fn is_prime(number: u16) -> bool {
    let mut divisor = 2;
    while divisor * divisor <= number {
        let rest = number % divisor;
        if rest == 0 {
            return false;
        }
        divisor += 1;
    }
    true
}

/// Sleeps for so many cycles.
fn sleep(cycles: u32) {
    // SAFETY: the CLINT's registers, and a wait for its timer, whose interrupt wakes but is not taken.
    unsafe {
        let now = register::<u32>(CLINT_BASE, clint::MTIME_LOW).read_volatile();
        let high = register::<u32>(CLINT_BASE, clint::MTIME_HIGH).read_volatile();
        let (then, carry) = now.overflowing_add(cycles);
        register::<u32>(CLINT_BASE, clint::MTIMECMP_HIGH).write_volatile(u32::MAX);
        register::<u32>(CLINT_BASE, clint::MTIMECMP_LOW).write_volatile(then);
        register::<u32>(CLINT_BASE, clint::MTIMECMP_HIGH).write_volatile(high + u32::from(carry));
        asm!("csrs mie, {timer}", "wfi", "csrc mie, {timer}", timer = in(reg) 1 << 7, options(nostack));
    }
}

#[no_mangle]
extern "C" fn main() {
    let emits = has_smi();
    // SAFETY: a register of every processor.
    let second = unsafe { register::<u32>(SYSTEM_BASE, system::CLOCK_HZ).read_volatile() };
    loop {
        let mut found = 0;
        for number in 2..=LAST {
            if !is_prime(number) {
                continue;
            }
            found += 1;
            if emits {
                emit(event::USER | event::MORE);
                emit(number);
            }
            print_number(number);
            print(if found % 10 == 0 { b'\n' } else { b' ' });
        }
        print(b'\n');
        // SAFETY: as above; only the first store counts.
        unsafe { register::<u32>(SYSTEM_BASE, system::EXIT).write_volatile(0) };
        sleep(second);
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {
        print(b'!');
    }
}
