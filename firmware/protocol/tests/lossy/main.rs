//! Supersteps whose data leave over a network that loses packets, explored exhaustively: processors
//! that run [`testbed_protocol::lossy`] and [`testbed_protocol::superstep`] as the kernel does, with
//! every order in which processes can arrive and move, packets leave, get lost, cross the bus and
//! are served, and rounds end. `docs/protocols.md` says what was explored. Larger cases run in
//! random orders, and their rounds are counted.

mod bugs;
#[path = "../common/exploration.rs"]
mod exploration;
mod explore;
mod kernel;
#[path = "../common/members.rs"]
mod members;
mod model;
mod random;
mod reached;
mod rounds;
mod setup;
#[path = "../common/splitmix.rs"]
mod splitmix;
mod state;
