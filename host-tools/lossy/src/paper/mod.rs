//! What the paper prints, and what its own formulas give for it.
//!
//! | module | what it has |
//! |---|---|
//! | [`printed`] | a number as it is printed, and between what it was rounded from |
//! | [`table_i`] | Table I: which term of the speed-up's denominator is the greatest |
//! | [`table_ii`] | Table II: four algorithms, with a reason for each difference |
//! | [`sweep`] | the searches of section V that Table II is the result of |
//! | [`statements`] | what the text says of Figures 7 to 12, and whether it holds |
//! | [`slips`] | formulas that are not what they should be |

pub mod printed;
pub mod slips;
pub mod statements;
pub mod sweep;
pub mod table_i;
pub mod table_ii;
