//! The ends of supersteps, explored exhaustively: processors that serve them by
//! [`testbed_protocol::superstep`], with every order in which processes can arrive, move and end,
//! and packets can leave, cross the bus and be served. `docs/protocols.md` says what was explored.

mod bugs;
#[path = "../common/exploration.rs"]
mod exploration;
mod explore;
#[path = "../common/members.rs"]
mod members;
mod model;
mod setup;
mod state;
mod steps;
mod strangers;
