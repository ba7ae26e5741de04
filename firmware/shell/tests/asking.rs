//! Files that the shell asks of the host, and its answers.

use testbed_definitions::asking::{letters, LINE_BYTES};
use testbed_definitions::file::{EXECUTE, READ, WRITE};
use testbed_definitions::limits::FILE_BYTES;
use testbed_shell::interpreter::{Shell, Typed};

use crate::machine::Memory;

/// What a host types that has been asked for these bytes.
fn answer(bytes: &[u8]) -> Vec<u8> {
    let mut text = format!("={}\n", bytes.len()).into_bytes();
    for line in bytes.chunks(LINE_BYTES) {
        text.push(b'#');
        line.chunks(3).for_each(|group| text.extend(letters(group)));
        text.push(b'\n');
    }
    text
}

/// Types a command at a shell, of which `typed` is what comes next.
fn ask(memory: &mut Memory, command: &str, typed: Vec<u8>) -> (u32, String, String) {
    memory.typed = typed;
    let mut shell = Shell::new(memory, b"sh", Vec::new());
    shell.interactive = true;
    shell.type_in(format!("{command}\n").as_bytes());
    let status = shell.status();
    let taken = |bytes: &mut Vec<u8>| String::from_utf8(std::mem::take(bytes)).unwrap();
    (status, taken(&mut memory.printed), taken(&mut memory.complained))
}

fn said(status: u32, printed: &str, complained: &str) -> (u32, String, String) {
    (status, printed.into(), complained.into())
}

#[test]
fn a_file_comes_to_the_byte() {
    let mut memory = Memory::default();
    for length in [0, 1, 2, 3, LINE_BYTES - 1, LINE_BYTES, LINE_BYTES + 1, FILE_BYTES] {
        let bytes: Vec<u8> = (0..length).map(|place| (place * 7 + place / 251) as u8).collect();
        let behind = [answer(&bytes), b"echo behind\n".to_vec()].concat();
        assert_eq!(ask(&mut memory, "put ../a/data", behind), said(0, "\x05put\t../a/data\n", ""));
        assert!(memory.file(1, "data").unwrap() == bytes, "{length}");
        assert_eq!(memory.typed, b"echo behind\n");
    }
    assert_eq!(ask(&mut memory, "put x fire:y > log", answer(b"\x7fELF")).0, 0);
    assert_eq!((memory.file(2, "y").unwrap(), memory.file(1, "log").unwrap()), (b"\x7fELF".to_vec(), vec![]));
    assert_eq!((memory.permissions(2, "y"), memory.permissions(1, "data")), (READ | WRITE | EXECUTE, READ | WRITE));
}

#[test]
fn a_file_without_room_is_taken_whole_and_loses_nothing() {
    let mut memory = Memory::default();
    memory.leave("data", b"as before", READ | WRITE);
    memory.leave("fixed", b"as ever", READ);
    memory.room = Some(3000);
    let behind = [answer(&[7; 5000]), b"echo behind\n".to_vec()].concat();
    assert_eq!(ask(&mut memory, "put data", behind), said(1, "\x05put\tdata\n", "put: data: out of memory\n"));
    assert_eq!(memory.typed, b"echo behind\n");
    let refused = said(1, "\x05put\tdata\n", "put: fixed: permission denied\n");
    assert_eq!(ask(&mut memory, "put data fixed", answer(b"new")), refused);
    let torn = [&answer(&[7; 500])[..200], b"\n", b"echo typed\n"].concat();
    let not_whole = said(1, "\x05put\tdata\n", "put: data: the file did not come whole\n");
    assert_eq!(ask(&mut memory, "put data", torn), not_whole);
    assert_eq!(
        (memory.file(1, "data").unwrap(), memory.file(1, "fixed").unwrap()),
        (b"as before".to_vec(), b"as ever".to_vec())
    );
    assert_eq!(memory.names(1), ["data", "fixed"]);
}

#[test]
fn what_the_host_says_is_told() {
    let mut memory = Memory::default();
    memory.leave("results", b"1 2\n", READ);
    memory.leave("hidden", b"", 0);
    let kept = said(0, "\x05get\t1\tresults\nresults: 4 bytes to out/results\n", "");
    assert_eq!(ask(&mut memory, "get results", b"=4 out/results\n".to_vec()), kept);
    let other = said(1, "\x05get\t1\tresults\t/x\n", "get: cannot write /x\n");
    assert_eq!(ask(&mut memory, "get results /x", b"!cannot write /x\n".to_vec()), other);
    assert_eq!(ask(&mut memory, "get hidden", vec![]), said(1, "", "get: hidden: permission denied\n"));
    assert_eq!(ask(&mut memory, "stty size", b"=24 80\n".to_vec()), said(0, "\x05size\n24 80\n", ""));
    assert_eq!(ask(&mut memory, "stty -echo; stty; stty sane; stty", vec![]).1, "cooked -echo\ncooked echo\n");
    for name in ["put 'a\tb'", "put a b/c", "put /", "put ''"] {
        let (status, printed, complained) = ask(&mut memory, name, vec![]);
        assert!(status == 1 && printed.is_empty() && complained.contains("name"), "{name}: {complained}");
    }
}

#[test]
fn a_line_in_place_of_an_answer_is_a_command() {
    let mut memory = Memory::default();
    memory.typed = b"echo a\necho b\n".to_vec();
    let mut shell = Shell::new(&mut memory, b"sh", Vec::new());
    shell.interactive = true;
    shell.type_in(b"put x\n");
    assert_eq!(shell.typed(1024), Typed::Line(b"echo a".to_vec()));
    assert_eq!(shell.typed(1024), Typed::Line(b"echo b".to_vec()));
}

/// Nobody sits there who knows of this, or types something else.
#[test]
fn without_an_answer_it_is_said_what_to_do() {
    let mut memory = Memory::default();
    for typed in [&b""[..], b"ls\n", b"=\n", b"=-1\n", b"=99999999999\n", b"#Zm9v\n"] {
        let (status, _, complained) = ask(&mut memory, "put x", typed.to_vec());
        assert!(status == 1 && complained.contains("--file"), "{}: {complained}", typed.escape_ascii());
    }
    assert_eq!(memory.run(b"put x", &[]), 1);
    assert!(String::from_utf8_lossy(&memory.complained).contains("at which somebody types"));
    assert!(memory.names(1).is_empty());
}
