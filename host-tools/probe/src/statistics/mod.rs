//! Statistics that know nothing of packets: what is likely to be true of what was counted.

pub mod independence;
pub mod proportion;
pub mod quantile;
