//! The fronts of functions with variable arguments. Each puts the argument registers into memory
//! right below the arguments that the caller has on the stack; so all of them lie in a row, and a
//! `va_list`, which on this architecture is a pointer, walks over them.

/// `name` calls `inner` with the fixed arguments and, in the register after them, the address of the others.
macro_rules! front {
    ($name:literal, $inner:literal, $list:literal, $offset:literal) => {
        core::arch::global_asm!(
            concat!(".section .text.", $name, ", \"ax\""),
            concat!(".global ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            "addi sp, sp, -48",
            "sw ra, 12(sp)",
            "sw a1, 20(sp)",
            "sw a2, 24(sp)",
            "sw a3, 28(sp)",
            "sw a4, 32(sp)",
            "sw a5, 36(sp)",
            "sw a6, 40(sp)",
            "sw a7, 44(sp)",
            concat!("addi ", $list, ", sp, ", $offset),
            concat!("call ", $inner),
            "lw ra, 12(sp)",
            "addi sp, sp, 48",
            "ret",
        );
    };
}

front!("printf", "vprintf", "a1", "20");
front!("fprintf", "vfprintf", "a2", "24");
front!("sprintf", "vsprintf", "a2", "24");
front!("snprintf", "vsnprintf", "a3", "28");
front!("scanf", "vscanf", "a1", "20");
front!("fscanf", "vfscanf", "a2", "24");
front!("sscanf", "vsscanf", "a2", "24");
