//! Registers of threads that are not running.

use core::cell::Cell;
use testbed_definitions::syscall::Error;

/// Registers of a thread that is not running, as `trap.s` lays them out and moves them: in pairs.
#[repr(C, align(8))]
pub struct Context {
    /// With [`RESULT`] in bit 0.
    pc: Cell<u32>,
    /// `x1` to `x31`.
    registers: [Cell<u32>; 31],
}

/// A saved pc with this bit waits for a call's result, and the registers that a call does not keep
/// are not in its context.
const RESULT: u32 = 1;

/// Bytes of the instruction that calls.
const CALL_BYTES: u32 = 4;

/// Register numbers of arguments, stack pointer and call number.
const A0: usize = 10;
const A7: usize = 17;
const SP: usize = 2;

impl Context {
    /// Register `x1` to `x31`.
    #[inline(always)]
    fn get(&self, register: usize) -> u32 {
        self.registers[register - 1].get()
    }
    #[inline(always)]
    fn set(&self, register: usize, value: u32) {
        self.registers[register - 1].set(value);
    }

    /// Where the thread goes on, with a bit that says whether it has been saved as a call's: two
    /// values of this are equal only if nothing at all has happened to it.
    #[inline(always)]
    pub fn saved_pc(&self) -> u32 {
        self.pc.get()
    }

    /// Where the thread goes on.
    #[inline(always)]
    pub fn pc(&self) -> u32 {
        self.pc.get() & !RESULT
    }

    /// The stack pointer.
    #[inline(always)]
    pub fn sp(&self) -> u32 {
        self.get(SP)
    }

    /// System-call argument `a0`..
    #[inline(always)]
    pub fn argument(&self, index: usize) -> u32 {
        self.get(A0 + index)
    }

    /// The number of the call.
    #[inline(always)]
    pub fn call_number(&self) -> u32 {
        self.get(A7)
    }

    /// A call's result.
    #[inline(always)]
    pub fn answer(&self, result: Result<u32, Error>) {
        self.set(A0, result.unwrap_or_else(|error| error.code() as u32));
    }

    /// A call's second result.
    #[inline(always)]
    pub fn answer_also(&self, second: u32) {
        self.set(A0 + 1, second);
    }

    /// The call is over, or will be: the thread goes on behind it.
    #[inline(always)]
    pub fn pass_call(&self) {
        self.pc.set(self.pc.get().wrapping_add(CALL_BYTES));
    }

    /// The thread makes its call again.
    #[inline(always)]
    pub fn repeat_call(&self) {
        self.pc.set(self.pc.get().wrapping_sub(CALL_BYTES));
    }

    /// What a call that is made again was given, where `trap.s` has saved nothing of it.
    pub fn restore_arguments(&self, arguments: [u32; 5], number: u32) {
        self.pc.set(self.pc());
        arguments.into_iter().enumerate().for_each(|(index, argument)| self.set(A0 + index, argument));
        self.set(A7, number);
    }

    /// The thread begins at `entry`, with all other registers 0.
    pub fn begin(&self, entry: u32, sp: u32) {
        self.registers.iter().for_each(|register| register.set(0));
        self.pc.set(entry);
        self.set(SP, sp);
    }

    /// The thread begins with so many bytes of arguments, which are at the top of its stack.
    pub fn give_arguments(&self, address: u32, bytes: u32) {
        self.set(SP, address);
        self.set(A0, address);
        self.set(A0 + 1, bytes);
    }

    /// Where the words are, for those that move with the thread.
    #[inline(always)]
    pub fn address(&self) -> u32 {
        (&raw const *self).addr() as u32
    }
}
