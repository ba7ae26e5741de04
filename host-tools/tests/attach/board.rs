//! What stands for the board and its line, `testbed attach` at the other end, and what a run leaves
//! to hold it against.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serial2::SerialPort;
use tempfile::TempDir;
use testbed_definitions::link::Frame;
use testbed_definitions::monitor::Pair;
use testbed_trace::capture::{verify, Capture, Transmitter, HOLES, MMI_RAW};
use testbed_trace::order::{events, Event, What};

use crate::common::root;

pub const PATIENCE: Duration = Duration::from_secs(120);

pub fn testbed(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.args(arguments).current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The board's end of a line, and the name of the host's.
pub struct Line {
    pub board: SerialPort,
    /// Held open so that bytes wait until somebody listens.
    _host: SerialPort,
    pub path: PathBuf,
}

impl Line {
    pub fn new() -> Self {
        let (board, mut host) = SerialPort::pair().unwrap();
        let mut settings = host.get_configuration().unwrap();
        settings.set_raw();
        host.set_configuration(&settings).unwrap();
        let path = fs::read_link(format!("/proc/self/fd/{}", host.as_raw_fd())).unwrap();
        assert!(path.starts_with("/dev/pts"), "{}", path.display());
        Line { board, _host: host, path }
    }

    pub fn send(&self, bytes: &[u8]) {
        let started = Instant::now();
        let mut rest = bytes;
        while !rest.is_empty() {
            assert!(started.elapsed() < PATIENCE, "nobody reads");
            match self.board.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// `testbed attach` under way.
pub struct Attached {
    pub child: Child,
    pub errors: BufReader<std::process::ChildStderr>,
    pub out: PathBuf,
}

impl Attached {
    pub fn new(port: &Path, out: &Path, more: &[&str]) -> Self {
        let (port, folder) = (port.to_str().unwrap(), out.to_str().unwrap());
        let arguments = [&["attach", "--port", port, "--out", folder], more].concat();
        let mut child = testbed(&arguments).spawn().unwrap();
        let errors = BufReader::new(child.stderr.take().unwrap());
        let mut attached = Attached { child, errors, out: out.into() };
        attached.hear("attached to");
        attached
    }

    /// Waits until it says so.
    pub fn hear(&mut self, what: &str) {
        let (mut line, mut all) = (String::new(), String::new());
        while self.errors.read_line(&mut line).unwrap() > 0 {
            if line.contains(what) {
                return;
            }
            all += &std::mem::take(&mut line);
        }
        panic!("it did not say `{what}`: {all}");
    }

    /// Waits until all of `sent` pairs are in the folder, or in its holes.
    pub fn await_all(&mut self, sent: usize) {
        let started = Instant::now();
        while pairs(&self.out) + lost(&self.out) < sent as u64 {
            assert!(started.elapsed() < PATIENCE, "{} pairs, {} lost of {sent}", pairs(&self.out), lost(&self.out));
            assert!(self.child.try_wait().unwrap().is_none(), "it ended too early");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Exit code, and all it says.
    pub fn end(mut self) -> (Option<i32>, String) {
        let (mut errors, mut out) = (String::new(), String::new());
        self.errors.read_to_string(&mut errors).unwrap();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        (self.child.wait().unwrap().code(), out + &errors)
    }

    pub fn stop(self) -> (Option<i32>, String) {
        self.signal("INT");
        self.end()
    }
}

pub fn pairs(dir: &Path) -> u64 {
    fs::metadata(dir.join(MMI_RAW)).map_or(0, |metadata| metadata.len() / 8)
}

pub fn lost(dir: &Path) -> u64 {
    let text = fs::read_to_string(dir.join(HOLES)).unwrap_or_default();
    text.lines().filter_map(|line| line.split(' ').next()?.parse::<u64>().ok()).sum()
}

/// What a run leaves on this computer.
pub struct Reference {
    pub dir: TempDir,
    pub pairs: Vec<(u8, Pair)>,
}

impl Reference {
    pub fn new(program: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let arguments = [&["run"], program, &["--out", dir.path().to_str().unwrap()]].concat();
        let output = testbed(&arguments).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let mut reader = Capture::open(dir.path()).unwrap().mmi().unwrap();
        let next = || reader.next_pair().map(|pair| pair.unwrap().unwrap());
        let pairs = std::iter::from_fn(next).map(|(smi, pair)| (smi as u8, pair)).collect();
        Reference { dir, pairs }
    }

    pub fn remote() -> &'static Self {
        static RUN: OnceLock<Reference> = OnceLock::new();
        RUN.get_or_init(|| Reference::new(&["remote", "5", "2", "1"]))
    }

    /// Some more events, of all processors.
    pub fn crossing() -> &'static Self {
        static RUN: OnceLock<Reference> = OnceLock::new();
        RUN.get_or_init(|| Reference::new(&["crossing", "400"]))
    }

    /// What a board sends of it.
    pub fn line(&self) -> Vec<u8> {
        let (mut transmitter, mut line) = (Transmitter::new(), Vec::new());
        transmitter.idle(&mut line);
        for (smi, pair) in &self.pairs {
            transmitter.pair(*smi, *pair, &mut line);
        }
        transmitter.idle(&mut line);
        line
    }

    /// What it sends while nothing happens, afterwards.
    pub fn quiet(&self) -> Vec<u8> {
        (0..3).flat_map(|_| Frame::Count(self.pairs.len() as u32).pack()).collect()
    }
}

pub fn read(dir: &Path) -> Vec<Event> {
    let capture = Capture::open(dir).unwrap();
    let integrity = verify(&capture).unwrap();
    events(&capture, &integrity).unwrap().map(Result::unwrap).collect()
}

/// Everything that is certain in `out` is in the reference, at that time and in that order. Returns
/// the numbers of certain and of true events.
pub fn assert_certain(out: &Path, reference: &Reference) -> (usize, usize) {
    let (found, truth) = (read(out), read(reference.dir.path()));
    assert!(truth.iter().all(Event::is_certain));
    let mut certain = 0;
    for smi in 1..=5 {
        let mut rest = truth.iter().filter(|event| event.smi == smi);
        for event in found.iter().filter(|event| event.smi == smi && event.is_certain()) {
            let same = |other: &Event| {
                let what =
                    event.what == other.what || matches!((event.what, other.what), (What::Gap(None), What::Gap(_)));
                // A second word may be lost.
                let argument = event.argument.is_none() || event.argument == other.argument;
                what && argument && (event.epoch, event.time) == (other.epoch, other.time)
            };
            assert!(rest.any(same), "{event:?} never happened, or not in this order");
            certain += 1;
        }
    }
    (certain, truth.len())
}

pub fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> =
        entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect();
    files.sort();
    files
}

pub fn csv(dir: &Path) -> String {
    let output = testbed(&["trace", dir.to_str().unwrap(), "--format", "csv"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}
