//! The machine of a page leaves what `testbed run` leaves, and says what is wrong.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{json, Value};
use testbed_machine::Machine;
use testbed_page::kit::Kit;
use testbed_page::run::Run;
use testbed_page::wishes::Wishes;
use testbed_runner::firmware;
use testbed_session::store::{image, Stored};
use testbed_sim::load::Boot;
use wasmi::{Engine, Instance, Linker, Memory, Module, Store};

use super::CONTENTS;
use crate::common::root;

/// A module that runs, as a page's worker has it.
struct Page {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Page {
    /// With the kernels and all programs.
    fn new() -> Self {
        let engine = Engine::default();
        let module = Module::new(&engine, CONTENTS.part("module", "module").unwrap()).unwrap();
        assert_eq!(module.imports().count(), 0, "a page has nothing to give");
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module).unwrap();
        let memory = instance.get_memory(&store, "memory").unwrap();
        let mut page = Page { store, instance, memory };
        page.instance.get_typed_func::<(), ()>(&page.store, "begin").unwrap().call(&mut page.store, ()).unwrap();
        for part in CONTENTS.parts.iter().filter(|part| part.kind != "module") {
            let bytes = CONTENTS.part(part.kind, &part.name).unwrap();
            page.ask("put", &[part.kind.as_bytes(), part.name.as_bytes(), bytes]).unwrap();
        }
        page
    }

    fn hand(&mut self, bytes: &[u8]) {
        let room = self.instance.get_typed_func::<u32, u32>(&self.store, "room").unwrap();
        let place = room.call(&mut self.store, bytes.len() as u32).unwrap();
        self.memory.write(&mut self.store, place as usize, bytes).unwrap();
    }

    /// What a call that takes these inputs has put out, or its error.
    fn ask(&mut self, name: &str, inputs: &[&[u8]]) -> Result<Vec<u8>, String> {
        inputs.iter().for_each(|bytes| self.hand(bytes));
        let call = self.instance.get_typed_func::<(), i64>(&self.store, name).unwrap();
        let length = call.call(&mut self.store, ()).unwrap();
        let bytes = if length < 0 { -length - 1 } else { length } as usize;
        let output = self.instance.get_typed_func::<(), u32>(&self.store, "output").unwrap();
        let place = output.call(&mut self.store, ()).unwrap() as usize;
        let shown = self.memory.data(&self.store)[place..][..bytes].to_vec();
        match length < 0 {
            true => Err(String::from_utf8_lossy(&shown).into_owned()),
            false => Ok(shown),
        }
    }

    fn start(&mut self, wishes: &Value) -> Result<(), String> {
        self.ask("start", &[wishes.to_string().as_bytes()]).map(drop)
    }

    /// Goes on until a cycle; the one that is reached.
    fn advance(&mut self, until: u64) -> u64 {
        let advance = self.instance.get_typed_func::<u64, i64>(&self.store, "advance").unwrap();
        u64::try_from(advance.call(&mut self.store, until).unwrap()).unwrap()
    }

    fn state(&mut self) -> Value {
        serde_json::from_slice(&self.ask("state", &[]).unwrap()).unwrap()
    }
}

pub fn testbed6() -> String {
    Machine::testbed6().to_toml()
}

/// What `testbed run` leaves of a run with these arguments.
pub fn native(arguments: &[&str], dir: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_testbed"))
        .arg("run")
        .args(arguments)
        .arg("--out")
        .arg(dir)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_run_in_a_page_leaves_the_bytes_that_it_leaves_here() {
    let dir = tempfile::tempdir().unwrap();
    native(&["remote", "5", "2", "1"], dir.path());
    let mut page = Page::new();
    page.start(&json!({ "machine": testbed6(), "program": "remote", "arguments": ["5", "2", "1"] })).unwrap();
    // By odd steps, as a page asks for them.
    let (mut cycle, mut stopped) = (0, json!(null));
    while stopped.is_null() {
        cycle = page.advance(cycle + 77_777);
        stopped = page.state()["stopped"].take();
    }
    let run: Value = serde_json::from_slice(&fs::read(dir.path().join("run.json")).unwrap()).unwrap();
    assert_eq!((stopped, json!(cycle)), (json!("exit"), run["cycles"].clone()));
    for name in ["mmi.raw", "console.txt", "trace/metadata", "trace/earth", "trace/.earth.sums"] {
        let here = fs::read(dir.path().join(name)).unwrap();
        assert!(!here.is_empty());
        assert_eq!(page.ask("file", &[name.as_bytes()]).unwrap(), here, "{name}");
    }
    let record = |bytes: Vec<u8>| {
        let mut record: Value = serde_json::from_slice(&bytes).unwrap();
        record["wall_seconds"].take();
        record
    };
    let there = record(page.ask("file", &[b"run.json"]).unwrap());
    assert_eq!(there, record(fs::read(dir.path().join("run.json")).unwrap()));
    // What is made of it is made there too.
    assert!(page.ask("file", &[b"trace.perfetto"]).unwrap().len() > 1_000);
    let report = page.ask("file", &[b"report.html"]).unwrap();
    assert!(String::from_utf8(report).unwrap().contains("remote: sent 10 messages"));
    let state = page.state();
    assert!(state["threads"] == 0 && state["events"].as_u64().unwrap() > 200, "{state}");
}

#[test]
fn what_was_typed_in_a_page_can_be_given_here() {
    let mut page = run(&kit(), &json!({ "machine": testbed6(), "program": "sh" })).unwrap();
    page.advance(3_000_001).unwrap();
    page.give(b"echo seen; ls\n");
    page.advance(9_000_000).unwrap();
    page.give(b"\x04");
    page.advance(u64::MAX).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (input, dir) = (folder.path().join("input"), folder.path().join("run"));
    let given = page.file("input").unwrap();
    assert!(given.starts_with(b"3014656 echo seen"), "{}", String::from_utf8_lossy(&given));
    fs::write(&input, &given).unwrap();
    native(&["sh", "--replay", input.to_str().unwrap()], &dir);
    for name in ["mmi.raw", "console.txt", "input"] {
        assert_eq!(page.file(name).unwrap(), fs::read(dir.join(name)).unwrap(), "{name}");
    }
    let text = String::from_utf8(page.file("console.txt").unwrap()).unwrap();
    assert!(text.contains("earth: seen") && text.contains(" remote\n"), "{text}");
}

#[test]
fn a_balancer_in_a_page_asks_for_what_it_asks_for_here() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["synthetic", "6", "mixed", "700ms", "--balance", "gain", "--cycles", "20000000"];
    native(&arguments, dir.path());
    let balance = json!({ "policy": "gain", "sample_us": 200_000 });
    let wishes = json!({ "machine": testbed6(), "program": "synthetic", "arguments": ["6", "mixed", "700ms"],
        "balance": balance, "cycles": 20_000_000 });
    let mut page = run(&kit(), &wishes).unwrap();
    page.advance(u64::MAX).unwrap();
    let here = fs::read(dir.path().join("mmi.raw")).unwrap();
    assert!(here.len() > 100);
    assert_eq!(page.file("mmi.raw").unwrap(), here);
    assert!(page.state().processors.iter().any(|processor| processor.load.is_some()));
}

pub fn kit() -> Kit {
    let mut kit = Kit::default();
    for part in CONTENTS.parts.iter().filter(|part| part.kind != "module") {
        kit.put(part.kind, &part.name, CONTENTS.part(part.kind, &part.name).unwrap().to_vec()).unwrap();
    }
    kit
}

pub fn run(kit: &Kit, wishes: &Value) -> Result<Run, String> {
    Run::new(&Wishes::read(wishes.to_string().as_bytes())?, kit)
}

#[test]
fn images_are_the_same_without_what_only_debuggers_read() {
    let root = root();
    let built = firmware::build(&root).unwrap();
    let boot = Boot { start_processor: 1, arguments: vec!["1".into()], ..Boot::default() };
    for (machine, kind) in [("testbed6", "kernel"), ("ulx3s-85f", "small")] {
        let machine = Machine::named(machine).unwrap();
        let (path, kernel) = built.kernel(machine.ram_bytes).unwrap();
        let path = path.display().to_string();
        let mut compared = 0;
        for name in firmware::programs(&root).unwrap() {
            let whole = Stored::program(&name, built.read(&name).unwrap().1);
            let lean = Stored::program(&name, CONTENTS.part("program", &name).unwrap().to_vec());
            let Ok(image_here) = image(&machine, (&path, &kernel), &[whole], &boot) else { continue };
            let kernel = CONTENTS.part("kernel", kind).or(CONTENTS.part("small", kind)).unwrap();
            let image_there = image(&machine, (kind, kernel), &[lean], &boot).unwrap();
            assert_eq!(image_here.entry, image_there.entry);
            assert!(image_here.segments == image_there.segments, "{name} on {}", machine.name);
            compared += 1;
        }
        assert!(compared > 5, "{compared} programs on {}", machine.name);
    }
}

#[test]
fn what_is_wrong_is_said_and_the_next_run_is_as_the_first() {
    let mut page = Page::new();
    let foreign = fs::read(env!("CARGO_BIN_EXE_testbed")).unwrap()[..4096].to_vec();
    let part = CONTENTS.part("program", "hello").unwrap();
    let files: [(&str, &[u8]); 4] =
        [("text", b"no program"), ("short", b"\x7fELF"), ("foreign", &foreign), ("cut", &part[..part.len() / 2])];
    for (name, bytes) in files {
        page.ask("put", &[b"file", name.as_bytes(), bytes]).unwrap();
    }
    let machine = testbed6();
    let cases = [
        (json!({ "machine": "name = 1", "program": "hello" }), "the machine's description:1"),
        (json!({ "machine": "", "program": "hello" }), "help:"),
        (json!({ "machine": machine, "program": "hallo" }), "`hello`"),
        (json!({ "machine": machine, "program": "text" }), "text: no RISC-V program"),
        (json!({ "machine": machine, "program": "short" }), "short: no RISC-V program"),
        (json!({ "machine": machine, "program": "foreign" }), "foreign: no RISC-V program"),
        (json!({ "machine": machine, "program": "cut" }), "lies beyond the end of the file"),
        (json!({ "machine": machine, "program": "hello", "classes": "profile+redy" }), "`redy` is no event class"),
        (json!({ "machine": machine, "program": "hello", "classes": "profile+ready" }), "exclude each other"),
        (json!({ "machine": machine, "program": "hello", "filters": ["dorp 1"] }), "pass, drop or count"),
        (json!({ "machine": machine, "program": "hello", "arguments": ["x".repeat(5000)] }), "is the limit"),
        (json!({ "machine": machine, "program": "hello", "files": ["none"] }), "`none`"),
        (json!({ "machine": machine, "program": "hello", "colour": 1 }), "colour"),
        (json!({ "machine": machine, "program": "hello", "balance": { "policy": "gian", "sample_us": 1 } }), "`gain`"),
        (json!({ "machine": machine, "program": "hello", "balance": { "policy": "gain", "sample_us": 1 } }), "period"),
        (json!({ "machine": Machine::named("hx8k-evn").unwrap().to_toml(), "program": "hello" }), "help:"),
    ];
    for (wishes, words) in cases {
        let error = page.start(&wishes).unwrap_err();
        assert!(error.contains(words), "{wishes}: {error}");
        assert!(page.ask("state", &[]).unwrap_err().contains("no run"));
    }
    page.start(&json!({ "machine": machine, "program": "hello" })).unwrap();
    page.advance(u64::MAX);
    assert_eq!(page.state()["stopped"], "exit");
    assert!(page.ask("file", &[b"none"]).unwrap_err().contains("`none`"));
}
