//! What a network loses, how long its packets take and how many fit through, by packet size,
//! measured over UDP with a peer that shares a token.
//!
//! | module | what it does |
//! |---|---|
//! | [`packet`], [`body`], [`key`] | the datagrams: written, read, and proven to come from who knows the token |
//! | [`server`], [`client`] | both ends as state machines, which take time and datagrams as arguments |
//! | [`train`], [`tally`], [`bits`] | what the ends count: trains' gaps, one part's results, sets of packets |
//! | [`statistics`] | proportions, quantiles, and whether losses are independent, each with its bounds |
//! | [`plan`], [`campaign`], [`record`] | what is measured, in which parts, and the file from which an interrupted measurement goes on |
//! | [`estimate`], [`network`], [`text`] | what the tallies say, as figures, as `network.toml`, as tables |
//! | [`socket`] | the loops around sockets; nothing else here knows the real time or a socket |
#![forbid(unsafe_code)]

pub mod bits;
pub mod body;
pub mod campaign;
pub mod client;
pub mod estimate;
pub mod key;
pub mod network;
pub mod packet;
pub mod plan;
pub mod record;
pub mod server;
pub mod socket;
pub mod statistics;
pub mod tally;
pub mod text;
pub mod train;
