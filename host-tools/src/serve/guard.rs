//! Who may ask the server: a page that came from it, and nobody else.
//!
//! Any page that is open in a browser of this computer can send requests to any of its ports, and
//! other users of the computer can too. So the address has a random token, which nobody else knows;
//! a request must be for an address of this computer (another's name that resolves to it is how a
//! page far away would reach us), and from a page of ours, if the browser says from which.

use std::io;

/// Bytes of randomness in the address.
const TOKEN_BYTES: usize = 16;
/// The port that no address names.
const PORT_OF_HTTP: u16 = 80;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("this server answers to addresses of its own computer only\n  help: open the address that `testbed serve` has printed")]
    Host,
    #[error("this server answers to its own page only")]
    Origin,
    #[error(
        "there is nothing here\n  help: open the whole address that `testbed serve` has printed; it changes each time"
    )]
    Token,
}

/// Tells who may ask.
#[derive(Clone, Debug)]
pub struct Guard {
    hosts: Vec<String>,
    token: String,
}

impl Guard {
    /// For a server at this port, with a token of its own.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn new(port: u16) -> io::Result<Self> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Guard::with_token(port, bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    fn with_token(port: u16, token: String) -> Self {
        let names = ["127.0.0.1", "localhost"];
        let mut hosts: Vec<_> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == PORT_OF_HTTP {
            hosts.extend(names.map(String::from));
        }
        Guard { hosts, token }
    }

    /// The page's address.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.hosts[0], self.token)
    }

    /// What is asked for behind the token, of a request for `url` with these values of its headers
    /// Host and Origin.
    ///
    /// # Errors
    /// Why the request is refused.
    pub fn check<'a>(&self, url: &'a str, hosts: &[&str], origins: &[&str]) -> Result<&'a str, Refusal> {
        let is_ours = |host: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        if !matches!(hosts, [host] if is_ours(host)) {
            return Err(Refusal::Host);
        }
        // A browser names the origin unless a page is fetched by its address.
        if !origins.iter().all(|origin| origin.strip_prefix("http://").is_some_and(is_ours)) {
            return Err(Refusal::Origin);
        }
        let (token, rest) = url.strip_prefix('/').and_then(|path| path.split_once('/')).ok_or(Refusal::Token)?;
        match is_equal(token.as_bytes(), self.token.as_bytes()) {
            true => Ok(rest),
            false => Err(Refusal::Token),
        }
    }
}

/// Whether two texts are equal, in a time that depends on their lengths only.
fn is_equal(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |differ, (one, two)| differ | (one ^ two)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_page_on_this_computer_with_the_token_may_ask() {
        let guard = Guard::with_token(4711, "0a1b".into());
        assert_eq!(guard.address(), "http://127.0.0.1:4711/0a1b/");
        let check = |url, hosts: &[&str], origins: &[&str]| guard.check(url, hosts, origins);
        let (own, origin) = (["127.0.0.1:4711"], ["http://127.0.0.1:4711"]);
        assert_eq!(check("/0a1b/", &own, &[]), Ok(""));
        assert_eq!(check("/0a1b/state?run=1", &["LOCALHOST:4711"], &["http://localhost:4711"]), Ok("state?run=1"));
        for hosts in [&[][..], &["127.0.0.1"], &["127.0.0.1:80"], &["evil.example:4711"], &[own[0], own[0]], &[""]] {
            assert_eq!(check("/0a1b/", hosts, &[]), Err(Refusal::Host), "{hosts:?}");
        }
        for foreign in ["null", "", "https://127.0.0.1:4711", "http://evil.example", "http://127.0.0.1:4712"] {
            assert_eq!(check("/0a1b/", &own, &[foreign]), Err(Refusal::Origin), "{foreign}");
            assert_eq!(check("/0a1b/", &own, &[origin[0], foreign]), Err(Refusal::Origin), "{foreign}");
        }
        for url in ["", "/", "//", "/0a1b", "/0a1c/", "/0a1/", "/0a1bb/", "0a1b/", "/%30a1b/", "/x/0a1b/"] {
            assert_eq!(check(url, &own, &origin), Err(Refusal::Token), "{url}");
        }
        assert_eq!(Guard::with_token(80, "0".into()).check("/0/", &["127.0.0.1"], &[]), Ok(""));
    }

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let tokens: std::collections::BTreeSet<_> = (0..100).map(|_| Guard::new(1).unwrap().token).collect();
        assert!(tokens.len() == 100 && tokens.iter().all(|token| token.len() == 2 * TOKEN_BYTES));
    }
}
