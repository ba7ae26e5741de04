//! All tests of the crate.

mod dash;
mod machine;
