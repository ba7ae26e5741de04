//! `testbed serve` as a process, and a client of its server that says whatever it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::session::{BUILT, TESTBED};

/// A server that runs.
pub struct Serving {
    pub child: Child,
    /// What it printed behind its address, as it ends.
    rest: Option<JoinHandle<String>>,
    /// `http://HOST/TOKEN/`.
    pub address: String,
    pub host: String,
    pub token: String,
}

/// What a server has answered.
#[derive(Debug)]
pub struct Answer {
    pub code: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Serving {
    pub fn start(arguments: &[&str]) -> Self {
        // Where tests run under `nohup`, SIGHUP is ignored, and by design the server would leave it so.
        let mut command = Command::new("env");
        command
            .args(["--default-signal=HUP", TESTBED, "serve"])
            .args(arguments)
            .current_dir(super::root())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address =
            line.trim().rsplit_once(" is at ").unwrap_or_else(|| panic!("no address in `{line}`")).1.to_string();
        let (host, token) = address.strip_prefix("http://").unwrap().trim_end_matches('/').split_once('/').unwrap();
        let (host, token) = (host.to_string(), token.to_string());
        let rest = std::thread::spawn(move || {
            let mut rest = String::new();
            out.read_to_string(&mut rest).unwrap();
            rest
        });
        Serving { child, rest: Some(rest), address, host, token }
    }

    /// Sends these bytes as they are and reads until the server closes.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer has a head");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let code = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { code, head, body: bytes[end + 4..].to_vec() }
    }

    /// A request for what lies behind the token, with these lines in its head.
    pub fn ask(&self, method: &str, path: &str, lines: &str, body: &[u8]) -> Answer {
        let head = format!("{method} /{}/{path} HTTP/1.1\r\nConnection: close\r\n{lines}\r\n", self.token);
        self.raw(&[head.as_bytes(), body].concat())
    }

    fn own(&self) -> String {
        format!("Host: {}\r\n", self.host)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &self.own(), b"")
    }

    pub fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.ask("POST", path, &format!("{}Content-Length: {}\r\n", self.own(), body.len()), body)
    }

    pub fn state(&self, query: &str) -> Value {
        let answer = self.get(&format!("state{query}"));
        assert_eq!(answer.code, 200, "{}", answer.text());
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Asks until what is told is as it should be.
    #[track_caller]
    pub fn wait_for(&self, what: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let told = self.state("");
            if what(&told) {
                return told;
            }
            assert!(begun.elapsed() < BUILT, "it never comes to that: {told}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// All that was printed on a processor.
    pub fn printed(&self, processor: u8) -> Vec<u8> {
        let (mut all, mut query) = (Vec::new(), String::new());
        loop {
            let told = self.state(&query);
            let pairs = pairs(told["pairs"].as_str().unwrap());
            all.extend(pairs.chunks(2).filter(|pair| pair[0] == processor).map(|pair| pair[1]));
            if told["more"] == false {
                return all;
            }
            query = format!("?run={}&printed={}", told["run"].as_str().unwrap(), told["printed"]);
        }
    }

    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Waits for its end; its exit code, and what it printed.
    #[track_caller]
    pub fn end(mut self) -> (i32, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        (status.code().expect("no signal ends it"), self.rest.take().unwrap().join().unwrap())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // A test that failed left it; of one that has ended this does nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes of a text in base 64.
fn pairs(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let values: Vec<u8> = text.bytes().filter_map(value).collect();
    let bytes = |four: &[u8]| {
        let word = four.iter().fold(0, |word, value| word << 6 | u32::from(*value)) << (6 * (4 - four.len()));
        word.to_be_bytes()[1..four.len()].to_vec()
    };
    values.chunks(4).flat_map(bytes).collect()
}
