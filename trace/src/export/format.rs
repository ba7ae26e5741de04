//! The formats by name.

/// What a trace is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Text,
    Csv,
    Json,
    JsonLines,
    Gnuplot,
    Parquet,
    Vcd,
    Fst,
    Perfetto,
}

impl Format {
    /// Every format, with its name on the command line.
    pub const ALL: [(&'static str, Format); 9] = [
        ("text", Format::Text),
        ("csv", Format::Csv),
        ("json", Format::Json),
        ("jsonl", Format::JsonLines),
        ("gnuplot", Format::Gnuplot),
        ("perfetto", Format::Perfetto),
        ("parquet", Format::Parquet),
        ("vcd", Format::Vcd),
        ("fst", Format::Fst),
    ];

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(own, _)| *own == name).map(|(_, format)| *format)
    }

    /// The names of all formats, for messages.
    pub fn names() -> String {
        Self::ALL.map(|(name, _)| name).join(", ")
    }

    /// Whether what is written is nothing for a terminal.
    pub fn is_binary(self) -> bool {
        matches!(self, Format::Parquet | Format::Perfetto | Format::Fst)
    }

    /// Whether it can only go to a file, since places before the end are written last.
    pub fn needs_file(self) -> bool {
        self == Format::Fst
    }
}
