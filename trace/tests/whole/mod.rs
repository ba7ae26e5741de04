//! Captures as a whole: what `conform` says of a run, and the names that other tools show.

mod names;
mod verdict;
