//! The parsers, each with its valid inputs and with what must hold of every other.

mod folder;
mod link;
#[cfg(feature = "host")]
mod operator;
mod probe;
#[cfg(feature = "host")]
mod program;
mod shell;
mod target;
mod text;
mod typed;
mod words;

pub use target::Target;

/// All of them.
pub const TARGETS: &[Target] = &[
    text::MACHINE,
    text::RECORD,
    text::METADATA,
    text::REPLAY,
    typed::COMMAND_LINE,
    typed::TASK_GRAPH,
    words::STREAMS,
    folder::FOLDER,
    folder::MMI,
    folder::WAVE,
    link::FRAMES,
    link::CONSOLE,
    probe::DATAGRAM,
    probe::PROBE,
    shell::SCRIPT,
    shell::EXPRESSION,
    shell::PACKED,
    #[cfg(feature = "host")]
    program::ELF,
    #[cfg(feature = "host")]
    program::FILE,
    #[cfg(feature = "host")]
    operator::FILTER,
    #[cfg(feature = "host")]
    operator::VIEW,
];

/// The target of this name.
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
