//! Links shell and utilities with the script of `libtos`, and with a heap and a stack of their own.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Tlibtos.ld");
    for (name, heap) in [("sh", 0x2_8000), ("utilities", 0x4_c000)] {
        for symbol in ["malloc=0", "main=0", "tos_stack_bytes=0xa000", &format!("tos_heap_bytes={heap:#x}")] {
            println!("cargo:rustc-link-arg-bin={name}=--defsym={symbol}");
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
}
