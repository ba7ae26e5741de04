//! What the kernel knows: data with methods that change nothing else.

pub mod boot;
pub mod call;
pub mod effects;
#[cfg_attr(feature = "small", path = "absent/mod.rs")]
pub mod extended;
pub mod family;
pub mod kernel;
pub mod layout;
pub mod load;
pub mod place;
pub mod policy;
pub mod process;
pub mod processes;
pub mod ready;
pub mod registry;
pub mod setup;
pub mod tables;
pub mod thread;
pub mod user;
