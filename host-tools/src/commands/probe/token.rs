//! The token that both ends share: from a file or the environment, never from the command line,
//! which everybody on a computer can see.

use std::path::PathBuf;

use clap::Args;
use testbed_machine::input;
use testbed_probe::key::{Key, TOKEN_LENGTH};

use super::refusal::wrong;
use crate::commands::Failure;

/// The environment variable that has the token if no file is named.
const VARIABLE: &str = "TESTBED_PROBE_TOKEN";
/// Bytes of a file with a token, at most.
const FILE_BYTES: u64 = 4_096;

#[derive(Args, Debug)]
pub struct Token {
    /// The file with the token that both ends share [default: the environment variable TESTBED_PROBE_TOKEN]
    #[arg(long = "token", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Token {
    /// The key of the datagrams.
    pub fn key(&self) -> Result<Key, Failure> {
        let help = format!(
            "\n  help: make one of at least {TOKEN_LENGTH} characters, as with `head -c 24 /dev/urandom | base64 > token`, \
             take the same file to both computers, and give it with --token token"
        );
        let (place, text) = match &self.file {
            Some(path) => {
                let text = input::text(path, FILE_BYTES);
                let text =
                    text.map_err(|error| wrong(format!("--token: cannot read {}: {error}{help}", path.display())));
                (format!("--token {}", path.display()), text?)
            }
            None => {
                let none = |_| wrong(format!("there is no token: neither --token nor {VARIABLE} is given{help}"));
                (VARIABLE.into(), std::env::var(VARIABLE).map_err(none)?)
            }
        };
        Key::of_token(&text).map_err(|error| wrong(format!("{place}: {error}{help}")))
    }
}
