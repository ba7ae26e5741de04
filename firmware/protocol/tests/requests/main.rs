//! Requests to move threads, explored exhaustively: slaves that serve them by
//! [`testbed_protocol::requests`], with every order in which packets can arrive, threads can become
//! ready, block, move, and end, and processes can be suspended, ended and begun again.
//! `docs/protocols.md` says what was explored.

mod alone;
mod bugs;
#[path = "../common/exploration.rs"]
mod exploration;
mod explore;
mod ledger;
mod master;
mod model;
mod random;
mod setup;
mod slave;
#[path = "../common/splitmix.rs"]
mod splitmix;
mod state;
