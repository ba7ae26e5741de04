//! The small kernel has one way of copying.

pub mod rows;
