//! `testbed serve`: the page about a run, from a server that this computer alone can reach.
//!
//! | module | what it does |
//! |---|---|
//! | [`guard`] | who may ask: the token in the address, the headers Host and Origin |
//! | [`ask`] | what a page can ask for, and what it gets |
//! | [`server`] | HTTP: a thread for each request, bounds, headers |
//! | [`files`] | files of a run's folder, and those that are made of it |
//! | [`printed`] | what was printed since a page last asked |
//! | [`followed`] | the run: its folder is followed, its process started and ended |
//! | [`page`] | the page, made of that of `testbed web` |

pub mod ask;
pub mod files;
pub mod followed;
pub mod guard;
pub mod page;
pub mod printed;
pub mod server;
