//! The protocol of channels and of threads that move, explored exhaustively: small programs on
//! small machines, with every order in which packets can arrive and every move at every moment.
//! `docs/protocols.md` says what was explored.

mod bugs;
mod check;
mod explore;
mod misuse;
mod model;
mod moving;
mod perform;
mod program;
mod random;
mod scrub;
mod seen;
#[path = "../common/splitmix.rs"]
mod splitmix;
mod state;
mod world;
