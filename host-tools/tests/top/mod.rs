//! `testbed top`: its frames, its reading of folders, and the whole of it in a terminal.

mod frames;
mod play;
mod session;
