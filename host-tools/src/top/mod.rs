//! `testbed top`: a run in a terminal, while it goes on or played from its folder.
//!
//! | module | what it does |
//! |---|---|
//! | [`player`] | reads a folder as far as it is there, at some speed, into a [`testbed_trace::report::Picture`] |
//! | `source` | where events come from, as long as a run goes on and afterwards |
//! | [`screen`] | all that a frame shows |
//! | [`options`] | how a folder is to be shown |
//! | `rates` | how fast it goes on, in our own time |
//! | `wording` | what is said of an event, and of a file |
//! | `log` | the balancer's log, as far as it has come |
//! | [`draw`] | the frame: a pure function of the screen |
//! | [`keys`] | what keys do |
//! | [`console`] | the end of `console.txt` |
//! | [`child`] | a run that `top` itself has started |
//! | [`terminal`] | the terminal, given back whatever happens |
//! | [`app`] | all of that together |

pub mod app;
pub mod child;
pub mod console;
pub mod draw;
pub mod keys;
mod log;
pub mod options;
pub mod player;
mod rates;
pub mod screen;
mod source;
pub mod terminal;
mod wording;
