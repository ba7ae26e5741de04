//! Writes the linker script of user programs, `libtos.ld`, from the virtual layout that the kernel and hardware share.
//! A program asks for it with the linker argument `-Tlibtos.ld`.

use std::path::PathBuf;
use testbed_definitions::page::{CODE_BASE, DATA_BASE, PAGE_BYTES};

/// Bytes of a C program's heap, unless the linker is told `--defsym=tos_heap_bytes=N`.
const HEAP_BYTES: u32 = 64 * 1024;

/// Bytes for what bulk-synchronous programs send and receive, unless the linker is told
/// `--defsym=tos_bsp_bytes=N`.
const BSP_BYTES: u32 = 128 * 1024;

/// Bytes of the stack on which a C program's `main` runs, unless the linker is told
/// `--defsym=tos_stack_bytes=N`. A header of the program tells the kernel; the section is nowhere in memory.
const STACK_BYTES: u32 = 64 * 1024;

fn main() {
    // The first page stays unmapped, so that null pointers fault.
    let code = CODE_BASE + PAGE_BYTES;
    let script = format!(
        "ENTRY(_start)
PHDRS {{
    code PT_LOAD FLAGS(5);
    data PT_LOAD FLAGS(6);
    stack PT_GNU_STACK FLAGS(6);
}}
SECTIONS {{
    . = {code:#x};
    .text : {{ KEEP(*(.text.start)) KEEP(*(.text.fixed)) *(.text .text.*) }} :code
    .rodata : ALIGN(4) {{ *(.rodata .rodata.* .srodata .srodata.*) }} :code
    ASSERT(. <= {DATA_BASE:#x}, \"the program's code is too large\")
    . = {DATA_BASE:#x};
    .data : ALIGN(4) {{ *(.data .data.* .sdata .sdata.*) . = ALIGN(4); }} :data
    .bss : ALIGN(4) {{ *(.bss .bss.* .sbss .sbss.* COMMON) . = ALIGN(8); }} :data
    .heap (NOLOAD) : ALIGN(8) {{
        __heap_start = .;
        . += DEFINED(malloc) ? (DEFINED(tos_heap_bytes) ? tos_heap_bytes : {HEAP_BYTES:#x}) : 0;
        __heap_end = .;
    }} :data
    .bsp (NOLOAD) : ALIGN(8) {{
        __bsp_start = .;
        . += DEFINED(BSP_IS_USED) ? (DEFINED(tos_bsp_bytes) ? tos_bsp_bytes : {BSP_BYTES:#x}) : 0;
        __bsp_end = .;
    }} :data
    .stack (NOLOAD) : {{
        __stack_start = .;
        . += DEFINED(main) ? (DEFINED(tos_stack_bytes) ? tos_stack_bytes : {STACK_BYTES:#x}) : 0;
        . = ALIGN(16);
        __stack_end = .;
    }} :stack
    /DISCARD/ : {{ *(.eh_frame .eh_frame_hdr) }}
}}
"
    );
    let directory = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(directory.join("libtos.ld"), &script).expect("OUT_DIR can be written");
    // C programs find it beside the archive: OUT_DIR is `build/<package>/out` in the folder of what is built.
    if let Some(folder) = directory.ancestors().nth(3) {
        std::fs::write(folder.join("libtos.ld"), script).expect("the target folder can be written");
    }
    println!("cargo:rustc-link-search={}", directory.display());
    println!("cargo:rerun-if-changed=build.rs");
}
