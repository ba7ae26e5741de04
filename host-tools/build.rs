//! Has the linker compress the debugging information of `testbed`, which is three quarters of the
//! program else. Backtraces keep their lines: the standard library reads compressed sections.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--compress-debug-sections=zlib");
    }
}
