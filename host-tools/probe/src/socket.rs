//! The loops around real sockets and the real time: a thread that sends and one that receives.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::machine::{Client, Step};
use crate::client::settings::{Failure, Part};
use crate::key::Key;
use crate::packet::BYTES_MAX;
use crate::server::counts::Counts;
use crate::server::machine::{Limits, Server};
use crate::tally::Tally;

/// How often a loop that has nothing to do looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// Why a part has no result.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The peer's computer says that nobody listens there.
    #[error("nobody listens there")]
    Refused,
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Random bytes of the system's, for secrets and numbers that nobody is to guess.
///
/// # Errors
/// The system's.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

/// Serves on a socket until `stop` or, if one is given, until the time is over.
///
/// # Errors
/// The socket's; those that belong to one datagram only are counted by nobody and end nothing.
pub fn serve(
    socket: &UdpSocket,
    key: Key,
    limits: Limits,
    time: Option<Duration>,
    stop: &AtomicBool,
) -> io::Result<Counts> {
    let mut server = Server::new(key, random()?, limits);
    socket.set_read_timeout(Some(LOOK))?;
    let start = Instant::now();
    let mut buffer = vec![0; BYTES_MAX + 1];
    while !stop.load(Ordering::Relaxed) && time.is_none_or(|time| start.elapsed() < time) {
        match socket.recv_from(&mut buffer) {
            Ok((length, from)) => {
                // What can't be sent is lost, as it could be on its way.
                let mut send = |to: SocketAddr, datagram: &[u8]| drop(socket.send_to(datagram, to));
                server.receive(start.elapsed(), from, &buffer[..length], &mut send);
            }
            Err(error) if is_passing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(server.counts())
}

/// Errors of a socket that concern one datagram, or the time that it was to wait.
fn is_passing(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionRefused, ConnectionReset, HostUnreachable, Interrupted, NetworkUnreachable};
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | Interrupted)
        || matches!(error.kind(), ConnectionRefused | ConnectionReset | HostUnreachable | NetworkUnreachable)
}

/// Makes a part with the server at an address; `None` if `stop` came first.
///
/// # Errors
/// The server does not answer as it should, or the socket's.
pub fn measure(
    server: SocketAddr,
    key: &Key,
    part: &Part,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Tally>, PartError> {
    let any: SocketAddr = if server.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0u16; 8], 0).into() };
    let socket = UdpSocket::bind(any)?;
    socket.connect(server)?;
    socket.set_read_timeout(Some(LOOK))?;
    let start = Instant::now();
    let chosen = u64::from_be_bytes(random()?);
    let client = Mutex::new(Client::new(key.clone(), *part, chosen, start.elapsed()));
    let (over, refused) = (AtomicBool::new(false), AtomicBool::new(false));
    let result = thread::scope(|scope| {
        scope.spawn(|| receive(&socket, &client, start, &over, &refused));
        let result = drive(&socket, &client, start, &refused, stop);
        over.store(true, Ordering::Relaxed);
        result
    });
    let mut client = client.into_inner().unwrap_or_else(PoisonError::into_inner);
    client.close(&mut |datagram| {
        drop(socket.send(datagram));
        start.elapsed()
    });
    result
}

/// Takes what comes until the part is over. The time is taken before anything else is waited for.
fn receive(socket: &UdpSocket, client: &Mutex<Client>, start: Instant, over: &AtomicBool, refused: &AtomicBool) {
    let mut buffer = vec![0; BYTES_MAX + 1];
    while !over.load(Ordering::Relaxed) {
        let received = socket.recv(&mut buffer);
        let now = start.elapsed();
        match received {
            Ok(length) => client.lock().unwrap_or_else(PoisonError::into_inner).receive(now, &buffer[..length]),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => refused.store(true, Ordering::Relaxed),
            Err(_) => {}
        }
    }
}

/// Sends what is due until the part is over.
fn drive(
    socket: &UdpSocket,
    client: &Mutex<Client>,
    start: Instant,
    refused: &AtomicBool,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Tally>, PartError> {
    let mut failed: Option<io::Error> = None;
    loop {
        if stop() {
            return Ok(None);
        }
        let step = client.lock().unwrap_or_else(PoisonError::into_inner).poll(start.elapsed(), &mut |datagram| {
            match socket.send(datagram) {
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => refused.store(true, Ordering::Relaxed),
                // A full queue of this computer loses a packet as any other queue does.
                Err(error) if !is_passing(&error) && error.raw_os_error() != Some(NO_BUFFERS) => failed = Some(error),
                _ => {}
            }
            start.elapsed()
        });
        if let Some(error) = failed.take() {
            return Err(error.into());
        }
        match step {
            Step::Wait(until) => thread::sleep(until.saturating_sub(start.elapsed()).min(LOOK)),
            Step::Done(tally) => return Ok(Some(*tally)),
            Step::Failed(Failure::Silent) if refused.load(Ordering::Relaxed) => return Err(PartError::Refused),
            Step::Failed(failure) => return Err(failure.into()),
        }
    }
}

/// `ENOBUFS` of Linux.
const NO_BUFFERS: i32 = 105;
