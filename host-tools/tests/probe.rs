//! `testbed probe` and `testbed probe serve` on this computer: what is printed and left behind, and
//! errors with their remedies. What is measured of lossy networks is held to their truth in the
//! crate's own tests.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use testbed_trace::report::escape;

const TOKEN: &str = "a token of the tests, long enough";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.arg("probe").args(arguments).env_remove("TESTBED_PROBE_TOKEN");
    command
}

fn probe(arguments: &[&str]) -> Output {
    command(arguments).env("TESTBED_PROBE_TOKEN", TOKEN).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn prints(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn fails(output: &Output, parts: &[&str]) {
    let error = errors(output);
    assert_eq!(output.status.code(), Some(3), "{error}");
    for part in parts.iter().chain(&["help: "]) {
        assert!(error.contains(part), "`{part}` is not in:\n{error}");
    }
}

/// A server on a port that the system has chosen.
struct Server {
    process: Child,
    peer: String,
}

impl Server {
    fn new(arguments: &[&str]) -> Server {
        let all = [&["serve", "--port", "0", "--address", "127.0.0.1"], arguments].concat();
        let mut command = command(&all);
        let mut process = command.env("TESTBED_PROBE_TOKEN", TOKEN).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let peer = line.split_whitespace().nth(2).unwrap_or_else(|| panic!("{line}")).to_string();
        Server { process, peer }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The folder's lines of `network.toml`.
fn network(folder: &Path) -> toml::Table {
    toml::from_str(&fs::read_to_string(folder.join("network.toml")).unwrap()).unwrap()
}

#[test]
fn a_measurement_leaves_figures_and_says_what_it_has_found() {
    let (server, folder) = (Server::new(&[]), tempfile::tempdir().unwrap());
    let out = folder.path().join("network");
    let list = folder.path().join("peers");
    fs::write(&list, format!("# one peer\n\n{}  # on this computer\n", server.peer)).unwrap();
    let common = ["--pairs", list.to_str().unwrap(), "--out", out.to_str().unwrap(), "--reduced", "--count", "100"];
    let text = probe(&common);
    assert!(text.status.success(), "{}", errors(&text));
    assert!(prints(&text).contains("lost there, %") && prints(&text).contains("network.toml (of 1472 bytes)"));

    let table = network(&out);
    assert_eq!(table["packet_bytes"].as_integer(), Some(1_472));
    let number = |key: &str| table[key].as_float().unwrap_or_else(|| panic!("{key} in {table}"));
    assert!(number("loss") < 0.2 && number("round_trip_seconds") > 0.0, "{table}");
    assert_eq!(number("alpha_seconds"), 1_472.0 / number("bandwidth_bytes_per_second"));
    assert_eq!(number("beta_seconds"), number("round_trip_seconds"));
    assert_eq!(table["complete"].as_bool(), Some(true));
    let page = fs::read_to_string(out.join("figures.html")).unwrap();
    assert_eq!(page.matches("class=\"plot\"").count(), 6, "two plots for each of three figures");
    assert!(page.contains(&escape("Packet loss")) && page.contains("Round trip"));

    // The model of lossy supersteps takes what was measured.
    let file = out.join("network.toml");
    let words = ["lbsp", "speedup", "--json", "--from", file.to_str().unwrap()];
    let model = Command::new(env!("CARGO_BIN_EXE_testbed")).args(words).output().unwrap();
    let found: serde_json::Value =
        serde_json::from_slice(&model.stdout).unwrap_or_else(|_| panic!("{}", errors(&model)));
    for (key, measured) in [("loss", "loss"), ("alpha", "alpha_seconds"), ("beta", "beta_seconds")] {
        assert_eq!(found["network"][key].as_f64(), Some(number(measured)), "{key}");
    }

    // Nothing is measured again; the same is shown in other forms, of another size.
    let json = probe(&[&common[..], &["--json", "--packet", "8192"]].concat());
    assert!(errors(&json).contains("all 3 parts are done"), "{}", errors(&json));
    let found: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(found["estimates"].as_array().unwrap().len(), 3);
    assert_eq!(found["network"]["packet_bytes"], 8_192);
    assert_eq!(network(&out)["packet_bytes"].as_integer(), Some(8_192));
    let csv = prints(&probe(&[&common[..], &["--csv"]].concat()));
    assert_eq!(csv.lines().count(), 1 + 2 * 3, "{csv}");
    fails(&probe(&[&common[..], &["--packet", "1000"]].concat()), &["packets of 1000 bytes are not measured"]);
    let other = probe(&[&common[..], &["--rate", "512KiB"]].concat());
    fails(&other, &["probe.jsonl is of another measurement", "1048576, and now 524288", "--overwrite"]);
}

#[test]
fn a_measurement_whose_time_is_over_goes_on_with_the_same_command() {
    let (server, folder) = (Server::new(&[]), tempfile::tempdir().unwrap());
    let out = folder.path().to_str().unwrap();
    let common = [&server.peer, "--out", out, "--sizes", "64,128,256,512,640,768", "--count", "300"];
    let first = probe(&[&common[..], &["--for", "1us"]].concat());
    assert_eq!(first.status.code(), Some(7), "{}", errors(&first));
    assert!(!folder.path().join("network.toml").exists(), "nothing was measured");
    // Each of six parts takes at least half a second: 300 packets and four trains.
    let second = probe(&[&common[..], &["--for", "2500ms"]].concat());
    assert_eq!(second.status.code(), Some(7), "{}", errors(&second));
    assert!(errors(&second).contains("of 6 parts are done; the same command goes on with the rest"));
    assert_eq!(network(folder.path())["complete"].as_bool(), Some(false));
    let lines = fs::read_to_string(folder.path().join("probe.jsonl")).unwrap();
    let last = probe(&common);
    assert!(last.status.success(), "{}", errors(&last));
    assert!(errors(&last).contains("of 6 parts are done, by ") && errors(&last).contains("goes on with the next"));
    assert_eq!(network(folder.path())["complete"].as_bool(), Some(true));
    let all = fs::read_to_string(folder.path().join("probe.jsonl")).unwrap();
    assert!(all.starts_with(&lines) && all.lines().count() == 7, "{all}");
}

#[test]
fn peers_that_do_not_answer_are_named_with_what_may_be_wrong() {
    let (server, folder) = (Server::new(&["--for", "60s"]), tempfile::tempdir().unwrap());
    let out = folder.path().join("one");
    let token = folder.path().join("token");
    fs::write(&token, "another token, long enough too\n").unwrap();
    let arguments = ["--sizes", "64", "--count", "10", "--out", out.to_str().unwrap()];
    let stranger = command(&[&[&server.peer[..], "--token", token.to_str().unwrap()], &arguments[..]].concat());
    let stranger = { stranger }.output().unwrap();
    fails(&stranger, &[&server.peer, "nobody answers", "testbed probe serve", "its token is another one"]);

    // One of two answers: it is measured, and the other one is named.
    let closed = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let out = folder.path().join("two");
    let arguments = ["--sizes", "64", "--count", "10", "--out", out.to_str().unwrap()];
    let both = probe(&[&[&closed[..], &server.peer], &arguments[..]].concat());
    fails(&both, &[&closed, "nobody listens there", "1 of 2 parts are done"]);
    assert!(prints(&both).contains(&server.peer), "{}", prints(&both));
    let nowhere = probe(&["host.invalid", "--out", folder.path().join("three").to_str().unwrap()]);
    fails(&nowhere, &["host.invalid:51994", "no address"]);
}

#[test]
fn a_server_says_what_came_when_it_ends() {
    let (mut server, folder) = (Server::new(&["--for", "4s"]), tempfile::tempdir().unwrap());
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.send_to(b"hello, who is there?", &server.peer).unwrap();
    let out = folder.path().to_str().unwrap();
    let measured = probe(&[&server.peer, "--sizes", "64", "--count", "10", "--out", out]);
    assert!(measured.status.success(), "{}", errors(&measured));
    let mut text = String::new();
    server.process.stdout.as_mut().unwrap().read_to_string(&mut text).unwrap();
    assert!(server.process.wait().unwrap().success());
    assert!(text.contains("1 sessions; ") && text.contains("not answered: 1 of another form, 0 of"), "{text}");
}

#[test]
fn wrong_inputs_of_probe() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let out = folder.path().join("out");
    let with = |arguments: &[&str]| probe(&[arguments, &["--out", out.to_str().unwrap()]].concat());
    let none = command(&["host"]).output().unwrap();
    fails(&none, &["there is no token", "TESTBED_PROBE_TOKEN", "--token token"]);
    let short = path("short", "secret\n");
    fails(&with(&["host", "--token", &short]), &["--token", "short: the token has 6 characters", "at least 16"]);
    fails(&with(&["host", "--token", "/nonexistent"]), &["--token: cannot read /nonexistent"]);
    fails(&with(&["host:x"]), &["`host:x` ends in no port", "HOST:PORT"]);
    let peers = path("peers", "one\ntwo:x\n");
    fails(&with(&["--pairs", &peers]), &["peers:2: `two:x` ends in no port"]);
    let empty = path("empty", "# nobody\n");
    fails(&with(&["--pairs", &empty]), &["empty names no peer"]);
    fails(&with(&["--pairs", "/nonexistent"]), &["--pairs: cannot read /nonexistent"]);
    fails(&with(&["host", "host:51994"]), &["host:51994 is named twice"]);
    fails(&with(&["host;rm"]), &["characters that no name has"]);
    fails(&with(&["host", "--sizes", "64,32"]), &["--sizes", "32 bytes can't be sent", "64 to 65507"]);
    fails(&with(&["host", "--sizes", "70000"]), &["70000 bytes can't be sent"]);
    fails(&with(&["host", "--count", "0"]), &["--count: the number of packets is 0"]);
    fails(&with(&["host", "--rate", "5"]), &["--rate", "no unit", "KiB"]);
    fails(&with(&["host", "--rate", "1KiB"]), &["--rate: at 1024 bytes a second a train", "packets of 512 bytes"]);
    fails(&with(&["host", "--for", "5"]), &["--for", "no unit", "ms"]);
    fails(&with(&["host", "--count", "100000"]), &["--limit", "MiB in about", "1 GiB", "--count"]);
    fails(&probe(&["serve", "--address", "192.0.2.1"]), &["cannot answer at 192.0.2.1:51994", "--address"]);
    assert_eq!(with(&[]).status.code(), Some(2), "no peer");
    assert_eq!(with(&["host", "--json", "--csv"]).status.code(), Some(2));
    assert!(!out.exists(), "a wrong command line leaves nothing");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("probe.jsonl"), "something else\n").unwrap();
    fails(&with(&["host"]), &["probe.jsonl:1: ", "--overwrite"]);
}
