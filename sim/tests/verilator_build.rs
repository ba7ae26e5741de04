//! Building models: one builds while others wait, and what is missing is named. Alone in its process, since it changes
//! where tools and the cache are looked for.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use testbed_definitions::map;
use testbed_machine::Machine;
use testbed_sim::engine::Image;
use testbed_sim::rust_hdl::RustHdl;
use testbed_sim::verilator::compile::{shared_object, Source};

/// The least that the shim can run.
const TOP: &str = "\
module top(clock, reset_vector, rx, trace_ready, rts, trace_valid, trace_word);
    input wire clock, rx, trace_ready;
    input wire [31:0] reset_vector;
    output wire trace_valid, rts;
    output wire [19:0] trace_word;
    assign trace_valid = 0;
    assign rts = 1;
    assign trace_word = reset_vector[19:0];
endmodule
";

/// Links every tool of the search path into `folder`, but for the C++ compiler.
fn tools_without_compiler(folder: &Path) {
    let path = std::env::var_os("PATH").unwrap();
    let files = std::env::split_paths(&path).filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
    for file in files {
        let name = file.file_name();
        let text = name.to_string_lossy();
        if !["g++", "c++", "clang++", "ccache"].iter().any(|compiler| text.contains(compiler)) {
            // The first of a name is the one that counts.
            let _ = symlink(file.path(), folder.join(&name));
        }
    }
}

#[test]
fn one_builds_for_all_and_missing_tools_are_named() {
    let cache = tempfile::tempdir().unwrap();
    std::env::set_var("TESTBED_CACHE", cache.path());
    let builds = AtomicUsize::new(0);
    let build = || {
        let source = Source { verilog: TOP, waves: None };
        let mut count = |_: &str| {
            builds.fetch_add(1, Ordering::Relaxed);
        };
        shared_object(&source, &mut count).unwrap()
    };
    let objects = std::thread::scope(|scope| [scope.spawn(build), scope.spawn(build)].map(|t| t.join().unwrap()));
    assert_eq!(objects[0], objects[1]);
    assert!(objects[0].exists());
    assert_eq!(builds.load(Ordering::Relaxed), 1);

    let tools = tempfile::tempdir().unwrap();
    tools_without_compiler(tools.path());
    std::env::set_var("PATH", tools.path());
    let other = format!("{TOP}// another\n");
    let message = shared_object(&Source { verilog: &other, waves: None }, &mut |_| ()).unwrap_err().to_string();
    assert!(message.contains("apt install g++ make"), "{message}");

    std::env::set_var("PATH", cache.path());
    let message = shared_object(&Source { verilog: TOP, waves: None }, &mut |_| ()).unwrap_err().to_string();
    assert!(message.contains("apt install verilator"), "{message}");
}

#[test]
fn an_image_outside_ram_is_an_error() {
    let machine = Machine::single(64 * 1024);
    for start in [map::RAM_BASE - 4, map::RAM_BASE + 64 * 1024 - 4, 0, u32::MAX - 3] {
        let image = Image { segments: vec![(start, vec![0; 8])], entry: map::RAM_BASE };
        let error = RustHdl::new(&machine, &image).err().expect("refused");
        assert!(error.to_string().contains(&format!("8 bytes at {start:#010x} are not in the RAM")), "{error}");
    }
}
