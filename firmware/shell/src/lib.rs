//! The shell of the machine and its utilities, as pure code that the host tests.
//!
//! | module | what it holds |
//! |---|---|
//! | [`system`] | what shell and utilities ask of the machine that they run on |
//! | [`syntax`] | from text to commands |
//! | [`interpreter`] | what commands mean |
//! | [`pattern`] | names with `*`, `?` and `[…]` |
//! | [`regex`] | basic regular expressions, as `grep` and `ed` take them |
//! | [`number`] | numbers as text, and text as numbers |
//! | [`tools`] | the utilities |
//!
//! Everything that grows has a limit, and an error that names it. No text makes any of this panic,
//! and only a program that a script runs in a loop can keep it from coming to an end.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod interpreter;
pub mod number;
pub mod pattern;
pub mod regex;
pub mod syntax;
pub mod system;
pub mod tools;
