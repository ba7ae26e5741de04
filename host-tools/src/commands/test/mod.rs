//! `testbed test`: everything that is tested, with what it needs installed first.

pub mod collect;
mod schedule;
mod summary;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use testbed_runner::{firmware, module, tell};

use self::collect::Binary;
use self::schedule::{Outcome, Settings, Unit};
use super::{tools, Exit, Failure};

/// Runs all tests: hardware, engines against each other, firmware, programs, tools.
#[derive(Args, Debug)]
pub struct Test {
    /// Soak: the tests that take minutes too, more cases from a new seed (printed), longer runs
    #[arg(long)]
    long: bool,
    /// Write what programs print as their expected output
    #[arg(long)]
    overwrite: bool,
    /// Only tests whose name contains this
    filter: Option<String>,
}

/// Seconds that each unit took the last time, to start the longest first.
const SECONDS: &str = "target/test-seconds.json";

fn environment(what: &str, error: impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Environment, format!("cannot {what}: {error}"))
}

impl Test {
    pub fn run(&self) -> Result<Exit, Failure> {
        tools::install()?;
        let root = firmware::root()?;
        // All kernels, so that what is wrong with them shows before the tests are built.
        firmware::build_all(&root)?;
        let (binaries, comments_pass) = std::thread::scope(|scope| {
            let beside = scope.spawn(|| self.prepare(&root));
            let built = self.build(&root);
            beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            built
        })?;
        let (mut units, mut left_out) = (Vec::new(), Vec::new());
        for (index, binary) in binaries.iter().enumerate() {
            let [tests, ignored] = schedule::list(binary, self.filter.as_deref())
                .map_err(|error| environment(&format!("list the tests of {}", binary.program.display()), error))?;
            let ignored = if self.long { Vec::new() } else { ignored };
            units.extend(schedule::units(index, &binary.target, &tests, &ignored));
            left_out.extend(ignored.into_iter().map(|test| format!("{} {}: {test}", binary.package, binary.target)));
        }
        // A process that would leave out all that it has need not be started.
        units.retain(|unit| unit.left_out < unit.tests.len());
        let known = fs::read(root.join(SECONDS)).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let mut known: BTreeMap<String, f64> = known.unwrap_or_default();
        schedule::sort(&mut units, &binaries, &known);
        let outcomes = self.start(&binaries, units)?;
        let seconds =
            |outcome: &Outcome| (schedule::name(&binaries[outcome.unit.binary], &outcome.unit), outcome.seconds);
        known.extend(outcomes.iter().map(seconds));
        let text = serde_json::to_vec(&known).map_err(|error| environment("note what tests take", error))?;
        fs::write(root.join(SECONDS), text).map_err(|error| environment(&format!("write to {SECONDS}"), error))?;
        print!("{}", summary::text(&binaries, &outcomes, &left_out));
        let failed = outcomes.iter().any(|outcome| !outcome.failed.is_empty());
        Ok(if comments_pass && !failed { Exit::Success } else { Exit::Negative })
    }

    /// What tests need besides their binaries, so that none waits for it: Python's packages, and the
    /// module of a browser's page. Who asks for some tests only has that built by those of them that
    /// need it, or anew if there is one.
    fn prepare(&self, root: &Path) -> Result<(), Failure> {
        // The largest test binary is compiled last and by itself: this yields to the others, and so
        // fills the time of that one. On Linux a priority is a thread's, and that of what it starts.
        if let Err(error) = rustix::process::nice(19) {
            tell!("note: what is built beside the tests has their priority: {error}");
        }
        tools::install_python(root);
        let built = match self.filter {
            None => module::build(root).map(|_| ()),
            Some(_) => module::renew(root),
        };
        built.map_err(|error| Failure::new(Exit::Machine, error))
    }

    /// Builds all test binaries; tests that stand in comments run right away, and whether they pass is told.
    fn build(&self, root: &Path) -> Result<(Vec<Binary>, bool), Failure> {
        let unnoted = |error: std::io::Error| environment("note the test binaries", error);
        let notes = tempfile::NamedTempFile::new().map_err(unnoted)?;
        let mut command = self.with_environment(Command::new("cargo"));
        // The profile that built this binary, so that nothing is built twice.
        command.args(["test", "--release", "--workspace", "--no-fail-fast"]).current_dir(root);
        command.arg("--config").arg(collect::runner(notes.path()).map_err(unnoted)?).args(&self.filter);
        let status = command.status().map_err(|error| {
            Failure::new(Exit::Environment, format!("cannot start cargo: {error}\n  help: install Rust with rustup"))
        })?;
        let binaries = Binary::read(notes.path()).map_err(unnoted)?;
        if binaries.is_empty() {
            return Err(Failure::new(Exit::Negative, "the tests do not build"));
        }
        Ok((binaries, status.success()))
    }

    /// What the tests find in their environment, which is also that of cargo.
    fn with_environment(&self, mut command: Command) -> Command {
        command.env(firmware::WAY, firmware::BUILT);
        if self.overwrite {
            command.env("TESTBED_OVERWRITE", "1");
        }
        if self.long {
            let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
            tell!("soak with TESTBED_LONG=1 PROPTEST_CASES=20000 PROPTEST_RNG_SEED={seed}, ignored tests included");
            command.env("TESTBED_LONG", "1").env("PROPTEST_CASES", "20000").env("PROPTEST_RNG_SEED", seed.to_string());
        }
        command
    }

    fn start(&self, binaries: &[Binary], units: Vec<Unit>) -> Result<Vec<Outcome>, Failure> {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let settings = Settings { filter: self.filter.as_deref(), all: self.long };
        let show = |outcome: &Outcome, printed: &[u8]| schedule::show(binaries, outcome, printed);
        schedule::run(binaries, units, workers, settings, show).map_err(|error| environment("print", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every library that cargo compiles for `selection`, each with its features, on a line.
    fn libraries(selection: &[&str]) -> BTreeSet<String> {
        let root = firmware::root().unwrap();
        let form = ["--prefix", "none", "--no-dedupe", "--format", "{p} {f}"];
        let output = Command::new("cargo")
            .args(["tree", "--locked"])
            .args(selection)
            .args(form)
            .current_dir(root)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect()
    }

    /// What `cargo testbed run` compiles serves `cargo testbed test` too.
    #[test]
    fn the_binary_and_the_workspace_share_every_library() {
        let binary = libraries(&["--package", "testbed-host-tools", "--edges", "normal,build"]);
        let workspace = libraries(&["--workspace", "--edges", "normal,build,dev"]);
        assert!(binary.len() > 100, "{} libraries", binary.len());
        let other: Vec<_> = binary.difference(&workspace).collect();
        assert!(
            other.is_empty(),
            "compiled for the binary with other features than for the workspace, so twice: {other:#?}\n\
             help: name the features at the end of the dependencies in host-tools/Cargo.toml"
        );
    }
}
