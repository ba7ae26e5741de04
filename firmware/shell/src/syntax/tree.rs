//! Commands as they have been read.

use alloc::rc::Rc;
use alloc::vec::Vec;

/// Commands one after the other.
pub type List = Vec<Item>;

/// Pipelines joined by `&&` and `||`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// The first pipeline.
    pub first: Pipeline,
    /// The others, and whether each runs if what was before has succeeded, or if it has failed.
    pub rest: Vec<(Join, Pipeline)>,
    /// Nobody waits for it (`&`).
    pub background: bool,
}

/// When a pipeline runs that follows another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Join {
    /// If the one before has succeeded (`&&`).
    And,
    /// If it has failed (`||`).
    Or,
}

/// Commands of which each reads what the one before has written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pipeline {
    /// It succeeds if its last command fails (`!`).
    pub negated: bool,
    /// The commands, one at least.
    pub commands: Vec<Command>,
}

/// A command and where its streams lead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// What is done.
    pub action: Action,
    /// In the order in which they were written.
    pub redirections: Vec<Redirection>,
}

/// What a command does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Sets variables, and runs a program or a command of the shell.
    Simple {
        /// Variables with their values.
        assignments: Vec<(Vec<u8>, Word)>,
        /// The program's name and its arguments.
        words: Vec<Word>,
    },
    /// `{ … }`
    Group(List),
    /// `( … )`: what is set inside is not set outside.
    Subshell(List),
    /// `if … then … elif … then … else … fi`
    If {
        /// Conditions, and what is done if they succeed.
        arms: Vec<(List, List)>,
        /// What is done if none does.
        otherwise: List,
    },
    /// `while … do … done`
    While {
        /// The condition.
        condition: List,
        /// What is done while it succeeds, or until it does.
        body: List,
        /// `until`.
        until: bool,
    },
    /// `for … in … do … done`
    For {
        /// The variable.
        name: Vec<u8>,
        /// Its values; `None` are the arguments.
        words: Option<Vec<Word>>,
        /// What is done for each.
        body: List,
    },
    /// `case … in … esac`
    Case {
        /// What is compared.
        word: Word,
        /// Patterns, and what is done for the first that matches.
        arms: Vec<(Vec<Word>, List)>,
    },
    /// `name() …`
    Function {
        /// Its name.
        name: Vec<u8>,
        /// What it does.
        body: Rc<Command>,
    },
}

/// Where a stream leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redirection {
    /// 0, 1 or 2: standard input, output, error.
    pub stream: u8,
    /// How.
    pub kind: Kind,
    /// The file, or the text itself.
    pub target: Word,
}

/// How a stream is redirected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>&1`: where this other stream leads.
    Same(u8),
    /// `<<`: the text follows.
    Here,
}

/// A word before it is expanded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Word(pub Vec<Part>);

/// A part of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// What it is.
    pub piece: Piece,
    /// It is not split into words, and no pattern.
    pub quoted: bool,
}

/// What a part of a word is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// It stands for itself.
    Text(Vec<u8>),
    /// A variable.
    Parameter {
        /// Its name, a digit, or one of `@*#?$!`.
        name: Vec<u8>,
        /// What is made of its value.
        form: Form,
    },
    /// `$(…)`: what commands print.
    Commands(List),
    /// `$((…))`: what an expression is.
    Arithmetic(Word),
}

/// What is made of a variable's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// The value.
    Value,
    /// How many bytes it has (`${#X}`).
    Length,
    /// `${X-word}` and its like: `-`, `=`, `?` or `+`, whether an empty value counts as none, and
    /// the word.
    Instead(u8, bool, Word),
    /// `${X%word}` and its like: `%` or `#`, whether as much as possible goes, and the pattern.
    Without(u8, bool, Word),
}
