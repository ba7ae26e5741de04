//! The emulator and the trace as WebAssembly: a machine with its kernel runs there as it does here.

use std::path::PathBuf;
use std::process::Command;

use testbed_runner::firmware;
use wasmi::{Engine, Instance, Linker, Memory, Module, Store};

/// What a page does natively.
#[path = "../../sim/emulator/examples/page.rs"]
#[allow(dead_code)]
mod page;

/// Three processors whose clock ticks every other cycle: many events, and wraps, in few cycles.
const MACHINE: &str = r#"name = "page"
processors = ["master", "earth", "air"]
ram = "1 MiB"
clock = "25 MHz"
[monitor]
tick = "2 cycles"
"#;
const CYCLES: u64 = 5_000_000;
/// Messages of each length that `remote` sends.
const ARGUMENTS: &str = "1";

/// The module, built for the target of browsers.
fn module() -> Vec<u8> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let root = firmware::root().unwrap();
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        // Cargo says in its environment which crate is being tested.
        command.args(arguments).current_dir(&root).env_remove("RUSTFLAGS").output().unwrap()
    };
    let package = ["-p", "testbed-emulator", "--no-default-features", "--example", "page"];
    let built = cargo(&[&["build", "--release", "--target", TARGET][..], &package].concat());
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}\n  help: rustup target add {TARGET}");
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    std::fs::read(folder.join(TARGET).join("release/examples/page.wasm")).unwrap()
}

/// A module that runs.
struct Machine {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Machine {
    fn new(module: &[u8]) -> Self {
        let engine = Engine::default();
        let module = Module::new(&engine, module).unwrap();
        let imports: Vec<_> = module.imports().map(|import| import.name().to_string()).collect();
        assert_eq!(imports, Vec::<String>::new(), "a page has nothing to give");
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module).unwrap();
        let memory = instance.get_memory(&store, "memory").unwrap();
        Machine { store, instance, memory }
    }

    fn give(&mut self, bytes: &[u8]) {
        let room = self.instance.get_typed_func::<u32, u32>(&self.store, "room").unwrap();
        let place = room.call(&mut self.store, bytes.len() as u32).unwrap();
        self.memory.write(&mut self.store, place as usize, bytes).unwrap();
    }

    fn run(&mut self, cycles: u64) -> Result<Vec<u8>, String> {
        let run = self.instance.get_typed_func::<u64, i64>(&self.store, "run").unwrap();
        let bytes = run.call(&mut self.store, cycles).unwrap();
        let output = self.instance.get_typed_func::<(), u32>(&self.store, "output").unwrap();
        let place = output.call(&mut self.store, ()).unwrap() as usize;
        let shown = self.memory.data(&self.store)[place..][..bytes.unsigned_abs() as usize].to_vec();
        match bytes < 0 {
            true => Err(String::from_utf8_lossy(&shown).into_owned()),
            false => Ok(shown),
        }
    }
}

#[test]
fn a_machine_in_a_page_does_what_it_does_here() {
    let built = firmware::build(&firmware::root().unwrap()).unwrap_or_else(|error| panic!("{error}"));
    let (_, kernel) = built.kernel(1 << 20).unwrap();
    let (_, program) = built.read("remote").unwrap();
    let here = page::show(MACHINE, &kernel, &program, ARGUMENTS, CYCLES).unwrap();

    let mut machine = Machine::new(&module());
    for input in [MACHINE.as_bytes(), &kernel, &program, ARGUMENTS.as_bytes()] {
        machine.give(input);
    }
    let there = machine.run(CYCLES).unwrap();
    let text = String::from_utf8_lossy(&here);
    for shown in ["run/mmi.raw", "run/console.txt", "remote: sent 10 messages", "SCHEDULE", "COMMR"] {
        assert!(text.contains(shown), "the run shows no {shown}");
    }
    assert_eq!(here.len(), there.len());
    let differs = here.iter().zip(&there).position(|(here, there)| here != there);
    assert_eq!(differs, None, "the first byte that differs");

    // What is wrong is said there too, and the next run is as the first.
    machine.give(b"name = 1");
    assert!(machine.run(1).unwrap_err().contains("give four"));
    for input in [b"name = 1", &kernel[..], &program, b""] {
        machine.give(input);
    }
    let error = machine.run(1).unwrap_err();
    assert!(error.contains("the description:1") && error.contains("help:"), "{error}");
}
