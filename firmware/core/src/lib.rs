//! The parts of the TOS kernel that are pure algorithms, so that the host can test them.
//!
//! | module | what it holds |
//! |---|---|
//! | [`adder`] | the elements of an asynchronous adder |
//! | [`clock`] | milliseconds from cycles |
//! | [`queue`] | doubly-linked queues through a table, as of threads |
//! | [`layout`] | where the kernel keeps its tables, for a look from outside |
//! | [`pages`] | which physical pages are free |
//! | [`page_map`] | page-map entries: mapping, translation, checks of pointers |
//! | [`elf`] | reading a program's ELF headers |
//! | [`filestore`] | the table of files |
//! | [`filter`] | event classes and filters as text |
//! | [`hash`] | a hash of halfwords |
//! | [`input`] | who gets console input |
//! | [`placement`] | where threads start |
//! | [`ring`] | a ring of bytes |
//! | [`schedule`] | lengths of the messages of `local` and `remote` |
//! | [`spread`] | where the elements of an array are that is spread over processes |
//! | [`timers`] | deadlines, earliest first |
//! | [`task_graph`] | threads, work and links from a file, or at random |
//! | [`text`] | numbers as text, without `core::fmt` |
//! | [`wator`] | the rules of Wa-Tor, and a region of its ocean |
//! | [`work`] | computing that proves itself |
#![no_std]
#![forbid(unsafe_code)]

pub mod adder;
pub mod clock;
pub mod elf;
pub mod filestore;
pub mod filter;
pub mod hash;
pub mod input;
pub mod layout;
pub mod page_map;
pub mod pages;
pub mod placement;
pub mod queue;
pub mod ring;
pub mod schedule;
pub mod spread;
pub mod task_graph;
pub mod text;
pub mod timers;
pub mod wator;
pub mod work;
