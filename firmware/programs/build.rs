//! Links every program with the script of `libtos`.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Tlibtos.ld");
    // Sixteen of its processes have room on a processor.
    println!("cargo:rustc-link-arg-bin=bsp-hash=--defsym=tos_bsp_bytes=0x18000");
    println!("cargo:rerun-if-changed=build.rs");
}
