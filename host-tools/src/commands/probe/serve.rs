//! `testbed probe serve`: answers who shares the token, and nobody else.

use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};

use clap::Args;
use testbed_probe::server::counts::Counts;
use testbed_probe::server::machine::Limits;
use testbed_probe::socket::serve;
use testbed_runner::signals::stop_flag;

use super::peers::{duration, PORT};
use super::token::Token;
use crate::commands::{grouped, Exit, Failure};

/// Answers probes of whoever shares the token, until Ctrl-C
#[derive(Args, Debug)]
pub struct Serve {
    #[command(flatten)]
    token: Token,
    /// The UDP port
    #[arg(long, value_name = "N", default_value_t = PORT)]
    port: u16,
    /// The address of this computer at which it answers; `::` for IPv6
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0")]
    address: IpAddr,
    /// Sessions at a time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1024))]
    sessions: u16,
    /// Stop after this time, such as 3600s [default: at Ctrl-C]
    #[arg(long = "for", value_name = "TIME")]
    time: Option<String>,
}

impl Serve {
    pub fn run(&self) -> Result<Exit, Failure> {
        let key = self.token.key()?;
        let time = self.time.as_deref().map(|text| duration("--for", text)).transpose()?;
        let address = SocketAddr::new(self.address, self.port);
        let socket = UdpSocket::bind(address).map_err(|error| unbound(address, &error))?;
        let stop = stop_flag()?;
        let at = socket.local_addr()?;
        let mut out = io::stdout().lock();
        writeln!(out, "answers at {at} over UDP, until Ctrl-C")?;
        out.flush()?;
        let limits = Limits { sessions: self.sessions.into(), ..Limits::default() };
        let counts = serve(&socket, key, limits, time, &stop);
        let counts = counts.map_err(|error| Failure::new(Exit::Environment, format!("the socket at {at}: {error}")))?;
        write!(out, "{}", text(&counts))?;
        Ok(Exit::Success)
    }
}

/// Why a socket can't be had.
fn unbound(address: SocketAddr, error: &io::Error) -> Failure {
    let (exit, help) = match error.kind() {
        ErrorKind::AddrInUse => (Exit::Input, "is it served already? Give another port with --port"),
        ErrorKind::AddrNotAvailable => (Exit::Input, "give an address of this computer with --address"),
        ErrorKind::PermissionDenied => (Exit::Environment, "give a port above 1023 with --port"),
        _ => (Exit::Environment, "give another --address or --port"),
    };
    Failure::new(exit, format!("cannot answer at {address}: {error}\n  help: {help}"))
}

/// What came, and what became of it.
fn text(counts: &Counts) -> String {
    format!(
        "{} sessions; {} datagrams of {} bytes came, {} of {} bytes were sent\n\
         not answered: {} of another form, {} of another token or damaged, {} with a wrong cookie,\n  \
         {} of no session, {} that had come before, {} beyond a limit, {} that only servers send\n",
        grouped(counts.sessions),
        grouped(counts.received),
        grouped(counts.received_bytes),
        grouped(counts.sent),
        grouped(counts.sent_bytes),
        grouped(counts.foreign),
        grouped(counts.wrong_mac),
        grouped(counts.wrong_cookie),
        grouped(counts.no_session),
        grouped(counts.repeated),
        grouped(counts.over_limits),
        grouped(counts.wrong_form),
    )
}
