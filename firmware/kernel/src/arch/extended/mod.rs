//! Quick ways of copying.

pub mod between;
pub mod rows;
