//! Data of what the small kernel lacks.

pub mod agent;
pub mod counting;
pub mod ends;
pub mod estate;
pub mod groups;
pub mod guest;
pub mod input;
pub mod invoked;
pub mod keepers;
pub mod keeping;
pub mod layout;
pub mod list;
pub mod measured;
pub mod mount;
pub mod moves;
pub mod paging;
pub mod parked;
pub mod streams;
pub mod waiting;

pub use testbed_kernel_core::filestore::Filestore as Files;
