//! Which utilities there are.

use alloc::vec::Vec;

use super::context::{Context, Done, Stop};
use super::{compare, compress, cut, disassemble, ed, files, grep, more, show, sort, text};
use crate::system::System;

pub use testbed_definitions::limits::PROCESSES as PROCESSES_MAX;

/// A utility.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    pub usage: &'static str,
    /// What it is for.
    pub purpose: &'static str,
}

macro_rules! tools {
    ($($name:literal $usage:literal $purpose:literal $act:path;)*) => {
        /// The utilities, in the order of their names.
        pub const TOOLS: &[Tool] = &[$(Tool { name: $name, usage: $usage, purpose: $purpose },)*];

        /// What the utilities do, in the same order. A shell knows them without having them.
        const ACTS: &[fn(&mut Context, &[Vec<u8>]) -> Done] = &[$($act,)*];
    };
}

tools! {
    "cat" "[-n] [FILE...]" "prints files" text::cat;
    "chmod" "[r][w][x]|-|[+-=]LETTERS FILE..." "says who may do what with files" files::chmod;
    "cmp" "[-s] FILE FILE" "says where two files differ first" compare::cmp;
    "compress" "[-c] FILE..." "makes FILE.Z of files, which gzip reads too" compress::compress;
    "cp" "FILE... NEW|PROCESSOR:|." "copies files, also from and to other processors" files::cp;
    "cut" "-c LIST|-f LIST [-d BYTE] [-s] [FILE...]" "prints columns" cut::cut;
    "date" "" "prints the time since the machine was reset" show::date;
    "dis" "FILE [ADDRESS [COUNT]]" "disassembles a program" disassemble::dis;
    "ed" "[-s] [FILE]" "edits a file by lines" ed::ed;
    "grep" "[-ceEFhilnqvwx] EXPRESSION [FILE...]" "prints lines that match" grep::grep;
    "head" "[-n LINES|-c BYTES] [FILE...]" "prints the beginning of files" text::head;
    "hexdump" "[-C] [FILE...]" "prints files as numbers" show::hexdump;
    "ls" "[-l] [PROCESSOR:] [FILE...]" "lists files" files::ls;
    "more" "[-LINES] [FILE...]" "prints files a page at a time" more::more;
    "mv" "[-f] FILE... NEW|PROCESSOR:|." "renames files, or has them go to another processor" files::mv;
    "rm" "[-f] FILE..." "removes files" files::rm;
    "seq" "[FIRST [STEP]] LAST" "prints numbers" text::seq;
    "sleep" "SECONDS" "waits" show::sleep;
    "sort" "[-bfnru] [-k FROM[,TO]] [-t BYTE] [-o FILE] [FILE...]" "prints lines in order" sort::sort;
    "tail" "[-n [+]LINES|-c [+]BYTES] [FILE...]" "prints the end of files" text::tail;
    "tee" "[-a] [FILE...]" "prints and writes what it reads" text::tee;
    "tr" "[-cds] SET [SET]" "replaces bytes" cut::tr;
    "uncompress" "[-c] FILE.Z..." "undoes compress" compress::uncompress;
    "uniq" "[-cdu] [FILE]" "prints lines that are not as the one before" compare::uniq;
    "wc" "[-clw] [FILE...]" "counts lines, words and bytes" text::wc;
}

/// The utility of this name.
pub fn find(name: &[u8]) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name.as_bytes() == name)
}

/// Runs a utility. The result is its status.
pub fn run(system: &mut dyn System, tool: &Tool, words: &[Vec<u8>]) -> u32 {
    let mut context = Context::new(system, tool.name);
    let place = TOOLS.iter().position(|known| known.name == tool.name);
    let done = place.map_or(Err(Stop::Usage), |place| ACTS[place](&mut context, words));
    let done = done.and_then(|status| context.flush().map(|()| status));
    match done {
        Ok(status) => status.max(context.status),
        Err(Stop::Told(status)) => {
            let _ = context.flush();
            status
        }
        Err(Stop::Error(error)) => {
            context.complain(b"", error.meaning());
            context.status
        }
        Err(Stop::Usage) => {
            let blank = if tool.usage.is_empty() { "" } else { " " };
            let text = ["usage: ", tool.name, blank, tool.usage, "\n"].concat();
            context.system.complain(text.as_bytes());
            2
        }
    }
}
