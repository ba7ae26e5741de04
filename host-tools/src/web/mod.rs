//! A page in which a machine runs: the module, kernels and programs in one file.
//!
//! | module | what it does |
//! |---|---|
//! | [`lean`] | ELF files without what only debuggers read |
//! | [`contents`] | what a page holds, and how it is packed |
//! | [`page`] | the page: template, style and scripts |

pub mod contents;
pub mod lean;
pub mod page;
