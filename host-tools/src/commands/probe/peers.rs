//! Peers as they are named on the command line and in files, and quantities.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use testbed_machine::{input, units};

use super::refusal::wrong;
use crate::commands::Failure;

/// The UDP port of `testbed probe serve`, in the range that anybody may use.
pub const PORT: u16 = 51_994;
/// Bytes of a list of peers, at most.
const LIST_BYTES: u64 = 1 << 20;

/// All peers: those that are named, then those of the list, each with its port.
pub fn peers(named: &[String], list: Option<&Path>) -> Result<Vec<String>, Failure> {
    let mut peers: Vec<String> = Vec::new();
    for name in named {
        peers.push(with_port(name).ok_or_else(|| wrong(no_port(name, "")))?);
    }
    if let Some(path) = list {
        let text = input::text(path, LIST_BYTES);
        let help = "\n  help: give a file with a HOST or HOST:PORT on each line";
        let place = path.display();
        let text = text.map_err(|error| wrong(format!("--pairs: cannot read {place}: {error}{help}")))?;
        let before = peers.len();
        for (line, name) in (1..).zip(text.lines()) {
            let name = name.split('#').next().unwrap_or_default().trim();
            if !name.is_empty() {
                let wrong_port = || wrong(no_port(name, &format!("--pairs: {place}:{line}: ")));
                peers.push(with_port(name).ok_or_else(wrong_port)?);
            }
        }
        if peers.len() == before {
            return Err(wrong(format!("--pairs: {place} names no peer{help}")));
        }
    }
    Ok(peers)
}

fn no_port(name: &str, place: &str) -> String {
    let name = testbed_machine::brief(name);
    format!(
        "{place}`{name}` ends in no port\n  help: write HOST or HOST:PORT, with a port from 1 to 65535, and an address \
         of IPv6 as [ADDRESS]:PORT"
    )
}

/// A peer with its port; `None` if what stands behind the last colon is no port.
fn with_port(name: &str) -> Option<String> {
    let is_bare_ipv6 = !name.starts_with('[') && name.matches(':').count() > 1;
    if is_bare_ipv6 {
        return Some(format!("[{name}]:{PORT}"));
    }
    match name.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')) {
        Some((_, port)) => (port.parse::<u16>().ok()? != 0).then(|| name.into()),
        None => Some(format!("{name}:{PORT}")),
    }
}

/// The address of a peer.
pub fn address(peer: &str) -> io::Result<SocketAddr> {
    let mut addresses = peer.to_socket_addrs()?;
    addresses.next().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the name has no address"))
}

/// A time of the wall.
pub fn duration(option: &str, text: &str) -> Result<Duration, Failure> {
    let picoseconds = units::parse(text, units::TIME).map_err(|error| {
        let help = units::names(units::TIME);
        wrong(format!("{option}: {error}\n  help: write a number and one of {help}, as in 10s"))
    })?;
    Ok(Duration::from_nanos(u64::try_from(picoseconds / 1_000).unwrap_or(u64::MAX)))
}

/// A number of bytes.
pub fn bytes(option: &str, text: &str) -> Result<u64, Failure> {
    let bytes = units::parse(text, units::BYTES).map_err(|error| {
        let help = units::names(units::BYTES);
        wrong(format!("{option}: {error}\n  help: write a number and one of {help}, as in 1MiB"))
    })?;
    Ok(u64::try_from(bytes).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_have_ports() {
        for (name, expected) in [
            ("host", Some("host:51994")),
            ("host:7", Some("host:7")),
            ("host:0", None),
            ("host:x", None),
            ("host:70000", None),
            ("::1", Some("[::1]:51994")),
            ("[::1]", Some("[::1]:51994")),
            ("[::1]:7", Some("[::1]:7")),
            ("192.0.2.1", Some("192.0.2.1:51994")),
        ] {
            assert_eq!(with_port(name).as_deref(), expected, "{name}");
        }
    }
}
