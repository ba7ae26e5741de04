//! A headless Chromium that a test opens pages in, over its DevTools protocol: a few commands, in
//! less than a library for all of them takes to build.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{json, Value};
use tungstenite::{Message, WebSocket};

/// How long the browser may take for anything.
const PATIENCE: Duration = Duration::from_secs(60);
/// Names under which the browser is installed.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A browser with one page.
pub struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: Option<String>,
    last: u64,
    /// Errors of the page's scripts, and what it wrote to the console as errors or warnings.
    pub complaints: Vec<String>,
    /// Addresses that the page has asked for.
    pub requests: Vec<String>,
    _profile: tempfile::TempDir,
}

/// How a window looks.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub width: u32,
    pub height: u32,
    pub dark: bool,
    /// Fingers instead of a mouse.
    pub touch: bool,
}

fn start(profile: &Path) -> Child {
    for name in NAMES {
        let mut command = Command::new(name);
        command
            // Tests may run as root, which the browser's sandbox refuses; they open their own pages only.
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--hide-scrollbars", "--remote-debugging-port=0", "--remote-allow-origins=*"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stderr(Stdio::piped());
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            started => return started.unwrap_or_else(|error| panic!("cannot start {name}: {error}")),
        }
    }
    panic!("no {} is on the path\n  help: sudo apt-get install chromium", NAMES.join(", "));
}

impl Browser {
    /// Starts a browser and gives it an empty page.
    ///
    /// # Panics
    /// There is no browser; the message says how to get it.
    pub fn open() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = start(profile.path());
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines
            .find_map(|line| Some(line.ok()?.strip_prefix("DevTools listening on ")?.to_string()))
            .expect("the browser says where it listens");
        // It goes on writing, and must not be stopped by a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = tungstenite::client(&address, stream).unwrap();
        let mut browser = Browser {
            child,
            socket,
            session: None,
            last: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        browser.attach(&target["targetId"]);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Attaches to a tab: what is called from now on is for that.
    pub fn attach(&mut self, target: &Value) {
        self.session = None;
        let attached = self.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        self.session = Some(attached["sessionId"].as_str().unwrap().to_string());
    }

    fn receive(&mut self) -> Value {
        loop {
            match self.socket.read().unwrap_or_else(|error| panic!("the browser says no more: {error}")) {
                Message::Text(text) => break serde_json::from_str(text.as_str()).unwrap(),
                _ => continue,
            }
        }
    }

    /// Notes what an event of the protocol says about the page.
    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.complaints.push(parameters["exceptionDetails"].to_string()),
            Some("Log.entryAdded") => self.complaints.push(parameters["entry"].to_string()),
            Some("Runtime.consoleAPICalled") => self.complaints.push(parameters.to_string()),
            Some("Network.requestWillBeSent") => {
                self.requests.push(parameters["request"]["url"].as_str().unwrap_or_default().into());
            }
            _ => {}
        }
    }

    /// A command of the protocol, and its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let mut answer = self.receive();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                break answer["result"].take();
            }
            self.note(&answer);
        }
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        while self.evaluate(expression) != json!(true) {
            assert!(start.elapsed() < PATIENCE, "never true: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens a file in a window of this look.
    pub fn load(&mut self, page: &Path, window: Window) {
        self.go(&format!("file://{}", page.display()), window);
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'");
        self.settle();
    }

    /// Sends a window of this look to an address; does not wait for what is there.
    pub fn go(&mut self, url: &str, window: Window) {
        let Window { width, height, dark, touch } = window;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        self.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": touch }));
        let scheme = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", features);
        self.call("Page.navigate", json!({ "url": url }));
    }

    /// Waits until the page has been drawn again.
    pub fn settle(&mut self) {
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
    }

    /// A mouse event: `mouseMoved`, `mousePressed`, `mouseReleased`, or `mouseWheel` with how far.
    pub fn mouse(&mut self, kind: &str, x: f64, y: f64, wheel: f64, control: bool) {
        let pressed = matches!(kind, "mousePressed" | "mouseReleased");
        let parameters = json!({
            "type": kind, "x": x, "y": y, "deltaX": 0, "deltaY": wheel, "clickCount": u8::from(pressed),
            "modifiers": if control { 2 } else { 0 }, "button": if pressed { "left" } else { "none" },
        });
        self.call("Input.dispatchMouseEvent", parameters);
        self.settle();
    }

    /// A key that is pressed and let go.
    pub fn key(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key, "text": text }));
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
        self.settle();
    }

    /// Fingers on the page; none when they are lifted.
    pub fn touch(&mut self, kind: &str, fingers: &[(f64, f64)]) {
        let points: Vec<_> =
            fingers.iter().enumerate().map(|(id, (x, y))| json!({ "x": x, "y": y, "id": id })).collect();
        self.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
        self.settle();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have gone by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
