//! `put` and `get` at the machine's console: files go to and fro to the byte, what was typed and put
//! can be given again, and nobody reaches a file that was not typed.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use testbed_definitions::limits::FILE_BYTES;
use testbed_trace::capture::{CONSOLE, CONSOLE_LOG, INPUT, MMI_RAW};

use crate::common::session::{Session, BUILT, SOON, TESTBED};

/// A folder of the host, in which `testbed` is called.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Desk { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn leave(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn testbed(&self, arguments: &[&str], input: Stdio) -> String {
        let mut command = Command::new(TESTBED);
        let output = command.args(arguments).current_dir(&self.folder).stdin(input).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(output.status.success(), "{arguments:?}: {}\n{}", said[1], said[0]);
        said.concat()
    }

    /// Types at a shell; gives what earth has printed.
    fn typed(&self, text: &str, more: &[&str]) -> String {
        self.leave("typed", text.as_bytes());
        self.testbed(
            &[&["run", "sh", "--input", "typed", "--for", "900s", "--out", "out"], more].concat(),
            Stdio::null(),
        );
        let console = String::from_utf8_lossy(&self.read("out/console.txt")).into_owned();
        console.split_inclusive('\n').filter_map(|line| line.strip_prefix("earth: ")).collect()
    }

    /// The same once more, from what was recorded and without the files.
    fn is_given_again(&self, more: &[&str]) {
        self.testbed(&[&["run", "sh", "--replay", "out/input", "--out", "again"], more].concat(), Stdio::null());
        self.testbed(&["compare", "out", "again"], Stdio::null());
        for name in [CONSOLE_LOG, CONSOLE, INPUT, MMI_RAW] {
            assert!(self.read(&format!("out/{name}")) == self.read(&format!("again/{name}")), "{name}");
        }
    }
}

/// Bytes of all values in no order.
fn bytes(count: usize) -> Vec<u8> {
    let mut state = 1u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}

#[test]
fn files_go_to_and_fro_and_are_given_again() {
    let desk = Desk::new();
    desk.leave("data", &bytes(20_000));
    desk.leave("my list", b"pear\napple\n");
    // What stands behind a command is typed when that is done, also in one line with it.
    let printed = desk.typed(
        "put data\nput data fire:copy; cmp data fire:copy && echo same\nput 'my list' list\nsort list > sorted\n\
         get sorted\nfor n in list sorted; do get $n; done\nget fire:copy back\nread x\nput of it\necho [$x]\n",
        &[],
    );
    for part in ["\nsame\n", "sorted: 11 bytes to out/sorted\n", "copy: 20000 bytes to back\n", "\n[put of it]\n"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(desk.read("back") == bytes(20_000));
    assert_eq!(desk.read("out/sorted"), b"apple\npear\n");
    assert_eq!(desk.read("out/list"), b"pear\napple\n");
    // Shown again, it is what a user has seen.
    let log = desk.read(&format!("out/{CONSOLE_LOG}"));
    assert!(String::from_utf8_lossy(&log).contains("\\x05"));
    let shown = desk.testbed(&["console", "out"], Stdio::null());
    assert!(shown.contains("same") && !shown.contains('\u{5}'), "{shown}");
    for name in ["data", "my list", "back", "out/sorted"] {
        fs::remove_file(desk.path(name)).unwrap();
    }
    desk.is_given_again(&[]);
    assert!(!desk.path("back").exists() && !desk.path("again/sorted").exists());
}

#[test]
fn only_what_was_typed_is_reached() {
    let desk = Desk::new();
    desk.leave("secret", b"of the host\n");
    desk.leave("other", b"as it was\n");
    let script = "put secret stolen\nget results other\nget results ..\nget results out/input\nput / x\n";
    desk.leave("script", script.replace('\n', "; echo [$?]\n").as_bytes());
    let printed = desk.typed(
        "echo 1 > results\nn=se\nput ${n}cret x\nput script\nsh script\n. script # put\ncat stolen x\nget results run.json\n\
         get results out/run.json\nget results ..\nput /dev/zero z\necho end\n",
        &[],
    );
    for part in [
        "put: secret was not typed at this console; type the path as it is\n",
        "put: / was not typed",
        "get: other was not typed at this console",
        "get: out/run.json is a part of the output folder itself",
        "put: only a shell at which somebody types can ask the host\n",
        "cat: stolen: no such file\ncat: x: no such file\n",
        "get: cannot write ..: ",
        "put: /dev/zero is no file\n",
        "\nend\n",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert_eq!(desk.read("other"), b"as it was\n");
    assert_eq!(desk.read("run.json"), b"1\n");
}

/// The largest file, one byte more, and a filestore without room.
#[test]
fn files_come_up_to_every_limit() {
    let desk = Desk::new();
    desk.leave("most", &bytes(FILE_BYTES));
    desk.leave("more", &bytes(FILE_BYTES + 1));
    let printed = desk.typed(
        "put most\nput more\nget most\ni=0; while cp most m$i; do i=$((i+1)); done\nput most n\nls n\necho 1 > list\n\
         put more list\nput most list\ncat list; cmp most m0 && echo whole\n",
        &[],
    );
    assert!(desk.read("out/most") == bytes(FILE_BYTES));
    for part in [
        "put: more has 524289 bytes, 524288 is the limit\n",
        "cp: most: out of memory\n",
        "put: n: out of memory\n",
        "ls: n: no such file\n",
        "put: list: out of memory\n",
        "\n1\nwhole\n",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn who_sits_at_a_terminal_puts_and_gets() {
    let desk = Desk::new();
    desk.leave("data", &bytes(5_000));
    let path = |name: &str| desk.path(name).display().to_string();
    let arguments = ["run", "sh", "--out", &path("out")];
    let mut session = Session::with(TESTBED, &arguments, &[("XDG_STATE_HOME", &path("state"))]);
    session.wait_for("earth: $", BUILT);
    session.press(&format!("put {}\r", path("data")));
    session.press(&format!("get data {}\r", path("back")));
    session.wait_for("5000 bytes to", SOON);
    session.press("stty size\r");
    session.wait_for("earth: 24 80", SOON);
    session.press("stty -echo\r");
    session.press("echo quiet\r\x04");
    let (code, text) = session.end(SOON);
    assert_eq!(code, 0, "{text}");
    assert!(desk.read("back") == bytes(5_000));
    assert!(!text.contains('#') && !text.contains('\x05'), "{text}");
    let console = String::from_utf8(desk.read("out/console.txt")).unwrap();
    assert!(console.contains("$ stty -echo\n") && !console.contains("echo quiet"), "{console}");
    desk.is_given_again(&[]);
}

/// Verilog's machine takes a file too, at the speed of its console.
#[test]
fn a_file_is_put_on_the_verilator_engine() {
    let desk = Desk::new();
    desk.leave("data", &bytes(200));
    let text = "put data\nget data\n";
    desk.typed(text, &["--engine", "verilator"]);
    assert!(desk.read("out/data") == bytes(200));
    fs::rename(desk.path("out"), desk.path("verilog")).unwrap();
    desk.typed(text, &[]);
    desk.testbed(&["compare", "out", "verilog"], Stdio::null());
    assert!(desk.read("out/input") == desk.read("verilog/input"));
}
