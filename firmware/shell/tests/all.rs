//! All tests of the crate.

mod anything;
mod asking;
mod dash;
mod gzip;
mod keys;
mod limits;
mod machine;
mod pieces;
mod utilities;
