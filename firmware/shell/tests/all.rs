//! All tests of the crate.

mod anything;
mod dash;
mod gzip;
mod limits;
mod machine;
