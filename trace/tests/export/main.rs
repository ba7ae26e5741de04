//! Exports, read back by others' readers: what goes in comes out.

// Pages about runs need the rest.
#[allow(dead_code)]
#[path = "../common/devtools.rs"]
mod devtools;
mod events;
mod filter;
mod lines;
mod parquet;
mod perfetto;
mod speed;
mod tools;
mod waves;
