//! Cookies: a server proves by them, without remembering anything, that a client gets what is sent
//! to the address that it claims to have.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::body::COOKIE_BYTES;
use crate::key::Key;

/// A cookie is taken in the epoch in which it was made and in the next one.
pub const EPOCH: Duration = Duration::from_secs(8);
/// What cookies and sessions' numbers begin with, so that none is the other.
const COOKIE: &[u8] = b"cookie";
const SESSION: &[u8] = b"session";

/// Makes cookies and sessions' numbers of a secret that is the server's own.
#[derive(Debug)]
pub struct Baker(Key);

impl Baker {
    pub fn new(secret: [u8; 32]) -> Baker {
        Baker(Key::secret(secret))
    }

    /// The cookie for a client at this address that has chosen this number.
    pub fn cookie(&self, from: SocketAddr, chosen: u64, now: Duration) -> [u8; COOKIE_BYTES] {
        self.made(COOKIE, from, chosen, epoch(now))
    }

    /// Whether a cookie was made for this address and number, and lately.
    pub fn is_good(&self, cookie: &[u8; COOKIE_BYTES], from: SocketAddr, chosen: u64, now: Duration) -> bool {
        let epoch = epoch(now);
        let verifies = |epoch: u64| {
            let (address, port) = place(from);
            let parts: [&[u8]; 5] = [COOKIE, &address, &port, &chosen.to_be_bytes(), &epoch.to_be_bytes()];
            self.0.verifies(&parts, cookie)
        };
        verifies(epoch) || epoch > 0 && verifies(epoch - 1)
    }

    /// The number of the session of a client at this address that has chosen this number: the same
    /// if it opens it twice, as its first answer may be lost.
    pub fn session(&self, from: SocketAddr, chosen: u64) -> u64 {
        let made = self.made(SESSION, from, chosen, 0);
        u64::from_be_bytes(std::array::from_fn(|at| made[at]))
    }

    fn made(&self, what: &[u8], from: SocketAddr, chosen: u64, epoch: u64) -> [u8; COOKIE_BYTES] {
        let (address, port) = place(from);
        self.0.mac(&[what, &address, &port, &chosen.to_be_bytes(), &epoch.to_be_bytes()])
    }
}

fn epoch(now: Duration) -> u64 {
    now.as_secs() / EPOCH.as_secs()
}

/// An address in bytes of one length; IPv4 as IPv6 has it.
fn place(from: SocketAddr) -> ([u8; 16], [u8; 2]) {
    let address = match from.ip() {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    (address.octets(), from.port().to_be_bytes())
}
