//! Writes the kernel's linker script from the machine's definition.

use std::path::PathBuf;
use testbed_definitions::map::RAM_BASE;

/// Bytes of the kernel's stack: its deepest call chain is short and holds no large values.
const STACK_BYTES: u32 = if cfg!(feature = "small") { 2048 } else { 4096 };
/// Behind the stack, for the registers when the kernel itself traps.
const CONTEXT_BYTES: u32 = 144;

fn main() {
    let script = format!(
        "ENTRY(_start)
SECTIONS {{
    . = {RAM_BASE:#x};
    .text : {{ KEEP(*(.text.start)) *(.text .text.*) }}
    .rodata : ALIGN(4) {{ *(.rodata .rodata.* .srodata .srodata.*) }}
    .data : ALIGN(4) {{ *(.data .data.* .sdata .sdata.*) . = ALIGN(4); }}
    .bss (NOLOAD) : ALIGN(16) {{
        __bss_start = .;
        *(.bss .bss.* .sbss .sbss.*)
        . = ALIGN(16);
        __bss_end = .;
        . += {STACK_BYTES};
        __stack_top = .;
        . += {CONTEXT_BYTES};
    }}
    KERNEL_END = .;
    /* Stays in the file and is never loaded: `testbed_kernel_core::layout`. */
    .layout 0 (INFO) : {{ KEEP(*(.layout)) }}
    /DISCARD/ : {{ *(.eh_frame .eh_frame_hdr) }}
}}
"
    );
    let directory = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let path = directory.join("kernel.ld");
    std::fs::write(&path, script).expect("OUT_DIR can be written");
    println!("cargo:rustc-link-arg-bins=-T{}", path.display());
    println!("cargo:rerun-if-changed=build.rs");
}
