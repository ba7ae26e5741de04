//! What calls, packets and interrupts ask for, and who runs next.

pub mod calls;
pub mod effects;
pub mod entry;
#[cfg_attr(feature = "small", path = "absent/mod.rs")]
pub mod extended;
pub mod packets;
pub mod quick;
pub mod run;
pub mod station;
pub mod table;
