//! The shell and its utilities on the machine: scripts beside dash and coreutils of this computer,
//! the report's typical experiment, files without room, and whatever is typed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use testbed_definitions::syscall::END_OF_INPUT;

use crate::common::root;
use crate::pieces::{Draw, EDITOR, SHELL};

/// Runs `sh` with these arguments into `out`, and gives what a processor has printed. What somebody
/// types may leave files in the current folder, so that is the one around `out`.
#[track_caller]
fn run(arguments: &[&str], out: &Path, processor: &str, code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.args(["run", "sh"]).args(arguments).args(["--for", "100000s", "--out"]).arg(out);
    let output = command.current_dir(out.parent().unwrap()).output().unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}\n{}", said[1], said[0]);
    let console = String::from_utf8_lossy(&fs::read(out.join("console.txt")).unwrap()).into_owned();
    let ahead = format!("{processor}: ");
    console.split_inclusive('\n').filter_map(|line| line.strip_prefix(&ahead)).collect()
}

/// The scripts of `tests/shell` by topic; each begins with a line `#: NAME`.
fn scripts() -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(root().join("tests/shell")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let bodies = text.split("#: ").skip(1).map(|script| script.split_once('\n').unwrap().1.to_string());
        all.insert(path.file_stem().unwrap().to_string_lossy().into_owned(), bodies.collect());
    }
    all
}

/// A script with arguments, and with what it prints between two lines.
fn framed(number: usize, body: &str) -> String {
    format!("echo '== {number}'\n(\nset -- one 'two words' three\n{body}) 2>/dev/null\necho \"== status $?\"\n")
}

/// What each script has printed, by number.
fn parts(printed: &str) -> BTreeMap<usize, String> {
    let parts = printed.split("== ").filter(|part| !part.starts_with("status"));
    let numbered = |part: &str| {
        let (number, text) = part.split_once('\n')?;
        Some((number.parse().ok()?, text.to_string()))
    };
    let statuses: Vec<&str> = printed.split("== status ").skip(1).filter_map(|rest| rest.split('\n').next()).collect();
    let texts: BTreeMap<usize, String> = parts.filter_map(numbered).collect();
    assert_eq!(texts.len(), statuses.len(), "{printed}");
    texts.into_iter().zip(statuses).map(|((number, text), status)| (number, format!("{text}status {status}"))).collect()
}

/// Every script prints on a slave of its own what it prints with dash and coreutils.
#[test]
fn scripts_do_what_they_do_with_dash_and_coreutils() {
    let folder = tempfile::tempdir().unwrap();
    let scripts = scripts();
    let topics: Vec<&String> = scripts.keys().collect();
    assert!(scripts.values().map(Vec::len).sum::<usize>() >= 200);
    // Files that are always there are none of the scripts' business.
    let own: Vec<&str> = topics.iter().map(|topic| &topic[..]).chain(["sh", "utilities", "all"]).collect();
    let clear = format!("for f in * .[a-z]*; do case $f in {}) ;; *) rm -f $f;; esac; done\n", own.join("|"));
    let mut files = Vec::new();
    for (topic, bodies) in &scripts {
        let text: String =
            bodies.iter().enumerate().map(|(number, body)| clear.clone() + &framed(number, body)).collect();
        fs::write(folder.path().join(topic), text).unwrap();
        files.push(folder.path().join(topic).display().to_string());
    }
    let names = topics.iter().map(|topic| &topic[..]).collect::<Vec<_>>().join(" ");
    let all =
        format!("cp sh utilities {names} air:\nfor t in {names}; do echo \"## $t\" | on air cat; on air sh $t; done\n");
    fs::write(folder.path().join("all"), all).unwrap();
    files.push(folder.path().join("all").display().to_string());
    let mut arguments = vec!["all"];
    files.iter().for_each(|file| arguments.extend(["--file", file]));
    let printed = run(&arguments, &folder.path().join("run"), "air", 0);
    let without_own = |text: &str| -> String {
        let kept = |line: &str| line.split(' ').filter(|word| !own.contains(word)).collect::<Vec<_>>().join(" ");
        text.lines().filter(|line| !own.contains(line)).map(|line| kept(line) + "\n").collect()
    };
    let mut wrong = Vec::new();
    for (text, (topic, bodies)) in printed.split("## ").skip(1).zip(&scripts) {
        let ours = parts(text.split_once('\n').unwrap().1);
        for (number, body) in bodies.iter().enumerate() {
            let theirs = dash(&framed(number, body));
            let theirs = parts(&theirs).remove(&number).unwrap();
            let ours = ours.get(&number).cloned().unwrap_or_default();
            if without_own(&ours) != without_own(&theirs) {
                wrong.push(format!("== {topic}\n{body}-- ours\n{ours}\n-- dash\n{theirs}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

fn dash(script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("dash")
        .args(["-c", script])
        .current_dir(&folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .expect("dash has to be installed: apt-get install dash");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The end of the report's section 2.1.2, done on the machine: a script is written with the editor,
/// it runs a program and collects what that prints, which is looked at, packed and taken out.
#[test]
fn a_typical_experiment_is_done_on_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let (typed, packed) = (folder.path().join("typed"), folder.path().join("results.Z"));
    let text =
        "ed experiment\na\nfor n in 1 2 3\ndo\n    echo round $n\n    hello\n    on fire hello\ndone > results\n\
                wator 2 4 >> results\n.\n1,3s/round/Round/\nw\nq\nchmod rx experiment\nexperiment\nmore -4 results\n\
                1\nq\ngrep -n fire results\ngrep -c processor results; wc -l < results\ncp results copy\n\
                compress results\nls -l results.Z copy\nuncompress -c results.Z | cmp - copy && echo whole\n";
    fs::write(&typed, text).unwrap();
    let get = format!("results.Z={}", packed.display());
    let arguments = ["--file", "wator", "--input", typed.to_str().unwrap(), "--get", &get, "--get", "copy"];
    let out = folder.path().join("run");
    let printed = run(&arguments, &out, "earth", 0);
    for part in ["$ more -4 results\nRound 1\n", "--More-- ", "\nwhole\n", " results.Z\n", "$ end of input\n"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let copy = fs::read_to_string(out.join("copy")).unwrap();
    let start = "Round 1\nhello from processor 1 of 6\nhello from processor 3 of 6\nRound 2\n";
    assert!(copy.starts_with(start), "{copy}");
    assert_eq!(copy.matches("hello from processor 3 of 6\n").count(), 3, "{copy}");
    assert!(copy.lines().count() > 10, "{copy}");
    let unpacked = Command::new("gzip").arg("-dc").stdin(fs::File::open(&packed).unwrap()).output().unwrap();
    assert_eq!(String::from_utf8(unpacked.stdout).unwrap(), copy);
}

/// A file has 512 KiB, and files have their share of memory: who wants more is told so, and what was
/// there is there.
#[test]
fn files_without_room_say_so_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("fill");
    let text = "seq 20000 > a; cp a kept\ncat a a a a a > b; echo $?\ncmp a kept && echo as before\nrm b\n\
                i=0; while cp a a$i; do i=$((i+1)); done; echo $i\ncmp a a0 && cmp a kept && echo still there\n\
                echo x > new; echo $?\nrm a0 a1; echo x > new && cat new\n";
    fs::write(&script, text).unwrap();
    let file = script.display().to_string();
    let printed = run(&["fill", "--file", &file], &folder.path().join("run"), "earth", 0);
    for part in ["cat: file too large\n1\nas before\n", "cp: a: out of memory\n", "still there\n"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(printed.ends_with("x\n"), "{printed}");
}

/// Pieces from which a shell need not come back, or not soon.
const ENDLESS: &[&str] =
    &["while ", "until ", "exit ", "return ", "set -e ", "seq 3 ", "sleep 1 ", "kill 1 ", "fg ", "dis f "];

/// Whatever is typed, the shell goes on, and no process stays.
#[test]
fn a_shell_bears_whatever_is_typed() {
    let folder = tempfile::tempdir().unwrap();
    let lines = if std::env::var_os("TESTBED_LONG").is_some() { 1_000_000 } else { 2_000 };
    let pieces: Vec<&str> = [SHELL, EDITOR].concat().into_iter().filter(|piece| !ENDLESS.contains(piece)).collect();
    let (mut draw, mut text) = (Draw::new(7), Vec::new());
    for _ in 0..lines {
        text.extend(draw.line(&pieces).into_iter().filter(|byte| *byte != END_OF_INPUT));
        text.push(b'\n');
    }
    // Out of whatever is open, and past who reads.
    text.extend_from_slice("\"\n'\nE\n.\nQ\nQ\n".repeat(20).as_bytes());
    let typed = folder.path().join("typed");
    fs::write(&typed, text).unwrap();
    let printed = run(&["--input", typed.to_str().unwrap()], &folder.path().join("run"), "earth", 0);
    assert!(printed.ends_with("end of input\n"), "{}", &printed[printed.len().saturating_sub(2000)..]);
}
