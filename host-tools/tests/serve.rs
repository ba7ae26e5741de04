//! `testbed serve`, without a browser: what is served is what the folder has, nobody else is
//! answered, and Ctrl-C ends it properly.

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{json, Value};
use testbed_machine::Machine;
use testbed_trace::capture::{verify, Capture, CaptureWriter, Printed, RunRecord, CONSOLE_LOG};
use testbed_trace::order::events;
use testbed_trace::synthetic::{self, mmi_words, Mix, Mmi, Smi};

use crate::common::root;
use crate::common::serving::Serving;
use crate::common::session::TESTBED;

fn mix() -> Mix {
    Mix { silence_every: 0, loss_every: 0, ..Mix::default() }
}

fn folder() -> (tempfile::TempDir, RunRecord) {
    let dir = tempfile::tempdir().unwrap();
    let record = synthetic::capture(dir.path(), &Machine::testbed6(), mix(), 1, 2_000).unwrap();
    (dir, record)
}

fn path(dir: &tempfile::TempDir) -> &str {
    dir.path().to_str().unwrap()
}

fn is(mode: &'static str) -> impl Fn(&Value) -> bool {
    move |told| told["mode"] == mode
}

/// What is served of a run that is over is what its folder has, to the byte.
fn is_as_its_folder(serving: &Serving, dir: &Path) {
    let record = RunRecord::read(dir).unwrap();
    let pieces = Printed::read(&dir.join(CONSOLE_LOG), record.machine.processors.len()).unwrap();
    for processor in 0..record.machine.processors.len() as u8 {
        let own = pieces.iter().filter(|piece| piece.processor == processor);
        let all: Vec<u8> = own.flat_map(|piece| piece.bytes.clone()).collect();
        assert_eq!(serving.printed(processor), all, "processor {processor}");
    }
    let told = serving.state("");
    assert_eq!(told["record"], serde_json::to_value(&record).unwrap());
    for name in told["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()) {
        let served = serving.get(&format!("file/{name}"));
        assert_eq!(served.code, 200, "{name}: {}", served.text());
        match fs::read(dir.join(name)) {
            Ok(here) => assert!(served.body == here, "{name} is not as in the folder"),
            Err(_) => assert!(served.body.len() > 500, "{name} has {} bytes", served.body.len()),
        }
    }
    let capture = Capture::open(dir).unwrap();
    let count = events(&capture, &verify(&capture).unwrap()).unwrap().map(Result::unwrap).count();
    assert_eq!(told["state"]["events"], count);
    assert_eq!(told["state"]["bytes"], fs::metadata(dir.join("mmi.raw")).unwrap().len());
}

#[test]
fn a_shell_is_typed_at_and_ended_in_good_order() {
    let dir = tempfile::tempdir().unwrap();
    let serving = Serving::start(&["sh", "--out", path(&dir)]);
    serving.wait_for(is("live"));
    let says = |typed: &[u8], answer: &str| {
        assert_eq!(serving.post("give", typed).code, 200);
        serving.wait_for(|_| String::from_utf8_lossy(&serving.printed(1)).contains(answer));
    };
    says(b"echo one-$((1+1))x\n", "one-2x");
    // A key needs no line: Ctrl-C ends what would sleep for a day.
    assert_eq!(serving.post("give", b"sleep 86400\n").code, 200);
    serving.wait_for(|_| String::from_utf8_lossy(&serving.printed(1)).contains("sleep 86400"));
    says(b"\x03", "sleep 86400\n$ ");
    says(b"echo still-$((2+2))x\n", "still-4x");
    let told = serving.state("");
    assert_eq!((&told["no_typing"], &told["can_end"]), (&json!(null), &json!(true)));
    assert_eq!(serving.post("end", b"").code, 200);
    let told = serving.wait_for(is("over"));
    assert_eq!(
        (&told["said"], &told["no_typing"]),
        (&json!("the run was ended by its user"), &json!("The run is over."))
    );
    assert_eq!(serving.post("give", b"x").code, 409);
    is_as_its_folder(&serving, dir.path());
    let served = fs::read_to_string(dir.path().join("input")).unwrap();
    assert!(served.contains("sleep 86400") && served.contains("\\x03"), "{served}");
    serving.signal("-INT");
    let (code, text) = serving.end();
    assert!(code == 0 && text.contains("left in"), "{code} {text}");
}

#[test]
fn control_c_ends_a_run_that_goes_on_and_its_folder_is_whole() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let dir = tempfile::tempdir().unwrap();
        let serving = Serving::start(&["sh", "--out", path(&dir)]);
        serving.wait_for(is("live"));
        serving.signal(signal);
        let (code, text) = serving.end();
        assert_eq!(code, 0, "{signal}: {text}");
        assert!(text.contains("ended by its user"), "{signal}: {text}");
        let record = RunRecord::read(dir.path()).unwrap();
        assert!(record.complete, "{signal}");
    }
}

/// A run that still reads what it is to be given has no folder that could be shown.
#[test]
fn control_c_ends_a_run_that_has_not_begun() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let serving = Serving::start(&["sh", "--file", pipe.to_str().unwrap(), "--out", path(&dir)]);
    serving.signal("-INT");
    let (code, text) = serving.end();
    assert_eq!((code, text.contains("left in")), (130, false), "{text}");
}

#[test]
fn a_program_comes_to_its_end_and_leaves_what_run_leaves() {
    let (dir, alone) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let serving = Serving::start(&["remote", "5", "2", "1", "--out", path(&dir)]);
    let told = serving.wait_for(is("over"));
    assert_eq!(told["said"], "exit code 0 on earth");
    assert_eq!(told["state"]["exits"][0][2], 0);
    is_as_its_folder(&serving, dir.path());
    let run = ["run", "remote", "5", "2", "1", "--out", path(&alone)];
    assert!(Command::new(TESTBED).args(run).current_dir(root()).output().unwrap().status.success());
    for name in ["mmi.raw", "console.txt", "console.log"] {
        assert!(serving.get(&format!("file/{name}")).body == fs::read(alone.path().join(name)).unwrap(), "{name}");
    }
    serving.signal("-INT");
    assert_eq!(serving.end().0, 0);
}

#[test]
fn a_folder_that_is_complete_is_shown_whole() {
    let (dir, record) = folder();
    let serving = Serving::start(&[path(&dir)]);
    let told = serving.wait_for(is("over"));
    assert_eq!(told["draws_all"], true);
    assert_eq!(told["state"]["cycle"], record.cycles);
    assert_eq!(told["shown"]["range"], json!({ "from_cycle": 0, "to_cycle": record.cycles }));
    assert_eq!(told["state"]["events"], 10_000);
    // What a page has drawn it does not get again; another drawing is of the part that is asked for.
    let query =
        |told: &Value| format!("?run={}&drawn={}", told["run"].as_str().unwrap(), told["drawn"].as_str().unwrap());
    assert_eq!(serving.state(&query(&told))["shown"], json!(null));
    assert_eq!(serving.post("draw?last=1", b"").code, 200);
    let told = serving.wait_for(is("over"));
    let from = told["shown"]["range"]["from_cycle"].as_u64().unwrap();
    assert!(from > record.cycles / 2 && told["draws_all"] == false, "from {from} of {}", record.cycles);
    // It is nobody's to type at or to end.
    assert_eq!(told["no_typing"], "The run is over.");
    assert_eq!((serving.post("give", b"ls\n").code, serving.post("end", b"").code), (409, 409));
    serving.signal("-INT");
    assert_eq!(serving.end().0, 0);
}

#[test]
fn a_folder_is_followed_while_it_is_written_and_when_it_is_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    let machine = Machine::testbed6();
    let record = RunRecord { engine: "none".into(), ..RunRecord::new(&machine, "synthetic") };
    let write = |pairs| {
        let mut writer = CaptureWriter::create(dir.path(), &machine, &record).unwrap();
        let mmi = Mmi::new((1..6).map(|smi| Smi::new(smi, mix(), 3, 4_000)).collect());
        let words = mmi.take(pairs).flat_map(|(smi, pair)| mmi_words(smi, pair.pair));
        writer.words(words.map(|word| (0, word))).unwrap();
        writer
    };
    let writer = write(4_000);
    let serving = Serving::start(&[path(&dir)]);
    let told = serving.wait_for(|told| told["state"]["events"].as_u64() > Some(100));
    assert_eq!((&told["mode"], &told["can_end"]), (&json!("live"), &json!(false)));
    assert!(told["no_typing"].as_str().unwrap().contains("not this server's"));
    writer.finish(&RunRecord { complete: true, cycles: 1 << 30, ..record.clone() }).unwrap();
    let first = serving.wait_for(is("over"));
    // Another run writes to it: the page begins anew, whatever it has of the one before.
    let second_writer = write(8_000);
    let second = serving.wait_for(is("live"));
    assert_ne!(first["run"], second["run"]);
    let query =
        format!("?run={}&printed=999&drawn={}", first["run"].as_str().unwrap(), first["drawn"].as_str().unwrap());
    assert_ne!(serving.state(&query)["shown"], json!(null));
    // A third is over before anybody looks.
    drop(second_writer);
    write(6_000).finish(&RunRecord { complete: true, cycles: 1 << 31, ..record }).unwrap();
    let third = serving.wait_for(|told| told["mode"] == "over" && told["run"] != second["run"]);
    assert_eq!(third["state"]["cycle"], 1_u64 << 31);
    serving.signal("-INT");
    assert_eq!(serving.end().0, 0);
}

#[test]
fn nobody_else_is_answered_and_what_is_wrong_harms_nothing() {
    let (dir, _) = folder();
    fs::write(dir.path().join("secret"), "nobody's").unwrap();
    let serving = Serving::start(&[path(&dir)]);
    serving.wait_for(is("over"));
    let own = format!("Host: {}\r\n", serving.host);
    let port = serving.host.rsplit_once(':').unwrap().1;
    for lines in
        ["", "Host: evil.example\r\n", "Host: 127.0.0.1\r\n", &format!("Host: evil.example:{port}\r\n"), &own.repeat(2)]
    {
        for (method, path) in [("GET", ""), ("GET", "state"), ("POST", "end"), ("GET", "file/mmi.raw")] {
            let answer = serving.ask(method, path, &format!("{lines}Content-Length: 0\r\n"), b"");
            assert_eq!(answer.code, 403, "{lines}{method} {path}: {}", answer.text());
        }
    }
    for origin in ["null", "http://evil.example", "https://127.0.0.1", &format!("http://localhost.evil:{port}")] {
        let answer = serving.ask("GET", "state", &format!("{own}Origin: {origin}\r\n"), b"");
        assert_eq!(answer.code, 403, "{origin}");
    }
    let page = serving.ask("GET", "", &format!("{own}Origin: http://{}\r\n", serving.host), b"");
    assert!(page.code == 200 && page.head.contains("frame-ancestors 'none'"), "{}", page.head);
    assert!(!page.head.to_lowercase().contains("access-control"), "{}", page.head);
    for path in ["/", "/state", "//state", &format!("/{}/state", "0".repeat(32)), &format!("/{}", serving.token)] {
        let answer = serving.raw(format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{own}\r\n").as_bytes());
        assert_eq!(answer.code, 404, "{path}");
        assert!(!answer.text().contains(&serving.token));
    }
    for name in ["secret", "../secret", "%2e%2e/secret", "/etc/passwd", "trace/earth", ".lock", "", "mmi.raw\\0"] {
        assert_eq!(serving.get(&format!("file/{name}")).code, 404, "{name}");
    }
    for (answer, code) in [
        (serving.get("none"), 404),
        (serving.get("give"), 405),
        (serving.post("state", b""), 405),
        (serving.ask("DELETE", "state", &own, b""), 405),
        (serving.get("state?printed=x"), 400),
        (serving.post("draw?last=0", b""), 400),
        (serving.post("give", &vec![b'x'; (64 << 10) + 1]), 413),
    ] {
        assert_eq!(answer.code, code, "{}", answer.text());
    }
    // Who asks for nothing, or never comes to an end, holds up nobody. The library gives each
    // connection a thread of its own, unless many come within the time that a thread takes to wake.
    let idle = (0..20).map(|number| {
        let mut stream = TcpStream::connect(&serving.host).unwrap();
        let begun = if number % 2 == 0 { "" } else { "POST / HTTP/1.1\r\nHost:" };
        stream.write_all(begun.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        stream
    });
    let idle: Vec<_> = idle.collect();
    assert_eq!(serving.state("")["mode"], "over");
    drop(idle);
    // What has gone meanwhile is said.
    fs::remove_file(dir.path().join("mmi.raw")).unwrap();
    assert_eq!(serving.get("file/mmi.raw").code, 404);
    serving.signal("-INT");
    assert_eq!(serving.end().0, 0);
}

#[test]
fn wrong_inputs() {
    let (dir, _) = folder();
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let fails = |arguments: &[&str], code: i32, part: &str| {
        let output = Command::new(TESTBED).arg("serve").args(arguments).current_dir(root()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(code) && error.contains(part), "{arguments:?}: {error}");
    };
    let taken = format!("--port {port}: another program");
    fails(&[path(&dir), "--port", &port], 5, &taken);
    fails(&["sh", "--port", &port, "--out", path(&dir)], 5, &taken);
    assert!(RunRecord::read(dir.path()).unwrap().program == "synthetic", "the folder is as it was");
    fails(&[path(&dir), "--port", "70000"], 2, "70000");
    fails(&[path(&dir), "5"], 3, "`5` belongs to a program");
    fails(&[path(&dir), "--seed", "5"], 3, "`--seed=5` belongs to a program");
    fails(&[path(&dir), "--window", "0us"], 3, "--window");
    fails(&["sh", "--input", "-"], 3, "the console is in the page");
    fails(&["./nonexistent/program"], 3, "there is no ./nonexistent/program");
    fails(&["no-such-program"], 3, "there is no folder no-such-program, and no program is called `no-such-program`");
    fails(&["remote", "--engine", "abacus"], 3, "no engine is called `abacus`");
    let empty = tempfile::tempdir().unwrap();
    fails(&[path(&empty)], 3, "no run.json");
    fs::write(empty.path().join("run.json"), "{").unwrap();
    fails(&[path(&empty)], 3, "run.json:1:");
}
