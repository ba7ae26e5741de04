//! Quick ways of copying.

pub mod rows;
