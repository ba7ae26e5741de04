//! `testbed test`: everything that is tested, with what it needs installed first.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use testbed_host_tools::firmware;

use super::timed::{self, Note};
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

impl Test {
    pub fn run(&self) -> Result<Exit, Failure> {
        tools::install()?;
        let root = firmware::root()?;
        // Both kernels, so that what is wrong with them shows before the tests are built.
        firmware::build(&root)?.kernel(firmware::SMALL_BELOW - 1)?;
        tools::install_python(&root);
        let environment = |error| Failure::new(Exit::Environment, format!("cannot note what tests take: {error}"));
        let notes = tempfile::NamedTempFile::new().map_err(environment)?;
        let mut command = Command::new("cargo");
        // The profile that built this binary, so that nothing is built twice.
        command.args(["test", "--release", "--workspace", "--no-fail-fast"]).current_dir(&root);
        command.arg("--config").arg(timed::runner(notes.path()).map_err(environment)?).args(&self.filter);
        if self.overwrite {
            command.env("TESTBED_OVERWRITE", "1");
        }
        if self.long {
            let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
            eprintln!("soak with TESTBED_LONG=1 PROPTEST_CASES=20000 PROPTEST_RNG_SEED={seed}, ignored tests included");
            command.env("TESTBED_LONG", "1").env("PROPTEST_CASES", "20000").env("PROPTEST_RNG_SEED", seed.to_string());
            command.args(["--", "--include-ignored"]);
        }
        let status = command.status().map_err(|error| {
            Failure::new(Exit::Environment, format!("cannot start cargo: {error}\n  help: install Rust with rustup"))
        })?;
        let notes = Note::read(notes.path()).map_err(environment)?;
        print!("{}", timed::summary(notes));
        Ok(if status.success() { Exit::Success } else { Exit::Negative })
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
