//! Links every program with the script of `libtos`.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Tlibtos.ld");
    println!("cargo:rerun-if-changed=build.rs");
}
