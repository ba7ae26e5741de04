//! One proven, time-ordered trace from the words of a Testbed's hardware monitors, and what people ask of it.
//!
//! | module | what it does |
//! |---|---|
//! | [`analysis`] | where time goes: phases, latencies, threads, queues, processors, links, paths; two runs side by side |
//! | [`capture`] | the output folder: CTF trace, `mmi.raw`, console, `run.json`; writer, reader, integrity |
//! | [`order`] | epochs from wrap markers, events from words, one ordered trace from many streams |
//! | [`ledger`] | what was emitted is delivered, queued, dropped, refused or filtered: nothing else |
//! | [`live`] | the same order while a run still writes its folder |
//! | [`watch`] | what a run shows at a moment: queues, threads, links, rates, losses |
//! | [`waits`] | who waits for whom when a run was stopped, and who can never go on |
//! | [`balance`] | the slaves' load samples, and what a balancer asked for and achieved |
//! | [`report`] | a run as one page of HTML, to be opened from a file |
//! | [`summary`] | what an ordered trace shows, in a screenful |
//! | [`compare`] | first difference between two output folders |
//! | [`synthetic`] | streams of any length with the truth beside them |
//! | [`conform`] | whether a trace is what the protocols' state machines allow |
//! | [`follow`] | who runs on a processor: what each event says of it |
//! | [`export`] | an ordered trace in the forms that other tools read |
//!
//! [`capture::Capture::open`] a folder and iterate over [`order::events`]. Nothing here knows hardware or engines.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod balance;
pub mod capture;
pub mod compare;
pub mod conform;
pub mod export;
pub mod follow;
pub mod ledger;
#[cfg(feature = "files")]
pub mod live;
pub mod order;
pub mod report;
pub mod summary;
pub mod synthetic;
pub mod waits;
pub mod watch;
