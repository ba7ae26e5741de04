//! `threads.json`: what every thread did in the cycle in which a run was stopped, as the processors' RAM tells it.

#[cfg(feature = "files")]
use std::path::Path;

use serde::{Deserialize, Serialize};
use testbed_kernel_core::layout::Item;

use crate::capture::{Capture, CaptureError, Context, THREADS};

/// Bytes of `threads.json`, at most; all threads of the largest machine take a tenth of it.
const SNAPSHOT_BYTES: u64 = 1 << 28;

/// One moment of a machine: all processors in the same cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The machine cycle.
    pub cycle: u64,
    pub processes: Vec<Process>,
    pub threads: Vec<Thread>,
    /// Channels' control blocks that are or were in use: one for each processor that knows of the channel.
    pub channels: Vec<Channel>,
    /// Processors whose RAM makes no sense, each with the reason.
    pub unreadable: Vec<(u8, String)>,
    pub input: Input,
}

/// What console input may still come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// Nobody was to give any.
    #[default]
    Nobody,
    /// All there was has been given, or a person was typing.
    Given,
}

/// A process, as its home knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// `definitions::process`.
    pub id: u16,
    /// The file that it runs, if its home tells.
    pub name: Option<String>,
    pub suspended: bool,
    /// Thread ids in use, as bits.
    pub ids: u64,
    /// Process and number of the thread that waits for its end.
    pub waiter: Option<(u16, u16)>,
}

/// A thread control block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// `event::thread_number`.
    pub number: u16,
    pub process: u16,
    /// Where it is.
    pub processor: u8,
    pub state: State,
    /// The channel of its communication; of an alternative all of them, in its order.
    pub channels: Vec<u8>,
    /// Until when it waits at most, in cycles of its processor's timer; `None` without limit.
    pub deadline: Option<u64>,
    /// The page that it waits for.
    pub page: Option<u16>,
    /// Number of the thread that created it; 0 for a program's first thread.
    pub parent: u16,
    /// Children that have not ended.
    pub children: u16,
    /// Address of the instruction at which it stands.
    pub pc: u32,
    /// The line of its program's source; then those of the functions that this one is inlined into.
    pub places: Vec<Place>,
}

/// A line of a program's source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Relative to the checkout where it lies in it.
    pub file: String,
    pub line: u32,
    /// The function, where it is known.
    pub function: Option<String>,
}

macro_rules! states {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What a thread's control block says that it does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum State {
            $($(#[$doc])* $name,)*
            /// A state that this version does not know.
            Unknown,
        }

        impl State {
            /// Every state of a thread, with the item of the kernel's layout that has its code.
            pub const KNOWN: &'static [(Item, State)] = &[$((Item::$name, State::$name),)*];
        }
    };
}

testbed_kernel_core::thread_states!(states);

/// A sending end as a processor sees it; `testbed_protocol::block`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sender {
    /// Not on this processor.
    #[default]
    Away,
    Idle,
    Waiting,
    Transmitting,
}

/// A receiving end as a processor sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receiver {
    /// Not on this processor.
    #[default]
    Away,
    Idle,
    Waiting,
    Alternative,
    Collecting,
}

/// A channel of a process as one processor sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    pub process: u16,
    pub channel: u8,
    pub processor: u8,
    pub sender: Sender,
    pub receiver: Receiver,
    /// Whose the ends are as far as is known there; 0: nobody's.
    pub sender_thread: u16,
    pub receiver_thread: u16,
    /// Communications of the ends that are here.
    pub sent: u32,
    pub received: u32,
    pub token: Option<Token>,
}

/// The news, kept by a processor, that a sender elsewhere waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    pub at: u8,
    pub sender: u16,
    pub sequence: u32,
}

impl Snapshot {
    /// Reads the folder's `threads.json`; `None` if the run left none.
    ///
    /// # Errors
    /// It can't be read, or is no such file; with line and column.
    pub fn read(capture: &Capture) -> Result<Option<Self>, CaptureError> {
        let path = capture.dir.join(THREADS);
        let text = match capture.files().text(&path, SNAPSHOT_BYTES) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other.at("read", &path)?,
        };
        let wrong = |error: serde_json::Error| CaptureError::Record {
            path: path.clone(),
            line: error.line(),
            column: error.column(),
            message: error.to_string(),
        };
        serde_json::from_str(&text).map(Some).map_err(wrong)
    }

    /// What `threads.json` has.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a snapshot has string keys and whole numbers");
        text.push('\n');
        text
    }

    /// Writes `dir/threads.json`.
    ///
    /// # Errors
    /// The folder can't be written to, or the disk is full.
    #[cfg(feature = "files")]
    pub fn write(&self, dir: &Path) -> Result<(), CaptureError> {
        let path = dir.join(THREADS);
        std::fs::write(&path, self.json()).at("write", &path)
    }
}
