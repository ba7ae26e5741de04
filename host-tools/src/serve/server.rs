//! HTTP: a thread for each request, bounds, headers. Whoever is slow, or asks for much, holds up
//! nobody else; the run is asked by messages and answers in its own time.

use std::io::{self, Cursor, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

use super::ask::{Ask, NoAsk, Reply, TYPED_MAX};
use super::files::{self, NoFile};
use super::guard::{Guard, Refusal};

/// Requests that are under way at the same time, at most.
const REQUESTS_MAX: usize = 32;
/// How long the run may take for an answer: it reads for a moment, then looks.
const PATIENCE: Duration = Duration::from_secs(30);
/// What the page may do: its own style and scripts, and asking us. Nobody may put it into a frame.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const BYTES: &str = "application/octet-stream";

/// A question to the run, and where its answer goes.
pub struct Question {
    pub ask: Ask,
    pub answer: Sender<Reply>,
}

/// A server that listens. It stops with this.
pub struct Listening {
    server: Arc<Server>,
    thread: Option<JoinHandle<()>>,
    address: String,
    pub questions: Receiver<Question>,
}

/// What threads of requests share.
struct Shared {
    guard: Guard,
    page: String,
    questions: Sender<Question>,
    under_way: AtomicUsize,
}

type Body = Box<dyn Read + Send>;

impl Listening {
    /// Listens at this port of this computer alone, any that is free for 0, and shows `page`.
    ///
    /// # Errors
    /// The port is taken, or the system's.
    pub fn new(port: u16, page: String) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let guard = Guard::new(listener.local_addr()?.port())?;
        let address = guard.address();
        let server = Arc::new(Server::from_listener(listener, None).map_err(io::Error::other)?);
        let (questions, asked) = mpsc::channel();
        let shared = Arc::new(Shared { guard, page, questions, under_way: AtomicUsize::new(0) });
        let accepting = Arc::clone(&server);
        let thread = thread::spawn(move || {
            for request in accepting.incoming_requests() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(request));
            }
        });
        Ok(Listening { server, thread: Some(thread), address, questions: asked })
    }

    /// The page's address.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn serve(&self, mut request: Request) {
        let response = match self.under_way.fetch_add(1, Ordering::Relaxed) {
            0..REQUESTS_MAX => self.answer(&mut request),
            _ => say(503, "too many requests are under way\n  help: close some of the pages"),
        };
        // Who has gone does not hear it.
        let _ = request.respond(response);
        self.under_way.fetch_sub(1, Ordering::Relaxed);
    }

    fn answer(&self, request: &mut Request) -> Response<Body> {
        let values = |name: &'static str| -> Vec<&str> {
            let named = request.headers().iter().filter(|header| header.field.equiv(name));
            named.map(|header| header.value.as_str()).collect()
        };
        let (hosts, origins) = (values("Host"), values("Origin"));
        let path = match self.guard.check(request.url(), &hosts, &origins) {
            Ok(path) => path.to_string(),
            Err(refusal @ Refusal::Token) => return say(404, refusal),
            Err(refusal) => return say(403, refusal),
        };
        let body = match request.method() {
            Method::Get => None,
            Method::Post => match body(request) {
                Ok(bytes) => Some(bytes),
                Err(response) => return response,
            },
            _ => return say(405, "only GET and POST are understood"),
        };
        match Ask::read(&path, body) {
            Ok(Ask::Page) => respond(200, HTML, self.page.clone().into_bytes()),
            Ok(Ask::File(name)) => self.file(&name),
            Ok(ask) => match self.ask(ask) {
                Reply::Json(bytes) => respond(200, JSON, bytes),
                Reply::Done | Reply::Folder(_) => respond(200, TEXT, Vec::new()),
                Reply::Refused(why) => say(409, why),
            },
            Err(NoAsk::Unknown) => say(404, "there is nothing of this name"),
            Err(NoAsk::Method) => say(405, "this is asked for by GET, if it changes nothing, else by POST"),
            Err(NoAsk::Wrong) => say(400, "a part of the address can't be read"),
        }
    }

    fn file(&self, name: &str) -> Response<Body> {
        let dir = match self.ask(Ask::File(name.into())) {
            Reply::Folder(dir) => dir,
            Reply::Refused(why) => return say(409, why),
            Reply::Json(_) | Reply::Done => return say(500, "the run has another answer than a folder"),
        };
        match files::open(&dir, name) {
            Ok((file, length)) => {
                let response = of_length(200, BYTES, file, length);
                response.with_header(header("Content-Disposition", &format!("attachment; filename=\"{name}\"")))
            }
            Err(NoFile::Absent(why)) => say(404, why),
            Err(NoFile::Failed(why)) => say(500, why),
        }
    }

    /// What the run answers.
    fn ask(&self, ask: Ask) -> Reply {
        let (answer, answered) = mpsc::channel();
        let reply =
            self.questions.send(Question { ask, answer }).ok().and_then(|()| answered.recv_timeout(PATIENCE).ok());
        reply.unwrap_or_else(|| Reply::Refused("the run does not answer; `testbed serve` may be at its end".into()))
    }
}

/// What a request brings, if that is not too much.
fn body(request: &mut Request) -> Result<Vec<u8>, Response<Body>> {
    let most = || say(413, format!("a request brings at most {TYPED_MAX} bytes\n  help: divide it"));
    if request.body_length().is_some_and(|length| length > TYPED_MAX) {
        return Err(most());
    }
    let mut bytes = Vec::new();
    // What says no length may go on for ever.
    match request.as_reader().take(TYPED_MAX as u64 + 1).read_to_end(&mut bytes) {
        Ok(count) if count <= TYPED_MAX => Ok(bytes),
        Ok(_) => Err(most()),
        Err(error) => Err(say(400, error)),
    }
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("a header of plain letters")
}

fn headers(kind: &str) -> Vec<Header> {
    let all = [
        ("Content-Type", kind),
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ];
    all.iter().map(|(name, value)| header(name, value)).collect()
}

fn respond(code: u16, kind: &str, bytes: Vec<u8>) -> Response<Body> {
    let length = bytes.len();
    of_length(code, kind, Box::new(Cursor::new(bytes)), length)
}

/// With its length in its head, however long it is: so a browser shows how far a download is.
fn of_length(code: u16, kind: &str, body: Body, length: usize) -> Response<Body> {
    Response::new(StatusCode(code), headers(kind), body, Some(length), None).with_chunked_threshold(usize::MAX)
}

/// Says why something is not to be had.
fn say(code: u16, why: impl ToString) -> Response<Body> {
    respond(code, TEXT, why.to_string().into_bytes())
}
