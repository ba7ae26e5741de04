//! What a run shows of balancing its load: the slaves' samples, from events of class `load`
//! ([`samples`]); requests and moves, from the balancer's log ([`history`]); both for a page
//! ([`part`]); and what another policy would have asked for ([`replay`]).

pub mod history;
pub mod log;
pub mod part;
pub mod replay;
pub mod samples;

pub use history::{Asked, Counts, History, Move, Quality, Summary};
pub use part::Balancing;
pub use samples::{Sample, Samples};
