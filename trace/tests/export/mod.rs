//! Exports, read back by others' readers: what goes in comes out.

mod events;
mod filter;
mod lines;
mod parquet;
mod perfetto;
mod speed;
mod tools;
mod waves;
