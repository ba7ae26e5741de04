//! Runs every program of `tests/programs` on every engine.
//!
//! `NAME.expected` begins with the command to run, `$ testbed run …`; the rest is what
//! `console.txt` must be, with masks (`common/mask.rs`) where only a timing decides. A program in
//! C, `firmware/c/NAME.c`, is compiled first, as `docs/programs.md` says. On the emulator the
//! console is compared with it (`testbed test --overwrite` writes it instead, and keeps masks that
//! still fit); every other engine must leave the same folder as the emulator, after so many cycles
//! that events have been compared. The events of both kernels must conform. All that holds of the
//! multicycle core too, and with each core the emulator's fast ways leave what the exact step leaves.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use common::{compiler, cores, mask, root, stepped};
use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;
use testbed_machine::{Core, Machine};
use testbed_runner::firmware::{self, Firmware};

/// Cycles for the compiled Verilog, which does half a million a second; longer programs are compared
/// so far unless there is time, and twice as far if they leave too few pairs to compare.
const VERILATOR_CYCLES: u64 = 750_000;
/// From so many on they are not doubled any more.
const MOST_CYCLES: u64 = 2 * VERILATOR_CYCLES;
/// Pairs of the monitors that must be there to be compared, and of programs that leave fewer, from
/// their start to their end.
const LEAST_PAIRS: u64 = 20;
const SHORT: [(&str, u64); 2] = [("hello", 17), ("hello-input", 17)];
/// The engine that simulates the rust-hdl blocks themselves is a thousand times slower than the
/// others. So it runs until there are [`Case::least_pairs`], which is tried in this many cycles
/// first.
const RUST_HDL_CYCLES: u64 = 32_768;
/// The program that it runs where there is not much time: small processors start soon.
const RUST_HDL_PROGRAM: &str = "remote-small";
/// Programs that are compared with the compiled Verilog of the multicycle core where there is not much
/// time: threads that move and pages that follow, messages, processes, console input, few processors.
const MULTICYCLE_PROGRAMS: [&str; 5] = ["adder-roam", "migrate", "processes-remote", "readers", "remote-master"];
/// Programs in which the times of instructions decide who reads which line, or whose line comes first
/// on the console: what they print is compared with what they print with the default core only.
const BY_TIME: [&str; 6] = ["misuse", "processes-remote", "readers", "readers-late", "sh-input", "sh-shells"];
/// Cycles in which the exact step is held against the fast ways; and where there is time.
const STEPPED_CYCLES: u64 = 1_500_000;
const STEPPED_CYCLES_LONG: u64 = 100_000_000;
/// The machine of a case that names none.
const MACHINE: &str = "testbed6";

fn testbed(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).current_dir(root()).output().unwrap()
}

fn succeed(arguments: &[&str]) -> Result<Output, Failed> {
    let output = testbed(arguments);
    let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.code() {
        Some(0) => Ok(output),
        code => {
            let (out, error) = (show(&output.stdout), show(&output.stderr));
            Err(format!("testbed {} ended with {code:?}\n{out}\n{error}", arguments.join(" ")).into())
        }
    }
}

/// The firmware, built once.
fn firmware() -> &'static Firmware {
    static FIRMWARE: OnceLock<Firmware> = OnceLock::new();
    FIRMWARE.get_or_init(|| firmware::build(&root()).unwrap_or_else(|error| panic!("{error}")))
}

/// A case: the command as it is in the file, its words after `testbed run`, and the console it must
/// leave.
struct Case {
    path: PathBuf,
    command: String,
    arguments: Vec<String>,
    console: String,
    /// The core of its machine, if that is not the machine's own.
    core: Core,
    /// Has the programs in C, and descriptions of machines.
    folder: TempDir,
}

/// The path of a word of a command; a program in C is built into `folder`.
fn built(word: &str, folder: &Path) -> Result<String, Failed> {
    let Some(source) = word.strip_suffix(".c") else { return Ok(word.into()) };
    let elf = folder.join(Path::new(source).file_name().unwrap_or_default());
    compiler::build(firmware(), &root().join(word), &["-Os", "-std=c11"], &elf);
    Ok(elf.to_string_lossy().into_owned())
}

impl Case {
    fn read(path: PathBuf) -> Result<Self, Failed> {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (command, console) = text.split_once('\n').unwrap_or((&text, ""));
        let words = command.strip_prefix("$ testbed run ");
        let words = words.ok_or_else(|| format!("{}:1: no `$ testbed run …`", path.display()))?;
        let folder = tempfile::tempdir()?;
        let arguments = words.split_whitespace().map(|word| built(word, folder.path())).collect::<Result<_, _>>()?;
        Ok(Case { path, command: command.into(), arguments, console: console.into(), core: Core::default(), folder })
    }

    /// The machine that it names, and the place of that name among the arguments.
    fn machine(&self) -> (String, Option<usize>) {
        let at = self.arguments.iter().position(|word| word == "--machine").map(|option| option + 1);
        let named = at.map(|at| self.arguments[at].as_str()).unwrap_or(MACHINE);
        let path = if named.contains('/') { root().join(named).to_string_lossy().into_owned() } else { named.into() };
        (path, at)
    }

    /// The case on its machine with that core.
    fn with_core(mut self, core: Core) -> Self {
        let (machine, at) = self.machine();
        let described = cores::described(&machine, core, self.folder.path());
        match at {
            Some(at) => self.arguments[at] = described,
            None => self.arguments.extend(["--machine".into(), described]),
        }
        self.core = core;
        self
    }

    /// Whether what it prints depends on the times of another core than the expected text is from.
    fn is_by_time(&self) -> bool {
        let name = self.path.file_stem().unwrap_or_default();
        self.core != Core::default() && BY_TIME.iter().any(|by_time| name == *by_time)
    }

    /// With each core, the emulator's fast ways leave the machine that the exact step leaves on one
    /// of the processors.
    fn stepped(&self, number: usize) -> Result<(), Failed> {
        let cycles = if common::is_long() { STEPPED_CYCLES_LONG } else { STEPPED_CYCLES };
        let machine = Machine::load(&self.machine().0)?;
        for core in Core::ALL {
            let machine = Machine { core, ..machine.clone() };
            let (image, input) = stepped::started(firmware(), &machine, &self.arguments);
            stepped::same(&machine, (&image, &input), number % machine.processors.len(), cycles);
        }
        Ok(())
    }

    /// Runs the case on `engine` into a folder of its own.
    fn run(&self, engine: &str, cycles: Option<u64>, into: &Path) -> Result<(), Failed> {
        let into = into.to_string_lossy();
        let mut arguments = vec!["run"];
        let mut words = self.arguments.iter();
        while let Some(word) = words.next() {
            // A limit in cycles takes the place of the case's own.
            if cycles.is_some() && (word == "--for" || word == "--cycles") {
                words.next();
            } else {
                arguments.push(word);
            }
        }
        arguments.extend(["--engine", engine, "--out", &into]);
        let cycles = cycles.map(|cycles| cycles.to_string());
        arguments.extend(cycles.iter().flat_map(|cycles| ["--cycles", cycles]));
        succeed(&arguments).map(|_| ())
    }

    /// The console on the emulator is as expected, and babeltrace2 finds as many pairs in the trace as there are.
    fn on_emulator(&self) -> Result<(), Failed> {
        let folder = tempfile::tempdir()?;
        self.run("emulator", None, folder.path())?;
        babeltrace2_counts_the_same(folder.path())?;
        if self.is_by_time() {
            return Ok(());
        }
        let console = fs::read_to_string(folder.path().join("console.txt"))?;
        if std::env::var_os("TESTBED_OVERWRITE").is_some() {
            let console = mask::renewed(&self.console, &console);
            return Ok(fs::write(&self.path, format!("{}\n{console}", self.command))?);
        }
        if let Some(line) = mask::differs(&self.console, &console) {
            let (path, expected) = (self.path.display(), &self.console);
            return Err(
                format!("console, which differs in line {line}:\n{console}\nexpected ({path}):\n{expected}").into()
            );
        }
        Ok(())
    }

    /// On both kernels, or the small one, the events are what the protocols' state machines allow,
    /// looked at most closely.
    fn conforms(&self) -> Result<(), Failed> {
        for kernel in ["default", "tos94"] {
            let folder = tempfile::tempdir()?;
            let into = folder.path().to_string_lossy();
            let mut arguments = vec!["run", "--out", &into];
            let mut words = self.arguments.iter();
            while let Some(word) = words.next() {
                if word == "--kernel" || word == "--dgl" {
                    words.next();
                } else {
                    arguments.push(word);
                }
            }
            arguments.extend(["--kernel", kernel, "--dgl", "profile+timer+user+detail"]);
            succeed(&arguments)?;
            conforms(&into)?;
            let record: serde_json::Value = serde_json::from_slice(&fs::read(folder.path().join("run.json"))?)?;
            if record["kernel"] == "small" {
                break;
            }
        }
        Ok(())
    }

    /// Another engine leaves the same folder as the emulator, with events in it: after so many cycles,
    /// or after the least number of doublings that have them.
    fn on(&self, engine: &str, mut cycles: Option<u64>) -> Result<(), Failed> {
        let folder = tempfile::tempdir()?;
        let (one, other) = (folder.path().join("emulator"), folder.path().join(engine));
        self.run("emulator", cycles, &one)?;
        while pairs(&one)? < self.least_pairs() {
            let few = cycles.filter(|few| *few < MOST_CYCLES);
            let few = few.ok_or_else(|| format!("{cycles:?} cycles leave too few pairs: {}", self.least_pairs()))?;
            cycles = Some(2 * few);
            self.run("emulator", cycles, &one)?;
        }
        self.run(engine, cycles, &other)?;
        succeed(&["compare", &one.to_string_lossy(), &other.to_string_lossy()]).map(|_| ())
    }

    /// As [`Case::on`]: the whole program where there is time.
    fn on_verilator(&self) -> Result<(), Failed> {
        self.on("verilator", (!common::is_long()).then_some(VERILATOR_CYCLES))
    }

    /// How many pairs there must be to compare engines.
    fn least_pairs(&self) -> u64 {
        let name = self.path.file_stem().unwrap_or_default();
        SHORT.iter().find(|(short, _)| name == *short).map_or(LEAST_PAIRS, |&(_, pairs)| pairs)
    }
}

/// Pairs of the monitors that a run has left.
fn pairs(folder: &Path) -> Result<u64, Failed> {
    Ok(fs::metadata(folder.join("mmi.raw"))?.len() / 8)
}

/// Nothing deviates; where full queues lost events, in what is left.
fn conforms(folder: &str) -> Result<(), Failed> {
    let output = testbed(&["conform", folder]);
    let text = String::from_utf8_lossy(&output.stdout);
    let only_losses = |line: &str| !line.starts_with("incomplete: ") || line.ends_with("discarded by full queues");
    match output.status.code() {
        Some(0) => Ok(()),
        Some(7) if text.lines().all(only_losses) && !text.contains("no verdict") => Ok(()),
        code => Err(format!("testbed conform {folder} ended with {code:?}\n{text}").into()),
    }
}

fn babeltrace2_counts_the_same(folder: &Path) -> Result<(), Failed> {
    let output = Command::new("babeltrace2")
        .args(["--component", "sink.utils.counter"])
        .arg(folder.join("trace"))
        .output()
        .map_err(|error| format!("this test needs babeltrace2 ({error}): apt-get install babeltrace2"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // It counts aloud on the way; the last number is that of all.
    let line = text.lines().rev().find(|line| line.contains(" Event message"));
    let counted = line.and_then(|line| line.split_whitespace().next()?.replace(',', "").parse::<u64>().ok());
    let pairs = pairs(folder)?;
    match counted {
        Some(counted) if counted == pairs => Ok(()),
        _ => Err(format!("babeltrace2 counts {counted:?} events of {pairs}\n{text}").into()),
    }
}

fn main() {
    let mut arguments = Arguments::from_args();
    // Engines use both processors of a small machine themselves.
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let mut paths: Vec<_> = fs::read_dir(root().join("tests/programs"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "expected"));
    paths.sort();
    let mut trials = vec![Trial::test("masks", || {
        mask::check();
        Ok(())
    })];
    for (number, path) in paths.into_iter().enumerate() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let ways = [
            "emulator",
            "conform",
            "verilator",
            "rust-hdl",
            "stepped",
            "multicycle",
            "multicycle-verilator",
            "multicycle-rust-hdl",
        ];
        for way in ways {
            let path = path.clone();
            let trial = Trial::test(format!("{name}::{way}"), move || {
                let case = Case::read(path)?;
                match way {
                    "emulator" => case.on_emulator(),
                    "conform" => case.conforms(),
                    "verilator" => case.on_verilator(),
                    "stepped" => case.stepped(number),
                    "multicycle" => case.with_core(Core::Multicycle).on_emulator(),
                    "multicycle-verilator" => case.with_core(Core::Multicycle).on_verilator(),
                    "multicycle-rust-hdl" => case.with_core(Core::Multicycle).on("rust-hdl", Some(RUST_HDL_CYCLES)),
                    _ => case.on("rust-hdl", Some(RUST_HDL_CYCLES)),
                }
            });
            // Minutes a program: one of them says enough unless there is time.
            let is_long = match way {
                "rust-hdl" | "multicycle-rust-hdl" => name != RUST_HDL_PROGRAM,
                "multicycle-verilator" => !MULTICYCLE_PROGRAMS.contains(&name.as_str()),
                _ => false,
            };
            trials.push(trial.with_ignored_flag(is_long));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}
