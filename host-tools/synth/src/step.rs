//! One tool at work: its log, its time, its memory.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{kill_process_group, Pid, Signal};
use serde::Serialize;

use super::tools::Tool;
use super::SynthError;

/// What a tool took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The tool, and what distinguishes it from others of the same, such as `nextpnr-ecp5, seed 2`.
    pub name: String,
    pub seconds: f64,
    /// Most memory that it had at a time, in bytes, where the system tells.
    pub memory: Option<u64>,
    /// Its output, both streams.
    pub log: PathBuf,
}

/// Who is told how it goes, the tool's name and the last line of its log, and says whether it is to go on.
pub type Watcher<'a> = dyn Fn(&str, &str) -> ControlFlow<()> + Sync + 'a;

/// A tool to run.
pub struct Work<'a> {
    pub tool: Tool,
    /// The folder of the workspace, where tools are installed.
    pub root: &'a Path,
    /// In which it runs; paths in its arguments are relative to it.
    pub folder: &'a Path,
    /// Set apart from other runs of the same tool, such as `seed 2`; may be empty.
    pub label: &'a str,
    pub arguments: Vec<OsString>,
    /// What it reads, and the file that it writes to its standard output instead of the log.
    pub pipe: Option<(File, PathBuf)>,
}

impl Work<'_> {
    /// Runs it. The log is kept in the folder, however it ends.
    ///
    /// # Errors
    /// The tool is missing, a file can't be written, or it fails: then with the lines of its log
    /// that say why. Or `watch` wants no more.
    pub fn run(self, watch: &Watcher) -> Result<Step, SynthError> {
        let program = self.tool.find(self.root)?;
        let mut name = self.tool.program().to_string();
        let mut log = self.folder.join(format!("{name}.log"));
        if !self.label.is_empty() {
            log = self.folder.join(format!("{name}-{}.log", self.label.replace(' ', "-")));
            name = format!("{name}, {}", self.label);
        }
        let at = |path: &Path| {
            let path = path.to_path_buf();
            move |source| SynthError::Io { path, source }
        };
        let stream = File::create(&log).map_err(at(&log))?;
        let mut command = Command::new(&program);
        command.current_dir(self.folder).args(&self.arguments).stderr(stream.try_clone().map_err(at(&log))?);
        match self.pipe {
            Some((input, output)) => command.stdin(input).stdout(File::create(&output).map_err(at(&output))?),
            None => command.stdin(Stdio::null()).stdout(stream),
        };
        // With what the tool starts itself, as yosys does abc, it is a group, which is ended as a whole.
        command.process_group(0);
        let start = Instant::now();
        let mut child = command.spawn().map_err(at(&program))?;
        let mut memory = None;
        let mut pause = Duration::from_millis(1);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(at(&program))? {
                break status;
            }
            memory = memory.max(most_memory(child.id()));
            if watch(&name, &last_line(&log)).is_break() {
                end(&mut child).map_err(at(&program))?;
                return Err(SynthError::Stopped(name));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(200));
        };
        let seconds = start.elapsed().as_secs_f64();
        match status.success() {
            true => Ok(Step { name, seconds, memory, log }),
            false => Err(failed(name, status, log)),
        }
    }
}

/// Ends a tool with all that it has started; with time to remove its files.
fn end(child: &mut Child) -> io::Result<()> {
    let group = Pid::from_child(child);
    // Of a group that is gone already there is nothing to end.
    let _ = kill_process_group(group, Signal::TERM);
    for _ in 0..100 {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = kill_process_group(group, Signal::KILL);
    child.wait().map(drop)
}

/// Lines of a log that an error shows.
const LINES: usize = 8;

fn failed(name: String, status: std::process::ExitStatus, log: PathBuf) -> SynthError {
    let text = std::fs::read(&log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let said = |line: &&str| line.contains("ERROR") || line.starts_with("Error");
    let mut lines: Vec<_> = text.lines().filter(said).collect();
    if lines.is_empty() {
        lines = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines.drain(..lines.len().saturating_sub(LINES));
    }
    lines.truncate(LINES);
    if lines.is_empty() {
        lines.push("(it said nothing)");
    }
    SynthError::Failed { name, status: status.to_string(), said: lines.join("\n  "), log }
}

/// Most memory that a process has had so far, in bytes; the kernel keeps it.
fn most_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

/// The last whole line of a log that is being written; empty if there is none.
fn last_line(log: &Path) -> String {
    const TAIL: u64 = 1000;
    let mut tail = Vec::new();
    let read = File::open(log).and_then(|mut file| {
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(end.saturating_sub(TAIL)))?;
        file.read_to_end(&mut tail)
    });
    let text = String::from_utf8_lossy(&tail);
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let line = whole.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    read.map(|_| line.trim().trim_start_matches("Info: ").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yosys(folder: &Path, script: &str) -> Result<Step, SynthError> {
        let arguments = ["-p", script].map(OsString::from).to_vec();
        let work = Work { tool: Tool::Yosys, root: folder, folder, label: "a b", arguments, pipe: None };
        work.run(&|_, _| ControlFlow::Continue(()))
    }

    #[test]
    fn a_step_keeps_its_log_and_says_what_it_took() {
        let folder = tempfile::tempdir().unwrap();
        let step = yosys(folder.path(), "log hello; exec -- sleep 0.2").unwrap();
        assert_eq!((step.name.as_str(), &step.log), ("yosys, a b", &folder.path().join("yosys-a-b.log")));
        assert!(std::fs::read_to_string(&step.log).unwrap().contains("hello"));
        assert!(step.seconds >= 0.2);
        if cfg!(target_os = "linux") {
            assert!(step.memory.is_some_and(|bytes| bytes > 1 << 20), "{step:?}");
        }
    }

    #[test]
    fn a_step_that_fails_shows_the_error_and_where_the_log_is() {
        let folder = tempfile::tempdir().unwrap();
        let error = yosys(folder.path(), "read_verilog missing.v").unwrap_err().to_string();
        assert!(error.contains("missing.v") && error.contains("yosys-a-b.log"), "{error}");
    }

    #[test]
    fn a_tool_is_stopped_with_all_it_started_when_nobody_wants_more() {
        let folder = tempfile::tempdir().unwrap();
        let started = folder.path().join("started");
        std::fs::write(folder.path().join("child.sh"), "echo $$ > started\nsleep 100\n").unwrap();
        let arguments = ["-p", "exec -- sh child.sh"].map(OsString::from).to_vec();
        let work =
            Work { tool: Tool::Yosys, root: folder.path(), folder: folder.path(), label: "", arguments, pipe: None };
        let start = Instant::now();
        let go_on = |_: &str, _: &str| match std::fs::read_to_string(&started).is_ok_and(|text| text.ends_with('\n')) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let error = work.run(&go_on).unwrap_err();
        assert!(matches!(error, SynthError::Stopped(name) if name == "yosys"));
        let shell = std::fs::read_to_string(&started).unwrap();
        while Path::new("/proc").join(shell.trim()).exists() {
            assert!(start.elapsed() < Duration::from_secs(50), "the shell that yosys started is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn the_last_whole_line_of_a_log_is_found() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "Info: one\nInfo: two\n\nthr").unwrap();
        assert_eq!(last_line(file.path()), "two");
        assert_eq!(last_line(Path::new("/nonexistent")), "");
    }
}
