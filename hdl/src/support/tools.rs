//! Finds the external tools, or says how to install them.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A tool could not be found, started, or failed.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// Not in `PATH`.
    #[error("`{program}` is not in PATH; install it with `{remedy}`")]
    Missing { program: &'static str, remedy: &'static str },
    /// It could not be started.
    #[error("cannot start `{program}`: {error}")]
    Start { program: &'static str, error: std::io::Error },
    /// It ended with an error.
    #[error("`{program}` failed ({status}):\n{output}")]
    Failed { program: &'static str, status: std::process::ExitStatus, output: String },
    /// It was stopped.
    #[error("`{program}` did not end within {seconds} s and was stopped")]
    Slow { program: &'static str, seconds: u64 },
    /// A file for it, or from it, could not be written or read.
    #[error("{path}: {error}")]
    File { path: PathBuf, error: std::io::Error },
}

/// The external tools that the tests of the hardware use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Compiler of Icarus Verilog.
    Iverilog,
    /// Simulator of Icarus Verilog.
    Vvp,
    Verilator,
    Yosys,
}

impl Tool {
    /// Name of the executable.
    pub const fn program(self) -> &'static str {
        match self {
            Tool::Iverilog => "iverilog",
            Tool::Vvp => "vvp",
            Tool::Verilator => "verilator",
            Tool::Yosys => "yosys",
        }
    }

    /// Command that installs it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Tool::Iverilog | Tool::Vvp => "sudo apt-get install iverilog",
            Tool::Verilator => "sudo apt-get install verilator",
            Tool::Yosys => "sudo apt-get install yosys",
        }
    }

    /// Path of the executable.
    pub fn find(self) -> Result<PathBuf, ToolError> {
        find_in(self, &std::env::var_os("PATH").unwrap_or_default())
    }

    /// Folder of the files that came with it, `../share/PROGRAM` beside the executable's folder.
    pub fn data(self) -> Result<PathBuf, ToolError> {
        let program = self.program();
        let found = self.find()?;
        let folder = found.parent().and_then(Path::parent).map(|prefix| prefix.join("share").join(program));
        folder.filter(|folder| folder.is_dir()).ok_or(ToolError::Missing { program, remedy: self.remedy() })
    }

    /// Runs the tool in `folder`; its output, both streams, if it succeeds.
    pub fn run<S: AsRef<OsStr>>(self, folder: &Path, arguments: &[S]) -> Result<String, ToolError> {
        self.run_for(folder, arguments, Duration::MAX)
    }

    /// The same, but an error if it takes longer than `limit`.
    pub fn run_for<S: AsRef<OsStr>>(
        self,
        folder: &Path,
        arguments: &[S],
        limit: Duration,
    ) -> Result<String, ToolError> {
        run(self.program(), &self.find()?, folder, arguments, limit)
    }
}

/// Runs a program that a tool has made, in `folder`; its output, both streams, if it succeeds before `limit`.
pub fn run_program<S: AsRef<OsStr>>(
    path: &Path,
    folder: &Path,
    arguments: &[S],
    limit: Duration,
) -> Result<String, ToolError> {
    run("a program from Verilator", path, folder, arguments, limit)
}

fn run<S: AsRef<OsStr>>(
    program: &'static str,
    path: &Path,
    folder: &Path,
    arguments: &[S],
    limit: Duration,
) -> Result<String, ToolError> {
    let log = folder.join(format!("{program}.log"));
    let at_log = |error| ToolError::File { path: log.clone(), error };
    let started = |error| ToolError::Start { program, error };
    let stream = File::create(&log).map_err(at_log)?;
    let mut child = Command::new(path)
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(stream.try_clone().map_err(at_log)?)
        .stderr(stream)
        .spawn()
        .map_err(started)?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(started)? {
            break status;
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(ToolError::Slow { program, seconds: limit.as_secs() });
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    let output = String::from_utf8_lossy(&std::fs::read(&log).map_err(at_log)?).into_owned();
    if status.success() {
        Ok(output)
    } else {
        Err(ToolError::Failed { program, status, output })
    }
}

fn find_in(tool: Tool, path: &OsStr) -> Result<PathBuf, ToolError> {
    let program = tool.program();
    std::env::split_paths(path)
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
        .ok_or(ToolError::Missing { program, remedy: tool.remedy() })
}

/// Writes `text` to `path`.
pub fn write(path: &Path, text: &str) -> Result<(), ToolError> {
    std::fs::write(path, text).map_err(|error| ToolError::File { path: path.into(), error })
}

/// Reads all of `path`.
pub fn read(path: &Path) -> Result<String, ToolError> {
    std::fs::read_to_string(path).map_err(|error| ToolError::File { path: path.into(), error })
}

/// A fresh folder that is removed when the value is dropped.
pub fn scratch() -> Result<tempfile::TempDir, ToolError> {
    tempfile::tempdir().map_err(|error| ToolError::File { path: std::env::temp_dir(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_names_its_package() {
        let error = find_in(Tool::Yosys, "/nonexistent".as_ref()).unwrap_err().to_string();
        assert!(error.contains("apt-get install yosys"), "{error}");
    }

    #[test]
    fn a_failing_tool_shows_its_output() {
        let folder = scratch().unwrap();
        let error = Tool::Iverilog.run(folder.path(), &["missing.v"]).unwrap_err().to_string();
        assert!(error.contains("missing.v"), "{error}");
    }
}
