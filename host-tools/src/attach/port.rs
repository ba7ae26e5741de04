//! Serial ports: opened raw and for us alone, read in a thread, waited for when they go away.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use serial2::{KeepSettings, SerialPort};

/// Within this time a port's thread sees that it is to stop.
const PATIENCE: Duration = Duration::from_millis(50);
/// Bytes read at a time, at most.
const CHUNK: usize = 1 << 16;

/// What Linux says of a file that is no tty; the standard library has no name for it.
const ENOTTY: i32 = 25;

/// Why a port can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    #[error("{}: there is no such port\n  help: plug the board in and look for /dev/ttyUSB* or /dev/ttyACM*; `dmesg` says what it is called", .0.display())]
    Missing(PathBuf),
    #[error("{}: no permission\n  help: ports belong to the group dialout: sudo usermod -a -G dialout $USER, then log in again", .0.display())]
    Permission(PathBuf),
    #[error("{}: another program uses it\n  help: end that one; `fuser -v {}` says which it is", .0.display(), .0.display())]
    Busy(PathBuf),
    #[error("{}: this is no serial port\n  help: give a tty, such as /dev/ttyUSB1", .0.display())]
    NoTty(PathBuf),
    #[error("{}: {baud} baud can't be set: {source}\n  help: give the rate that the board sends with, which the port's adapter must know, with {option}", path.display())]
    Baud { path: PathBuf, baud: u32, option: &'static str, source: std::io::Error },
    #[error("{}: {source}\n  help: check the cable, and plug it in anew", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

/// A port and how it is spoken to: 8 bits, no parity, one stop bit, no flow control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSettings {
    pub path: PathBuf,
    pub baud: u32,
    /// The option of the command line that gives the rate.
    pub option: &'static str,
}

/// Opens a port, so that bytes come as they are and no other `testbed` opens it too.
///
/// # Errors
/// It is not there, is no port, may not or can't be used.
pub fn open(settings: &PortSettings) -> Result<SerialPort, PortError> {
    let PortSettings { path, baud, option } = settings;
    let mut port = SerialPort::open(path, KeepSettings).map_err(|source| cause(path, source))?;
    if !port.as_fd().is_terminal() {
        return Err(PortError::NoTty(path.clone()));
    }
    lock(path, &port)?;
    let wrong = |source| PortError::Baud { path: path.clone(), baud: *baud, option, source };
    let mut wanted = port.get_configuration().map_err(|source| cause(path, source))?;
    wanted.set_raw();
    wanted.set_baud_rate(*baud).map_err(wrong)?;
    port.set_configuration(&wanted).map_err(wrong)?;
    port.set_read_timeout(PATIENCE).map_err(|source| cause(path, source))?;
    Ok(port)
}

fn cause(path: &Path, source: std::io::Error) -> PortError {
    let path = path.to_path_buf();
    match source.kind() {
        ErrorKind::NotFound => PortError::Missing(path),
        ErrorKind::PermissionDenied => PortError::Permission(path),
        ErrorKind::ResourceBusy => PortError::Busy(path),
        ErrorKind::IsADirectory => PortError::NoTty(path),
        _ if source.raw_os_error() == Some(ENOTTY) => PortError::NoTty(path),
        // A device that nothing stands behind says so in several ways.
        _ => PortError::Io { path, source },
    }
}

/// The lock goes when the port is closed.
fn lock(path: &Path, port: &SerialPort) -> Result<(), PortError> {
    let same = port.as_fd().try_clone_to_owned().map_err(|source| cause(path, source))?;
    match File::from(same).try_lock() {
        Ok(()) => Ok(()),
        Err(std::fs::TryLockError::WouldBlock) => Err(PortError::Busy(path.into())),
        Err(std::fs::TryLockError::Error(source)) => Err(cause(path, source)),
    }
}

/// What a port's thread tells.
#[derive(Debug)]
pub enum Told {
    Bytes(Vec<u8>),
    /// It has gone away, and is waited for.
    Gone(String),
    /// It is there again.
    Back,
}

/// Reads `port` until `stop`, or until it goes away if it is not to be `awaited`. What it says goes
/// to `sender` with `name`; the sender is dropped when nothing more will come.
pub fn follow<N: Copy + Send + 'static>(
    mut port: SerialPort,
    settings: PortSettings,
    awaited: bool,
    stop: Arc<AtomicBool>,
    name: N,
    sender: SyncSender<(N, Told)>,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let stopped = || stop.load(Ordering::Relaxed);
        let mut buffer = vec![0; CHUNK];
        while !stopped() {
            let why = match port.read(&mut buffer) {
                Ok(0) => "it was closed at the other end".to_string(),
                Ok(count) => match sender.send((name, Told::Bytes(buffer[..count].into()))) {
                    Ok(()) => continue,
                    Err(_) => return,
                },
                Err(error)
                    if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted | ErrorKind::WouldBlock) =>
                {
                    continue
                }
                Err(error) => error.to_string(),
            };
            // Closed first, or it could not come back under its name.
            drop(port);
            if sender.send((name, Told::Gone(why))).is_err() || !awaited {
                return;
            }
            port = loop {
                if stopped() {
                    return;
                }
                match open(&settings) {
                    Ok(port) => break port,
                    // Whatever it is, it may pass: a device is there before its permissions are.
                    Err(_) => std::thread::sleep(PATIENCE),
                }
            };
            if sender.send((name, Told::Back)).is_err() {
                return;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_with_their_remedies() {
        let told = |kind: ErrorKind| cause(Path::new("/dev/ttyX"), kind.into()).to_string();
        for (kind, help) in [
            (ErrorKind::NotFound, "plug the board in"),
            (ErrorKind::PermissionDenied, "usermod -a -G dialout"),
            (ErrorKind::ResourceBusy, "fuser -v /dev/ttyX"),
            (ErrorKind::IsADirectory, "give a tty"),
            (ErrorKind::TimedOut, "check the cable"),
        ] {
            let text = told(kind);
            assert!(text.starts_with("/dev/ttyX: ") && text.contains(help), "{text}");
        }
    }
}
