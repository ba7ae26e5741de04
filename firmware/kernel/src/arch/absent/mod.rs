//! The small kernel has one way of copying.

pub mod rows;

pub mod between {
    pub use crate::arch::memory::copy_pieces as copy_between;
}
